"""The versioning states of a bucket."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from fakestore.model.version_ids import NULL, VersionId


class Versioning(Enum):
    """The versioning state of a bucket. A bucket that was enabled once can be suspended, but never returns to NEVER."""

    NEVER = "never"
    ENABLED = "enabled"
    SUSPENDED = "suspended"

    def next_id(self, issue: Callable[[], VersionId]) -> VersionId:
        """Return the id for the next entry: a new id while versioning is enabled, otherwise ``null``."""
        return issue() if self is Versioning.ENABLED else NULL
