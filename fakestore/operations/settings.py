"""Settings of a bucket that have an effect."""

from __future__ import annotations

from fakestore.errors import (
    ACCESS_DENIED,
    MISSING_REQUEST_BODY,
    NO_DEFAULT_ENCRYPTION,
    NO_SUCH_CORS,
    NO_SUCH_PUBLIC_ACCESS_BLOCK,
    NO_SUCH_TAG_SET,
    OBJECT_LOCK_NOT_FOUND,
    OWNERSHIP_CONTROLS_NOT_FOUND,
    UnsupportedRequest,
)
from fakestore.model.bucket import BucketRecord
from fakestore.model.cors import Cors
from fakestore.model.encryption import BlockedEncryption, EncryptionConfiguration, EncryptionRule
from fakestore.model.object_lock import ObjectLock
from fakestore.model.ownership import OwnershipControls
from fakestore.model.public_access_block import PublicAccessBlock
from fakestore.model.request_payment import RequestPayment
from fakestore.model.tagging import BUCKET_TAGS, NO_TAGS, RequestedTagging, Tagging, tag_pairs
from fakestore.model.versioning import Versioning, VersioningConfiguration
from fakestore.operations.deletion import check_mfa
from fakestore.operations.framework.call import Call
from fakestore.operations.setting import Actions, Setting
from fakestore.xml.declarations import changed

# -- CORS


CORS = Setting(
    "cors",
    "BucketCors",
    Cors,
    Actions("s3:GetBucketCORS", "s3:PutBucketCORS", "s3:PutBucketCORS"),
    attribute="cors",
    missing=NO_SUCH_CORS,
    title="CORS rules",
)


# -- the default encryption, and what new objects cannot be encrypted with [blocked-encryption]


def _read_encryption(bucket: BucketRecord) -> EncryptionConfiguration | None:
    """Return the settings of the bucket, or else those of the service."""
    rule = bucket.get_encryption()
    if not bucket.encryption.blocked and rule.blocked == (BlockedEncryption.NONE,):
        rule = changed(rule, blocked=())
    return None if rule == EncryptionRule() else EncryptionConfiguration(rules=(rule,))


ENCRYPTION = Setting(
    "encryption",
    "BucketEncryption",
    EncryptionConfiguration,
    Actions("s3:GetEncryptionConfiguration", "s3:PutEncryptionConfiguration", "s3:PutEncryptionConfiguration"),
    attribute="encryption",
    missing=NO_DEFAULT_ENCRYPTION,
    title="default encryption",
    read=_read_encryption,
    prepare=lambda document: document.rules[0],
    removed=EncryptionRule(),
)


# -- Object Lock: whether versions can be locked, and for how long they are by default


def _check_is_sent(call: Call, bucket: BucketRecord, document: ObjectLock | None) -> ObjectLock:
    """Refuse a request without a document. A document without a rule removes the retention by default."""
    if document is None:
        raise MISSING_REQUEST_BODY.error()
    return document


OBJECT_LOCK = Setting(
    "object-lock",
    "ObjectLockConfiguration",
    ObjectLock,
    Actions("s3:GetBucketObjectLockConfiguration", "s3:PutBucketObjectLockConfiguration"),
    attribute="object_lock",
    missing=OBJECT_LOCK_NOT_FOUND,
    title="Object Lock",
    prepare=_check_is_sent,
    store=BucketRecord.lock_objects,
    body_is_optional=True,
)


# -- ownership controls


OWNERSHIP_CONTROLS = Setting(
    "ownershipControls",
    "BucketOwnershipControls",
    OwnershipControls,
    Actions("s3:GetBucketOwnershipControls", "s3:PutBucketOwnershipControls", "s3:PutBucketOwnershipControls"),
    missing=OWNERSHIP_CONTROLS_NOT_FOUND,
    title="ownership controls",
    read=lambda bucket: None if bucket.object_ownership is None else OwnershipControls.of(bucket.object_ownership),
    prepare=lambda document: document.ownership,
    store=BucketRecord.change_ownership,
)


# -- the public access block


PUBLIC_ACCESS_BLOCK = Setting(
    "publicAccessBlock",
    "PublicAccessBlock",
    PublicAccessBlock,
    Actions("s3:GetBucketPublicAccessBlock", "s3:PutBucketPublicAccessBlock", "s3:PutBucketPublicAccessBlock"),
    attribute="public_access_block",
    missing=NO_SUCH_PUBLIC_ACCESS_BLOCK,
    title="public access block",
)


# -- the payer. The fake charges no account. It refuses a requester who must agree to pay and does not.


REQUEST_PAYMENT = Setting(
    "requestPayment",
    "BucketRequestPayment",
    RequestPayment,
    Actions("s3:GetBucketRequestPayment", "s3:PutBucketRequestPayment"),
    attribute="request_payment",
)


# -- tags


TAGGING = Setting(
    "tagging",
    "BucketTagging",
    RequestedTagging,
    Actions("s3:GetBucketTagging", "s3:PutBucketTagging", "s3:PutBucketTagging"),
    attribute="tags",
    missing=NO_SUCH_TAG_SET,
    title="tags",
    read=lambda bucket: Tagging.of(bucket.tags) if bucket.tags else None,
    prepare=lambda document: BUCKET_TAGS.check(tag_pairs(document.tags)),
    removed=NO_TAGS,
    put_status=204,
)


# -- versioning, with MFA Delete


def _read_versioning(bucket: BucketRecord) -> VersioningConfiguration:
    return VersioningConfiguration(
        status=None if bucket.versioning is Versioning.NEVER else bucket.versioning,
        mfa_delete=None if bucket.mfa_device is None else bucket.mfa_delete,
    )


def _check_versioning(call: Call, bucket: BucketRecord, document: VersioningConfiguration) -> VersioningConfiguration:
    """Check the MFA code. Some clients always send MfaDelete, so MFA is required only if it changes, or if it is on."""
    changes = document.mfa_delete not in (None, bucket.mfa_delete)
    if changes:
        _check_may_switch(call, bucket)
    if changes or bucket.mfa_delete:
        check_mfa(call, bucket)
    return document


def _check_may_switch(call: Call, bucket: BucketRecord) -> None:
    """Check that MFA Delete may be switched: by the owner, whatever a policy allows, and only with a device."""
    if call.requester != bucket.owner:
        raise ACCESS_DENIED.error(
            explanation=f"{call.requester} may not switch MFA Delete of bucket {bucket.name!r}; only its owner"
            f" {bucket.owner} may"
        )
    if bucket.mfa_device is None:
        raise UnsupportedRequest(
            f"MfaDelete was sent for bucket {bucket.name!r}, which has no device; enable versioning, and then set a"
            f" device with store[{bucket.name!r}].enable_mfa_delete(MfaDevice(...))"
        )


def _store_versioning(bucket: BucketRecord, document: VersioningConfiguration) -> None:
    assert document.status is not None, "the document requires it"
    bucket.change_versioning(document.status)
    if document.mfa_delete is not None:
        bucket.mfa_delete = document.mfa_delete


VERSIONING = Setting(
    "versioning",
    "BucketVersioning",
    VersioningConfiguration,
    Actions("s3:GetBucketVersioning", "s3:PutBucketVersioning"),
    read=_read_versioning,
    prepare=_check_versioning,
    store=_store_versioning,
)
