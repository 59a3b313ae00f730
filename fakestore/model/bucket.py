"""A bucket: its settings, and the rules for reading and writing its objects."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from urllib.parse import quote, unquote, unquote_plus

from fakestore.errors import (
    BUCKET_NOT_EMPTY,
    INVALID_BUCKET_STATE,
    NO_SUCH_KEY,
    NO_SUCH_VERSION,
    ErrorCode,
    ErrorResponse,
    invalid_argument,
)
from fakestore.messages import counted
from fakestore.model.accounts import Account
from fakestore.model.acl import PRIVATE, Acl, CannedAcl, ObjectOwnership, RequestedAcl, check_bucket_acl
from fakestore.model.checksums import Checksum, ChecksumMode, compute_checksum
from fakestore.model.content import Content
from fakestore.model.cors import Cors
from fakestore.model.encryption import (
    CustomerKey,
    DefaultEncryption,
    Encryption,
    EncryptionRule,
    ServerSideEncryption,
    hides_md5,
)
from fakestore.model.entity_tag import EntityTag
from fakestore.model.frozen_mapping import FrozenMapping
from fakestore.model.keys import KeyIndex, SortedKeys
from fakestore.model.lifecycle import (
    Action,
    ExpireCurrent,
    Lifecycle,
    LifecycleEffect,
    LifecycleSchedule,
    MoveVersions,
)
from fakestore.model.lifecycle_rule import Rule
from fakestore.model.multipart_upload import CompletedPart, MultipartUpload, UploadIndex
from fakestore.model.notification import NotificationConfiguration
from fakestore.model.object_lock import Lock, ObjectLock
from fakestore.model.object_version import (
    Change,
    DeleteMarker,
    Entry,
    EntryId,
    MarkerError,
    NewObject,
    ObjectVersion,
    ids_of_changes,
)
from fakestore.model.policy import Policy, is_public
from fakestore.model.regions import region_of_constraint
from fakestore.model.request_payment import RequestPayment
from fakestore.model.semantics import Semantics
from fakestore.model.storage_class import StorageClass
from fakestore.model.tagging import NO_TAGS
from fakestore.model.versioning import NULL, MfaDevice, VersionIds, Versioning
from fakestore.xml.declarations import changed

#: How many versions an explanation shows.
_SHOWN_VERSIONS = 20


class Observer:
    """Sees what buckets do by themselves, without a request. This one notes nothing."""

    __slots__ = ()

    def note_effect(self, effect: LifecycleEffect) -> None: ...

    def note_changes(self, bucket: BucketRecord, changes: Sequence[Change], at: datetime) -> None:
        """Note changes that were due at this time."""


class BucketRecord:
    """A bucket with its settings and objects.

    Args:
        acl: The ACL of the bucket; its owner is the owner of the bucket.
        ids: Issues the version ids. All buckets of a store share it.
        observer: Sees what lifecycle rules do, and what becomes of restorations.
    """

    def __init__(
        self,
        name: str,
        *,
        acl: Acl,
        created: datetime,
        ids: VersionIds,
        semantics: Semantics,
        observer: Observer,
    ) -> None:
        self.name = name
        self.created = created
        self.acl = acl
        self.versioning = Versioning.NEVER
        self.mfa_device: MfaDevice | None = None
        self.mfa_delete = False
        self.policy = Policy()
        self.tags = NO_TAGS
        self.request_payment = RequestPayment(requester_pays=False)
        #: Which account owns new objects; None for no ownership controls, which is the same as ObjectWriter.
        self.object_ownership = semantics.default_object_ownership
        self.public_access_block = semantics.default_public_access_block
        #: The configuration of Object Lock; None if the bucket does not have it. Once set, it is never removed.
        self.object_lock: ObjectLock | None = None
        #: How new objects are encrypted. If the rule does not decide something, the service does.
        self.encryption = EncryptionRule()
        #: The CORS rules; None if CORS is not enabled.
        self.cors: Cors | None = None
        #: The destinations of events; None if there are none.
        self.notification: NotificationConfiguration | None = None
        #: Configurations that have no effect, by their names in the query and their ids. The id is empty if a bucket
        #: has only one such configuration. Only replication depends on another setting of the bucket: its versioning.
        self.configurations: dict[tuple[str, str], object] = {}
        #: The LocationConstraint as it was sent; None for the region of the store.
        self.location: str | None = None
        self._ids = ids
        self._semantics = semantics
        self._observer = observer
        self._index = KeyIndex()
        #: Finds what the lifecycle rules do; None without rules.
        self._schedule: LifecycleSchedule | None = None
        #: When :meth:`apply_lifecycle` was last called.
        self._last_run: datetime | None = None
        self.uploads = UploadIndex(ids)
        #: The versions that have a restoration, and whether its end was noted.
        self._restorations: dict[EntryId, bool] = {}

    def region(self, home_region: str) -> str:
        """Return the region of the bucket. Without a location of its own, it is in the region of the store."""
        return home_region if self.location is None else region_of_constraint(self.location)

    @property
    def owner(self) -> Account:
        return self.acl.owner

    def copy(self) -> BucketRecord:
        other = copy.copy(self)
        other.configurations = dict(self.configurations)
        other._index = self._index.copy()
        other._schedule = None if self._schedule is None else self._schedule.copy()
        other._restorations = dict(self._restorations)
        other.uploads = self.uploads.copy()
        return other

    # -- reading

    def get_object(self, key: str) -> ObjectVersion:
        entry = self.latest_entry(key)
        if isinstance(entry, ObjectVersion):
            return entry
        if entry is None:
            raise NO_SUCH_KEY.error(explanation=self.describe_missing(key), Key=key)
        raise MarkerError(
            NO_SUCH_KEY, entry, f"the latest version of {key!r} is the delete marker {entry.version_id}", Key=key
        )

    def describe_missing(self, key: str, version_id: str | None = None) -> str:
        """Return that the bucket has no such object or version, and perhaps the key in another spelling."""
        what = "object with key" if version_id is None else f"version {version_id!r} of"
        return f"bucket {self.name!r} has no {what} {key!r}{self.hint_at_spelling(key, version_id)}"

    def hint_at_spelling(self, key: str, version_id: str | None = None) -> str:
        """Return a question with the key of an object or version that is `key` in another spelling, or an empty string.

        Another spelling is percent-encoded once more or less, or has a slash or the name of the bucket in front.
        """
        recoded = (unquote(key), unquote_plus(key), quote(key), quote(key, safe=""))
        shifted = (key.lstrip("/"), f"/{key}", key.lstrip("/").removeprefix(f"{self.name}/"))
        spellings = (*recoded, *shifted)
        near = next((each for each in spellings if isinstance(self.find_entry(each, version_id), ObjectVersion)), None)
        return "" if near is None else f". Did you mean {near!r}?"

    def latest_entry(self, key: str) -> Entry | None:
        """Return the entry of ``key`` that was written last, or None if the key has no entries."""
        history = self._index.get(key)
        return None if history is None else history.latest

    def find_entry(self, key: str, version_id: str | None) -> Entry | None:
        """Return the entry with this version id, or the latest entry if the id is None; None if it does not exist."""
        if version_id is None:
            return self.latest_entry(key)
        history = self._index.get(key)
        return None if history is None else history.get(version_id)

    def get_object_or_version(self, key: str, version_id: str | None) -> ObjectVersion:
        """Return the current object if the id is None, or the object version with this id."""
        if version_id is None:
            return self.get_object(key)
        self.check_version_id(version_id)
        entry = self.find_entry(key, version_id)
        if entry is None:
            shown = [entry.version_id for entry in islice(self.entries(key), _SHOWN_VERSIONS)]
            more = ", ..." if shown and len(self._index.get(key) or ()) > len(shown) else ""
            raise NO_SUCH_VERSION.error(
                explanation=f"key {key!r} has no version {version_id}; its versions, newest first:"
                f" {', '.join(shown) or 'none'}{more}{self.hint_at_spelling(key, version_id)}",
                Key=key,
                VersionId=version_id,
            )
        if isinstance(entry, DeleteMarker):
            raise MarkerError.refusing(
                entry, f"version {version_id} of {key!r} is a delete marker, which can only be deleted"
            )
        return entry

    def check_version_id(self, version_id: str) -> None:
        """Check that this store issued an id, for any key."""
        if not version_id:
            raise invalid_argument(
                "versionId",
                version_id,
                "Version id cannot be the empty string",
                explanation="versionId is empty; omit it, or name a version",
            )
        if not self._ids.is_issued(version_id):
            raise invalid_argument(
                "versionId",
                version_id,
                "Invalid version id specified",
                explanation=f"this store never issued the version id {version_id!r}",
            )

    def sign(self, key: str) -> bytes:
        """Return a signature of the bucket's name and ``key``, to recognise listing tokens that this store issued."""
        return self._ids.sign(f"{self.name}/{key}")

    def entries(self, key: str) -> Iterator[Entry]:
        """Yield the entries of ``key``, newest first. The caller must not write to the key meanwhile."""
        return iter(self._index.get(key) or ())

    def entries_before(self, key: str, version_id: str) -> Iterator[Entry]:
        """Yield the entries of ``key`` as :meth:`History.entries_before` does. The caller must not write to the key."""
        history = self._index.get(key)
        return history.entries_before(version_id, self._ids.sequence_number) if history else iter(())

    @property
    def keys(self) -> SortedKeys:
        """The keys that have entries. The latest entry of a key may be a delete marker."""
        return self._index.keys

    @property
    def object_keys(self) -> SortedKeys:
        return self._index.object_keys

    # -- settings

    def current_acl(self, version: ObjectVersion | None = None) -> Acl:
        """Return the ACL that the bucket, or a version in it, has at present.

        While ACLs are disabled, the owner of the bucket has full control of everything, and stored ACLs have no effect.
        [object-ownership]
        """
        if self.has_no_acls:
            return PRIVATE.expand(self.owner, self.owner)
        return self.acl if version is None else version.acl

    def effective_acl(self, version: ObjectVersion | None = None) -> Acl:
        """Return the part of :meth:`current_acl` that has an effect: without the grants that the bucket ignores."""
        block, current = self.public_access_block, self.current_acl(version)
        return current if block is None or not block.ignore_public_acls else current.without_public_grants()

    def current_owner(self, entry: Entry) -> Account:
        return self.owner if self.has_no_acls else entry.owner

    @property
    def is_restricted(self) -> bool:
        """Whether only the account of the owner has access, because the policy is public."""
        block = self.public_access_block
        return block is not None and block.restrict_public_buckets and is_public(self.policy)

    @property
    def has_no_acls(self) -> bool:
        return self.object_ownership is ObjectOwnership.BUCKET_OWNER_ENFORCED

    def change_ownership(self, ownership: ObjectOwnership | None) -> None:
        check_bucket_acl(ownership, self.acl)
        self.object_ownership = ownership

    def accept_acls(self) -> None:
        """Let ACLs have an effect, public ones included."""
        self.public_access_block = None
        if self.has_no_acls:
            self.object_ownership = ObjectOwnership.OBJECT_WRITER

    def _new_owner(self, writer: Account, requested_acl: RequestedAcl = PRIVATE) -> Account:
        """Return the account that owns what `writer` writes. [object-ownership]"""
        is_preferred = self.object_ownership is ObjectOwnership.BUCKET_OWNER_PREFERRED
        gives_away = is_preferred and requested_acl is CannedAcl.BUCKET_OWNER_FULL_CONTROL
        return self.owner if self.has_no_acls or gives_away else writer

    def shown_owner(self, upload: MultipartUpload) -> Account:
        """Return the account that listings show as the owner of an upload: the owner that the object would have.

        [owner-of-an-uploaded-object]
        """
        return self._new_owner(upload.initiator, upload.new.acl)

    def change_versioning(self, versioning: Versioning) -> None:
        if versioning is not Versioning.ENABLED:
            if self.object_lock is not None:
                raise _versioning_is_needed(self.name, "An Object Lock", "Object Lock")
            if ("replication", "") in self.configurations:
                raise _versioning_is_needed(self.name, "A replication", "replication rules")
        if versioning is Versioning.NEVER and self.versioning is not Versioning.NEVER:
            raise ValueError(f"bucket {self.name!r} is versioned; it can be 'suspended', but not 'never' again")
        self.versioning = versioning

    def lock_objects(self, object_lock: ObjectLock) -> None:
        """Set the configuration of Object Lock. Versions that are stored already do not change."""
        if self.versioning is not Versioning.ENABLED:
            raise INVALID_BUCKET_STATE.error(
                "Versioning must be 'Enabled' on the bucket to apply a Object Lock configuration",
                explanation=f"the versioning of bucket {self.name!r} is {self.versioning.value!r}; enable it first",
            )
        self.object_lock = object_lock

    # -- writing

    def put(self, key: str, new: NewObject, *, writer: Account, now: datetime) -> ObjectVersion:
        """Store an object and return its version. Unless versioning is enabled, it replaces the null version."""
        return self._store(key, new, self.complete_encryption(new.encryption), writer=writer, now=now)

    def _store(
        self, key: str, new: NewObject, encryption: ServerSideEncryption | None, *, writer: Account, now: datetime
    ) -> ObjectVersion:
        version = ObjectVersion(
            **new.kept(),
            key=key,
            version_id=self.versioning.next_id(self._ids.issue),
            etag=self._stored_tag(new.etag or EntityTag.of(new.content), encryption),
            last_modified=_to_the_second(now),
            server_side_encryption=encryption,
            acl=new.acl.expand(self._new_owner(writer, new.acl), self.owner),
            checksum=new.checksum or self._default_checksum(new.content),
            lock=self._complete_lock(new.lock, now),
        )
        self._append(version)
        return version

    def _complete_lock(self, requested: Lock, now: datetime) -> Lock:
        """Return the lock of a new object: with the retention of the bucket, if the request names none."""
        if requested.retention is None and self.object_lock is not None and self.object_lock.default is not None:
            return requested._replace(retention=self.object_lock.default.start(_to_the_second(now)))
        return requested

    def _default_checksum(self, content: Content) -> Checksum | None:
        algorithm = self._semantics.default_checksum
        return None if algorithm is None else compute_checksum(algorithm, content)

    def complete_encryption(self, requested: ServerSideEncryption | None) -> ServerSideEncryption | None:
        """Return the encryption of a new object: the default of the bucket, if the request names none."""
        if isinstance(requested, CustomerKey):
            return requested
        completed = self.encryption.complete(requested, self._semantics.default_encryption)
        if completed is not None and completed.method is Encryption.KMS and completed.key_id is None:
            return completed._replace(key_id=self._semantics.default_kms_key)
        return completed

    def get_encryption(self) -> EncryptionRule:
        """Return how new objects are encrypted and what is blocked, as the bucket or else the service decides."""
        own, semantics = self.encryption, self._semantics
        default = own.default
        if default is None and semantics.default_encryption is not None:
            default = DefaultEncryption(method=semantics.default_encryption)
        return EncryptionRule(
            default=default,
            bucket_key=None if default is None else bool(own.bucket_key),
            blocked=own.blocked or (semantics.default_blocked_encryption,),
        )

    def _stored_tag(self, etag: EntityTag, encryption: ServerSideEncryption | None) -> EntityTag:
        """Return the entity tag of a new object. A tag of multipart form is kept. [entity-tag-of-encrypted]"""
        if not self._semantics.encrypted_entity_tags_are_opaque or not hides_md5(encryption) or not etag.is_md5:
            return etag
        return EntityTag.of(self._ids.issue().encode())

    def delete(self, key: str, *, writer: Account, now: datetime, keeps_null: bool = False) -> Change:
        """Apply a simple DELETE, which names no version.

        If the bucket was never versioned, the object is removed, and no marker is added. Otherwise a delete marker is
        added, even to a key without entries. The null version is removed, if the semantics say so
        (``delete_removes_null_version``) or the marker is itself the null version. A locked null version stays.
        [delete-removes-null-version]

        Args:
            keeps_null: Whether the null entry must stay in a bucket that was ever versioned, because the request may
                not remove versions permanently. Then, while versioning is suspended, a marker that would replace the
                null entry gets an id of its own. [null-version-under-mfa-delete]
        """
        if self.versioning is Versioning.NEVER:
            return Change("ObjectRemoved", removed=self._remove(key, NULL))
        null = self.find_entry(key, NULL)
        needs_own_id = keeps_null and null is not None
        version_id = self._ids.issue() if needs_own_id else self.versioning.next_id(self._ids.issue)
        marker = DeleteMarker(
            key=key, version_id=version_id, last_modified=_to_the_second(now), owner=self._new_owner(writer)
        )
        is_locked = isinstance(null, ObjectVersion) and null.lock.is_closed(now)
        removes_null = self._semantics.delete_removes_null_version and not keeps_null and not is_locked
        return Change("ObjectRemoved", marker, self._append(marker, removes_null=removes_null))

    def delete_version(self, key: str, version_id: str) -> Entry | None:
        """Remove one version or delete marker permanently and return it. Return None if it was removed before."""
        self.check_version_id(version_id)
        return self._remove(key, version_id)

    def replace_version(self, version: ObjectVersion) -> None:
        """Replace the version with the same key and id. Its place in the history does not change.

        If its tags or its lock changed, a lifecycle rule may apply to it from now on, or no longer.
        """
        old = self.get_object_or_version(version.key, version.version_id)
        self._index.replace(version)
        if (version.tags, version.lock) != (old.tags, old.lock):
            self._reschedule(version.key, len(self._index.get(version.key) or ()))
        if version.restoration is not None:
            self._restorations.setdefault(EntryId.of(version), False)

    def missing(self, error: ErrorCode, setting: str) -> ErrorResponse:
        """Return the error for a setting that the bucket does not have, for example ``CORS rules``."""
        return error.error(explanation=f"bucket {self.name!r} has no {setting}", BucketName=self.name)

    def check_empty(self) -> None:
        if self.keys:
            message = f"{BUCKET_NOT_EMPTY.message}. You must delete all versions in the bucket."
            raise BUCKET_NOT_EMPTY.error(
                None if self.versioning is Versioning.NEVER else message,
                explanation=f"bucket {self.name!r} still has {counted(self._index.entry_count, 'version')} of"
                f" {counted(len(self.keys), 'key')}, including delete markers",
                BucketName=self.name,
            )

    def _append(self, entry: Entry, *, removes_null: bool = False) -> Entry | None:
        removed = self._index.append(entry, removes_null=removes_null)
        self._reschedule(entry.key, 1)
        self.uploads.note_write(entry.key)
        return removed

    def _remove(self, key: str, version_id: str) -> Entry | None:
        removed = self._index.remove(key, version_id)
        if removed is not None:
            self._reschedule(key, 0)
            self.uploads.note_write(key)
        return removed

    def _reschedule(self, key: str, count: int) -> None:
        """Tell the lifecycle rules that entries of a key changed.

        Args:
            count: The number of newest entries that were added or changed; 0 after a removal.
        """
        if self._schedule is not None:
            self._schedule.reschedule(key, count)

    # -- multipart uploads

    def initiate_upload(
        self,
        key: str,
        new: NewObject,
        *,
        initiator: Account,
        now: datetime,
        checksum_mode: ChecksumMode | None,
        headers: FrozenMapping,
    ) -> MultipartUpload:
        """Begin a multipart upload, and return it. :class:`MultipartUpload` describes the arguments."""
        upload = MultipartUpload(
            key=key,
            upload_id=self._ids.issue_upload_id(),
            initiated=_to_the_second(now),
            initiator=initiator,
            new=replace(new, encryption=self.complete_encryption(new.encryption)),
            checksum_mode=checksum_mode,
            headers=headers,
        )
        self.uploads.add(upload)
        return upload

    def complete_upload(
        self, upload: MultipartUpload, named: tuple[CompletedPart, ...], new: NewObject, *, now: datetime
    ) -> ObjectVersion:
        """Store the object that an upload made from the named parts, end the upload, and return the version."""
        version = self._store(upload.key, new, new.encryption, writer=upload.initiator, now=now)
        self.uploads.end(upload, named)
        return version

    # -- lifecycle

    @property
    def lifecycle(self) -> Lifecycle | None:
        """The lifecycle rules; None without rules. If they have no transition minimum, they get the service's."""
        return None if self._schedule is None else self._schedule.lifecycle

    @lifecycle.setter
    def lifecycle(self, lifecycle: Lifecycle | None) -> None:
        if lifecycle is not None and lifecycle.transition_minimum is None:
            lifecycle = changed(lifecycle, transition_minimum=self._semantics.default_transition_minimum_size)
        self._schedule = None if lifecycle is None else LifecycleSchedule(lifecycle)

    def next_due(self, rule: Rule) -> datetime | None:
        """Return when a lifecycle rule alone acts next on what is stored, or None if it acts on nothing of this."""
        if self.lifecycle is None:
            return None
        alone = changed(self.lifecycle, rules=(rule,))
        histories = (self._index.get(key) for key in self.keys if key.startswith(rule.prefix))
        actions = (alone.next_action(history) for history in histories if history is not None)
        uploads = (alone.get_abort(upload) for upload in self.uploads)
        times = [*(each.at for each in actions if each), *(each.date for each in uploads if each)]
        return min(times, default=None)

    def apply_lifecycle(self, now: datetime) -> None:
        """Apply every lifecycle action that was due by ``now``, and note its effect.

        Uploads that began too long ago are aborted. An object that expires is deleted by :meth:`delete`. If an action
        became due because a rule was added later, its time is the time of the previous run.
        """
        last_run, self._last_run = self._last_run, now
        if self._restorations:
            self._note_restorations(now)
        if self._schedule is None:
            return
        for upload, due in self._schedule.due_uploads(self.uploads, now):
            self.uploads.end(upload)
            effect = LifecycleEffect(self.name, upload.key, due.rule_id, due.date, upload_id=upload.upload_id)
            self._observer.note_effect(effect)
        not_before = now if last_run is None else min(last_run, now)
        for key, action in self._schedule.due_actions(self._index, now, not_before):
            self._apply(action, key)

    def _apply(self, action: Action, key: str) -> None:
        kind, moved_to = "LifecycleExpiration", None
        if isinstance(action, ExpireCurrent):
            changes = [self.delete(key, writer=self.owner, now=action.at)._replace(kind=kind)]
        elif isinstance(action, MoveVersions):
            moved_to = action.storage_class
            changes = [self._move(key, version_id, action.storage_class) for version_id in action.version_ids]
        else:
            changes = [Change(kind, removed=self._remove(key, version_id)) for version_id in action.version_ids]
        created, removed, moved = ids_of_changes(changes)
        effect = LifecycleEffect(self.name, key, action.rule_id, action.at, created, removed, moved, moved_to)
        self._observer.note_effect(effect)
        self._observer.note_changes(self, changes, action.at)

    def _move(self, key: str, version_id: str, storage_class: StorageClass) -> Change:
        """Move a version to another storage class. A temporary copy of an archived version is dropped."""
        version = self.find_entry(key, version_id)
        if not isinstance(version, ObjectVersion):
            return Change("LifecycleTransition")
        moved = replace(version, storage_class=storage_class, restoration=None)
        self._index.replace(moved)
        return Change("LifecycleTransition", changed=moved)

    def _note_restorations(self, now: datetime) -> None:
        """Note which restorations were done, and which copies had expired, by ``now``."""
        for entry_id, is_noted in list(self._restorations.items()):
            version = self.find_entry(*entry_id)
            if not isinstance(version, ObjectVersion) or version.restoration is None:  # it was removed or moved
                del self._restorations[entry_id]
                continue
            restoration = version.restoration
            if not is_noted and restoration.ready <= now:
                self._restorations[entry_id] = True
                change = Change("ObjectRestore:Completed", changed=version)
                self._observer.note_changes(self, [change], restoration.ready)
            if restoration.expires <= now:
                del self._restorations[entry_id]
                change = Change("ObjectRestore:Delete", changed=version)
                self._observer.note_changes(self, [change], restoration.expires)


def _to_the_second(now: datetime) -> datetime:
    return now.replace(microsecond=0)


def _versioning_is_needed(bucket: str, adjective: str, feature: str) -> ErrorResponse:
    return INVALID_BUCKET_STATE.error(
        f"{adjective} configuration is present on this bucket, so the versioning state cannot be changed.",
        explanation=f"bucket {bucket!r} has {feature}, so its versioning stays enabled",
    )
