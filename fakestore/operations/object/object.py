"""The operations on objects: PUT, GET, HEAD and DELETE."""

from __future__ import annotations

from fakestore.http.fields import http_date
from fakestore.http.messages import Reply
from fakestore.model.acl import PRIVATE
from fakestore.model.object_version import DeleteMarker, NewObject
from fakestore.operations.core.authorization import Access, Right, authorize
from fakestore.operations.core.context import Call
from fakestore.operations.core.grants import ACL_HEADERS
from fakestore.operations.core.mfa import check_mfa
from fakestore.operations.core.preconditions import READ_CONDITIONS, WRITE_CONDITIONS, Conditions, write_conditions
from fakestore.operations.core.registry import operation
from fakestore.operations.object.headers import (
    asked_of,
    authorize_acl,
    metadata_of,
    object_headers,
    range_of,
    written_headers,
)

PUT = Access("s3:PutObject", Right.BUCKET_WRITE)
READ = Access("s3:GetObject", Right.OBJECT_READ)
READ_VERSION = Access("s3:GetObjectVersion", Right.OBJECT_READ)
DELETE = Access("s3:DeleteObject", Right.BUCKET_WRITE)
DELETE_VERSION = Access("s3:DeleteObjectVersion", Right.BUCKET_OWNER_ALONE)


@operation(
    "PUT Object",
    route="PUT object",
    access=PUT,
    headers=("meta-*", "storage-class", "server-side-encryption", *ACL_HEADERS),
    conditions=WRITE_CONDITIONS,
    takes_body=True,
)
def put_object(call: Call) -> Reply:
    asked = asked_of(call)
    metadata = metadata_of(call)
    check = write_conditions(call)
    if check is not None:
        with call.bucket() as bucket:
            check(bucket)
    content, digest = call.receive()
    with call.bucket() as bucket:
        authorize(PUT, call.account, bucket, call.key, None)
        if asked.acl is not None:
            authorize_acl(call, bucket)
        if check is not None:
            check(bucket)
        version = bucket.put(
            call.key,
            NewObject(
                content=content,
                digest=digest,
                metadata=metadata,
                storage_class=asked.storage_class,
                encryption=asked.encryption,
                acl=asked.acl or PRIVATE,
            ),
            owner=call.account,
            now=call.now,
        )
        return Reply(200, {"ETag": version.etag, **written_headers(call, bucket, version)})


@operation(
    "HEAD Object",
    route="HEAD object",
    access=READ,
    version_access=READ_VERSION,
    query=("versionId",),
    conditions=READ_CONDITIONS,
)
@operation(
    "GET Object",
    route="GET object",
    access=READ,
    version_access=READ_VERSION,
    query=("versionId",),
    conditions=READ_CONDITIONS,
)
def get_object(call: Call) -> Reply:
    conditions = Conditions.of(call, "")
    with call.bucket() as bucket:
        version = bucket.get_version(call.key, call.named_version)
        headers = call.version_headers(bucket, version.version_id)
        if call.named_version is None:
            headers |= call.expiration_headers(bucket, version)
    headers |= {"ETag": version.etag, "Last-Modified": http_date(version.last_modified)}
    if failed := conditions.failed(version, call.now):
        if failed.unchanged:
            return Reply(304, headers)
        raise failed.refusal()
    headers |= object_headers(call, version)
    asked = range_of(call.request.headers.get("range"), version)
    if asked is None:
        return Reply(200, headers, version.content)
    headers["Content-Range"] = f"bytes {asked.start}-{asked.stop - 1}/{version.size}"
    return Reply(206, headers, version.content[asked.start : asked.stop])


@operation(
    "DELETE Object",
    route="DELETE object",
    access=DELETE,
    version_access=DELETE_VERSION,
    query=("versionId",),
)
def delete_object(call: Call) -> Reply:
    named = call.named_version
    prefix = call.dialect.header_prefix
    with call.bucket() as bucket:
        if named is None:
            marker = bucket.delete(call.key, owner=call.account, now=call.now)
            call.version_id = marker.version_id if marker else None
        else:
            bucket.check_version_id(named)
            if bucket.mfa_delete:
                check_mfa(call, bucket)
            taken = bucket.delete_version(call.key, named)
            marker = taken if isinstance(taken, DeleteMarker) else None
            call.version_id = named
    headers = {"Content-Length": "0", f"{prefix}delete-marker": "true" if marker else "false"}
    if call.version_id is not None:
        headers[f"{prefix}version-id"] = call.version_id
    return Reply(204, headers)
