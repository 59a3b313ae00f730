"""A request as a value. It is the same for all clients."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias
from urllib.parse import urlsplit

from fakestore.http.headers import Headers
from fakestore.model.content import Content, content_size

#: The default port of a URL, by scheme.
DEFAULT_PORTS = {"http": 80, "https": 443}

#: The address of a client in the process of the store.
LOOPBACK = "127.0.0.1"

#: A body in memory, or the pieces of a body that is read while it is sent.
Body: TypeAlias = Content | Iterable[bytes]


@dataclass(frozen=True, slots=True)
class Request:
    """A request, as a client sends it over HTTP.

    Example:
        >>> Request.to_url("GET", "http://photos.objects.test/cat.jpg?acl").target
        '/cat.jpg?acl'

    Args:
        method: The method, for example ``"PUT"``.
        scheme: ``"http"`` or ``"https"``.
        host: The value of the Host header, with its port if it has one.
        target: The path and the query, percent-encoded as they were sent.
        headers: The header fields. Each character of a value stands for one byte (ISO-8859-1).
        body: ``bytes``, a :class:`fakestore.SparseContent`, a :class:`fakestore.JoinedContent`, or an iterable of
            ``bytes`` that is read once.
        http_version: ``"1.1"`` or ``"1.0"``.
        source_ip: The IP address of the client, for conditions of policies; ``127.0.0.1`` by default. The option
            `source_ip` of a store replaces it.
    """

    method: str
    scheme: str
    host: str
    target: str
    headers: Headers = field(default_factory=Headers)
    body: Body = b""
    http_version: str = "1.1"
    source_ip: str = LOOPBACK

    @classmethod
    def to_url(
        cls,
        method: str,
        url: str,
        headers: Iterable[tuple[str, str]] | Mapping[str, str] = (),
        body: Body = b"",
    ) -> Request:
        """Return a request to `url`.

        The request gets a Content-Length, unless `headers` have one or `body` is an iterable. If `body` is empty, only
        PUT and POST get one.

        Raises:
            TypeError: If `body` is text.
        """
        if isinstance(body, str):
            raise TypeError("expected a body of bytes, not str; encode it, for example with text.encode()")
        parts = urlsplit(url)
        fields = Headers(headers)
        needs_length = "content-length" not in fields and (body or method in {"PUT", "POST"})
        if needs_length and isinstance(body, Content):
            fields = Headers([*fields.fields, ("Content-Length", str(content_size(body)))])
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return cls(method, parts.scheme.lower(), parts.netloc.rpartition("@")[2], target, fields, body)

    @property
    def url(self) -> str:
        """The whole URL."""
        return f"{self.scheme}://{self.host}{self.target}"


def with_headers(request: Request, headers: Mapping[str, str]) -> Request:
    """Return the request with `headers`. They replace headers of the same names."""
    names = {name.lower() for name in headers}
    kept = [(name, value) for name, value in request.headers.fields if name.lower() not in names]
    return replace(request, headers=Headers([*kept, *headers.items()]))
