"""The policy of a bucket, and whether it is public."""

from __future__ import annotations

from fakestore.errors import ACCESS_DENIED, NO_SUCH_BUCKET_POLICY
from fakestore.messages import ACLS_OPTION
from fakestore.model.bucket import BucketRecord
from fakestore.model.policy import Policy, is_public
from fakestore.operations.condition_keys import condition_keys
from fakestore.operations.framework.access import BUCKET_OWNER, BUCKET_OWNER_ALWAYS, Access
from fakestore.operations.framework.body import DOCUMENT
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.fields import header, switch
from fakestore.operations.framework.parameters import Parameters
from fakestore.operations.framework.result import NO_CONTENT, Result
from fakestore.operations.framework.row import operation
from fakestore.operations.policy_document import PolicyRules, parse_policy, render_policy
from fakestore.protocol.routing import Route
from fakestore.xml.declarations import child, document


def get_policy(bucket: BucketRecord) -> Policy:
    """Return the policy of a bucket. Raise an error if the bucket has none."""
    if not bucket.policy.statements:
        raise bucket.missing(NO_SUCH_BUCKET_POLICY, "policy")
    return bucket.policy


@operation(
    "GET Bucket policy",
    Route("GET", "bucket", "policy"),
    api_name="GetBucketPolicy",
    access=Access("s3:GetBucketPolicy", BUCKET_OWNER_ALWAYS),
)
def get_bucket_policy(call: Call, bucket: BucketRecord) -> Result:
    return Result(headers={"Content-Type": "application/json"}, body=render_policy(get_policy(bucket)))


class PolicyHeaders(Parameters):
    """The header by which a requester confirms that they lose access. The owner never does. [policy-and-acl]"""

    confirmation: bool | None = header("confirm-remove-self-bucket-access", switch)


@operation(
    "PUT Bucket policy",
    Route("PUT", "bucket", "policy"),
    api_name="PutBucketPolicy",
    access=Access("s3:PutBucketPolicy", BUCKET_OWNER_ALWAYS),
    parameters=PolicyHeaders,
    body=DOCUMENT,
)
def put_bucket_policy(call: Call, bucket: BucketRecord, headers: PolicyHeaders, document: bytes) -> Result:
    rules = PolicyRules(
        bucket=bucket.name,
        accounts=call.state.accounts,
        actions=call.service.operations.actions,
        condition_keys=condition_keys(call.dialect.header_prefix),
        accepts_unknown=call.semantics.accepts_unknown_principals,
    )
    policy = parse_policy(document, rules)
    block = bucket.public_access_block
    if block is not None and block.block_public_policy and is_public(policy):
        raise ACCESS_DENIED.error(
            explanation=f"the policy is public, and the public access block of bucket {bucket.name!r} refuses public"
            f" policies; send DELETE Bucket publicAccessBlock, or set store[{bucket.name!r}].public_access_block = None"
            f"; {ACLS_OPTION}"
        )
    bucket.policy = policy
    return NO_CONTENT


@operation(
    "DELETE Bucket policy",
    Route("DELETE", "bucket", "policy"),
    api_name="DeleteBucketPolicy",
    access=Access("s3:DeleteBucketPolicy", BUCKET_OWNER_ALWAYS),
)
def delete_bucket_policy(call: Call, bucket: BucketRecord) -> Result:
    bucket.policy = Policy()
    return NO_CONTENT


@document("PolicyStatus")
class PolicyStatus:
    is_public: bool = child("IsPublic")


@operation(
    "GET Bucket policyStatus",
    Route("GET", "bucket", "policyStatus"),
    api_name="GetBucketPolicyStatus",
    access=Access("s3:GetBucketPolicyStatus", BUCKET_OWNER),
)
def get_bucket_policy_status(call: Call, bucket: BucketRecord) -> Result:
    """Return whether the policy is public. [policy-status]"""
    return Result(document=PolicyStatus(is_public=is_public(get_policy(bucket))))
