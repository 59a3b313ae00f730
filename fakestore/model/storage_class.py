"""Storage classes, and the restoration of archived objects."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple


class StorageClass(StrEnum):
    """A storage class. The default dialect has the first two, ``S3`` has all.

    In ``S3``, lifecycle rules can move objects to a cheaper class. [transitions]
    """

    STANDARD = "STANDARD"
    REDUCED_REDUNDANCY = "REDUCED_REDUNDANCY"
    STANDARD_IA = "STANDARD_IA"
    ONEZONE_IA = "ONEZONE_IA"
    INTELLIGENT_TIERING = "INTELLIGENT_TIERING"
    GLACIER_IR = "GLACIER_IR"
    GLACIER = "GLACIER"
    DEEP_ARCHIVE = "DEEP_ARCHIVE"

    @property
    def is_archive(self) -> bool:
        """Whether an object must be restored before it can be read."""
        return self in (StorageClass.GLACIER, StorageClass.DEEP_ARCHIVE)

    @property
    def price_rank(self) -> int:
        """The place of the class in the order of prices for storage, the cheapest first."""
        return -list(StorageClass).index(self)

    def can_move_to(self, target: StorageClass) -> bool:
        """Return whether a lifecycle rule can move an object of this class to another one. [transitions]"""
        if target.is_archive:
            return self not in (target, StorageClass.DEEP_ARCHIVE)
        return target in _MOVES.get(self, ())


#: The classes to which lifecycle rules can move an object of each class. Every object can also be moved to an archive.
_MOVES = {
    StorageClass.STANDARD: frozenset(StorageClass) - {StorageClass.STANDARD, StorageClass.REDUCED_REDUNDANCY},
    StorageClass.STANDARD_IA: {StorageClass.INTELLIGENT_TIERING, StorageClass.ONEZONE_IA, StorageClass.GLACIER_IR},
    StorageClass.INTELLIGENT_TIERING: {StorageClass.ONEZONE_IA, StorageClass.GLACIER_IR},
}

#: The storage classes of the specification, section 4.1.
SPECIFIED_STORAGE_CLASSES = frozenset({StorageClass.STANDARD, StorageClass.REDUCED_REDUNDANCY})


class Restoration(NamedTuple):
    """A temporary copy of an archived object.

    Attributes:
        ready: When the copy can be read.
        expires: When the copy is removed again.
    """

    ready: datetime
    expires: datetime
