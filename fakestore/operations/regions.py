"""The region and the ARN of a bucket, the headers that show them, and the location that a new bucket requests."""

from __future__ import annotations

import re
from collections.abc import Mapping

from fakestore.errors import (
    ILLEGAL_LOCATION,
    INVALID_LOCATION,
    INVALID_REQUEST,
    PERMANENT_REDIRECT,
    ErrorResponse,
    UnsupportedRequest,
)
from fakestore.model.bucket import BucketRecord
from fakestore.model.names import ARN_PREFIX
from fakestore.model.regions import (
    EU,
    HOME_REGION,
    REGIONS,
    REGIONS_WITH_VERSION_2,
    host_of_region,
    region_of_constraint,
)
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.inputs import Guard
from fakestore.protocol.auth.version_2 import VERSION_2


def headers_of_head_bucket(call: Call) -> dict[str, str]:
    """Return the header that names the region, for HEAD Bucket. Clients also read it from a refusal. [regions]"""
    if call.received.method != "HEAD" or call.key or call.bucket_name not in call.state.buckets:
        return {}
    headers = region_headers(call, call.state.buckets[call.bucket_name])
    return {call.dialect.header_prefix + name: value for name, value in headers.items()}


def check_host(call: Call, bucket: BucketRecord) -> None:
    """Check that the request was sent to the region of the bucket. Every region tells where it is. [regions]"""
    if not call.semantics.has_regions or "location" in call.query:
        return
    region = get_region(call, bucket)
    if call.service.find_region(call.request.host, bucket.name) in (None, region):
        return
    raise PERMANENT_REDIRECT.error(
        explanation=f"bucket {bucket.name!r} is in {region!r}, but the request was sent to the host"
        f" {call.request.host!r}, which is in {call.region!r}; use a client of {region!r}, or set the region of the"
        " store with fake_store(region=...)",
        service_headers=region_headers(call, bucket),
        Endpoint=f"{bucket.name}.{host_of_region(region)}",
        Bucket=bucket.name,
    )


def get_region(call: Call, bucket: BucketRecord) -> str:
    """Return the region of a bucket. Without a location of its own, it is in the region of the store."""
    return bucket.region(call.service.home_region)


def region_headers(call: Call, bucket: BucketRecord) -> dict[str, str]:
    """Return the header that names the region of the bucket, if the service has regions."""
    return {"bucket-region": get_region(call, bucket)} if call.semantics.has_regions else {}


def arn_headers(call: Call, name: str) -> dict[str, str]:
    """Return the header with the ARN of a bucket, if the service shows it."""
    return {"bucket-arn": bucket_arn(name)} if call.semantics.shows_bucket_arns else {}


def bucket_arn(name: str) -> str:
    return ARN_PREFIX + name


def is_signed_with_version_2(call: Call) -> bool:
    return call.signature is not None and call.signature.version == VERSION_2


class SignatureVersion(Guard):
    """The region of the bucket accepts the signature version of the request. [version-2-by-region]"""

    def check_bucket(self, call: Call, bucket: BucketRecord) -> Mapping[str, str]:
        if not call.semantics.new_regions_need_version_4 or not is_signed_with_version_2(call):
            return {}
        region = get_region(call, bucket)
        if region not in REGIONS_WITH_VERSION_2:
            raise INVALID_REQUEST.error(
                "The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.",
                explanation=f"the request is signed with version 2, but the bucket {bucket.name!r} is in the region"
                f" {region!r}, which knows only version 4; with boto3, use Config(signature_version='s3v4')",
            )
        return {}


def check_location(call: Call, constraint: str | None) -> str | None:
    """Return the location of a new bucket, or None for the location of the store.

    Args:
        constraint: The LocationConstraint; None if the request has none.
    """
    if not call.semantics.has_regions:
        _check_no_location(constraint or "")
        return None
    if call.region == HOME_REGION:
        if constraint == HOME_REGION:
            raise INVALID_LOCATION.error(
                explanation=f"{constraint!r} is known, but it is not allowed as LocationConstraint; omit it",
                LocationConstraint=constraint,
            )
        if constraint not in (None, EU, *REGIONS):
            raise _invalid(constraint or "", f"expected a region other than {HOME_REGION}, or no LocationConstraint")
    elif constraint is None or region_of_constraint(constraint) != call.region:
        raise ILLEGAL_LOCATION.error(
            f"The {constraint or 'unspecified'} location constraint is incompatible for the region specific endpoint"
            " this request was sent to.",
            explanation=f"LocationConstraint is {constraint!r}, and the request was sent to the region"
            f" {call.region!r}; name this region",
        )
    if constraint is not None:
        return constraint
    return None if call.region == call.service.home_region else call.region


def _check_no_location(constraint: str) -> None:
    if constraint != HOME_REGION and re.fullmatch("EU|[a-z]{2,}(-[a-z]+)+-[0-9]+", constraint):
        raise UnsupportedRequest(
            f"the LocationConstraint {constraint!r} names a region, and this store has no regions; omit it"
        )
    if constraint:
        raise _invalid(constraint, "this store has no regions; omit LocationConstraint")


def _invalid(constraint: str, advice: str) -> ErrorResponse:
    return INVALID_LOCATION.error(explanation=f"unknown region {constraint!r}: {advice}", LocationConstraint=constraint)
