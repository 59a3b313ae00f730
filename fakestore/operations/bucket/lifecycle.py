"""The lifecycle rules of a bucket."""

from __future__ import annotations

from fakestore.documents.lifecycle import LifecycleConfiguration
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import NO_SUCH_LIFECYCLE
from fakestore.operations.core.authorization import BUCKET_OWNER, Access
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.registry import operation
from fakestore.operations.core.result import NO_CONTENT, OK, Result
from fakestore.protocol.routing import Route

_PUT_LIFECYCLE = Access("s3:PutLifeCycleConfiguration", BUCKET_OWNER)


@operation(
    "GET Bucket lifecycle",
    Route("GET", "bucket", "lifecycle"),
    access=Access("s3:GetLifecycleConfiguration", BUCKET_OWNER),
)
def get_bucket_lifecycle(context: RequestContext, bucket: BucketRecord) -> Result:
    """Return the lifecycle rules."""
    if bucket.lifecycle is None:
        raise NO_SUCH_LIFECYCLE.error(
            explanation=f"bucket {bucket.name!r} has no lifecycle rules", BucketName=bucket.name
        )
    return Result(document=LifecycleConfiguration.from_lifecycle(bucket.lifecycle))


@operation(
    "PUT Bucket lifecycle",
    Route("PUT", "bucket", "lifecycle"),
    access=_PUT_LIFECYCLE,
    body=LifecycleConfiguration,
)
def put_bucket_lifecycle(
    context: RequestContext, bucket: BucketRecord, configuration: LifecycleConfiguration
) -> Result:
    """Replace the lifecycle rules."""
    bucket.lifecycle = configuration.to_lifecycle()
    return OK


@operation("DELETE Bucket lifecycle", Route("DELETE", "bucket", "lifecycle"), access=_PUT_LIFECYCLE)
def delete_bucket_lifecycle(context: RequestContext, bucket: BucketRecord) -> Result:
    """Remove the lifecycle rules."""
    bucket.lifecycle = None
    return NO_CONTENT
