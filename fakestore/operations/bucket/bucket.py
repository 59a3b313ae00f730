"""The operations on buckets themselves: PUT, HEAD, DELETE."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar, Self

from fakestore.documents.create_bucket import CreateBucketConfiguration
from fakestore.model.acl import PRIVATE, RequestedAcl
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import INVALID_LOCATION
from fakestore.model.unsupported import UnsupportedRequest
from fakestore.operations.core.acl import ACL_HEADERS, parse_acl_headers
from fakestore.operations.core.authorization import BUCKET_OWNER, LIST_BUCKET, NOTHING, Access, authorize
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.parameters import Parameters
from fakestore.operations.core.registry import operation
from fakestore.operations.core.result import NO_CONTENT, Result
from fakestore.protocol.routing import Route

#: The home region of the public service. A LocationConstraint that names it is rejected as unknown.
_HOME_REGION = "us-east-1"
_REGION = re.compile("EU|[a-z]{2,}(-[a-z]+)+-[0-9]+")
_CREATE_AGAIN = Access("s3:CreateBucket", BUCKET_OWNER)


@dataclass(frozen=True, slots=True)
class CreateBucketParameters(Parameters):
    """The headers of a PUT Bucket."""

    service_headers: ClassVar[tuple[str, ...]] = ACL_HEADERS

    acl: RequestedAcl

    @classmethod
    def parse(cls, context: RequestContext) -> Self:
        """Read the headers.

        Raises:
            ErrorResponse: As :func:`parse_acl_headers`.
        """
        return cls(parse_acl_headers(context) or PRIVATE)


@operation(
    "PUT Bucket",
    Route("PUT", "bucket"),
    access=Access("s3:CreateBucket", NOTHING),
    parameters=CreateBucketParameters,
    body=CreateBucketConfiguration,
    body_is_optional=True,
    needs_bucket=False,
)
def put_bucket(
    context: RequestContext, parameters: CreateBucketParameters, configuration: CreateBucketConfiguration | None
) -> Result:
    """Create a bucket."""
    if configuration is not None:
        _check_location(configuration.location_constraint or "")
    name = context.bucket_name
    existing = context.state.buckets.get(name)
    if existing is not None and existing.owner == context.requester:
        # The home region of the public service lets an owner create a bucket again: everything stays, but the ACL is
        # replaced. [create-again]
        authorize(_CREATE_AGAIN, context.requester, existing)
        existing.acl = parameters.acl.expand(existing.owner, existing.owner)
    else:
        context.state.create_bucket(name, owner=context.owner, requested_acl=parameters.acl, now=context.now)
    return Result(headers={"Location": f"/{name}"})


def _check_location(constraint: str) -> None:
    """Check that a LocationConstraint is empty, because the store has no regions.

    Raises:
        ErrorResponse: InvalidLocationConstraint.
        UnsupportedRequest: If the constraint names a region of the public service.
    """
    if constraint != _HOME_REGION and _REGION.fullmatch(constraint):
        raise UnsupportedRequest(
            f"the LocationConstraint {constraint!r} names a region, and this store has no regions; omit it"
        )
    if constraint:
        raise INVALID_LOCATION.error(
            explanation=f"unknown region {constraint!r}: this store has no regions; omit LocationConstraint",
            LocationConstraint=constraint,
        )


@operation("HEAD Bucket", Route("HEAD", "bucket"), access=LIST_BUCKET)
def head_bucket(context: RequestContext, bucket: BucketRecord) -> Result:
    """Answer whether the bucket exists and the requester may list it."""
    return Result(headers={"Content-Type": "application/xml"})


@operation("DELETE Bucket", Route("DELETE", "bucket"), access=Access("s3:DeleteBucket", BUCKET_OWNER))
def delete_bucket(context: RequestContext, bucket: BucketRecord) -> Result:
    """Delete an empty bucket."""
    context.state.delete_bucket(bucket.name)
    return NO_CONTENT
