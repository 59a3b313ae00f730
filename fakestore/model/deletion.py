"""The result of a DELETE: the entries of a key that it added and removed."""

from __future__ import annotations

from typing import NamedTuple

from fakestore.model.object_version import DeleteMarker, Entry


class Deletion(NamedTuple):
    """The entries that a DELETE added and removed.

    Args:
        created: The delete marker that was added, or None.
        removed: The version or delete marker that was removed permanently, or None.
    """

    created: DeleteMarker | None = None
    removed: Entry | None = None

    @property
    def marker(self) -> DeleteMarker | None:
        """The delete marker that the DELETE added or removed, or None."""
        return self.removed if self.created is None and isinstance(self.removed, DeleteMarker) else self.created
