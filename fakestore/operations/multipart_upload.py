"""Multipart upload: its beginning, its parts, and its end with or without an object."""

from __future__ import annotations

import re
from datetime import datetime

from fakestore.errors import BAD_DIGEST, CONDITIONAL_REQUEST_CONFLICT, INVALID_REQUEST, invalid_argument
from fakestore.http.values import parse_integer
from fakestore.messages import counted
from fakestore.model.acl import Permission
from fakestore.model.bucket import BucketRecord
from fakestore.model.checksums import (
    UPLOAD_TYPES,
    ChecksumAlgorithm,
    ChecksumElements,
    ChecksumMode,
    ChecksumType,
    ChecksumValues,
    checksum_elements,
    checksum_values,
    compute_checksum,
)
from fakestore.model.encryption import Encryption
from fakestore.model.entity_tag import EntityTag
from fakestore.model.multipart_upload import CompletedPart, MultipartUpload, Part
from fakestore.model.object_version import Change, NewObject, ObjectVersion
from fakestore.model.semantics import MOST_PARTS
from fakestore.operations.condition_keys import headers_for_conditions
from fakestore.operations.copy_source import NO_ANONYMOUS_COPIES, CopySource, check_copy_size
from fakestore.operations.encryption import (
    SentKey,
    check_is_not_blocked,
    check_kms_key,
    check_part_encryption,
    context_header,
    customer_key_headers,
    encryption_headers,
)
from fakestore.operations.framework.access import BUCKET_WRITE, Access, Requirement, is_granted
from fakestore.operations.framework.body import PartContent, ReceivedBody
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.checksums import (
    CHECKSUM_TYPE,
    VALUE_HEADERS,
    ExpectedChecksum,
    parse_algorithm,
)
from fakestore.operations.framework.inputs import Parameters, RawValue, header, integer, query, value
from fakestore.operations.framework.operation import operation
from fakestore.operations.framework.preconditions import WriteConditions
from fakestore.operations.framework.result import NO_CONTENT, Result
from fakestore.operations.lifecycle import abort_headers
from fakestore.operations.object_headers import LockableHeaders, put_reply_headers
from fakestore.operations.versioning import copy_source_headers
from fakestore.protocol.routing import Route
from fakestore.xml.declarations import child, children, document

# -- the beginning


@document("InitiateMultipartUploadResult")
class InitiateMultipartUploadResult:
    bucket: str = child("Bucket")
    key: str = child("Key")
    upload_id: str = child("UploadId")


class UploadQuery(Parameters):
    """The query of every request for an upload."""

    upload_id: str = query("uploadId")

    def upload(self, call: Call, bucket: BucketRecord) -> MultipartUpload:
        return bucket.uploads.get(call.key, self.upload_id)


def _find_refusal(call: Call, bucket: BucketRecord) -> str | None:
    """Return why the requester may not list or abort an upload, or None. [permissions-for-uploads]

    If the upload does not exist, a requester with WRITE in the ACL of the bucket passes, and the operation
    answers 404.
    """
    requester, upload = call.requester, bucket.uploads.find(call.key, call.query["uploadId"])
    if requester == bucket.owner or (upload is not None and requester == upload.initiator):
        return None
    if upload is None and is_granted(requester, Permission.WRITE, bucket.effective_acl()):
        return None
    reason = f"the bucket belongs to {bucket.owner}"
    return reason if upload is None else f"{reason}, and the upload was initiated by {upload.initiator}"


#: The requester must have initiated the upload, or own the bucket.
UPLOAD_INITIATOR = Requirement(find_refusal=_find_refusal)


class InitiateHeaders(LockableHeaders):
    """The headers of a request to begin an upload: the headers of the object, and the checksum mode."""

    checksum_algorithm: ChecksumAlgorithm | None = header("checksum-algorithm", parse_algorithm)
    checksum_type: ChecksumType | None = header("checksum-type", CHECKSUM_TYPE)

    def check_parsed(self, call: Call) -> None:
        """Check that the algorithm can have the type."""
        algorithm, type_, name_of = self.checksum_algorithm, self.checksum_type, call.dialect.header
        if type_ is None:
            return
        if algorithm is None:
            raise INVALID_REQUEST.error(
                f"The {name_of('checksum-type')} header can only be used with the {name_of('checksum-algorithm')}"
                " header."
            )
        if type_ not in UPLOAD_TYPES[algorithm]:
            raise INVALID_REQUEST.error(
                f"The {type_} checksum type cannot be used with the {algorithm.lower()} checksum algorithm."
            )

    @property
    def checksum_mode(self) -> ChecksumMode | None:
        """How the upload is checked; None if the headers name no algorithm."""
        algorithm = self.checksum_algorithm
        return None if algorithm is None else ChecksumMode(algorithm, self.checksum_type or UPLOAD_TYPES[algorithm][0])


@operation(
    "Initiate Multipart Upload",
    Route("POST", "object", "uploads"),
    api_name="CreateMultipartUpload",
    access=Access("s3:PutObject", BUCKET_WRITE),
    anonymous_error="Anonymous users cannot initiate multipart uploads.  Please authenticate.",
)
def initiate_multipart_upload(call: Call, bucket: BucketRecord, headers: InitiateHeaders) -> Result:
    """Begin an upload. The headers apply to the object that is stored when the upload is completed."""
    mode = headers.checksum_mode
    upload = bucket.initiate_upload(
        call.key,
        headers.new_object(ReceivedBody(b"", EntityTag.of(b""))),
        initiator=call.account,
        now=call.now,
        checksum_mode=mode,
        headers=headers_for_conditions(call),
    )
    checksum = {} if mode is None else {"checksum-algorithm": str(mode.algorithm), "checksum-type": str(mode.type)}
    return Result(
        service_headers=encryption_headers(upload.new.encryption)
        | context_header(upload.new.encryption)
        | abort_headers(bucket, upload, call.semantics)
        | checksum,
        document=InitiateMultipartUploadResult(bucket=bucket.name, key=upload.key, upload_id=upload.upload_id),
    )


# -- parts

#: The kind of the number of a part.
PART_NUMBER = integer(
    f"send an integer from 1 to {MOST_PARTS:,}",
    f"Part number must be an integer between 1 and {MOST_PARTS}, inclusive",
    least=1,
    most=MOST_PARTS,
)


@document("CopyPartResult")
class CopyPartResult(ChecksumValues):
    """A part that was copied from an object; ``etag`` has its quotes."""

    last_modified: datetime = child("LastModified")
    etag: str = child("ETag")


_PART = frozenset({"uploadId", "partNumber"})


class PartFields(UploadQuery):
    """The query and the customer key of every request for a part."""

    number: int = query("partNumber", PART_NUMBER)
    customer_key: SentKey | None = customer_key_headers()

    def store(self, call: Call, bucket: BucketRecord, body: ReceivedBody) -> tuple[MultipartUpload, Part]:
        """Add the part to its upload, and return both. The part has a checksum if the upload has an algorithm."""
        upload = self.upload(call, bucket)
        mode = upload.checksum_mode
        checksum = None if mode is None else body.checksum or compute_checksum(mode.algorithm, body.content)
        part = Part(
            number=self.number,
            content=body.content,
            etag=body.etag,
            last_modified=call.now.replace(microsecond=0),
            checksum=checksum,
        )
        bucket.uploads.add(upload.with_part(part))
        return upload, part

    def check_state(self, call: Call, bucket: BucketRecord) -> None:
        """Check that the part has the encryption of its upload."""
        encryption = self.upload(call, bucket).new.encryption
        check_part_encryption(call, self.customer_key, encryption)
        check_is_not_blocked(bucket, encryption)
        check_kms_key(call, bucket, encryption)


class PartParameters(PartFields):
    """The query and the headers of a request that uploads a part."""

    def check_state(self, call: Call, bucket: BucketRecord) -> None:
        """Check that the part has the encryption and the checksum algorithm of its upload. [checksums-of-parts]"""
        super().check_state(call, bucket)
        mode, expected = self.upload(call, bucket).checksum_mode, ExpectedChecksum.parse(call)
        if mode is None or (expected is None and mode.type is ChecksumType.FULL_OBJECT):
            return
        if expected is None or expected.algorithm is not mode.algorithm:
            actual = "null" if expected is None else expected.algorithm.lower()
            raise INVALID_REQUEST.error(
                f"Checksum Type mismatch occurred, expected checksum Type: {mode.algorithm.lower()}, actual checksum"
                f" Type: {actual}",
                explanation=f"the upload was begun with {mode.algorithm}; send the {mode.algorithm} of every part",
            )


@operation(
    "Upload Part",
    Route("PUT", "object", query=_PART),
    api_name="UploadPart",
    access=Access("s3:PutObject", BUCKET_WRITE),
)
def upload_part(call: Call, bucket: BucketRecord, part_query: PartParameters, body: PartContent) -> Result:
    """Store a part. It replaces the part with the same number."""
    upload, part = part_query.store(call, bucket, body)
    # The sent checksum is returned even if the upload has no algorithm.
    checksum = part.checksum or body.checksum
    return Result(
        headers={"ETag": part.etag},
        service_headers=encryption_headers(upload.new.encryption)
        | ({} if checksum is None else {f"checksum-{checksum.algorithm.lower()}": checksum.value}),
    )


def _parse_range(sent: RawValue) -> range:
    match = re.fullmatch(r"bytes=([0-9]{1,18})-([0-9]{1,18})", sent.text)
    if match is None or int(match[1]) > int(match[2]):
        raise invalid_argument(
            sent.name,
            sent.text,
            f"The {sent.name} value must be of the form bytes=first-last where first and last are the zero-based"
            " offsets of the first and last bytes to copy",
        )
    return range(int(match[1]), int(match[2]) + 1)


class CopiedPartParameters(PartFields):
    """The query and the headers of a request that copies a part. Without a range, the part is the whole source."""

    selected: range | None = header("copy-source-range", _parse_range)

    def copy_from(self, call: Call, source: ObjectVersion) -> ReceivedBody:
        """Return the copied content. The source shares it, except a piece of ``bytes``."""
        selected, size = self.selected, source.size
        if selected is None:
            return ReceivedBody(source.content, source.content_tag or EntityTag.of(source.content))
        if selected.start >= size:
            raise INVALID_REQUEST.error(
                "The specified copy range is invalid for the source object size",
                explanation=f"the range begins at {selected.start:,}, but the source has {counted(size, 'byte')}",
            )
        if selected.stop > size:
            raise invalid_argument(
                call.dialect.header("copy-source-range"),
                call.service_headers["copy-source-range"],
                f"Range specified is not valid for source object of size: {size}",
            )
        check_copy_size(call, len(selected))
        content = source.content[selected.start : selected.stop]
        return ReceivedBody(content, EntityTag.of(content))


@operation(
    "Upload Part Copy",
    Route("PUT", "object", query=_PART, header="copy-source"),
    api_name="UploadPartCopy",
    access=Access("s3:PutObject", BUCKET_WRITE),
    anonymous_error=NO_ANONYMOUS_COPIES,
    can_embed_error=True,
)
def upload_part_copy(call: Call, bucket: BucketRecord, part_query: CopiedPartParameters, source: CopySource) -> Result:
    """Store a part that is copied from an object, or from a range of it."""
    upload, part = part_query.store(call, bucket, part_query.copy_from(call, source.version))
    return Result(
        service_headers=encryption_headers(upload.new.encryption) | copy_source_headers(call, source.version),
        document=CopyPartResult(last_modified=part.last_modified, etag=part.etag, **checksum_values(part.checksum)),
    )


# -- the end


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


def _parse_checksums(call: Call) -> list[tuple[ChecksumAlgorithm, str]]:
    headers = call.service_headers
    return [(algorithm, headers[name]) for name, algorithm in VALUE_HEADERS.items() if name in headers]


def _parse_object_size(sent: RawValue) -> int:
    size = parse_integer(sent.text.removeprefix("-"))
    if size is None or sent.text.startswith("-"):
        problem = "invalid" if size is None else "less than zero"
        raise INVALID_REQUEST.error(
            f"Value for {sent.name} header is {problem}: '{sent.text}'",
            explanation=f"{sent.name} is {sent.text!r}; send the number of bytes of the object",
        )
    return size


class CompleteParameters(UploadQuery):
    """The query and the headers of a request to complete an upload, with the size and the checksums of the object."""

    size: int | None = header("mp-object-size", _parse_object_size)
    checksum_type: ChecksumType | None = header("checksum-type", CHECKSUM_TYPE)
    checksums: list[tuple[ChecksumAlgorithm, str]] = value(_parse_checksums, headers=tuple(VALUE_HEADERS))
    customer_key: SentKey | None = customer_key_headers()

    def check_state(self, call: Call, bucket: BucketRecord) -> None:
        """Check that the upload exists, and that the request has its checksum type and its customer key."""
        upload = bucket.uploads.find(call.key, self.upload_id)
        if upload is None or bucket.uploads.completed_parts(call.key, self.upload_id) is None:
            upload = self.upload(call, bucket)
        if self.customer_key is not None:
            check_part_encryption(call, self.customer_key, upload.new.encryption)
        mode, checksum_type = upload.checksum_mode, self.checksum_type
        if checksum_type is not None and (mode is None or checksum_type is not mode.type):
            raise INVALID_REQUEST.error(
                f"The upload was created using the {'null' if mode is None else mode.type} checksum mode. The complete"
                " request must use the same checksum mode."
            )

    def check_object(self, call: Call, upload: MultipartUpload, new: NewObject) -> None:
        """Check the size and the checksums of the object. [checksum-of-an-upload]"""
        size, mode, computed = len(new.content), upload.checksum_mode, new.checksum
        if self.size not in (None, size):
            header = call.dialect.header("mp-object-size")
            raise INVALID_REQUEST.error(
                f"The provided '{header}' header value {self.size} does not match what was computed: {size}"
            )
        if mode is None or computed is None or not self.checksums:
            return
        needs_type = mode.type is ChecksumType.FULL_OBJECT
        if (needs_type and self.checksum_type is None) or self.checksums != [(mode.algorithm, computed.value)]:
            more = f", and its type {mode.type} must be sent, too" if needs_type else ""
            raise BAD_DIGEST.error(
                f"The {mode.algorithm.lower()} you specified did not match the calculated checksum.",
                explanation=f"the {mode.algorithm} of the object is {computed.value}{more}",
            )


class CompleteConditions(WriteConditions):
    """The conditions of a request to complete an upload.

    They conflict if the key was written or deleted since the upload began. [conditional-complete]
    """

    upload_id: str = query("uploadId")

    def check_state(self, call: Call, bucket: BucketRecord) -> None:
        """Check the conditions on the object that the upload would replace.

        They do not apply to a repeated request, which has made the object itself. [completing-twice]
        """
        key = call.key
        if not self.has_condition or bucket.uploads.completed_parts(key, self.upload_id) is not None:
            return
        super().check_state(call, bucket)
        if bucket.uploads.get(key, self.upload_id).key_was_written:
            header = "If-Match" if self.none_match is None else "If-None-Match"
            raise CONDITIONAL_REQUEST_CONFLICT.error(
                explanation=f"{header} holds, but the key {key!r} was written or deleted after the upload began;"
                " begin a new upload",
                Condition=header,
                Key=key,
            )


@operation(
    "Complete Multipart Upload",
    Route("POST", "object", query=frozenset({"uploadId"})),
    api_name="CompleteMultipartUpload",
    access=Access("s3:PutObject", BUCKET_WRITE),
    preconditions=CompleteConditions,
    can_embed_error=True,
)
def complete_multipart_upload(
    call: Call, bucket: BucketRecord, headers: CompleteParameters, document: CompleteMultipartUpload | None
) -> Result:
    """Store the object from the named parts. A repeated request stores nothing. [completing-twice]"""
    named = () if document is None else document.parts
    is_repeated = bucket.uploads.completed_parts(call.key, headers.upload_id) == named
    repeated = bucket.latest_entry(call.key) if is_repeated else None
    if isinstance(repeated, ObjectVersion):
        version = repeated
    else:
        upload = headers.upload(call, bucket)
        new = upload.complete(named, call.limits)
        headers.check_object(call, upload, new)
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
        changes=() if version is repeated else (Change("ObjectCreated:CompleteMultipartUpload", version),),
    )


@operation(
    "Abort Multipart Upload",
    Route("DELETE", "object", query=frozenset({"uploadId"})),
    api_name="AbortMultipartUpload",
    access=Access("s3:AbortMultipartUpload", UPLOAD_INITIATOR),
)
def abort_multipart_upload(call: Call, bucket: BucketRecord, query: UploadQuery) -> Result:
    """End an upload and drop its parts. If the upload ended before, nothing happens. [completing-twice]"""
    upload = bucket.uploads.find(call.key, query.upload_id)
    bucket.uploads.end(query.upload(call, bucket) if upload is None else upload)
    return NO_CONTENT


OPERATIONS = (
    initiate_multipart_upload,
    upload_part,
    upload_part_copy,
    complete_multipart_upload,
    abort_multipart_upload,
)
