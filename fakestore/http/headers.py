"""Header fields, whose names are compared without regard to case."""

from __future__ import annotations

import re
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping
from itertools import chain
from typing import TypeVar, overload

from fakestore.http.secrets import hide_header

_Default = TypeVar("_Default")

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


def is_header_name(text: str) -> bool:
    """Return whether a header can have this name (RFC 9110, section 5.6.2)."""
    return _NAME.fullmatch(text) is not None


class Headers(Mapping[str, str]):
    """The header fields of a request or reply, by name.

    Names are compared without regard to case, and iteration yields them in lower case. The values of a name that
    was sent twice are joined by commas. Blanks and tabs around a value do not belong to it (RFC 9110, section 5.5);
    other characters that look blank stay, because they may be bytes of UTF-8.

    Example:
        >>> headers = Headers({"Content-Type": "text/plain"})
        >>> headers["content-type"]
        'text/plain'

    Args:
        fields: Pairs of name and value in the order in which they are sent, or a mapping of names to values.
    """

    __slots__ = ("_values", "fields")

    def __init__(self, fields: Iterable[tuple[str, str]] | Mapping[str, str] = ()) -> None:
        #: The pairs of name and value as they were sent.
        self.fields: tuple[tuple[str, str], ...] = tuple(fields.items() if isinstance(fields, Mapping) else fields)
        values: dict[str, str] = {}
        for name, sent in self.fields:
            lower, value = name.lower(), sent.strip(" \t")
            values[lower] = f"{values[lower]},{value}" if lower in values else value
        self._values = values

    @property
    def size(self) -> int:
        """The size of the header section in bytes: each line's name and value, and 4 bytes of punctuation."""
        return sum(map(len, chain.from_iterable(self.fields))) + 4 * len(self.fields)

    def __getitem__(self, name: str) -> str:
        return self._values[name.lower()]

    @overload
    def get(self, name: str, /) -> str | None: ...
    @overload
    def get(self, name: str, /, default: _Default) -> str | _Default: ...
    def get(self, name: str, /, default: object = None) -> object:
        """Return the value of `name`, or `default`."""
        # Overridden for speed: `Mapping.get` raises and catches KeyError.
        return self._values.get(name.lower(), default)

    def keys(self) -> KeysView[str]:
        """Return the names in lower case."""
        # Overridden for speed, like `items`: requests are read by them.
        return self._values.keys()

    def items(self) -> ItemsView[str, str]:
        """Return the pairs of name in lower case and value."""
        return self._values.items()

    def with_prefix(self, prefix: str) -> dict[str, str]:
        """Return the headers whose names begin with `prefix`: a dictionary of the rest of each name to its value.

        Args:
            prefix: The prefix, in lower case.
        """
        return {name[len(prefix) :]: value for name, value in self._values.items() if name.startswith(prefix)}

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mapping):
            return NotImplemented
        return self._values == {str(name).lower(): value for name, value in other.items()}

    __hash__ = None  # type: ignore[assignment]  # equal to mappings, which have no hash

    @property
    def fields_to_show(self) -> list[tuple[str, str]]:
        """The fields as they were sent, but without the values of headers that carry credentials."""
        return [(name, hide_header(name, value)) for name, value in self.fields]

    def __repr__(self) -> str:
        """Return the fields without credentials, because the report of a failed test contains it."""
        return f"Headers({self.fields_to_show!r})"
