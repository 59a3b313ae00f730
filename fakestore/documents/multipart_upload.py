"""The documents of multipart upload."""

from __future__ import annotations

from datetime import datetime

from fakestore.documents.listing import CommonPrefix
from fakestore.model.accounts import Owner
from fakestore.model.checksums import ChecksumElements, ChecksumModeElements, ChecksumValues
from fakestore.model.limits import MOST_PARTS
from fakestore.model.multipart_upload import CompletedPart
from fakestore.model.shape import child, children, document, element
from fakestore.model.text_types import TextType, integer

#: An entity tag in a request may come with or without its quotes.
_ENTITY_TAG = TextType(lambda text: text.strip().strip('"'))


@document("InitiateMultipartUploadResult")
class InitiateMultipartUploadResult:
    """The id of an upload that began."""

    bucket: str = child("Bucket")
    key: str = child("Key")
    upload_id: str = child("UploadId")


@element()
class CompletedPartElement(ChecksumValues):
    """A part of the object; ``etag`` is without quotes."""

    part_number: int = child("PartNumber", kind=integer(1, MOST_PARTS))
    etag: str = child("ETag", kind=_ENTITY_TAG)


@document("CompleteMultipartUpload")
class CompleteMultipartUpload:
    """The parts that make the object, in their order."""

    parts: tuple[CompletedPartElement, ...] = children("Part", least=1, most=MOST_PARTS)

    @property
    def named_parts(self) -> tuple[CompletedPart, ...]:
        """The numbers, entity tags and checksums of the parts."""
        return tuple(CompletedPart(part.part_number, part.etag, part.checksums) for part in self.parts)


@document("CompleteMultipartUploadResult")
class CompleteMultipartUploadResult(ChecksumElements):
    """The object that was stored; ``etag`` has its quotes."""

    location: str = child("Location")
    bucket: str = child("Bucket")
    key: str = child("Key")
    etag: str = child("ETag")


@document("CopyPartResult")
class CopyPartResult(ChecksumValues):
    """A part that was copied from an object; ``etag`` has its quotes."""

    last_modified: datetime = child("LastModified")
    etag: str = child("ETag")


@element()
class PartElement(ChecksumValues):
    """A part that was uploaded; ``etag`` has its quotes."""

    part_number: int = child("PartNumber")
    last_modified: datetime = child("LastModified")
    etag: str = child("ETag")
    size: int = child("Size")


@document("ListPartsResult")
class ListPartsResult(ChecksumModeElements):
    """A page of the parts of an upload. A marker is 0 if it names no part."""

    bucket: str = child("Bucket")
    key: str = child("Key")
    upload_id: str = child("UploadId")
    part_number_marker: int = child("PartNumberMarker")
    next_part_number_marker: int = child("NextPartNumberMarker")
    max_parts: int = child("MaxParts")
    is_truncated: bool = child("IsTruncated")
    parts: tuple[PartElement, ...] = children("Part")
    initiator: Owner = child("Initiator")
    owner: Owner = child("Owner")
    storage_class: str = child("StorageClass")


@element()
class UploadElement(ChecksumModeElements):
    """An unfinished upload of a bucket."""

    key: str = child("Key")
    upload_id: str = child("UploadId")
    initiator: Owner = child("Initiator")
    owner: Owner = child("Owner")
    storage_class: str = child("StorageClass")
    initiated: datetime = child("Initiated")


@document("ListMultipartUploadsResult")
class ListMultipartUploadsResult:
    """A page of the unfinished uploads of a bucket. The markers are always present, and may be empty."""

    bucket: str = child("Bucket")
    key_marker: str = child("KeyMarker")
    upload_id_marker: str = child("UploadIdMarker")
    next_key_marker: str = child("NextKeyMarker")
    next_upload_id_marker: str = child("NextUploadIdMarker")
    prefix: str | None = child("Prefix", default=None)
    delimiter: str | None = child("Delimiter", default=None)
    max_uploads: int = child("MaxUploads")
    encoding_type: str | None = child("EncodingType", default=None)
    is_truncated: bool = child("IsTruncated")
    uploads: tuple[UploadElement, ...] = children("Upload")
    common_prefixes: tuple[CommonPrefix, ...] = children("CommonPrefixes")
