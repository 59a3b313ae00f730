"""The names that the public API accepts, for type checkers and editors, and what they stand for."""

from __future__ import annotations

from typing import Literal, TypeVar, get_args

from fakestore.messages import did_you_mean
from fakestore.model.acl import CannedAcl
from fakestore.model.encryption import Encryption
from fakestore.model.kms_keys import KmsKeyState
from fakestore.model.ownership import ObjectOwnership
from fakestore.model.storage_class import StorageClass
from fakestore.model.versioning import Versioning

DialectName = Literal["document", "s3"]

VersioningName = Literal["never", "enabled", "suspended"]

CannedAclName = Literal[
    "private",
    "public-read",
    "public-read-write",
    "authenticated-read",
    "bucket-owner-read",
    "bucket-owner-full-control",
]

ObjectOwnershipName = Literal["BucketOwnerEnforced", "BucketOwnerPreferred", "ObjectWriter"]

#: A dialect may have fewer of them; the specification has the first two.
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

EncryptionName = Literal["AES256", "aws:kms"]

KmsKeyStateName = Literal["enabled", "disabled", "pending deletion"]

OperationName = Literal[
    "GET Object ACL",
    "PUT Object ACL",
    "GET Bucket ACL",
    "PUT Bucket ACL",
    "GET Service",
    "PUT Bucket",
    "HEAD Bucket",
    "DELETE Bucket",
    "GET Bucket location",
    "GET Bucket versioning",
    "PUT Bucket versioning",
    "GET Bucket lifecycle",
    "PUT Bucket lifecycle",
    "DELETE Bucket lifecycle",
    "GET Bucket policy",
    "PUT Bucket policy",
    "DELETE Bucket policy",
    "GET Bucket policyStatus",
    "PUT Object",
    "GET Object",
    "HEAD Object",
    "DELETE Object",
    "GET Bucket",
    "GET Bucket version 2",
    "GET Bucket Object versions",
    "POST Bucket delete",
    "PUT Object Copy",
    "POST Object",
    "Initiate Multipart Upload",
    "Upload Part",
    "Upload Part Copy",
    "Complete Multipart Upload",
    "Abort Multipart Upload",
    "List Parts",
    "List Multipart Uploads",
    "GET Bucket requestPayment",
    "PUT Bucket requestPayment",
    "GET Bucket tagging",
    "PUT Bucket tagging",
    "DELETE Bucket tagging",
    "GET Object attributes",
    "POST Object restore",
    "GET Bucket ownershipControls",
    "PUT Bucket ownershipControls",
    "DELETE Bucket ownershipControls",
    "GET Bucket publicAccessBlock",
    "PUT Bucket publicAccessBlock",
    "DELETE Bucket publicAccessBlock",
    "GET Bucket object-lock",
    "PUT Bucket object-lock",
    "GET Bucket accelerate",
    "PUT Bucket accelerate",
    "GET Bucket logging",
    "PUT Bucket logging",
    "GET Bucket notification",
    "PUT Bucket notification",
    "GET Bucket replication",
    "PUT Bucket replication",
    "DELETE Bucket replication",
    "GET Bucket website",
    "PUT Bucket website",
    "DELETE Bucket website",
    "GET Bucket cors",
    "PUT Bucket cors",
    "DELETE Bucket cors",
    "OPTIONS Service",
    "OPTIONS Bucket",
    "OPTIONS Object",
    "GET Bucket encryption",
    "PUT Bucket encryption",
    "DELETE Bucket encryption",
    "GET Object retention",
    "PUT Object retention",
    "GET Object legal-hold",
    "PUT Object legal-hold",
    "GET Object tagging",
    "PUT Object tagging",
    "DELETE Object tagging",
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

_Kind = TypeVar("_Kind", CannedAcl, Encryption, KmsKeyState, ObjectOwnership, StorageClass, Versioning)


def check_operation_name(name: str) -> None:
    """Check that an operation has this name.

    Raises:
        ValueError: If the name is unknown. The message suggests the name that was probably meant, or the closest ones.
    """
    known = get_args(OperationName)
    if name not in known:
        meant = _OPERATIONS_OF_S3.get(name)
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
