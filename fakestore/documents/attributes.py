"""The GetObjectAttributesResponse document."""

from __future__ import annotations

from fakestore.documents.checksums import ChecksumElements, ChecksumValues
from fakestore.model.shape import child, children, document, element


@element()
class AttributePart(ChecksumValues):
    """A part of an object."""

    part_number: int = child("PartNumber")
    size: int = child("Size")


@element()
class ObjectParts:
    """The number of parts of an object and, if each has a checksum, a page of them."""

    is_truncated: bool | None = child("IsTruncated", default=None)
    max_parts: int | None = child("MaxParts", default=None)
    next_part_number_marker: int | None = child("NextPartNumberMarker", default=None)
    part_number_marker: int | None = child("PartNumberMarker", default=None)
    parts: tuple[AttributePart, ...] = children("Part")
    count: int = child("PartsCount")


@document("GetObjectAttributesResponse")
class GetObjectAttributesResponse:
    """The attributes of an object that were requested; ``etag`` has no quotes."""

    etag: str | None = child("ETag", default=None)
    checksum: ChecksumElements | None = child("Checksum", default=None)
    parts: ObjectParts | None = child("ObjectParts", default=None)
    storage_class: str | None = child("StorageClass", default=None)
    size: int | None = child("ObjectSize", default=None)
