"""The names that the public API accepts, for type checkers and editors, and what they stand for."""

from __future__ import annotations

from enum import Enum
from typing import Literal, TypeVar, get_args

from fakestore.messages import did_you_mean
from fakestore.model.acl import CannedAcl
from fakestore.model.versioning import Versioning
from fakestore.operations.framework.row import Operations

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

#: Most operations have two names: the first one is that of the specification, and the second one that of the S3 API.
OperationName = Literal[
    "Abort Multipart Upload",
    "Complete Multipart Upload",
    "DELETE Bucket analytics",
    "DELETE Bucket cors",
    "DELETE Bucket encryption",
    "DELETE Bucket intelligent-tiering",
    "DELETE Bucket inventory",
    "DELETE Bucket lifecycle",
    "DELETE Bucket metrics",
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
    "GET Bucket analytics",
    "GET Bucket cors",
    "GET Bucket encryption",
    "GET Bucket intelligent-tiering",
    "GET Bucket inventory",
    "GET Bucket lifecycle",
    "GET Bucket location",
    "GET Bucket logging",
    "GET Bucket metrics",
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
    "List Bucket analytics",
    "List Bucket intelligent-tiering",
    "List Bucket inventory",
    "List Bucket metrics",
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
    "PUT Bucket analytics",
    "PUT Bucket cors",
    "PUT Bucket encryption",
    "PUT Bucket intelligent-tiering",
    "PUT Bucket inventory",
    "PUT Bucket lifecycle",
    "PUT Bucket logging",
    "PUT Bucket metrics",
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
    # The names of the S3 API, which boto3 has.
    "AbortMultipartUpload",
    "CompleteMultipartUpload",
    "CopyObject",
    "CreateBucket",
    "CreateMultipartUpload",
    "DeleteBucket",
    "DeleteBucketAnalyticsConfiguration",
    "DeleteBucketCors",
    "DeleteBucketEncryption",
    "DeleteBucketIntelligentTieringConfiguration",
    "DeleteBucketInventoryConfiguration",
    "DeleteBucketLifecycle",
    "DeleteBucketMetricsConfiguration",
    "DeleteBucketOwnershipControls",
    "DeleteBucketPolicy",
    "DeleteBucketReplication",
    "DeleteBucketTagging",
    "DeleteBucketWebsite",
    "DeleteObject",
    "DeleteObjectTagging",
    "DeleteObjects",
    "DeletePublicAccessBlock",
    "GetBucketAccelerateConfiguration",
    "GetBucketAcl",
    "GetBucketAnalyticsConfiguration",
    "GetBucketCors",
    "GetBucketEncryption",
    "GetBucketIntelligentTieringConfiguration",
    "GetBucketInventoryConfiguration",
    "GetBucketLifecycleConfiguration",
    "GetBucketLocation",
    "GetBucketLogging",
    "GetBucketMetricsConfiguration",
    "GetBucketNotificationConfiguration",
    "GetBucketOwnershipControls",
    "GetBucketPolicy",
    "GetBucketPolicyStatus",
    "GetBucketReplication",
    "GetBucketRequestPayment",
    "GetBucketTagging",
    "GetBucketVersioning",
    "GetBucketWebsite",
    "GetObject",
    "GetObjectAcl",
    "GetObjectAttributes",
    "GetObjectLegalHold",
    "GetObjectLockConfiguration",
    "GetObjectRetention",
    "GetObjectTagging",
    "GetPublicAccessBlock",
    "HeadBucket",
    "HeadObject",
    "ListBucketAnalyticsConfigurations",
    "ListBucketIntelligentTieringConfigurations",
    "ListBucketInventoryConfigurations",
    "ListBucketMetricsConfigurations",
    "ListBuckets",
    "ListMultipartUploads",
    "ListObjectVersions",
    "ListObjects",
    "ListObjectsV2",
    "ListParts",
    "PutBucketAccelerateConfiguration",
    "PutBucketAcl",
    "PutBucketAnalyticsConfiguration",
    "PutBucketCors",
    "PutBucketEncryption",
    "PutBucketIntelligentTieringConfiguration",
    "PutBucketInventoryConfiguration",
    "PutBucketLifecycleConfiguration",
    "PutBucketLogging",
    "PutBucketMetricsConfiguration",
    "PutBucketNotificationConfiguration",
    "PutBucketOwnershipControls",
    "PutBucketPolicy",
    "PutBucketReplication",
    "PutBucketRequestPayment",
    "PutBucketTagging",
    "PutBucketVersioning",
    "PutBucketWebsite",
    "PutObject",
    "PutObjectAcl",
    "PutObjectLegalHold",
    "PutObjectLockConfiguration",
    "PutObjectRetention",
    "PutObjectTagging",
    "PutPublicAccessBlock",
    "RestoreObject",
    "UploadPart",
    "UploadPartCopy",
]

_Kind = TypeVar("_Kind", bound=Enum)


def parse_operation_name(name: str, operations: Operations) -> str:
    """Return the name of an operation in the specification.

    Args:
        name: This name, or that of the S3 API.
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
    """Return the value of an enum that a name stands for; `what` says what it names."""
    try:
        return kind(name)
    except ValueError:
        names = ", ".join(repr(each.value) for each in kind)
        raise ValueError(f"unknown {what} {name!r}: expected one of {names}") from None
