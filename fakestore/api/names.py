"""The names that the public API accepts, for type checkers and editors, with their meanings."""

from __future__ import annotations

from enum import Enum
from typing import Literal, TypeVar, get_args

from fakestore.api.operation_names import OperationName
from fakestore.messages import did_you_mean
from fakestore.model.acl import CannedAcl
from fakestore.model.versioning import Versioning
from fakestore.operations.framework.table import Operations

DialectName = Literal["document", "s3"]

#: A bucket that was never versioned keeps only the last version of a key. While versioning is enabled, a bucket keeps
#: all versions. While it is suspended, the bucket keeps the versions that it has, but a new version gets the id
#: ``null`` and replaces an earlier version with this id.
VersioningName = Literal["never", "enabled", "suspended"]

#: Each of these ACLs grants full control to the owner. ``private`` grants nothing else. The other ACLs also grant
#: permissions to all requesters (``public-...``), to all accounts (``authenticated-read``), or to the owner of the
#: bucket (``bucket-owner-...``).
CannedAclName = Literal[
    "private",
    "public-read",
    "public-read-write",
    "authenticated-read",
    "bucket-owner-read",
    "bucket-owner-full-control",
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

_Kind = TypeVar("_Kind", bound=Enum)


def parse_operation_name(name: str, operations: Operations) -> str:
    """Return the name of an operation in the specification.

    Args:
        name: The name in the specification or in the S3 API.
        operations: The operations of the store.
    """
    known = operations.find_name(name)
    if known is None:
        hint = did_you_mean(name, get_args(OperationName), most=3)
        raise ValueError(f"unknown operation {name!r}.{hint} fakestore.OperationName lists the names.")
    return known


def parse_canned_acl(name: str) -> CannedAcl:
    """Return the canned ACL of a name."""
    return parse_name(CannedAcl, name, "canned ACL")


def parse_versioning_name(name: str | None) -> Versioning:
    """Return the versioning state of a name; None means ``"never"``."""
    return Versioning.NEVER if name is None else parse_name(Versioning, name, "versioning")


def parse_name(kind: type[_Kind], name: str, what: str) -> _Kind:
    """Return the enum member of a name; `what` says what kind of thing the name is for."""
    try:
        return kind(name)
    except ValueError:
        names = ", ".join(repr(each.value) for each in kind)
        raise ValueError(f"unknown {what} {name!r}: expected one of {names}") from None
