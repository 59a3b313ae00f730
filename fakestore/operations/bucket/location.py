"""The location of a bucket: its region, as requests and replies name it."""

from __future__ import annotations

import re

from fakestore.documents.location import LocationConstraint
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import ILLEGAL_LOCATION, INVALID_LOCATION, ErrorResponse
from fakestore.model.regions import EU, HOME_REGION, REGIONS, region_of_constraint
from fakestore.model.unsupported import UnsupportedRequest
from fakestore.operations.core.authorization import BUCKET_OWNER, Access
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.regions import get_region
from fakestore.operations.core.registry import operation
from fakestore.operations.core.result import Result
from fakestore.protocol.routing import Route

_REGION = "EU|[a-z]{2,}(-[a-z]+)+-[0-9]+"


def check_location(context: RequestContext, constraint: str) -> str | None:
    """Return the location of a bucket to be created, or None for that of the store.

    Args:
        context: The request.
        constraint: The LocationConstraint; empty if the request has none.

    Raises:
        ErrorResponse: InvalidLocationConstraint or IllegalLocationConstraintException.
        UnsupportedRequest: If the constraint names a region of the public service and the store has no regions.
    """
    if not context.semantics.has_regions:
        _check_no_location(constraint)
        return None
    if context.region == HOME_REGION:
        if constraint and constraint != EU and constraint not in REGIONS - {HOME_REGION}:
            raise _invalid(constraint, f"expected a region other than {HOME_REGION}, or no LocationConstraint")
    elif region_of_constraint(constraint) != context.region:
        raise ILLEGAL_LOCATION.error(
            f"The {constraint or 'unspecified'} location constraint is incompatible for the region specific endpoint"
            " this request was sent to.",
            explanation=f"LocationConstraint is {constraint!r}, and the request was sent to the region"
            f" {context.region!r}; name this region",
        )
    if constraint:
        return constraint
    return None if context.region == context.home_region else context.region


def _check_no_location(constraint: str) -> None:
    if constraint != HOME_REGION and re.fullmatch(_REGION, constraint):
        raise UnsupportedRequest(
            f"the LocationConstraint {constraint!r} names a region, and this store has no regions; omit it"
        )
    if constraint:
        raise _invalid(constraint, "this store has no regions; omit LocationConstraint")


def _invalid(constraint: str, advice: str) -> ErrorResponse:
    return INVALID_LOCATION.error(explanation=f"unknown region {constraint!r}: {advice}", LocationConstraint=constraint)


@operation(
    "GET Bucket location", Route("GET", "bucket", "location"), access=Access("s3:GetBucketLocation", BUCKET_OWNER)
)
def get_bucket_location(context: RequestContext, bucket: BucketRecord) -> Result:
    """Return the location of the bucket. It is empty if the store has no regions, and for the home region."""
    region = get_region(context, bucket)
    location = "" if region == HOME_REGION else bucket.location or region
    return Result(document=LocationConstraint(location=location))
