"""A sorted set of keys that snapshots share until one of them changes."""

from __future__ import annotations

from collections.abc import Iterator

from sortedcontainers import SortedList


class SortedKeys:
    """Keys in the order of their UTF-8 bytes, each at most once.

    Text sorts by code points, which is the same order. A caller adds only keys that are missing, and removes only
    keys that are present.
    """

    __slots__ = ("_is_shared", "_keys")

    def __init__(self) -> None:
        self._keys: SortedList[str] = SortedList()
        self._is_shared = False

    def add(self, key: str) -> None:
        """Add a key that is missing."""
        self._unshared().add(key)

    def remove(self, key: str) -> None:
        """Remove a key that is present."""
        self._unshared().remove(key)

    def starting_at(self, start: str, *, inclusive: bool) -> Iterator[str]:
        """Yield the keys greater than ``start``, and ``start`` itself if ``inclusive``."""
        keys: Iterator[str] = self._keys.irange(minimum=start, inclusive=(inclusive, True))
        return keys

    def copy(self) -> SortedKeys:
        """Return an independent copy. The keys are shared until one of the two changes, so this takes constant time."""
        other = SortedKeys()
        other._keys = self._keys
        other._is_shared = self._is_shared = True
        return other

    def _unshared(self) -> SortedList[str]:
        if self._is_shared:
            self._keys, self._is_shared = self._keys.copy(), False
        return self._keys

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)
