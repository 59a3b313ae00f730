"""The legal hold of a version: whether it is kept until further notice."""

from __future__ import annotations

from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import NO_SUCH_OBJECT_LOCK
from fakestore.model.object_lock import LegalHoldDocument
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.registry import operation
from fakestore.operations.core.result import Result
from fakestore.operations.object.reply_headers import requested_version_headers
from fakestore.operations.shared.object_lock import GET_LEGAL_HOLD, PUT_LEGAL_HOLD, check_has_object_lock
from fakestore.protocol.routing import Route


@operation(
    "GET Object legal-hold",
    Route("GET", "object", "legal-hold", names_version=True),
    api_name="GetObjectLegalHold",
    access=GET_LEGAL_HOLD,
)
def get_object_legal_hold(context: RequestContext, bucket: BucketRecord) -> Result:
    """Return the legal hold."""
    check_has_object_lock(bucket)
    version = bucket.get_object_or_version(context.key, context.version_id)
    if version.legal_hold is None:
        raise NO_SUCH_OBJECT_LOCK.error(
            explanation=f"the legal hold of version {version.version_id} of {version.key!r} was never set"
        )
    return Result(
        service_headers=requested_version_headers(context, version),
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
def put_object_legal_hold(context: RequestContext, bucket: BucketRecord, document: LegalHoldDocument) -> Result:
    """Set or end the legal hold."""
    check_has_object_lock(bucket)
    version = bucket.get_object_or_version(context.key, context.version_id)
    bucket.replace_lock(version, version.lock._replace(legal_hold=document.status))
    return Result(service_headers=requested_version_headers(context, version), version_id=version.version_id)
