"""The tags of a bucket, and those of an object. Each version of an object has its own."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import parse_qsl

from fakestore.errors import MALFORMED_XML, NO_SUCH_KEY, NO_SUCH_TAG_SET, ErrorResponse, invalid_argument
from fakestore.model.bucket import BucketRecord
from fakestore.model.frozen_mapping import FrozenMapping
from fakestore.model.object_version import Change
from fakestore.model.tagging import (
    BUCKET_TAGS,
    NO_TAGS,
    OBJECT_TAGS,
    TAG_KEY_LENGTH,
    TAG_VALUE_LENGTH,
    RequestedTagging,
    Tagging,
    is_tag_text,
    tag_pairs,
)
from fakestore.operations.framework.access import BUCKET_OWNER, Access
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.inputs import RawValue, read_header
from fakestore.operations.framework.operation import operation
from fakestore.operations.framework.result import NO_CONTENT, Result
from fakestore.operations.framework.setting import Actions, Setting
from fakestore.operations.versioning import get_version_refusing_markers, version_headers
from fakestore.protocol.routing import Route
from fakestore.xml.document import parse, parse_xml

#: The access for the tags of a new object, in the request that stores it.
PUT_TAGS = Access("s3:PutObjectTagging", BUCKET_OWNER)

#: The header with the tags of a new object, without the prefix of the dialect.
TAGGING_HEADER = "tagging"


def parse_new_tags(call: Call) -> FrozenMapping:
    """Return the tags in a header, or in the document of a form's field."""
    if not call.fields:
        tags: FrozenMapping = read_header(call, TAGGING_HEADER, parse_tagging_header, NO_TAGS)
        return tags
    text = call.fields.get(TAGGING_HEADER)
    if text is None:
        return NO_TAGS
    body, namespace = text.encode(), call.dialect.xml_namespace
    if parse_xml(body, MALFORMED_XML, namespace).tag != "Tagging":
        return NO_TAGS  # as recorded
    return OBJECT_TAGS.check(tag_pairs(parse(RequestedTagging, body, namespace).tags))


def parse_tagging_header(sent: RawValue) -> FrozenMapping:
    """Return the tags in the header. A key without ``=`` has an empty value. [tagging-header]"""
    try:
        pairs = parse_qsl(sent.text.encode("ascii").decode(), keep_blank_values=True, errors="strict")
    except ValueError:
        raise _invalid_header(sent, "it is not percent-encoded UTF-8") from None
    if len(dict(pairs)) < len(pairs):
        raise _invalid_header(sent, "a key is repeated")
    for key, content in pairs:
        if not (is_tag_text(key, 1, TAG_KEY_LENGTH) and is_tag_text(content, 0, TAG_VALUE_LENGTH)):
            raise _invalid_header(sent, f"{key!r} = {content!r} is not a valid tag")
    return OBJECT_TAGS.check(pairs)


def _invalid_header(sent: RawValue, problem: str) -> ErrorResponse:
    return invalid_argument(
        sent.name,
        sent.text,
        f"The header '{sent.name}' shall be encoded as UTF-8 then URLEncoded URL query parameters without tag name"
        " duplicates.",
        explanation=f"{sent.name} is {sent.text!r}: {problem}",
    )


@operation(
    "GET Object tagging",
    Route("GET", "object", "tagging", names_version=True),
    api_name="GetObjectTagging",
    access=Access("s3:GetObjectTagging", BUCKET_OWNER, version=Access("s3:GetObjectVersionTagging", BUCKET_OWNER)),
)
def get_object_tagging(call: Call, bucket: BucketRecord) -> Result:
    """Return the tags of an object. If it does not exist, the error has the bucket in front of the key.

    [tagging-error-key]
    """
    try:
        version = get_version_refusing_markers(call, bucket)
    except ErrorResponse as error:
        if error.code != NO_SUCH_KEY.code:
            raise
        raise NO_SUCH_KEY.error(explanation=error.explanation, Key=f"{bucket.name}/{call.key}") from None
    return Result(
        service_headers=version_headers(call, bucket, version),
        document=Tagging.of(version.tags),
        version_id=version.version_id,
    )


@operation(
    "PUT Object tagging",
    Route("PUT", "object", "tagging", names_version=True),
    api_name="PutObjectTagging",
    access=Access("s3:PutObjectTagging", BUCKET_OWNER, version=Access("s3:PutObjectVersionTagging", BUCKET_OWNER)),
)
def put_object_tagging(call: Call, bucket: BucketRecord, document: RequestedTagging) -> Result:
    version = get_version_refusing_markers(call, bucket)
    tags = OBJECT_TAGS.check(tag_pairs(document.tags))
    tagged = replace(version, tags=tags)
    bucket.replace_version(tagged)
    return Result(
        service_headers=version_headers(call, bucket, version),
        version_id=version.version_id,
        changes=(Change("ObjectTagging:Put", changed=tagged),),
    )


@operation(
    "DELETE Object tagging",
    Route("DELETE", "object", "tagging", names_version=True),
    api_name="DeleteObjectTagging",
    access=Access(
        "s3:DeleteObjectTagging", BUCKET_OWNER, version=Access("s3:DeleteObjectVersionTagging", BUCKET_OWNER)
    ),
)
def delete_object_tagging(call: Call, bucket: BucketRecord) -> Result:
    version = get_version_refusing_markers(call, bucket)
    untagged = replace(version, tags=NO_TAGS)
    bucket.replace_version(untagged)
    return Result(
        status=204,
        service_headers=version_headers(call, bucket, version),
        version_id=version.version_id,
        changes=(Change("ObjectTagging:Delete", changed=untagged),),
    )


TAGGING = Setting(
    "tagging",
    "BucketTagging",
    RequestedTagging,
    Actions("s3:GetBucketTagging", "s3:PutBucketTagging", "s3:PutBucketTagging"),
    attribute="tags",
    missing=NO_SUCH_TAG_SET,
    title="tags",
    read=lambda bucket: Tagging.of(bucket.tags) if bucket.tags else None,
    removed=NO_TAGS,
    needs_checksum=True,
)


@TAGGING.put
def put_bucket_tagging(bucket: BucketRecord, document: RequestedTagging) -> Result:
    bucket.tags = BUCKET_TAGS.check(tag_pairs(document.tags))
    return NO_CONTENT


OPERATIONS = (*TAGGING.operations(put_bucket_tagging), get_object_tagging, put_object_tagging, delete_object_tagging)
