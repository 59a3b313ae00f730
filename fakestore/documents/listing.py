"""The documents that list buckets, objects and versions.

A document contains its keys, prefixes and delimiters unchanged. If the request has an ``encoding-type``, the operation
encodes them before it makes the document.
"""

from __future__ import annotations

from datetime import datetime

from fakestore.model.accounts import Owner
from fakestore.model.shape import child, children, document, element


@element()
class BucketEntry:
    """A bucket of the requester."""

    name: str = child("Name")
    creation_date: datetime = child("CreationDate")
    region: str | None = child("BucketRegion", default=None)
    arn: str | None = child("BucketArn", default=None)


@document("ListAllMyBucketsResult")
class ListAllMyBucketsResult:
    """The buckets of the requester, or a page of them."""

    owner: Owner = child("Owner")
    buckets: tuple[BucketEntry, ...] = children("Bucket", inside="Buckets")
    continuation_token: str | None = child("ContinuationToken", default=None)
    prefix: str | None = child("Prefix", default=None)


@element()
class CommonPrefix:
    """The common beginning of several keys, up to and with the delimiter."""

    prefix: str = child("Prefix")


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
