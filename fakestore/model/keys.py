"""The keys of a bucket with their histories, in order. Snapshots share them until one of them changes."""

from __future__ import annotations

from collections.abc import Iterator

from sortedcontainers import SortedList

from fakestore.model.object_version import Entry, History, ObjectVersion, OwnerToken
from fakestore.model.versioning import NULL, VersionId


class SortedKeys:
    """Keys in the order of their UTF-8 bytes, each at most once. Text sorts by code points, which is the same order.

    A caller adds only keys that are missing, and removes only keys that are present.
    """

    def __init__(self) -> None:
        self._sorted: SortedList[str] = SortedList()
        #: Whether a copy has the same list, which then must not change.
        self._is_shared = False

    def add(self, key: str) -> None:
        self._unshared().add(key)

    def remove(self, key: str) -> None:
        self._unshared().remove(key)

    def starting_at(self, start: str, *, inclusive: bool) -> Iterator[str]:
        """Yield the keys greater than ``start``, and ``start`` itself if ``inclusive``."""
        keys: Iterator[str] = self._sorted.irange(minimum=start, inclusive=(inclusive, True))
        return keys

    def copy(self) -> SortedKeys:
        """Return an independent copy. The keys are copied when one of both changes."""
        other = SortedKeys()
        other._sorted = self._sorted
        other._is_shared = self._is_shared = True
        return other

    def _unshared(self) -> SortedList[str]:
        if self._is_shared:
            self._sorted, self._is_shared = self._sorted.copy(), False
        return self._sorted

    def __iter__(self) -> Iterator[str]:
        return iter(self._sorted)

    def __len__(self) -> int:
        return len(self._sorted)


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

    def latest_entry(self, key: str) -> Entry | None:
        history = self._histories.get(key)
        return None if history is None else history.latest

    @property
    def entry_count(self) -> int:
        return sum(map(len, self._histories.values()))

    def append(self, entry: Entry, *, removes_null: bool = False) -> Entry | None:
        """Make ``entry`` the latest entry of its key, and return the null entry if it was removed or replaced."""
        history = self._writable_history(entry.key)
        had_object = isinstance(history.latest, ObjectVersion)
        removed = history.remove(NULL) if removes_null else None
        replaced = history.append(entry)  # rule: null-is-replaced
        self._update_object_keys(entry.key, entry, had_object=had_object)
        return removed or replaced

    def remove(self, key: str, version_id: VersionId) -> Entry | None:
        """Remove an entry and return it, or return None if it does not exist."""
        if version_id not in self._histories.get(key, ()):
            return None
        history = self._writable_history(key)
        had_object = isinstance(history.latest, ObjectVersion)
        removed = history.remove(version_id)
        self._update_object_keys(key, history.latest, had_object=had_object)
        if not history:
            del self._histories[key]
            self.keys.remove(key)
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
            self.keys.add(key)
        elif history.owner_token is not self._owner_token:
            history = self._histories[key] = history.copy(self._owner_token)
        return history

    def _update_object_keys(self, key: str, latest: Entry | None, *, had_object: bool) -> None:
        if isinstance(latest, ObjectVersion) is not had_object:
            if had_object:
                self.object_keys.remove(key)
            else:
                self.object_keys.add(key)
