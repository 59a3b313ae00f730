"""A request as it is read: its request line, its header fields and its target."""

from __future__ import annotations

import re
from typing import Any

from cheroot.server import HTTPConnection, HTTPRequest, HTTPServer

from fakestore.clients.server.log import log_request
from fakestore.http.headers import Headers, is_header_name
from fakestore.messages import shortened

_FIELD_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
#: The first byte that a client sends for https.
_TLS_HANDSHAKE = b"\x16"
_ABSOLUTE_FORM = re.compile(rb"(https?)://([^/?#]*)(.*)", re.IGNORECASE | re.DOTALL)


class FieldReader:
    """Reads header fields as they were sent. Only the fields that frame the request are passed to cheroot."""

    def __init__(self) -> None:
        #: The names and values, in their order.
        self.fields: list[tuple[str, str]] = []

    def __call__(self, lines: Any, known: dict[bytes, bytes]) -> dict[bytes, bytes]:
        """Read the fields from `lines` up to the empty line.

        Raises:
            ValueError: If a line is not a header field.
        """
        while (line := lines.readline()) != b"\r\n":
            name, colon, value = line.removesuffix(b"\r\n").decode("latin-1").partition(":")
            if not line.endswith(b"\r\n"):
                raise ValueError("The header section does not end, or one of its lines does not end with CR LF")
            if not colon or not is_header_name(name) or not _FIELD_VALUE.fullmatch(value):
                raise ValueError("A header line is not a name, a colon and a value")
            self.fields.append((name, value))
        fields = Headers(self.fields)
        # Expect is left out, because cheroot would send 100 Continue for every body. The store sends it when it begins
        # to read the body. Content-Length is left out, because this package reads the body.
        connection = {token.strip().lower() for token in fields.get("connection", "").split(",")}
        known[b"Connection"] = (
            b"close" if "close" in connection else b"Keep-Alive" if "keep-alive" in connection else b""
        )
        if encoding := fields.get("transfer-encoding"):
            known[b"Transfer-Encoding"] = encoding.encode("latin-1")
        return known


class ReceivedRequest(HTTPRequest):
    """A request as cheroot parses it."""

    method = uri = b""  # unless the request line is valid

    def __init__(self, server: HTTPServer, connection: HTTPConnection) -> None:
        # As a proxy it accepts whole URLs, so that a client finds the store's hosts by its proxy settings.
        super().__init__(server, connection, proxy_mode=True)
        self.header_reader = FieldReader()

    @property
    def fields(self) -> Headers:
        """The header fields that were read, in their order."""
        return Headers(self.header_reader.fields)

    @property
    def is_http10(self) -> bool:
        """Whether the client speaks HTTP/1.0."""
        return self.response_protocol == "HTTP/1.0"

    def parse_request(self) -> None:
        """Read the request line and the header fields. They must arrive within the timeout of the server."""
        with self.conn.rfile.deadline(self.server.timeout):
            if self.conn.rfile.first_byte() == _TLS_HANDSHAKE:  # which has no end of a line to wait for
                self.simple_response("400 Bad Request", "The client speaks TLS; use a URL that begins with http://")
            else:
                super().parse_request()

    def read_request_line(self) -> Any:
        try:
            return super().read_request_line()  # type: ignore[no-untyped-call]  # cheroot's stubs have few types
        except ValueError:
            self.simple_response("400 Bad Request", "Malformed Request-URI")
            return False

    def simple_response(self, status: object, msg: str = "") -> None:
        """Answer a request that does not reach the store. The connection ends."""
        if status == "501 Unimplemented":
            msg = "The only supported Transfer-Encoding is chunked"  # cheroot answers this without a reason
        self.sent_headers = True  # so that cheroot does not answer again if sending fails
        self.conn.lingers = self.close_connection = True
        self.log(f"{status}: {msg}" if msg else str(status))
        super().simple_response(status, msg and f"{msg}\n")

    def log(self, outcome: str) -> None:
        """Log the request with its answer."""
        self.log_line(f"{self._summary()} -> {outcome}")

    def log_line(self, line: str) -> None:
        """Log a line about the request."""
        log_request(line, self.fields, self.server.service.state.accounts)

    def _summary(self) -> str:
        """Return the method and the URL as far as they are known, and ``-`` if the request line is not valid."""
        method, uri = self.method.decode("latin-1"), self.uri.decode("latin-1")
        if not uri.startswith("/"):
            uri = uri.partition("://")[2] or uri
            return f"{method} {uri.rpartition('@')[2]}" if uri else "-"
        return f"{method} {shortened(self.fields.get('host', ''), 260)}{uri}"


def parse_target(uri: bytes, fields: Headers, default_host: str | None) -> tuple[str, str, str]:
    """Return the scheme, the host and the target that a request line and a Host header name.

    Args:
        uri: The URI of the request line.
        fields: The header fields.
        default_host: The host if a request has no Host header; None if it must have one.

    Raises:
        ValueError: If the request has no Host header and must have one, or has several.
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
