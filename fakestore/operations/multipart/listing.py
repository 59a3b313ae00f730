"""The listings of multipart upload: the parts of an upload, and the unfinished uploads of a bucket."""

from __future__ import annotations

from typing import ClassVar

from fakestore.documents.checksums import checksum_mode_elements, checksum_values
from fakestore.documents.multipart_upload import (
    ListMultipartUploadsResult,
    ListPartsResult,
    PartElement,
    UploadElement,
)
from fakestore.documents.owner import Owner
from fakestore.model import listing
from fakestore.model.bucket import BucketRecord
from fakestore.model.multipart_upload import MultipartUpload, Part
from fakestore.operations.core.authorization import BUCKET_READ, UPLOAD_INITIATOR, Access
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.encryption import CUSTOMER_KEY_HEADERS, check_sent_key
from fakestore.operations.core.registry import operation
from fakestore.operations.core.result import Result
from fakestore.operations.multipart.upload import UploadParameters, abort_headers
from fakestore.operations.shared.listing import ListingQuery, parse_count, parse_page_size
from fakestore.protocol.routing import Route


@operation(
    "List Parts",
    Route("GET", "object", query=frozenset({"uploadId"})),
    access=Access("s3:ListMultipartUploadParts", UPLOAD_INITIATOR),
    parameters=UploadParameters,
    query=("max-parts", "part-number-marker"),
    service_headers=CUSTOMER_KEY_HEADERS,
)
def list_parts(context: RequestContext, bucket: BucketRecord, parameters: UploadParameters) -> Result:
    """Return a page of the parts of an upload."""
    upload = parameters.upload(context, bucket)
    check_sent_key(context, upload.new.encryption)
    size, marker = parse_page_size(context, "max-parts"), parse_count(context, "part-number-marker", 0)
    parts = upload.parts_after(marker, size + 1)
    page = parts[:size]
    return Result(
        service_headers=abort_headers(bucket, upload),
        document=ListPartsResult(
            bucket=bucket.name,
            key=upload.key,
            upload_id=upload.upload_id,
            part_number_marker=marker,
            next_part_number_marker=page[-1].number if page else 0,
            max_parts=size,
            is_truncated=0 < size < len(parts),
            parts=tuple(map(_part_element, page)),
            initiator=Owner.from_account(upload.initiator),
            owner=Owner.from_account(upload.initiator, shows_name=context.semantics.shows_display_names),
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

    query: ClassVar[tuple[str, ...]] = (
        "prefix",
        "delimiter",
        "max-uploads",
        "encoding-type",
        "key-marker",
        "upload-id-marker",
    )
    service_headers: ClassVar[tuple[str, ...]] = ()
    size_parameter: ClassVar[str] = "max-uploads"

    def uploads(self, page: listing.Page[MultipartUpload]) -> tuple[UploadElement, ...]:
        """Return the uploads of the page as the document shows them."""
        return tuple(
            UploadElement(
                key=self.encode(upload.key),
                upload_id=upload.upload_id,
                initiator=Owner.from_account(upload.initiator),
                owner=Owner.from_account(upload.initiator, shows_name=self.shows_names),
                storage_class=upload.new.storage_class,
                initiated=upload.initiated,
                **checksum_mode_elements(upload.checksum_mode),
            )
            for upload in page.items
        )


@operation(
    "List Multipart Uploads",
    Route("GET", "bucket", "uploads"),
    access=Access("s3:ListBucketMultipartUploads", BUCKET_READ),
    parameters=UploadListingQuery,
)
def list_multipart_uploads(context: RequestContext, bucket: BucketRecord, query: UploadListingQuery) -> Result:
    """Return a page of the unfinished uploads of a bucket."""
    key_marker = context.query.get("key-marker", "")
    # Without key-marker, the public service ignores upload-id-marker. [upload-markers]
    upload_marker = context.query.get("upload-id-marker", "") if key_marker else ""
    page = listing.page_of_uploads(bucket, query.select(key_marker), upload_marker or None)
    last = page.last if isinstance(page.last, MultipartUpload) else None
    return Result(
        document=ListMultipartUploadsResult(
            bucket=bucket.name,
            key_marker=query.encode(key_marker),
            upload_id_marker=upload_marker,
            next_key_marker="" if last is None else query.encode(last.key),
            next_upload_id_marker="" if last is None else last.upload_id,
            prefix=query.encode(query.prefix) or None,
            delimiter=query.shown_delimiter,
            max_uploads=query.page_size,
            encoding_type=query.encoding,
            is_truncated=page.truncated,
            uploads=query.uploads(page),
            common_prefixes=query.common_prefixes(page),
        )
    )
