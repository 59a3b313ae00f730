"""The public access block of a bucket."""

from __future__ import annotations

from fakestore.documents.public_access_block import PublicAccessBlockConfiguration
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import NO_SUCH_PUBLIC_ACCESS_BLOCK
from fakestore.operations.core.authorization import BUCKET_OWNER, Access
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.registry import operation
from fakestore.operations.core.result import NO_CONTENT, OK, Result
from fakestore.protocol.routing import Route

_PUT_BLOCK = Access("s3:PutBucketPublicAccessBlock", BUCKET_OWNER)


@operation(
    "GET Bucket publicAccessBlock",
    Route("GET", "bucket", "publicAccessBlock"),
    access=Access("s3:GetBucketPublicAccessBlock", BUCKET_OWNER),
)
def get_bucket_public_access_block(context: RequestContext, bucket: BucketRecord) -> Result:
    """Return the public access block."""
    if bucket.public_access_block is None:
        raise bucket.missing(NO_SUCH_PUBLIC_ACCESS_BLOCK, "public access block")
    return Result(document=PublicAccessBlockConfiguration.from_block(bucket.public_access_block))


@operation(
    "PUT Bucket publicAccessBlock",
    Route("PUT", "bucket", "publicAccessBlock"),
    access=_PUT_BLOCK,
    body=PublicAccessBlockConfiguration,
)
def put_bucket_public_access_block(
    context: RequestContext, bucket: BucketRecord, configuration: PublicAccessBlockConfiguration
) -> Result:
    """Replace the public access block. ACLs and the policy stay as they are."""
    bucket.public_access_block = configuration.to_block()
    return OK


@operation(
    "DELETE Bucket publicAccessBlock",
    Route("DELETE", "bucket", "publicAccessBlock"),
    access=_PUT_BLOCK,
)
def delete_bucket_public_access_block(context: RequestContext, bucket: BucketRecord) -> Result:
    """Remove the public access block."""
    bucket.public_access_block = None
    return NO_CONTENT
