"""Transitions: the lifecycle actions that move versions to another storage class.

Source: the public S3 documentation.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from fakestore.model.storage_class import StorageClass

#: Objects with fewer bytes are not moved, unless the filter of a rule has a size.
SMALL_SIZE = 128 * 1024
#: The storage classes whose objects must be in their present class for some days, and the minimum number of days.
LEAST_DAYS = {StorageClass.STANDARD_IA: 30, StorageClass.ONEZONE_IA: 30}


class TransitionMinimum(StrEnum):
    """Which objects are too small to be moved if the filter of a rule has no size."""

    #: Objects under 128 KiB.
    ALL_CLASSES = "all_storage_classes_128K"
    #: Objects under 128 KiB, except for transitions to GLACIER and DEEP_ARCHIVE, which move objects of any size.
    VARIES = "varies_by_storage_class"

    def allows(self, size: int, target: StorageClass) -> bool:
        """Return whether an object of `size` bytes is moved to a storage class."""
        return size >= SMALL_SIZE or (self is TransitionMinimum.VARIES and target.is_archive)


class Transition(NamedTuple):
    """When the current object of a key is moved.

    Args:
        storage_class: Where it is moved.
        days: It is moved this many days after it was written.
        date: It is moved on this date, a midnight in UTC. A transition has either ``days`` or ``date``.
    """

    storage_class: StorageClass
    days: int | None = None
    date: datetime | None = None


class NoncurrentTransition(NamedTuple):
    """When noncurrent versions are moved.

    Args:
        storage_class: Where they are moved.
        days: A version is moved this many days after the next newer entry was written.
        newer_versions: The number of newest noncurrent versions that are not moved.
    """

    storage_class: StorageClass
    days: int
    newer_versions: int | None = None
