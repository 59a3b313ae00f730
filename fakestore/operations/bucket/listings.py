"""The listings of a bucket, and the DELETE of many objects at once."""

from __future__ import annotations

import base64
import binascii
from urllib.parse import quote

from fakestore.documents.delete_objects import Delete, Deleted, DeleteError, DeleteResult, ObjectIdentifier
from fakestore.documents.listing import (
    CommonPrefix as CommonPrefixElement,
)
from fakestore.documents.listing import (
    DeleteMarkerEntry,
    ListBucketResult,
    ListBucketResultV2,
    ListVersionsResult,
    ObjectEntry,
    VersionEntry,
)
from fakestore.documents.owner import Owner
from fakestore.documents.shape import parse, render
from fakestore.http.messages import Reply
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import INVALID_ARGUMENT, NO_SUCH_VERSION, ErrorResponse
from fakestore.model.history import DeleteMarker, ObjectVersion, VersionId
from fakestore.model.listing import CommonPrefix, ListedEntry, page_of_objects, page_of_versions
from fakestore.model.names import check_key
from fakestore.operations.core.authorization import LIST, Access, Right, authorize
from fakestore.operations.core.context import Call
from fakestore.operations.core.mfa import check_mfa
from fakestore.operations.core.registry import operation
from fakestore.operations.object.object import DELETE, DELETE_VERSION

LONGEST_PAGE = 1000
COMMON_QUERY = ("prefix", "delimiter", "max-keys", "encoding-type")
LIST_VERSIONS = Access("s3:ListBucketVersions", Right.BUCKET_READ)


class ListingQuery:
    """What every listing can be asked: prefix, delimiter, page size, and how to write keys.

    Raises:
        ErrorResponse: InvalidArgument, for a max-keys or an encoding-type that is none.
    """

    def __init__(self, call: Call) -> None:
        query = call.address.query
        self.prefix = query.get("prefix", "")
        self.delimiter = query.get("delimiter", "")
        self.size = self._size(query.get("max-keys"))
        self.encoding = query.get("encoding-type")
        if self.encoding not in (None, "url"):
            raise _invalid("Invalid Encoding Method specified in Request", "encoding-type", self.encoding or "")

    @staticmethod
    def _size(value: str | None) -> int:
        if not value:
            return LONGEST_PAGE
        digits = value.removeprefix("-")
        if not (digits.isascii() and digits.isdigit()):
            raise _invalid("Provided max-keys not an integer or within integer range", "max-keys", value)
        if len(digits) > 10 or int(digits) > 2**31 - 1:
            raise _invalid("Provided max-keys not an integer or within integer range", "max-keys", value)
        if value != digits:
            raise _invalid("Argument maxKeys must be an integer between 0 and 2147483647", "maxKeys", value)
        return int(digits)

    @property
    def page_size(self) -> int:
        """Of the page that is answered: never more than 1,000."""
        return min(self.size, LONGEST_PAGE)

    def written(self, value: str) -> str:
        """A key, prefix or delimiter as it is asked to be written."""
        return quote(value, safe="/-_.*") if self.encoding else value

    @property
    def written_delimiter(self) -> str | None:
        """The delimiter as a listing repeats it; ``None`` if there is none."""
        return self.written(self.delimiter) if self.delimiter else None

    def prefixes(self, common: tuple[str, ...]) -> tuple[CommonPrefixElement, ...]:
        return tuple(CommonPrefixElement(prefix=self.written(each)) for each in common)


@operation("GET Bucket", route="GET bucket", access=LIST, query=(*COMMON_QUERY, "marker"))
def get_bucket(call: Call) -> Reply:
    asked = ListingQuery(call)
    marker = call.address.query.get("marker", "")
    with call.bucket() as bucket:
        page = page_of_objects(
            bucket, prefix=asked.prefix, delimiter=asked.delimiter, after=marker, size=asked.page_size
        )
    next_marker = None
    if page.truncated and asked.delimiter and page.last is not None:
        # Without a delimiter the last key of the page serves, so none is told. [next-marker]
        next_marker = asked.written(_name(page.last))
    listing = ListBucketResult(
        name=call.address.bucket or "",
        marker=asked.written(marker),
        prefix=asked.written(asked.prefix),
        max_keys=asked.page_size,
        delimiter=asked.written_delimiter,
        encoding_type=asked.encoding,
        is_truncated=page.truncated,
        next_marker=next_marker,
        contents=tuple(_contents(asked, version, with_owner=True) for version in page.items),
        common_prefixes=asked.prefixes(page.common_prefixes),
    )
    return Reply(200, {}, render(listing, call.dialect.xml_namespace))


@operation(
    "GET Bucket version 2",
    route="GET bucket?list-type",
    access=LIST,
    query=(*COMMON_QUERY, "start-after", "continuation-token", "fetch-owner"),
)
def get_bucket_version_2(call: Call) -> Reply:
    query = call.address.query
    if query["list-type"] != "2":
        raise _invalid("Invalid List Type specified in Request", "list-type", query["list-type"])
    asked = ListingQuery(call)
    with_owner = _fetch_owner(query.get("fetch-owner", "false"))
    token = query.get("continuation-token")
    start_after = query.get("start-after")
    with call.bucket() as bucket:
        after = (start_after or "") if token is None else _read_token(bucket, token)
        page = page_of_objects(
            bucket, prefix=asked.prefix, delimiter=asked.delimiter, after=after, size=asked.page_size
        )
    following = _token(bucket, _name(page.last)) if page.truncated and page.last is not None else None
    listing = ListBucketResultV2(
        name=call.address.bucket or "",
        prefix=asked.written(asked.prefix),
        max_keys=asked.page_size,
        delimiter=asked.written_delimiter,
        encoding_type=asked.encoding,
        key_count=len(page.items) + len(page.common_prefixes),
        is_truncated=page.truncated,
        continuation_token=token,
        start_after=asked.written(start_after) if start_after is not None and token is None else None,
        next_continuation_token=following,
        contents=tuple(_contents(asked, version, with_owner=with_owner) for version in page.items),
        common_prefixes=asked.prefixes(page.common_prefixes),
    )
    return Reply(200, {}, render(listing, call.dialect.xml_namespace))


@operation(
    "GET Bucket Object versions",
    route="GET bucket?versions",
    access=LIST_VERSIONS,
    query=(*COMMON_QUERY, "key-marker", "version-id-marker"),
)
def get_bucket_object_versions(call: Call) -> Reply:
    asked = ListingQuery(call)
    key_marker = call.address.query.get("key-marker", "")
    version_marker = call.address.query.get("version-id-marker")
    if version_marker is not None and not key_marker:
        raise _invalid(
            "A version-id marker cannot be specified without a key marker.",
            "version-id-marker",
            version_marker,
        )
    if version_marker == "":  # [empty-version-marker]
        raise _invalid("A version-id marker cannot be empty.", "version-id-marker", version_marker)
    with call.bucket() as bucket:
        if version_marker is not None:
            bucket.check_version_id(version_marker)
        page = page_of_versions(
            bucket,
            prefix=asked.prefix,
            delimiter=asked.delimiter,
            after=key_marker,
            after_version=None if version_marker is None else VersionId(version_marker),
            size=asked.page_size,
        )
    last = page.last if page.truncated else None
    listing = ListVersionsResult(
        name=call.address.bucket or "",
        key_marker=asked.written(key_marker),
        version_id_marker=version_marker or "",
        prefix=asked.written(asked.prefix),
        max_keys=asked.page_size,
        delimiter=asked.written_delimiter,
        encoding_type=asked.encoding,
        is_truncated=page.truncated,
        next_key_marker=None if last is None else asked.written(_name(last)),
        next_version_id_marker=last.entry.version_id if isinstance(last, ListedEntry) else None,
        entries=tuple(_listed(asked, listed) for listed in page.items),
        common_prefixes=asked.prefixes(page.common_prefixes),
    )
    return Reply(200, {}, render(listing, call.dialect.xml_namespace))


@operation(
    "POST Bucket delete",
    route="POST bucket?delete",
    access=Access("s3:DeleteObject", Right.ANY_ACCOUNT),
    takes_body=True,
)
def post_bucket_delete(call: Call) -> Reply:
    """Each key is authorized and deleted on its own, so one that is refused does not keep the others.

    Only the MFA device, where one is asked for, confirms all of them or none.
    """
    with call.bucket():
        pass  # a bucket that is not there is told before the body is read
    asked = parse(Delete, call.receive_document())
    with call.bucket() as bucket:
        names_versions = any(named.version_id is not None for named in asked.objects)
        may_delete_versions = call.account.id == bucket.owner.id
        if bucket.mfa_delete and ((names_versions and may_delete_versions) or call.own_headers.get("mfa") is not None):
            # A device that does not confirm fails all of them, simple deletions too. [delete-many-mfa]
            check_mfa(call, bucket)
    results = tuple(_delete_one(call, named) for named in asked.objects)
    shown = tuple(each for each in results if isinstance(each, DeleteError) or not asked.quiet)
    return Reply(200, {}, render(DeleteResult(results=shown), call.dialect.xml_namespace))


def _delete_one(call: Call, named: ObjectIdentifier) -> Deleted | DeleteError:
    try:
        marker = _deleted_marker(call, named)
    except ErrorResponse as refusal:
        call.explanations.append(refusal.explanation)
        return DeleteError(key=named.key, version_id=named.version_id, code=refusal.error.code, message=refusal.message)
    if marker is None:
        return Deleted(key=named.key, version_id=named.version_id)
    return Deleted(
        key=named.key,
        version_id=named.version_id,
        delete_marker=True,
        delete_marker_version_id=marker.version_id,
    )


def _deleted_marker(call: Call, named: ObjectIdentifier) -> DeleteMarker | None:
    """Delete one; the marker that was made, or the marker that was deleted for good."""
    check_key(named.key)
    with call.bucket() as bucket:
        if named.version_id is None:
            authorize(DELETE, call.account, bucket, named.key, None)
            return bucket.delete(named.key, owner=call.account, now=call.now)
        authorize(DELETE_VERSION, call.account, bucket, named.key, named.version_id)
        try:
            taken = bucket.delete_version(named.key, named.version_id)
        except ErrorResponse as refusal:
            # Of many, an id that was never issued is told as one that is gone. [delete-many-unknown-version]
            raise NO_SUCH_VERSION(explanation=refusal.explanation) from None
        return taken if isinstance(taken, DeleteMarker) else None


def _contents(asked: ListingQuery, version: ObjectVersion, *, with_owner: bool) -> ObjectEntry:
    return ObjectEntry(
        key=asked.written(version.key),
        last_modified=version.last_modified,
        etag=version.etag,
        size=version.size,
        storage_class=version.storage_class.value,
        owner=Owner.from_account(version.owner) if with_owner else None,
    )


def _listed(asked: ListingQuery, listed: ListedEntry) -> VersionEntry | DeleteMarkerEntry:
    entry = listed.entry
    if isinstance(entry, ObjectVersion):
        return VersionEntry(
            key=asked.written(entry.key),
            version_id=entry.version_id,
            is_latest=listed.latest,
            last_modified=entry.last_modified,
            etag=entry.etag,
            size=entry.size,
            storage_class=entry.storage_class.value,
            owner=Owner.from_account(entry.owner),
        )
    return DeleteMarkerEntry(
        key=asked.written(entry.key),
        version_id=entry.version_id,
        is_latest=listed.latest,
        last_modified=entry.last_modified,
        owner=Owner.from_account(entry.owner),
    )


def _name(last: ObjectVersion | ListedEntry | CommonPrefix) -> str:
    if isinstance(last, CommonPrefix):
        return last.text
    return last.key if isinstance(last, ObjectVersion) else last.entry.key


def _fetch_owner(value: str) -> bool:
    if value not in ("true", "false"):
        raise _invalid("fetch-owner is true or false", "fetch-owner", value)
    return value == "true"


def _token(bucket: BucketRecord, key: str) -> str:
    """The key to go on behind, and a check, so that "given here" needs no memory. [continuation-token]"""
    return base64.urlsafe_b64encode(bucket.sign(key) + key.encode()).decode()


def _read_token(bucket: BucketRecord, token: str) -> str:
    try:
        raw = base64.b64decode(token, b"-_", validate=True)
        check, key = raw[:6], raw[6:].decode()
    except (binascii.Error, ValueError):
        check, key = b"", ""
    if check != bucket.sign(key):
        # The recorded service does not repeat the value of this one. [continuation-token]
        raise INVALID_ARGUMENT(
            "The continuation token provided is incorrect",
            explanation=f"{token!r} is no continuation token that a listing gave",
            ArgumentName="continuation-token",
        )
    return key


def _invalid(message: str, name: str, value: str) -> ErrorResponse:
    return INVALID_ARGUMENT(
        message, explanation=f"{name} is {value!r}: {message}", ArgumentName=name, ArgumentValue=value
    )
