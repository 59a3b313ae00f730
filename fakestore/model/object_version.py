"""Object versions and delete markers: the entries in the history of a key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from fakestore.messages import escaped
from fakestore.model.accounts import Account
from fakestore.model.acl import PRIVATE, Acl, RequestedAcl
from fakestore.model.content import Content
from fakestore.model.frozen_mapping import FrozenMapping
from fakestore.model.version_ids import VersionId


class StorageClass(StrEnum):
    """A storage class of the specification, section 4.1."""

    STANDARD = "STANDARD"
    REDUCED_REDUNDANCY = "REDUCED_REDUNDANCY"


class Encryption(StrEnum):
    """A server-side encryption method. It is stored and returned; the fake encrypts nothing."""

    AES256 = "AES256"
    KMS = "aws:kms"


#: The content type of an object that was stored without one.
DEFAULT_CONTENT_TYPE = "binary/octet-stream"
NO_USER_METADATA = FrozenMapping({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """The metadata of an object: system headers and user metadata. A copy of the object keeps it by default.

    Args:
        expires: Expires as the client sent it.
        user: The user metadata. Names are in lower case and without header prefix. The mapping is copied.
    """

    content_type: str = DEFAULT_CONTENT_TYPE
    cache_control: str | None = None
    content_disposition: str | None = None
    content_encoding: str | None = None
    content_language: str | None = None
    expires: str | None = None
    user: Mapping[str, str] = NO_USER_METADATA

    def __post_init__(self) -> None:
        if not isinstance(self.user, FrozenMapping):
            object.__setattr__(self, "user", FrozenMapping(self.user) if self.user else NO_USER_METADATA)


NO_METADATA = Metadata()


@dataclass(frozen=True, slots=True)
class ObjectPart:
    """A part of an object that was uploaded in parts.

    Args:
        size: The size of the part in bytes.
    """

    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NewObject:
    """An object that is about to be stored, before it has a key, an id or an owner.

    Args:
        content: The content. It is kept by reference.
        digest: The entity tag of the content, without quotes; see :func:`fakestore.model.content.entity_tag`.
        acl: The ACL as requested. It is expanded when the object is stored.
        parts: The parts in order; empty unless the object was uploaded in parts.
    """

    content: Content
    digest: str
    metadata: Metadata = NO_METADATA
    storage_class: StorageClass = StorageClass.STANDARD
    encryption: Encryption | None = None
    acl: RequestedAcl = PRIVATE
    parts: tuple[ObjectPart, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ObjectVersion:
    """One version of an object. It never changes; a new ACL makes a new value that takes its place.

    Versions can be compared, hashed, pickled and copied, and ``dataclasses.asdict`` works with them.

    Example:
        >>> from fakestore import FakeStore
        >>> version = FakeStore(buckets=["photos"])["photos"].put("cat.jpg", b"meow")
        >>> version.size, version.storage_class == "STANDARD"
        (4, True)

    Args:
        digest: The entity tag without quotes.
        last_modified: A time in UTC, in whole seconds.
        all_metadata: System headers and user metadata. Each has a property of its own.
        parts: The parts in order; empty unless the object was uploaded in parts.
    """

    key: str
    version_id: VersionId
    content: Content
    digest: str
    last_modified: datetime
    all_metadata: Metadata
    storage_class: StorageClass
    encryption: Encryption | None
    acl: Acl
    parts: tuple[ObjectPart, ...] = ()

    @property
    def etag(self) -> str:
        """The entity tag as it is sent, with quotes."""
        return f'"{self.digest}"'

    @property
    def size(self) -> int:
        """The size of the content in bytes."""
        return len(self.content)

    def part_range(self, number: int) -> range | None:
        """Return the bytes of the part at a place from 1, or None if there is no such part.

        An object that was not uploaded in parts has one part.
        """
        if not self.parts:
            return range(self.size) if number == 1 else None
        if not 1 <= number <= len(self.parts):
            return None
        start = sum(part.size for part in self.parts[: number - 1])
        return range(start, start + self.parts[number - 1].size)

    @property
    def owner(self) -> Account:
        """The account that owns the object."""
        return self.acl.owner

    @property
    def metadata(self) -> Mapping[str, str]:
        """The user metadata. Names are in lower case and without prefix; blanks around values are removed."""
        return self.all_metadata.user

    @property
    def content_type(self) -> str:
        """The Content-Type that the client sent, or the default type."""
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
        """The Expires that the client sent: a number of milliseconds, or a text if the service accepts any."""
        text = self.all_metadata.expires
        return int(text) if text is not None and text.isascii() and text.isdigit() else text

    def __repr__(self) -> str:
        return (
            f"<ObjectVersion {self.key!r} {self.version_id}: {self.size:,} bytes, {escaped(self.content_type)},"
            f" {self.last_modified:%Y-%m-%d %H:%M:%S}, of {self.owner}>"
        )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class DeleteMarker:
    """A delete marker: the object was deleted, but older versions of it are kept.

    Unlike an object version it has no content, size or entity tag.
    """

    key: str
    version_id: VersionId
    last_modified: datetime
    owner: Account

    def __repr__(self) -> str:
        return f"<DeleteMarker {self.key!r} {self.version_id}: {self.last_modified:%Y-%m-%d %H:%M:%S}, of {self.owner}>"


Entry = ObjectVersion | DeleteMarker
