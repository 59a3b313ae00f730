"""A request and a reply as values, whatever carried them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, Protocol, TypeVar, overload

from fakestore.model.content import Content

_Default = TypeVar("_Default")


class Headers(Mapping[str, str]):
    """Header fields by name, whatever its case, in order of arrival; the names it gives are in lower case.

    A name that came twice has its values joined by commas.

    Blanks and tabs around a value are no part of it (RFC 9110, section 5.5). Nothing else that looks blank is taken
    off: it may be a byte of UTF-8.
    """

    __slots__ = ("_fields", "size")

    def __init__(self, fields: Iterable[tuple[str, str]] = ()) -> None:
        self._fields: dict[str, str] = {}
        #: Of the section on the wire, in bytes: each line's name and value, and 4 bytes for its punctuation.
        self.size = 0
        for name, sent in fields:
            self.size += len(name) + len(sent) + 4
            value, lower = sent.strip(" \t"), name.lower()
            self._fields[lower] = f"{self._fields[lower]},{value}" if lower in self._fields else value

    def divided(self, own: str, foreign: tuple[str, ...]) -> tuple[dict[str, str], list[str]]:
        """The fields under the prefix ``own``, by the rest of their names; and whole names under one of ``foreign``."""
        under, names = {}, []
        for name, value in self._fields.items():
            if name.startswith(own):
                under[name[len(own) :]] = value
            elif name.startswith(foreign):
                names.append(name)
        return under, names

    def has_any(self, names: Iterable[str]) -> bool:
        """Whether one of these lower-case names is there."""
        return not self._fields.keys().isdisjoint(names)

    def __getitem__(self, name: str) -> str:
        return self._fields[name.lower()]

    @overload
    def get(self, name: str, /) -> str | None: ...
    @overload
    def get(self, name: str, /, default: _Default) -> str | _Default: ...
    def get(self, name: str, /, default: object = None) -> object:
        # Its own, for a Mapping's raises and catches KeyError, and a request is asked often for what it has not.
        return self._fields.get(name.lower(), default)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self._fields

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mapping):
            return NotImplemented
        return self._fields == {str(name).lower(): value for name, value in other.items()}

    def __repr__(self) -> str:
        return f"Headers({list(self._fields.items())!r})"


class Body(Protocol):
    """A request's body, not read yet."""

    def chunks(self) -> Iterator[bytes]:
        """What the client sends, in pieces; reading it is what sends it. Raises what the client's body raises."""

    def whole(self) -> Content | None:
        """The body where it is in memory already, by reference; ``None`` where it has to be read."""


class WholeBody(NamedTuple):
    """A body that is in memory."""

    content: Content = b""

    def chunks(self) -> Iterator[bytes]:
        if isinstance(self.content, bytes):
            yield self.content
        else:
            yield from self.content

    def whole(self) -> Content:
        return self.content


class Request(NamedTuple):
    """A request as it is on the wire. Header text is ISO-8859-1; ``target`` is the path and query, not decoded.

    ``host`` is what the Host header says, with its port if it has one.
    """

    method: str
    scheme: str
    host: str
    target: str
    headers: Headers
    body: Body = WholeBody()
    http_version: str = "1.1"


class Break(Enum):
    """A way in which a connection fails instead of carrying a reply."""

    RESET = "connection reset"
    CONNECT_TIMEOUT = "connect timeout"
    READ_TIMEOUT = "read timeout"


@dataclass(slots=True)
class Reply:
    """An answer. ``body`` follows ``headers`` on the wire unless the request was a HEAD.

    ``chunked`` sends the body chunk encoded, without a length. ``cut`` ends the body after so many bytes, as a
    connection lost half-way does. ``delay`` is in seconds, before the first byte. ``broken`` stands for no answer
    at all; the rest then means nothing.
    """

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: Content = b""
    chunked: bool = False
    cut: int | None = None
    delay: float = 0.0
    broken: Break | None = None
