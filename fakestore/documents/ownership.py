"""The OwnershipControls document."""

from __future__ import annotations

from fakestore.model.ownership import ObjectOwnership
from fakestore.model.shape import child, children, document, element


@element()
class OwnershipRule:
    """Which account owns the objects of the bucket."""

    ownership: ObjectOwnership = child("ObjectOwnership")


@document("OwnershipControls")
class OwnershipControls:
    """The ownership controls of a bucket: always one rule."""

    rules: tuple[OwnershipRule, ...] = children("Rule", least=1, most=1)
