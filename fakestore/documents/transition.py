"""The elements of a LifecycleConfiguration that move versions to another storage class."""

from __future__ import annotations

from datetime import datetime

from fakestore.documents.lifecycle_texts import MIDNIGHT, not_in_bounds
from fakestore.model.errors import INVALID_ARGUMENT, MALFORMED_XML
from fakestore.model.lifecycle import MOST_DAYS, MOST_KEPT_VERSIONS
from fakestore.model.shape import child, element
from fakestore.model.storage_class import StorageClass
from fakestore.model.text_types import integer
from fakestore.model.transition import LEAST_DAYS, NoncurrentTransition, Transition

_TARGETS = {str(each): each for each in StorageClass if StorageClass.STANDARD.can_move_to(each)}


@element()
class TransitionElement:
    """When the current object of a key is moved to another storage class."""

    days: int | None = child(
        "Days", default=None, kind=integer(0, MOST_DAYS), invalid=not_in_bounds("Transition action", "non-negative")
    )
    date: datetime | None = child("Date", default=None, kind=MIDNIGHT)
    storage_class: StorageClass = child("StorageClass", choices=_TARGETS)

    def validate(self) -> None:
        """Refuse a transition with both days and a date, or neither, and days that are too few for the storage class.

        Raises:
            ErrorResponse: MalformedXML or InvalidArgument.
        """
        if (self.days is None) == (self.date is None):
            raise MALFORMED_XML.error(explanation="<Transition> needs one of <Days> and <Date>")
        _check_days("Days", "Transition", self.days, self.storage_class)

    def to_transition(self) -> Transition:
        """Return the transition."""
        return Transition(storage_class=self.storage_class, days=self.days, date=self.date)

    @classmethod
    def from_transition(cls, transition: Transition) -> TransitionElement:
        """Return the element for ``transition``."""
        return cls(days=transition.days, date=transition.date, storage_class=transition.storage_class)


@element()
class NoncurrentTransitionElement:
    """When noncurrent versions are moved to another storage class."""

    days: int = child(
        "NoncurrentDays",
        kind=integer(0, MOST_DAYS),
        invalid=not_in_bounds("NoncurrentVersionTransition action", "non-negative"),
    )
    newer_versions: int | None = child(
        "NewerNoncurrentVersions",
        default=None,
        kind=integer(1, MOST_KEPT_VERSIONS),
        invalid=not_in_bounds("NoncurrentVersionTransition action"),
    )
    storage_class: StorageClass = child("StorageClass", choices=_TARGETS)

    def validate(self) -> None:
        """Refuse days that are too few for the storage class.

        Raises:
            ErrorResponse: InvalidArgument.
        """
        _check_days("NoncurrentDays", "NoncurrentVersionTransition", self.days, self.storage_class)

    def to_transition(self) -> NoncurrentTransition:
        """Return the transition."""
        return NoncurrentTransition(
            storage_class=self.storage_class, days=self.days, newer_versions=self.newer_versions
        )

    @classmethod
    def from_transition(cls, transition: NoncurrentTransition) -> NoncurrentTransitionElement:
        """Return the element for ``transition``."""
        return cls(
            days=transition.days, newer_versions=transition.newer_versions, storage_class=transition.storage_class
        )


def _check_days(tag: str, action: str, days: int | None, storage_class: StorageClass) -> None:
    least = LEAST_DAYS.get(storage_class, 0)
    if days is not None and days < least:
        raise INVALID_ARGUMENT.error(
            f"'{tag}' in {action} action must be greater than or equal to {least} for storageClass '{storage_class}'",
            explanation=f"<{tag}> is {days}; objects must be {least} days old before they are moved to {storage_class}",
            ArgumentName=tag,
            ArgumentValue=str(days),
        )
