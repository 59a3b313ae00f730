"""Header fields, whose names are compared without regard to case."""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping
from itertools import chain
from typing import TYPE_CHECKING, TypeVar, overload

from fakestore.http.secrets import hide_header

_Default = TypeVar("_Default")


class Headers(Mapping[str, str]):
    """The header fields of a request or reply, by name.

    Names are compared without regard to case, and iteration yields them in lower case. If a name was sent twice, its
    values are joined by commas without spaces. Spaces and tabs around a value are removed (RFC 9110, section 5.5).
    Other white space, such as the character U+00A0, is kept, because it can stand for a byte of text in UTF-8.

    Example:
        >>> headers = Headers({"Content-Type": "text/plain"})
        >>> headers["content-type"]
        'text/plain'

    Args:
        fields: Pairs of name and value in the order in which they are sent, or a mapping of names to values.
    """

    __slots__ = ("by_name", "fields")
    #: The values by name in lower case. It is a plain dictionary for speed, and is never changed.
    by_name: dict[str, str]

    def __init__(self, fields: Iterable[tuple[str, str]] | Mapping[str, str] = ()) -> None:
        #: The pairs of name and value as they were sent.
        self.fields: tuple[tuple[str, str], ...] = tuple(fields.items() if hasattr(fields, "items") else fields)

    if not TYPE_CHECKING:  # a type checker would accept every attribute

        def __getattr__(self, name: str) -> dict[str, str]:
            """Make `by_name` when it is first read, because most replies are sent without it."""
            if name != "by_name":
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            values = {name.lower(): value.strip(" \t") for name, value in self.fields}
            self.by_name = values if len(values) == len(self.fields) else _join_values(self.fields)
            return self.by_name

    @property
    def size(self) -> int:
        """The size of the header section in bytes.

        It counts the names and the values, and 4 bytes for the colon, the space and the line end of each field.
        """
        return sum(map(len, chain.from_iterable(self.fields))) + 4 * len(self.fields)

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

    def keys(self) -> KeysView[str]:
        """Return the names in lower case."""
        # Overridden for speed, like `items`: requests are read by them.
        return self.by_name.keys()

    def items(self) -> ItemsView[str, str]:
        """Return pairs of a name in lower case and its value."""
        return self.by_name.items()

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
    def fields_to_show(self) -> list[tuple[str, str]]:
        """The fields as they were sent, but without the values of headers that carry credentials."""
        return [(name, hide_header(name, value)) for name, value in self.fields]

    def __repr__(self) -> str:
        """Return the fields without credentials, because the report of a failed test contains it."""
        return f"Headers({self.fields_to_show!r})"


def _join_values(fields: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the values by name in lower case, if a name was sent twice."""
    values: dict[str, list[str]] = {}
    for name, value in fields:
        values.setdefault(name.lower(), []).append(value.strip(" \t"))
    return {name: ",".join(each) for name, each in values.items()}
