"""The tags of an object. Each version has its own."""

from __future__ import annotations

from fakestore.documents.tagging import RequestedTagging, Tagging, tag_elements, tag_pairs
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import METHOD_NOT_ALLOWED, NO_SUCH_KEY, ErrorResponse
from fakestore.model.object_version import ObjectVersion
from fakestore.model.tags import NO_TAGS, OBJECT_TAGS
from fakestore.operations.core.authorization import BUCKET_OWNER, Access
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.registry import operation
from fakestore.operations.core.result import Result
from fakestore.operations.core.tagging import PUT_OBJECT_TAGGING
from fakestore.operations.object.headers import version_headers
from fakestore.protocol.routing import Route


def _get_version(context: RequestContext, bucket: BucketRecord) -> ObjectVersion:
    """Return the version that the request names, or the current one.

    A current delete marker is answered like one that is named by its id. [tags-of-a-marker]
    """
    try:
        return bucket.get_version(context.key, context.version_id)
    except ErrorResponse as error:
        if error.error is not NO_SUCH_KEY:
            raise
        if error.marker is not None:
            raise METHOD_NOT_ALLOWED.error(explanation=error.explanation, marker=error.marker) from None
        # Only the error of a GET has the bucket in front of the key. [tagging-error-key]
        key = f"{bucket.name}/{context.key}" if context.request.method == "GET" else context.key
        raise NO_SUCH_KEY.error(explanation=error.explanation, Key=key) from None


@operation(
    "GET Object tagging",
    Route("GET", "object", "tagging"),
    access=Access("s3:GetObjectTagging", BUCKET_OWNER, version=Access("s3:GetObjectVersionTagging", BUCKET_OWNER)),
    query=("versionId",),
)
def get_object_tagging(context: RequestContext, bucket: BucketRecord) -> Result:
    """Return the tags."""
    version = _get_version(context, bucket)
    return Result(
        service_headers=version_headers(bucket, version),
        document=Tagging(tags=tag_elements(version.tags)),
        version_id=version.version_id,
    )


@operation(
    "PUT Object tagging",
    Route("PUT", "object", "tagging"),
    access=PUT_OBJECT_TAGGING,
    body=RequestedTagging,
    query=("versionId",),
)
def put_object_tagging(context: RequestContext, bucket: BucketRecord, document: RequestedTagging) -> Result:
    """Replace the tags."""
    version = _get_version(context, bucket)
    bucket.replace_tags(version, OBJECT_TAGS.check(tag_pairs(document.tags)))
    return Result(service_headers=version_headers(bucket, version), version_id=version.version_id)


@operation(
    "DELETE Object tagging",
    Route("DELETE", "object", "tagging"),
    access=Access(
        "s3:DeleteObjectTagging", BUCKET_OWNER, version=Access("s3:DeleteObjectVersionTagging", BUCKET_OWNER)
    ),
    query=("versionId",),
)
def delete_object_tagging(context: RequestContext, bucket: BucketRecord) -> Result:
    """Remove the tags."""
    version = _get_version(context, bucket)
    bucket.replace_tags(version, NO_TAGS)
    return Result(status=204, service_headers=version_headers(bucket, version), version_id=version.version_id)
