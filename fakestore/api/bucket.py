"""The handle of a bucket: how a test arranges and looks at what is stored, without a request."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from fakestore.api.options import VersioningName, versioning_of
from fakestore.http.integers import parse_integer as read_integer
from fakestore.messages import counted
from fakestore.model.accounts import Account, Accounts
from fakestore.model.acl import Acl, CannedAcl
from fakestore.model.bucket import BucketRecord
from fakestore.model.content import Content, SparseContent, entity_tag
from fakestore.model.encryption import Encryption, ManagedEncryption
from fakestore.model.errors import ErrorResponse
from fakestore.model.lifecycle import Lifecycle, Rule
from fakestore.model.mfa import MfaDevice
from fakestore.model.names import check_key
from fakestore.model.object_version import (
    DEFAULT_CONTENT_TYPE,
    DeleteMarker,
    Entry,
    Metadata,
    NewObject,
    ObjectVersion,
)
from fakestore.model.policy import Effect, Statement, actions_matching
from fakestore.model.storage_class import StorageClass
from fakestore.model.tags import OBJECT_TAGS
from fakestore.model.versioning import Versioning
from fakestore.operations.core.registry import known_actions
from fakestore.operations.object.headers import metadata_size as size_of_metadata

if TYPE_CHECKING:
    from fakestore.service.service import Service

_Kind = TypeVar("_Kind", CannedAcl, StorageClass, Encryption)


class Bucket:
    """Stands for the bucket of a name, and sees its state also after a restore.

    Calls here arrange: they meet no authentication, ACL, fault or journal. The rules of keys and sizes hold, and
    lifecycle rules act as the clock says. A handle compares equal to another of the same name and store.
    """

    def __init__(self, service: Service, name: str) -> None:
        self._service = service
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    @contextmanager
    def _record(self) -> Iterator[BucketRecord]:
        """The bucket as it is now, held until the block is left; refusals of the model become Python's errors."""
        with self._service.lock:
            buckets = self._service.state.buckets
            if self._name not in buckets:
                raise KeyError(f"there is no bucket {self._name!r} (any more); buckets: {', '.join(sorted(buckets))}")
            record = buckets[self._name]
            record.apply_lifecycle(self._service.clock())
            try:
                yield record
            except ErrorResponse as refusal:
                raise ValueError(refusal.explanation) from None

    # -- looking

    def __getitem__(self, key: str) -> ObjectVersion:
        """The current object under ``key``.

        Raises:
            KeyError: there is none, or a delete marker is on top.
        """
        with self._record() as record:
            newest = record.latest_entry(key)
            if isinstance(newest, ObjectVersion):
                return newest
            if newest is not None:
                raise KeyError(f"on top of {key!r} in bucket {self._name!r} is {newest!r}")
            raise KeyError(f"bucket {self._name!r} has no key {key!r}; it has {_some(record)}")

    def __contains__(self, key: object) -> bool:
        """Whether there is a current object under ``key``."""
        with self._record() as record:
            return isinstance(key, str) and isinstance(record.latest_entry(key), ObjectVersion)

    def __iter__(self) -> Iterator[str]:
        """The keys that have a current object, by their UTF-8 bytes; a copy, so the bucket may change meanwhile."""
        with self._record() as record:
            return iter(list(record.current_keys_from("", inclusive=True)))

    def __len__(self) -> int:
        """How many keys have a current object."""
        with self._record() as record:
            return record.object_count

    def __bool__(self) -> bool:
        """True, also of an empty bucket, as of a store without buckets."""
        return True

    def versions(self, key: str | None = None) -> list[Entry]:
        """The versions and delete markers of ``key``, or of the whole bucket.

        Keys ascend by their UTF-8 bytes; within a key the newest comes first, by order of writing.

        Raises:
            KeyError: ``key`` has never been written, or its last version was deleted for good.
        """
        with self._record() as record:
            if key is None:
                return [entry for each in record for entry in record.entries(each)]
            entries = list(record.entries(key))
            if not entries:
                raise KeyError(f"bucket {self._name!r} has no version of {key!r}; it has {_some(record)}")
            return entries

    @property
    def versioning(self) -> VersioningName:
        with self._record() as record:
            return record.versioning.value

    @property
    def owner(self) -> Account:
        with self._record() as record:
            return record.owner

    @property
    def acl(self) -> Acl:
        """The bucket's own access control list; assigned to by the name of a canned one."""
        with self._record() as record:
            return record.acl

    @acl.setter
    def acl(self, canned: str) -> None:
        with self._record() as record:
            record.acl = canned_acl(canned).expand(record.owner, record.owner)

    # -- arranging

    def put(
        self,
        key: str,
        content: Content = b"",
        *,
        metadata: Mapping[str, str] | None = None,
        content_type: str | None = None,
        cache_control: str | None = None,
        content_disposition: str | None = None,
        content_encoding: str | None = None,
        content_language: str | None = None,
        expires: int | None = None,
        storage_class: str = "STANDARD",
        encryption: str | None = None,
        acl: str = "private",
        tags: Mapping[str, str] | None = None,
        account: Account | None = None,
        last_modified: dt.datetime | None = None,
    ) -> ObjectVersion:
        """Store an object, as a PUT of ``account`` would: by default of the bucket's owner, and now.

        Args:
            content_type: ``binary/octet-stream`` unless given.
            metadata: user metadata, names without prefix; they are lower-cased, and blanks around values stripped.
            expires: milliseconds before expiration, of at most 18 digits.
            tags: the tags of the object, at most 10.
            last_modified: another date; aware, or taken for UTC. The order of versions is that of writing all the same.

        Raises:
            ValueError: a key, size, metadata or named value that the service would refuse.
            TypeError: content that is neither bytes nor sparse, or another argument of the wrong kind.
        """
        self._checked(content)
        for text in (content_type, cache_control, content_disposition, content_encoding, content_language):
            if text is not None:
                _check_header_text(text)
        if expires is not None and (not isinstance(expires, int) or read_integer(str(expires)) is None):
            raise ValueError(f"expires is a number of milliseconds of at most 18 digits, not {expires!r}")
        described = Metadata(
            content_type=(content_type or "").strip(" \t") or DEFAULT_CONTENT_TYPE,
            cache_control=cache_control,
            content_disposition=content_disposition,
            content_encoding=content_encoding,
            content_language=content_language,
            expires=None if expires is None else str(expires),
            user=self._user_metadata({} if metadata is None else metadata),
        )
        new = NewObject(
            content=content,
            digest=entity_tag(content),
            metadata=described,
            storage_class=self._storage_class(storage_class),
            encryption=None
            if encryption is None
            else ManagedEncryption(_member(Encryption, encryption, "encryption algorithm")),
            acl=canned_acl(acl),
        )
        with self._record() as record:
            check_key(key)
            if tags:
                new = replace(new, tags=OBJECT_TAGS.check(tags.items()))
            return record.put(
                key,
                new,
                owner=record.owner if account is None else self._account(account),
                now=self._moment(last_modified),
            )

    def delete(
        self, key: str, *, account: Account | None = None, last_modified: dt.datetime | None = None
    ) -> DeleteMarker | None:
        """A simple DELETE: the delete marker it made, or ``None`` in a bucket that was never versioned.

        Raises:
            ValueError: a key that the service would refuse.
            TypeError: an argument of the wrong kind.
        """
        with self._record() as record:
            check_key(key)
            return record.delete(
                key,
                owner=record.owner if account is None else self._account(account),
                now=self._moment(last_modified),
            )

    def delete_version(self, key: str, version_id: str) -> Entry:
        """Remove one version or delete marker for good, and return it.

        Raises:
            KeyError: the key has no such version.
            ValueError: an id that this store never issued.
        """
        with self._record() as record:
            taken = record.delete_version(key, version_id)
        if taken is None:
            raise KeyError(f"key {key!r} in bucket {self._name!r} has no version {version_id!r}")
        return taken

    def seed(self, key: str, history: Iterable[tuple[dt.datetime, Content | type[DeleteMarker]]]) -> list[Entry]:
        """Write a history in one call, oldest first: moments with contents, or with the class ``DeleteMarker``.

        Lifecycle rules act on it when it is whole.

        Returns:
            What was written, oldest first.

        Raises:
            ValueError: a key or size that the service would refuse, or a delete marker for a bucket that was never
                versioned; nothing is written then.
            TypeError: what is neither bytes nor sparse nor ``DeleteMarker``; nothing is written then.
        """
        # Before the store is locked: what makes the history may take its time.
        steps = [
            (self._moment(moment), None if what is DeleteMarker else self._checked(what)) for moment, what in history
        ]
        with self._record() as record:
            check_key(key)
            if record.versioning is Versioning.NEVER and any(content is None for _, content in steps):
                raise ValueError(f"bucket {self._name!r} was never versioned, so {key!r} gets no delete marker")
            written: list[Entry | None] = [
                record.delete(key, owner=record.owner, now=moment)
                if content is None
                else record.put(
                    key,
                    NewObject(content=content, digest=entity_tag(content)),
                    owner=record.owner,
                    now=moment,
                )
                for moment, content in steps
            ]
            return [entry for entry in written if entry is not None]

    def set_versioning(self, versioning: VersioningName, *, mfa_device: MfaDevice | None = None) -> None:
        """Enable or suspend versioning; with a device, MFA Delete is enabled as well.

        Raises:
            ValueError: another name, "never" of a bucket that was versioned, for there is no way back, or "never"
                with a device.
            TypeError: a device that is none.
        """
        state = versioning_of(versioning)
        if mfa_device is not None and not isinstance(mfa_device, MfaDevice):
            raise TypeError(f"mfa_device is a fakestore.MfaDevice(serial, code), not {mfa_device!r}")
        with self._record() as record:
            if state is Versioning.NEVER and record.versioning is not Versioning.NEVER:
                raise ValueError(f"bucket {self._name!r} is versioned; it can be 'suspended', not 'never' again")
            if state is Versioning.NEVER and mfa_device is not None:
                raise ValueError("MFA Delete goes with versioning; set 'enabled' or 'suspended' with a device")
            record.versioning = state
            if mfa_device is not None:
                record.mfa_device, record.mfa_delete = mfa_device, True

    def expire(
        self,
        *,
        rule_id: str,
        prefix: str = "",
        days: int | None = None,
        date: dt.datetime | None = None,
        noncurrent_days: int | None = None,
        newer_noncurrent_versions: int | None = None,
        expired_marker: bool = False,
    ) -> None:
        """Add a lifecycle rule for the keys under ``prefix``, as a ``PUT ?lifecycle`` would; the others stay.

        Args:
            days: objects expire so many days after they were written, at the next midnight UTC.
            date: objects expire then: a midnight UTC; aware, or taken for UTC.
            noncurrent_days: versions go for good so many days after another was written over them.
            newer_noncurrent_versions: of those, so many newest ones stay.
            expired_marker: a delete marker goes once it is all that its key has left.

        Raises:
            ValueError: a number out of its bounds, a date that is no midnight, a rule that does nothing or whose
                parts do not go together, or a rule id that is taken or cannot be one.
            TypeError: an argument of the wrong kind.
        """
        for name, text in (("rule_id", rule_id), ("prefix", prefix)):
            _check_utf8(name, text)
        counts = {
            "days": days,
            "noncurrent_days": noncurrent_days,
            "newer_noncurrent_versions": newer_noncurrent_versions,
        }
        for name, count in counts.items():
            if count is not None and type(count) is not int:
                raise TypeError(f"{name} is a whole number, not {count!r}")
        if date is not None and not isinstance(date, dt.datetime):
            raise TypeError(f"date is a datetime, a midnight in UTC, not {date!r}")
        if not isinstance(expired_marker, bool):
            raise TypeError(f"expired_marker is True or False, not {expired_marker!r}")
        rule = Rule(
            id=rule_id,
            prefix=prefix,
            days=days,
            date=None if date is None else _in_utc(date),
            noncurrent_days=noncurrent_days,
            newer_noncurrent_versions=newer_noncurrent_versions,
            expired_marker=expired_marker or None,  # False is said in XML alone
        )
        with self._record() as record:
            rules = record.lifecycle.rules if record.lifecycle else ()
            if rule_id in [each.id for each in rules]:
                raise ValueError(f"bucket {self._name!r} has a lifecycle rule {rule_id!r} already")
            record.lifecycle = Lifecycle((*rules, rule))

    def deny(self, account: Account, *actions: str) -> None:
        """Add an explicit Deny to the bucket's policy, which wins over ownership, ACLs and Allow.

        Raises:
            ValueError: no action, one that there is not, or an account of another store.
            TypeError: no account.
        """
        self._add_statement(Effect.DENY, account, actions)

    def allow(self, account: Account, *actions: str) -> None:
        """Add an Allow to the bucket's policy: what no ACL grants need not be granted then.

        Raises:
            ValueError: no action, one that there is not, or an account of another store.
            TypeError: no account.
        """
        self._add_statement(Effect.ALLOW, account, actions)

    def _account(self, given: object) -> Account:
        return checked_account(given, self._service.state.accounts)

    def _add_statement(self, effect: Effect, account: Account, actions: tuple[str, ...]) -> None:
        if not actions:
            raise ValueError("name at least one action, such as 's3:DeleteObject'")
        known = known_actions().on_objects | known_actions().on_buckets
        for action in actions:
            if not actions_matching(action, known):
                raise ValueError(f"{action!r} matches no action on a bucket; there are {', '.join(sorted(known))}")
        principals = frozenset({self._account(account).id})
        with self._record() as record:
            statement = Statement(effect, principals, actions, (self._name, f"{self._name}/*"), sid=None)
            record.policy = record.policy.with_statement(statement)

    def _user_metadata(self, metadata: Mapping[str, str]) -> Mapping[str, str]:
        if not isinstance(metadata, Mapping):
            raise TypeError(f"user metadata is a mapping of names to values, not {metadata!r}")
        for name, value in metadata.items():
            if not isinstance(name, str):
                raise TypeError(f"a name of user metadata is text, not {name!r}")
            if not name or not name.isascii() or not name.isprintable() or set(name) & set(' ":;,()[]{}<>@/\\?='):
                raise ValueError(f"{name!r} cannot be part of a header's name, so it is no name of user metadata")
            _check_header_text(value)
        lower = {name.lower(): value.strip(" \t") for name, value in metadata.items()}
        if len(lower) < len(metadata):
            raise ValueError(f"names of user metadata differ by more than their case; not so {', '.join(metadata)}")
        size = size_of_metadata(lower)
        if size > self._service.limits.metadata:
            raise ValueError(
                f"{size:,} bytes of user metadata, and Limits.metadata is {self._service.limits.metadata:,}"
            )
        return lower

    def _storage_class(self, name: object) -> StorageClass:
        """The storage class of this name, if the service has it."""
        classes = self._service.dialect.semantics.storage_classes
        if isinstance(name, str) and name not in classes:
            known = ", ".join(repr(each.value) for each in StorageClass if each in classes)
            raise ValueError(f"unknown storage class {name!r}; this service has {known}")
        return _member(StorageClass, name, "storage class")

    def _checked(self, content: object) -> Content:
        """What can be the content of an object here."""
        if not isinstance(content, bytes | SparseContent):
            raise TypeError(f"content is bytes or SparseContent, not {type(content).__name__}; encode text first")
        # Not len(): that of sparse content may be more than an index can be.
        self._check_size(content.size if isinstance(content, SparseContent) else len(content))
        return content

    def _check_size(self, size: int) -> None:
        if size > self._service.limits.object_size:
            raise ValueError(
                f"{size:,} bytes of content, and Limits.object_size is {self._service.limits.object_size:,}"
            )

    def _moment(self, given: dt.datetime | None) -> dt.datetime:
        if given is None:
            return self._service.clock()
        if not isinstance(given, dt.datetime):
            raise TypeError(f"a moment is a datetime, not {given!r}")
        return _in_utc(given).replace(microsecond=0)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Bucket) and (other._service, other._name) == (self._service, self._name)

    def __hash__(self) -> int:
        return hash((id(self._service), self._name))

    def __repr__(self) -> str:
        try:
            with self._record() as record:
                keys = counted(record.object_count, "key")
                return f"<Bucket {self._name!r} of {record.owner}, versioning {record.versioning.value}, {keys}>"
        except KeyError:
            return f"<Bucket {self._name!r}: not there any more>"


def checked_account(account: object, accounts: Accounts) -> Account:
    """``account``, where it is one of the store's.

    Raises:
        TypeError: it is none, such as the name of one; it names those there are.
        ValueError: it is none that the store has: another's, or made after the snapshot that was restored.
    """
    there = f"there are {', '.join(repr(each.display_name) for each in accounts)}"
    if not isinstance(account, Account):
        raise TypeError(f"an account is what store.create_account() gives, not {account!r}; {there}")
    if account not in accounts:
        raise ValueError(f"{str(account)!r} is no account of this store, but another's or of before a reset; {there}")
    return account


def _in_utc(moment: dt.datetime) -> dt.datetime:
    return moment.replace(tzinfo=dt.UTC) if moment.tzinfo is None else moment.astimezone(dt.UTC)


def _check_utf8(name: str, text: object) -> None:
    if not isinstance(text, str):
        raise TypeError(f"{name} is text, not {text!r}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{name} is {text!r}, which cannot be UTF-8: it has a lone surrogate") from None


def _check_header_text(value: object) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text, and stands for the value of a header")
    try:
        value.encode("latin-1")
    except UnicodeEncodeError:
        raise ValueError(f"{value!r} is no header text (ISO-8859-1); encode it as your application does") from None
    if set(value) & set("\r\n\0"):
        raise ValueError(f"{value!r} has a line break or a NUL, which header text cannot have")


def canned_acl(name: str) -> CannedAcl:
    """The canned ACL of that name.

    Raises:
        ValueError: there is none; it names those there are.
    """
    return _member(CannedAcl, name, "canned ACL")


def _member(kind: type[_Kind], name: object, what: str) -> _Kind:
    if not isinstance(name, str):
        raise TypeError(f"a {what} is given by its name, not as {name!r}")
    try:
        return kind(name)
    except ValueError:
        raise ValueError(f"{name!r} is no {what}; there are {', '.join(repr(each.value) for each in kind)}") from None


def _some(record: BucketRecord) -> str:
    keys = [repr(key) for _, key in zip(range(8), record, strict=False)]
    return ", ".join(keys) + (f" and {len(record) - 8} more" if len(record) > 8 else "") if keys else "none"
