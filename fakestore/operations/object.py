"""PUT, GET and HEAD Object."""

from __future__ import annotations

from fakestore.http.values import http_date
from fakestore.model.bucket import BucketRecord
from fakestore.model.object_version import Change
from fakestore.operations.encryption import check_customer_key, check_kms_key, context_header
from fakestore.operations.framework.access import BUCKET_WRITE, READ_OBJECT, Access
from fakestore.operations.framework.body import ObjectContent, ReceivedBody
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.operation import operation
from fakestore.operations.framework.preconditions import WriteConditions
from fakestore.operations.framework.result import Result
from fakestore.operations.object_headers import (
    ObjectHeaders,
    PutHeaders,
    checksum_headers,
    put_reply_headers,
    read_reply_headers,
    stored_headers,
)
from fakestore.operations.object_lock import GET_LEGAL_HOLD, GET_RETENTION
from fakestore.operations.read_parameters import ReadParameters
from fakestore.operations.restore import check_is_readable
from fakestore.protocol.routing import Route


@operation(
    "PUT Object",
    Route("PUT", "object"),
    api_name="PutObject",
    access=Access("s3:PutObject", BUCKET_WRITE),
    preconditions=WriteConditions,
)
def put_object(call: Call, bucket: BucketRecord, headers: PutHeaders, body: ObjectContent) -> Result:
    """Store an object (specification, section 4.1)."""
    return store_object(call, bucket, headers, body, "ObjectCreated:Put")


def store_object(call: Call, bucket: BucketRecord, headers: ObjectHeaders, body: ReceivedBody, kind: str) -> Result:
    """Store the object of a PUT or a form, and return the reply to a PUT."""
    version = bucket.put(call.key, headers.new_object(body), writer=call.account, now=call.now)
    return Result(
        headers={"ETag": version.etag},
        service_headers=put_reply_headers(bucket, version, call.semantics)
        | context_header(version.server_side_encryption)
        | checksum_headers(version),
        version_id=version.version_id,
        changes=(Change(kind, version),),
    )


@operation(
    "GET Object",
    Route("GET", "object", names_version=True),
    api_name="GetObject",
    access=READ_OBJECT,
    checks_itself=(GET_RETENTION, GET_LEGAL_HOLD),
)
def get_object(call: Call, bucket: BucketRecord, parameters: ReadParameters) -> Result:
    """Return an object or one of its versions, or a part of its content."""
    version = bucket.get_object_or_version(call.key, call.version_id)
    check_customer_key(call, version, parameters.customer_key)
    headers = {"ETag": version.etag, "Last-Modified": http_date(version.last_modified)}
    service_headers = read_reply_headers(call, bucket, version)
    if not parameters.is_modified(call, version):
        return Result(status=304, headers=headers, service_headers=service_headers, version_id=version.version_id)
    headers |= {"Accept-Ranges": "bytes", **version.all_metadata.system, **parameters.overrides}
    service_headers |= stored_headers(call, bucket, version)
    sends_content = call.request.method == "GET"
    if sends_content:
        check_is_readable(version, call.now)
    check_kms_key(call, bucket, version.server_side_encryption, uses_key=sends_content)
    selected = parameters.select_range(call, version)
    body, status, content_tag = version.content, 200, version.content_tag
    if parameters.part_number is not None and version.parts:
        service_headers["mp-parts-count"] = str(len(version.parts))
    if selected is not None:
        if selected:  # a part can be empty [empty-part]
            headers["Content-Range"] = f"bytes {selected.start}-{selected.stop - 1}/{version.size}"
        body, status, content_tag = version.content[selected.start : selected.stop], 206, None
    if parameters.with_checksum:
        service_headers |= checksum_headers(version, parameters.part_number, is_whole=len(body) == version.size)
    return Result(
        status=status,
        headers=headers,
        service_headers=service_headers,
        body=body,
        content_tag=content_tag,
        version_id=version.version_id,
    )


head_object = operation(
    "HEAD Object",
    Route("HEAD", "object", names_version=True),
    api_name="HeadObject",
    access=READ_OBJECT,
    checks_itself=(GET_RETENTION, GET_LEGAL_HOLD),
)(get_object.run)


OPERATIONS = (put_object, get_object, head_object)
