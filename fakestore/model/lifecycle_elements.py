"""The elements of a lifecycle rule: its filter, and when objects are removed or moved to another storage class.

Source: the public S3 documentation, except where a sentence is marked as ours.
"""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import Any

from fakestore.errors import INVALID_ARGUMENT, INVALID_REQUEST, MALFORMED_XML, ErrorResponse
from fakestore.model.storage_class import StorageClass
from fakestore.model.tagging import Tag
from fakestore.xml.declarations import (
    REQUIRED,
    TextType,
    changed,
    child,
    children,
    element,
    integer,
    parse_timestamp,
    render_timestamp,
)

#: The maximum number of days of a rule.
MOST_DAYS = 2**31 - 1

#: The maximum number of noncurrent versions that a rule keeps.
MOST_KEPT_VERSIONS = 100

#: The maximum size in a filter, in bytes.
MOST_BYTES = 2**63 - 1


def number(
    tag: str, least: int, most: int, *, place: str, default: int | None = REQUIRED, inside: str | None = None
) -> Any:
    """Declare a field that is a number.

    Args:
        place: The name of the surrounding element in the public service's message for a number out of bounds.
    """

    def out_of_bounds(tag: str, text: str, explanation: str) -> ErrorResponse:
        return INVALID_ARGUMENT.error(
            f"'{tag}' for {place} must be a {'positive' if least else 'non-negative'} integer",
            explanation=explanation,
            ArgumentName=tag,
            ArgumentValue=text,
        )

    return child(tag, default=default, inside=inside, kind=integer(least, most), invalid=out_of_bounds)


def is_midnight(moment: datetime) -> bool:
    """Return whether ``moment`` is a midnight and has the time zone UTC."""
    return moment.utcoffset() == timedelta(0) and moment.time() == time()


def _parse_midnight(text: str) -> datetime:
    moment = parse_timestamp(text)
    if not is_midnight(moment):
        raise INVALID_ARGUMENT.error(
            "'Date' must be at midnight GMT",
            explanation=f"<Date> is {text.strip()!r}, which is not a midnight in UTC; expected for example"
            " 2030-01-31T00:00:00Z",
            ArgumentName="Date",
            ArgumentValue=text.strip(),
        )
    return moment


#: A date that is a midnight in UTC.
MIDNIGHT = TextType(_parse_midnight, render_timestamp)


@element()
class Expiration:
    """The action on the latest entry of a key: an object expires, or a delete marker without versions is removed.

    Args:
        days: The current object expires this many days after it was written. A delete marker that is the only entry of
            its key is removed at this age.
        date: The current object expires on this date, a midnight in UTC.
        expired_marker: Whether a delete marker that is the only entry of its key is removed. False has no effect, but
            is rendered. [expired-marker-false]
    """

    days: int | None = number("Days", 1, MOST_DAYS, place="Expiration action", default=None)
    date: datetime | None = child("Date", default=None, kind=MIDNIGHT)
    expired_marker: bool | None = child("ExpiredObjectDeleteMarker", default=None)

    def validate(self) -> None:
        if (self.days, self.date, self.expired_marker).count(None) != 2:
            raise MALFORMED_XML.error(
                explanation="<Expiration> needs exactly one of <Days>, <Date> and <ExpiredObjectDeleteMarker>"
            )


@element()
class NoncurrentExpiration:
    """The action that removes noncurrent versions.

    Args:
        days: A noncurrent version is removed this many days after the next newer entry was written.
        newer_versions: The number of newest noncurrent versions that are kept.
    """

    days: int = number("NoncurrentDays", 1, MOST_DAYS, place="NoncurrentVersionExpiration action")
    newer_versions: int | None = number(
        "NewerNoncurrentVersions", 1, MOST_KEPT_VERSIONS, place="NoncurrentVersionExpiration action", default=None
    )


@element()
class Predicates:
    """The conditions under which a rule applies to an object.

    Args:
        prefix: The rule applies to keys that start with it.
        larger_than: The rule applies to objects with more bytes. A rule with a size never applies to a delete marker,
            which has no size, and never to an upload (ours).
        smaller_than: The rule applies to objects with fewer bytes.
    """

    prefix: str | None = child("Prefix", default=None)
    larger_than: int | None = number("ObjectSizeGreaterThan", 0, MOST_BYTES, place="Filter", default=None)
    smaller_than: int | None = number("ObjectSizeLessThan", 1, MOST_BYTES, place="Filter", default=None)

    @property
    def has_size(self) -> bool:
        return self.larger_than is not None or self.smaller_than is not None

    def accepts_size(self, size: int) -> bool:
        """Return whether the predicates hold for an object of `size` bytes."""
        return (self.larger_than is None or size > self.larger_than) and (
            self.smaller_than is None or size < self.smaller_than
        )


@element()
class And(Predicates):
    tags: tuple[Tag, ...] = children("Tag", default=())

    @property
    def count(self) -> int:
        return 3 - (self.prefix, self.larger_than, self.smaller_than).count(None) + len(self.tags)

    def validate(self) -> None:
        if len({tag.key for tag in self.tags}) < len(self.tags):
            raise INVALID_REQUEST.error(
                "Duplicate Tag Keys are not allowed.", explanation="<And> has two elements <Tag> with the same <Key>"
            )
        if self.count < 2:
            raise MALFORMED_XML.error(explanation="<And> has fewer than two predicates; put a single one into <Filter>")
        if self.larger_than is not None and self.smaller_than is not None and self.larger_than >= self.smaller_than:
            raise INVALID_REQUEST.error("'ObjectSizeLessThan' has to be a value greater than 'ObjectSizeGreaterThan'")


@element()
class Filter(Predicates):
    """The filter of a rule. If it is empty, the rule applies to every object.

    Args:
        tag: The rule applies to objects that have this tag. A rule with tags never applies to a delete marker, which
            has no tags.
        conjunction: The predicates, if there are several.
    """

    tag: Tag | None = child("Tag", default=None)
    conjunction: And | None = child("And", default=None)

    @property
    def predicates(self) -> Predicates:
        """The element that contains the predicates: the ``<And>``, or the filter itself if it has no ``<And>``."""
        return self.conjunction or self

    @property
    def tags(self) -> tuple[Tag, ...]:
        if self.conjunction is not None:
            return self.conjunction.tags
        return () if self.tag is None else (self.tag,)

    def validate(self) -> None:
        if (self.prefix, self.larger_than, self.smaller_than, self.tag, self.conjunction).count(None) < 4:
            raise MALFORMED_XML.error(explanation="<Filter> has several predicates; put them into its <And>")

    def simplified(self) -> Filter:
        """Return the filter without an empty prefix in its ``<And>``, and without an ``<And>`` for one predicate."""
        several = self.conjunction
        if several is None or several.prefix != "":
            return self
        several = changed(several, prefix=None)
        if several.count > 1:
            return Filter(conjunction=several)
        tag = several.tags[0] if several.tags else None
        return Filter(larger_than=several.larger_than, smaller_than=several.smaller_than, tag=tag)


#: The minimum number of days that an object must be in its class before it can move to each storage class.
_LEAST_DAYS = {StorageClass.STANDARD_IA: 30, StorageClass.ONEZONE_IA: 30}

_TARGETS = {str(each): each for each in StorageClass if StorageClass.STANDARD.can_move_to(each)}


@element()
class Transition:
    """When the current object of a key is moved.

    Args:
        days: It is moved this many days after it was written.
        date: It is moved on this date, a midnight in UTC. A transition has either ``days`` or ``date``.
    """

    days: int | None = number("Days", 0, MOST_DAYS, place="Transition action", default=None)
    date: datetime | None = child("Date", default=None, kind=MIDNIGHT)
    storage_class: StorageClass = child("StorageClass", choices=_TARGETS)

    def validate(self) -> None:
        if (self.days is None) == (self.date is None):
            raise MALFORMED_XML.error(explanation="<Transition> needs one of <Days> and <Date>")
        _check_days("Days", "Transition", self.days, self.storage_class)


@element()
class NoncurrentTransition:
    """When noncurrent versions are moved.

    Args:
        days: A version is moved this many days after the next newer entry was written.
        newer_versions: The number of newest noncurrent versions that are not moved.
    """

    days: int = number("NoncurrentDays", 0, MOST_DAYS, place="NoncurrentVersionTransition action")
    newer_versions: int | None = number(
        "NewerNoncurrentVersions", 1, MOST_KEPT_VERSIONS, place="NoncurrentVersionTransition action", default=None
    )
    storage_class: StorageClass = child("StorageClass", choices=_TARGETS)

    def validate(self) -> None:
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
