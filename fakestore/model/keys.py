"""Sorted keys that several snapshots share until one of them changes."""

from __future__ import annotations

from collections.abc import Iterator

from sortedcontainers import SortedList


class SortedKeys:
    """Keys in the order of their UTF-8 bytes, each once.

    Code points and UTF-8 order text alike, so the keys are kept as text. Whoever adds a key makes sure that it is
    not there yet, and whoever removes one that it is.
    """

    __slots__ = ("_keys", "_shared")

    def __init__(self) -> None:
        self._keys: SortedList[str] = SortedList()
        self._shared = False

    def add(self, key: str) -> None:
        self._to_write().add(key)

    def remove(self, key: str) -> None:
        self._to_write().remove(key)

    def starting_at(self, start: str, *, inclusive: bool) -> Iterator[str]:
        """The keys from ``start`` on, itself only where ``inclusive``."""
        keys: Iterator[str] = self._keys.irange(minimum=start, inclusive=(inclusive, True))
        return keys

    def copy(self) -> SortedKeys:
        """The same keys, independent of later changes here; costs nothing until either is changed."""
        other = SortedKeys()
        other._keys = self._keys
        other._shared = self._shared = True
        return other

    def _to_write(self) -> SortedList[str]:
        if self._shared:
            self._keys, self._shared = self._keys.copy(), False
        return self._keys

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)
