"""A lifecycle rule: its filter, and when it removes an object or moves it to another storage class.

Source: the public S3 documentation, except where a sentence is marked as ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, time, timedelta
from typing import Any, NamedTuple

from fakestore.errors import INVALID_ARGUMENT, INVALID_REQUEST, MALFORMED_XML, ErrorResponse, invalid_argument
from fakestore.model.multipart_upload import MultipartUpload
from fakestore.model.names import check_rule_id
from fakestore.model.object_lock import LegalHold
from fakestore.model.object_version import DeleteMarker, Entry, ObjectVersion
from fakestore.model.storage_class import StorageClass
from fakestore.model.tagging import Tag
from fakestore.xml.declarations import (
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


def integer_child(tag: str, least: int, most: int, *, place: str, **arguments: Any) -> Any:
    """Declare a field that is an integer. The message for a number out of bounds names its surroundings, ``place``."""

    def out_of_bounds(tag: str, text: str, explanation: str) -> ErrorResponse:
        message = f"'{tag}' for {place} must be a {'positive' if least else 'non-negative'} integer"
        return invalid_argument(tag, text, message, explanation=explanation)

    return child(tag, kind=integer(least, most), invalid=out_of_bounds, **arguments)


def is_midnight(moment: datetime) -> bool:
    """Return whether ``moment`` is a midnight and has the time zone UTC."""
    return moment.utcoffset() == timedelta(0) and moment.time() == time()


def _parse_midnight(text: str) -> datetime:
    moment = parse_timestamp(text)
    if not is_midnight(moment):
        raise invalid_argument(
            "Date",
            text.strip(),
            "'Date' must be at midnight GMT",
            explanation=f"<Date> is {text.strip()!r}, which is not a midnight in UTC; expected for example"
            " 2030-01-31T00:00:00Z",
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

    days: int | None = integer_child("Days", 1, MOST_DAYS, place="Expiration action", default=None)
    date: datetime | None = child("Date", default=None, kind=MIDNIGHT)
    expired_marker: bool | None = child("ExpiredObjectDeleteMarker", default=None)

    def validate(self) -> None:
        if (self.days, self.date, self.expired_marker).count(None) != 2:
            raise MALFORMED_XML.error(
                explanation="<Expiration> needs exactly one of <Days>, <Date> and <ExpiredObjectDeleteMarker>"
            )


@element()
class NoncurrentExpiration:
    """Removes noncurrent versions, ``days`` after the next newer entry was written, except the newest ones."""

    days: int = integer_child("NoncurrentDays", 1, MOST_DAYS, place="NoncurrentVersionExpiration action")
    newer_versions: int | None = integer_child(
        "NewerNoncurrentVersions", 1, MOST_KEPT_VERSIONS, place="NoncurrentVersionExpiration action", default=None
    )


@element()
class Predicates:
    """The conditions under which a rule applies to an object.

    A rule with a size never applies to a delete marker, which has no size, and never to an upload (ours).
    """

    prefix: str | None = child("Prefix", default=None)
    larger_than: int | None = integer_child("ObjectSizeGreaterThan", 0, MOST_BYTES, place="Filter", default=None)
    smaller_than: int | None = integer_child("ObjectSizeLessThan", 1, MOST_BYTES, place="Filter", default=None)

    @property
    def has_size(self) -> bool:
        return self.larger_than is not None or self.smaller_than is not None

    def accepts_size(self, size: int) -> bool:
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
    """The filter of a rule: nothing, one predicate, or several in an ``<And>``.

    A rule without predicates applies to every object. A rule with tags never applies to a delete marker, which has no
    tags.
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
    """Moves the current object of a key, ``days`` after it was written or on ``date``, which is a midnight in UTC."""

    days: int | None = integer_child("Days", 0, MOST_DAYS, place="Transition action", default=None)
    date: datetime | None = child("Date", default=None, kind=MIDNIGHT)
    storage_class: StorageClass = child("StorageClass", choices=_TARGETS)

    def validate(self) -> None:
        if (self.days is None) == (self.date is None):
            raise MALFORMED_XML.error(explanation="<Transition> needs one of <Days> and <Date>")
        _check_days("Days", "Transition", self.days, self.storage_class)


@element()
class NoncurrentTransition:
    """Moves noncurrent versions, ``days`` after the next newer entry was written, except the newest ones."""

    days: int = integer_child("NoncurrentDays", 0, MOST_DAYS, place="NoncurrentVersionTransition action")
    newer_versions: int | None = integer_child(
        "NewerNoncurrentVersions", 1, MOST_KEPT_VERSIONS, place="NoncurrentVersionTransition action", default=None
    )
    storage_class: StorageClass = child("StorageClass", choices=_TARGETS)

    def validate(self) -> None:
        _check_days("NoncurrentDays", "NoncurrentVersionTransition", self.days, self.storage_class)


def _check_days(tag: str, action: str, days: int | None, storage_class: StorageClass) -> None:
    least = _LEAST_DAYS.get(storage_class, 0)
    if days is not None and days < least:
        raise invalid_argument(
            tag,
            str(days),
            f"'{tag}' in {action} action must be greater than or equal to {least} for storageClass '{storage_class}'",
            explanation=f"<{tag}> is {days}; objects must be {least} days old before they are moved to {storage_class}",
        )


class Noncurrent(NamedTuple):
    """A noncurrent entry, the next newer entry, and the number of newer noncurrent entries."""

    entry: Entry
    newer: Entry
    newer_count: int


class Move(NamedTuple):
    date: datetime
    storage_class: StorageClass
    rule_id: str


@element()
class Rule:
    """A lifecycle rule.

    Args:
        id: The id; empty in a request that leaves it to the service.
        own_prefix: The prefix of the keys, in the older form without a filter.
        abort_days: A multipart upload is aborted this many days after it began.
    """

    id: str = child("ID", default="")
    own_prefix: str | None = child("Prefix", default=None)
    filter: Filter | None = child("Filter", default=None)
    enabled: bool = child("Status", choices={"Enabled": True, "Disabled": False})
    expiration: Expiration | None = child("Expiration", default=None)
    transitions: tuple[Transition, ...] = children("Transition", default=())
    noncurrent_transitions: tuple[NoncurrentTransition, ...] = children("NoncurrentVersionTransition", default=())
    noncurrent: NoncurrentExpiration | None = child("NoncurrentVersionExpiration", default=None)
    abort_days: int | None = integer_child(
        "DaysAfterInitiation",
        1,
        MOST_DAYS,
        place="AbortIncompleteMultipartUpload action",
        inside="AbortIncompleteMultipartUpload",
        default=None,
    )

    def validate(self) -> None:
        """Refuse a rule with a long id, without exactly one filter, or without an action.

        A rule with tags has neither an action for uploads nor one for delete markers. [tags-and-lifecycle]
        """
        check_rule_id(self.id)
        if (self.own_prefix is None) == (self.filter is None):
            received = "neither <Filter> nor <Prefix>" if self.filter is None else "both <Filter> and <Prefix>"
            raise MALFORMED_XML.error(explanation=f"<Rule> has {received}; expected one of them")
        keeps_objects = self.expiration is None or self.expiration.expired_marker is False
        if self.noncurrent is None and self.abort_days is None and keeps_objects and not self.storage_classes:
            raise INVALID_REQUEST.error(
                "At least one action needs to be specified in a rule",
                explanation="<Rule> does nothing; add an <Expiration>, a <NoncurrentVersionExpiration>, an"
                " <AbortIncompleteMultipartUpload>, a <Transition> or a <NoncurrentVersionTransition>",
            )
        if self.tags:
            self._check_acts_on_objects()
        self._check_transitions()

    def _check_acts_on_objects(self) -> None:
        if self.abort_days is not None:
            refused = "AbortIncompleteMultipartUpload"
        elif self.expiration is not None and self.expiration.expired_marker is not None:
            refused = "ExpiredObjectDeleteMarker"
        else:
            return
        raise INVALID_REQUEST.error(
            f"{refused} cannot be specified with Tags.",
            explanation=f"<Rule> has both <{refused}> and <Tag>; only objects have tags, so use two rules",
        )

    def _check_transitions(self) -> None:
        """Check that each storage class is named once, and that objects expire after they were moved. [transitions]"""
        for tag, moves in (
            ("Transition", self.transitions),
            ("NoncurrentVersionTransition", self.noncurrent_transitions),
        ):
            if len({each.storage_class for each in moves}) < len(moves):
                raise INVALID_REQUEST.error(
                    f"'StorageClass' must be different for '{tag}' actions in same 'Rule'",
                    explanation=f"several elements <{tag}> of a <Rule> have the same <StorageClass>",
                )
        by_date = {each.date is not None for each in self.transitions}
        expiration = self.expiration or Expiration()
        if self.expiration is not None and expiration.expired_marker is None:
            by_date.add(expiration.date is not None)
        if len(by_date) > 1:
            raise INVALID_REQUEST.error(
                "Found mixed 'Date' and 'Days' based Expiration and Transition actions in lifecycle rule",
                explanation="the actions of a <Rule> have <Date> and <Days>; use one of them",
            )
        _check_order("Days", "", expiration.days, [each.days for each in self.transitions])
        _check_order("Date", "", expiration.date, [each.date for each in self.transitions])
        if self.noncurrent is not None:
            days = [each.days for each in self.noncurrent_transitions]
            _check_order("NoncurrentDays", "NoncurrentVersion", self.noncurrent.days, days)

    @property
    def predicates(self) -> Predicates:
        """The prefix and the sizes of the objects to which the rule applies."""
        return Predicates(prefix=self.own_prefix) if self.filter is None else self.filter.predicates

    @property
    def prefix(self) -> str:
        return self.predicates.prefix or ""

    @property
    def tags(self) -> tuple[Tag, ...]:
        """The rule applies to objects that have all of these tags."""
        return () if self.filter is None else self.filter.tags

    @property
    def storage_classes(self) -> frozenset[StorageClass]:
        transitions: tuple[Transition | NoncurrentTransition, ...] = (*self.transitions, *self.noncurrent_transitions)
        return frozenset(each.storage_class for each in transitions)

    def applies_to(self, entry: Entry) -> bool:
        if not self.enabled or not entry.key.startswith(self.prefix):
            return False
        if isinstance(entry, DeleteMarker):
            return not self.predicates.has_size and not self.tags
        if any(entry.tags.get(tag.key) != tag.value for tag in self.tags):
            return False
        return self.predicates.accepts_size(entry.size)

    # -- when the rule acts on something; None for never

    def expiration_time(self, version: ObjectVersion) -> datetime | None:
        if self.expiration is None or not self.applies_to(version):
            return None
        return _time_of_action(version, self.expiration.days, self.expiration.date)

    def marker_removal_time(self, marker: DeleteMarker) -> datetime | None:
        expiration = self.expiration
        if expiration is None or not self.applies_to(marker):
            return None
        if expiration.days is not None:
            return midnight_after(marker.last_modified, expiration.days)
        return midnight_after(marker.last_modified, 0) if expiration.expired_marker else None

    def removal_time(self, noncurrent: Noncurrent) -> datetime | None:
        entry, newer, newer_count = noncurrent
        expiration = self.noncurrent
        if expiration is None or not self.applies_to(entry):
            return None
        if newer_count >= (expiration.newer_versions or 0):
            return _unlocked_time(entry, midnight_after(newer.last_modified, expiration.days))
        return None

    def abort_time(self, upload: MultipartUpload) -> datetime | None:
        if not self.enabled or self.abort_days is None or self.predicates.has_size:
            return None
        if not upload.key.startswith(self.prefix):
            return None
        return midnight_after(upload.initiated, self.abort_days)

    def moves(self, version: ObjectVersion, noncurrent: Noncurrent | None) -> Iterator[Move]:
        """Yield when ``version`` is moved, and to which storage class; ``noncurrent`` is None for a current object."""
        if not self.applies_to(version):
            return
        if noncurrent is None:
            times = [(each.storage_class, _time_of_action(version, each.days, each.date)) for each in self.transitions]
        else:
            times = [
                (each.storage_class, midnight_after(noncurrent.newer.last_modified, each.days))
                for each in self.noncurrent_transitions
                if noncurrent.newer_count >= (each.newer_versions or 0)
            ]
        for storage_class, at in times:
            if at is not None and version.storage_class.can_move_to(storage_class):
                yield Move(at, storage_class, self.id)


def _check_order(tag: str, kind: str, end: Any, starts: Iterable[Any]) -> None:
    """Check that an expiration comes after every transition; a value of None is absent."""
    if end is not None and any(start is not None and start >= end for start in starts):
        raise INVALID_ARGUMENT.error(
            f"'{tag}' in the {kind}Expiration action must be greater than '{tag}' in the {kind}Transition action",
            explanation=f"a <Rule> moves objects at the time of its <{kind}Expiration> or later",
            ArgumentName=tag,
        )


def _time_of_action(version: ObjectVersion, days: int | None, date: datetime | None) -> datetime | None:
    """Return when an action by days or by date is due for the current object ``version``; None for never."""
    earliest = midnight_after(version.last_modified, days or 0)
    if days is not None or earliest is None:
        return earliest
    return None if date is None else max(date, earliest)


def _unlocked_time(entry: Entry, due: datetime | None) -> datetime | None:
    """Return when ``entry`` can be removed: when it is due, or at the midnight after its retention; None for never."""
    if due is None or isinstance(entry, DeleteMarker):
        return due
    if entry.legal_hold is LegalHold.ON:
        return None
    retention = entry.retention
    return midnight_after(retention.until, 0) if retention is not None and retention.is_active(due) else due


def midnight_after(moment: datetime, days: int) -> datetime | None:
    """Return the first midnight UTC at least ``days`` after ``moment``, or None if it is after the year 9999."""
    try:
        due = moment + timedelta(days=days)
        midnight = datetime.combine(due, time(), UTC)
        return midnight if midnight == due else midnight + timedelta(days=1)
    except OverflowError:
        return None
