"""Transitions: the lifecycle actions that move versions to another storage class.

Source: the public S3 documentation.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from fakestore.model.storage_class import StorageClass

#: The storage classes whose objects must be in their present class for some days, and the minimum number of days.
LEAST_DAYS = {StorageClass.STANDARD_IA: 30, StorageClass.ONEZONE_IA: 30}


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
