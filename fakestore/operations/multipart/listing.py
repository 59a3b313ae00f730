"""The listings of multipart upload: the parts of an upload, and the unfinished uploads of a bucket."""

from __future__ import annotations

from datetime import datetime

from fakestore.model import listing
from fakestore.model.accounts import Owner
from fakestore.model.bucket import BucketRecord
from fakestore.model.checksums import (
    ChecksumModeElements,
    ChecksumValues,
    checksum_mode_elements,
    checksum_values,
)
from fakestore.model.multipart_upload import MultipartUpload, Part
from fakestore.operations.encryption import CUSTOMER_KEY_HEADERS, SentKey, check_part_encryption, read_key
from fakestore.operations.framework.access import BUCKET_READ, Access
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.fields import Sent, headers, query, unread
from fakestore.operations.framework.result import Result
from fakestore.operations.framework.row import operation
from fakestore.operations.listing import MAX_PAGE_SIZE, CommonPrefix, ListingQuery, count, parse_page_size
from fakestore.operations.multipart.upload import UPLOAD_INITIATOR, UploadFields, abort_headers
from fakestore.protocol.routing import Route
from fakestore.xml.declarations import child, children, document, element


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


class PartsQuery(UploadFields):
    """The query and the customer key of the listing of parts. Its numbers are read after the upload was found."""

    max_parts: Sent | None = query("max-parts", unread)
    part_number_marker: Sent | None = query("part-number-marker", unread)
    customer_key: SentKey | None = headers(read_key, *CUSTOMER_KEY_HEADERS)


@operation(
    "List Parts",
    Route("GET", "object", query=frozenset({"uploadId"})),
    api_name="ListParts",
    access=Access("s3:ListMultipartUploadParts", UPLOAD_INITIATOR),
    parameters=PartsQuery,
)
def list_parts(call: Call, bucket: BucketRecord, parameters: PartsQuery) -> Result:
    """Return a page of the parts of an upload."""
    upload = parameters.upload(call, bucket)
    if parameters.customer_key is not None:
        check_part_encryption(call, parameters.customer_key, upload.new.encryption)
    size = MAX_PAGE_SIZE if parameters.max_parts is None else parse_page_size(parameters.max_parts)
    marker = 0 if parameters.part_number_marker is None else count(0)(parameters.part_number_marker)
    parts = upload.parts_after(marker, size + 1)
    page = parts[:size]
    return Result(
        service_headers=abort_headers(bucket, upload, call.semantics),
        document=ListPartsResult(
            bucket=bucket.name,
            key=upload.key,
            upload_id=upload.upload_id,
            part_number_marker=marker,
            next_part_number_marker=page[-1].number if page else 0,
            max_parts=size,
            is_truncated=0 < size < len(parts),
            parts=tuple(map(_part_element, page)),
            initiator=Owner.of(upload.initiator),
            owner=Owner.of(bucket.shown_owner(upload), shows_name=call.semantics.shows_display_names),
            storage_class=upload.new.storage_class,
            **checksum_mode_elements(upload.checksum_mode),
        ),
    )


def _part_element(part: Part) -> PartElement:
    return PartElement(
        part_number=part.number,
        last_modified=part.last_modified,
        etag=part.etag,
        size=part.size,
        **checksum_values(part.checksum),
    )


class UploadListingQuery(ListingQuery):
    """The query of the listing of uploads."""

    page_size: int = query("max-uploads", parse_page_size, default=MAX_PAGE_SIZE)
    key_marker: str = query("key-marker", default="")
    #: Without key-marker, the public service ignores it. [upload-markers]
    upload_id_marker: str = query("upload-id-marker", default="")

    def uploads(self, bucket: BucketRecord, page: listing.Page[MultipartUpload]) -> tuple[UploadElement, ...]:
        """Return the uploads of the page as the document shows them."""
        return tuple(
            UploadElement(
                key=self.encode(upload.key),
                upload_id=upload.upload_id,
                initiator=Owner.of(upload.initiator),
                owner=Owner.of(bucket.shown_owner(upload), shows_name=self.shows_names),
                storage_class=upload.new.storage_class,
                initiated=upload.initiated,
                **checksum_mode_elements(upload.checksum_mode),
            )
            for upload in page.items
        )


@operation(
    "List Multipart Uploads",
    Route("GET", "bucket", "uploads"),
    api_name="ListMultipartUploads",
    access=Access("s3:ListBucketMultipartUploads", BUCKET_READ),  # rule: list-uploads
    parameters=UploadListingQuery,
)
def list_multipart_uploads(call: Call, bucket: BucketRecord, query: UploadListingQuery) -> Result:
    """Return a page of the unfinished uploads of a bucket."""
    upload_marker = query.upload_id_marker if query.key_marker else ""
    page = listing.page_of_uploads(bucket, query.select(query.key_marker), upload_marker or None)
    last = page.last if isinstance(page.last, MultipartUpload) else None
    return Result(
        document=ListMultipartUploadsResult(
            bucket=bucket.name,
            key_marker=query.encode(query.key_marker),
            upload_id_marker=upload_marker,
            next_key_marker="" if last is None else query.encode(last.key),
            next_upload_id_marker="" if last is None else last.upload_id,
            prefix=query.encode(query.prefix) or None,
            delimiter=query.shown_delimiter,
            max_uploads=query.page_size,
            encoding_type=query.encoding,
            is_truncated=page.truncated,
            uploads=query.uploads(bucket, page),
            common_prefixes=query.common_prefixes(page),
        )
    )
