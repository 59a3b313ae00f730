"""The region and the ARN of a bucket, and the headers that show them."""

from __future__ import annotations

from fakestore.model.bucket import BucketRecord
from fakestore.model.names import ARN_PREFIX
from fakestore.model.regions import region_of_constraint
from fakestore.operations.core.context import RequestContext


def get_region(context: RequestContext, bucket: BucketRecord) -> str:
    """Return the region of a bucket. Without a location of its own, it is in the region of the store."""
    return context.home_region if bucket.location is None else region_of_constraint(bucket.location)


def region_headers(context: RequestContext, bucket: BucketRecord) -> dict[str, str]:
    """Return the header that names the region of the bucket, if the service has regions."""
    return {"bucket-region": get_region(context, bucket)} if context.semantics.has_regions else {}


def arn_headers(context: RequestContext, name: str) -> dict[str, str]:
    """Return the header with the ARN of a bucket, if the service shows it."""
    return {"bucket-arn": bucket_arn(name)} if context.semantics.shows_bucket_arns else {}


def bucket_arn(name: str) -> str:
    """Return the ARN of a bucket."""
    return ARN_PREFIX + name
