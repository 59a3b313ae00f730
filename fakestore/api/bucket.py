"""A bucket, in which a test arranges and inspects objects without a request."""

from __future__ import annotations

import datetime as dt
import mimetypes
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, NoReturn

from fakestore.api.arguments import (
    BlockedEncryptionName,
    CannedAclName,
    EncryptionName,
    ObjectOwnershipName,
    StorageClassName,
    VersioningName,
    check_account,
    check_content,
    check_content_size,
    in_utc,
    optional_text,
    parse_canned_acl,
    parse_encryption,
    parse_key,
    parse_lock,
    parse_metadata,
    parse_name,
    parse_rule,
    parse_tags,
    plain_text,
    unknown_bucket,
    utf8_text,
)
from fakestore.errors import ErrorResponse
from fakestore.messages import counted, did_you_mean
from fakestore.model.accounts import Account
from fakestore.model.acl import PRIVATE, Acl, ObjectOwnership, PublicAccessBlock
from fakestore.model.bucket import BucketRecord
from fakestore.model.content import Content, pieces_of
from fakestore.model.encryption import BlockedEncryption
from fakestore.model.entity_tag import EntityTag
from fakestore.model.lifecycle import MOST_RULES, Lifecycle
from fakestore.model.multipart_upload import MultipartUpload
from fakestore.model.notification import EVENT_NAMES, EVERY_EVENT
from fakestore.model.object_lock import UNLOCKED, Retention
from fakestore.model.object_version import DeleteMarker, Entry, NewObject, ObjectVersion
from fakestore.model.policy import Effect, Policy, Statement, actions_matching
from fakestore.model.storage_class import StorageClass
from fakestore.model.versioning import MfaDevice, Versioning
from fakestore.operations.acl import check_accepts_acl
from fakestore.operations.object_lock import check_has_object_lock
from fakestore.service.events import EventHandler, Subscription, check_handler, handler_name
from fakestore.service.service import Service, current_time
from fakestore.xml.declarations import changed

#: How many keys an error message names, and how many keys it compares to find a similar key.
_NAMED_KEYS = 8
_COMPARED_KEYS = 1000


class Bucket:
    """A bucket of a store, which a test can read and change without requests.

    Its methods need no signature and no permission, are not recorded as exchanges, and only faults of deliveries act on
    them. They check keys and sizes as the service does, and apply the lifecycle rules that are due. An instance has
    only the name of its bucket, so after ``store.restore()`` it shows the restored bucket. Instances for the same
    bucket are equal.

    A bucket contains the keys that have a current object. Use ``key in bucket``, ``len(bucket)`` and ``list(bucket)``;
    the list is sorted by the UTF-8 bytes of the keys. ``bucket[key]`` returns the :class:`ObjectVersion`, or raises
    KeyError.

    Example:
        >>> store = FakeStore(buckets=["photos"])
        >>> bucket = store["photos"]
        >>> bucket.put("cat.jpg", b"meow", content_type="image/jpeg").size
        4
        >>> list(bucket), bucket["cat.jpg"].content
        (['cat.jpg'], b'meow')
    """

    __slots__ = ("_name", "_service")

    def __init__(self, service: Service, name: str) -> None:
        self._service = service
        self._name = name

    @property
    def name(self) -> str:
        """The name of the bucket."""
        return self._name

    @contextmanager
    def _record(self) -> Iterator[BucketRecord]:
        """Lock the store and yield the bucket. An error of the service becomes a ValueError."""
        with self._service.turn() as state:
            buckets = state.buckets
            if self._name not in buckets:
                raise unknown_bucket(self._name, buckets)
            record = buckets[self._name]
            record.apply_lifecycle(current_time())
            try:
                yield record
            except ErrorResponse as error:
                raise ValueError(error.explanation) from None

    # -- inspect

    def __getitem__(self, key: str) -> ObjectVersion:
        """Return the current object of a key.

        Raises:
            KeyError: If the key has no current object. The message names other keys, and a similar key if there is one.
            TypeError: If the key is not a str.
        """
        __tracebackhide__ = True
        key = plain_text("key", key)
        with self._record() as record:
            latest = record.latest_entry(key)
            if isinstance(latest, ObjectVersion):
                return latest
            if latest is None:
                raise KeyError(f"bucket {self._name!r} has no current object {key!r}; {_known_keys(key, record)}")
            raise KeyError(f"the latest entry of {key!r} in bucket {self._name!r} is {latest!r}")

    if not TYPE_CHECKING:  # a type checker reports `bucket["cat.jpg"] = b"meow"` by itself

        def __setitem__(self, key: object, content: object) -> NoReturn:
            raise TypeError(f"an object cannot be assigned; write bucket.put({key!r}, ...)")

        def __delitem__(self, key: object) -> NoReturn:
            raise TypeError(f"an object cannot be deleted with del; write bucket.delete({key!r})")

    def __contains__(self, key: object) -> bool:
        """Return whether a key has a current object."""
        with self._record() as record:
            return isinstance(key, str) and isinstance(record.latest_entry(key), ObjectVersion)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the keys that have a current object, by their UTF-8 bytes; the bucket may change meanwhile."""
        with self._record() as record:
            return iter(list(record.object_keys))

    def __len__(self) -> int:
        """Return the number of keys that have a current object."""
        with self._record() as record:
            return len(record.object_keys)

    def versions(self, key: str | None = None) -> list[Entry]:
        """Return the entries of a key or of the whole bucket: the versions and the delete markers.

        Keys are sorted by their UTF-8 bytes. For each key, the entry that was written last comes first.

        Args:
            key: The key, or None for all keys. The list is empty if the key has no entries.

        Example:
            >>> FakeStore(buckets=["photos"])["photos"].versions("cat.jpg")
            []
        """
        key = optional_text("key", key)
        with self._record() as record:
            keys = record.keys if key is None else (key,)
            return [entry for each in keys for entry in record.entries(each)]

    @property
    def uploads(self) -> list[MultipartUpload]:
        """The multipart uploads that are neither completed nor aborted.

        They are sorted by key. Uploads of the same key are sorted by the time when they began.

        Example:
            >>> FakeStore(buckets=["photos"])["photos"].uploads
            []
        """
        with self._record() as record:
            return list(record.uploads)

    @property
    def versioning(self) -> Versioning:
        """The versioning: ``"never"``, ``"enabled"`` or ``"suspended"``.

        To change it, assign a value: ``bucket.versioning = "enabled"``. A bucket that was versioned can be suspended,
        but not ``"never"`` again. A bucket with Object Lock or replication rules stays ``"enabled"``. Any other value
        raises ValueError.
        """
        with self._record() as record:
            return record.versioning

    @versioning.setter
    def versioning(self, versioning: VersioningName) -> None:
        state = parse_name(Versioning, versioning, "versioning")
        with self._record() as record:
            record.change_versioning(state)

    @property
    def owner(self) -> Account:
        """The account that owns the bucket."""
        with self._record() as record:
            return record.owner

    @property
    def acl(self) -> Acl:
        """The access control list. To change it, assign the name of a canned ACL: ``bucket.acl = "public-read"``."""
        with self._record() as record:
            return record.current_acl()

    @acl.setter
    def acl(self, canned: CannedAclName) -> None:
        with self._record() as record:
            requested = parse_canned_acl(canned, self._service.dialect.semantics, of_bucket=True)
            check_accepts_acl(record, requested)
            record.acl = requested.expand(record.owner, record.owner)

    @property
    def object_ownership(self) -> ObjectOwnership | None:
        """Which account owns new objects, and whether the bucket has ACLs.

        It is None if the bucket has no ownership controls. This has the effect of ``"ObjectWriter"``.

        To change it, assign a name or None: ``bucket.object_ownership = "ObjectWriter"``. In the dialect S3, a new
        bucket has ``"BucketOwnerEnforced"``, which disables ACLs. In the default dialect, it has None.
        """
        with self._record() as record:
            return record.object_ownership

    @object_ownership.setter
    def object_ownership(self, ownership: ObjectOwnershipName | None) -> None:
        parsed = None if ownership is None else parse_name(ObjectOwnership, ownership, "object ownership")
        with self._record() as record:
            record.change_ownership(parsed)

    @property
    def public_access_block(self) -> PublicAccessBlock | None:
        """The settings that prevent public access to the bucket, or None.

        To change them, assign a :class:`PublicAccessBlock` or None. In the dialect S3, all four settings of a new
        bucket are on, so it accepts no public ACL and no public policy. In the default dialect, a new bucket has None.
        """
        with self._record() as record:
            return record.public_access_block

    @public_access_block.setter
    def public_access_block(self, block: PublicAccessBlock | None) -> None:
        if not isinstance(block, PublicAccessBlock | None):
            raise TypeError(f"expected a PublicAccessBlock or None, not {block!r}")
        with self._record() as record:
            record.public_access_block = block

    @property
    def blocked_encryption(self) -> BlockedEncryption:
        """The encryption that the bucket refuses for new objects.

        To change it, assign ``"NONE"`` or ``"SSE-C"``. In the dialect S3, a new bucket has ``"SSE-C"``, so it refuses
        customer keys. In the default dialect, it has ``"NONE"``.
        """
        with self._record() as record:
            return record.get_encryption().blocked[0]

    @blocked_encryption.setter
    def blocked_encryption(self, blocked: BlockedEncryptionName) -> None:
        parsed = parse_name(BlockedEncryption, blocked, "blocked encryption")
        with self._record() as record:
            record.encryption = changed(record.encryption, blocked=(parsed,))

    # -- arrange

    def put(
        self,
        key: str,
        content: Content = b"",
        *,
        metadata: Mapping[str, str] | None = None,
        content_type: str | None = None,
        headers: Mapping[str, str] | None = None,
        storage_class: StorageClassName = "STANDARD",
        encryption: EncryptionName | None = None,
        acl: CannedAclName = "private",
        tags: Mapping[str, str] | None = None,
        retention: Retention | None = None,
        legal_hold: bool = False,
        account: Account | None = None,
        last_modified: dt.datetime | None = None,
        notify: bool = False,
    ) -> ObjectVersion:
        """Store an object, as a PUT by `account` would, and return the new version.

        Example:
            >>> bucket = FakeStore(buckets={"photos": "enabled"})["photos"]
            >>> bucket.put("cat.jpg", b"meow", metadata={"Camera": "M3"}).metadata["camera"]
            'M3'

        Args:
            content: ``bytes``, a :class:`SparseContent` or a :class:`JoinedContent`. Text must be encoded first.
            metadata: User metadata. The names have no prefix; they are stored in lower case, and spaces around the
                values are removed.
            content_type: The Content-Type; ``binary/octet-stream`` by default.
            headers: Further headers that are stored with the object: Cache-Control, Content-Disposition,
                Content-Encoding, Content-Language and Expires. Names are compared without regard to case. Expires is a
                whole number of milliseconds with at most 18 digits, or any text in the dialect S3.
            storage_class: The name of a storage class that the dialect has, such as ``"STANDARD"``.
            encryption: ``"AES256"``, ``"aws:kms"``, or None for the default encryption of the bucket.
            acl: The name of a canned ACL.
            tags: The tags, at most 10.
            retention: How long Object Lock keeps the version: a :class:`Retention`. Its end may be in the past. By
                default, it is the default retention of the bucket.
            legal_hold: Whether the version has a legal hold of Object Lock.
            account: The account that writes the object; by default the owner of the bucket. It owns the object, unless
                :attr:`object_ownership` gives the object to the owner of the bucket.
            last_modified: The date of the object; by default the present time. A datetime without a time zone is in
                UTC. The date does not change the order of versions, which is the order of writing.
            notify: Whether the event ``ObjectCreated:Put`` is sent, as for a request.

        Raises:
            ValueError: If the key, a header, the metadata or a tag is invalid, the storage class, the encryption or the
                ACL is unknown, the content is larger than ``Limits.object_size``, the bucket does not accept the ACL or
                has no Object Lock, or the account does not belong to this store.
            TypeError: If the content is neither bytes nor SparseContent nor JoinedContent, a header, metadata or a tag
                is not text, `account` is not an Account, or `last_modified` is not a datetime.
        """
        check_content(content, self._service.limits)
        semantics = self._service.dialect.semantics
        new = NewObject(
            content=content,
            etag=EntityTag.of(content),
            all_metadata=parse_metadata(self._service, content_type, headers or {}, metadata or {}),
            storage_class=parse_name(StorageClass, storage_class, "storage class", semantics.storage_classes),
            encryption=parse_encryption(encryption),
            acl=parse_canned_acl(acl, semantics, of_bucket=False),
            lock=parse_lock(retention, legal_hold),
        )
        with self._record() as record:
            key = parse_key(key)
            if new.lock != UNLOCKED:
                check_has_object_lock(record)
            if new.acl is not PRIVATE:
                check_accepts_acl(record, new.acl)
            if tags:
                new = replace(new, tags=parse_tags(tags))
            writer = record.owner if account is None else self._account(account)
            version = record.put(key, new, writer=writer, now=self._moment(last_modified))
            if notify:
                self._service.note_put(record, version, writer)
            return version

    def delete(
        self, key: str, *, account: Account | None = None, last_modified: dt.datetime | None = None
    ) -> DeleteMarker | None:
        """Delete a key, as a DELETE without a version id would.

        Return the delete marker that was written, or None in a bucket that was never versioned.

        Args:
            key: The key; it need not exist.
            account: The account that writes the delete marker; by default the owner of the bucket. It owns the marker,
                unless :attr:`object_ownership` gives the marker to the owner of the bucket.
            last_modified: The date of the delete marker; by default the present time. A datetime without a time zone is
                in UTC.

        Raises:
            ValueError: If the key is invalid, or the account does not belong to this store.
            TypeError: If `account` is not an Account, or `last_modified` is not a datetime.
        """
        with self._record() as record:
            return record.delete(
                parse_key(key),
                writer=record.owner if account is None else self._account(account),
                now=self._moment(last_modified),
            ).marker

    def delete_version(self, key: str, version_id: str) -> Entry:
        """Remove a version or delete marker permanently, and return it.

        This also removes versions that Object Lock protects, because a test needs no permission.

        Args:
            version_id: The version id, or ``"null"``.

        Raises:
            KeyError: If the key has no such version.
            ValueError: If this store never issued the id.
        """
        with self._record() as record:
            removed = record.delete_version(key, version_id)
        if removed is None:
            raise KeyError(f"key {key!r} in bucket {self._name!r} has no version {version_id!r}")
        return removed

    def seed(self, key: str, history: Iterable[tuple[dt.datetime, Content | type[DeleteMarker]]]) -> list[Entry]:
        """Write several versions and delete markers of a key, each with its date, and return them, oldest first.

        Lifecycle rules act only after all of them are written. If an argument is invalid, nothing is written.

        Example:
            >>> from datetime import datetime
            >>> bucket = FakeStore(buckets={"photos": "enabled"})["photos"]
            >>> entries = bucket.seed(
            ...     "cat.jpg", [(datetime(2024, 1, 1), b"meow"), (datetime(2024, 2, 1), DeleteMarker)]
            ... )
            >>> len(entries)
            2

        Args:
            history: Pairs of a date and a content, as for :meth:`put`, or of a date and the class ``DeleteMarker``,
                oldest first. A date without a time zone is in UTC. The last pair is the latest entry, even if its date
                is earlier.

        Raises:
            ValueError: If the service would refuse the key or a size, or if a delete marker is for a bucket that was
                never versioned.
            TypeError: If a content is neither bytes nor SparseContent nor JoinedContent, or a date is not a datetime.
        """
        # Before the store is locked, because the iterable may take its time.
        steps = [
            (self._moment(moment), None if what is DeleteMarker else check_content(what, self._service.limits))
            for moment, what in history
        ]
        with self._record() as record:
            key = parse_key(key)
            if record.versioning is Versioning.NEVER and any(content is None for _, content in steps):
                raise ValueError(f"bucket {self._name!r} was never versioned, so {key!r} cannot have a delete marker")
            written: list[Entry | None] = [
                record.delete(key, writer=record.owner, now=moment).marker
                if content is None
                else record.put(key, NewObject(content=content), writer=record.owner, now=moment)
                for moment, content in steps
            ]
            return [entry for entry in written if entry is not None]

    def enable_mfa_delete(self, device: MfaDevice) -> None:
        """Enable MFA Delete. Requests that delete a version permanently then need the code of the device. [mfa-delete]

        To disable it, the owner of the bucket must send a request. [switching-mfa-delete]

        Example:
            >>> bucket = FakeStore(buckets={"photos": "enabled"})["photos"]
            >>> bucket.enable_mfa_delete(MfaDevice("20899872", "301749"))

        Args:
            device: The device. It replaces an earlier one.

        Raises:
            ValueError: If the bucket was never versioned.
            TypeError: If the device is not an MfaDevice.
        """
        if not isinstance(device, MfaDevice):
            raise TypeError(f"expected a device such as MfaDevice('SN', '1'), not {device!r}")
        with self._record() as record:
            if record.versioning is Versioning.NEVER:
                raise ValueError("MFA Delete needs versioning; assign bucket.versioning = 'enabled' first")
            record.mfa_device, record.mfa_delete = device, True

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
        """Add a lifecycle rule to the rules of the bucket.

        An object expires as if :meth:`delete` were called for it: it is removed, or gets a delete marker if the bucket
        has versioning. Rules act at midnight UTC. The end of the days is rounded up to the next midnight: with
        ``days=3``, an object that was written on 1 May at 10:00 expires on 5 May at 0:00.

        Example:
            >>> bucket = FakeStore(buckets=["photos"])["photos"]
            >>> bucket.expire(rule_id="old thumbnails", prefix="thumbnails/", days=30)

        Args:
            rule_id: The id of the rule, of 1 to 255 characters.
            prefix: The rule applies to the keys with this prefix.
            days: The age in days at which an object expires, at least 1. A delete marker that is the only entry of its
                key is removed at the same age.
            date: Objects expire at this moment, which must be a midnight in UTC. A datetime without a time zone is in
                UTC.
            noncurrent_days: How many days a version is kept after it has become noncurrent, at least 1. A version
                becomes noncurrent when the next entry of its key is written.
            newer_noncurrent_versions: How many of the newest noncurrent versions of each key are kept, from 1 to 100.
                It needs `noncurrent_days`.
            expired_marker: Whether to remove a delete marker that is the only entry of its key. It is removed at the
                first midnight UTC after it was written, or at once if it was written at midnight. If the key has
                other entries at this time, the marker is removed as soon as they are gone.

        Raises:
            ValueError: If a number is out of its bounds, the date is not a midnight, the id is in use or invalid, the
                rule has no action, `newer_noncurrent_versions` is used without `noncurrent_days`, or more than one of
                `days`, `date` and `expired_marker` is used.
            TypeError: If `date` is not a datetime.
        """
        rule = parse_rule(rule_id, prefix, days, date, noncurrent_days, newer_noncurrent_versions, expired_marker)
        with self._record() as record:
            lifecycle = record.lifecycle
            rules = lifecycle.rules if lifecycle else ()
            if rule.id in [each.id for each in rules]:
                raise ValueError(f"bucket {self._name!r} already has a lifecycle rule {rule.id!r}")
            if len(rules) == MOST_RULES:
                raise ValueError(f"a lifecycle must have 1 to {MOST_RULES} rules, not {len(rules) + 1}")
            rules = (*rules, rule)
            record.lifecycle = changed(lifecycle, rules=rules) if lifecycle else Lifecycle(rules=rules)

    def on_event(
        self, handler: EventHandler, events: Iterable[str] = (EVERY_EVENT,), prefix: str = "", suffix: str = ""
    ) -> None:
        """Call a function for each event of the bucket that matches. The bucket needs no configuration.

        The function gets the document that the service sends, ``{"Records": [...]}`` with one record. A function with
        two positional parameters is a Lambda function: it also gets a context.

        It is called after the write and before the client gets the reply. It may use the store. An exception that it
        raises changes nothing for the client: see :attr:`FakeStore.handler_errors`. An event of a lifecycle rule is
        sent when the rule acts.

        If aiohttp, aiobotocore or ``httpx.AsyncClient`` sent the request, a coroutine function runs in the event loop
        of this client, and a plain function in another thread. Otherwise a plain function runs in the thread that sent
        the request, and a coroutine function in an event loop of its own. This loop cancels the tasks that remain when
        the coroutine function ends.

        Example:
            >>> store = FakeStore(buckets=["photos"])
            >>> names = []
            >>> store["photos"].on_event(
            ...     lambda event: names.append(event["Records"][0]["s3"]["object"]["key"]),
            ...     events=["s3:ObjectCreated:*"],
            ...     suffix=".jpg",
            ... )
            >>> _ = store["photos"].put("a cat.jpg", b"meow", notify=True)
            >>> names, [event.name for event in store.events]
            (['a+cat.jpg'], ['ObjectCreated:Put'])

        Args:
            handler: The function.
            events: The names of events, as in a notification configuration. ``"s3:*"`` stands for all.
            prefix: The beginning of the keys.
            suffix: The end of the keys.

        Raises:
            ValueError: If the name of an event is unknown, or `events` is empty.
            TypeError: If the handler cannot be called with one or two arguments, if `events` is a text instead of a
                list, or if a name in the list, `prefix` or `suffix` is not a text.
        """
        if callable(events):
            raise TypeError(f"invalid events {events!r}: the handler is the first argument, on_event(handler, events)")
        if isinstance(events, str | bytes) or not isinstance(events, Iterable):
            example = events if isinstance(events, str) else EVERY_EVENT
            raise TypeError(f"invalid events {events!r}: expected a list of names, such as [{example!r}]")
        prefix, suffix = utf8_text("prefix", prefix), utf8_text("suffix", suffix)
        names = tuple(plain_text("event", each) for each in events)
        if not names:
            raise ValueError("events is empty, so the handler would never be called; omit it for all events")
        for name in names:
            if name not in (EVERY_EVENT, *EVENT_NAMES):
                hint = did_you_mean(name, EVENT_NAMES)
                known = ", ".join((EVERY_EVENT, *EVENT_NAMES))
                raise ValueError(f"unknown event {name!r}; expected one of {known}.{hint}")
        with self._record():
            name = handler_name(check_handler(handler))
            self._service.outbox.subscriptions.append(
                Subscription(self._name, name, name, names, prefix, suffix, handler)
            )

    def deny(self, account: Account, *actions: str) -> None:
        """Add a Deny to the policy of the bucket.

        The store then refuses the actions, even if the account owns the bucket, or if an ACL or an Allow permits them.

        Example:
            >>> store = FakeStore(buckets=["photos"])
            >>> store["photos"].deny(store.default_account, "s3:DeleteObject")

        Args:
            account: The account that is denied.
            *actions: Actions, such as ``"s3:GetObject"``. ``*`` and ``?`` are wildcards.

        Raises:
            ValueError: If an action is unknown or missing, or the account does not belong to this store.
            TypeError: If `account` is not an Account.
        """
        self._add_statement(Effect.DENY, account, actions)

    def allow(self, account: Account, *actions: str) -> None:
        """Add an Allow to the policy of the bucket. The account then needs no ACL grant.

        No policy can allow another account to delete a version (``s3:DeleteObjectVersion``), or to read, replace or
        delete the policy. After an Allow of an action on the policy, the account gets 405 instead of 403.

        Example:
            >>> store = FakeStore(buckets=["photos"])
            >>> store["photos"].allow(store.create_account("bob"), "s3:GetObject", "s3:ListBucket")

        Args:
            account: The account that is allowed.
            *actions: Actions, such as ``"s3:GetObject"``. ``*`` and ``?`` are wildcards.

        Raises:
            ValueError: If an action is unknown or missing, or the account does not belong to this store.
            TypeError: If `account` is not an Account.
        """
        self._add_statement(Effect.ALLOW, account, actions)

    def _account(self, account: Account) -> Account:
        return check_account(account, self._service.state.accounts)

    def _add_statement(self, effect: Effect, account: Account, actions: tuple[str, ...]) -> None:
        if not actions or not all(isinstance(each, str) for each in actions):
            shown = ", ".join(map(repr, actions)) or "none"
            raise ValueError(f"expected actions such as 's3:DeleteObject' as separate arguments, not {shown}")
        of_service = self._service.operations.actions
        known = of_service["object"] | of_service["bucket"]
        for action in actions:
            if not actions_matching(action, known):
                examples = "expected for example 's3:GetObject', 's3:PutObject' or 's3:*'"
                suggestion = self._service.operations.suggest_action(action)
                raise ValueError(f"{action!r} matches no action of a bucket; {examples}.{suggestion}")
        principals = frozenset({self._account(account).id})
        with self._record() as record:
            statement = Statement(effect, principals, actions, (self._name, f"{self._name}/*"), sid=None)
            record.policy = Policy((*record.policy.statements, statement))

    def _moment(self, moment: dt.datetime | None) -> dt.datetime:
        return current_time() if moment is None else in_utc(moment)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Bucket) and (other._service, other._name) == (self._service, self._name)

    def __hash__(self) -> int:
        return hash((id(self._service), self._name))

    def __repr__(self) -> str:
        try:
            with self._record() as record:
                keys = counted(len(record.object_keys), "key")
                return f"<Bucket {self._name!r} of {record.owner}, versioning {record.versioning}, {keys}>"
        except KeyError:
            return f"<Bucket {self._name!r}, which does not exist any more>"


def _known_keys(key: str, record: BucketRecord) -> str:
    """Return a sentence that lists the keys with a current object and suggests a similar key."""
    keys = list(islice(record.object_keys, _COMPARED_KEYS))
    if not keys:
        return "it has none"
    named = ", ".join(map(repr, keys[:_NAMED_KEYS]))
    more = len(record.object_keys) - _NAMED_KEYS
    hint = record.hint_at_spelling(key).removeprefix(".") or did_you_mean(key, keys)
    return f"current keys: {named}{f' and {more:,} more' if more > 0 else ''}.{hint}"


def load_files(bucket: Bucket, path: Path) -> None:
    """Put every file below `path` under its relative path, with a guessed content type; see `FakeStore.load`."""
    if not path.is_dir():
        raise NotADirectoryError(f"{path} is not a directory, so it cannot be loaded into a bucket")
    files = {file.relative_to(path).as_posix(): file for file in sorted(path.rglob("*")) if file.is_file()}
    for key, file in files.items():
        try:
            parse_key(key)
            check_content_size(file.stat().st_size, bucket._service.limits)
        except (ErrorResponse, ValueError) as error:
            reason = error.explanation if isinstance(error, ErrorResponse) else error
            raise ValueError(f"{file}: {reason}") from None
    for key, file in files.items():
        content_type, _ = mimetypes.guess_type(file.name)
        bucket.put(key, file.read_bytes(), content_type=content_type)


def dump_files(bucket: Bucket, path: Path) -> None:
    """Write every current object to the file of its key; see `FakeStore.dump`."""
    with bucket._record() as record:
        contents = {key: record.get_object(key).content for key in record.object_keys}
    directories = {parent.as_posix() for key in contents for parent in PurePath(key).parents}
    for key in contents:
        if not _is_path(key):
            raise ValueError(f"key {key!r} is not a valid path below {path}")
        if key in directories:
            raise ValueError(f"key {key!r} would be a file and a directory below {path}")
    for name in sorted({*contents, *directories} - {"."}):
        if (path / name).is_symlink():
            raise ValueError(f"'{path / name}' is a symbolic link, which may lead out of {path}; remove it")
    for key, content in contents.items():
        file = path / key
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("wb") as written:
            written.writelines(pieces_of(content))
    path.mkdir(parents=True, exist_ok=True)


def _is_path(key: str) -> bool:
    """Return whether a key is a normalised relative path on this system that stays in its directory."""
    parts = key.split("/")
    return PurePath(key).parts == tuple(parts) and ".." not in parts and "\0" not in key
