"""The parts of a multipart upload: uploaded, or copied from an object."""

from __future__ import annotations

import re
from datetime import datetime

from fakestore.errors import INVALID_REQUEST, invalid_argument
from fakestore.messages import counted
from fakestore.model.bucket import BucketRecord
from fakestore.model.checksums import (
    ChecksumType,
    ChecksumValues,
    checksum_values,
    compute_checksum,
)
from fakestore.model.content import entity_tag
from fakestore.model.multipart_upload import MultipartUpload, Part
from fakestore.model.object_version import ObjectVersion
from fakestore.model.semantics import MOST_PARTS
from fakestore.operations.copy_source import CopiedVersion, CopySource, check_copy_size, copy_source_headers
from fakestore.operations.encryption import (
    CUSTOMER_KEY_HEADERS,
    SentKey,
    check_is_not_blocked,
    check_kms_key,
    check_part_encryption,
    encryption_headers,
    read_key,
)
from fakestore.operations.framework.access import BUCKET_WRITE, Access
from fakestore.operations.framework.body import PART, ReceivedBody
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.checksums import AnnouncedChecksum
from fakestore.operations.framework.fields import Sent, header, headers, integer, query
from fakestore.operations.framework.result import Result
from fakestore.operations.framework.row import operation
from fakestore.operations.multipart.upload import UploadFields
from fakestore.protocol.routing import Route
from fakestore.xml.declarations import child, document

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

_RANGE = re.compile(r"bytes=([0-9]{1,18})-([0-9]{1,18})", re.ASCII)


class PartFields(UploadFields):
    """The query and the customer key of every request for a part."""

    number: int = query("partNumber", PART_NUMBER)
    customer_key: SentKey | None = headers(read_key, *CUSTOMER_KEY_HEADERS)

    def make_part(self, upload: MultipartUpload, body: ReceivedBody, now: datetime) -> Part:
        """Return the new part of `upload`. It has a checksum if the upload has an algorithm."""
        mode, checksum = upload.checksum_mode, body.checksum
        if mode is None:
            checksum = None
        elif checksum is None:
            checksum = compute_checksum(mode.algorithm, body.content)
        return Part(
            number=self.number,
            content=body.content,
            digest=body.digest,
            last_modified=now.replace(microsecond=0),
            checksum=checksum,
        )


class PartParameters(PartFields):
    """The query and the headers of a request that uploads a part."""


def _find_upload(call: Call, bucket: BucketRecord, parameters: PartFields) -> MultipartUpload:
    """Return the upload of a part. Check that the part has the encryption of the upload."""
    upload = parameters.upload(call, bucket)
    encryption = upload.new.encryption
    check_part_encryption(call, parameters.customer_key, encryption)
    check_is_not_blocked(bucket, encryption)
    check_kms_key(call, bucket, encryption)
    return upload


def _check_copied_part(call: Call, bucket: BucketRecord, parameters: CopiedPartParameters) -> None:
    _find_upload(call, bucket, parameters)


def _check_uploaded_part(call: Call, bucket: BucketRecord, parameters: PartParameters) -> None:
    """Check that the part has the encryption and the checksum algorithm of its upload. [checksums-of-parts]"""
    upload = _find_upload(call, bucket, parameters)
    mode, announced = upload.checksum_mode, AnnouncedChecksum.parse(call)
    if mode is None or (announced is None and mode.type is ChecksumType.FULL_OBJECT):
        return
    if announced is None or announced.algorithm is not mode.algorithm:
        actual = "null" if announced is None else announced.algorithm.lower()
        raise INVALID_REQUEST.error(
            f"Checksum Type mismatch occurred, expected checksum Type: {mode.algorithm.lower()}, actual checksum Type:"
            f" {actual}",
            explanation=f"the upload was begun with {mode.algorithm}; send the {mode.algorithm} of every part",
        )


@operation(
    "Upload Part",
    Route("PUT", "object", query=_PART),
    api_name="UploadPart",
    access=Access("s3:PutObject", BUCKET_WRITE),
    parameters=PartParameters,
    body=PART,
    check=_check_uploaded_part,
)
def upload_part(call: Call, bucket: BucketRecord, parameters: PartParameters, body: ReceivedBody) -> Result:
    """Store a part. It replaces the part with the same number."""
    upload = parameters.upload(call, bucket)
    part = parameters.make_part(upload, body, call.now)
    bucket.uploads.add(upload.with_part(part))
    # The sent checksum is returned even if the upload has no algorithm.
    checksum = part.checksum or body.checksum
    return Result(
        headers={"ETag": part.etag},
        service_headers=encryption_headers(upload.new.encryption)
        | ({} if checksum is None else {f"checksum-{checksum.algorithm.lower()}": checksum.value}),
    )


def _parse_range(sent: Sent) -> range:
    match = _RANGE.fullmatch(sent.text)
    if match is None or int(match[1]) > int(match[2]):
        raise invalid_argument(
            sent.name,
            sent.text,
            f"The {sent.name} value must be of the form bytes=first-last where first and last are the zero-based"
            " offsets of the first and last bytes to copy",
        )
    return range(int(match[1]), int(match[2]) + 1)  # rule: copied-range


class CopiedPartParameters(PartFields):
    """The query and the headers of a request that copies a part.

    Args:
        selected: The bytes of the source to copy; None for all.
    """

    selected: range | None = header("copy-source-range", _parse_range)

    def copy_from(self, call: Call, source: ObjectVersion) -> ReceivedBody:
        """Return the copied content. The source shares it, except a piece of ``bytes``."""
        if self.selected is None:
            return ReceivedBody(source.content, source.content_digest or entity_tag(source.content))
        _check_range(call, self.selected, source.size)
        content = source.content[self.selected.start : self.selected.stop]
        return ReceivedBody(content, entity_tag(content))


def _check_range(call: Call, selected: range, size: int) -> None:
    if selected.start >= size:
        raise INVALID_REQUEST.error(
            "The specified copy range is invalid for the source object size",
            explanation=f"the range begins at {selected.start:,}, but the source has {counted(size, 'byte')}",
        )
    if selected.stop > size:  # rule: range-ends-in-source
        raise invalid_argument(
            call.dialect.header("copy-source-range"),
            call.service_headers["copy-source-range"],
            f"Range specified is not valid for source object of size: {size}",
        )
    check_copy_size(call, len(selected))


@operation(
    "Upload Part Copy",
    Route("PUT", "object", query=_PART, header="copy-source"),
    api_name="UploadPartCopy",
    access=Access("s3:PutObject", BUCKET_WRITE),
    parameters=CopiedPartParameters,
    source=CopySource,
    check=_check_copied_part,
    can_embed_error=True,
)
def upload_part_copy(
    call: Call, bucket: BucketRecord, parameters: CopiedPartParameters, source: CopiedVersion
) -> Result:
    """Store a part that is copied from an object, or from a range of it."""
    upload = parameters.upload(call, bucket)
    part = parameters.make_part(upload, parameters.copy_from(call, source.version), call.now)
    bucket.uploads.add(upload.with_part(part))
    return Result(
        service_headers=encryption_headers(upload.new.encryption) | copy_source_headers(call, source.version),
        document=CopyPartResult(last_modified=part.last_modified, etag=part.etag, **checksum_values(part.checksum)),
    )
