"""The keys of a bucket with their histories, in order. Snapshots share them until one of them changes."""

from __future__ import annotations

import copy
from collections.abc import Iterator

from sortedcontainers import SortedList

from fakestore.model.object_version import Entry, History, ObjectVersion, OwnerToken
from fakestore.model.versioning import NULL


class SortedKeys:
    """A set of keys in the order of their UTF-8 bytes. Text sorts by code points, which is the same order."""

    def __init__(self) -> None:
        self._keys: SortedList[str] = SortedList()
        #: Whether a copy has the same list, which then must not change.
        self._is_shared = False

    def mark(self, key: str, *, present: bool) -> None:
        if (key in self._keys) is present:
            return
        if self._is_shared:
            self._keys, self._is_shared = self._keys.copy(), False
        if present:
            self._keys.add(key)
        else:
            self._keys.remove(key)

    def starting_at(self, start: str, *, inclusive: bool) -> Iterator[str]:
        """Yield the keys greater than ``start``, and ``start`` itself if ``inclusive``."""
        keys: Iterator[str] = self._keys.irange(minimum=start, inclusive=(inclusive, True))
        return keys

    def copy(self) -> SortedKeys:
        """Return an independent copy. The keys are copied when one of both changes."""
        self._is_shared = True
        return copy.copy(self)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


class KeyIndex:
    """The history of every key of a bucket.

    :meth:`copy` is cheap: a history is copied when one of the indexes that share it writes to it.
    """

    def __init__(self) -> None:
        self._histories: dict[str, History] = {}
        #: The keys that have entries.
        self.keys = SortedKeys()
        #: The keys whose latest entry is an object. They are kept, so that a listing costs what it lists.
        self.object_keys = SortedKeys()
        self._owner_token = OwnerToken()

    def get(self, key: str) -> History | None:
        """Return the history of a key, or None if the key has no entries. The caller must not write to it."""
        return self._histories.get(key)

    @property
    def entry_count(self) -> int:
        return sum(map(len, self._histories.values()))

    def append(self, entry: Entry, *, removes_null: bool = False) -> Entry | None:
        """Make ``entry`` the latest entry of its key, and return the null entry if it was removed or replaced."""
        history = self._writable_history(entry.key)
        removed = history.remove(NULL) if removes_null else None
        replaced = history.append(entry)
        self._mark(entry.key, entry)
        return removed or replaced

    def remove(self, key: str, version_id: str) -> Entry | None:
        """Remove an entry and return it, or return None if it does not exist."""
        if version_id not in self._histories.get(key, ()):
            return None
        history = self._writable_history(key)
        removed, latest = history.remove(version_id), history.latest
        self._mark(key, latest)
        if latest is None:
            del self._histories[key]
        return removed

    def replace(self, version: ObjectVersion) -> None:
        self._writable_history(version.key).replace(version)

    def copy(self) -> KeyIndex:
        """Return an independent copy. It costs one reference for each key; histories and content are shared."""
        other = KeyIndex()
        other._histories = self._histories.copy()
        other.keys, other.object_keys = self.keys.copy(), self.object_keys.copy()
        self._owner_token = OwnerToken()  # this index no longer owns the histories either
        return other

    def _writable_history(self, key: str) -> History:
        history = self._histories.get(key)
        if history is None:
            history = self._histories[key] = History(self._owner_token)
        elif history.owner_token is not self._owner_token:
            history = self._histories[key] = history.copy(self._owner_token)
        return history

    def _mark(self, key: str, latest: Entry | None) -> None:
        """Note whether the key has entries, and whether the latest entry is an object."""
        self.keys.mark(key, present=latest is not None)
        self.object_keys.mark(key, present=isinstance(latest, ObjectVersion))
