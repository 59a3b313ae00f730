"""HTTP messages as values: requests and replies, their header fields, and how a reply is delivered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import NamedTuple, TypeAlias, TypeVar, overload
from urllib.parse import urlsplit

from fakestore.errors import HEADER_SECTION_TOO_LARGE
from fakestore.http.secrets import hide_header
from fakestore.model.content import Content

#: The default port of a URL, by scheme.
DEFAULT_PORTS = {"http": 80, "https": 443}

_Default = TypeVar("_Default")

#: A body in memory, or the pieces of a body that is read while it is sent.
Body: TypeAlias = Content | Iterable[bytes]


class Headers(Mapping[str, str]):
    """The header fields of a request or reply, by name.

    Names are compared without regard to case. Iteration, ``keys()`` and ``items()`` yield them in lower case. If a name
    was sent twice, its values are joined by commas without spaces. Spaces and tabs around a value are removed (RFC
    9110, section 5.5). Other white space, such as the character U+00A0, is kept, because it can stand for a byte of
    text in UTF-8.

    Example:
        >>> headers = Headers({"Content-Type": "text/plain"})
        >>> headers["content-type"]
        'text/plain'

    Args:
        fields: Pairs of name and value in the order in which they are sent, or a mapping of names to values.
        size: The size of the lines as they were received, in bytes; None if they came over no connection.
    """

    def __init__(self, fields: Iterable[tuple[str, str]] | Mapping[str, str] = (), size: int | None = None) -> None:
        #: The pairs of name and value as they were sent.
        self.fields: tuple[tuple[str, str], ...] = tuple(fields.items() if hasattr(fields, "items") else fields)
        values = {name.lower(): value.strip(" \t") for name, value in self.fields}
        #: The values by name in lower case. It is a plain dictionary for speed, and is never changed.
        self.by_name: dict[str, str] = values if len(values) == len(self.fields) else _join_values(self.fields)
        self._size = size

    def __getitem__(self, name: str) -> str:
        return self.by_name[name.lower()]

    @overload
    def get(self, name: str, /) -> str | None: ...
    @overload
    def get(self, name: str, /, default: _Default) -> str | _Default: ...
    def get(self, name: str, /, default: object = None) -> object:
        """Return the value of `name`, or `default`."""
        # Overridden for speed: `Mapping.get` raises and catches KeyError.
        return self.by_name.get(name.lower(), default)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self.by_name

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_name)

    def __len__(self) -> int:
        return len(self.by_name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mapping):
            return NotImplemented
        return self.by_name == {str(name).lower(): value for name, value in other.items()}

    __hash__ = None  # type: ignore[assignment]  # equal to mappings, which have no hash

    @property
    def size(self) -> int:
        """The size of the header lines in bytes. Without a connection, each is ``name: value`` and a line end."""
        if self._size is not None:
            return self._size
        return sum(len(name) + len(value) + 4 for name, value in self.fields)

    @property
    def fields_to_show(self) -> list[tuple[str, str]]:
        """The fields as they were sent, but without the values of headers that carry credentials."""
        return [(name, hide_header(name, value)) for name, value in self.fields]

    def __repr__(self) -> str:
        """Return the fields without credentials, because the report of a failed test contains it."""
        return f"Headers({self.fields_to_show!r})"


def _join_values(fields: Iterable[tuple[str, str]]) -> dict[str, str]:
    values: dict[str, list[str]] = {}
    for name, value in fields:
        values.setdefault(name.lower(), []).append(value.strip(" \t"))
    return {name: ",".join(each) for name, each in values.items()}


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
    source_ip: str = "127.0.0.1"

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
            fields = Headers([*fields.fields, ("Content-Length", str(len(body)))])
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return cls(method, parts.scheme.lower(), parts.netloc.rpartition("@")[2], target, fields, body)

    @property
    def url(self) -> str:
        """The whole URL."""
        return f"{self.scheme}://{self.host}{self.target}"


def check_header_section(request: Request, limit: int) -> None:
    """Check the size of the header section, with the Host header. [header-section]"""
    size = request.headers.size
    if "host" not in request.headers.by_name:
        size += len(f"host: {request.host}\r\n")
    if size > limit:
        raise HEADER_SECTION_TOO_LARGE.error(
            explanation=f"the headers have {size:,} bytes together, more than the {limit:,} that are accepted",
            MaxSizeAllowed=str(limit),
        )


def with_headers(request: Request, headers: Mapping[str, str]) -> Request:
    """Return the request with `headers`. They replace headers of the same names."""
    names = {name.lower() for name in headers}
    kept = [(name, value) for name, value in request.headers.fields if name.lower() not in names]
    return replace(request, headers=Headers([*kept, *headers.items()]))


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply to a request.

    Args:
        status: The status code.
        headers: The header fields.
        body: The body: ``bytes``, a :class:`fakestore.SparseContent` or a :class:`fakestore.JoinedContent`.
            ``bytes(reply.body)`` returns the bytes of each of them. The body is empty in the reply to a HEAD request.
        chunked: Whether the body is sent in chunks, without a Content-Length.
    """

    status: int
    headers: Headers = field(default_factory=Headers)
    body: Content = b""
    chunked: bool = False

    def with_headers(self, more: Mapping[str, str]) -> Reply:
        """Return a copy of the reply that has further header fields, after its own ones.

        Example:
            >>> dict(Reply(200).with_headers({"Vary": "Origin"}).headers)
            {'vary': 'Origin'}
        """
        return replace(self, headers=Headers([*self.headers.fields, *more.items()]))


class ConnectionFailure(Enum):
    """A way in which a connection fails instead of carrying a reply."""

    RESET = "connection reset"
    CONNECT_TIMEOUT = "connect timeout"
    READ_TIMEOUT = "read timeout"


class Delivery(NamedTuple):
    """A reply, and what happens to it on its way to the client.

    Args:
        reply: The whole reply.
        truncate_at: The connection is lost after this many bytes of the body; None if the body arrives whole.
        delay: The time before the first byte, in seconds.
    """

    reply: Reply
    truncate_at: int | None = None
    delay: float = 0.0
