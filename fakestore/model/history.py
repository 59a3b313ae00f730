"""What one key holds: object versions and delete markers, their ids, and the order they were written in."""

from __future__ import annotations

import base64
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from itertools import dropwhile, islice
from types import MappingProxyType
from typing import NamedTuple, NewType

from fakestore.model.accounts import Account
from fakestore.model.acl import Acl
from fakestore.model.content import Content

VersionId = NewType("VersionId", str)

#: The id of the null version: what is written while versioning is not enabled. A key has at most one.
NULL = VersionId("null")


class VersionIds:
    """Ids of versions: 32 characters of [A-Za-z0-9._], the last eight a check over the others.

    With the check, "was this id ever issued here" needs no memory. The order of minting can be read back from an
    id, so that a listing can go on behind a version that is gone. The same seed gives the same ids, and the same
    checks over whatever else a client is given to bring back.
    """

    def __init__(self, seed: int) -> None:
        self._secret = b"version ids of seed %d" % seed
        self._issued_count = 0

    @property
    def issued_count(self) -> int:
        """How many ids were minted since the beginning."""
        return self._issued_count

    def restart(self) -> None:
        """The first id is the next."""
        self._issued_count = 0

    def skip_to(self, minted: int) -> None:
        """So many ids are taken; the next is none of them."""
        self._issued_count = max(self._issued_count, minted)

    def issue(self) -> VersionId:
        self._issued_count += 1
        salt = self._digest(b"%d" % self._issued_count, 12)
        body = base64.b64encode(salt + self._mask(salt, self._issued_count), b"._").decode()
        return VersionId(body + self._check(body))

    def is_issued(self, version_id: str) -> bool:
        """Whether the id has the form and the check of this seed's ids; ``null`` always counts as issued."""
        if version_id == NULL:
            return True
        return len(version_id) == 32 and version_id.isascii() and self._check(version_id[:24]) == version_id[24:]

    def sequence(self, version_id: VersionId) -> int:
        """The how-manieth id this was, counted from 1. Only for ids that were :meth:`issued` and are not null."""
        raw = base64.b64decode(version_id[:24], b"._")
        return int.from_bytes(self._mask(raw[:12], int.from_bytes(raw[12:], "big")), "big")

    def sign(self, text: str) -> bytes:
        """Six bytes by which a text is known again as one that was issued here."""
        return self._digest(b"check over " + text.encode(), 6)

    def _mask(self, salt: bytes, number: int) -> bytes:
        return (number ^ int.from_bytes(self._digest(salt, 6), "big")).to_bytes(6, "big")

    def _check(self, body: str) -> str:
        return base64.b64encode(self._digest(b"check of " + body.encode(), 6), b"._").decode()

    def _digest(self, source: bytes, size: int) -> bytes:
        return hashlib.blake2b(source, digest_size=size, key=self._secret).digest()


class Versioning(Enum):
    """The three versioning states of a bucket; there is no way back to NEVER."""

    NEVER = "never"
    ENABLED = "enabled"
    SUSPENDED = "suspended"

    def next_id(self, mint: Callable[[], VersionId]) -> VersionId:
        """The id of the next version written: a new one while enabled, else the null one."""
        return mint() if self is Versioning.ENABLED else NULL


class StorageClass(Enum):
    STANDARD = "STANDARD"
    REDUCED_REDUNDANCY = "REDUCED_REDUNDANCY"


class Encryption(Enum):
    AES256 = "AES256"
    KMS = "aws:kms"


DEFAULT_CONTENT_TYPE = "binary/octet-stream"
NO_USER_METADATA: Mapping[str, str] = MappingProxyType({})


class Metadata(NamedTuple):
    """What describes an object's content and travels with it when it is copied: system headers and user metadata.

    ``expires`` is a number of milliseconds, in the digits it was sent in. ``user`` maps lower-case names without
    prefix to values.
    """

    content_type: str = DEFAULT_CONTENT_TYPE
    cache_control: str | None = None
    content_disposition: str | None = None
    content_encoding: str | None = None
    content_language: str | None = None
    expires: str | None = None
    user: Mapping[str, str] = NO_USER_METADATA


@dataclass(frozen=True, slots=True, repr=False)
class ObjectVersion:
    """A whole object as it was stored once; never changed, only replaced in its place when its ACL is.

    ``etag`` is the entity tag as it is sent, with its quotes. ``last_modified`` is in UTC, to the second.
    """

    key: str
    version_id: VersionId
    content: Content
    etag: str
    last_modified: datetime
    all_metadata: Metadata
    storage_class: StorageClass
    encryption: Encryption | None
    acl: Acl

    @property
    def size(self) -> int:
        """Of the content, in bytes."""
        return len(self.content)

    @property
    def owner(self) -> Account:
        return self.acl.owner

    @property
    def metadata(self) -> Mapping[str, str]:
        """The user metadata: lower-case names without prefix, values as they were sent but for blanks around them."""
        return self.all_metadata.user

    @property
    def content_type(self) -> str:
        return self.all_metadata.content_type

    @property
    def cache_control(self) -> str | None:
        return self.all_metadata.cache_control

    @property
    def content_disposition(self) -> str | None:
        return self.all_metadata.content_disposition

    @property
    def content_encoding(self) -> str | None:
        return self.all_metadata.content_encoding

    @property
    def content_language(self) -> str | None:
        return self.all_metadata.content_language

    @property
    def expires(self) -> int | None:
        """Milliseconds before expiration, as the client stated them."""
        digits = self.all_metadata.expires
        return None if digits is None else int(digits)

    def __repr__(self) -> str:
        return (
            f"<ObjectVersion {self.key!r} {self.version_id}: {self.size:,} bytes, {self.content_type},"
            f" {self.last_modified:%Y-%m-%d %H:%M:%S}, of {self.owner}>"
        )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class DeleteMarker:
    """Says the key is gone; has no content, size or etag to ask for."""

    key: str
    version_id: VersionId
    last_modified: datetime
    owner: Account

    def __repr__(self) -> str:
        return f"<DeleteMarker {self.key!r} {self.version_id}: {self.last_modified:%Y-%m-%d %H:%M:%S}, of {self.owner}>"


Entry = ObjectVersion | DeleteMarker


class History:
    """What one key holds, oldest first; the newest is the last written, whatever the clock says.

    Every step costs the same, however long the history is, but :meth:`older_than`.
    """

    __slots__ = ("_entries", "ascending", "writer")

    def __init__(self, writer: object = None) -> None:
        #: Whoever alone may write here; anybody else copies first.
        self.writer = writer
        #: Whether every entry was written when the clock said no less than for those under it.
        self.ascending = True
        # An OrderedDict: the tail of a plain dict is not freed by ``del``, so its newest gets slow to find.
        self._entries: OrderedDict[VersionId, Entry] = OrderedDict()

    def push(self, entry: Entry) -> None:
        """Put ``entry`` on top; a null entry first takes out the older null one. [suspended-put]"""
        self._entries.pop(entry.version_id, None)
        under = self.current
        self.ascending = self.ascending and (under is None or under.last_modified <= entry.last_modified)
        self._entries[entry.version_id] = entry

    def take(self, version_id: VersionId) -> Entry | None:
        """Remove the entry for good and return it; ``None`` where there is none."""
        return self._entries.pop(version_id, None)

    def replace(self, entry: ObjectVersion) -> None:
        """Put ``entry`` in the place of the one with its id."""
        self._entries[entry.version_id] = entry

    def get(self, version_id: str) -> Entry | None:
        return self._entries.get(VersionId(version_id))

    @property
    def current(self) -> Entry | None:
        """The entry written last; ``None`` in an empty history."""
        return next(reversed(self._entries.values()), None)

    def older_than(self, version_id: VersionId, sequence: Callable[[VersionId], int]) -> Iterator[Entry]:
        """The entries written before the one named, newest first.

        Where that one is gone, ``sequence`` tells what was written before it. The null version's id has no place
        in that order, so the null version is then repeated rather than lost. [marker-of-a-deleted-version]

        Finding the place costs a step for each newer entry: the mapping has no positions. None of them is copied.
        """
        newest_first = iter(self)
        if version_id in self._entries:
            return islice(dropwhile(lambda entry: entry.version_id != version_id, newest_first), 1, None)
        if version_id == NULL:
            return newest_first
        gone = sequence(version_id)
        return dropwhile(lambda entry: entry.version_id != NULL and sequence(entry.version_id) > gone, newest_first)

    def copy(self, writer: object) -> History:
        other = History(writer)
        other.ascending, other._entries = self.ascending, self._entries.copy()
        return other

    def __iter__(self) -> Iterator[Entry]:
        """Newest first."""
        return reversed(self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)
