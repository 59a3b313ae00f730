"""The listings of a bucket: objects (version 1 and 2) and versions. Also the parts that all listings share.

If a request has an ``encoding-type``, keys, prefixes and delimiters are encoded before they are put into a document.
"""

from __future__ import annotations

from datetime import datetime
from urllib.parse import quote_plus

from fakestore.errors import ErrorResponse, UnsupportedRequest, invalid_argument
from fakestore.model import listing
from fakestore.model.accounts import ANONYMOUS, Owner
from fakestore.model.bucket import BucketRecord
from fakestore.model.checksums import checksum_mode_elements
from fakestore.model.object_version import Entry, ObjectVersion, VersionId
from fakestore.operations.framework.access import BUCKET_READ, LIST_BUCKET, Access
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.fields import Kind, Sent, header, query, unread, value
from fakestore.operations.framework.page_token import make_token, parse_token
from fakestore.operations.framework.parameters import Parameters
from fakestore.operations.framework.result import Result
from fakestore.operations.framework.row import operation
from fakestore.operations.regions import region_headers
from fakestore.operations.restore import current_restoration
from fakestore.protocol.routing import Route
from fakestore.xml.declarations import child, children, document, element


@element()
class CommonPrefix:
    """The common beginning of several keys, up to and with the delimiter."""

    prefix: str = child("Prefix")


#: A page never has more entries than this.
MAX_PAGE_SIZE = 1000

#: The sizes of a page that are accepted, for a message.
_COUNTS = "a whole number from 0 to 2,147,483,647"


def _parse_encoding(sent: Sent) -> str:
    if sent.text != "url":
        raise invalid_query("Invalid Encoding Method specified in Request", sent, "url")
    return sent.text


class ListingQuery(Parameters):
    """The query of every listing.

    Args:
        encoding: ``"url"`` if keys are percent-encoded in the document.
        prefix: The prefix of all listed keys.
        delimiter: Keys with the delimiter after the prefix are replaced by their common prefix.
        page_size: The maximum number of entries of the page. Each listing has a parameter of its own.
        shows_names: Whether owners have a DisplayName.
    """

    encoding: str | None = query("encoding-type", _parse_encoding)
    prefix: str = query("prefix", default="")
    delimiter: str = query("delimiter", default="")
    page_size: int = MAX_PAGE_SIZE
    shows_names: bool = value(lambda call: call.semantics.shows_display_names)

    def encode(self, text: str) -> str:
        """Return a key, prefix or delimiter as the document shows it. [encoding-type]"""
        return quote_plus(text, safe="/-_.*") if self.encoding else text

    @property
    def shown_delimiter(self) -> str | None:
        """The delimiter as the document shows it, or None if the request has no delimiter."""
        return self.encode(self.delimiter) or None

    def select(self, after: str) -> listing.Selection:
        """Return the selection of the page that continues after a marker."""
        return listing.Selection(self.prefix, self.delimiter, after, self.page_size)

    def common_prefixes(self, page: listing.Page[listing.Item]) -> tuple[CommonPrefix, ...]:
        """Return the common prefixes of the page as the document shows them."""
        return tuple(CommonPrefix(prefix=self.encode(each)) for each in page.common_prefixes)


def count(default: int) -> Kind[int]:
    """Return the kind of an integer from 0 to 2147483647. An empty text means the default."""

    def read(sent: Sent) -> int:
        if not sent.text:
            return default
        digits = sent.text.removeprefix("-")
        if not (digits.isascii() and digits.isdigit()) or len(digits) > 10 or int(digits) > 2**31 - 1:
            raise invalid_query(f"Provided {sent.name} not an integer or within integer range", sent, _COUNTS)
        if sent.text != digits:
            first, *others = sent.name.split("-")
            name = first + "".join(map(str.capitalize, others))  # the public service calls it `maxKeys` here
            message = f"Argument {name} must be an integer between 0 and 2147483647"
            raise invalid_query(message, sent._replace(name=name), _COUNTS)
        return int(digits)

    return read


def parse_page_size(sent: Sent) -> int:
    """Return the size of the page, at most 1,000."""
    return min(count(MAX_PAGE_SIZE)(sent), MAX_PAGE_SIZE)


def invalid_query(message: str, sent: Sent, expected: str) -> ErrorResponse:
    """Return the error for an invalid value of a query parameter."""
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
    """A delete marker of a bucket."""

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


def _parse_restore_time(sent: Sent) -> datetime:
    """Return the time of the request. The listing needs it to show which objects are restored. [restore-status]"""
    if sent.text.strip() != "RestoreStatus":
        raise UnsupportedRequest(f"{sent.name} is {sent.text!r}, which is not supported; supported: RestoreStatus")
    return sent.call.now


class ObjectListingQuery(ListingQuery):
    """The query and the header of every listing of objects or versions.

    Args:
        restore_time: The time of the request if the listing shows which objects are restored; otherwise None.
    """

    page_size: int = query("max-keys", parse_page_size, default=MAX_PAGE_SIZE)
    restore_time: datetime | None = header("optional-object-attributes", _parse_restore_time)


class ObjectsQuery(ObjectListingQuery):
    """The query of the first version of the listing of objects."""

    marker: str = query("marker", default="")


@operation(
    "GET Bucket",
    Route("GET", "bucket"),
    api_name="ListObjects",
    access=LIST_BUCKET,
    parameters=ObjectsQuery,
)
def get_bucket(call: Call, bucket: BucketRecord, query: ObjectsQuery) -> Result:
    """Return a page of objects."""
    page = listing.page_of_objects(bucket, query.select(query.marker))
    return Result(
        service_headers=region_headers(call, bucket),
        document=ListBucketResult(
            name=bucket.name,
            marker=query.encode(query.marker),
            prefix=query.encode(query.prefix),
            max_keys=query.page_size,
            delimiter=query.shown_delimiter,
            encoding_type=query.encoding,
            is_truncated=page.truncated,
            # It is only sent with a delimiter; without one, clients use the last key. [next-marker]
            next_marker=query.encode(page.last_key) if page.truncated and query.delimiter else None,
            contents=_object_entries(query, bucket, page, with_owner=call.requester is not ANONYMOUS),
            common_prefixes=query.common_prefixes(page),
        ),
    )


def _parse_list_type(sent: Sent) -> str:
    if sent.text != "2":
        raise invalid_query("Invalid List Type specified in Request", sent, "2")
    return sent.text


def _parse_fetch_owner(sent: Sent) -> bool:
    if sent.text not in ("true", "false"):
        raise invalid_query("fetch-owner is true or false", sent, "true or false")
    return sent.text == "true"


class ObjectsQuery2(ObjectListingQuery):
    """The query of the second version of the listing of objects."""

    list_type: str = query("list-type", _parse_list_type)
    with_owner: bool = query("fetch-owner", _parse_fetch_owner, default=False)
    token: str | None = query("continuation-token")
    start_after: str | None = query("start-after")


@operation(
    "GET Bucket version 2",
    Route("GET", "bucket", query=frozenset({"list-type"})),
    api_name="ListObjectsV2",
    access=LIST_BUCKET,
    parameters=ObjectsQuery2,
)
def get_bucket_version_2(call: Call, bucket: BucketRecord, query: ObjectsQuery2) -> Result:
    """Return a page of objects, in the second version of the listing."""
    token, start_after = query.token, query.start_after
    after = (start_after or "") if token is None else parse_token(bucket, token)
    page = listing.page_of_objects(bucket, query.select(after))
    return Result(
        service_headers=region_headers(call, bucket),
        document=ListBucketResultV2(
            name=bucket.name,
            prefix=query.encode(query.prefix),
            max_keys=query.page_size,
            delimiter=query.shown_delimiter,
            encoding_type=query.encoding,
            key_count=len(page.items) + len(page.common_prefixes),
            is_truncated=page.truncated,
            continuation_token=token,
            start_after=query.encode(start_after) if token is None and start_after is not None else None,
            next_continuation_token=make_token(bucket, page.last_key) if page.truncated else None,
            contents=_object_entries(query, bucket, page, with_owner=query.with_owner),
            common_prefixes=query.common_prefixes(page),
        ),
    )


class VersionsQuery(ObjectListingQuery):
    """The query of the listing of versions."""

    key_marker: str = query("key-marker", default="")
    version_marker: Sent | None = query("version-id-marker", unread)

    def check_fields(self, call: Call) -> None:
        """Check that the version marker is not empty and comes with a key marker."""
        marker = self.version_marker
        if marker is not None and not self.key_marker:
            message = "A version-id marker cannot be specified without a key marker."
            raise invalid_query(message, marker, "a key-marker, too")
        if marker is not None and not marker.text:  # [empty-version-marker]
            raise invalid_query("A version-id marker cannot be empty.", marker, "a version id")


@operation(
    "GET Bucket Object versions",
    Route("GET", "bucket", "versions"),
    api_name="ListObjectVersions",
    access=Access("s3:ListBucketVersions", BUCKET_READ),
    parameters=VersionsQuery,
)
def get_bucket_object_versions(call: Call, bucket: BucketRecord, query: VersionsQuery) -> Result:
    """Return a page of versions and delete markers."""
    version_marker = None if query.version_marker is None else query.version_marker.text
    if version_marker is not None:
        bucket.check_version_id(version_marker)
    after_version = None if version_marker is None else VersionId(version_marker)
    page = listing.page_of_versions(bucket, query.select(query.key_marker), after_version)
    last = page.last if page.truncated else None
    return Result(
        document=ListVersionsResult(
            name=bucket.name,
            key_marker=query.encode(query.key_marker),
            version_id_marker=version_marker or "",
            prefix=query.encode(query.prefix),
            max_keys=query.page_size,
            delimiter=query.shown_delimiter,
            encoding_type=query.encoding,
            is_truncated=page.truncated,
            next_key_marker=None if last is None else query.encode(page.last_key),
            next_version_id_marker=last.entry.version_id if isinstance(last, listing.ListedEntry) else None,
            entries=_version_entries(query, bucket, page),
            common_prefixes=query.common_prefixes(page),
        )
    )


def _object_entries(
    query: ObjectListingQuery, bucket: BucketRecord, page: listing.Page[ObjectVersion], *, with_owner: bool
) -> tuple[ObjectEntry, ...]:
    """Return the objects of the page as the document shows them."""
    return tuple(
        ObjectEntry(
            key=query.encode(version.key),
            last_modified=version.last_modified,
            etag=version.etag,
            size=version.size,
            storage_class=version.storage_class,
            owner=_owner(query, bucket, version) if with_owner else None,
            restore_status=_restore_status(query, version),
            **checksum_mode_elements(version.checksum),
        )
        for version in page.items
    )


def _version_entries(
    query: ObjectListingQuery, bucket: BucketRecord, page: listing.Page[listing.ListedEntry]
) -> tuple[VersionEntry | DeleteMarkerEntry, ...]:
    """Return the versions and delete markers of the page as the document shows them."""
    return tuple(_version_entry(query, bucket, each) for each in page.items)


def _version_entry(
    query: ObjectListingQuery, bucket: BucketRecord, listed: listing.ListedEntry
) -> VersionEntry | DeleteMarkerEntry:
    entry = listed.entry
    key, owner = query.encode(entry.key), _owner(query, bucket, entry)
    if not isinstance(entry, ObjectVersion):
        return DeleteMarkerEntry(
            key=key,
            version_id=entry.version_id,
            is_latest=listed.latest,
            last_modified=entry.last_modified,
            owner=owner,
        )
    return VersionEntry(
        key=key,
        version_id=entry.version_id,
        is_latest=listed.latest,
        last_modified=entry.last_modified,
        etag=entry.etag,
        size=entry.size,
        storage_class=entry.storage_class,
        owner=owner,
        restore_status=_restore_status(query, entry),
        **checksum_mode_elements(entry.checksum),
    )


def _owner(query: ObjectListingQuery, bucket: BucketRecord, entry: Entry) -> Owner:
    return Owner.of(bucket.current_owner(entry), shows_name=query.shows_names)


def _restore_status(query: ObjectListingQuery, version: ObjectVersion) -> RestoreStatus | None:
    if query.restore_time is None:
        return None
    restoration = current_restoration(version, query.restore_time)
    if restoration is None:
        return None
    if query.restore_time < restoration.ready:
        return RestoreStatus(is_in_progress=True)
    return RestoreStatus(is_in_progress=False, expiry_date=restoration.expires)
