"""The listings of a bucket: objects (version 1 and 2), and versions."""

from __future__ import annotations

import base64
import binascii

from fakestore.documents.checksums import checksum_mode_elements
from fakestore.documents.listing import (
    DeleteMarkerEntry,
    ListBucketResult,
    ListBucketResultV2,
    ListVersionsResult,
    ObjectEntry,
    RestoreStatus,
    VersionEntry,
)
from fakestore.documents.owner import Owner
from fakestore.model import listing
from fakestore.model.accounts import ANONYMOUS
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import INVALID_ARGUMENT
from fakestore.model.object_version import Entry, ObjectVersion
from fakestore.model.version_ids import VersionId
from fakestore.operations.core.authorization import BUCKET_READ, LIST_BUCKET, Access
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.regions import region_headers
from fakestore.operations.core.registry import operation
from fakestore.operations.core.restore import current_restoration
from fakestore.operations.core.result import Result
from fakestore.operations.shared.listing import ListingQuery, invalid_query
from fakestore.protocol.routing import Route


@operation("GET Bucket", Route("GET", "bucket"), access=LIST_BUCKET, parameters=ListingQuery, query=("marker",))
def get_bucket(context: RequestContext, bucket: BucketRecord, query: ListingQuery) -> Result:
    """Return a page of objects."""
    marker = context.query.get("marker", "")
    page = listing.page_of_objects(bucket, query.select(marker))
    return Result(
        service_headers=region_headers(context, bucket),
        document=ListBucketResult(
            name=bucket.name,
            marker=query.encode(marker),
            prefix=query.encode(query.prefix),
            max_keys=query.page_size,
            delimiter=query.shown_delimiter,
            encoding_type=query.encoding,
            is_truncated=page.truncated,
            # It is only sent with a delimiter; without one, clients use the last key. [next-marker]
            next_marker=query.encode(page.last_key) if page.truncated and query.delimiter else None,
            contents=_object_entries(query, bucket, page, with_owner=context.requester is not ANONYMOUS),
            common_prefixes=query.common_prefixes(page),
        ),
    )


@operation(
    "GET Bucket version 2",
    Route("GET", "bucket", query=frozenset({"list-type"})),
    access=LIST_BUCKET,
    parameters=ListingQuery,
    query=("start-after", "continuation-token", "fetch-owner"),
)
def get_bucket_version_2(context: RequestContext, bucket: BucketRecord, query: ListingQuery) -> Result:
    """Return a page of objects, in the second version of the listing."""
    if context.query["list-type"] != "2":
        raise invalid_query("Invalid List Type specified in Request", "list-type", context.query["list-type"], "2")
    with_owner = _parse_fetch_owner(context.query.get("fetch-owner", "false"))
    token, start_after = context.query.get("continuation-token"), context.query.get("start-after")
    after = (start_after or "") if token is None else _parse_token(bucket, token)
    page = listing.page_of_objects(bucket, query.select(after))
    return Result(
        service_headers=region_headers(context, bucket),
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
            next_continuation_token=_make_token(bucket, page.last_key) if page.truncated else None,
            contents=_object_entries(query, bucket, page, with_owner=with_owner),
            common_prefixes=query.common_prefixes(page),
        ),
    )


def _parse_version_markers(context: RequestContext) -> tuple[str, str | None]:
    """Return the key and the version id after which a listing of versions continues.

    Raises:
        ErrorResponse: InvalidArgument, if the version marker is empty or comes without a key marker.
    """
    key, version_id = context.query.get("key-marker", ""), context.query.get("version-id-marker")
    if version_id is not None and not key:
        raise invalid_query(
            "A version-id marker cannot be specified without a key marker.",
            "version-id-marker",
            version_id,
            "a key-marker, too",
        )
    if version_id == "":  # [empty-version-marker]
        raise invalid_query("A version-id marker cannot be empty.", "version-id-marker", version_id, "a version id")
    return key, version_id


@operation(
    "GET Bucket Object versions",
    Route("GET", "bucket", "versions"),
    access=Access("s3:ListBucketVersions", BUCKET_READ),
    parameters=ListingQuery,
    query=("key-marker", "version-id-marker"),
)
def get_bucket_object_versions(context: RequestContext, bucket: BucketRecord, query: ListingQuery) -> Result:
    """Return a page of versions and delete markers."""
    key_marker, version_marker = _parse_version_markers(context)
    if version_marker is not None:
        bucket.check_version_id(version_marker)
    after_version = None if version_marker is None else VersionId(version_marker)
    page = listing.page_of_versions(bucket, query.select(key_marker), after_version)
    last = page.last if page.truncated else None
    return Result(
        document=ListVersionsResult(
            name=bucket.name,
            key_marker=query.encode(key_marker),
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
    query: ListingQuery, bucket: BucketRecord, page: listing.Page[ObjectVersion], *, with_owner: bool
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
    query: ListingQuery, bucket: BucketRecord, page: listing.Page[listing.ListedEntry]
) -> tuple[VersionEntry | DeleteMarkerEntry, ...]:
    """Return the versions and delete markers of the page as the document shows them."""
    return tuple(_version_entry(query, bucket, each) for each in page.items)


def _version_entry(
    query: ListingQuery, bucket: BucketRecord, listed: listing.ListedEntry
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


def _owner(query: ListingQuery, bucket: BucketRecord, entry: Entry) -> Owner:
    return Owner.from_account(bucket.current_owner(entry), shows_name=query.shows_names)


def _restore_status(query: ListingQuery, version: ObjectVersion) -> RestoreStatus | None:
    if query.restore_time is None:
        return None
    restoration = current_restoration(version, query.restore_time)
    if restoration is None:
        return None
    if query.restore_time < restoration.ready:
        return RestoreStatus(is_in_progress=True)
    return RestoreStatus(is_in_progress=False, expiry_date=restoration.expires)


def _parse_fetch_owner(text: str) -> bool:
    if text not in ("true", "false"):
        raise invalid_query("fetch-owner is true or false", "fetch-owner", text, "true or false")
    return text == "true"


def _make_token(bucket: BucketRecord, key: str) -> str:
    """Encode the last key with a signature, so that tokens can be verified without being stored."""
    return base64.urlsafe_b64encode(bucket.sign(key) + key.encode()).decode()


def _parse_token(bucket: BucketRecord, token: str) -> str:
    try:
        raw = base64.b64decode(token, b"-_", validate=True)
        signature, key = raw[:6], raw[6:].decode()
    except (binascii.Error, ValueError):
        signature, key = b"", ""
    if signature != bucket.sign(key):
        # The public service does not repeat the value of this argument. [continuation-token]
        raise INVALID_ARGUMENT.error(
            "The continuation token provided is incorrect",
            explanation=f"no listing of this bucket returned the continuation token {token!r}",
            ArgumentName="continuation-token",
        )
    return key
