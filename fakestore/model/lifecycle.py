"""Lifecycle rules: when objects expire or are moved, and when old versions and delete markers are removed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from enum import Enum
from functools import partial
from itertools import groupby, islice, pairwise
from operator import itemgetter
from typing import NamedTuple

from fakestore.model.frozen_mapping import FrozenMapping
from fakestore.model.history import History
from fakestore.model.lifecycle_actions import Action, ExpireCurrent, MoveVersions, RemoveVersions
from fakestore.model.multipart_upload import MultipartUpload
from fakestore.model.object_lock import LegalHold
from fakestore.model.object_version import DeleteMarker, Entry, ObjectVersion
from fakestore.model.storage_class import StorageClass
from fakestore.model.tagging import NO_TAGS
from fakestore.model.transition import NoncurrentTransition, Transition
from fakestore.model.transition_minimum import TransitionMinimum

#: The maximum number of days of a rule.
MOST_DAYS = 2**31 - 1
#: The maximum number of noncurrent versions that a rule keeps.
MOST_KEPT_VERSIONS = 100
#: The maximum size that a rule compares with, in bytes.
MOST_BYTES = 2**63 - 1
#: The maximum length of the id of a rule, in characters.
RULE_ID_LENGTH = 255
#: The maximum number of rules of a bucket.
MOST_RULES = 1000


class PrefixForm(Enum):
    """How the document of a rule writes the prefix of its keys."""

    #: In the filter.
    IN_FILTER = "in filter"
    #: Not at all: an empty filter is for every key.
    EMPTY_FILTER = "empty filter"
    #: In the rule itself, which has no filter. This is the older form.
    IN_RULE = "in rule"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A lifecycle rule. Source: the public S3 documentation, except where a sentence is marked as ours.

    Example:
        >>> tidy = Rule(id="tidy", prefix="logs/", days=30, noncurrent_days=7)

    Args:
        prefix: The rule is about keys that start with it.
        enabled: A disabled rule does nothing.
        days: The current object expires this many days after it was written. A delete marker that is the only entry of
            its key is removed at this age.
        date: The current object expires on this date, a midnight in UTC.
        noncurrent_days: A noncurrent version is removed this many days after the next newer entry was written.
        newer_noncurrent_versions: The number of newest noncurrent versions that ``noncurrent_days`` keeps.
        expired_marker: Whether a delete marker that is the only entry of its key is removed. False has no effect, but
            is rendered. [expired-marker-false]
        larger_than: The rule is about objects with more bytes. A rule with a size never applies to a delete marker,
            which has no size (ours).
        smaller_than: The rule is about objects with fewer bytes.
        abort_days: A multipart upload is aborted this many days after it began. A rule with a size never applies to an
            upload (ours).
        tags: The rule is about objects that have all of these tags. A rule with tags never applies to a delete marker,
            which has no tags.
        transitions: When the current object is moved to other storage classes.
        noncurrent_transitions: When noncurrent versions are moved to other storage classes.
        form: How the document of the rule wrote its prefix. The rule is the same, but is rendered as it was put.
            [prefix-of-a-rule]

    Raises:
        ValueError: If a number is out of its bounds, ``date`` is not a midnight in UTC, the rule has no effect, or
            two arguments contradict each other.
    """

    id: str
    prefix: str = ""
    enabled: bool = True
    days: int | None = None
    date: datetime | None = None
    noncurrent_days: int | None = None
    newer_noncurrent_versions: int | None = None
    expired_marker: bool | None = None
    larger_than: int | None = None
    smaller_than: int | None = None
    abort_days: int | None = None
    tags: FrozenMapping = NO_TAGS
    transitions: tuple[Transition, ...] = ()
    noncurrent_transitions: tuple[NoncurrentTransition, ...] = ()
    form: PrefixForm = field(default=PrefixForm.IN_FILTER, compare=False)

    def __post_init__(self) -> None:
        if not 1 <= len(self.id) <= RULE_ID_LENGTH:
            raise ValueError(f"the id of a rule must have 1 to {RULE_ID_LENGTH} characters, not {len(self.id)}")
        for name, least, most in (
            ("days", 1, MOST_DAYS),
            ("noncurrent_days", 1, MOST_DAYS),
            ("newer_noncurrent_versions", 1, MOST_KEPT_VERSIONS),
            ("larger_than", 0, MOST_BYTES),
            ("smaller_than", 1, MOST_BYTES),
            ("abort_days", 1, MOST_DAYS),
        ):
            number = getattr(self, name)
            if number is not None and not (isinstance(number, int) and least <= number <= most):
                raise ValueError(f"{name} must be a whole number from {least} to {most}, not {number!r}")
        if self.date is not None and not is_midnight(self.date):
            raise ValueError(f"date must be a midnight in UTC, not {self.date}")
        if (self.days is not None) + (self.date is not None) + (self.expired_marker is not None) > 1:
            raise ValueError("a rule can have only one of days, date and expired_marker")
        if self.newer_noncurrent_versions is not None and self.noncurrent_days is None:
            raise ValueError("newer_noncurrent_versions needs noncurrent_days")
        if self.smaller_than is not None and (self.larger_than or 0) >= self.smaller_than:
            raise ValueError("larger_than must be less than smaller_than")
        actions = (self.days, self.date, self.noncurrent_days, self.abort_days)
        if not self.expired_marker and actions == (None, None, None, None) and not self.storage_classes:
            raise ValueError("a rule needs at least one of days, date, noncurrent_days and expired_marker")

    def applies_to(self, entry: Entry) -> bool:
        """Return whether the rule is enabled and the key, size and tags of ``entry`` match it."""
        if not self.enabled or not entry.key.startswith(self.prefix):
            return False
        if isinstance(entry, DeleteMarker):
            return not self.has_size and not self.tags
        if self.tags and not self.tags.items() <= entry.tags.items():
            return False
        return (self.larger_than is None or entry.size > self.larger_than) and (
            self.smaller_than is None or entry.size < self.smaller_than
        )

    @property
    def has_size(self) -> bool:
        """Whether the rule is about objects of some sizes only."""
        return self.larger_than is not None or self.smaller_than is not None

    @property
    def storage_classes(self) -> frozenset[StorageClass]:
        """The storage classes to which the rule moves objects."""
        transitions: tuple[Transition | NoncurrentTransition, ...] = (*self.transitions, *self.noncurrent_transitions)
        return frozenset(each.storage_class for each in transitions)

    def expiration_time(self, version: ObjectVersion) -> datetime | None:
        """Return when the rule expires the current object ``version``, which it applies to; None for never."""
        return _time_of_action(version, self.days, self.date)

    def moves(self, version: ObjectVersion) -> Iterator[Move]:
        """Yield where and when the rule moves the current object ``version``, which it applies to."""
        for each in self.transitions:
            at = _time_of_action(version, each.days, each.date)
            if at is not None and version.storage_class.can_move_to(each.storage_class):
                yield Move(at, each.storage_class, self.id)

    def noncurrent_moves(self, version: ObjectVersion, newer: Entry, newer_count: int) -> Iterator[Move]:
        """Yield where and when the rule moves the noncurrent ``version``, which it applies to.

        Args:
            newer: The next newer entry.
            newer_count: The number of newer entries that are noncurrent, too.
        """
        for each in self.noncurrent_transitions:
            at = midnight_after(newer.last_modified, each.days)
            is_kept = newer_count < (each.newer_versions or 0)
            if at is not None and not is_kept and version.storage_class.can_move_to(each.storage_class):
                yield Move(at, each.storage_class, self.id)

    def abort_time(self, upload: MultipartUpload) -> datetime | None:
        """Return when the rule aborts ``upload``; None for never."""
        if not self.enabled or self.abort_days is None or not upload.key.startswith(self.prefix):
            return None
        if self.has_size:
            return None
        return midnight_after(upload.initiated, self.abort_days)

    def marker_removal_time(self, marker: DeleteMarker) -> datetime | None:
        """Return when the rule removes ``marker``, which it applies to and which is alone; None for never."""
        if self.days is not None:
            return midnight_after(marker.last_modified, self.days)
        return midnight_after(marker.last_modified, 0) if self.expired_marker else None


class Expiry(NamedTuple):
    """When something is due, and by which rule."""

    date: datetime
    rule_id: str


class Move(NamedTuple):
    """When a version is moved, to which storage class, and by which rule."""

    date: datetime
    storage_class: StorageClass
    rule_id: str


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """The lifecycle rules of a bucket. If several rules are due at the same time, the first one applies.

    Args:
        rules: The rules.
        transition_minimum: Which objects are too small to be moved; None for the default of the service, or for objects
            under 128 KiB if it has none.

    Raises:
        ValueError: If the number of rules is not from 1 to 1,000, or two rules have the same id.
    """

    rules: tuple[Rule, ...]
    transition_minimum: TransitionMinimum | None = None

    def __post_init__(self) -> None:
        if not 1 <= len(self.rules) <= MOST_RULES:
            raise ValueError(f"a lifecycle must have 1 to {MOST_RULES} rules, not {len(self.rules)}")
        if len({rule.id for rule in self.rules}) < len(self.rules):
            raise ValueError("the ids of the rules are not unique")

    @property
    def most_kept(self) -> int:
        """The largest number of noncurrent versions that a rule keeps.

        If it is not 0, a write can make a version due at once, because one more is newer.
        """
        return max(
            kept or 0
            for rule in self.rules
            for kept in (rule.newer_noncurrent_versions, *(each.newer_versions for each in rule.noncurrent_transitions))
        )

    def get_expiry(self, version: ObjectVersion) -> Expiry | None:
        """Return when and by which rule the current object ``version`` expires, or None if no rule applies.

        The time is its last modification plus the days of the rule, rounded up to a midnight UTC; or the date of the
        rule. If that date was past when the object was written, it is the first midnight since then (ours).
        """
        return _earliest(
            Expiry(at, rule.id)
            for rule in self.rules
            if rule.applies_to(version) and (at := rule.expiration_time(version)) is not None
        )

    def get_abort(self, upload: MultipartUpload) -> Expiry | None:
        """Return when and by which rule ``upload`` is aborted unless it is finished, or None if no rule applies."""
        return _earliest(Expiry(at, rule.id) for rule in self.rules if (at := rule.abort_time(upload)) is not None)

    def next_action(
        self, history: History, *, not_before: datetime | None = None, appended: int | None = None
    ) -> Action | None:
        """Return the next lifecycle action for this history, or None.

        The caller applies it when it is due, and calls again until nothing is due. An action is dated by its rule, not
        by the time of the call, so the result does not depend on how often this is called. If several actions are due
        at the same time, the oldest versions are removed first, then versions are moved, and the current object
        expires last.

        A version is noncurrent since the last modification of the next newer entry. Delete markers count as newer
        versions that a rule keeps. A delete marker that is the only entry of its key is removed at the first midnight
        after it was made, or at once if it was made at midnight (our decision).

        The time is proportional to the length of the history only if a rule is about noncurrent versions and
        ``appended`` is None or the history is not chronological.

        Args:
            history: The history of one key.
            not_before: The earliest date of an action. Actions that became due because a rule was added or an entry
                was removed have this date.
            appended: The number of entries that were appended since the last call for which nothing was due, if no
                midnight has passed meanwhile; otherwise None. In a chronological history only appended entries can
                make versions due, because they increase the number of newer versions. A removed entry makes nothing
                due: the version below it then has a later next newer entry.
        """
        examined = len(history)
        if appended is not None and history.is_chronological:
            examined = appended + self.most_kept if appended else 0
        actions = (
            *self._removals(islice(pairwise(history), examined)),
            *self._moves(history.latest, islice(pairwise(history), examined)),
            *self._latest_entry_actions(history),
        )
        action = min(actions, key=lambda due: due.at, default=None)
        if action is None or not_before is None or action.at >= not_before:
            return action
        return action._replace(at=not_before)

    def _removals(self, noncurrent: Iterable[tuple[Entry, Entry]]) -> list[RemoveVersions]:
        """Return the actions for noncurrent versions, oldest first.

        Args:
            noncurrent: Pairs of the next newer entry and the noncurrent entry, newest first.
        """
        rules = [(rule, rule.noncurrent_days) for rule in self.rules if rule.noncurrent_days is not None]
        if not rules:
            return []
        due_versions = []
        for newer_count, (newer, entry) in enumerate(noncurrent):
            due = _earliest(
                Expiry(at, rule.id)
                for rule, days in rules
                if newer_count >= (rule.newer_noncurrent_versions or 0)
                and rule.applies_to(entry)
                and (at := _unlocked_time(entry, midnight_after(newer.last_modified, days))) is not None
            )
            if due is not None:
                due_versions.append((due, entry.version_id))
        return [
            RemoveVersions(at=due.date, version_ids=tuple(id for _, id in together), rule_id=due.rule_id)
            for due, together in groupby(reversed(due_versions), key=itemgetter(0))
        ]

    def _moves(self, latest: Entry | None, noncurrent: Iterable[tuple[Entry, Entry]]) -> list[MoveVersions]:
        """Return the actions that move versions, those of noncurrent ones first. [transitions]

        Args:
            latest: The latest entry.
            noncurrent: As for :meth:`_removals`.
        """
        due_versions = []
        if isinstance(latest, ObjectVersion) and any(rule.transitions for rule in self.rules):
            due_versions.append((self._first_move(latest, partial(Rule.moves, version=latest)), latest.version_id))
        if any(rule.noncurrent_transitions for rule in self.rules):
            for newer_count, (newer, entry) in enumerate(noncurrent):
                if isinstance(entry, ObjectVersion):
                    moves = partial(Rule.noncurrent_moves, version=entry, newer=newer, newer_count=newer_count)
                    due_versions.append((self._first_move(entry, moves), entry.version_id))
        return [
            MoveVersions(move.date, tuple(id for _, id in together), move.storage_class, move.rule_id)
            for move, together in groupby(reversed(due_versions), key=itemgetter(0))
            if move is not None
        ]

    def _first_move(self, version: ObjectVersion, moves: Callable[[Rule], Iterator[Move]]) -> Move | None:
        """Return the next move of a version: of several at the same time, that to the cheapest storage class."""
        minimum = self.transition_minimum or TransitionMinimum.ALL_CLASSES
        possible = (
            move
            for rule in self.rules
            if rule.applies_to(version)
            for move in moves(rule)
            if rule.has_size or minimum.allows(version.size, move.storage_class)
        )
        return min(possible, key=lambda move: (move.date, move.storage_class.price_rank), default=None)

    def _latest_entry_actions(self, history: History) -> Iterator[Action]:
        """Yield the action for the latest entry, if it has one: an object expires, a lone marker is removed."""
        latest = history.latest
        if isinstance(latest, ObjectVersion):
            expiry = self.get_expiry(latest)
            if expiry is not None:
                yield ExpireCurrent(at=expiry.date, rule_id=expiry.rule_id)
        elif latest is not None and len(history) == 1:
            due = _earliest(
                Expiry(at, rule.id)
                for rule in self.rules
                if rule.applies_to(latest) and (at := rule.marker_removal_time(latest)) is not None
            )
            if due is not None:
                yield RemoveVersions(at=due.date, version_ids=(latest.version_id,), rule_id=due.rule_id)


def _time_of_action(version: ObjectVersion, days: int | None, date: datetime | None) -> datetime | None:
    """Return when an action by days or by date is due for the current object ``version``; None for never."""
    earliest = midnight_after(version.last_modified, days or 0)
    if days is not None or earliest is None:
        return earliest
    return None if date is None else max(date, earliest)


def is_midnight(moment: datetime) -> bool:
    """Return whether ``moment`` is a midnight and has the time zone UTC."""
    return moment.utcoffset() == timedelta(0) and moment.time() == time()


def _unlocked_time(entry: Entry, due: datetime | None) -> datetime | None:
    """Return when ``entry`` can be removed: when it is due, or at the midnight after its retention; None for never."""
    if due is None or isinstance(entry, DeleteMarker):
        return due
    if entry.legal_hold is LegalHold.ON:
        return None
    retention = entry.retention
    return midnight_after(retention.until, 0) if retention is not None and retention.is_active(due) else due


def _earliest(expiries: Iterable[Expiry]) -> Expiry | None:
    return min(expiries, key=lambda expiry: expiry.date, default=None)


def midnight_after(moment: datetime, days: int) -> datetime | None:
    """Return the first midnight UTC at least ``days`` after ``moment``, or None if it is after the year 9999."""
    try:
        due = moment + timedelta(days=days)
        midnight = datetime.combine(due, time(), UTC)
        return midnight if midnight == due else midnight + timedelta(days=1)
    except OverflowError:
        return None
