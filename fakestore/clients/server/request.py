"""A request on the socket of the server: its head and its body. Also the head of a reply."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from http.client import responses as reasons

from fakestore.clients.server.settings import log_request
from fakestore.http.message import Headers, Reply
from fakestore.messages import shortened
from fakestore.model.names import is_header_name
from fakestore.service.service import Service

#: The number of bytes that are read or sent at a time.
PIECE = 64 * 1024


class Reader:
    """Reads a connection in lines and pieces, and can limit the time for several reads.

    Args:
        connected: The socket.
        timeout: How long one read waits for the client, in seconds.
    """

    def __init__(self, connected: socket.socket, timeout: float) -> None:
        self._socket = connected
        self._timeout = timeout
        self._deadline: float | None = None
        self._unread = bytearray()

    @contextmanager
    def deadline(self, seconds: float) -> Iterator[None]:
        """Limit all reads until the context is left to `seconds` together.

        While a test freezes the clock, the deadline does not come nearer, and only the time of each read is limited.
        """
        self._deadline = time.monotonic() + seconds
        try:
            yield
        finally:
            self._deadline = None
            self._socket.settimeout(self._timeout)

    def wait_for_data(self) -> bool:
        """Wait until the client sends data or ends the connection. Return whether it sent data."""
        self._socket.settimeout(None)
        try:
            return bool(self.first_byte())
        finally:
            self._socket.settimeout(self._timeout)

    def first_byte(self) -> bytes:
        """Return the next byte without reading it. Return no bytes at the end of the connection."""
        if not self._unread:
            self._unread += self._receive(PIECE)
        return bytes(self._unread[:1])

    def readline(self, limit: int) -> bytes:
        """Return the next line with its end, or its first `limit` bytes, or the rest of the data."""
        while not (end := self._unread.find(b"\n", 0, limit) + 1) and len(self._unread) < limit:
            if not (piece := self._receive(PIECE)):
                break
            self._unread += piece
        return self._take(end or limit)

    def read(self, limit: int) -> bytes:
        """Return 1 to `limit` bytes as soon as they arrive. Return no bytes at the end of the connection."""
        return self._take(limit) if self._unread else self._receive(limit)

    def _receive(self, limit: int) -> bytes:
        if self._deadline is not None:
            remaining = self._deadline - time.monotonic()
            if remaining <= 0:
                raise TimeoutError("timed out")
            self._socket.settimeout(remaining)
        return self._socket.recv(limit)

    def _take(self, limit: int) -> bytes:
        data = bytes(self._unread[:limit])
        del self._unread[:limit]
        return data


def text_reply(method: str, status: int, text: str) -> Reply:
    """Return a reply of the server itself to a request with this method."""
    body = f"{text}\n".encode()
    headers = {"Content-Type": "text/plain; charset=utf-8", "Content-Length": str(len(body)), "Server": "fakestore"}
    return Reply(status, Headers(headers), b"" if method == "HEAD" else body)


def render_head(reply: Reply, *, is_http10: bool, closes: bool, reason: str | None = None) -> bytes:
    """Return the status line and the header fields, with a Connection header of the server in place of the store's."""
    lines = [f"HTTP/1.1 {reply.status} {reasons.get(reply.status, '') if reason is None else reason}"]
    lines += [f"{name}: {value}" for name, value in reply.headers.fields if name.lower() != "connection"]
    if closes:
        lines.append("Connection: close")
    elif is_http10:
        lines.append("Connection: keep-alive")
    return "".join(f"{line}\r\n" for line in [*lines, ""]).encode("latin-1")


#: The largest accepted request line and headers, in bytes. The store has a smaller limit of its own for headers.
MAX_HEADER_SIZE = 256 * 1024

#: The first byte that a client sends for https.
_TLS_HANDSHAKE = b"\x16"

_METHOD = re.compile(r"[-!#$%&'*+.^_`|~0-9A-Z]+", re.ASCII)

_VERSION = re.compile(r"HTTP/(\d)\.(\d)", re.ASCII)

#: The printable characters of ASCII.
_TARGET = re.compile(r"[!-~]+")

_ABSOLUTE_FORM = re.compile(r"(https?)://(?:[^@/?#]*@)?(\[[^]/?#@]+\](?::\d*)?|[^][/?#@]+)([/?#].*)?", re.IGNORECASE)

_AUTHORITY_FORM = re.compile(r"[^/?#]+:\d+")

_FIELD_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")


class BadRequest(Exception):
    """A request that does not reach the store.

    Args:
        status: The status of the answer.
        message: What is wrong with the request; empty if the reason says it.
        reason: The reason phrase of the answer; by default the phrase of the status.
    """

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
    #: The names and values of the header fields, in their order.
    sent_fields: list[tuple[str, str]] = field(default_factory=list)

    @property
    def fields(self) -> Headers:
        """The header fields."""
        return Headers(self.sent_fields)

    @property
    def closes_connection(self) -> bool:
        """Whether the connection ends after this request."""
        fields = self.fields
        tokens = {token.strip().lower() for token in fields.get("connection", "").split(",")}
        if "content-length" in fields and "transfer-encoding" in fields:
            return True  # RFC 9112, section 6.1: a proxy may have read another end of the body
        return "close" in tokens or (self.is_http10 and "keep-alive" not in tokens)

    def log(self, outcome: str, service: Service) -> None:
        """Log the request with its answer."""
        self.log_line(f"{self._summary()} -> {outcome}", service)

    def log_line(self, line: str, service: Service) -> None:
        """Log a line about the request."""
        log_request(line, self.fields, service.state.accounts)

    def _summary(self) -> str:
        """Return the method and the URL as far as they are known, and ``-`` if the request line is not valid."""
        if not self.uri.startswith("/"):
            uri = self.uri.partition("://")[2] or self.uri
            return f"{self.method} {uri.rpartition('@')[2]}" if uri else "-"
        return f"{self.method} {shortened(self.fields.get('host', ''), 260)}{self.uri}"


def read_head(reader: Reader, head: RequestHead) -> None:
    """Read a request line and header fields into `head`."""
    if reader.first_byte() == _TLS_HANDSHAKE:  # TLS has no line end, so this is checked first
        raise BadRequest(400, "The client speaks TLS; use a URL that begins with http://")
    try:
        left = MAX_HEADER_SIZE
        line = reader.readline(left)
        if line == b"\r\n":  # RFC 9112, section 2.2: one empty line before the request is ignored
            left -= len(line)
            line = reader.readline(left)
        _read_request_line(line, left, head)
        left -= len(line)
        while (line := reader.readline(left)) != b"\r\n":
            _read_field(line, left, head)
            left -= len(line)
    except TimeoutError:
        raise BadRequest(408, "") from None


def _read_request_line(line: bytes, limit: int, head: RequestHead) -> None:
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


def _read_field(line: bytes, limit: int, head: RequestHead) -> None:
    if len(line) == limit:
        raise BadRequest(431, "The header section is too large")
    name, colon, value = line.removesuffix(b"\r\n").decode("latin-1").partition(":")
    if not line.endswith(b"\r\n"):
        raise BadRequest(400, "The header section does not end, or one of its lines does not end with CR LF")
    if not colon or not is_header_name(name) or not _FIELD_VALUE.fullmatch(value):
        raise BadRequest(400, "A header line is not a name, a colon and a value")
    head.sent_fields.append((name, value))


def parse_target(head: RequestHead, scheme: str, default_host: str) -> tuple[str, str, str]:
    """Return the scheme, the host and the target that a request line and a Host header name.

    The request line may have a whole URL, as for a proxy. So a client can reach the store's hosts through its proxy
    settings.

    Args:
        head: The head of the request.
        scheme: The scheme of the server.
        default_host: The host of a request of HTTP/1.0 without a Host header.
    """
    if head.method == "CONNECT":
        raise BadRequest(501, "", reason="No proxy for https; use a base URL that begins with http://")
    absolute = _ABSOLUTE_FORM.fullmatch(head.uri)
    if absolute is not None:
        named, host, target = absolute.groups()
        return named.lower(), host, target if target and target.startswith("/") else f"/{target or ''}"
    hosts = [value.strip(" \t") for name, value in head.sent_fields if name.lower() == "host"]
    if not hosts and head.is_http10:
        hosts = [default_host]
    if len(hosts) != 1:
        raise BadRequest(400, "Send exactly one Host header")
    return scheme, hosts[0], head.uri
