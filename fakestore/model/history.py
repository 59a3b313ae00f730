"""The history of one key: its versions and delete markers, in the order in which they were written."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from itertools import dropwhile, islice

from fakestore.model.object_version import Entry, ObjectVersion
from fakestore.model.version_ids import NULL, VersionId


class OwnerToken:
    """Identifies the key index that may write to a history. Other indexes copy the history before they write."""

    __slots__ = ()


class History:
    """The entries of one key, ordered by time of writing, not by ``last_modified``.

    Every method takes constant time, except :meth:`entries_before` and :meth:`copy`.
    """

    __slots__ = ("_entries", "is_chronological", "owner_token")

    def __init__(self, owner_token: OwnerToken) -> None:
        self.owner_token = owner_token
        #: Whether no entry has ever been appended whose ``last_modified`` is earlier than that of the entry before it.
        self.is_chronological = True
        # An OrderedDict, because finding the last item of a plain dict gets slow after many items were removed there.
        self._entries: OrderedDict[VersionId, Entry] = OrderedDict()

    def append(self, entry: Entry) -> Entry | None:
        """Add the newest entry. A null entry replaces the older null entry, which is returned. [suspended-put]"""
        replaced = self._entries.pop(entry.version_id, None)
        previous = self.latest if self._entries else None
        if previous is not None and previous.last_modified > entry.last_modified:
            self.is_chronological = False
        self._entries[entry.version_id] = entry
        return replaced

    def remove(self, version_id: VersionId) -> Entry | None:
        """Remove an entry and return it, or return None if it does not exist."""
        return self._entries.pop(version_id, None)

    def replace(self, entry: ObjectVersion) -> None:
        """Replace the entry that has the same version id. The order does not change."""
        self._entries[entry.version_id] = entry

    def get(self, version_id: str) -> Entry | None:
        """Return the entry with this version id, or None."""
        return self._entries.get(VersionId(version_id))

    @property
    def latest(self) -> Entry | None:
        """The entry that was written last, or None if the history is empty."""
        return self._entries[next(reversed(self._entries))] if self._entries else None

    def entries_before(self, version_id: VersionId, sequence_number: Callable[[VersionId], int]) -> Iterator[Entry]:
        """Yield the entries that were written before ``version_id``, newest first.

        If that version was removed, the sequence numbers of the ids tell which entries are older. The null version
        has no sequence number; in that case it may be listed twice, so that it is never left out.
        [version-id-marker-of-a-deleted-version]

        The time is proportional to the number of entries newer than ``version_id``.

        Args:
            version_id: An id that was issued, or ``null``.
            sequence_number: Returns the sequence number of an id other than ``null``.
        """
        newest_first = iter(self)
        if version_id in self._entries:
            return islice(dropwhile(lambda entry: entry.version_id != version_id, newest_first), 1, None)
        if version_id == NULL:
            return newest_first
        removed = sequence_number(version_id)
        return dropwhile(
            lambda entry: entry.version_id != NULL and sequence_number(entry.version_id) > removed, newest_first
        )

    def copy(self, owner_token: OwnerToken) -> History:
        """Return a history with the same entries that ``owner_token`` may write to."""
        other = History(owner_token)
        other.is_chronological, other._entries = self.is_chronological, self._entries.copy()
        return other

    def __contains__(self, version_id: object) -> bool:
        return version_id in self._entries

    def __iter__(self) -> Iterator[Entry]:
        """Yield the entries, newest first."""
        return reversed(self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)
