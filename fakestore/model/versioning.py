"""The versioning states of a bucket."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from fakestore.model.version_ids import NULL, VersionId


class Versioning(StrEnum):
    """The versioning of a bucket. A bucket that was enabled once can be suspended, but never returns to NEVER.

    Each member is equal to its value, a text such as ``"enabled"``.

    Example:
        >>> from fakestore import FakeStore, Versioning
        >>> FakeStore(buckets=["photos"])["photos"].versioning == "never" == Versioning.NEVER
        True
    """

    NEVER = "never"
    ENABLED = "enabled"
    SUSPENDED = "suspended"

    def next_id(self, issue: Callable[[], VersionId]) -> VersionId:
        """Return the id for the next entry: a new id while versioning is enabled, otherwise ``null``."""
        return issue() if self is Versioning.ENABLED else NULL
