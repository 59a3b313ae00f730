"""The listings of a bucket: objects (version 1 and 2), and versions."""

from __future__ import annotations

import base64
import binascii
from datetime import datetime
from typing import ClassVar, Self
from urllib.parse import quote

from fakestore.documents.checksums import checksum_mode_elements
from fakestore.documents.listing import (
    CommonPrefix,
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
from fakestore.model.errors import INVALID_ARGUMENT, ErrorResponse, invalid_argument
from fakestore.model.object_version import Entry, ObjectVersion
from fakestore.model.unsupported import UnsupportedRequest
from fakestore.model.version_ids import VersionId
from fakestore.operations.bucket.location import region_headers
from fakestore.operations.core.authorization import BUCKET_READ, LIST_BUCKET, Access
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.parameters import Parameters, parameters
from fakestore.operations.core.registry import operation
from fakestore.operations.core.restore import current_restoration
from fakestore.operations.core.result import Result
from fakestore.protocol.routing import Route

#: The header with further things that the listing says about each object, without the prefix of the dialect.
_OPTIONAL_ATTRIBUTES = "optional-object-attributes"
#: A page never has more entries than this.
MAX_PAGE_SIZE = 1000


@parameters
class ListingQuery(Parameters):
    """The query of every listing.

    Args:
        prefix: What all listed keys start with.
        delimiter: Keys that have it after the prefix are listed by their common prefix alone.
        page_size: The largest number of entries of the page.
        encoding: ``"url"`` if keys are percent-encoded in the document.
        shows_names: Whether owners have a DisplayName.
        restore_time: The time of the request if the listing says which objects are restored; otherwise None.
    """

    query: ClassVar[tuple[str, ...]] = ("prefix", "delimiter", "max-keys", "encoding-type")
    service_headers: ClassVar[tuple[str, ...]] = (_OPTIONAL_ATTRIBUTES,)
    #: The query parameter that limits the page.
    size_parameter: ClassVar[str] = "max-keys"

    prefix: str
    delimiter: str
    page_size: int
    encoding: str | None
    shows_names: bool
    restore_time: datetime | None

    @classmethod
    def parse(cls, context: RequestContext) -> Self:
        """Read the query.

        Raises:
            ErrorResponse: InvalidArgument, if the size of the page or encoding-type is invalid.
            UnsupportedRequest: If the request names an optional attribute other than the restoration of objects.
        """
        query = context.query
        encoding = query.get("encoding-type")
        if encoding not in (None, "url"):
            raise _invalid("Invalid Encoding Method specified in Request", "encoding-type", encoding or "")
        return cls(
            prefix=query.get("prefix", ""),
            delimiter=query.get("delimiter", ""),
            page_size=parse_page_size(context, cls.size_parameter),
            encoding=encoding,
            shows_names=context.semantics.shows_display_names,
            restore_time=context.now if _wants_restore_status(context) else None,
        )

    def encode(self, text: str) -> str:
        """Return a key, prefix or delimiter as the document shows it."""
        return quote(text, safe="/-_.*") if self.encoding else text

    @property
    def shown_delimiter(self) -> str | None:
        """The delimiter as the document shows it, or None if the request has no delimiter."""
        return self.encode(self.delimiter) or None

    def common_prefixes(self, page: listing.Page[listing.Item]) -> tuple[CommonPrefix, ...]:
        """Return the common prefixes of the page as the document shows them."""
        return tuple(CommonPrefix(prefix=self.encode(each)) for each in page.common_prefixes)

    def objects(
        self, bucket: BucketRecord, page: listing.Page[ObjectVersion], *, with_owner: bool
    ) -> tuple[ObjectEntry, ...]:
        """Return the objects of the page as the document shows them."""
        return tuple(
            ObjectEntry(
                key=self.encode(version.key),
                last_modified=version.last_modified,
                etag=version.etag,
                size=version.size,
                storage_class=version.storage_class,
                owner=self._owner(bucket, version) if with_owner else None,
                restore_status=self._restore_status(version),
                **checksum_mode_elements(version.checksum),
            )
            for version in page.items
        )

    def _owner(self, bucket: BucketRecord, entry: Entry) -> Owner:
        return Owner.from_account(bucket.current_owner(entry), shows_name=self.shows_names)

    def _restore_status(self, version: ObjectVersion) -> RestoreStatus | None:
        now = self.restore_time
        restoration = None if now is None else current_restoration(version, now)
        if now is None or restoration is None:
            return None
        if now < restoration.ready:
            return RestoreStatus(is_in_progress=True)
        return RestoreStatus(is_in_progress=False, expiry_date=restoration.expires)

    def versions(
        self, bucket: BucketRecord, page: listing.Page[listing.ListedEntry]
    ) -> tuple[VersionEntry | DeleteMarkerEntry, ...]:
        """Return the versions and delete markers of the page as the document shows them."""
        return tuple(self._version(bucket, each) for each in page.items)

    def _version(self, bucket: BucketRecord, listed: listing.ListedEntry) -> VersionEntry | DeleteMarkerEntry:
        entry = listed.entry
        key, owner = self.encode(entry.key), self._owner(bucket, entry)
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
            restore_status=self._restore_status(entry),
            **checksum_mode_elements(entry.checksum),
        )


@operation("GET Bucket", Route("GET", "bucket"), access=LIST_BUCKET, parameters=ListingQuery, query=("marker",))
def get_bucket(context: RequestContext, bucket: BucketRecord, query: ListingQuery) -> Result:
    """Return a page of objects."""
    marker = context.query.get("marker", "")
    page = listing.page_of_objects(
        bucket, prefix=query.prefix, delimiter=query.delimiter, after=marker, size=query.page_size
    )
    # NextMarker is only sent with a delimiter; without one, clients use the last key. [next-marker]
    has_next_marker = page.truncated and query.delimiter and page.last is not None
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
            next_marker=query.encode(_last_key(page)) if has_next_marker else None,
            contents=query.objects(bucket, page, with_owner=context.requester is not ANONYMOUS),
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
        raise _invalid("Invalid List Type specified in Request", "list-type", context.query["list-type"])
    with_owner = _parse_fetch_owner(context.query.get("fetch-owner", "false"))
    token, start_after = context.query.get("continuation-token"), context.query.get("start-after")
    after = (start_after or "") if token is None else _parse_token(bucket, token)
    page = listing.page_of_objects(
        bucket, prefix=query.prefix, delimiter=query.delimiter, after=after, size=query.page_size
    )
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
            next_continuation_token=_make_token(bucket, _last_key(page)) if page.truncated else None,
            contents=query.objects(bucket, page, with_owner=with_owner),
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
        raise _invalid("A version-id marker cannot be specified without a key marker.", "version-id-marker", version_id)
    if version_id == "":  # [empty-version-marker]
        raise _invalid("A version-id marker cannot be empty.", "version-id-marker", version_id)
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
    page = listing.page_of_versions(
        bucket,
        prefix=query.prefix,
        delimiter=query.delimiter,
        after=key_marker,
        after_version=None if version_marker is None else VersionId(version_marker),
        size=query.page_size,
    )
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
            next_key_marker=None if last is None else query.encode(_last_key(page)),
            next_version_id_marker=last.entry.version_id if isinstance(last, listing.ListedEntry) else None,
            entries=query.versions(bucket, page),
            common_prefixes=query.common_prefixes(page),
        )
    )


def parse_page_size(context: RequestContext, parameter: str) -> int:
    """Return the size of the page, which is never over 1,000.

    Args:
        parameter: The query parameter, for example ``max-keys``.

    Raises:
        ErrorResponse: InvalidArgument, if the text is not an integer from 0 to 2147483647.
    """
    return min(parse_count(context, parameter, MAX_PAGE_SIZE), MAX_PAGE_SIZE)


def parse_count(context: RequestContext, parameter: str, default: int) -> int:
    """Return a number of the query, or `default` if it is absent or empty.

    Raises:
        ErrorResponse: InvalidArgument, if the text is not an integer from 0 to 2147483647.
    """
    text = context.query.get(parameter)
    if not text:
        return default
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 10 or int(digits) > 2**31 - 1:
        raise _invalid(f"Provided {parameter} not an integer or within integer range", parameter, text)
    if text != digits:
        first, *others = parameter.split("-")
        name = first + "".join(map(str.capitalize, others))  # the recorded service calls it `maxKeys` here
        raise _invalid(f"Argument {name} must be an integer between 0 and 2147483647", name, text)
    return int(digits)


def _wants_restore_status(context: RequestContext) -> bool:
    """Return whether the listing says which objects are restored. [restore-status]"""
    text = context.service_headers.get(_OPTIONAL_ATTRIBUTES)
    if text is None:
        return False
    if text.strip() != "RestoreStatus":
        raise UnsupportedRequest(
            f"{context.dialect.header(_OPTIONAL_ATTRIBUTES)} is {text!r}, which is not supported; supported:"
            " RestoreStatus"
        )
    return True


def _last_key(page: listing.Page[listing.Item]) -> str:
    last = page.last
    if isinstance(last, listing.CommonPrefix):
        return last.text
    if isinstance(last, listing.ListedEntry):
        return last.entry.key
    return "" if last is None else last.key


def _parse_fetch_owner(text: str) -> bool:
    if text not in ("true", "false"):
        raise _invalid("fetch-owner is true or false", "fetch-owner", text)
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
        # The recorded service does not repeat the value of this argument. [continuation-token]
        raise INVALID_ARGUMENT.error(
            "The continuation token provided is incorrect",
            explanation=f"no listing of this bucket returned the continuation token {token!r}",
            ArgumentName="continuation-token",
        )
    return key


def _invalid(message: str, name: str, value: str) -> ErrorResponse:
    return invalid_argument(name, value, message, explanation=f"{name} is {value!r}: {message}")
