"""The arguments of the author of a test: the names that they accept, their checks, and their values in the model."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum
from typing import Literal, TypeVar, get_args

from fakestore.api.operation_names import OperationName
from fakestore.http.message import Headers
from fakestore.http.values import parse_integer
from fakestore.messages import counted, did_you_mean, some_of
from fakestore.model.accounts import Account, Accounts
from fakestore.model.acl import Acl, CannedAcl
from fakestore.model.content import Content
from fakestore.model.encryption import Encryption, ManagedEncryption
from fakestore.model.frozen_mapping import FrozenMapping
from fakestore.model.lifecycle_rule import (
    MOST_DAYS,
    MOST_KEPT_VERSIONS,
    Expiration,
    Filter,
    NoncurrentExpiration,
    Rule,
    is_midnight,
)
from fakestore.model.metadata import DEFAULT_CONTENT_TYPE, SYSTEM_METADATA, Metadata
from fakestore.model.names import RULE_ID_LENGTH, check_key, is_header_name
from fakestore.model.object_lock import LegalHold, Lock, Retention, RetentionMode
from fakestore.model.semantics import Limits, Semantics
from fakestore.model.tagging import OBJECT_TAGS
from fakestore.model.versioning import Versioning
from fakestore.operations.framework.table import OperationTable
from fakestore.operations.object_headers import metadata_size
from fakestore.service.service import Service

DialectName = Literal["document", "s3"]

#: A bucket that was never versioned keeps only the last version of a key. While versioning is enabled, a bucket keeps
#: all versions. While it is suspended, the bucket keeps the versions that it has, but a new version gets the id
#: ``null`` and replaces an earlier version with this id.
VersioningName = Literal["never", "enabled", "suspended"]

#: Each of these ACLs grants full control to the owner. ``private`` grants nothing else. The other ACLs also grant
#: permissions to all requesters (``public-...``), to all accounts (``authenticated-read``), to the owner of the
#: bucket (``bucket-owner-...``), or to Amazon EC2 and the writer of access logs (the last two).
CannedAclName = Literal[
    "private",
    "public-read",
    "public-read-write",
    "authenticated-read",
    "bucket-owner-read",
    "bucket-owner-full-control",
    "aws-exec-read",
    "log-delivery-write",
]

#: :class:`ObjectOwnership` explains these names.
ObjectOwnershipName = Literal["BucketOwnerEnforced", "BucketOwnerPreferred", "ObjectWriter"]

#: A dialect can have fewer of them. The default dialect has the first two.
StorageClassName = Literal[
    "STANDARD",
    "REDUCED_REDUNDANCY",
    "STANDARD_IA",
    "ONEZONE_IA",
    "INTELLIGENT_TIERING",
    "GLACIER_IR",
    "GLACIER",
    "DEEP_ARCHIVE",
]

#: ``AES256`` is encryption with a key of the service, ``aws:kms`` with a KMS key. Nothing is encrypted: the store only
#: records the method.
EncryptionName = Literal["AES256", "aws:kms"]

#: :class:`BlockedEncryption` explains these names.
BlockedEncryptionName = Literal["NONE", "SSE-C"]

#: Only an enabled key can encrypt and decrypt; see :meth:`fakestore.FakeStore.set_kms_key`.
KmsKeyStateName = Literal["enabled", "disabled", "pending deletion"]

#: The headers that are stored with an object, besides Content-Type and user metadata.
_HEADERS = tuple(name.title() for name in SYSTEM_METADATA if name != "content-type")

_Kind = TypeVar("_Kind", bound=StrEnum)

# -- names


def parse_name(kind: type[_Kind], name: str, what: str, known: Collection[_Kind] | None = None) -> _Kind:
    """Return the member called `name`. Only the members in `known` are accepted; None accepts all."""
    accepted = [each for each in kind if known is None or each in known]
    if name not in accepted:
        raise ValueError(f"unknown {what} {name!r}: expected one of {', '.join(repr(each.value) for each in accepted)}")
    return kind(name)


def parse_canned_acl(name: str | Acl, semantics: Semantics, *, of_bucket: bool) -> CannedAcl:
    if isinstance(name, Acl):
        raise TypeError("invalid canned ACL: expected a name such as 'private', not Acl")
    return parse_name(CannedAcl, name, "canned ACL", semantics.canned_acls(of_bucket=of_bucket))


def parse_versioning(name: str | None) -> Versioning:
    """Return the versioning of a name; None means ``"never"``."""
    return Versioning.NEVER if name is None else parse_name(Versioning, name, "versioning")


def parse_bucket_settings(
    semantics: Semantics, acl: str = "private", versioning: str | None = None, object_lock: object = False
) -> tuple[CannedAcl, Versioning]:
    """Return the ACL and the versioning of a new bucket. With Object Lock, versioning is enabled."""
    if not isinstance(object_lock, bool):
        raise TypeError(f"invalid object_lock {object_lock!r}: expected True or False")
    if object_lock and versioning not in (None, "enabled"):
        raise ValueError(f"versioning is {versioning!r}, but Object Lock needs 'enabled'; omit versioning")
    return parse_canned_acl(acl, semantics, of_bucket=True), parse_versioning("enabled" if object_lock else versioning)


def parse_lock(retention: object, legal_hold: object) -> Lock:
    """Return what keeps a new version. A retention ends at a moment in UTC, to the millisecond."""
    if not isinstance(retention, Retention | None):
        raise TypeError(f"invalid retention {retention!r}: expected a fakestore.Retention or None")
    if not isinstance(legal_hold, bool):
        raise TypeError(f"invalid legal_hold {legal_hold!r}: expected True or False")
    if retention is not None:
        until = in_utc(retention.until)
        until = until.replace(microsecond=until.microsecond // 1000 * 1000)
        retention = Retention(parse_name(RetentionMode, retention.mode, "retention mode"), until)
    return Lock(retention, LegalHold.ON if legal_hold else None)


def parse_encryption(name: EncryptionName | None) -> ManagedEncryption | None:
    return None if name is None else ManagedEncryption(parse_name(Encryption, name, "encryption algorithm"))


def parse_operation_name(name: str | None, operations: OperationTable) -> str | None:
    """Return the specification's name of an operation. `name` may also be its name in the S3 API.

    None means every operation.
    """
    if name is None:
        return None
    known = operations.find_name(name) if isinstance(name, str) else None
    if known is None:
        of_action = [each.api_name for each in operations if each.access is not None and each.access.action == name]
        names = get_args(OperationName)
        hint = did_you_mean(name, names, most=3) or did_you_mean(f"{name} Object", names, cutoff=1)  # it is a method
        if of_action:
            hint = f" {name} is an action of policies; it belongs to {some_of(filter(None, of_action))}."
        raise ValueError(f"unknown operation {name!r}.{hint} fakestore.OperationName lists the names.")
    return known


# -- text


def _check_text(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise TypeError(f"invalid {name} {value!r}: expected str, not {type(value).__name__}; convert it first")


def plain_text(name: str, value: str) -> str:
    """Return the text of an argument. For a member of a text enum this is its value, which `str` does not return."""
    _check_text(name, value)
    return str.__str__(value)


def optional_text(name: str, value: str | None) -> str | None:
    return None if value is None else plain_text(name, value)


def utf8_text(name: str, value: str) -> str:
    """Return the text of an argument, which must have a UTF-8 form."""
    text = plain_text(name, value)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"invalid {name} {text!r}: a lone surrogate has no UTF-8 form") from None
    return text


def _check_header_text(value: str) -> None:
    try:
        value.encode("latin-1")
    except UnicodeEncodeError:
        raise ValueError(f"invalid header text {value!r}: it is not ISO-8859-1; encode it as your code does") from None
    if set(value) & set("\r\n\0"):
        raise ValueError(f"invalid header text {value!r}: it has a line break or a NUL")


# -- accounts, buckets and dates


def check_account(account: Account, accounts: Accounts) -> Account:
    """Return `account` if it belongs to the store."""
    known = f"known accounts: {', '.join(repr(each.display_name) for each in accounts)}"
    if not isinstance(account, Account):
        raise TypeError(
            f"expected store.default_account or an account from store.create_account(), not {account!r}; {known}"
        )
    if account not in accounts:
        namesake = next((each for each in accounts if each.display_name == account.display_name), None)
        if namesake is not None:
            raise ValueError(
                f"account {str(account)!r} with the access key {account.access_key_id!r} comes from another store or"
                f" predates reset(); in this store, account {str(account)!r} has the access key"
                f" {namesake.access_key_id!r}"
            )
        raise ValueError(
            f"account {str(account)!r} does not belong to this store (it may come from another store or predate"
            f" reset()); {known}"
        )
    return account


def unknown_bucket(name: str, known: Iterable[str], hint: str = "") -> KeyError:
    """Return the error for an unknown bucket. It names the known buckets, and ends with the hint."""
    return KeyError(f"unknown bucket {name!r}; known buckets: {', '.join(map(repr, sorted(known))) or 'none'}{hint}")


def in_utc(moment: dt.datetime) -> dt.datetime:
    """Return a moment in UTC. A moment without a time zone is in UTC already."""
    if not isinstance(moment, dt.datetime):
        raise TypeError(f"expected a datetime, not {moment!r}")
    return moment.replace(tzinfo=dt.UTC) if moment.tzinfo is None else moment.astimezone(dt.UTC)


# -- objects


def parse_key(key: str) -> str:
    text = utf8_text("key", key)
    if not text:
        raise ValueError("a key must have at least one character")
    check_key(text)
    return text


def check_content(content: object, limits: Limits) -> Content:
    """Return `content` if it can be the content of an object."""
    if not isinstance(content, Content):
        advice = "encode it, for example with text.encode()" if isinstance(content, str) else "convert it to bytes"
        raise TypeError(f"expected bytes, SparseContent or JoinedContent, not {type(content).__name__}; {advice}")
    check_content_size(len(content), limits)
    return content


def check_content_size(size: int, limits: Limits) -> None:
    """Check that an object may have this number of bytes."""
    if size > limits.object_size:
        raise ValueError(
            f"content of {counted(size, 'byte')} exceeds Limits.object_size, which is {limits.object_size:,}"
        )


def _check_mapping(name: str, value: object) -> None:
    if not isinstance(value, Mapping):
        raise TypeError(f"invalid {name} {value!r}: expected a mapping of names to texts")


def parse_tags(tags: Mapping[str, str]) -> FrozenMapping:
    _check_mapping("tags", tags)
    return OBJECT_TAGS.check((plain_text("tag", name), plain_text(f"tag {name!r}", tags[name])) for name in tags)


def parse_metadata(
    service: Service, content_type: str | None, headers: Mapping[str, str], user_metadata: Mapping[str, str]
) -> Metadata:
    """Return the metadata of a new object."""
    for argument, fields in (("headers", headers), ("metadata", user_metadata)):
        _check_mapping(argument, fields)
        for name, value in fields.items():
            _check_text(f"name in {argument}", name)
            _check_text(name, value)
    content_type = content_type or ""
    _check_text("Content-Type", content_type)
    _check_header_text(content_type)
    return Metadata(
        content_type=content_type.strip(" \t") or DEFAULT_CONTENT_TYPE,
        **_parse_headers(service, headers),
        user=_parse_user_metadata(service, user_metadata),
    )


def _parse_headers(service: Service, headers: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of `Metadata` that are headers, except the content type."""
    fields = Headers(headers)
    for name, value in fields.items():
        if name.title() not in _HEADERS:
            raise ValueError(
                f"unknown header {name!r} of an object: expected one of {', '.join(_HEADERS)}; Content-Type and"
                " user metadata are arguments of their own"
            )
        _check_header_text(value)
    expires = fields.get("expires")
    if expires is not None and service.dialect.semantics.expires_is_number and parse_integer(expires) is None:
        raise ValueError(f"invalid expires {expires!r}: expected milliseconds of at most 18 digits")
    return {SYSTEM_METADATA[name]: value for name, value in fields.items()}


def _parse_user_metadata(service: Service, metadata: Mapping[str, str]) -> Mapping[str, str]:
    for name, value in metadata.items():
        if not is_header_name(name):
            raise ValueError(f"invalid name of user metadata {name!r}: it cannot be part of a header's name")
        if service.dialect.semantics.metadata_is_decoded:
            utf8_text("metadata", value)
        else:
            _check_header_text(value)
    lower = {name.lower(): value.strip(" \t") for name, value in metadata.items()}
    if len(lower) < len(metadata):
        raise ValueError(f"user metadata names must be unique ignoring case: {', '.join(metadata)}")
    size = metadata_size(lower)
    if size > service.limits.metadata:
        raise ValueError(
            f"user metadata of {counted(size, 'byte')} exceeds Limits.metadata, which is {service.limits.metadata:,}"
        )
    return lower


# -- lifecycle rules


def parse_rule(
    rule_id: str,
    prefix: str,
    days: int | None,
    date: dt.datetime | None,
    noncurrent_days: int | None,
    newer_noncurrent_versions: int | None,
    expired_marker: bool,
) -> Rule:
    """Return the lifecycle rule that these arguments describe."""
    rule_id, prefix = utf8_text("rule_id", rule_id), utf8_text("prefix", prefix)
    date = None if date is None else in_utc(date)
    if not 1 <= len(rule_id) <= RULE_ID_LENGTH:
        raise ValueError(f"the id of a rule must have 1 to {RULE_ID_LENGTH} characters, not {len(rule_id)}")
    for name, number, most in (
        ("days", days, MOST_DAYS),
        ("noncurrent_days", noncurrent_days, MOST_DAYS),
        ("newer_noncurrent_versions", newer_noncurrent_versions, MOST_KEPT_VERSIONS),
    ):
        if number is not None and not (isinstance(number, int) and 1 <= number <= most):
            raise ValueError(f"{name} must be a whole number from 1 to {most}, not {number!r}")
    if date is not None and not is_midnight(date):
        raise ValueError(f"date must be a midnight in UTC, not {date}")
    ends = (days is not None) + (date is not None) + expired_marker
    if ends > 1:
        raise ValueError("a rule can have only one of days, date and expired_marker")
    if newer_noncurrent_versions is not None and noncurrent_days is None:
        raise ValueError("newer_noncurrent_versions needs noncurrent_days")
    if not ends and noncurrent_days is None:
        raise ValueError("a rule needs at least one of days, date, noncurrent_days and expired_marker")
    expiration = noncurrent = None
    if ends:
        # Only a document can say that expired_marker is False.
        expiration = Expiration(days=days, date=date, expired_marker=expired_marker or None)
    if noncurrent_days is not None:
        noncurrent = NoncurrentExpiration(days=noncurrent_days, newer_versions=newer_noncurrent_versions)
    return Rule(id=rule_id, filter=Filter(prefix=prefix), enabled=True, expiration=expiration, noncurrent=noncurrent)
