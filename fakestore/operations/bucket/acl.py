"""The operations on the access control list of a bucket."""

from __future__ import annotations

from fakestore.model.acl import AccessControlPolicy
from fakestore.model.bucket import BucketRecord
from fakestore.operations.core.authorization import BUCKET_READ_ACP, BUCKET_WRITE_ACP, Access
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.registry import operation
from fakestore.operations.core.result import OK, Result
from fakestore.operations.shared.acl import AclParameters, check_accepts_acl
from fakestore.protocol.routing import Route


@operation(
    "GET Bucket ACL",
    Route("GET", "bucket", "acl"),
    api_name="GetBucketAcl",
    access=Access("s3:GetBucketAcl", BUCKET_READ_ACP),
)
def get_bucket_acl(context: RequestContext, bucket: BucketRecord) -> Result:
    """Return the ACL of the bucket."""
    names = context.semantics.shows_display_names
    return Result(document=AccessControlPolicy.of(bucket.current_acl(), shows_names=names))


@operation(
    "PUT Bucket ACL",
    Route("PUT", "bucket", "acl"),
    api_name="PutBucketAcl",
    access=Access("s3:PutBucketAcl", BUCKET_WRITE_ACP),
    parameters=AclParameters,
    body=AccessControlPolicy,
    body_is_optional=True,
)
def put_bucket_acl(
    context: RequestContext, bucket: BucketRecord, parameters: AclParameters, document: AccessControlPolicy | None
) -> Result:
    """Replace the ACL of the bucket."""
    requested = parameters.replacing(bucket.acl, document, context.state.accounts)
    check_accepts_acl(bucket, requested)
    bucket.acl = requested.expand(bucket.owner, bucket.owner)
    return OK
