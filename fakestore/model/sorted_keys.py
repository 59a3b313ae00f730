"""A set of keys that is sorted when it is read, and that snapshots share until one of them changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sortedcontainers import SortedList


class SortedKeys:
    """Keys in the order of their UTF-8 bytes, each at most once.

    Text sorts by code points, which is the same order. A caller adds only keys that are missing, and removes only
    keys that are present. Added keys are sorted at the next reading: most tests write more often than they list.
    """

    __slots__ = ("_added", "_is_shared", "_sorted")

    def __init__(self) -> None:
        #: None until they are read first.
        self._sorted: SortedList[str] | None = None
        self._is_shared = False
        #: The keys that are not in `_sorted` yet. They are a dictionary, because it is copied faster than a set.
        self._added: dict[str, None] = {}

    def add(self, key: str) -> None:
        """Add a key that is missing."""
        self._added[key] = None

    def remove(self, key: str) -> None:
        """Remove a key that is present."""
        if key in self._added:
            del self._added[key]
        else:
            self._unshared().remove(key)

    def starting_at(self, start: str, *, inclusive: bool) -> Iterator[str]:
        """Yield the keys greater than ``start``, and ``start`` itself if ``inclusive``."""
        keys: Iterator[str] = self._all().irange(minimum=start, inclusive=(inclusive, True))
        return keys

    def copy(self) -> SortedKeys:
        """Return an independent copy. Sorted keys are shared until one of the two changes, the others are copied."""
        other = SortedKeys()
        other._sorted, other._added = self._sorted, self._added.copy()
        other._is_shared = self._is_shared = True
        return other

    def _unshared(self) -> SortedList[str]:
        if self._sorted is None:
            from sortedcontainers import SortedList  # imported here, because many tests list nothing

            self._sorted, self._is_shared = SortedList(), False
        elif self._is_shared:
            self._sorted, self._is_shared = self._sorted.copy(), False
        return self._sorted

    def _all(self) -> SortedList[str]:
        if self._sorted is not None and not self._added:
            return self._sorted
        keys = self._unshared()
        keys.update(self._added)
        self._added.clear()
        return keys

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._sorted or ()) + len(self._added)
