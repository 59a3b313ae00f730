"""The schedule of a bucket's lifecycle: the keys that a run examines."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime

from fakestore.model.key_index import KeyIndex
from fakestore.model.lifecycle import Expiry, Lifecycle
from fakestore.model.lifecycle_actions import Action
from fakestore.model.lifecycle_elements import is_midnight
from fakestore.model.multipart_upload import MultipartUpload
from fakestore.model.object_version import Entry
from fakestore.model.upload_index import UploadIndex


class LifecycleSchedule:
    """Finds the lifecycle actions that are due. New rules get a new schedule.

    Rules act at midnight UTC, so every key is examined by the first run of a day. During the day only those modified
    keys are examined for which an action may become due before the next midnight. This is the case if an entry was
    removed, if an entry was written exactly at midnight or has the date of another day, or if a rule keeps a number of
    noncurrent versions.

    Args:
        lifecycle: The rules.
    """

    def __init__(self, lifecycle: Lifecycle) -> None:
        self.lifecycle = lifecycle
        self._last_daily_run: date | None = None
        #: The keys modified since the last daily run, with the number of entries appended to each.
        self._modified: dict[str, int] = {}

    def note_append(self, entry: Entry) -> None:
        """Note that ``entry`` was appended to the history of its key."""
        written, count, most_kept = entry.last_modified, self._modified.get(entry.key), self.lifecycle.most_kept
        # An entry is due at a midnight after the day on which it was written, unless it was written at a midnight.
        if count is not None or most_kept or written.date() != self._last_daily_run or is_midnight(written):
            self._modified[entry.key] = (count or 0) + 1

    def note_removal(self, key: str) -> None:
        """Note that an entry was removed from the history of ``key``, and others are left."""
        self._modified.setdefault(key, 0)

    def note_change(self, key: str, count: int) -> None:
        """Note that one of the ``count`` entries of ``key`` changed, so that other rules may apply to it."""
        self._modified[key] = count

    def due_actions(self, index: KeyIndex, now: datetime, not_before: datetime) -> Iterator[tuple[str, Action]]:
        """Yield each action that is due by ``now``, with its key.

        The caller applies an action before it takes the next one: actions can cause other actions. For a key that was
        modified since the daily run only the newest entries are examined, unless the clock was set back between
        two of its entries.

        Args:
            index: The keys of the bucket.
            now: The present time.
            not_before: The earliest date of an action that became due because a rule was added later.
        """
        is_daily_run = self._last_daily_run != now.date()
        self._last_daily_run = now.date()
        for key in list(index) if is_daily_run else sorted(self._modified):
            while history := index.get(key):
                appended = None if is_daily_run else self._modified[key]
                action = self.lifecycle.next_action(history, not_before=not_before, appended=appended)
                if action is None or action.at > now:
                    break
                yield key, action
        self._modified.clear()

    def due_uploads(self, uploads: UploadIndex, now: datetime) -> list[tuple[MultipartUpload, Expiry]]:
        """Return the uploads to abort by ``now``, and why. This is called before :meth:`due_actions`.

        They are examined once a day: an upload is never due on the day on which it began.
        """
        if self._last_daily_run == now.date() or not uploads:
            return []
        dated = ((upload, self.lifecycle.get_abort(upload)) for upload in uploads)
        return [(upload, due) for upload, due in dated if due is not None and due.date <= now]

    def copy(self) -> LifecycleSchedule:
        """Return an independent copy."""
        other = LifecycleSchedule(self.lifecycle)
        other._last_daily_run, other._modified = self._last_daily_run, self._modified.copy()
        return other
