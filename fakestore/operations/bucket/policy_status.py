"""The status of the policy of a bucket: whether it is public."""

from __future__ import annotations

from fakestore.model.bucket import BucketRecord
from fakestore.model.policy_status import is_public
from fakestore.model.shape import child, document
from fakestore.operations.bucket.policy import get_policy
from fakestore.operations.core.authorization import BUCKET_OWNER, Access
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.registry import operation
from fakestore.operations.core.result import Result
from fakestore.protocol.routing import Route


@document("PolicyStatus")
class PolicyStatus:
    """Whether the policy of a bucket is public."""

    is_public: bool = child("IsPublic")


@operation(
    "GET Bucket policyStatus",
    Route("GET", "bucket", "policyStatus"),
    api_name="GetBucketPolicyStatus",
    access=Access("s3:GetBucketPolicyStatus", BUCKET_OWNER),
)
def get_bucket_policy_status(context: RequestContext, bucket: BucketRecord) -> Result:
    """Return whether the policy is public. [policy-status]"""
    return Result(document=PolicyStatus(is_public=is_public(get_policy(bucket))))
