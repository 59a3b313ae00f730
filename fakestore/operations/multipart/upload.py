"""The beginning and the end of a multipart upload: Initiate, Complete and Abort."""

from __future__ import annotations

from typing import ClassVar, Self
from urllib.parse import quote

from fakestore.documents.checksums import checksum_elements
from fakestore.documents.multipart_upload import (
    CompleteMultipartUpload,
    CompleteMultipartUploadResult,
    InitiateMultipartUploadResult,
)
from fakestore.http.dates import http_date
from fakestore.http.integers import parse_integer
from fakestore.model.accounts import Account
from fakestore.model.bucket import BucketRecord
from fakestore.model.checksums import ChecksumMode
from fakestore.model.encryption import Encryption
from fakestore.model.errors import (
    ACCESS_DENIED,
    CONDITIONAL_REQUEST_CONFLICT,
    INVALID_REQUEST,
    invalid_argument,
)
from fakestore.model.multipart_upload import MultipartUpload
from fakestore.operations.core.authorization import BUCKET_WRITE, UPLOAD_INITIATOR, Access
from fakestore.operations.core.body import ReceivedBody
from fakestore.operations.core.checksums import VALUE_HEADERS
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.encryption import CUSTOMER_KEY_HEADERS, check_sent_key, encryption_headers
from fakestore.operations.core.parameters import Parameters, Preconditions, parameters
from fakestore.operations.core.policy_facts import object_headers
from fakestore.operations.core.preconditions import WriteConditions
from fakestore.operations.core.registry import operation
from fakestore.operations.core.result import NO_CONTENT, Result
from fakestore.operations.multipart.checksums import StatedChecksums, parse_upload_checksum_mode
from fakestore.operations.object.put_headers import PutHeaders
from fakestore.operations.object.response_headers import put_response_headers
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
        return bucket.get_upload(context.key, self.upload_id)


def check_upload(context: RequestContext, bucket: BucketRecord, parameters: UploadParameters, *_: object) -> None:
    """Check that the upload exists, before the body is read and before conditions are checked.

    Raises:
        ErrorResponse: NoSuchUpload.
    """
    parameters.upload(context, bucket)


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
        service_headers=encryption_headers(upload.new.encryption) | abort_headers(bucket, upload) | checksum,
        document=InitiateMultipartUploadResult(bucket=bucket.name, key=upload.key, upload_id=upload.upload_id),
    )


@parameters
class CompleteParameters(UploadParameters):
    """The query and the headers of a request to complete an upload.

    Args:
        size: The size of the object that the client expects; None if the request states none.
        checksums: The checksums of the object that the client expects.
    """

    service_headers: ClassVar[tuple[str, ...]] = (
        "mp-object-size",
        "checksum-type",
        *VALUE_HEADERS,
        *CUSTOMER_KEY_HEADERS,
    )

    size: int | None
    checksums: StatedChecksums

    @classmethod
    def parse(cls, context: RequestContext) -> Self:
        """Read the query and the headers.

        Raises:
            ErrorResponse: InvalidArgument, if the size is not a number; InvalidRequest, if the type of checksum is
                unknown.
        """
        text = context.service_headers.get("mp-object-size")
        size = None if text is None else parse_integer(text)
        if text is not None and size is None:
            header = context.dialect.header("mp-object-size")
            raise invalid_argument(header, text, explanation=f"{header} is {text!r}; send the number of bytes")
        return cls(context.query["uploadId"], size, StatedChecksums.parse(context))

    def check_size(self, context: RequestContext, size: int) -> None:
        """Check the size of the object against the one that the client expects.

        Raises:
            ErrorResponse: InvalidRequest.
        """
        if self.size is not None and self.size != size:
            header = context.dialect.header("mp-object-size")
            raise INVALID_REQUEST.error(
                f"The provided '{header}' header value {self.size} does not match what was computed: {size}"
            )


@parameters
class CompleteConditions(Preconditions):
    """The conditions of a request to complete an upload.

    They conflict with every write and deletion of the key since the upload began. [conditional-complete]
    """

    standard_headers: ClassVar[tuple[str, ...]] = WriteConditions.standard_headers

    conditions: WriteConditions
    upload_id: str

    @classmethod
    def parse(cls, context: RequestContext) -> Self:
        """Read the conditions.

        Raises:
            ErrorResponse: NotImplemented, if the public service does not accept the form.
        """
        return cls(WriteConditions.parse(context), context.query["uploadId"])

    def check(self, bucket: BucketRecord, key: str) -> None:
        """Check the conditions on the object that the upload would replace.

        Raises:
            ErrorResponse: PreconditionFailed; NoSuchKey, if If-Match was sent and no object exists;
                ConditionalRequestConflict, if the conditions hold, but the key was written or deleted meanwhile.
        """
        self.conditions.check(bucket, key)
        header = "If-None-Match" if self.conditions.must_be_absent else "If-Match"
        is_conditional = self.conditions.must_be_absent or self.conditions.match is not None
        if is_conditional and bucket.get_upload(key, self.upload_id).key_was_written:
            raise CONDITIONAL_REQUEST_CONFLICT.error(
                explanation=f"{header} holds, but the key {key!r} was written or deleted after the upload began;"
                " begin a new upload",
                Condition=header,
                Key=key,
            )


def check_completion(context: RequestContext, bucket: BucketRecord, parameters: CompleteParameters, *_: object) -> None:
    """Check that the upload exists, and that it has the type of checksum and the customer key of the request.

    Raises:
        ErrorResponse: NoSuchUpload, InvalidRequest, InvalidArgument or InvalidEncryptionAlgorithmError.
    """
    upload = parameters.upload(context, bucket)
    check_sent_key(context, upload.new.encryption)
    parameters.checksums.check_mode(upload.checksum_mode)


@operation(
    "Complete Multipart Upload",
    Route("POST", "object", query=frozenset({"uploadId"})),
    access=Access("s3:PutObject", BUCKET_WRITE),
    parameters=CompleteParameters,
    preconditions=CompleteConditions,
    body=CompleteMultipartUpload,
    body_is_optional=True,
    checks_body=False,
    check=check_completion,
    can_embed_error=True,
)
def complete_multipart_upload(
    context: RequestContext,
    bucket: BucketRecord,
    parameters: CompleteParameters,
    document: CompleteMultipartUpload | None,
) -> Result:
    """Store the object that the named parts make."""
    upload = parameters.upload(context, bucket)
    new = upload.complete([] if document is None else document.named_parts, context.limits)
    parameters.check_size(context, sum(part.size for part in new.parts))
    parameters.checksums.check(upload.checksum_mode, new.checksum)
    version = bucket.complete_upload(upload, new, now=context.now)
    # The public service answers without a checksum if the object is encrypted with KMS. [checksum-of-an-upload]
    checksum = None if version.encryption is Encryption.KMS else version.checksum
    return Result(
        service_headers=put_response_headers(bucket, version),
        document=CompleteMultipartUploadResult(
            location=context.request.url.partition("?")[0],
            bucket=bucket.name,
            key=version.key,
            etag=version.etag,
            **checksum_elements(checksum),
        ),
        version_id=version.version_id,
        written=version,
    )


@operation(
    "Abort Multipart Upload",
    Route("DELETE", "object", query=frozenset({"uploadId"})),
    access=Access("s3:AbortMultipartUpload", UPLOAD_INITIATOR),
    parameters=UploadParameters,
    check=check_upload,
)
def abort_multipart_upload(context: RequestContext, bucket: BucketRecord, parameters: UploadParameters) -> Result:
    """End an upload and drop its parts."""
    bucket.abort_upload(parameters.upload(context, bucket))
    return NO_CONTENT
