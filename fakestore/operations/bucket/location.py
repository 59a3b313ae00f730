"""The operation on the location of a bucket: GET."""

from __future__ import annotations

from fakestore.model.bucket import BucketRecord
from fakestore.model.regions import HOME_REGION
from fakestore.model.shape import document, text
from fakestore.operations.core.authorization import BUCKET_OWNER, Access
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.regions import get_region
from fakestore.operations.core.registry import operation
from fakestore.operations.core.result import Result
from fakestore.protocol.routing import Route


@document("LocationConstraint")
class LocationConstraint:
    """The location of a bucket; empty for the store's only location."""

    location: str = text()


@operation(
    "GET Bucket location",
    Route("GET", "bucket", "location"),
    api_name="GetBucketLocation",
    access=Access("s3:GetBucketLocation", BUCKET_OWNER),
)
def get_bucket_location(context: RequestContext, bucket: BucketRecord) -> Result:
    """Return the location of the bucket. It is empty if the store has no regions, and for the home region."""
    region = get_region(context, bucket)
    location = "" if region == HOME_REGION else bucket.location or region
    return Result(document=LocationConstraint(location=location))
