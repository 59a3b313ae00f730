"""The versioning states of a bucket."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from fakestore.errors import ILLEGAL_VERSIONING
from fakestore.model.object_version import NULL, VersionId
from fakestore.xml.declarations import child, document


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
        return issue() if self is Versioning.ENABLED else NULL  # rule: next-version-id


@document("VersioningConfiguration")
class VersioningConfiguration:
    """The versioning of a bucket, as a document states it.

    ``status`` is ``None`` for a bucket that was never versioned; only a reply can have this value. ``mfa_delete`` is
    ``None`` if the bucket has no device, or if a request does not mention it.
    """

    status: Versioning | None = child(
        "Status", default=None, choices={"Enabled": Versioning.ENABLED, "Suspended": Versioning.SUSPENDED}
    )
    mfa_delete: bool | None = child("MfaDelete", default=None, choices={"Enabled": True, "Disabled": False})

    def validate(self) -> None:
        """Refuse a request without a Status."""
        if self.status is None:
            raise ILLEGAL_VERSIONING.error(
                "The Versioning element must be specified",
                explanation="<VersioningConfiguration> has no <Status>; this element is required",
            )
