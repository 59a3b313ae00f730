"""The minimum size of the objects that lifecycle rules move to another storage class.

Source: the public S3 documentation.
"""

from __future__ import annotations

from enum import StrEnum

from fakestore.model.storage_class import StorageClass

#: Objects with fewer bytes are not moved, unless the filter of a rule has a size.
SMALL_SIZE = 128 * 1024


class TransitionMinimum(StrEnum):
    """Which objects are too small for lifecycle rules to move.

    A rule whose filter has a size ignores this minimum.
    """

    #: Objects under 128 KiB.
    ALL_CLASSES = "all_storage_classes_128K"
    #: Objects under 128 KiB, except in transitions to GLACIER and DEEP_ARCHIVE, which move objects of any size.
    VARIES = "varies_by_storage_class"

    def allows(self, size: int, target: StorageClass) -> bool:
        """Return whether an object of `size` bytes is moved to a storage class."""
        return size >= SMALL_SIZE or (self is TransitionMinimum.VARIES and target.is_archive)
