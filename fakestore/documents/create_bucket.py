"""The CreateBucketConfiguration document."""

from __future__ import annotations

from fakestore.documents.shape import child, document


@document("CreateBucketConfiguration", unsupported=("Bucket", "Location", "Tags"))
class CreateBucketConfiguration:
    """Where to create a bucket. ``location_constraint`` is ``None`` if the document does not say it."""

    location_constraint: str | None = child("LocationConstraint", default=None)
