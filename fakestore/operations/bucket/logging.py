"""Access logs of a bucket. Where they belong is stored; the fake writes none."""

from __future__ import annotations

from fakestore.documents.logging import BucketLoggingStatus
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import CROSS_LOCATION_LOGGING, INVALID_TARGET_BUCKET
from fakestore.operations.bucket.stored_configuration import Actions, StoredConfiguration
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.regions import get_region
from fakestore.operations.shared.acl import resolve_grantee


def _check_target(context: RequestContext, bucket: BucketRecord, status: BucketLoggingStatus) -> BucketLoggingStatus:
    """Check the bucket in which the logs are to be stored, and the accounts that are to read them.

    Raises:
        ErrorResponse: InvalidTargetBucketForLogging, CrossLocationLoggingProhibitted, and those of
            :func:`resolve_grantee`.
    """
    if status.enabled is None:
        return status
    name = status.enabled.bucket
    target = context.state.buckets.get(name)
    if target is None or target.owner != bucket.owner:
        known = ", ".join(sorted(each.name for each in context.state.buckets.values() if each.owner == bucket.owner))
        raise INVALID_TARGET_BUCKET.error(
            explanation=f"<TargetBucket> is {name!r}; expected a bucket of {bucket.owner}: {known}", TargetBucket=name
        )
    if get_region(context, target) != get_region(context, bucket):
        raise CROSS_LOCATION_LOGGING.error(
            explanation=f"{name!r} is in {get_region(context, target)}, {bucket.name!r} in"
            f" {get_region(context, bucket)}",
            TargetBucketLocation=get_region(context, target),
        )
    for grant in status.enabled.grants:
        reference = grant.grantee.reference
        resolve_grantee(reference, reference.type, context.state.accounts)
    return status


StoredConfiguration(
    "logging", BucketLoggingStatus, Actions("s3:GetBucketLogging", "s3:PutBucketLogging"), prepare=_check_target
).register()
