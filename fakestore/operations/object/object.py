"""The operations on objects: PUT, GET, HEAD and DELETE."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from fakestore.http.dates import http_date
from fakestore.http.ranges import UnsatisfiableRange, parse_range
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import INVALID_RANGE
from fakestore.model.object_version import DeleteMarker, ObjectVersion
from fakestore.operations.core.archive import check_is_readable
from fakestore.operations.core.authorization import BUCKET_WRITE, DELETE_OBJECT, READ_OBJECT, Access
from fakestore.operations.core.body import ReceivedBody
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.encryption import CUSTOMER_KEY_HEADERS, check_customer_key
from fakestore.operations.core.mfa import check_mfa, has_valid_mfa
from fakestore.operations.core.parameters import Parameters
from fakestore.operations.core.preconditions import VersionConditions, WriteConditions, parse_read_conditions
from fakestore.operations.core.registry import BodyKind, operation
from fakestore.operations.core.result import Result
from fakestore.operations.object.checksums import checksum_headers, parse_checksum_mode
from fakestore.operations.object.headers import (
    PutHeaders,
    expiration_headers,
    get_response_headers,
    put_response_headers,
    version_headers,
)
from fakestore.protocol.routing import Route


@operation(
    "PUT Object",
    Route("PUT", "object"),
    access=Access("s3:PutObject", BUCKET_WRITE),
    parameters=PutHeaders,
    preconditions=WriteConditions,
    body=BodyKind.CONTENT,
)
def put_object(context: RequestContext, bucket: BucketRecord, headers: PutHeaders, body: ReceivedBody) -> Result:
    """Store an object (specification, section 4.1)."""
    version = bucket.put(context.key, headers.new_object(body), owner=context.owner, now=context.now)
    return Result(
        headers={"ETag": version.etag},
        service_headers=put_response_headers(bucket, version) | checksum_headers(version),
        version_id=version.version_id,
    )


@dataclass(frozen=True, slots=True)
class ReadParameters(Parameters):
    """The conditions and the range of a GET or HEAD, and whether the checksum is requested."""

    query: ClassVar[tuple[str, ...]] = ("versionId",)
    service_headers: ClassVar[tuple[str, ...]] = ("checksum-mode", *CUSTOMER_KEY_HEADERS)
    standard_headers: ClassVar[tuple[str, ...]] = (
        "if-match",
        "if-none-match",
        "if-modified-since",
        "if-unmodified-since",
    )

    conditions: VersionConditions
    range_header: str | None
    with_checksum: bool

    @classmethod
    def parse(cls, context: RequestContext) -> Self:
        """Read the headers.

        Raises:
            ErrorResponse: InvalidRequest, if the mode of checksums is invalid.
        """
        return cls(parse_read_conditions(context), context.request.headers.get("range"), parse_checksum_mode(context))

    def select_range(self, version: ObjectVersion) -> range | None:
        """Return the bytes to send, or None for all.

        Raises:
            ErrorResponse: InvalidRange, if the header selects none of the bytes.
        """
        try:
            return parse_range(self.range_header, version.size)
        except UnsatisfiableRange:
            raise INVALID_RANGE.error(
                explanation=f"Range is {self.range_header!r}, but the object has {version.size:,} bytes",
                RangeRequested=self.range_header or "",
                ActualObjectSize=str(version.size),
            ) from None


@operation("HEAD Object", Route("HEAD", "object"), access=READ_OBJECT, parameters=ReadParameters)
@operation("GET Object", Route("GET", "object"), access=READ_OBJECT, parameters=ReadParameters)
def get_object(context: RequestContext, bucket: BucketRecord, parameters: ReadParameters) -> Result:
    """Return an object, or one version of it."""
    version = bucket.get_version(context.key, context.version_id)
    check_customer_key(context, version)
    headers = {"ETag": version.etag, "Last-Modified": http_date(version.last_modified)}
    service_headers = version_headers(bucket, version)
    if context.version_id is None:
        service_headers |= expiration_headers(bucket, version)
    failure = parameters.conditions.first_failure(version, context.now)
    if failure is not None and not failure.not_modified:
        raise failure.error()
    if failure is not None:
        return Result(status=304, headers=headers, service_headers=service_headers, version_id=version.version_id)
    standard, service = get_response_headers(version, context.now)
    headers, service_headers = headers | standard, service_headers | service
    if context.request.method == "GET":
        check_is_readable(version, context.now)
    selected = parameters.select_range(version)
    body, status, digest = version.content, 200, version.content_digest
    if selected is not None:
        headers["Content-Range"] = f"bytes {selected.start}-{selected.stop - 1}/{version.size}"
        body, status, digest = version.content[selected.start : selected.stop], 206, None
    if parameters.with_checksum and len(body) == version.size:
        service_headers |= checksum_headers(version)
    return Result(
        status=status,
        headers=headers,
        service_headers=service_headers,
        body=body,
        digest=digest,
        version_id=version.version_id,
    )


@operation("DELETE Object", Route("DELETE", "object"), access=DELETE_OBJECT, query=("versionId",))
def delete_object(context: RequestContext, bucket: BucketRecord) -> Result:
    """Delete an object, or one version of it permanently (specification, section 4.3)."""
    version_id = context.version_id
    if version_id is None:
        marker = bucket.delete(
            context.key,
            owner=context.owner,
            now=context.now,
            keep_null_version=not has_valid_mfa(context, bucket),
        )
        version_id = None if marker is None else marker.version_id
    else:
        if bucket.mfa_delete:  # before the version id is examined [mfa-before-version-id]
            check_mfa(context, bucket)
        removed = bucket.delete_version(context.key, version_id)
        marker = removed if isinstance(removed, DeleteMarker) else None
    service_headers = {"delete-marker": "false" if marker is None else "true"}
    if version_id is not None:
        service_headers["version-id"] = version_id
    return Result(status=204, headers={"Content-Length": "0"}, service_headers=service_headers, version_id=version_id)
