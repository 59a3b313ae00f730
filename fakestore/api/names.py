"""The names that the public API accepts, for type checkers and editors, and what they stand for."""

from __future__ import annotations

from enum import Enum
from typing import Literal, TypeVar, get_args

from fakestore.messages import did_you_mean
from fakestore.model.acl import CannedAcl
from fakestore.model.versioning import Versioning

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

#: Only an enabled key can encrypt and decrypt; see :meth:`fakestore.FakeStore.set_kms_key`.
KmsKeyStateName = Literal["enabled", "disabled", "pending deletion"]

OperationName = Literal[
    "Abort Multipart Upload",
    "Complete Multipart Upload",
    "DELETE Bucket cors",
    "DELETE Bucket encryption",
    "DELETE Bucket lifecycle",
    "DELETE Bucket ownershipControls",
    "DELETE Bucket policy",
    "DELETE Bucket publicAccessBlock",
    "DELETE Bucket replication",
    "DELETE Bucket tagging",
    "DELETE Bucket website",
    "DELETE Bucket",
    "DELETE Object tagging",
    "DELETE Object",
    "GET Bucket ACL",
    "GET Bucket Object versions",
    "GET Bucket accelerate",
    "GET Bucket cors",
    "GET Bucket encryption",
    "GET Bucket lifecycle",
    "GET Bucket location",
    "GET Bucket logging",
    "GET Bucket notification",
    "GET Bucket object-lock",
    "GET Bucket ownershipControls",
    "GET Bucket policy",
    "GET Bucket policyStatus",
    "GET Bucket publicAccessBlock",
    "GET Bucket replication",
    "GET Bucket requestPayment",
    "GET Bucket tagging",
    "GET Bucket version 2",
    "GET Bucket versioning",
    "GET Bucket website",
    "GET Bucket",
    "GET Object ACL",
    "GET Object attributes",
    "GET Object legal-hold",
    "GET Object retention",
    "GET Object tagging",
    "GET Object",
    "GET Service",
    "HEAD Bucket",
    "HEAD Object",
    "Initiate Multipart Upload",
    "List Multipart Uploads",
    "List Parts",
    "OPTIONS Bucket",
    "OPTIONS Object",
    "OPTIONS Service",
    "POST Bucket delete",
    "POST Object restore",
    "POST Object",
    "PUT Bucket ACL",
    "PUT Bucket accelerate",
    "PUT Bucket cors",
    "PUT Bucket encryption",
    "PUT Bucket lifecycle",
    "PUT Bucket logging",
    "PUT Bucket notification",
    "PUT Bucket object-lock",
    "PUT Bucket ownershipControls",
    "PUT Bucket policy",
    "PUT Bucket publicAccessBlock",
    "PUT Bucket replication",
    "PUT Bucket requestPayment",
    "PUT Bucket tagging",
    "PUT Bucket versioning",
    "PUT Bucket website",
    "PUT Bucket",
    "PUT Object ACL",
    "PUT Object Copy",
    "PUT Object legal-hold",
    "PUT Object retention",
    "PUT Object tagging",
    "PUT Object",
    "Upload Part Copy",
    "Upload Part",
]

#: Operations that have quite another name in the S3 API, and so in boto3.
_OPERATIONS_OF_S3 = {
    "CopyObject": "PUT Object Copy",
    "CreateBucket": "PUT Bucket",
    "CreateMultipartUpload": "Initiate Multipart Upload",
    "DeleteObjects": "POST Bucket delete",
    "GetObjectLockConfiguration": "GET Bucket object-lock",
    "ListBuckets": "GET Service",
    "ListObjects": "GET Bucket",
    "ListObjectsV2": "GET Bucket version 2",
    "PutObjectLockConfiguration": "PUT Bucket object-lock",
    "RestoreObject": "POST Object restore",
}

_Kind = TypeVar("_Kind", bound=Enum)


def check_operation_name(name: str) -> None:
    """Check that an operation has this name.

    Raises:
        ValueError: If the name is unknown. The message suggests the name that was probably meant, or the closest ones.
    """
    known = get_args(OperationName)
    if name not in known:
        searched = name.replace("_", "").lower()  # boto3 spells it copy_object
        meant = next((known_as for api, known_as in _OPERATIONS_OF_S3.items() if api.lower() == searched), None)
        hint = did_you_mean(name, known, most=3) if meant is None else f" Did you mean {meant!r}?"
        raise ValueError(f"unknown operation {name!r}.{hint} fakestore.OperationName lists the names.")


def parse_canned_acl(name: str) -> CannedAcl:
    """Return the canned ACL of a name.

    Raises:
        ValueError: If the name is unknown. The message names the known ones.
    """
    return parse_name(CannedAcl, name, "canned ACL")


def parse_versioning_name(name: str | None) -> Versioning:
    """Return the versioning state of a name; None means ``"never"``.

    Raises:
        ValueError: If the name is unknown. The message names the known ones.
    """
    return Versioning.NEVER if name is None else parse_name(Versioning, name, "versioning")


def parse_name(kind: type[_Kind], name: str, what: str) -> _Kind:
    """Return the value of an enum that a name stands for; `what` says what it names.

    Raises:
        ValueError: If the name is unknown. The message names the known ones.
    """
    try:
        return kind(name)
    except ValueError:
        names = ", ".join(repr(each.value) for each in kind)
        raise ValueError(f"unknown {what} {name!r}: expected one of {names}") from None
