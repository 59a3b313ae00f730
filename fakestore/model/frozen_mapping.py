"""A read-only mapping that can be hashed, pickled and copied."""

from __future__ import annotations

from collections.abc import Iterator, Mapping


class FrozenMapping(Mapping[str, str]):
    """A read-only mapping of text to text. It equals every mapping with the same items.

    ``types.MappingProxyType`` cannot be hashed, pickled or deep-copied, so objects that contain one cannot either.
    """

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[str, str]) -> None:
        self._items = dict(items)

    def __getitem__(self, name: str) -> str:
        return self._items[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return repr(self._items)
