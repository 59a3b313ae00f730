"""The AccelerateConfiguration document."""

from __future__ import annotations

from fakestore.model.errors import MALFORMED_XML
from fakestore.model.shape import child, document


@document("AccelerateConfiguration")
class AccelerateConfiguration:
    """Whether transfers to the bucket are accelerated. A bucket for which that was never set has no status."""

    status: str | None = child("Status", default=None, choices={name: name for name in ("Enabled", "Suspended")})

    def validate(self) -> None:
        """Refuse a request without a status.

        Raises:
            ErrorResponse: MalformedXML.
        """
        if self.status is None:
            raise MALFORMED_XML.error(explanation="<AccelerateConfiguration> has no <Status>; this element is required")
