"""Transitions: the lifecycle actions that move versions to another storage class.

Source: the public S3 documentation.
"""

from __future__ import annotations

from datetime import datetime

from fakestore.model.errors import INVALID_ARGUMENT, MALFORMED_XML
from fakestore.model.lifecycle_elements import MIDNIGHT, MOST_DAYS, MOST_KEPT_VERSIONS, not_in_bounds
from fakestore.model.shape import child, element
from fakestore.model.storage_class import StorageClass
from fakestore.model.text_types import integer

#: The storage classes whose objects must be in their present class for some days, and the minimum number of days.
_LEAST_DAYS = {StorageClass.STANDARD_IA: 30, StorageClass.ONEZONE_IA: 30}
_TARGETS = {str(each): each for each in StorageClass if StorageClass.STANDARD.can_move_to(each)}


@element()
class Transition:
    """When the current object of a key is moved.

    Args:
        days: It is moved this many days after it was written.
        date: It is moved on this date, a midnight in UTC. A transition has either ``days`` or ``date``.
        storage_class: Where it is moved.
    """

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


@element()
class NoncurrentTransition:
    """When noncurrent versions are moved.

    Args:
        days: A version is moved this many days after the next newer entry was written.
        newer_versions: The number of newest noncurrent versions that are not moved.
        storage_class: Where they are moved.
    """

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


def _check_days(tag: str, action: str, days: int | None, storage_class: StorageClass) -> None:
    least = _LEAST_DAYS.get(storage_class, 0)
    if days is not None and days < least:
        raise INVALID_ARGUMENT.error(
            f"'{tag}' in {action} action must be greater than or equal to {least} for storageClass '{storage_class}'",
            explanation=f"<{tag}> is {days}; objects must be {least} days old before they are moved to {storage_class}",
            ArgumentName=tag,
            ArgumentValue=str(days),
        )
