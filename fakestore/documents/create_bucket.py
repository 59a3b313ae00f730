"""The CreateBucketConfiguration document."""

from __future__ import annotations

from fakestore.model.shape import child, children, document
from fakestore.model.tagging import Tag


@document("CreateBucketConfiguration", unsupported=("Bucket", "Location"))
class CreateBucketConfiguration:
    """The location and the tags of a new bucket. ``location_constraint`` is ``None`` if the element is absent."""

    location_constraint: str | None = child("LocationConstraint", default=None)
    tags: tuple[Tag, ...] = children("Tag", inside="Tags", default=())
