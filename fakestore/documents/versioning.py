"""The VersioningConfiguration document."""

from __future__ import annotations

from fakestore.model.errors import ILLEGAL_VERSIONING
from fakestore.model.shape import child, document
from fakestore.model.versioning import Versioning


@document("VersioningConfiguration")
class VersioningConfiguration:
    """The versioning of a bucket.

    ``status`` is ``None`` for a bucket that was never versioned, which only a reply can say. ``mfa_delete`` is ``None``
    if the bucket has no device, or if a request does not mention it.
    """

    status: Versioning | None = child(
        "Status", default=None, choices={"Enabled": Versioning.ENABLED, "Suspended": Versioning.SUSPENDED}
    )
    mfa_delete: bool | None = child("MfaDelete", default=None, choices={"Enabled": True, "Disabled": False})

    def validate(self) -> None:
        """Refuse a request without a Status.

        Raises:
            ErrorResponse: IllegalVersioningConfigurationException, if the status is missing.
        """
        if self.status is None:
            raise ILLEGAL_VERSIONING.error(
                "The Versioning element must be specified",
                explanation="<VersioningConfiguration> has no <Status>; this element is required",
            )
