"""What the oracle knows: entries, uploads, rules, and what differs between services."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache

NULL = "null"
#: The name of a requester that does not sign.
ANONYMOUS = "anonymous"
ALL_USERS = "http://acs.amazonaws.com/groups/global/AllUsers"
AUTHENTICATED_USERS = "http://acs.amazonaws.com/groups/global/AuthenticatedUsers"
LOG_DELIVERY = "http://acs.amazonaws.com/groups/s3/LogDelivery"
BUCKET_OWNER = "the bucket owner"
CANNED = {
    "private": [],
    "public-read": [(ALL_USERS, "READ")],
    "public-read-write": [(ALL_USERS, "READ"), (ALL_USERS, "WRITE")],
    "authenticated-read": [(AUTHENTICATED_USERS, "READ")],
    "bucket-owner-read": [(BUCKET_OWNER, "READ")],
    "bucket-owner-full-control": [(BUCKET_OWNER, "FULL_CONTROL")],
}

Grants = list[tuple[str, str]]


@dataclass(frozen=True)
class Meaning:
    """What differs between services. The defaults are those of the specification; see docs/semantics.md."""

    delete_removes_null: bool = True
    ignores_future_date_of_copy: bool = False
    allows_anonymous: bool = False
    names_absent_marker: bool = True
    length_of_delete: str | None = "0"
    names_null_copy_in: str = "never"
    names_null_source: bool = True
    names_requested_version: bool = True
    date_of_copy: str = "%Y-%m-%dT%H:%M:%S<"
    encryption: str | None = None
    has_checksums: bool = False
    expires_is_number: bool = True
    decodes_metadata: bool = False
    storage_classes: tuple[str, ...] = ("STANDARD", "REDUCED_REDUNDANCY")


SPECIFIED = Meaning()
RECORDED = Meaning(
    delete_removes_null=False,
    ignores_future_date_of_copy=True,
    allows_anonymous=True,
    names_absent_marker=False,
    length_of_delete=None,
    names_null_copy_in="suspended",
    names_null_source=False,
    names_requested_version=False,
    date_of_copy="%Y-%m-%dT%H:%M:%S.000Z<",
    encryption="AES256",
    has_checksums=True,
    expires_is_number=False,
    decodes_metadata=True,
    storage_classes=("STANDARD", "REDUCED_REDUNDANCY", "STANDARD_IA"),
)


@dataclass
class Written:
    """What the headers of a request say about the object that it writes.

    Args:
        acl: The name of a canned ACL, or a list of grants, or None.
        metadata: Standard headers and user metadata. A copy uses them only with the directive REPLACE.
        storage: The storage class, or None.
        tags: The tags, or None. A copy uses them only with the tagging directive REPLACE.
        directive: The metadata directive of a copy.
        tagging: The tagging directive of a copy.
        retention: The mode and the end of a retention, or None.
        hold: Whether there is a legal hold, or None.
    """

    acl: str | Grants | None = None
    metadata: dict[str, str] = field(default_factory=dict)
    storage: str | None = None
    tags: dict[str, str] | None = None
    directive: str | None = None
    tagging: str | None = None
    retention: tuple[str, datetime] | None = None
    hold: bool | None = None


@dataclass
class Entry:
    """An object version or a delete marker. An `id` that begins with "?" stands for one that the store will issue."""

    id: str
    at: datetime
    owner: str
    is_marker: bool = False
    content: bytes = b""
    metadata: dict[str, str] = field(default_factory=dict)
    storage: str = "STANDARD"
    grants: Grants = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)
    #: The mode and the end of the retention, or None; and whether there is a legal hold, None if it was never set.
    retention: tuple[str, datetime] | None = None
    hold: bool | None = None
    #: The contents of the parts, if the object was uploaded in parts.
    parts: list[bytes] = field(default_factory=list)

    @property
    def etag(self):
        if not self.parts:
            return etag_of(self.content)
        digests = b"".join(hashlib.md5(part).digest() for part in self.parts)
        return f'"{hashlib.md5(digests).hexdigest()}-{len(self.parts)}"'


@dataclass
class Part:
    content: bytes
    at: datetime

    @property
    def etag(self):
        return etag_of(self.content)


@dataclass
class Upload:
    """A multipart upload.

    Args:
        written: What the request that began it says about the object.
        parts: The parts by their numbers.
        is_overtaken: Whether the key was written or deleted since the upload began.
        named: The parts that made the current object of the key, if the upload did.
    """

    id: str
    key: str
    at: datetime
    who: str
    written: Written
    parts: dict[int, Part] = field(default_factory=dict)
    is_overtaken: bool = False
    named: list[tuple[int, str]] | None = None


@dataclass
class LifecycleRule:
    id: str
    prefix: str = ""
    days: int | None = None
    date: datetime | None = None
    noncurrent: int | None = None
    keep: int | None = None
    expired_marker: bool = False
    abort: int | None = None
    tags: dict[str, str] = field(default_factory=dict)
    enabled: bool = True

    def is_about_key(self, key):
        return self.enabled and key.startswith(self.prefix)

    def is_about(self, key, entry):
        """Return whether the rule acts on an entry. A delete marker has no tags."""
        has_tags = all(entry.tags.get(name) == value for name, value in self.tags.items())
        return self.is_about_key(key) and has_tags

    def expires(self, written):
        """Return when a current object expires that was written at this time, or None."""
        if self.days is not None:
            return next_midnight(written + timedelta(days=self.days))
        return max(self.date, next_midnight(written)) if self.date is not None else None


@dataclass
class Statement:
    """One statement of a policy. `who` is None for every requester; patterns have a star at their end or nowhere.

    If `others` is true, it is about every requester but `who`.
    """

    effect: str
    who: str | None
    action: str
    resource: str
    others: bool = False

    @property
    def is_public(self):
        """Return whether it allows something to every requester, or to all except one."""
        return self.effect == "Allow" and (self.who is None or self.others)

    def applies(self, who, action, resource):
        is_about = (self.who in (None, who)) != self.others
        return is_about and matches(self.action, action) and matches(self.resource, resource)


@dataclass
class Bucket:
    owner: str
    versioning: str
    last_look: datetime
    grants: Grants
    rules: list[LifecycleRule] = field(default_factory=list)
    policy: list[Statement] = field(default_factory=list)
    entries: dict[str, list[Entry]] = field(default_factory=dict)
    #: The object ownership, or None; ACLs have no effect with "BucketOwnerEnforced".
    ownership: str | None = None
    #: The switches of the public access block that are on.
    block: frozenset[str] = frozenset()
    #: Whether versions can be locked, and the mode and the days of the default retention.
    locks: bool = False
    default_retention: tuple[str, int] | None = None
    #: The unfinished uploads in the order in which they began.
    uploads: list[Upload] = field(default_factory=list)
    #: The completed and aborted uploads.
    ended: list[Upload] = field(default_factory=list)


@dataclass
class Answer:
    """An expected answer. A header of None is absent; an id that begins with "?" is any new id."""

    status: int
    code: str | None = None
    headers: dict[str, str | None] = field(default_factory=dict)
    content: bytes | None = None


def denied():
    return Answer(403, "AccessDenied")


def matches(pattern, text):
    return text.startswith(pattern[:-1]) if pattern.endswith("*") else text == pattern


def next_midnight(moment):
    """Return the moment itself if it is a midnight, else the next midnight."""
    day = datetime(moment.year, moment.month, moment.day, tzinfo=UTC)
    return day if day == moment else day + timedelta(days=1)


@lru_cache(maxsize=16)  # formatting a frozen date takes long
def http_date(moment):
    return moment.strftime("%a, %d %b %Y %H:%M:%S GMT")


def etag_of(content):
    return f'"{hashlib.md5(content).hexdigest()}"'


def crc64nvme(content):
    """Return the base64 of the CRC64NVME of a short content, computed bit by bit."""
    ones = 2**64 - 1
    remainder = ones
    for byte in content:
        remainder ^= byte
        for _ in range(8):
            remainder = remainder >> 1 ^ (0x9A6C9329AC4BC9B5 if remainder & 1 else 0)
    return base64.b64encode((remainder ^ ones).to_bytes(8, "big")).decode()
