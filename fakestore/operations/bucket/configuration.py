"""The operations on a bucket's configuration: versioning with MFA Delete, lifecycle, policy."""

from __future__ import annotations

from fakestore.documents.lifecycle import LifecycleConfiguration
from fakestore.documents.policy import parse_policy, render_policy
from fakestore.documents.shape import parse, render
from fakestore.documents.versioning import VersioningConfiguration
from fakestore.http.messages import Reply
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import ACCESS_DENIED, NO_SUCH_BUCKET_POLICY, NO_SUCH_LIFECYCLE, UnsupportedRequest
from fakestore.model.history import Versioning
from fakestore.model.policy import Policy
from fakestore.operations.core.authorization import Access, Right, authorize
from fakestore.operations.core.context import Call
from fakestore.operations.core.mfa import check_mfa
from fakestore.operations.core.registry import operation

PUT_VERSIONING = Access("s3:PutBucketVersioning", Right.BUCKET_OWNER)
PUT_POLICY = Access("s3:PutBucketPolicy", Right.BUCKET_OWNER_ALWAYS)
PUT_LIFECYCLE = Access("s3:PutLifeCycleConfiguration", Right.BUCKET_OWNER)


@operation(
    "GET Bucket versioning",
    route="GET bucket?versioning",
    access=Access("s3:GetBucketVersioning", Right.BUCKET_OWNER),
)
def get_bucket_versioning(call: Call) -> Reply:
    with call.bucket() as bucket:
        mfa_delete = bucket.mfa_delete if bucket.mfa_device is not None else None
        status = None if bucket.versioning is Versioning.NEVER else bucket.versioning
        configuration = VersioningConfiguration(status=status, mfa_delete=mfa_delete)
        return Reply(200, {}, render(configuration, call.dialect.xml_namespace))


@operation(
    "PUT Bucket versioning",
    route="PUT bucket?versioning",
    access=PUT_VERSIONING,
    takes_body=True,
)
def put_bucket_versioning(call: Call) -> Reply:
    configuration = parse(VersioningConfiguration, call.receive_document())
    mfa_delete = configuration.mfa_delete
    with call.bucket() as bucket:
        authorize(PUT_VERSIONING, call.account, bucket, None, None)
        # Clients that know MfaDelete send it always; where nothing is switched, it asks for nothing more.
        switched = mfa_delete is not None and mfa_delete is not bucket.mfa_delete
        if switched:
            _check_may_switch(call, bucket)
        if switched or bucket.mfa_delete:
            check_mfa(call, bucket)
        if configuration.status is not None:
            bucket.versioning = configuration.status
        if mfa_delete is not None:
            bucket.mfa_delete = mfa_delete
    return Reply(200)


def _check_may_switch(call: Call, bucket: BucketRecord) -> None:
    """MFA Delete is switched by the bucket's owner alone, whatever a policy allows, and with a device alone."""
    if call.account.id != bucket.owner.id:
        raise ACCESS_DENIED(explanation=f"MFA Delete of bucket {bucket.name!r} is for {bucket.owner} alone to switch")
    if bucket.mfa_device is None:
        raise UnsupportedRequest(
            f"MfaDelete on bucket {bucket.name!r}, which has no device;"
            f" give it one with store[{bucket.name!r}].set_versioning('enabled', mfa_device=MfaDevice(...))"
        )


@operation(
    "GET Bucket lifecycle",
    route="GET bucket?lifecycle",
    access=Access("s3:GetLifecycleConfiguration", Right.BUCKET_OWNER),
)
def get_bucket_lifecycle(call: Call) -> Reply:
    with call.bucket() as bucket:
        if bucket.lifecycle is None:
            raise NO_SUCH_LIFECYCLE(explanation=f"bucket {bucket.name!r} has no lifecycle", BucketName=bucket.name)
        configuration = LifecycleConfiguration.from_lifecycle(bucket.lifecycle)
        return Reply(200, {}, render(configuration, call.dialect.xml_namespace))


@operation("PUT Bucket lifecycle", route="PUT bucket?lifecycle", access=PUT_LIFECYCLE, takes_body=True)
def put_bucket_lifecycle(call: Call) -> Reply:
    lifecycle = parse(LifecycleConfiguration, call.receive_document()).to_lifecycle()
    with call.bucket() as bucket:
        authorize(PUT_LIFECYCLE, call.account, bucket, None, None)
        bucket.lifecycle = lifecycle
    return Reply(200)


@operation("DELETE Bucket lifecycle", route="DELETE bucket?lifecycle", access=PUT_LIFECYCLE)
def delete_bucket_lifecycle(call: Call) -> Reply:
    with call.bucket() as bucket:
        bucket.lifecycle = None
    return Reply(204)


@operation(
    "GET Bucket policy",
    route="GET bucket?policy",
    access=Access("s3:GetBucketPolicy", Right.BUCKET_OWNER_ALWAYS),
)
def get_bucket_policy(call: Call) -> Reply:
    with call.bucket() as bucket:
        if not bucket.policy.statements:
            raise NO_SUCH_BUCKET_POLICY(explanation=f"bucket {bucket.name!r} has no policy", BucketName=bucket.name)
        return Reply(200, {"Content-Type": "application/json"}, render_policy(bucket.policy))


@operation(
    "PUT Bucket policy",
    route="PUT bucket?policy",
    access=PUT_POLICY,
    takes_body=True,
)
def put_bucket_policy(call: Call) -> Reply:
    body = call.receive_document()
    with call.bucket() as bucket:
        authorize(PUT_POLICY, call.account, bucket, None, None)
        bucket.policy = parse_policy(body, bucket.name, call.state.accounts)
    return Reply(204)


@operation(
    "DELETE Bucket policy",
    route="DELETE bucket?policy",
    access=Access("s3:DeleteBucketPolicy", Right.BUCKET_OWNER_ALWAYS),
)
def delete_bucket_policy(call: Call) -> Reply:
    with call.bucket() as bucket:
        bucket.policy = Policy(())
    return Reply(204)
