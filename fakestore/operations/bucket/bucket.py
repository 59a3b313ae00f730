"""The operations on buckets themselves: the service's list, PUT, HEAD, DELETE and the location."""

from __future__ import annotations

import re

from fakestore.documents.create_bucket import CreateBucketConfiguration
from fakestore.documents.listing import BucketEntry, ListAllMyBucketsResult
from fakestore.documents.location import LocationConstraint
from fakestore.documents.owner import Owner
from fakestore.documents.shape import parse, render
from fakestore.http.messages import Reply
from fakestore.model.acl import PRIVATE
from fakestore.model.errors import INVALID_LOCATION, UnsupportedRequest
from fakestore.operations.core.authorization import Access, Right, authorize
from fakestore.operations.core.context import Call
from fakestore.operations.core.grants import ACL_HEADERS, acl_from_headers
from fakestore.operations.core.registry import operation

#: The public service's own home region: naming it is refused as naming none that there is.
_HOME = "us-east-1"
_REGION = re.compile("EU|[a-z]{2,}(-[a-z]+)+-[0-9]+")
CREATE_AGAIN = Access("s3:CreateBucket", Right.BUCKET_OWNER)


@operation("GET Service", route="GET service", access=Access("s3:ListAllMyBuckets", Right.ANY_ACCOUNT))
def get_service(call: Call) -> Reply:
    with call.lock:
        owned = sorted(
            (bucket.name, bucket.created)
            for bucket in call.state.buckets.values()
            if bucket.owner.id == call.account.id
        )
    buckets = tuple(BucketEntry(name=name, creation_date=created) for name, created in owned)
    result = ListAllMyBucketsResult(owner=Owner.from_account(call.account), buckets=buckets)
    return Reply(200, {}, render(result, call.dialect.xml_namespace))


@operation(
    "PUT Bucket",
    route="PUT bucket",
    access=Access("s3:CreateBucket", Right.ANY_ACCOUNT),
    headers=ACL_HEADERS,
    takes_body=True,
)
def put_bucket(call: Call) -> Reply:
    asked = acl_from_headers(call, of_bucket=True) or PRIVATE
    if call.sends_body():
        _check_location(call.receive_document())
    name = call.address.bucket or ""
    with call.lock:
        existing = call.state.buckets.get(name)
        if existing is not None and existing.owner.id == call.account.id:
            authorize(CREATE_AGAIN, call.account, existing, None, None)
            # The home region of the public service lets an owner create a bucket again: all stays, the ACL is
            # set anew. [create-again]
            existing.acl = asked.expand(call.account, call.account)
        else:
            call.state.create_bucket(name, owner=call.account, requested_acl=asked, now=call.now)
    return Reply(200, {"Location": f"/{name}"})


def _check_location(body: bytes) -> None:
    """Refuse any location but the store's only one, which is empty or not given. [create-bucket-document]"""
    constraint = parse(CreateBucketConfiguration, body).location_constraint or ""
    if constraint != _HOME and _REGION.fullmatch(constraint):
        raise UnsupportedRequest(
            f"the LocationConstraint {constraint!r} names a region, and regions are not supported;"
            " leave it empty, or send no document"
        )
    if constraint:
        raise INVALID_LOCATION(
            explanation=f"unknown location {constraint!r}: this store has no regions; omit LocationConstraint",
            LocationConstraint=constraint,
        )


@operation("HEAD Bucket", route="HEAD bucket", access=Access("s3:ListBucket", Right.BUCKET_READ))
def head_bucket(call: Call) -> Reply:
    with call.bucket():
        return Reply(200, {"Content-Type": "application/xml"})


@operation("DELETE Bucket", route="DELETE bucket", access=Access("s3:DeleteBucket", Right.BUCKET_OWNER))
def delete_bucket(call: Call) -> Reply:
    with call.bucket() as bucket:
        call.state.delete_bucket(bucket.name)
    return Reply(204)


@operation(
    "GET Bucket location",
    route="GET bucket?location",
    access=Access("s3:GetBucketLocation", Right.BUCKET_OWNER),
)
def get_bucket_location(call: Call) -> Reply:
    with call.bucket():
        return Reply(200, {}, render(LocationConstraint(), call.dialect.xml_namespace))
