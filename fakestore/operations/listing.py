"""The listings of a bucket: objects (version 1 and 2), versions, unfinished uploads, and the parts of an upload.

If a request has an ``encoding-type``, keys, prefixes and delimiters are encoded before they are put into a document.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, NoReturn
from urllib.parse import quote_plus

from fakestore.errors import ErrorResponse, UnsupportedRequest, invalid_argument
from fakestore.model import listing
from fakestore.model.accounts import ANONYMOUS, Owner
from fakestore.model.bucket import BucketRecord
from fakestore.model.checksums import ChecksumModeElements, ChecksumValues, checksum_mode_elements, checksum_values
from fakestore.model.multipart_upload import MultipartUpload
from fakestore.model.object_version import Entry, ObjectVersion
from fakestore.operations.encryption import SentKey, check_part_encryption, customer_key_headers
from fakestore.operations.framework.access import BUCKET_READ, LIST_BUCKET, Access
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.inputs import Parameters, Parser, RawValue, header, query, unread
from fakestore.operations.framework.operation import operation
from fakestore.operations.framework.page_token import make_token, parse_token
from fakestore.operations.framework.result import Result
from fakestore.operations.lifecycle import abort_headers
from fakestore.operations.multipart_upload import UPLOAD_INITIATOR, UploadQuery
from fakestore.operations.regions import region_headers
from fakestore.operations.restore import current_restoration
from fakestore.protocol.routing import Route
from fakestore.xml.declarations import child, children, document, element


@element()
class CommonPrefix:
    prefix: str = child("Prefix")


#: A page never has more entries than this.
_MAX_PAGE_SIZE = 1000

#: The sizes of a page that are accepted, for a message.
_COUNTS = "a whole number from 0 to 2,147,483,647"


def _parse_encoding(sent: RawValue) -> str:
    if sent.text != "url":
        raise _invalid_query("Invalid Encoding Method specified in Request", sent, "url")
    return sent.text


class ListingQuery(Parameters):
    """The query of every listing.

    Args:
        encoding: ``"url"`` if keys are percent-encoded in the document.
        page_size: The maximum number of entries of the page. Each listing has a parameter of its own.
    """

    encoding: str | None = query("encoding-type", _parse_encoding)
    prefix: str = query("prefix", default="")
    delimiter: str = query("delimiter", default="")
    page_size: int = _MAX_PAGE_SIZE

    def encode(self, text: str) -> str:
        """Return a key, prefix or delimiter as the document shows it. [encoding-type]"""
        return quote_plus(text, safe="/-_.*") if self.encoding else text

    def select(self, after: str) -> listing.Selection:
        """Return the selection of the page that continues after a marker."""
        return listing.Selection(self.prefix, self.delimiter, after, self.page_size)

    def shown(self, page: listing.Page[listing.Item]) -> dict[str, Any]:
        """Return the fields that the documents of all listings have in common."""
        return {
            "delimiter": self.encode(self.delimiter) or None,
            "encoding_type": self.encoding,
            "is_truncated": page.truncated,
            "common_prefixes": tuple(CommonPrefix(prefix=self.encode(each)) for each in page.common_prefixes),
        }


def _count(default: int) -> Parser[int]:
    """Return the parser of an integer from 0 to 2147483647. An empty text means the default."""

    def parse(sent: RawValue) -> int:
        if not sent.text:
            return default
        digits = sent.text.removeprefix("-")
        if not (digits.isascii() and digits.isdigit()) or len(digits) > 10 or int(digits) > 2**31 - 1:
            raise _invalid_query(f"Provided {sent.name} not an integer or within integer range", sent, _COUNTS)
        if sent.text != digits:
            first, *others = sent.name.split("-")
            name = first + "".join(map(str.capitalize, others))  # the public service calls it `maxKeys` here
            message = f"Argument {name} must be an integer between 0 and 2147483647"
            raise _invalid_query(message, sent._replace(name=name), _COUNTS)
        return int(digits)

    return parse


def _parse_page_size(sent: RawValue) -> int:
    """Return the size of the page, at most 1,000."""
    return min(_count(_MAX_PAGE_SIZE)(sent), _MAX_PAGE_SIZE)


def _invalid_query(message: str, sent: RawValue, expected: str) -> ErrorResponse:
    return invalid_argument(
        sent.name, sent.text, message, explanation=f"{sent.name} is {sent.text!r}; expected {expected}"
    )


@element()
class RestoreStatus:
    """The temporary copy of an archived object; ``expiry_date`` is absent until the copy can be read."""

    is_in_progress: bool = child("IsRestoreInProgress")
    expiry_date: datetime | None = child("RestoreExpiryDate", default=None)


@element()
class ObjectEntry:
    """An object of a bucket; ``etag`` has its quotes."""

    key: str = child("Key")
    last_modified: datetime = child("LastModified")
    etag: str = child("ETag")
    checksum_algorithm: str | None = child("ChecksumAlgorithm", default=None)
    checksum_type: str | None = child("ChecksumType", default=None)
    size: int = child("Size")
    storage_class: str = child("StorageClass")
    owner: Owner | None = child("Owner", default=None)
    restore_status: RestoreStatus | None = child("RestoreStatus", default=None)


@document("ListBucketResult")
class ListBucketResult:
    """A page of objects, as GET Bucket answers it. ``next_marker`` is only sent with a delimiter."""

    name: str = child("Name")
    marker: str = child("Marker")
    prefix: str = child("Prefix")
    max_keys: int = child("MaxKeys")
    delimiter: str | None = child("Delimiter", default=None)
    encoding_type: str | None = child("EncodingType", default=None)
    is_truncated: bool = child("IsTruncated")
    next_marker: str | None = child("NextMarker", default=None)
    contents: tuple[ObjectEntry, ...] = children("Contents")
    common_prefixes: tuple[CommonPrefix, ...] = children("CommonPrefixes")


@document("ListBucketResult")
class ListBucketResultV2:
    """A page of objects, as GET Bucket version 2 answers it."""

    name: str = child("Name")
    prefix: str = child("Prefix")
    max_keys: int = child("MaxKeys")
    delimiter: str | None = child("Delimiter", default=None)
    encoding_type: str | None = child("EncodingType", default=None)
    key_count: int = child("KeyCount")
    is_truncated: bool = child("IsTruncated")
    continuation_token: str | None = child("ContinuationToken", default=None)
    start_after: str | None = child("StartAfter", default=None)
    next_continuation_token: str | None = child("NextContinuationToken", default=None)
    contents: tuple[ObjectEntry, ...] = children("Contents")
    common_prefixes: tuple[CommonPrefix, ...] = children("CommonPrefixes")


@element()
class VersionEntry:
    """An object version of a bucket; ``etag`` has its quotes."""

    key: str = child("Key")
    version_id: str = child("VersionId")
    is_latest: bool = child("IsLatest")
    last_modified: datetime = child("LastModified")
    etag: str = child("ETag")
    checksum_algorithm: str | None = child("ChecksumAlgorithm", default=None)
    checksum_type: str | None = child("ChecksumType", default=None)
    size: int = child("Size")
    storage_class: str = child("StorageClass")
    owner: Owner = child("Owner")
    restore_status: RestoreStatus | None = child("RestoreStatus", default=None)


@element()
class DeleteMarkerEntry:
    key: str = child("Key")
    version_id: str = child("VersionId")
    is_latest: bool = child("IsLatest")
    last_modified: datetime = child("LastModified")
    owner: Owner = child("Owner")


@document("ListVersionsResult")
class ListVersionsResult:
    """A page of versions and delete markers, as GET Bucket Object versions answers it."""

    name: str = child("Name")
    key_marker: str = child("KeyMarker")
    version_id_marker: str = child("VersionIdMarker")
    prefix: str = child("Prefix")
    max_keys: int = child("MaxKeys")
    delimiter: str | None = child("Delimiter", default=None)
    encoding_type: str | None = child("EncodingType", default=None)
    is_truncated: bool = child("IsTruncated")
    next_key_marker: str | None = child("NextKeyMarker", default=None)
    next_version_id_marker: str | None = child("NextVersionIdMarker", default=None)
    entries: tuple[VersionEntry | DeleteMarkerEntry, ...] = children("Version", "DeleteMarker")
    common_prefixes: tuple[CommonPrefix, ...] = children("CommonPrefixes")


def _parse_optional_attributes(sent: RawValue) -> bool:
    """Return whether the listing shows which objects are restored. [restore-status]"""
    if sent.text.strip() != "RestoreStatus":
        raise UnsupportedRequest(f"{sent.name} is {sent.text!r}, which is not supported; supported: RestoreStatus")
    return True


class ObjectListingQuery(ListingQuery):
    """The query and the header of every listing of objects or versions."""

    page_size: int = query("max-keys", _parse_page_size, default=_MAX_PAGE_SIZE)
    shows_restorations: bool = header("optional-object-attributes", _parse_optional_attributes, default=False)


#: How the service spells the parameters of the second version that the first version refuses.
_OF_VERSION_2 = {"start-after": "startAfter"}


def _refuse_in_version_1(sent: RawValue) -> NoReturn:
    """Refuse a parameter of the second version of the listing. [parameters-of-the-second-listing]"""
    raise invalid_argument(
        sent.name,
        sent.text,
        f"{_OF_VERSION_2.get(sent.name, sent.name)} only supported in REST.GET.BUCKET with list-type=2",
        explanation=f"{sent.name} belongs to the second version of the listing; send list-type=2, too",
    )


class ObjectsQuery(ObjectListingQuery):
    marker: str = query("marker", default="")
    start_after: None = query("start-after", _refuse_in_version_1)
    token: None = query("continuation-token", _refuse_in_version_1)
    fetch_owner: None = query("fetch-owner", _refuse_in_version_1)
    #: Only ``2`` selects another version of the listing. [values-of-subresources]
    list_type: str | None = query("list-type")


@operation(
    "GET Bucket",
    Route("GET", "bucket"),
    api_name="ListObjects",
    access=LIST_BUCKET,
)
def get_bucket(call: Call, bucket: BucketRecord, parameters: ObjectsQuery) -> Result:
    page = listing.page_of_objects(bucket, parameters.select(parameters.marker))
    with_owner = call.requester is not ANONYMOUS
    return Result(
        service_headers=region_headers(call, bucket),
        document=ListBucketResult(
            name=bucket.name,
            marker=parameters.encode(parameters.marker),
            prefix=parameters.encode(parameters.prefix),
            max_keys=parameters.page_size,
            # It is only sent with a delimiter; without one, clients use the last key. [next-marker]
            next_marker=parameters.encode(page.last_key) if page.truncated and parameters.delimiter else None,
            contents=tuple(
                ObjectEntry(**_stored(call, bucket, parameters, each, with_owner=with_owner)) for each in page.items
            ),
            **parameters.shown(page),
        ),
        truncated_after=page.truncated_after,
    )


def _parse_fetch_owner(sent: RawValue) -> bool:
    if sent.text not in ("true", "false"):
        raise _invalid_query("fetch-owner is true or false", sent, "true or false")
    return sent.text == "true"


class ObjectsQuery2(ObjectListingQuery):
    with_owner: bool = query("fetch-owner", _parse_fetch_owner, default=False)
    token: str | None = query("continuation-token")
    start_after: str | None = query("start-after")


@operation(
    "GET Bucket version 2",
    Route("GET", "bucket", query=frozenset({"list-type"}), value="2"),
    api_name="ListObjectsV2",
    access=LIST_BUCKET,
)
def get_bucket_version_2(call: Call, bucket: BucketRecord, parameters: ObjectsQuery2) -> Result:
    token, start_after = parameters.token, parameters.start_after
    after = (start_after or "") if token is None else parse_token(bucket, token)
    page = listing.page_of_objects(bucket, parameters.select(after))
    return Result(
        service_headers=region_headers(call, bucket),
        document=ListBucketResultV2(
            name=bucket.name,
            prefix=parameters.encode(parameters.prefix),
            max_keys=parameters.page_size,
            key_count=len(page.items) + len(page.common_prefixes),
            continuation_token=token,
            start_after=parameters.encode(start_after) if token is None and start_after is not None else None,
            next_continuation_token=make_token(bucket, page.last_key) if page.truncated else None,
            contents=tuple(
                ObjectEntry(**_stored(call, bucket, parameters, each, with_owner=parameters.with_owner))
                for each in page.items
            ),
            **parameters.shown(page),
        ),
        truncated_after=page.truncated_after,
    )


def _parse_version_marker(sent: RawValue) -> str:
    """Return the marker, which is not empty and comes with a key marker. [empty-version-marker]"""
    if not sent.call.query.get("key-marker"):
        message = "A version-id marker cannot be specified without a key marker."
        raise _invalid_query(message, sent, "a key-marker, too")
    if not sent.text:
        raise _invalid_query("A version-id marker cannot be empty.", sent, "a version id")
    return sent.text


class VersionsQuery(ObjectListingQuery):
    key_marker: str = query("key-marker", default="")
    version_marker: str | None = query("version-id-marker", _parse_version_marker)


@operation(
    "GET Bucket Object versions",
    Route("GET", "bucket", "versions"),
    api_name="ListObjectVersions",
    access=Access("s3:ListBucketVersions", BUCKET_READ),
)
def get_bucket_object_versions(call: Call, bucket: BucketRecord, parameters: VersionsQuery) -> Result:
    if parameters.version_marker is not None:
        bucket.check_version_id(parameters.version_marker)
    page = listing.page_of_versions(bucket, parameters.select(parameters.key_marker), parameters.version_marker)
    last = page.last if page.truncated else None
    return Result(
        document=ListVersionsResult(
            name=bucket.name,
            key_marker=parameters.encode(parameters.key_marker),
            version_id_marker=parameters.version_marker or "",
            prefix=parameters.encode(parameters.prefix),
            max_keys=parameters.page_size,
            next_key_marker=None if last is None else parameters.encode(page.last_key),
            next_version_id_marker=last.entry.version_id if isinstance(last, listing.ListedEntry) else None,
            entries=tuple(_version_entry(call, bucket, parameters, each) for each in page.items),
            **parameters.shown(page),
        ),
        truncated_after=page.truncated_after,
    )


def _version_entry(
    call: Call, bucket: BucketRecord, query: VersionsQuery, listed: listing.ListedEntry
) -> VersionEntry | DeleteMarkerEntry:
    entry = listed.entry
    if isinstance(entry, ObjectVersion):
        stored = _stored(call, bucket, query, entry, with_owner=True)
        return VersionEntry(version_id=entry.version_id, is_latest=listed.latest, **stored)
    return DeleteMarkerEntry(
        key=query.encode(entry.key),
        version_id=entry.version_id,
        is_latest=listed.latest,
        last_modified=entry.last_modified,
        owner=_owner(call, bucket, entry),
    )


def _stored(
    call: Call, bucket: BucketRecord, query: ObjectListingQuery, version: ObjectVersion, *, with_owner: bool
) -> dict[str, Any]:
    """Return the fields that the entries of objects and of versions have in common."""
    return {
        "key": query.encode(version.key),
        "last_modified": version.last_modified,
        "etag": version.etag,
        "size": version.size,
        "storage_class": version.storage_class,
        "owner": _owner(call, bucket, version) if with_owner else None,
        "restore_status": _restore_status(version, call.now) if query.shows_restorations else None,
        **checksum_mode_elements(version.checksum),
    }


def _restore_status(version: ObjectVersion, now: datetime) -> RestoreStatus | None:
    restoration = current_restoration(version, now)
    if restoration is None:
        return None
    if now < restoration.ready:
        return RestoreStatus(is_in_progress=True)
    return RestoreStatus(is_in_progress=False, expiry_date=restoration.expires)


def _owner(call: Call, bucket: BucketRecord, entry: Entry) -> Owner:
    return Owner.of(bucket.current_owner(entry), shows_name=call.semantics.shows_display_names)


@element()
class UploadElement(ChecksumModeElements):
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


class UploadListingQuery(ListingQuery):
    page_size: int = query("max-uploads", _parse_page_size, default=_MAX_PAGE_SIZE)
    key_marker: str = query("key-marker", default="")
    #: Without key-marker, the public service ignores it. [upload-markers]
    upload_id_marker: str = query("upload-id-marker", default="")


@operation(
    "List Multipart Uploads",
    Route("GET", "bucket", "uploads"),
    api_name="ListMultipartUploads",
    access=Access("s3:ListBucketMultipartUploads", BUCKET_READ),
)
def list_multipart_uploads(call: Call, bucket: BucketRecord, parameters: UploadListingQuery) -> Result:
    upload_marker = parameters.upload_id_marker if parameters.key_marker else ""
    page = listing.page_of_uploads(bucket, parameters.select(parameters.key_marker), upload_marker or None)
    last = page.last if isinstance(page.last, MultipartUpload) else None
    return Result(
        document=ListMultipartUploadsResult(
            bucket=bucket.name,
            key_marker=parameters.encode(parameters.key_marker),
            upload_id_marker=upload_marker,
            next_key_marker="" if last is None else parameters.encode(last.key),
            next_upload_id_marker="" if last is None else last.upload_id,
            prefix=parameters.encode(parameters.prefix) or None,
            max_uploads=parameters.page_size,
            uploads=tuple(
                UploadElement(
                    key=parameters.encode(upload.key),
                    initiated=upload.initiated,
                    **_upload_elements(call, bucket, upload),
                )
                for upload in page.items
            ),
            **parameters.shown(page),
        ),
        truncated_after=page.truncated_after,
    )


def _upload_elements(call: Call, bucket: BucketRecord, upload: MultipartUpload) -> dict[str, Any]:
    """Return the fields that the listings of uploads and of parts have in common."""
    return {
        "upload_id": upload.upload_id,
        "initiator": Owner.of(upload.initiator),
        "owner": Owner.of(bucket.shown_owner(upload), shows_name=call.semantics.shows_display_names),
        "storage_class": upload.new.storage_class,
        **checksum_mode_elements(upload.checksum_mode),
    }


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


class PartsQuery(UploadQuery):
    """The query and the customer key of the listing of parts. Its numbers are read after the upload was found."""

    max_parts: RawValue | None = query("max-parts", unread)
    part_number_marker: RawValue | None = query("part-number-marker", unread)
    customer_key: SentKey | None = customer_key_headers()


@operation(
    "List Parts",
    Route("GET", "object", query=frozenset({"uploadId"})),
    api_name="ListParts",
    access=Access("s3:ListMultipartUploadParts", UPLOAD_INITIATOR),
)
def list_parts(call: Call, bucket: BucketRecord, parameters: PartsQuery) -> Result:
    upload = parameters.upload(call, bucket)
    if parameters.customer_key is not None:
        check_part_encryption(call, parameters.customer_key, upload.new.encryption)
    size = _MAX_PAGE_SIZE if parameters.max_parts is None else _parse_page_size(parameters.max_parts)
    marker = 0 if parameters.part_number_marker is None else _count(0)(parameters.part_number_marker)
    parts = upload.parts_after(marker, size + 1)
    page = parts[:size]
    is_truncated = 0 < size < len(parts)
    return Result(
        service_headers=abort_headers(bucket, upload, call.semantics),
        document=ListPartsResult(
            bucket=bucket.name,
            key=upload.key,
            part_number_marker=marker,
            next_part_number_marker=page[-1].number if page else 0,
            max_parts=size,
            is_truncated=is_truncated,
            parts=tuple(
                PartElement(
                    part_number=part.number,
                    last_modified=part.last_modified,
                    etag=part.etag,
                    size=part.size,
                    **checksum_values(part.checksum),
                )
                for part in page
            ),
            **_upload_elements(call, bucket, upload),
        ),
        truncated_after=size if is_truncated else None,
    )


OPERATIONS = (get_bucket, get_bucket_version_2, get_bucket_object_versions, list_multipart_uploads, list_parts)
