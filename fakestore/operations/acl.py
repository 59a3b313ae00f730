"""GET and PUT of the access control list of a bucket or an object."""

from __future__ import annotations

from fakestore.http.values import http_date
from fakestore.model.acl import AccessControlPolicy
from fakestore.model.bucket import BucketRecord
from fakestore.operations.acl_headers import AclParameters, check_accepts_acl
from fakestore.operations.framework.access import (
    BUCKET_READ_ACP,
    BUCKET_WRITE_ACP,
    OBJECT_READ_ACP,
    OBJECT_WRITE_ACP,
    Access,
)
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.result import OK, Result
from fakestore.operations.framework.row import operation
from fakestore.operations.versioning import get_version_refusing_markers, version_headers
from fakestore.protocol.routing import Route


@operation(
    "GET Bucket ACL",
    Route("GET", "bucket", "acl"),
    api_name="GetBucketAcl",
    access=Access("s3:GetBucketAcl", BUCKET_READ_ACP),
)
def get_bucket_acl(call: Call, bucket: BucketRecord) -> Result:
    """Return the ACL of the bucket."""
    names = call.semantics.shows_display_names
    return Result(document=AccessControlPolicy.of(bucket.current_acl(), shows_names=names))


@operation(
    "PUT Bucket ACL",
    Route("PUT", "bucket", "acl"),
    api_name="PutBucketAcl",
    access=Access("s3:PutBucketAcl", BUCKET_WRITE_ACP),
    parameters=AclParameters,
    body=AccessControlPolicy,
    body_is_optional=True,
)
def put_bucket_acl(
    call: Call, bucket: BucketRecord, parameters: AclParameters, document: AccessControlPolicy | None
) -> Result:
    """Replace the ACL of the bucket."""
    requested = parameters.replacing(bucket.acl, document, call.state.accounts)
    check_accepts_acl(bucket, requested)
    bucket.acl = requested.expand(bucket.owner, bucket.owner)
    return OK


@operation(
    "GET Object ACL",
    Route("GET", "object", "acl", names_version=True),
    api_name="GetObjectAcl",
    access=Access("s3:GetObjectAcl", OBJECT_READ_ACP, version=Access("s3:GetObjectVersionAcl", OBJECT_READ_ACP)),
)
def get_object_acl(call: Call, bucket: BucketRecord) -> Result:
    """Return the ACL of an object (specification, section 4.4)."""
    version = bucket.get_object_or_version(call.key, call.version_id)
    return Result(
        headers={"Last-Modified": http_date(version.last_modified)},
        service_headers=version_headers(call, bucket, version),
        document=AccessControlPolicy.of(bucket.current_acl(version), shows_names=call.semantics.shows_display_names),
        version_id=version.version_id,
    )


@operation(
    "PUT Object ACL",
    Route("PUT", "object", "acl", names_version=True),
    api_name="PutObjectAcl",
    access=Access("s3:PutObjectAcl", OBJECT_WRITE_ACP, version=Access("s3:PutObjectVersionAcl", OBJECT_WRITE_ACP)),
    parameters=AclParameters,
    body=AccessControlPolicy,
    body_is_optional=True,
)
def put_object_acl(
    call: Call, bucket: BucketRecord, parameters: AclParameters, document: AccessControlPolicy | None
) -> Result:
    """Replace the ACL of an object, or of one version of it."""
    version = get_version_refusing_markers(call, bucket)
    requested = parameters.replacing(bucket.current_acl(version), document, call.state.accounts)
    check_accepts_acl(bucket, requested)
    bucket.replace_acl(version, requested.expand(version.owner, bucket.owner))
    return Result(service_headers=version_headers(call, bucket, version), version_id=version.version_id)
