"""The versioning of a bucket, with MFA Delete."""

from __future__ import annotations

from fakestore.documents.versioning import VersioningConfiguration
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import ACCESS_DENIED
from fakestore.model.unsupported import UnsupportedRequest
from fakestore.model.versioning import Versioning
from fakestore.operations.core.authorization import BUCKET_OWNER, Access
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.registry import operation
from fakestore.operations.core.result import OK, Result
from fakestore.operations.shared.mfa import check_mfa
from fakestore.protocol.routing import Route


@operation(
    "GET Bucket versioning",
    Route("GET", "bucket", "versioning"),
    access=Access("s3:GetBucketVersioning", BUCKET_OWNER),
)
def get_bucket_versioning(context: RequestContext, bucket: BucketRecord) -> Result:
    """Return the versioning of the bucket."""
    return Result(
        document=VersioningConfiguration(
            status=None if bucket.versioning is Versioning.NEVER else bucket.versioning,
            mfa_delete=None if bucket.mfa_device is None else bucket.mfa_delete,
        )
    )


@operation(
    "PUT Bucket versioning",
    Route("PUT", "bucket", "versioning"),
    access=Access("s3:PutBucketVersioning", BUCKET_OWNER),
    body=VersioningConfiguration,
)
def put_bucket_versioning(
    context: RequestContext, bucket: BucketRecord, configuration: VersioningConfiguration
) -> Result:
    """Enable or suspend versioning, and switch MFA Delete."""
    assert configuration.status is not None, "the document requires it"
    # Some clients always send MfaDelete, so MFA is required only if the value changes, or if MFA Delete is on.
    mfa_delete = bucket.mfa_delete if configuration.mfa_delete is None else configuration.mfa_delete
    changes = mfa_delete is not bucket.mfa_delete
    if changes:
        _check_may_switch(context, bucket)
    if changes or bucket.mfa_delete:
        check_mfa(context, bucket)
    bucket.change_versioning(configuration.status)
    bucket.mfa_delete = mfa_delete
    return OK


def _check_may_switch(context: RequestContext, bucket: BucketRecord) -> None:
    """Check that MFA Delete may be switched: by the owner, whatever a policy allows, and only with a device.

    Raises:
        ErrorResponse: AccessDenied.
        UnsupportedRequest: If the bucket has no device.
    """
    if context.requester != bucket.owner:
        raise ACCESS_DENIED.error(
            explanation=f"{context.requester} may not switch MFA Delete of bucket {bucket.name!r}; only its owner"
            f" {bucket.owner} may"
        )
    if bucket.mfa_device is None:
        raise UnsupportedRequest(
            f"MfaDelete was sent for bucket {bucket.name!r}, which has no device; enable versioning, and then set a"
            f" device with store[{bucket.name!r}].enable_mfa_delete(MfaDevice(...))"
        )
