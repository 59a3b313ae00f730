"""The LocationConstraint document."""

from __future__ import annotations

from fakestore.model.shape import document, text


@document("LocationConstraint")
class LocationConstraint:
    """The location of a bucket; empty for the store's only location."""

    location: str = text()
