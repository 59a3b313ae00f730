"""Complete: the successful end of a multipart upload."""

from __future__ import annotations

from fakestore.errors import CONDITIONAL_REQUEST_CONFLICT, INVALID_REQUEST
from fakestore.model.bucket import BucketRecord
from fakestore.model.checksums import ChecksumElements, checksum_elements
from fakestore.model.encryption import Encryption
from fakestore.model.multipart_upload import CompletedPart
from fakestore.model.object_version import EntryId, ObjectVersion
from fakestore.model.semantics import MOST_PARTS
from fakestore.operations.checksums import StatedChecksums
from fakestore.operations.encryption import CUSTOMER_KEY_HEADERS, SentKey, check_part_encryption, read_key
from fakestore.operations.framework.access import BUCKET_WRITE, Access
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.checksums import VALUE_HEADERS
from fakestore.operations.framework.fields import header, headers, integer, query, value
from fakestore.operations.framework.preconditions import EntityTagConditions
from fakestore.operations.framework.result import Result
from fakestore.operations.framework.row import operation
from fakestore.operations.multipart.upload import UploadFields
from fakestore.operations.object_headers import put_reply_headers
from fakestore.protocol.routing import Route
from fakestore.xml.declarations import child, children, document


@document("CompleteMultipartUpload")
class CompleteMultipartUpload:
    """The parts that make the object, in their order."""

    parts: tuple[CompletedPart, ...] = children("Part", least=1, most=MOST_PARTS)


@document("CompleteMultipartUploadResult")
class CompleteMultipartUploadResult(ChecksumElements):
    """The object that was stored; ``etag`` has its quotes."""

    location: str = child("Location")
    bucket: str = child("Bucket")
    key: str = child("Key")
    etag: str = child("ETag")


class CompleteParameters(UploadFields):
    """The query and the headers of a request to complete an upload.

    Args:
        size: The expected size of the object; None if the request states no size.
        checksums: The expected checksums of the object.
    """

    size: int | None = header("mp-object-size", integer("send the number of bytes"))
    checksums: StatedChecksums = value(StatedChecksums.parse, headers=("checksum-type", *VALUE_HEADERS))
    customer_key: SentKey | None = headers(read_key, *CUSTOMER_KEY_HEADERS)

    def check_size(self, call: Call, size: int) -> None:
        """Check that the object has the expected size."""
        if self.size is not None and self.size != size:
            header = call.dialect.header("mp-object-size")
            raise INVALID_REQUEST.error(
                f"The provided '{header}' header value {self.size} does not match what was computed: {size}"
            )


class CompleteConditions(EntityTagConditions):
    """The conditions of a request to complete an upload.

    They conflict if the key was written or deleted since the upload began. [conditional-complete]
    """

    upload_id: str = query("uploadId")

    def check(self, bucket: BucketRecord, key: str) -> None:
        """Check the conditions on the object that the upload would replace.

        They do not apply to a repeated request, which has made the object itself. [completing-twice]
        """
        # rule: unconditional-completion
        if not self.has_condition or bucket.uploads.find_completion(key, self.upload_id) is not None:
            return
        super().check(bucket, key)  # rule: completion-condition
        if bucket.uploads.get(key, self.upload_id).key_was_written:  # rule: completion-conflict
            header = "If-None-Match" if self.must_be_absent else "If-Match"
            raise CONDITIONAL_REQUEST_CONFLICT.error(
                explanation=f"{header} holds, but the key {key!r} was written or deleted after the upload began;"
                " begin a new upload",
                Condition=header,
                Key=key,
            )


def _check_completion(call: Call, bucket: BucketRecord, parameters: CompleteParameters) -> None:
    """Check that the upload exists, and that the request has its checksum type and its customer key."""
    completion = bucket.uploads.find_completion(call.key, parameters.upload_id)
    upload = parameters.upload(call, bucket) if completion is None else completion.upload
    if parameters.customer_key is not None:
        check_part_encryption(call, parameters.customer_key, upload.new.encryption)
    parameters.checksums.check_mode(upload.checksum_mode)


@operation(
    "Complete Multipart Upload",
    Route("POST", "object", query=frozenset({"uploadId"})),
    api_name="CompleteMultipartUpload",
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
    call: Call,
    bucket: BucketRecord,
    parameters: CompleteParameters,
    document: CompleteMultipartUpload | None,
) -> Result:
    """Store the object from the named parts. A repeated request stores nothing. [completing-twice]"""
    named = () if document is None else document.parts
    completion = bucket.uploads.find_completion(call.key, parameters.upload_id)
    repeated = bucket.find_entry(call.key, None) if completion is not None and completion.named == named else None
    if isinstance(repeated, ObjectVersion):
        version = repeated
    else:
        upload = parameters.upload(call, bucket)
        new = upload.complete(named, call.limits)
        parameters.check_size(call, sum(part.size for part in new.parts))
        parameters.checksums.check(upload.checksum_mode, new.checksum)
        version = bucket.complete_upload(upload, named, new, now=call.now)
    # The public service answers without a checksum if the object is encrypted with KMS. [checksum-of-an-upload]
    checksum = None if version.encryption is Encryption.KMS else version.checksum
    return Result(
        service_headers=put_reply_headers(bucket, version, call.semantics),
        document=CompleteMultipartUploadResult(
            location=call.request.url.partition("?")[0],
            bucket=bucket.name,
            key=version.key,
            etag=version.etag,
            **checksum_elements(checksum),
        ),
        version_id=version.version_id,
        created=() if version is repeated else (EntryId.of(version),),
    )
