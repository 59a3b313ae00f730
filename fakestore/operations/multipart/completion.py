"""The end of a multipart upload with an object: Complete."""

from __future__ import annotations

from typing import ClassVar, Self

from fakestore.documents.checksums import checksum_elements
from fakestore.documents.multipart_upload import CompleteMultipartUpload, CompleteMultipartUploadResult
from fakestore.http.integers import parse_integer
from fakestore.model.bucket import BucketRecord
from fakestore.model.encryption import Encryption
from fakestore.model.errors import CONDITIONAL_REQUEST_CONFLICT, INVALID_REQUEST, invalid_argument
from fakestore.model.object_version import EntryId
from fakestore.operations.core.authorization import BUCKET_WRITE, Access
from fakestore.operations.core.checksums import VALUE_HEADERS
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.encryption import CUSTOMER_KEY_HEADERS, check_sent_key
from fakestore.operations.core.parameters import Preconditions, parameters
from fakestore.operations.core.preconditions import WriteConditions
from fakestore.operations.core.registry import operation
from fakestore.operations.core.result import Result
from fakestore.operations.multipart.checksums import StatedChecksums
from fakestore.operations.multipart.upload import UploadParameters
from fakestore.operations.object.reply_headers import put_reply_headers
from fakestore.protocol.routing import Route


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
    def parse(cls, context: RequestContext) -> Self | None:
        """Read the conditions, and return None if the request has none.

        Raises:
            ErrorResponse: NotImplemented, if the public service does not accept the form.
        """
        conditions = WriteConditions.parse(context)
        return None if conditions is None else cls(conditions, context.query["uploadId"])

    def check(self, bucket: BucketRecord, key: str) -> None:
        """Check the conditions on the object that the upload would replace.

        Raises:
            ErrorResponse: PreconditionFailed; NoSuchKey, if If-Match was sent and no object exists;
                ConditionalRequestConflict, if the conditions hold, but the key was written or deleted meanwhile.
        """
        self.conditions.check(bucket, key)
        if bucket.uploads.get(key, self.upload_id).key_was_written:
            header = "If-None-Match" if self.conditions.must_be_absent else "If-Match"
            raise CONDITIONAL_REQUEST_CONFLICT.error(
                explanation=f"{header} holds, but the key {key!r} was written or deleted after the upload began;"
                " begin a new upload",
                Condition=header,
                Key=key,
            )


def _check_completion(context: RequestContext, bucket: BucketRecord, parameters: CompleteParameters) -> None:
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
    check=_check_completion,
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
        service_headers=put_reply_headers(bucket, version),
        document=CompleteMultipartUploadResult(
            location=context.request.url.partition("?")[0],
            bucket=bucket.name,
            key=version.key,
            etag=version.etag,
            **checksum_elements(checksum),
        ),
        version_id=version.version_id,
        created=(EntryId.of(version),),
    )
