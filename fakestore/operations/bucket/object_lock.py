"""The Object Lock of a bucket: whether its versions can be locked, and for how long they are by default."""

from __future__ import annotations

from fakestore.documents.object_lock import ObjectLockConfiguration
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import OBJECT_LOCK_NOT_FOUND
from fakestore.operations.core.authorization import BUCKET_OWNER, Access
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.registry import operation
from fakestore.operations.core.result import OK, Result
from fakestore.protocol.routing import Route


@operation(
    "GET Bucket object-lock",
    Route("GET", "bucket", "object-lock"),
    access=Access("s3:GetBucketObjectLockConfiguration", BUCKET_OWNER),
)
def get_bucket_object_lock(context: RequestContext, bucket: BucketRecord) -> Result:
    """Return the configuration."""
    if bucket.object_lock is None:
        raise bucket.missing(OBJECT_LOCK_NOT_FOUND, "Object Lock")
    return Result(document=ObjectLockConfiguration.from_object_lock(bucket.object_lock))


@operation(
    "PUT Bucket object-lock",
    Route("PUT", "bucket", "object-lock"),
    access=Access("s3:PutBucketObjectLockConfiguration", BUCKET_OWNER),
    body=ObjectLockConfiguration,
)
def put_bucket_object_lock(
    context: RequestContext, bucket: BucketRecord, configuration: ObjectLockConfiguration
) -> Result:
    """Replace the configuration. A configuration without a rule removes the retention by default."""
    bucket.lock_objects(configuration.to_object_lock())
    return OK
