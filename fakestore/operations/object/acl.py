"""The operations on the access control list of an object."""

from __future__ import annotations

from fakestore.http.dates import http_date
from fakestore.model.acl import AccessControlPolicy
from fakestore.model.bucket import BucketRecord
from fakestore.operations.core.authorization import OBJECT_READ_ACP, OBJECT_WRITE_ACP, Access
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.registry import operation
from fakestore.operations.core.result import Result
from fakestore.operations.object.reply_headers import version_headers
from fakestore.operations.object.version import get_version_refusing_markers
from fakestore.operations.shared.acl import AclParameters, check_accepts_acl
from fakestore.protocol.routing import Route


@operation(
    "GET Object ACL",
    Route("GET", "object", "acl", names_version=True),
    api_name="GetObjectAcl",
    access=Access("s3:GetObjectAcl", OBJECT_READ_ACP, version=Access("s3:GetObjectVersionAcl", OBJECT_READ_ACP)),
)
def get_object_acl(context: RequestContext, bucket: BucketRecord) -> Result:
    """Return the ACL of an object (specification, section 4.4)."""
    version = bucket.get_object_or_version(context.key, context.version_id)
    return Result(
        headers={"Last-Modified": http_date(version.last_modified)},
        service_headers=version_headers(context, bucket, version),
        document=AccessControlPolicy.of(bucket.current_acl(version), shows_names=context.semantics.shows_display_names),
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
    context: RequestContext, bucket: BucketRecord, parameters: AclParameters, document: AccessControlPolicy | None
) -> Result:
    """Replace the ACL of an object, or of one version of it."""
    version = get_version_refusing_markers(context, bucket)
    requested = parameters.replacing(bucket.current_acl(version), document, context.state.accounts)
    check_accepts_acl(bucket, requested)
    bucket.replace_acl(version, requested.expand(version.owner, bucket.owner))
    return Result(service_headers=version_headers(context, bucket, version), version_id=version.version_id)
