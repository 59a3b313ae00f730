"""The CreateBucketConfiguration document."""

from __future__ import annotations

from fakestore.documents.shape import child, children, document
from fakestore.documents.tagging import TagElement


@document("CreateBucketConfiguration", unsupported=("Bucket", "Location"))
class CreateBucketConfiguration:
    """Where to create a bucket, and its tags. ``location_constraint`` is ``None`` if the document does not say it."""

    location_constraint: str | None = child("LocationConstraint", default=None)
    tags: tuple[TagElement, ...] = children("Tag", inside="Tags", default=())
