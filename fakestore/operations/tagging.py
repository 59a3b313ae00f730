"""The tags of a bucket, and those of an object. Each version of an object has its own."""

from __future__ import annotations

from fakestore.errors import NO_SUCH_KEY, NO_SUCH_TAG_SET, ErrorResponse
from fakestore.model.bucket import BucketRecord
from fakestore.model.object_version import ObjectVersion
from fakestore.model.tagging import BUCKET_TAGS, NO_TAGS, OBJECT_TAGS, RequestedTagging, Tagging, tag_pairs
from fakestore.operations.framework.access import BUCKET_OWNER, Access
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.result import Result
from fakestore.operations.framework.row import operation
from fakestore.operations.framework.setting import Actions, Setting
from fakestore.operations.object import get_version_refusing_markers
from fakestore.operations.object_headers import PUT_OBJECT_TAGGING, version_headers
from fakestore.protocol.routing import Route

TAGGING = Setting(
    "tagging",
    "BucketTagging",
    RequestedTagging,
    Actions("s3:GetBucketTagging", "s3:PutBucketTagging", "s3:PutBucketTagging"),
    attribute="tags",
    missing=NO_SUCH_TAG_SET,
    title="tags",
    read=lambda bucket: Tagging.of(bucket.tags) if bucket.tags else None,
    prepare=lambda document: BUCKET_TAGS.check(tag_pairs(document.tags)),
    removed=NO_TAGS,
    put_status=204,
)


def _get_tagged_version(call: Call, bucket: BucketRecord) -> ObjectVersion:
    """Return the version that the request names. The error of a GET has the bucket in front of the key.

    [tagging-error-key]
    """
    try:
        return get_version_refusing_markers(call, bucket)
    except ErrorResponse as error:
        if error.error is not NO_SUCH_KEY or call.request.method != "GET":
            raise
        raise NO_SUCH_KEY.error(explanation=error.explanation, Key=f"{bucket.name}/{call.key}") from None


@operation(
    "GET Object tagging",
    Route("GET", "object", "tagging", names_version=True),
    api_name="GetObjectTagging",
    access=Access("s3:GetObjectTagging", BUCKET_OWNER, version=Access("s3:GetObjectVersionTagging", BUCKET_OWNER)),
)
def get_object_tagging(call: Call, bucket: BucketRecord) -> Result:
    """Return the tags."""
    version = _get_tagged_version(call, bucket)
    return Result(
        service_headers=version_headers(call, bucket, version),
        document=Tagging.of(version.tags),
        version_id=version.version_id,
    )


@operation(
    "PUT Object tagging",
    Route("PUT", "object", "tagging", names_version=True),
    api_name="PutObjectTagging",
    access=PUT_OBJECT_TAGGING,
    body=RequestedTagging,
)
def put_object_tagging(call: Call, bucket: BucketRecord, document: RequestedTagging) -> Result:
    """Replace the tags."""
    version = _get_tagged_version(call, bucket)
    bucket.replace_tags(version, OBJECT_TAGS.check(tag_pairs(document.tags)))
    return Result(service_headers=version_headers(call, bucket, version), version_id=version.version_id)


@operation(
    "DELETE Object tagging",
    Route("DELETE", "object", "tagging", names_version=True),
    api_name="DeleteObjectTagging",
    access=Access(
        "s3:DeleteObjectTagging", BUCKET_OWNER, version=Access("s3:DeleteObjectVersionTagging", BUCKET_OWNER)
    ),
)
def delete_object_tagging(call: Call, bucket: BucketRecord) -> Result:
    """Remove the tags."""
    version = _get_tagged_version(call, bucket)
    bucket.replace_tags(version, NO_TAGS)
    return Result(status=204, service_headers=version_headers(call, bucket, version), version_id=version.version_id)
