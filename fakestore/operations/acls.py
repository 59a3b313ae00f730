"""The operations on access control lists, of objects and of buckets."""

from __future__ import annotations

from fakestore.documents.acl import render_acl
from fakestore.http.fields import http_date
from fakestore.http.messages import Reply
from fakestore.model.errors import METHOD_NOT_ALLOWED, NO_SUCH_KEY, ErrorResponse
from fakestore.model.history import ObjectVersion
from fakestore.operations.core.authorization import Access, Right, authorize
from fakestore.operations.core.context import Call
from fakestore.operations.core.grants import ACL_HEADERS, acl_to_replace
from fakestore.operations.core.registry import operation

SET = Access("s3:PutObjectAcl", Right.OBJECT_WRITE_ACP)
SET_VERSION = Access("s3:PutObjectVersionAcl", Right.OBJECT_WRITE_ACP)
SET_OF_BUCKET = Access("s3:PutBucketAcl", Right.BUCKET_WRITE_ACP)


@operation(
    "GET Object ACL",
    route="GET object?acl",
    access=Access("s3:GetObjectAcl", Right.OBJECT_READ_ACP),
    version_access=Access("s3:GetObjectVersionAcl", Right.OBJECT_READ_ACP),
    query=("versionId",),
)
def get_object_acl(call: Call) -> Reply:
    with call.bucket() as bucket:
        version = bucket.version(call.key, call.named_version)
        headers = call.version_headers(bucket, version.version_id)
    headers["Last-Modified"] = http_date(version.last_modified)
    return Reply(200, headers, render_acl(version.acl, call.dialect.xml_namespace))


@operation(
    "PUT Object ACL",
    route="PUT object?acl",
    access=SET,
    version_access=SET_VERSION,
    query=("versionId",),
    headers=ACL_HEADERS,
    takes_body=True,
)
def put_object_acl(call: Call) -> Reply:
    asked = acl_to_replace(call)
    named = call.named_version
    with call.bucket() as bucket:
        authorize(SET if named is None else SET_VERSION, call.account, bucket, call.key, named)
        version = _version_to_change(call)
        bucket.replace_acl(version, asked(version.acl).expand(version.owner, bucket.owner))
        return Reply(200, call.version_headers(bucket, version.version_id))


def _version_to_change(call: Call) -> ObjectVersion:
    """As a GET finds it, but that a current delete marker is answered like one named. [put-acl-of-a-marker]"""
    with call.bucket() as bucket:
        try:
            return bucket.version(call.key, call.named_version)
        except ErrorResponse as refusal:
            if refusal.error is not NO_SUCH_KEY or refusal.marker is None:
                raise
            raise METHOD_NOT_ALLOWED(explanation=refusal.explanation, marker=refusal.marker) from None


@operation("GET Bucket ACL", route="GET bucket?acl", access=Access("s3:GetBucketAcl", Right.BUCKET_READ_ACP))
def get_bucket_acl(call: Call) -> Reply:
    with call.bucket() as bucket:
        return Reply(200, {}, render_acl(bucket.acl, call.dialect.xml_namespace))


@operation(
    "PUT Bucket ACL",
    route="PUT bucket?acl",
    access=SET_OF_BUCKET,
    headers=ACL_HEADERS,
    takes_body=True,
)
def put_bucket_acl(call: Call) -> Reply:
    asked = acl_to_replace(call, of_bucket=True)
    with call.bucket() as bucket:
        authorize(SET_OF_BUCKET, call.account, bucket, None, None)
        bucket.acl = asked(bucket.acl).expand(bucket.owner, bucket.owner)
        return Reply(200)
