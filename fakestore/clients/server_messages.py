"""The messages on a socket of the server: the head and the body of a request, and the head of a reply."""

from __future__ import annotations

import logging
import re
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from http.client import responses as reasons
from io import BufferedReader, RawIOBase
from typing import Any

from fakestore.errors import INCOMPLETE_BODY, ErrorResponse
from fakestore.http.message import Headers, Reply
from fakestore.http.secrets import HIDDEN, hide_header, hide_parameters
from fakestore.http.values import parse_expect, parse_integer
from fakestore.messages import escaped, shortened
from fakestore.model.names import is_header_name, is_header_value
from fakestore.service.service import Service

#: Gets a line about each request with the level INFO, and the errors of the server itself with higher levels.
logger = logging.getLogger("fakestore.server")

#: The number of bytes that are read or sent at a time.
PIECE = 64 * 1024
#: The largest accepted request line and headers, in bytes. The store has a smaller limit of its own for headers.
_MAX_HEADER_SIZE = 256 * 1024
_LONGEST_CHUNK_LINE = 4096
#: The length of the shortest secret key that is hidden in the log. A shorter text could be a part of other words.
_SHORTEST_SECRET = 8

#: The first byte that a client sends for https.
_TLS_HANDSHAKE = b"\x16"
_METHOD = re.compile(r"[-!#$%&'*+.^_`|~0-9A-Z]+", re.ASCII)
_VERSION = re.compile(r"HTTP/(\d)\.(\d)", re.ASCII)
#: The printable characters of ASCII.
_TARGET = re.compile(r"[!-~]+")
_ABSOLUTE_FORM = re.compile(r"(https?)://(?:[^@/?#]*@)?(\[[^]/?#@]+\](?::\d*)?|[^][/?#@]+)([/?#].*)?", re.IGNORECASE)
_AUTHORITY_FORM = re.compile(r"[^/?#]+:\d+")
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?\r\n", re.DOTALL)


class SocketReader(RawIOBase):
    """The reading side of a socket for a `BufferedReader`. It can limit the time for several reads."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._deadline: float | None = None

    @contextmanager
    def deadline(self, seconds: float | None) -> Iterator[None]:
        """Limit all reads until the context is left to `seconds` together. None lets them wait for ever.

        While a test freezes the clock, the deadline does not come nearer, and only the time of each read is limited.
        """
        timeout = self._socket.gettimeout()
        self._socket.settimeout(seconds)
        self._deadline = None if seconds is None else time.monotonic() + seconds
        try:
            yield
        finally:
            self._deadline = None
            self._socket.settimeout(timeout)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._deadline is not None:
            remaining = self._deadline - time.monotonic()
            if remaining <= 0:
                raise TimeoutError("timed out")
            self._socket.settimeout(remaining)
        return self._socket.recv_into(buffer)


def text_reply(method: str, status: int, text: str, media_type: str = "text/plain") -> Reply:
    """Return a reply of the server itself to a request with this method."""
    body = f"{text}\n".encode()
    headers = {"Content-Type": f"{media_type}; charset=utf-8", "Content-Length": str(len(body))}
    return Reply(status, Headers(headers), b"" if method == "HEAD" else body)


def render_head(reply: Reply, *, closes: bool, reason: str | None = None) -> bytes:
    """Return the head of a reply, with a Connection header of the server in place of the store's."""
    lines = [f"HTTP/1.1 {reply.status} {reasons.get(reply.status, '') if reason is None else reason}"]
    lines += [f"{name}: {value}" for name, value in reply.headers.fields if name.lower() != "connection"]
    lines.append(f"Connection: {'close' if closes else 'keep-alive'}")
    return "".join(f"{line}\r\n" for line in [*lines, ""]).encode("latin-1")


class BadRequest(Exception):
    """A request that does not reach the store. The message is empty if the reason phrase says what is wrong."""

    def __init__(self, status: int, message: str, *, reason: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.reason = HTTPStatus(status).phrase if reason is None else reason


@dataclass(slots=True)
class RequestHead:
    """The head of a request, as far as it was read."""

    method: str = ""
    #: The target as it was sent: a path, or a whole URL.
    uri: str = ""
    is_http10: bool = False
    headers: Headers = field(default_factory=Headers)

    @property
    def closes_connection(self) -> bool:
        tokens = {token.strip().lower() for token in self.headers.get("connection", "").split(",")}
        if "content-length" in self.headers and "transfer-encoding" in self.headers:
            return True  # RFC 9112, section 6.1: a proxy may have read another end of the body
        return "close" in tokens or (self.is_http10 and "keep-alive" not in tokens)

    def log(self, outcome: str, service: Service) -> None:
        self.log_line(f"{self._summary()} -> {outcome}", service)

    def log_line(self, line: str, service: Service) -> None:
        """Log a line, without the credentials in the headers and without the secret keys of accounts."""
        if not logger.isEnabledFor(logging.INFO):
            return
        for secret in sorted(self._secrets(service), key=len, reverse=True):
            if len(secret) >= _SHORTEST_SECRET:
                line = line.replace(secret, HIDDEN)
        logger.info("%s", hide_parameters(escaped(line)))

    def _secrets(self, service: Service) -> Iterator[str]:
        for account in service.state.accounts:
            yield account.secret_key
        for name, value in self.headers.fields:
            if hide_header(name, value) != value:
                for separator in (" ", ":", "="):  # the secret is the whole value, or its last part
                    yield value.rpartition(separator)[2]

    def _summary(self) -> str:
        """Return the method and the URL as far as they are known, and ``-`` if the request line is not valid."""
        if not self.uri.startswith("/"):
            uri = self.uri.partition("://")[2] or self.uri
            return f"{self.method} {uri.rpartition('@')[2]}" if uri else "-"
        return f"{self.method} {shortened(self.headers.get('host', ''), 260)}{self.uri}"


def read_head(reader: BufferedReader, head: RequestHead) -> None:
    if reader.peek(1)[:1] == _TLS_HANDSHAKE:  # TLS has no line end, so this is checked first
        raise BadRequest(400, "The client speaks TLS; use a URL that begins with http://")
    fields, size, left = [], 0, _MAX_HEADER_SIZE
    try:
        line = reader.readline(left)
        if line == b"\r\n":  # RFC 9112, section 2.2: one empty line before the request is ignored
            left -= len(line)
            line = reader.readline(left)
        _parse_request_line(line, left, head)
        left -= len(line)
        while (line := reader.readline(left)) != b"\r\n":
            fields.append(_parse_field(line, left))
            left -= len(line)
            size += len(line)
    except TimeoutError:
        raise BadRequest(408, "") from None
    finally:
        head.headers = Headers(fields, size)


def _parse_request_line(line: bytes, limit: int, head: RequestHead) -> None:
    if len(line) == limit:
        raise BadRequest(414, "The request line is too long")
    method, _, rest = line.removesuffix(b"\r\n").decode("latin-1").partition(" ")
    uri, _, protocol = rest.rpartition(" ")
    if not line.endswith(b"\r\n") or not _METHOD.fullmatch(method) or not _TARGET.fullmatch(uri):
        raise BadRequest(400, "The request line is not a method, a target of printable ASCII, a version, and CR LF")
    version = _VERSION.fullmatch(protocol)
    if version is None:
        raise BadRequest(400, "The protocol in the request line is not HTTP/1.1 or HTTP/1.0")
    if version[1] != "1":
        raise BadRequest(505, "The server speaks HTTP/1.1 and HTTP/1.0")
    is_valid = uri.startswith("/") or _ABSOLUTE_FORM.fullmatch(uri)
    if not is_valid and not (method == "CONNECT" and _AUTHORITY_FORM.fullmatch(uri)):
        raise BadRequest(400, "The target is neither a path that begins with a slash nor a URL of http or https")
    head.method, head.uri, head.is_http10 = method, uri, version[2] == "0"


def _parse_field(line: bytes, limit: int) -> tuple[str, str]:
    if len(line) == limit:
        raise BadRequest(431, "The header section is too large")
    name, colon, value = line.removesuffix(b"\r\n").decode("latin-1").partition(":")
    if not line.endswith(b"\r\n"):
        raise BadRequest(400, "The header section does not end, or one of its lines does not end with CR LF")
    if not colon or not is_header_name(name) or not is_header_value(value):
        raise BadRequest(400, "A header line is not a name, a colon and a value")
    return name, value.strip(" \t")


def parse_target(head: RequestHead, scheme: str, default_host: str) -> tuple[str, str, str]:
    """Return the scheme, the host and the target that a request line and a Host header name.

    The request line may have a whole URL, as for a proxy. So a client can reach the store's hosts through its proxy
    settings. A request of HTTP/1.0 may have no Host header.
    """
    if head.method == "CONNECT":
        raise BadRequest(501, "", reason="No proxy for https; use a base URL that begins with http://")
    absolute = _ABSOLUTE_FORM.fullmatch(head.uri)
    if absolute is not None:
        named, host, target = absolute.groups()
        return named.lower(), host, target if target and target.startswith("/") else f"/{target or ''}"
    hosts = [value.strip(" \t") for name, value in head.headers.fields if name.lower() == "host"]
    if not hosts and head.is_http10:
        hosts = [default_host]
    if len(hosts) != 1:
        raise BadRequest(400, "Send exactly one Host header")
    return scheme, hosts[0], head.uri


class StreamedBody:
    """The body of a request, which is read from the connection while the store reads it."""

    def __init__(self, head: RequestHead, reader: BufferedReader, send: Callable[[bytes], object]) -> None:
        headers = head.headers
        coding = headers.get("transfer-encoding", "").lower()
        if coding not in ("", "chunked"):
            raise BadRequest(501, "The only supported Transfer-Encoding is chunked")
        length = parse_integer(headers.get("content-length", "0"))
        self._reader = reader
        self._send = send
        self._pieces = self._read_chunked() if coding else self._read(length or 0)
        #: Whether the server can find the beginning of the next request. After an invalid length, which the store
        #: refuses, it cannot.
        self.has_known_end = bool(coding) or length is not None
        #: Whether the connection stands at the end of the body.
        self.is_complete = not coding and not length
        expects_continue = not head.is_http10 and "100-continue" in parse_expect(headers.get("expect", ""))
        #: Whether the client waits for 100 Continue before it sends the body.
        self.awaits_continue = expects_continue and not self.is_complete
        #: The exception that reading the body raised.
        self.error: Exception | None = None

    def __iter__(self) -> Iterator[bytes]:
        """Yield the body in pieces. It ends early if the client closes the connection."""
        try:
            if self.awaits_continue:
                self.awaits_continue = False
                self._send(b"HTTP/1.1 100 Continue\r\n\r\n")
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
            piece = self._reader.read1(min(PIECE, length))
            if not piece:
                return
            length -= len(piece)
            yield piece
        self.is_complete = True

    def _read_chunked(self) -> Iterator[bytes]:
        while size := self._read_chunk_size():
            while size:
                piece = self._reader.read1(min(PIECE, size))
                if not piece:
                    raise _malformed("the connection ended within a chunk")
                size -= len(piece)
                yield piece
            if self._reader.readline(2) != b"\r\n":
                raise _malformed("a chunk is longer than its announced size")
        while (line := self._reader.readline(_LONGEST_CHUNK_LINE)) != b"\r\n":
            if not line.endswith(b"\r\n"):
                raise _malformed("a trailer is too long or does not end")
        self.is_complete = True

    def _read_chunk_size(self) -> int:
        line = self._reader.readline(_LONGEST_CHUNK_LINE)
        match = _CHUNK_SIZE.fullmatch(line)
        if match is None:
            raise _malformed(f"{line[:40]!r} is not the size of a chunk")
        return int(match[1], 16)


def _malformed(why: str) -> ErrorResponse:
    return INCOMPLETE_BODY.error(f"Malformed chunked body: {why}")
