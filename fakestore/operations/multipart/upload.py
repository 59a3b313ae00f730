"""The beginning of a multipart upload, and its end without an object: Initiate and Abort."""

from __future__ import annotations

from typing import ClassVar, Self
from urllib.parse import quote

from fakestore.documents.multipart_upload import InitiateMultipartUploadResult
from fakestore.http.dates import http_date
from fakestore.model.accounts import Account
from fakestore.model.bucket import BucketRecord
from fakestore.model.checksums import ChecksumMode
from fakestore.model.errors import ACCESS_DENIED
from fakestore.model.multipart_upload import MultipartUpload
from fakestore.operations.core.authorization import BUCKET_WRITE, UPLOAD_INITIATOR, Access
from fakestore.operations.core.body import ReceivedBody
from fakestore.operations.core.condition_keys import object_headers
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.encryption import context_header, encryption_headers
from fakestore.operations.core.parameters import Parameters, parameters
from fakestore.operations.core.registry import operation
from fakestore.operations.core.result import NO_CONTENT, Result
from fakestore.operations.multipart.checksums import parse_upload_checksum_mode
from fakestore.operations.object.put_headers import PutHeaders
from fakestore.protocol.routing import Route

#: The content of a new object before its upload is completed.
_NO_BODY = ReceivedBody(b"", "")


@parameters
class UploadParameters(Parameters):
    """The query of a request for one upload."""

    query: ClassVar[tuple[str, ...]] = ("uploadId",)

    upload_id: str

    @classmethod
    def parse(cls, context: RequestContext) -> Self:
        """Read the query."""
        return cls(context.query["uploadId"])

    def upload(self, context: RequestContext, bucket: BucketRecord) -> MultipartUpload:
        """Return the upload that the request names.

        Raises:
            ErrorResponse: NoSuchUpload.
        """
        return bucket.uploads.get(context.key, self.upload_id)


def abort_headers(bucket: BucketRecord, upload: MultipartUpload) -> dict[str, str]:
    """Return the headers that say when a lifecycle rule aborts the upload, if one applies."""
    due = None if bucket.lifecycle is None else bucket.lifecycle.get_abort(upload)
    if due is None:
        return {}
    return {"abort-date": http_date(due.date), "abort-rule-id": quote(due.rule_id, safe="")}


def _check_initiation(context: RequestContext, bucket: BucketRecord, headers: InitiateHeaders) -> None:
    """Check that the requester is an account, because an upload has an initiator. [anonymous-uploads]

    Raises:
        ErrorResponse: AccessDenied; those of :meth:`PutHeaders.check`.
    """
    if not isinstance(context.requester, Account):
        raise ACCESS_DENIED.error("Anonymous users cannot initiate multipart uploads.  Please authenticate.")
    headers.of_object.check(context, bucket)


@parameters
class InitiateHeaders(Parameters):
    """The headers of a request to begin an upload: those about the object, and how its parts are checked."""

    service_headers: ClassVar[tuple[str, ...]] = (*PutHeaders.service_headers, "checksum-algorithm", "checksum-type")

    of_object: PutHeaders
    checksum_mode: ChecksumMode | None

    @classmethod
    def parse(cls, context: RequestContext) -> Self:
        """Read the headers.

        Raises:
            ErrorResponse: Those of :meth:`PutHeaders.parse`; InvalidRequest, if the checksums are invalid.
        """
        return cls(PutHeaders.parse(context), parse_upload_checksum_mode(context))

    @property
    def required_access(self) -> tuple[Access, ...]:
        """The accesses that the object needs."""
        return self.of_object.required_access


@operation(
    "Initiate Multipart Upload",
    Route("POST", "object", "uploads"),
    access=Access("s3:PutObject", BUCKET_WRITE),
    parameters=InitiateHeaders,
    check=_check_initiation,
)
def initiate_multipart_upload(context: RequestContext, bucket: BucketRecord, headers: InitiateHeaders) -> Result:
    """Begin an upload. The headers apply to the object that is stored when the upload is completed."""
    mode = headers.checksum_mode
    upload = bucket.initiate_upload(
        context.key,
        headers.of_object.new_object(_NO_BODY),
        initiator=context.owner,
        now=context.now,
        checksum_mode=mode,
        headers=object_headers(context),
    )
    checksum = {} if mode is None else {"checksum-algorithm": str(mode.algorithm), "checksum-type": str(mode.type)}
    return Result(
        service_headers=encryption_headers(upload.new.encryption)
        | context_header(upload.new.encryption)
        | abort_headers(bucket, upload)
        | checksum,
        document=InitiateMultipartUploadResult(bucket=bucket.name, key=upload.key, upload_id=upload.upload_id),
    )


@operation(
    "Abort Multipart Upload",
    Route("DELETE", "object", query=frozenset({"uploadId"})),
    access=Access("s3:AbortMultipartUpload", UPLOAD_INITIATOR),
    parameters=UploadParameters,
)
def abort_multipart_upload(context: RequestContext, bucket: BucketRecord, parameters: UploadParameters) -> Result:
    """End an upload and drop its parts."""
    bucket.uploads.remove(parameters.upload(context, bucket))
    return NO_CONTENT
