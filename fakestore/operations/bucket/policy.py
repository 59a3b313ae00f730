"""The policy of a bucket."""

from __future__ import annotations

from fakestore.documents.policy import parse_policy, render_policy
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import NO_SUCH_BUCKET_POLICY
from fakestore.model.policy import Policy
from fakestore.operations.core.authorization import BUCKET_OWNER_ALWAYS, Access
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.registry import BodyKind, known_actions, operation
from fakestore.operations.core.result import NO_CONTENT, Result
from fakestore.protocol.routing import Route


@operation(
    "GET Bucket policy",
    Route("GET", "bucket", "policy"),
    access=Access("s3:GetBucketPolicy", BUCKET_OWNER_ALWAYS),
)
def get_bucket_policy(context: RequestContext, bucket: BucketRecord) -> Result:
    """Return the policy."""
    if not bucket.policy.statements:
        raise NO_SUCH_BUCKET_POLICY.error(explanation=f"bucket {bucket.name!r} has no policy", BucketName=bucket.name)
    return Result(headers={"Content-Type": "application/json"}, body=render_policy(bucket.policy))


@operation(
    "PUT Bucket policy",
    Route("PUT", "bucket", "policy"),
    access=Access("s3:PutBucketPolicy", BUCKET_OWNER_ALWAYS),
    body=BodyKind.BYTES,
)
def put_bucket_policy(context: RequestContext, bucket: BucketRecord, document: bytes) -> Result:
    """Replace the policy."""
    bucket.policy = parse_policy(
        document,
        bucket.name,
        context.state.accounts,
        known_actions(),
        accepts_unknown=context.semantics.accepts_unknown_principals,
    )
    return NO_CONTENT


@operation(
    "DELETE Bucket policy",
    Route("DELETE", "bucket", "policy"),
    access=Access("s3:DeleteBucketPolicy", BUCKET_OWNER_ALWAYS),
)
def delete_bucket_policy(context: RequestContext, bucket: BucketRecord) -> Result:
    """Remove the policy."""
    bucket.policy = Policy()
    return NO_CONTENT
