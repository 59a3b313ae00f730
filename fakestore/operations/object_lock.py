"""Object Lock: the setting of a bucket, and the legal hold and the retention of a version."""

from __future__ import annotations

from fakestore.errors import MISSING_REQUEST_BODY, NO_SUCH_OBJECT_LOCK, OBJECT_LOCK_NOT_FOUND
from fakestore.model.bucket import BucketRecord
from fakestore.model.object_lock import LegalHoldDocument, ObjectLock, Retention, RetentionDocument
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.result import Result
from fakestore.operations.framework.row import operation
from fakestore.operations.framework.setting import Actions, Setting
from fakestore.operations.lock_headers import (
    BYPASS_GOVERNANCE,
    GET_LEGAL_HOLD,
    GET_RETENTION,
    PUT_LEGAL_HOLD,
    PUT_RETENTION,
    BypassParameters,
    check_has_object_lock,
    check_is_in_the_future,
    protected,
)
from fakestore.operations.versioning import requested_version_headers
from fakestore.protocol.routing import Route


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


@operation(
    "GET Object legal-hold",
    Route("GET", "object", "legal-hold", names_version=True),
    api_name="GetObjectLegalHold",
    access=GET_LEGAL_HOLD,
)
def get_object_legal_hold(call: Call, bucket: BucketRecord) -> Result:
    """Return the legal hold."""
    check_has_object_lock(bucket)
    version = bucket.get_object_or_version(call.key, call.version_id)
    if version.legal_hold is None:
        raise NO_SUCH_OBJECT_LOCK.error(
            explanation=f"the legal hold of version {version.version_id} of {version.key!r} was never set"
        )
    return Result(
        service_headers=requested_version_headers(call, version),
        document=LegalHoldDocument(status=version.legal_hold),
        version_id=version.version_id,
    )


@operation(
    "PUT Object legal-hold",
    Route("PUT", "object", "legal-hold", names_version=True),
    api_name="PutObjectLegalHold",
    access=PUT_LEGAL_HOLD,
    body=LegalHoldDocument,
)
def put_object_legal_hold(call: Call, bucket: BucketRecord, document: LegalHoldDocument) -> Result:
    """Set or end the legal hold."""
    check_has_object_lock(bucket)
    version = bucket.get_object_or_version(call.key, call.version_id)
    bucket.replace_lock(version, version.lock._replace(legal_hold=document.status))
    return Result(service_headers=requested_version_headers(call, version), version_id=version.version_id)


@operation(
    "GET Object retention",
    Route("GET", "object", "retention", names_version=True),
    api_name="GetObjectRetention",
    access=GET_RETENTION,
)
def get_object_retention(call: Call, bucket: BucketRecord) -> Result:
    """Return the retention, which may have ended."""
    check_has_object_lock(bucket)
    version = bucket.get_object_or_version(call.key, call.version_id)
    if version.retention is None:
        raise NO_SUCH_OBJECT_LOCK.error(explanation=f"version {version.version_id} of {version.key!r} has no retention")
    document = RetentionDocument(mode=version.retention.mode, until=version.retention.until)
    return Result(
        service_headers=requested_version_headers(call, version), document=document, version_id=version.version_id
    )


@operation(
    "PUT Object retention",
    Route("PUT", "object", "retention", names_version=True),
    api_name="PutObjectRetention",
    access=PUT_RETENTION,
    parameters=BypassParameters,
    body=RetentionDocument,
    checks_itself=(BYPASS_GOVERNANCE,),
)
def put_object_retention(
    call: Call, bucket: BucketRecord, bypass: BypassParameters, document: RetentionDocument
) -> Result:
    """Replace or remove the retention."""
    check_has_object_lock(bucket)
    bypass.check_bucket(bucket)
    version = bucket.get_object_or_version(call.key, call.version_id)
    old, new = version.retention, None
    if document.mode is not None and document.until is not None:
        new = Retention(document.mode, document.until)
        check_is_in_the_future(call, "RetainUntilDate", new.until)
    bypasses = bypass.applies(call, bucket, version.key)
    if old is not None and not old.can_become(new, call.now, bypasses=bypasses):
        raise protected(call, version, bypass)
    bucket.replace_lock(version, version.lock._replace(retention=new))
    return Result(service_headers=requested_version_headers(call, version), version_id=version.version_id)
