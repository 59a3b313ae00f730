"""The GetObjectAttributesResponse document."""

from __future__ import annotations

from fakestore.documents.checksums import ChecksumElements
from fakestore.documents.shape import child, document


@document("GetObjectAttributesResponse")
class GetObjectAttributesResponse:
    """The attributes of an object that were requested; ``etag`` has no quotes."""

    etag: str | None = child("ETag", default=None)
    checksum: ChecksumElements | None = child("Checksum", default=None)
    storage_class: str | None = child("StorageClass", default=None)
    size: int | None = child("ObjectSize", default=None)
