"""The RestoreRequest document."""

from __future__ import annotations

from enum import StrEnum

from fakestore.model.lifecycle_elements import MOST_DAYS
from fakestore.model.shape import child, document, element
from fakestore.model.text_types import integer
from fakestore.model.unsupported import UnsupportedRequest


class Tier(StrEnum):
    """How fast an archived object is restored."""

    EXPEDITED = "Expedited"
    STANDARD = "Standard"
    BULK = "Bulk"


@element()
class GlacierJobParameters:
    """The parameters of a restoration."""

    tier: Tier = child("Tier")


@document("RestoreRequest", unsupported=("Type", "SelectParameters", "OutputLocation", "Description"))
class RestoreRequest:
    """The number of days for which an archived object is restored, and the tier.

    The tier is in ``<GlacierJobParameters>``, or in a ``<Tier>`` of its own.
    """

    days: int = child("Days", kind=integer(1, MOST_DAYS))
    job: GlacierJobParameters | None = child("GlacierJobParameters", default=None)
    own_tier: Tier | None = child("Tier", default=None)

    def validate(self) -> None:
        """Refuse two tiers.

        Raises:
            UnsupportedRequest: If it has a ``<Tier>`` and ``<GlacierJobParameters>``.
        """
        if self.job is not None and self.own_tier is not None:
            raise UnsupportedRequest(
                "<RestoreRequest> with both <Tier> and <GlacierJobParameters> is not supported; send one of them"
            )

    @property
    def tier(self) -> Tier:
        """How fast the object is restored."""
        return self.job.tier if self.job is not None else self.own_tier or Tier.STANDARD
