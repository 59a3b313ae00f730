"""The history of a key: its versions and delete markers, and what a DELETE changed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from itertools import dropwhile, islice
from typing import Any, NamedTuple

from fakestore.errors import METHOD_NOT_ALLOWED, ErrorCode, ErrorResponse
from fakestore.messages import counted, escaped
from fakestore.model.accounts import Account
from fakestore.model.acl import PRIVATE, Acl, RequestedAcl
from fakestore.model.checksums import Checksum
from fakestore.model.content import Content
from fakestore.model.encryption import Encryption, ManagedEncryption, ServerSideEncryption, hides_md5
from fakestore.model.entity_tag import EntityTag
from fakestore.model.frozen_mapping import FrozenMapping
from fakestore.model.metadata import NO_METADATA, Metadata
from fakestore.model.object_lock import UNLOCKED, LegalHold, Lock, Retention
from fakestore.model.storage_class import Restoration, StorageClass
from fakestore.model.tagging import NO_TAGS
from fakestore.model.versioning import NULL


class ObjectPart(NamedTuple):
    """A part of an object that was uploaded in parts.

    Attributes:
        size: The size of the part in bytes.
        checksum: The checksum of the part; None if the upload has no checksum algorithm.
    """

    size: int
    checksum: Checksum | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class KeptFields:
    """The fields of a new object that its version keeps unchanged."""

    content: Content
    #: System headers and user metadata. Each has a property of its own in a version.
    all_metadata: Metadata = NO_METADATA
    storage_class: StorageClass = StorageClass.STANDARD
    parts: tuple[ObjectPart, ...] = ()
    tags: FrozenMapping = NO_TAGS
    redirect: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class NewObject(KeptFields):
    """An object that is about to be stored, before it has a key, an id or an owner.

    Args:
        parts: The parts in order; empty unless the object was uploaded in parts.
        etag: The entity tag of the content; None if it is computed when the object is stored.
        encryption: The encryption as requested; None for the default of the service.
        acl: The ACL as requested. It is expanded when the object is stored.
        checksum: The checksum of the content; None for the default of the service.
        lock: The retention and the legal hold as requested. The default retention is added when the object is stored.
    """

    etag: EntityTag | None = None
    encryption: ServerSideEncryption | None = None
    acl: RequestedAcl = PRIVATE
    checksum: Checksum | None = None
    lock: Lock = UNLOCKED

    def kept(self) -> dict[str, Any]:
        """Return the fields that its version keeps, by their names."""
        return {each.name: getattr(self, each.name) for each in fields(KeptFields)}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ObjectVersion(KeptFields):
    """One version of an object.

    It is immutable. If the ACL or the tags of the version are changed, the store makes a new `ObjectVersion` with
    the same version id. Object versions can be compared, hashed, pickled and copied.

    Example:
        >>> from fakestore import FakeStore
        >>> version = FakeStore(buckets=["photos"])["photos"].put("cat.jpg", b"meow")
        >>> version.size, version.storage_class == "STANDARD"
        (4, True)

    Attributes:
        key: The key.
        version_id: The version id, or ``"null"``.
        content: The content: ``bytes``, a :class:`SparseContent`, or, after an upload in several parts, a
            :class:`JoinedContent`.
        etag: The entity tag with its quotes, a ``str``.
        last_modified: A time in UTC, in whole seconds.
        storage_class: The storage class.
        server_side_encryption: A :class:`ManagedEncryption` or a :class:`CustomerKey`; None if the object is not
            encrypted.
        acl: The access control list.
        parts: The parts in order; empty unless the object was uploaded in parts.
        checksum: The checksum of the content; None if the client sent none and the store computes none by default.
        tags: The tags, a read-only mapping.
        redirect: The location to which a website redirects requests for the object, or None.
        restoration: The temporary copy of an archived object; None if none was requested.
    """

    key: str
    version_id: str
    etag: EntityTag
    last_modified: datetime
    server_side_encryption: ServerSideEncryption | None
    acl: Acl
    checksum: Checksum | None = None
    restoration: Restoration | None = None
    #: The retention and the legal hold. Each has a property of its own.
    lock: Lock = UNLOCKED

    @property
    def size(self) -> int:
        """The size of the content in bytes."""
        return len(self.content)

    def part_range(self, number: int) -> range | None:
        """Return the positions of the bytes of a part, or None if the object has no such part.

        The first part has the number 1. An object that was not uploaded in parts has one part.
        """
        if not self.parts:
            return range(self.size) if number == 1 else None
        if not 1 <= number <= len(self.parts):
            return None
        start = sum(part.size for part in self.parts[: number - 1])
        return range(start, start + self.parts[number - 1].size)

    @property
    def encryption(self) -> Encryption | None:
        """The method of encryption; None if the object is not encrypted, or if the client keeps the key."""
        encryption = self.server_side_encryption
        return encryption.method if isinstance(encryption, ManagedEncryption) else None

    @property
    def content_tag(self) -> EntityTag | None:
        """The entity tag of the content in one piece and not encrypted; None if it must be computed."""
        return None if self.parts or hides_md5(self.server_side_encryption) else self.etag

    def is_readable(self, now: datetime) -> bool:
        """Return whether the content can be read at the time `now`: it is not archived, or a restored copy exists."""
        if not self.storage_class.is_archive:
            return True
        return self.restoration is not None and self.restoration.ready <= now < self.restoration.expires

    @property
    def retention(self) -> Retention | None:
        """The retention of the version, which may have ended; None if the version has no retention."""
        return self.lock.retention

    @property
    def legal_hold(self) -> LegalHold | None:
        """The legal hold, which keeps the version while it is ON; None if it was never set."""
        return self.lock.legal_hold

    @property
    def owner(self) -> Account:
        """The account that owns the object."""
        return self.acl.owner

    @property
    def metadata(self) -> Mapping[str, str]:
        """The user metadata. Names are in lower case; blanks around values are removed.

        A request sends ``camera`` in the header ``x-svc-meta-camera``, in S3 in ``x-amz-meta-camera``.
        """
        return self.all_metadata.user

    @property
    def content_type(self) -> str:
        """The Content-Type that the client sent. The default is ``binary/octet-stream``."""
        return self.all_metadata.content_type

    @property
    def cache_control(self) -> str | None:
        """The Cache-Control that the client sent."""
        return self.all_metadata.cache_control

    @property
    def content_disposition(self) -> str | None:
        """The Content-Disposition that the client sent."""
        return self.all_metadata.content_disposition

    @property
    def content_encoding(self) -> str | None:
        """The Content-Encoding that the client sent."""
        return self.all_metadata.content_encoding

    @property
    def content_language(self) -> str | None:
        """The Content-Language that the client sent."""
        return self.all_metadata.content_language

    @property
    def expires(self) -> int | str | None:
        """The Expires that the client sent: an ``int`` if it is a number of milliseconds, otherwise the text."""
        text = self.all_metadata.expires
        return int(text) if text is not None and text.isascii() and text.isdigit() else text

    def __repr__(self) -> str:
        return (
            f"<ObjectVersion {self.key!r} {self.version_id}: {counted(self.size, 'byte')},"
            f" {escaped(self.content_type)}, {self.last_modified:%Y-%m-%d %H:%M:%S}, of {self.owner}>"
        )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class DeleteMarker:
    """A delete marker: the object was deleted, but older versions of it are kept.

    Unlike an object version it has no content, size or entity tag.

    Attributes:
        key: The key.
        version_id: The version id, or ``"null"``.
        last_modified: When it was written, in UTC, in whole seconds.
        owner: The account that owns the delete marker.
    """

    key: str
    version_id: str
    last_modified: datetime
    owner: Account

    def __repr__(self) -> str:
        return f"<DeleteMarker {self.key!r} {self.version_id}: {self.last_modified:%Y-%m-%d %H:%M:%S}, of {self.owner}>"


class MarkerError(ErrorResponse):
    """The error for a delete marker in the place of an object.

    The service adds the headers ``delete-marker`` and ``version-id`` to the reply. With MethodNotAllowed it also adds
    ``Allow: DELETE``.

    Args:
        error: NoSuchKey, or MethodNotAllowed if the request names the marker.
    """

    def __init__(self, error: ErrorCode, marker: DeleteMarker, explanation: str, **elements: str) -> None:
        super().__init__(error, explanation=explanation, elements=elements)
        self.marker = marker

    @classmethod
    def refusing(cls, marker: DeleteMarker, explanation: str) -> MarkerError:
        """Return the error for a request that only an object version allows."""
        return cls(METHOD_NOT_ALLOWED, marker, explanation, ResourceType="DeleteMarker")


#: An entry in the history of a key: a version of the object or a delete marker.
Entry = ObjectVersion | DeleteMarker


class EntryId(NamedTuple):
    """The key and the version id of a version or delete marker.

    Attributes:
        key: The key.
        version_id: The version id, or ``"null"``.
    """

    key: str
    version_id: str

    @classmethod
    def of(cls, entry: Entry) -> EntryId:
        return cls(entry.key, entry.version_id)

    def __str__(self) -> str:
        return f"{self.key!r} {self.version_id}"


class Change(NamedTuple):
    """What was done to a key. A deletion may add a marker and remove the null version.

    Args:
        kind: The kind of its event, one of those in `fakestore.model.event`.
        created: The version or delete marker that was added.
        removed: The version or delete marker that was removed permanently. A version that a PUT replaced is left out.
        changed: The version whose tags, ACL, restoration or storage class changed.
    """

    kind: str
    created: Entry | None = None
    removed: Entry | None = None
    changed: ObjectVersion | None = None

    @property
    def entry(self) -> Entry | None:
        """The entry that an event is about; None if nothing was done."""
        return self.created or self.changed or self.removed

    @property
    def marker(self) -> DeleteMarker | None:
        """The delete marker that was added, or otherwise the one that was removed; None if there is none."""
        entry = self.created or self.removed
        return entry if isinstance(entry, DeleteMarker) else None


def ids_of_changes(changes: Sequence[Change]) -> Sequence[tuple[EntryId, ...]]:
    """Return the ids of the entries that were created, of those that were removed, and of those that changed.

    There is at least one change.
    """
    _, *columns = zip(*changes, strict=True)
    return [tuple([EntryId.of(entry) for entry in entries if entry is not None]) for entries in columns]


class OwnerToken:
    """Identifies the key index that may write to a history. Other indexes copy the history before they write."""


class History:
    """The entries of one key, ordered by time of writing, not by ``last_modified``.

    Every method takes constant time, except :meth:`entries_before` and :meth:`copy`.
    """

    __slots__ = ("_entries", "is_chronological", "owner_token")

    def __init__(self, owner_token: OwnerToken) -> None:
        self.owner_token = owner_token
        #: Whether no appended entry was ever older than the entry before it, by their ``last_modified``.
        self.is_chronological = True
        # An OrderedDict, because finding the last item of a plain dict gets slow after many removals at its end.
        self._entries: OrderedDict[str, Entry] = OrderedDict()

    def append(self, entry: Entry) -> Entry | None:
        """Add the newest entry. A null entry replaces the older null entry, which is returned. [suspended-put]"""
        replaced = self._entries.pop(entry.version_id, None)
        previous = self.latest
        if previous is not None and previous.last_modified > entry.last_modified:
            self.is_chronological = False
        self._entries[entry.version_id] = entry
        return replaced

    def remove(self, version_id: str) -> Entry | None:
        return self._entries.pop(version_id, None)

    def replace(self, entry: ObjectVersion) -> None:
        """Replace the entry with the same version id. The order does not change."""
        self._entries[entry.version_id] = entry

    def get(self, version_id: str) -> Entry | None:
        return self._entries.get(version_id)

    @property
    def latest(self) -> Entry | None:
        """The entry that was written last, or None if the history is empty."""
        return self._entries[next(reversed(self._entries))] if self._entries else None

    def entries_before(self, version_id: str, sequence_number: Callable[[str], int]) -> Iterator[Entry]:
        """Yield the entries that were written before ``version_id``, newest first.

        If the version was removed, the sequence numbers of the ids tell which entries are older. The null version has
        no sequence number; in that case it may be listed twice, so that it is never left out.
        [version-id-marker-of-a-deleted-version]

        The time is proportional to the number of entries newer than ``version_id``.
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
        """Return a copy of the history. The owner of ``owner_token`` may write to it."""
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
