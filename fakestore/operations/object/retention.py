"""The retention of a version: until when it cannot be removed."""

from __future__ import annotations

from fakestore.documents.object_lock import Retention
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import NO_SUCH_OBJECT_LOCK
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.registry import operation
from fakestore.operations.core.result import Result
from fakestore.operations.object.reply_headers import requested_version_headers
from fakestore.operations.shared.object_lock import (
    BYPASS_GOVERNANCE,
    BYPASS_HEADER,
    GET_RETENTION,
    PUT_RETENTION,
    bypasses_governance,
    check_bypass_header,
    check_has_object_lock,
    check_is_in_the_future,
    protected,
)
from fakestore.protocol.routing import Route


@operation("GET Object retention", Route("GET", "object", "retention"), access=GET_RETENTION, query=("versionId",))
def get_object_retention(context: RequestContext, bucket: BucketRecord) -> Result:
    """Return the retention, which may have ended."""
    check_has_object_lock(bucket)
    version = bucket.get_object_or_version(context.key, context.version_id)
    if version.retention is None:
        raise NO_SUCH_OBJECT_LOCK.error(explanation=f"version {version.version_id} of {version.key!r} has no retention")
    document = Retention(mode=version.retention.mode, until=version.retention.until)
    return Result(
        service_headers=requested_version_headers(context, version), document=document, version_id=version.version_id
    )


@operation(
    "PUT Object retention",
    Route("PUT", "object", "retention"),
    access=PUT_RETENTION,
    body=Retention,
    query=("versionId",),
    service_headers=(BYPASS_HEADER,),
    checks_itself=(BYPASS_GOVERNANCE,),
)
def put_object_retention(context: RequestContext, bucket: BucketRecord, document: Retention) -> Result:
    """Replace or remove the retention."""
    check_has_object_lock(bucket)
    check_bypass_header(context, bucket)
    version = bucket.get_object_or_version(context.key, context.version_id)
    old, new = version.retention, document.to_retention()
    if new is not None:
        check_is_in_the_future(context, "RetainUntilDate", new.until)
    bypasses = bypasses_governance(context, bucket, version.key)
    if old is not None and not old.can_become(new, context.now, bypasses=bypasses):
        raise protected(context, version)
    bucket.replace_lock(version, version.lock._replace(retention=new))
    return Result(service_headers=requested_version_headers(context, version), version_id=version.version_id)
