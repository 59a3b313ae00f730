"""The document that answers a form."""

from __future__ import annotations

from fakestore.documents.shape import child, document


@document("PostResponse")
class PostResponse:
    """The object that was stored; ``etag`` has its quotes."""

    location: str = child("Location")
    bucket: str = child("Bucket")
    key: str = child("Key")
    etag: str = child("ETag")
