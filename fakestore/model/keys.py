"""The keys of a bucket with their histories, in order. Snapshots share them until one of them changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fakestore.model.object_version import NULL, Entry, History, ObjectVersion, OwnerToken, VersionId

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
        """Return an independent copy. Sorted keys are shared until one of the copies changes. Other keys are copied."""
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


class KeyIndex:
    """The history of every key of a bucket.

    It also keeps the keys sorted, and the keys whose latest entry is an object, so that a listing costs what it lists.
    :meth:`copy` is cheap: a history is copied when one of the indexes that share it writes to it.
    """

    def __init__(self) -> None:
        self._histories: dict[str, History] = {}
        self._keys = SortedKeys()
        self._object_keys = SortedKeys()
        self._owner_token = OwnerToken()

    def get(self, key: str) -> History | None:
        """Return the history of a key, or None if the key has no entries. The caller must not write to it."""
        return self._histories.get(key)

    def latest_entry(self, key: str) -> Entry | None:
        """Return the entry of a key that was written last, or None if the key has no entries."""
        history = self._histories.get(key)
        return None if history is None else history.latest

    def keys_from(self, start: str, *, inclusive: bool) -> Iterator[str]:
        """Yield the keys greater than ``start``, and ``start`` itself if ``inclusive``."""
        return self._keys.starting_at(start, inclusive=inclusive)

    def object_keys_from(self, start: str, *, inclusive: bool) -> Iterator[str]:
        """Yield the same keys, except keys whose latest entry is a delete marker."""
        return self._object_keys.starting_at(start, inclusive=inclusive)

    @property
    def object_count(self) -> int:
        """The number of keys whose latest entry is an object. This takes constant time."""
        return len(self._object_keys)

    @property
    def entry_count(self) -> int:
        """The number of versions and delete markers of all keys."""
        return sum(map(len, self._histories.values()))

    def append(self, entry: Entry, *, removes_null: bool = False) -> Entry | None:
        """Make ``entry`` the latest entry of its key, and return the null entry if it was removed or replaced.

        Args:
            removes_null: Whether the null entry of the key is removed first.
        """
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
            self._keys.remove(key)
        return removed

    def replace(self, version: ObjectVersion) -> None:
        """Replace the version that has the same key and version id."""
        self._writable_history(version.key).replace(version)

    def copy(self) -> KeyIndex:
        """Return an independent copy. It costs one reference for each key; histories and content are shared."""
        other = KeyIndex()
        other._histories = self._histories.copy()
        other._keys, other._object_keys = self._keys.copy(), self._object_keys.copy()
        self._owner_token = OwnerToken()  # this index no longer owns the histories either
        return other

    def __iter__(self) -> Iterator[str]:
        """Yield every key that has entries, in order."""
        return iter(self._keys)

    def __len__(self) -> int:
        """Return the number of keys that have entries."""
        return len(self._keys)

    def _writable_history(self, key: str) -> History:
        history = self._histories.get(key)
        if history is None:
            history = self._histories[key] = History(self._owner_token)
            self._keys.add(key)
        elif history.owner_token is not self._owner_token:
            history = self._histories[key] = history.copy(self._owner_token)
        return history

    def _update_object_keys(self, key: str, latest: Entry | None, *, had_object: bool) -> None:
        if isinstance(latest, ObjectVersion) is not had_object:
            if had_object:
                self._object_keys.remove(key)
            else:
                self._object_keys.add(key)
