"""The region of a bucket."""

from __future__ import annotations

from fakestore.model.bucket import BucketRecord
from fakestore.model.regions import region_of_constraint
from fakestore.operations.core.context import RequestContext


def get_region(context: RequestContext, bucket: BucketRecord) -> str:
    """Return the region of a bucket. Without a location of its own, it is in the region of the store."""
    return context.home_region if bucket.location is None else region_of_constraint(bucket.location)
