"""The document that answers a form."""

from __future__ import annotations

from fakestore.model.shape import child, document


@document("PostResponse", has_namespace=False)
class PostResponse:
    """The object that was stored; ``etag`` has its quotes."""

    location: str = child("Location")
    bucket: str = child("Bucket")
    key: str = child("Key")
    etag: str = child("ETag")
