"""A loopback HTTP server on a store, for clients that are not intercepted and for other processes.

It uses `cheroot <https://cheroot.cherrypy.dev>`_, the WSGI server of CherryPy: it is pure Python, has two small
dependencies, is well maintained, and lets the application read a body while it arrives. `waitress` was the alternative,
but it collects a whole body before the application sees the request, so a store could not refuse an upload by its
headers.

The store is connected through cheroot's own interface, a `Gateway`, and not through WSGI. WSGI loses the order of
header fields, the case of their names, and the difference between ``-`` and ``_`` in them.
"""

from __future__ import annotations

import logging
import re
import socket
import struct
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from http.client import responses as reasons
from threading import Event, Lock, Thread
from typing import Any

from fakestore.http.headers import Headers
from fakestore.http.integers import parse_integer
from fakestore.http.reply import ConnectionFailure, Delivery, Reply
from fakestore.http.request import LOOPBACK, Request
from fakestore.model.content import Content, pieces_of
from fakestore.model.unsupported import UnsupportedRequest
from fakestore.protocol.addressing import join_netloc
from fakestore.service.service import Service

try:
    from cheroot.server import Gateway, HTTPConnection, HTTPRequest, HTTPServer
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        "serving a store needs the package 'cheroot', which is not installed; install it with:"
        " pip install 'fakestore[server]'",
        name=missing.name,
    ) from None

#: How long the server keeps a connection open without an answer after ConnectTimeout or ReadTimeout, in seconds. The
#: client may close it earlier.
LONGEST_SILENCE = 60.0
#: How many requests are answered at the same time; more of them wait.
MAX_THREADS = 256
#: The largest accepted request line and headers, in bytes. The store has a smaller limit of its own for headers.
MAX_HEADER_SIZE = 256 * 1024

#: How long the server waits between two checks whether it must stop, in seconds.
_STOP_INTERVAL = 0.05
#: How long requests under way may take when the server stops, in seconds.
_GRACE = 1.0
#: How long a connection is kept open for a client that has not yet read why its request was refused, in seconds.
_LINGER = 1.0
_PIECE = 64 * 1024
_LONGEST_CHUNK_LINE = 4096

_FIELD_NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_FIELD_VALUE = re.compile(rb"[\t\x20-\x7e\x80-\xff]*")
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?\r\n", re.DOTALL)
_ABSOLUTE_FORM = re.compile(rb"(https?)://([^/?#]*)(.*)", re.IGNORECASE | re.DOTALL)

_logger = logging.getLogger("fakestore.server")


class MalformedBody(ValueError):
    """The body of a request is not framed as HTTP/1.1 prescribes."""


@contextmanager
def serve(
    service: Service, host: str, port: int, *, sleep: Callable[[float], object] | None, timeout: float
) -> Iterator[str]:
    """Serve a store over HTTP until the context is left, and return the URL of the server.

    Meanwhile the address of the server is an address of the store, for every client.

    Args:
        service: Answers the requests.
        host: The address or host name at which the server listens.
        port: The port at which it listens; 0 for a free one.
        sleep: The function that waits for :class:`fakestore.faults.Latency`. If it is None, the server waits, but not
            longer than it runs.
        timeout: How long a client may be silent in the middle of a request, in seconds.

    Raises:
        OSError: If the server cannot listen there, for example because the port is in use.
    """
    server = _Server(service, host, port, sleep, timeout)
    server.prepare()
    with service.lock:
        service.endpoint = service.endpoint._replace(aliases=service.endpoint.aliases + server.aliases)
    thread = Thread(target=server.serve, name="fakestore-server", daemon=True)
    thread.start()
    try:
        yield server.url
    finally:
        server.stop()
        thread.join()
        with service.lock:
            others = tuple(alias for alias in service.endpoint.aliases if alias not in server.aliases)
            service.endpoint = service.endpoint._replace(aliases=others)


class _Fields:
    """Reads header fields as they were sent. Only the fields that frame the request are passed to cheroot."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str]] = []

    def __call__(self, lines: Any, known: dict[bytes, bytes]) -> dict[bytes, bytes]:
        """Read the fields from `lines` up to the empty line.

        Raises:
            ValueError: If a line is not a header field.
        """
        while (line := lines.readline()) != b"\r\n":
            name, colon, value = line.removesuffix(b"\r\n").partition(b":")
            if not line.endswith(b"\r\n"):
                raise ValueError("The header section does not end, or one of its lines does not end with CR LF")
            if not colon or not _FIELD_NAME.fullmatch(name) or not _FIELD_VALUE.fullmatch(value):
                raise ValueError("A header line is not a name, a colon and a value")
            self.sent.append((name.decode("ascii"), value.decode("latin-1")))
        fields = Headers(self.sent)
        # Expect is left out, because cheroot would send 100 Continue for every body. The store sends it when it begins
        # to read the body. Content-Length is left out, because this module reads the body.
        connection = {token.strip().lower() for token in fields.get("connection", "").split(",")}
        known[b"Connection"] = (
            b"close" if "close" in connection else b"Keep-Alive" if "keep-alive" in connection else b""
        )
        if encoding := fields.get("transfer-encoding"):
            known[b"Transfer-Encoding"] = encoding.encode("latin-1")
        return known


class _Request(HTTPRequest):
    """A request as cheroot parses it."""

    def __init__(self, server: _Server, connection: _Connection) -> None:
        # As a proxy it accepts whole URLs, so that a client finds the store's hosts by its proxy settings.
        super().__init__(server, connection, proxy_mode=True)
        self.header_reader = _Fields()

    def read_request_line(self) -> Any:
        try:
            return super().read_request_line()  # type: ignore[no-untyped-call]  # cheroot's stubs have few types
        except ValueError:
            self.simple_response("400 Bad Request", "Malformed Request-URI")
            return False

    def simple_response(self, status: object, msg: str = "") -> None:
        """Answer a request that does not reach the store. The connection ends."""
        self.conn.lingers = self.close_connection = True
        super().simple_response(status, msg)


class _Connection(HTTPConnection):
    """A connection to a client."""

    RequestHandlerClass = _Request
    #: Whether the connection is reset instead of being closed in the normal way.
    resets = False
    #: Whether the client may still be sending while it should read the reply.
    lingers = False

    @property
    def last_used(self) -> float:
        """Infinity. Idle connections do not expire, because a test may move the clock."""
        return float("inf")

    @last_used.setter
    def last_used(self, moment: float) -> None:
        pass

    def close(self) -> None:
        """Close the connection."""
        if self.resets:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.socket.close()
            self.rfile.close()
            return
        if self.lingers:
            with suppress(OSError):
                self.socket.shutdown(socket.SHUT_WR)
                self.wait_for_end(_LINGER)
        with suppress(OSError):
            super().close()
        self.socket.close()

    def wait_for_end(self, seconds: float) -> None:
        """Drop what the client sends until it closes the connection or sends nothing for some time.

        Raises:
            OSError: If the connection fails, or the client sends nothing for `seconds`.
        """
        self.socket.settimeout(seconds)
        while self.socket.recv(_PIECE):
            pass


class _Body:
    """The body of a request, which is read from the connection while the store reads it.

    Args:
        connection: The connection.
        length: The number of bytes; None for a chunked body.
        awaits_continue: Whether the client waits for 100 Continue before it sends the body.
    """

    def __init__(self, connection: _Connection, length: int | None, *, awaits_continue: bool) -> None:
        self._connection = connection
        self._length = length
        self._pieces = self._read_chunked() if length is None else self._read(length)
        #: Whether the client waits for 100 Continue.
        self.awaits_continue = awaits_continue and length != 0
        #: Whether the connection stands at the end of the body.
        self.is_complete = length == 0
        #: What reading the body raised.
        self.error: Exception | None = None

    def __iter__(self) -> Iterator[bytes]:
        """Yield the body in pieces. It ends early if the client closes the connection.

        Raises:
            OSError: If the connection fails, or the client is silent for too long.
            MalformedBody: If the body is chunked and not framed correctly.
        """
        try:
            if self.awaits_continue:
                self.awaits_continue = False
                self._connection.socket.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            yield from self._pieces
        except (OSError, MalformedBody) as error:
            self.error = error
            raise

    def drop(self) -> None:
        """Read the rest of the body and drop it, unless the client has not begun to send it."""
        if not self.awaits_continue and self.error is None:
            with suppress(OSError, MalformedBody):
                for _ in self._pieces:
                    pass

    def _read(self, length: int) -> Iterator[bytes]:
        while length:
            piece = self._connection.rfile.read(min(_PIECE, length))
            if not piece:
                return
            length -= len(piece)
            yield piece
        self.is_complete = True

    def _read_chunked(self) -> Iterator[bytes]:
        rfile = self._connection.rfile
        while size := self._read_chunk_size():
            while size:
                piece = rfile.read(min(_PIECE, size))
                if not piece:
                    raise MalformedBody("the connection ended within a chunk")
                size -= len(piece)
                yield piece
            if rfile.read(2) != b"\r\n":
                raise MalformedBody("a chunk is longer than its announced size")
        while (line := rfile.readline(_LONGEST_CHUNK_LINE)) != b"\r\n":
            if not line.endswith(b"\r\n"):
                raise MalformedBody("a trailer is too long or does not end")
        self.is_complete = True

    def _read_chunk_size(self) -> int:
        line = self._connection.rfile.readline(_LONGEST_CHUNK_LINE)
        match = _CHUNK_SIZE.fullmatch(line)
        if match is None:
            raise MalformedBody(f"{line[:40]!r} is not the size of a chunk")
        return int(match[1], 16)


class _Gateway(Gateway):
    """Lets the store answer a request, and sends the reply."""

    def respond(self) -> None:
        """Answer the request that was read."""
        sent, server = self.req, self.req.server
        sent.sent_headers = True  # cheroot adds nothing to what is sent here
        fields = Headers(sent.header_reader.sent)
        is_http10 = sent.response_protocol == "HTTP/1.0"
        try:
            scheme, host, target = _parse_target(sent.uri, fields, server.netloc if is_http10 else None)
        except ValueError as error:
            sent.simple_response("400 Bad Request", f"{error}\n")
            return
        if sent.method == b"CONNECT":
            sent.simple_response("501 Not Implemented", "This server is not a proxy for https\n")
            return
        body = self._open_body(fields, is_http10=is_http10)
        request = Request(
            method=sent.method.decode("latin-1"),
            scheme=scheme,
            host=host,
            target=target,
            headers=fields,
            body=b"" if body.is_complete else body,
            http_version="1.0" if is_http10 else "1.1",
            source_ip=sent.conn.remote_addr or LOOPBACK,
        )
        reply, delivery = self._answer(server.service, request, body)
        self._deliver(reply, delivery, body)

    def _open_body(self, fields: Headers, *, is_http10: bool) -> _Body:
        """Return the body of the request, which has not been read yet."""
        connection: _Connection = self.req.conn
        is_chunked = self.req.chunked_read
        length = None if is_chunked else parse_integer(fields.get("content-length", "0"))
        if length is None and not is_chunked:
            # The store refuses the invalid length. The connection ends, because the body has no known end, so the
            # server cannot find the beginning of the next request.
            length, connection.lingers = 0, True
        awaits_continue = not is_http10 and fields.get("expect", "").lower() == "100-continue"
        return _Body(connection, length, awaits_continue=awaits_continue)

    def _answer(self, service: Service, request: Request, body: _Body) -> tuple[Reply | None, Delivery]:
        """Return the answer of the store, or an error of the server if the store has no answer."""
        try:
            return service.answer(request)
        except UnsupportedRequest as error:  # which the service has recorded
            return _text_reply(501, f"UnsupportedRequest: {error}"), Delivery()
        except Exception as error:
            if isinstance(error, MalformedBody):
                return _text_reply(400, f"Malformed chunked body: {error}"), Delivery()
            if error is body.error:
                raise
            service.unhandled_requests.append(error)
            return _text_reply(500, f"fakestore failed with {error!r}"), Delivery()

    def _deliver(self, reply: Reply | None, delivery: Delivery, body: _Body) -> None:
        """Wait for the delay, and send the reply or let the connection fail."""
        if delivery.delay and not self.req.server.sleep(delivery.delay):
            self.req.close_connection = True
        elif delivery.failure is not None or reply is None:
            self._fail(delivery.failure, body)
        else:
            self._send(reply, delivery.truncate_at, body)

    def _fail(self, failure: ConnectionFailure | None, body: _Body) -> None:
        """Reset the connection, or send nothing until the client closes it."""
        connection: _Connection = self.req.conn
        body.drop()
        self.req.close_connection = True
        if failure in (None, ConnectionFailure.RESET):
            connection.resets = True
        else:
            with suppress(OSError):
                connection.wait_for_end(LONGEST_SILENCE)

    def _send(self, reply: Reply, truncate_at: int | None, body: _Body) -> None:
        """Send the reply, whole or up to a byte, and end the connection if the next request cannot follow."""
        sent, connection = self.req, self.req.conn
        is_http10 = sent.response_protocol == "HTTP/1.0"
        has_end = "content-length" in reply.headers or (reply.chunked and not is_http10) or not reply.body
        if body.awaits_continue or body.error is not None:
            connection.lingers = True
        if truncate_at is not None or connection.lingers or not has_end:
            sent.close_connection = True
        connection.socket.sendall(_render_head(reply, is_http10=is_http10, closes=sent.close_connection))
        is_chunked = reply.chunked and not is_http10 and "transfer-encoding" in reply.headers
        content = reply.body if truncate_at is None else reply.body[:truncate_at]
        for piece in _pieces_of(content):
            connection.socket.sendall(b"%x\r\n%b\r\n" % (len(piece), bytes(piece)) if is_chunked else piece)
        if is_chunked and truncate_at is None and sent.method != b"HEAD":
            connection.socket.sendall(b"0\r\n\r\n")
        if not connection.lingers:
            body.drop()
            if not body.is_complete:
                sent.close_connection = connection.lingers = True


def _parse_target(uri: bytes, fields: Headers, default_host: str | None) -> tuple[str, str, str]:
    """Return the scheme, the host and the target that a request line and a Host header name.

    Raises:
        ValueError: If there is not exactly one Host header, and `default_host` is None.
    """
    absolute = _ABSOLUTE_FORM.fullmatch(uri)
    if absolute is not None:
        scheme, host, target = (part.decode("latin-1") for part in absolute.groups())
        return scheme.lower(), host.rpartition("@")[2], target if target.startswith("/") else f"/{target}"
    hosts = [value.strip(" \t") for name, value in fields.fields if name.lower() == "host"]
    if not hosts and default_host is not None:
        hosts = [default_host]
    if len(hosts) != 1:
        raise ValueError("Send exactly one Host header")
    return "http", hosts[0], uri.decode("latin-1")


def _text_reply(status: int, text: str) -> Reply:
    """Return a reply of the server itself."""
    body = f"{text}\n".encode()
    headers = {"Content-Type": "text/plain; charset=utf-8", "Content-Length": str(len(body)), "Server": "fakestore"}
    return Reply(status, Headers(headers), body)


def _render_head(reply: Reply, *, is_http10: bool, closes: bool) -> bytes:
    """Return the status line and the header fields, with a Connection header of the server in place of the store's."""
    lines = [f"HTTP/1.1 {reply.status} {reasons.get(reply.status, '')}"]
    lines += [f"{name}: {value}" for name, value in reply.headers.fields if name.lower() != "connection"]
    if closes:
        lines.append("Connection: close")
    elif is_http10:
        lines.append("Connection: keep-alive")
    return "".join(f"{line}\r\n" for line in [*lines, ""]).encode("latin-1")


def _pieces_of(content: Content) -> Iterator[memoryview]:
    for piece in pieces_of(content):
        view = memoryview(piece)
        for start in range(0, len(view), _PIECE):
            yield view[start : start + _PIECE]


class _Workers:
    """The threads that answer requests. A thread answers one request of a connection at a time."""

    def __init__(self, server: _Server) -> None:
        self._server = server
        self._executor = ThreadPoolExecutor(MAX_THREADS, "fakestore-server")
        self._lock = Lock()
        self._busy: dict[_Connection, Future[None]] = {}
        #: Set when the server stops.
        self.stopping = Event()

    def start(self) -> None:
        """Do nothing: threads start when they are needed."""

    def put(self, connection: _Connection) -> None:
        """Let a thread answer the next request of a connection."""
        with self._lock:
            self._busy[connection] = self._executor.submit(self._communicate, connection)

    def _communicate(self, connection: _Connection) -> None:
        continues = False
        try:
            continues = bool(connection.communicate())  # type: ignore[no-untyped-call]  # cheroot's stubs
        finally:
            if not continues:
                connection.close()
            with self._lock:
                del self._busy[connection]
        if continues:
            try:
                self._server.put_conn(connection)
            except Exception:  # the server has stopped meanwhile
                connection.close()

    def stop(self, timeout: float) -> None:
        """Read no more from the clients, give requests under way some time, and then end their connections."""
        self.stopping.set()
        wait(self._end(socket.SHUT_RD), _GRACE)
        self._end(socket.SHUT_RDWR)
        self._executor.shutdown()

    def _end(self, how: int) -> list[Future[None]]:
        with self._lock:
            for connection in self._busy:
                with suppress(OSError):
                    connection.socket.shutdown(how)
            return list(self._busy.values())


class _Server(HTTPServer):
    """A server of one store."""

    ConnectionClass = _Connection
    request_queue_size = 128
    keep_alive_conn_limit = None  # type: ignore[assignment]  # documented as "unlimited"
    max_request_header_size = MAX_HEADER_SIZE
    expiration_interval = _STOP_INTERVAL

    def __init__(
        self, service: Service, host: str, port: int, sleep: Callable[[float], object] | None, timeout: float
    ) -> None:
        super().__init__((host, port), _Gateway, server_name="fakestore")
        self.service = service
        self.timeout = timeout  # type: ignore[assignment]  # a timeout of sockets
        self._host = host
        self._sleep = sleep
        self.requests = _Workers(self)

    def clear_stats(self) -> None:
        """Forget the statistics. cheroot's registry would keep every server, and so every store, alive."""
        super().clear_stats()  # type: ignore[no-untyped-call]  # cheroot's stubs
        registry: dict[str, object] = logging.statistics  # type: ignore[attr-defined]  # cheroot makes it
        registry.pop(f"Cheroot HTTPServer {id(self)}", None)

    def error_log(self, msg: str = "", level: int = logging.INFO, traceback: bool = False) -> None:
        """Log what cheroot reports."""
        _logger.log(level, msg, exc_info=traceback)

    @staticmethod
    def bind_socket(socket_: socket.socket, bind_addr: tuple[str, int]) -> socket.socket:
        """Bind the socket, or close it, which cheroot forgets."""
        try:
            socket_.bind(bind_addr)
        except OSError:
            socket_.close()
            raise
        return socket_

    @property
    def _port(self) -> int:
        return int(self.bind_addr[1])

    @property
    def netloc(self) -> str:
        """The host and port by which a client on this machine reaches the server."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self._host, self._host)
        return join_netloc(host, self._port)

    @property
    def url(self) -> str:
        """The URL of the server."""
        return f"http://{self.netloc}"

    @property
    def aliases(self) -> tuple[str, ...]:
        """The network locations at which clients reach the store while it is served.

        The host of the store's base URL, at the port of the server, is one of them.
        """
        hosts = {self._host, self.bind_addr[0], "127.0.0.1", "localhost", self.service.endpoint.host}
        if self._host in ("0.0.0.0", "::"):
            hosts |= {"::1", socket.gethostname()}
        aliases = {join_netloc(host.lower(), self._port) for host in hosts}
        if self._port == 80:
            aliases |= {alias.removesuffix(":80") for alias in aliases}
        return tuple(sorted({self.netloc.lower(), *aliases}))

    def sleep(self, seconds: float) -> bool:
        """Wait, and return whether the server must still answer after that. It must not if it has stopped."""
        if self._sleep is None:
            return not self.requests.stopping.wait(seconds)
        self._sleep(seconds)
        return True
