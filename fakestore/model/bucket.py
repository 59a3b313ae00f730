"""A bucket: its settings, and the history of every key in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime
from itertools import islice

from fakestore.model.accounts import Account
from fakestore.model.acl import Acl, RequestedAcl
from fakestore.model.content import Content
from fakestore.model.errors import (
    BUCKET_NOT_EMPTY,
    INVALID_ARGUMENT,
    METHOD_NOT_ALLOWED,
    NO_SUCH_KEY,
    NO_SUCH_VERSION,
)
from fakestore.model.history import (
    NULL,
    DeleteMarker,
    Encryption,
    Entry,
    History,
    Metadata,
    ObjectVersion,
    StorageClass,
    VersionId,
    VersionIds,
    Versioning,
)
from fakestore.model.keys import SortedKeys
from fakestore.model.lifecycle import ExpireCurrent, Expiry, Lifecycle, is_midnight
from fakestore.model.mfa import MfaDevice
from fakestore.model.policy import Policy
from fakestore.model.semantics import DOCUMENT_SEMANTICS, Semantics

#: How many versions an explanation names.
_MOST_NAMED = 20


class BucketRecord:
    """What the service keeps of one bucket. Times come in; ids are minted by the store's :class:`VersionIds`."""

    def __init__(
        self, name: str, *, acl: Acl, created: datetime, ids: VersionIds, semantics: Semantics = DOCUMENT_SEMANTICS
    ) -> None:
        self.name = name
        self.created = created
        self.acl = acl
        self.versioning = Versioning.NEVER
        self.mfa_device: MfaDevice | None = None
        self.mfa_delete = False
        self.policy = Policy(())
        self._lifecycle: Lifecycle | None = None
        self._ids = ids
        self._semantics = semantics
        self._histories: dict[str, History] = {}
        self._keys = SortedKeys()
        self._current_keys = SortedKeys()
        self._writer = object()
        self._touched: datetime | None = None
        self._swept: date | None = None
        #: The keys to look at again, and how many entries were put on top of each since.
        self._disturbed: dict[str, int] = {}

    @property
    def owner(self) -> Account:
        return self.acl.owner

    # -- reading

    def current(self, key: str) -> ObjectVersion:
        """The object under ``key``.

        Raises:
            ErrorResponse: NoSuchKey, where there is none or a delete marker is on top; it then carries the marker.
        """
        history = self._histories.get(key)
        entry = history.current if history else None
        if isinstance(entry, ObjectVersion):
            return entry
        if entry is None:
            raise NO_SUCH_KEY(explanation=f"bucket {self.name!r} holds nothing under key {key!r}", Key=key)
        raise NO_SUCH_KEY(
            explanation=f"the latest version of {key!r} is the delete marker {entry.version_id}",
            marker=entry,
            Key=key,
        )

    def entry(self, key: str, version_id: str) -> Entry:
        """The version or delete marker named.

        Raises:
            ErrorResponse: InvalidArgument for an id that was never issued, NoSuchVersion for one that is gone.
        """
        self.check_version_id(version_id)
        history = self._histories.get(key)
        found = history.get(version_id) if history else None
        if found is None:
            # A few, for an explanation is kept with its exchange, and a history may be long.
            named = [entry.version_id for entry in islice(history or (), _MOST_NAMED)]
            more = ", ..." if history and len(history) > len(named) else ""
            raise NO_SUCH_VERSION(
                explanation=f"key {key!r} has no version {version_id}; its versions, newest first:"
                f" {', '.join(named) or 'none'}{more}",
                Key=key,
                VersionId=version_id,
            )
        return found

    def version(self, key: str, version_id: str | None) -> ObjectVersion:
        """The object named by key and version id, or the current one where the id is ``None``.

        Raises:
            ErrorResponse: as :meth:`current` and :meth:`entry`; MethodNotAllowed where the id names a delete marker.
        """
        if version_id is None:
            return self.current(key)
        entry = self.entry(key, version_id)
        if isinstance(entry, DeleteMarker):
            raise METHOD_NOT_ALLOWED(
                explanation=f"version {version_id} of {key!r} is a delete marker: it can only be deleted",
                marker=entry,
            )
        return entry

    def check_version_id(self, version_id: str) -> None:
        """Refuse an id that this store never issued, whatever key it is asked of: 400 InvalidArgument."""
        if not self._ids.is_issued(version_id):
            raise INVALID_ARGUMENT(
                "Invalid version id specified",
                explanation=f"{version_id!r} is no version id that this store ever issued",
                ArgumentName="versionId",
                ArgumentValue=version_id,
            )

    def sign(self, key: str) -> bytes:
        """A check of this store's seed over the name of the bucket and ``key``, for a token that names a key."""
        return self._ids.sign(f"{self.name}/{key}")

    def history(self, key: str) -> list[Entry]:
        """The entries of ``key``, newest first; empty where there are none."""
        return list(self.entries(key))

    def entries(self, key: str) -> Iterator[Entry]:
        """As :meth:`history`, one by one; to be walked before the key is written again."""
        return iter(self._histories.get(key, ()))

    def entries_older_than(self, key: str, version_id: VersionId) -> Iterator[Entry]:
        """The entries of ``key`` written before the one named, newest first, also where that one is gone.

        One by one, to be walked before the key is written again; what it costs is said at ``History.older_than``.
        """
        history = self._histories.get(key)
        return history.older_than(version_id, self._ids.sequence) if history else iter(())

    def keys_from(self, start: str, *, inclusive: bool) -> Iterator[str]:
        """Every key that has entries from ``start`` on, in the order of their UTF-8 bytes."""
        return self._keys.starting_at(start, inclusive=inclusive)

    def current_keys_from(self, start: str, *, inclusive: bool) -> Iterator[str]:
        """As :meth:`keys_from`, the keys that have a current object alone: delete markers cost nothing."""
        return self._current_keys.starting_at(start, inclusive=inclusive)

    @property
    def object_count(self) -> int:
        """How many keys have a current object; known without looking at them."""
        return len(self._current_keys)

    def newest(self, key: str) -> Entry | None:
        """The entry on top of the key's history; ``None`` where there is none."""
        history = self._histories.get(key)
        return history.current if history else None

    def find(self, key: str, version_id: str | None) -> Entry | None:
        """As :meth:`newest` where the id is ``None``, else the entry of that id; never refuses."""
        history = self._histories.get(key)
        if history is None:
            return None
        return history.current if version_id is None else history.get(version_id)

    def __iter__(self) -> Iterator[str]:
        """Every key that has entries, delete markers included, in order."""
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    # -- writing

    def put(
        self,
        key: str,
        content: Content,
        etag: str,
        *,
        requested_acl: RequestedAcl,
        owner: Account,
        metadata: Metadata,
        storage_class: StorageClass,
        encryption: Encryption | None,
        now: datetime,
    ) -> ObjectVersion:
        """Store a whole object on top of the key's history. While suspended, it takes the null version's place."""
        version = ObjectVersion(
            key,
            self.versioning.next_id(self._ids.issue),
            content,
            etag,
            now,
            metadata,
            storage_class,
            encryption,
            requested_acl.expand(owner, self.owner),
        )
        self._push(version)
        return version

    def delete(self, key: str, *, owner: Account, now: datetime) -> DeleteMarker | None:
        """A simple DELETE: the marker it made, or ``None`` in a bucket that was never versioned.

        There the object is gone for good. Elsewhere a marker becomes the latest version, also of a key that never
        was. The null version is removed if ``delete_removes_null_version`` says so, else only by a null marker.
        [delete-takes-null]
        """
        if self.versioning is Versioning.NEVER:
            self._take(key, NULL)
            return None
        marker = DeleteMarker(
            key=key, version_id=self.versioning.next_id(self._ids.issue), last_modified=now, owner=owner
        )
        self._push(marker, removes_null=self._semantics.delete_removes_null_version)
        return marker

    def delete_version(self, key: str, version_id: str) -> Entry | None:
        """Remove one version or delete marker for good, and return it; ``None`` where it is gone already.

        Raises:
            ErrorResponse: InvalidArgument, for an id that was never issued.
        """
        self.check_version_id(version_id)
        return self._take(key, VersionId(version_id))

    def replace_acl(self, version: ObjectVersion, acl: Acl) -> None:
        """Put ``acl`` in the place of the version's own; content, id and date stay."""
        self._history_to_write(version.key).replace(replace(version, acl=acl))

    def check_empty(self) -> None:
        """Refuse with BucketNotEmpty while any version or delete marker is left."""
        if self._keys:
            versions = sum(len(history) for history in self._histories.values())
            hint = " You must delete all versions in the bucket." if self.versioning is not Versioning.NEVER else ""
            raise BUCKET_NOT_EMPTY(
                f"{BUCKET_NOT_EMPTY.message}.{hint}" if hint else None,
                explanation=f"bucket {self.name!r} still holds {versions} versions and markers of {len(self)} keys",
                BucketName=self.name,
            )

    # -- lifecycle

    @property
    def lifecycle(self) -> Lifecycle | None:
        return self._lifecycle

    @lifecycle.setter
    def lifecycle(self, lifecycle: Lifecycle | None) -> None:
        self._lifecycle = lifecycle
        self._swept = None

    def expiry_of(self, version: ObjectVersion) -> Expiry | None:
        """When and by which rule the current object ``version`` will expire; ``None`` where no rule applies."""
        return self._lifecycle.expiry_of(version) if self._lifecycle else None

    def apply_lifecycle(self, now: datetime) -> None:
        """Do what lifecycle rules had due by ``now``; an object that expires is deleted as by :meth:`delete`.

        Rules act at midnights UTC, so one look a day is enough, but for keys that were changed behind the rules'
        back since: entries dated another day or written at a midnight, one too many over those that a rule keeps, or
        taken away. Of such a key the newest entries are looked at, however long its history is, unless the clock
        was set back between two of them.

        What has become due late, by a rule that was put late say, is done as of the last touch, for until then it
        was not so.
        """
        not_before = now if self._touched is None else min(self._touched, now)
        self._touched = now
        if self._lifecycle is None:
            return
        sweeps = self._swept != now.date()
        self._swept = now.date()
        for key in list(self._keys) if sweeps else sorted(self._disturbed):
            self._expire(self._lifecycle, key, not_before, now, sweeps=sweeps)
        self._disturbed.clear()

    def _expire(self, lifecycle: Lifecycle, key: str, not_before: datetime, now: datetime, *, sweeps: bool) -> None:
        while history := self._histories.get(key):
            written = None if sweeps else self._disturbed[key]
            action = lifecycle.next_action(history, not_before=not_before, written=written)
            if action is None or action.at > now:
                return
            if isinstance(action, ExpireCurrent):
                self.delete(key, owner=self.owner, now=action.at)
                continue
            for version_id in action.version_ids:
                self._take(key, version_id)

    # -- histories, shared between copies until one of them writes

    def copy(self) -> BucketRecord:
        """The same bucket, independent of later changes here; costs a reference per key, never content."""
        other = BucketRecord(self.name, acl=self.acl, created=self.created, ids=self._ids, semantics=self._semantics)
        other.versioning, other.mfa_device, other.mfa_delete = (
            self.versioning,
            self.mfa_device,
            self.mfa_delete,
        )
        other.policy, other._lifecycle = self.policy, self._lifecycle
        other._histories = self._histories.copy()
        other._keys, other._current_keys = self._keys.copy(), self._current_keys.copy()
        other._disturbed = self._disturbed.copy()
        other._touched, other._swept = self._touched, self._swept
        self._writer = object()  # the histories are shared now: whoever writes one first copies it
        return other

    def _history_to_write(self, key: str) -> History:
        history = self._histories.get(key)
        if history is None:
            history = self._histories[key] = History(self._writer)
            self._keys.add(key)
        elif history.writer is not self._writer:
            history = self._histories[key] = history.copy(self._writer)
        return history

    def _push(self, entry: Entry, *, removes_null: bool = False) -> None:
        history = self._history_to_write(entry.key)
        with_object = isinstance(history.current, ObjectVersion)
        if removes_null:
            history.take(NULL)
        history.push(entry)
        self._note_current(entry.key, history, with_object=with_object)
        lifecycle = self._lifecycle
        if lifecycle is None:
            return
        # What is written during a day is due at a midnight after it, but a write at a midnight at that one.
        written, others = entry.last_modified, self._disturbed.get(entry.key)
        if others is not None or lifecycle.most_kept or written.date() != self._swept or is_midnight(written):
            self._disturbed[entry.key] = (others or 0) + 1

    def _take(self, key: str, version_id: VersionId) -> Entry | None:
        if key not in self._histories:
            return None
        history = self._history_to_write(key)
        with_object = isinstance(history.current, ObjectVersion)
        taken = history.take(version_id)
        self._note_current(key, history, with_object=with_object)
        if not history:
            del self._histories[key]
            self._keys.remove(key)
        elif self._lifecycle is not None:
            self._disturbed.setdefault(key, 0)
        return taken

    def _note_current(self, key: str, history: History, *, with_object: bool) -> None:
        """Keep the list of keys with a current object; ``with_object`` says whether the key was in it."""
        if isinstance(history.current, ObjectVersion) is not with_object:
            if with_object:
                self._current_keys.remove(key)
            else:
                self._current_keys.add(key)
