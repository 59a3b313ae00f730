"""A connection to a client: the requests that it sends one after the other, their bodies, and how it ends."""

from __future__ import annotations

import re
import socket
import ssl
import struct
from collections.abc import Iterator
from contextlib import suppress
from typing import Protocol

from fakestore.clients.server.request import (
    PIECE,
    BadRequest,
    Reader,
    RequestHead,
    parse_target,
    read_head,
    render_head,
    text_reply,
)
from fakestore.clients.server.settings import Settings, logger
from fakestore.errors import INCOMPLETE_BODY, ErrorResponse, UnsupportedRequest
from fakestore.http.message import ConnectionFailure, Delivery, Request
from fakestore.http.values import parse_integer
from fakestore.model.content import pieces_of
from fakestore.service.service import Service

_LONGEST_CHUNK_LINE = 4096
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?\r\n", re.DOTALL)
#: How long the server keeps a connection open without an answer after ConnectTimeout or ReadTimeout, in seconds. The
#: client may close it earlier.
LONGEST_SILENCE = 60.0
#: How long a connection stays open after a refusal, so that the client can read the answer, in seconds.
_LINGER = 1.0
#: The number of bytes that are sent at a time, which TLS limits.
_MOST_AT_ONCE = 1024 * 1024


class Server(Protocol):
    """The part of the server that its connections use."""

    service: Service
    settings: Settings

    @property
    def scheme(self) -> str:
        """The scheme of its URL."""
        ...

    @property
    def netloc(self) -> str:
        """The host and the port of its URL."""
        ...

    def sleep(self, seconds: float) -> bool:
        """Wait, and return whether the server still runs."""
        ...

    def begin_idle(self, connection: Connection) -> None:
        """Note that a connection waits for a request."""
        ...

    def end_idle(self, connection: Connection) -> bool:
        """Note that a request arrives, and return whether the connection is still open."""
        ...


class Connection:
    """A connection to a client.

    Args:
        connected: The socket.
        source_ip: The address of the client.
        server: The server that accepted the connection.
    """

    def __init__(self, connected: socket.socket, source_ip: str, server: Server) -> None:
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # a reply is sent in several pieces
        self.socket = connected
        self.source_ip = source_ip
        self.server = server
        self.reader = Reader(connected, server.settings.timeout)
        #: Whether the connection ends after the current request.
        self.closes = False
        #: Whether the connection is reset instead of being closed in the normal way.
        self.resets = False
        #: Whether the client may still be sending while it should read the reply.
        self.lingers = False

    def answer_requests(self) -> None:
        """Answer one request after the other, until the connection ends."""
        self._start_tls()
        while not self.closes and self.reader.wait_for_data():
            if not self.server.end_idle(self):
                return
            head = RequestHead()
            try:
                with self.reader.deadline(self.server.settings.timeout):
                    read_head(self.reader, head)
                answer_request(self, head)
            except BadRequest as error:
                self._refuse(head, error)
            self.server.begin_idle(self)

    def _start_tls(self) -> None:
        """Agree with the client on TLS, if the server speaks it."""
        tls = self.server.settings.tls
        if tls is None:
            return
        connected = tls.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        connected.settimeout(self.server.settings.timeout)
        self.socket, self.reader = connected, Reader(connected, self.server.settings.timeout)
        try:
            connected.do_handshake()
        except ssl.SSLError as error:
            advice = "; use a URL that begins with https://" if error.reason == "HTTP_REQUEST" else ""
            logger.info("- -> no TLS with the client: %s%s", error.reason, advice)
            raise

    def _refuse(self, head: RequestHead, error: BadRequest) -> None:
        """Answer a request that does not reach the store. The connection ends."""
        self.lingers = self.closes = True
        outcome = f"{error.status} {error.reason}"
        head.log(f"{outcome}: {error}" if str(error) else outcome, self.server.service)
        reply = text_reply(head.method, error.status, str(error))
        self.send(render_head(reply, reason=error.reason, is_http10=head.is_http10, closes=True) + bytes(reply.body))

    def send(self, data: bytes | memoryview) -> None:
        """Send all of `data`."""
        view = memoryview(data)
        while view:  # not `sendall`, whose timeout is for all of the data
            view = view[self.socket.send(view[:_MOST_AT_ONCE]) :]

    def end(self, how: int) -> None:
        """Prevent the thread of this connection from reading more, or also from sending more."""
        with suppress(OSError):  # it may have ended already
            socket.socket.shutdown(self.socket, how)  # a TLS socket's own shutdown() ends TLS for all threads

    def close(self) -> None:
        """Close the connection for every process that has the socket, for example after a fork."""
        with suppress(OSError):  # the client may have closed it already
            if self.resets:
                self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            else:
                if self.lingers:
                    self.end(socket.SHUT_WR)
                    self.wait_for_end(_LINGER)
                self.end(socket.SHUT_RDWR)
        self.socket.close()

    def wait_for_end(self, seconds: float) -> None:
        """Drop what the client sends until it closes the connection."""
        with self.reader.deadline(seconds):
            while self.reader.read(PIECE):
                pass


def answer_request(connection: Connection, head: RequestHead) -> None:
    """Answer a request whose head was read."""
    server = connection.server
    connection.closes = head.closes_connection
    scheme, host, target = parse_target(head, server.scheme, server.netloc)
    body = _open_body(connection, head)
    request = Request(
        method=head.method,
        scheme=scheme,
        host=host,
        target=target,
        headers=head.fields,
        body=b"" if body.is_complete else body,
        http_version="1.0" if head.is_http10 else "1.1",
        source_ip=connection.source_ip,
    )
    delivery = _control(connection, head, request) or _deliver(connection, head, request, body)
    if isinstance(delivery, ConnectionFailure):
        _fail(connection, delivery, body)
    elif delivery.delay and not server.sleep(delivery.delay):
        connection.closes = True
    else:
        _send(connection, head, delivery, body)


def _open_body(connection: Connection, head: RequestHead) -> StreamedBody:
    """Return the body of the request, which has not been read yet."""
    fields = head.fields
    coding = fields.get("transfer-encoding", "").lower()
    if coding not in ("", "chunked"):
        raise BadRequest(501, "The only supported Transfer-Encoding is chunked")
    length = None if coding else parse_integer(fields.get("content-length", "0"))
    if length is None and not coding:
        # The store refuses the invalid length. The connection ends, because the body has no known end, so the server
        # cannot find the beginning of the next request.
        length, connection.lingers = 0, True
    awaits_continue = not head.is_http10 and fields.get("expect", "").lower() == "100-continue"
    return StreamedBody(connection, length, awaits_continue=awaits_continue)


def _control(connection: Connection, head: RequestHead, request: Request) -> Delivery | None:
    """Return the answer to a request that controls the server, or None for a request to the store."""
    control = connection.server.settings.control
    reply = None if control is None else control(request)
    if reply is None:
        return None
    head.log(str(reply.status), connection.server.service)
    return Delivery(reply)


def _deliver(
    connection: Connection, head: RequestHead, request: Request, body: StreamedBody
) -> Delivery | ConnectionFailure:
    """Return the answer of the store, or an error of the server if the store has no answer."""
    service, explain = connection.server.service, connection.server.settings.explain
    try:
        delivery, exchange = service.answer(request)
        if exchange.explanation is not None:
            exchange = exchange._replace(explanation=explain(request, exchange.explanation))
        head.log_line(str(exchange), service)
        return delivery
    except UnsupportedRequest as error:  # the service has recorded this error
        reason = f"UnsupportedRequest: {explain(request, str(error))}"
        reply = service.render_unsupported(request, reason)
    except Exception as error:
        if error is body.error:
            head.log(f"no answer: reading the body raised {error!r}", service)
            raise
        service.unhandled_requests.append(error)
        reply = text_reply(request.method, 500, reason := f"fakestore failed with {error!r}")
    head.log(f"{reply.status}: {reason}", service)
    return Delivery(reply)


def _fail(connection: Connection, failure: ConnectionFailure, body: StreamedBody) -> None:
    """Reset the connection, or send nothing until the client closes it."""
    body.drop()
    connection.closes = True
    if failure is ConnectionFailure.RESET:
        connection.resets = True
    else:
        with suppress(OSError):
            connection.wait_for_end(LONGEST_SILENCE)


def _send(connection: Connection, head: RequestHead, delivery: Delivery, body: StreamedBody) -> None:
    """Send the reply, whole or truncated, and end the connection if no request can follow."""
    reply, truncate_at = delivery.reply, delivery.truncate_at
    is_chunked = "transfer-encoding" in reply.headers
    has_end = is_chunked or "content-length" in reply.headers or not reply.body
    if body.awaits_continue or body.error is not None:
        connection.lingers = True
    if truncate_at is not None or connection.lingers or not has_end:
        connection.closes = True
    connection.send(render_head(reply, is_http10=head.is_http10, closes=connection.closes))
    content = reply.body if truncate_at is None else reply.body[:truncate_at]
    for piece in pieces_of(content):
        connection.send(b"%x\r\n%b\r\n" % (len(piece), bytes(piece)) if is_chunked else piece)
    if is_chunked and truncate_at is None:
        connection.send(b"0\r\n\r\n")
    if not connection.lingers:
        body.drop()
        if not body.is_complete:
            connection.closes = connection.lingers = True


class StreamedBody:
    """The body of a request, which is read from the connection while the store reads it.

    Args:
        connection: The connection.
        length: The number of bytes; None for a chunked body.
        awaits_continue: Whether the client waits for 100 Continue before it sends the body.
    """

    def __init__(self, connection: Connection, length: int | None, *, awaits_continue: bool) -> None:
        self._connection = connection
        self._pieces = self._read_chunked() if length is None else self._read(length)
        #: Whether the client waits for 100 Continue.
        self.awaits_continue = awaits_continue and length != 0
        #: Whether the connection stands at the end of the body.
        self.is_complete = length == 0
        #: The exception that reading the body raised.
        self.error: Exception | None = None

    def __iter__(self) -> Iterator[bytes]:
        """Yield the body in pieces. It ends early if the client closes the connection."""
        try:
            if self.awaits_continue:
                self.awaits_continue = False
                self._connection.send(b"HTTP/1.1 100 Continue\r\n\r\n")
            yield from self._pieces
        except (OSError, ErrorResponse) as error:
            self.error = error
            raise

    def drop(self) -> None:
        """Read the rest of the body and drop it, unless the client has not begun to send it."""
        if not self.awaits_continue and self.error is None:
            with suppress(OSError, ErrorResponse):
                for _ in self._pieces:
                    pass

    def _read(self, length: int) -> Iterator[bytes]:
        while length:
            piece = self._connection.reader.read(min(PIECE, length))
            if not piece:
                return
            length -= len(piece)
            yield piece
        self.is_complete = True

    def _read_chunked(self) -> Iterator[bytes]:
        reader = self._connection.reader
        while size := self._read_chunk_size():
            while size:
                piece = reader.read(min(PIECE, size))
                if not piece:
                    raise _malformed("the connection ended within a chunk")
                size -= len(piece)
                yield piece
            if reader.readline(2) != b"\r\n":
                raise _malformed("a chunk is longer than its announced size")
        while (line := reader.readline(_LONGEST_CHUNK_LINE)) != b"\r\n":
            if not line.endswith(b"\r\n"):
                raise _malformed("a trailer is too long or does not end")
        self.is_complete = True

    def _read_chunk_size(self) -> int:
        line = self._connection.reader.readline(_LONGEST_CHUNK_LINE)
        match = _CHUNK_SIZE.fullmatch(line)
        if match is None:
            raise _malformed(f"{line[:40]!r} is not the size of a chunk")
        return int(match[1], 16)


def _malformed(why: str) -> ErrorResponse:
    """Return the error for a malformed chunked body."""
    return INCOMPLETE_BODY.error(f"Malformed chunked body: {why}")
