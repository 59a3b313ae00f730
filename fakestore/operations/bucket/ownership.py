"""The ownership controls of a bucket."""

from __future__ import annotations

from fakestore.documents.ownership import OwnershipControls, OwnershipRule
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import OWNERSHIP_CONTROLS_NOT_FOUND
from fakestore.operations.core.authorization import BUCKET_OWNER, Access
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.registry import operation
from fakestore.operations.core.result import NO_CONTENT, OK, Result
from fakestore.protocol.routing import Route

_PUT_OWNERSHIP = Access("s3:PutBucketOwnershipControls", BUCKET_OWNER)


@operation(
    "GET Bucket ownershipControls",
    Route("GET", "bucket", "ownershipControls"),
    access=Access("s3:GetBucketOwnershipControls", BUCKET_OWNER),
)
def get_bucket_ownership(context: RequestContext, bucket: BucketRecord) -> Result:
    """Return the ownership controls."""
    if bucket.object_ownership is None:
        raise bucket.missing(OWNERSHIP_CONTROLS_NOT_FOUND, "ownership controls")
    return Result(document=OwnershipControls(rules=(OwnershipRule(ownership=bucket.object_ownership),)))


@operation(
    "PUT Bucket ownershipControls",
    Route("PUT", "bucket", "ownershipControls"),
    access=_PUT_OWNERSHIP,
    body=OwnershipControls,
)
def put_bucket_ownership(context: RequestContext, bucket: BucketRecord, controls: OwnershipControls) -> Result:
    """Replace the ownership controls."""
    bucket.change_ownership(controls.rules[0].ownership)
    return OK


@operation(
    "DELETE Bucket ownershipControls",
    Route("DELETE", "bucket", "ownershipControls"),
    access=_PUT_OWNERSHIP,
)
def delete_bucket_ownership(context: RequestContext, bucket: BucketRecord) -> Result:
    """Remove the ownership controls. Each account then owns what it writes, and ACLs have an effect."""
    bucket.change_ownership(None)
    return NO_CONTENT
