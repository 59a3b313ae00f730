"""Lifecycle rules: what they do to the versions of a key, and when a bucket looks at which keys."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from itertools import groupby, islice, pairwise
from operator import itemgetter
from typing import Any, NamedTuple

from fakestore.errors import INVALID_ARGUMENT, INVALID_REQUEST, MALFORMED_XML
from fakestore.messages import counted, escaped, shortened
from fakestore.model.keys import KeyIndex
from fakestore.model.lifecycle_elements import (
    MOST_DAYS,
    Expiration,
    Filter,
    NoncurrentExpiration,
    NoncurrentTransition,
    Transition,
    is_midnight,
    not_in_bounds,
)
from fakestore.model.multipart_upload import MultipartUpload, UploadIndex
from fakestore.model.object_lock import LegalHold
from fakestore.model.object_version import DeleteMarker, Entry, EntryId, History, ObjectVersion, VersionId
from fakestore.model.semantics import TransitionMinimum
from fakestore.model.storage_class import StorageClass
from fakestore.model.tagging import OBJECT_TAGS, Tag, tag_pairs
from fakestore.xml.declarations import changed, child, children, document, element, integer, outside

#: The maximum length of the id of a rule, in characters.
RULE_ID_LENGTH = 255

#: The maximum number of rules of a bucket.
MOST_RULES = 1000


@element()
class Rule:
    """A lifecycle rule. Source: the public S3 documentation, except where a sentence is marked as ours.

    Example:
        >>> tidy = Rule(id="tidy", filter=Filter(prefix="logs/"), enabled=True, expiration=Expiration(days=30))

    Args:
        id: The id; empty in a request that leaves it to the service.
        own_prefix: The prefix of the keys, in the older form without a filter.
        filter: The objects to which the rule applies.
        enabled: A disabled rule does nothing.
        expiration: When the current object expires, or a delete marker is removed.
        transitions: When the current object is moved to other storage classes.
        noncurrent_transitions: When noncurrent versions are moved to other storage classes.
        noncurrent: When noncurrent versions are removed.
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
    abort_days: int | None = child(
        "DaysAfterInitiation",
        inside="AbortIncompleteMultipartUpload",
        default=None,
        kind=integer(1, MOST_DAYS),
        invalid=not_in_bounds("AbortIncompleteMultipartUpload action"),
    )

    def validate(self) -> None:
        """Refuse a rule with a long id, without exactly one filter, or without an action.

        A rule with tags has neither an action for uploads nor one for delete markers. [tags-and-lifecycle]
        """
        if len(self.id) > RULE_ID_LENGTH:
            raise INVALID_ARGUMENT.error(
                f"ID length should not exceed allowed limit of {RULE_ID_LENGTH}",
                explanation=f"<ID> has {len(self.id):,} characters; expected {RULE_ID_LENGTH} at most",
                ArgumentName="ID",
                ArgumentValue=self.id,
            )
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
        if expiration.expired_marker is None and self.expiration is not None:
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
    def prefix(self) -> str:
        """The rule applies to keys that start with it."""
        return (self.own_prefix if self.filter is None else self.filter.predicates.prefix) or ""

    @property
    def tags(self) -> tuple[Tag, ...]:
        """The rule applies to objects that have all of these tags."""
        return () if self.filter is None else self.filter.tags

    def applies_to(self, entry: Entry) -> bool:
        """Return whether the rule is enabled and the key, size and tags of ``entry`` match it."""
        if not self.enabled or not entry.key.startswith(self.prefix):  # rule: rule-has-prefix
            return False
        if isinstance(entry, DeleteMarker):
            return not self.has_size and not self.tags  # rule: markers-have-no-tags
        if any(entry.tags.get(tag.key) != tag.value for tag in self.tags):  # rule: rule-has-tags
            return False
        if self.filter is None:
            return True
        sizes = self.filter.predicates
        return (sizes.larger_than is None or entry.size > sizes.larger_than) and (
            sizes.smaller_than is None or entry.size < sizes.smaller_than
        )

    @property
    def has_size(self) -> bool:
        """Whether the rule has a minimum or maximum size of objects."""
        if self.filter is None:
            return False
        sizes = self.filter.predicates
        return sizes.larger_than is not None or sizes.smaller_than is not None

    @property
    def storage_classes(self) -> frozenset[StorageClass]:
        """The storage classes to which the rule moves objects."""
        transitions: tuple[Transition | NoncurrentTransition, ...] = (*self.transitions, *self.noncurrent_transitions)
        return frozenset(each.storage_class for each in transitions)

    def expiration_time(self, version: ObjectVersion) -> datetime | None:
        """Return when the rule, which applies to the current object ``version``, expires it; None for never."""
        expiration = self.expiration
        return None if expiration is None else _time_of_action(version, expiration.days, expiration.date)

    def moves(self, version: ObjectVersion) -> Iterator[Move]:
        """Yield where and when the rule, which applies to the current object ``version``, moves it."""
        for each in self.transitions:
            at = _time_of_action(version, each.days, each.date)
            if at is not None and version.storage_class.can_move_to(each.storage_class):
                yield Move(at, each.storage_class, self.id)

    def noncurrent_moves(self, version: ObjectVersion, newer: Entry, newer_count: int) -> Iterator[Move]:
        """Yield where and when the rule, which applies to the noncurrent ``version``, moves it.

        Args:
            newer: The next newer entry.
            newer_count: The number of newer noncurrent entries.
        """
        for each in self.noncurrent_transitions:
            at = midnight_after(newer.last_modified, each.days)
            is_kept = newer_count < (each.newer_versions or 0)
            if at is not None and not is_kept and version.storage_class.can_move_to(each.storage_class):
                yield Move(at, each.storage_class, self.id)

    def abort_time(self, upload: MultipartUpload) -> datetime | None:
        """Return when the rule aborts ``upload``; None for never."""
        # rule: abort-has-prefix
        if not self.enabled or self.abort_days is None or not upload.key.startswith(self.prefix):
            return None
        if self.has_size:
            return None
        return midnight_after(upload.initiated, self.abort_days)  # rule: abort-days

    def marker_removal_time(self, marker: DeleteMarker) -> datetime | None:
        """Return when the rule, which applies to the lone ``marker``, removes it; None for never."""
        expiration = self.expiration
        if expiration is not None and expiration.days is not None:
            return midnight_after(marker.last_modified, expiration.days)  # rule: marker-days
        return midnight_after(marker.last_modified, 0) if expiration is not None and expiration.expired_marker else None


def _check_order(tag: str, kind: str, end: Any, starts: Iterable[Any]) -> None:
    """Check that an expiration comes after every transition; a value of None is absent."""
    if end is not None and any(start is not None and start >= end for start in starts):
        raise INVALID_ARGUMENT.error(
            f"'{tag}' in the {kind}Expiration action must be greater than '{tag}' in the {kind}Transition action",
            explanation=f"a <Rule> moves objects at the time of its <{kind}Expiration> or later",
            ArgumentName=tag,
        )


class Expiry(NamedTuple):
    """When something is due, and by which rule."""

    date: datetime
    rule_id: str


class Move(NamedTuple):
    """When a version is moved, to which storage class, and by which rule."""

    date: datetime
    storage_class: StorageClass
    rule_id: str


@document("LifecycleConfiguration")
class Lifecycle:
    """The lifecycle rules of a bucket. If several rules are due at the same time, the first one applies.

    Args:
        rules: The rules.
        transition_minimum: Which objects are too small to be moved, from a header. None for the default of the service,
            or for objects under 128 KiB if the service has no default.
    """

    rules: tuple[Rule, ...] = children("Rule", least=1, most=MOST_RULES)
    transition_minimum: TransitionMinimum | None = outside(default=None)

    def validate(self) -> None:
        """Refuse two rules with the same id, and invalid tags."""
        counts = Counter(rule.id for rule in self.rules if rule.id)
        if (repeated := next((rule_id for rule_id, count in counts.items() if count > 1), None)) is not None:
            raise INVALID_ARGUMENT.error(
                "Rule ID must be unique. Found same ID for one or more rules",
                explanation=f"<ID> is {repeated!r} in several rules; give each rule its own id",
                ArgumentName="ID",
                ArgumentValue=repeated,
            )
        for rule in self.rules:
            OBJECT_TAGS.check(tag_pairs(rule.tags))

    def completed(self) -> Lifecycle:
        """Return the rules as replies show them. A rule without an id gets one, from its place and its content."""
        ids = {rule.id for rule in self.rules}
        return changed(self, rules=tuple(_complete(rule, place, ids) for place, rule in enumerate(self.rules)))

    @property
    def most_kept(self) -> int:
        """The largest number of noncurrent versions that a rule keeps.

        If it is not 0, a write can make a version due at once, because the version then has one more newer version.
        """
        return max(
            (
                each.newer_versions or 0
                for rule in self.rules
                for each in (rule.noncurrent, *rule.noncurrent_transitions)
                if each is not None
            ),
            default=0,
        )

    def get_expiry(self, version: ObjectVersion) -> Expiry | None:
        """Return when and by which rule the current object ``version`` expires, or None if no rule applies.

        The time is the object's last modification plus the days of the rule, rounded up to a midnight UTC; or the date
        of the rule. If the object was written after this date, the time is the first midnight after the write (ours).
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

        The time is proportional to the length of the history only if a rule has an action for noncurrent versions and
        ``appended`` is None or the history is not chronological.

        Args:
            history: The history of one key.
            not_before: The earliest date of an action. Actions that became due because a rule was added or an entry
                was removed have this date.
            appended: The number of entries that were appended since the last call without a due action, if no midnight
                has passed meanwhile; otherwise None. In a chronological history only appended entries can make versions
                due, because they increase the number of newer versions. A removed entry makes nothing due: the version
                below it then has a later next newer entry.
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
        rules = [(rule, rule.noncurrent) for rule in self.rules if rule.noncurrent is not None]
        if not rules:
            return []
        due_versions = []
        for newer_count, (newer, entry) in enumerate(noncurrent):
            due = _earliest(
                Expiry(at, rule.id)
                for rule, expiration in rules
                if newer_count >= (expiration.newer_versions or 0)  # rule: newer-versions-stay
                and rule.applies_to(entry)
                # rule: noncurrent-since
                and (at := _unlocked_time(entry, midnight_after(newer.last_modified, expiration.days))) is not None
            )
            if due is not None:
                due_versions.append((due, entry.version_id))
        return [
            RemoveVersions(at=due.date, version_ids=tuple(id for _, id in together), rule_id=due.rule_id)
            for due, together in groupby(reversed(due_versions), key=itemgetter(0))
        ]

    def _moves(self, latest: Entry | None, noncurrent: Iterable[tuple[Entry, Entry]]) -> list[MoveVersions]:
        """Return the actions that move versions. The actions for noncurrent versions come first. [transitions]

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
        """Return the next move of a version. If several are due at the same time, the cheapest storage class wins."""
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
        elif latest is not None and len(history) == 1:  # rule: lone-marker
            due = _earliest(
                Expiry(at, rule.id)
                for rule in self.rules
                if rule.applies_to(latest) and (at := rule.marker_removal_time(latest)) is not None
            )
            if due is not None:
                yield RemoveVersions(at=due.date, version_ids=(latest.version_id,), rule_id=due.rule_id)


def _complete(rule: Rule, place: int, ids: set[str]) -> Rule:
    rule = changed(rule, filter=None if rule.filter is None else rule.filter.simplified())
    return rule if rule.id else changed(rule, id=_derive_id(f"{place} {rule!r}", ids))


def _derive_id(source: str, existing: set[str]) -> str:
    """Return the id of a rule that was sent without one. It is not in ``existing``.

    A client may send a document with a derived id again, so another rule can already have that id.
    """
    while (derived := hashlib.sha256(source.encode()).hexdigest()) in existing:
        source = derived
    return derived


def _time_of_action(version: ObjectVersion, days: int | None, date: datetime | None) -> datetime | None:
    """Return when an action by days or by date is due for the current object ``version``; None for never."""
    earliest = midnight_after(version.last_modified, days or 0)  # rule: expiry-days
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
    # rule: expiry-waits-for-retention
    return midnight_after(retention.until, 0) if retention is not None and retention.is_active(due) else due


def _earliest(expiries: Iterable[Expiry]) -> Expiry | None:
    return min(expiries, key=lambda expiry: expiry.date, default=None)


def midnight_after(moment: datetime, days: int) -> datetime | None:
    """Return the first midnight UTC at least ``days`` after ``moment``, or None if it is after the year 9999."""
    try:
        due = moment + timedelta(days=days)
        midnight = datetime.combine(due, time(), UTC)
        return midnight if midnight == due else midnight + timedelta(days=1)  # rule: due-at-midnight
    except OverflowError:
        return None


class ExpireCurrent(NamedTuple):
    """The action that expires the current object. A delete marker that results from it has ``at`` as its time."""

    at: datetime
    rule_id: str


class RemoveVersions(NamedTuple):
    """The action that permanently removes noncurrent versions, oldest first, or a lone delete marker.

    Versions that one rule removes at one time are in one action, so that a long history is examined only a few times.
    """

    at: datetime
    version_ids: tuple[VersionId, ...]
    rule_id: str


class MoveVersions(NamedTuple):
    """The action that moves versions to another storage class, oldest first."""

    at: datetime
    version_ids: tuple[VersionId, ...]
    storage_class: StorageClass
    rule_id: str


Action = ExpireCurrent | RemoveVersions | MoveVersions


class LifecycleEffect(NamedTuple):
    """What a lifecycle rule did to a key.

    Attributes:
        bucket: The name of the bucket.
        key: The key.
        rule_id: The id of the rule.
        due: When the rule was due, in UTC. The store may have applied it later, at the next look at the bucket.
        created: The delete marker that an expired object got, if any.
        removed: The versions and delete markers that the rule removed permanently.
        moved: The versions that the rule moved to :attr:`storage_class`.
        storage_class: The new storage class of the versions that were moved, or None.
        upload_id: The id of the multipart upload that the rule aborted, or None.
    """

    bucket: str
    key: str
    rule_id: str
    due: datetime
    created: tuple[EntryId, ...] = ()
    removed: tuple[EntryId, ...] = ()
    moved: tuple[EntryId, ...] = ()
    storage_class: StorageClass | None = None
    upload_id: str | None = None

    @property
    def changes(self) -> list[str]:
        """What was changed, in words."""
        changes = [f"created {shortened(marker.version_id)} (delete marker)" for marker in self.created]
        if self.removed:
            changes.append(f"removed {describe_versions(self.removed)}")
        if self.storage_class is not None:
            changes.append(f"moved {describe_versions(self.moved)} to {self.storage_class.value}")
        if self.upload_id is not None:
            changes.append(f"aborted upload {shortened(self.upload_id)}")
        return changes

    @property
    def rule(self) -> str:
        """The rule and when it was due, in words."""
        return f"lifecycle rule {self.rule_id!r}, due {self.due:%Y-%m-%d %H:%M:%S}"

    def __str__(self) -> str:
        return escaped(", ".join([f"{self.rule}: {self.bucket}/{self.key}", *self.changes]))


def describe_versions(entries: tuple[EntryId, ...]) -> str:
    """Return the shortened id of a version, or the number of several versions."""
    return shortened(entries[0].version_id) if len(entries) == 1 else counted(len(entries), "version")


class LifecycleSchedule:
    """Finds the lifecycle actions that are due. Each change of the rules makes a new schedule.

    Rules act at midnight UTC, so every key is examined by the first run of a day. During the day a modified key is
    examined only if an action may become due before the next midnight. This is the case if an entry was removed, if an
    entry was written exactly at midnight or has the date of another day, or if a rule keeps a number of noncurrent
    versions.

    Args:
        lifecycle: The rules.
    """

    def __init__(self, lifecycle: Lifecycle) -> None:
        self.lifecycle = lifecycle
        self._last_daily_run: date | None = None
        #: The keys modified since the last daily run, with the number of entries appended to each.
        self._modified: dict[str, int] = {}

    def note_append(self, entry: Entry) -> None:
        """Note that ``entry`` was appended to the history of its key."""
        written, count, most_kept = entry.last_modified, self._modified.get(entry.key), self.lifecycle.most_kept
        # An entry is due at a midnight after the day of its writing, unless it was written at a midnight.
        if count is not None or most_kept or written.date() != self._last_daily_run or is_midnight(written):
            self._modified[entry.key] = (count or 0) + 1

    def note_removal(self, key: str) -> None:
        """Note that an entry was removed from the history of ``key``, which still has entries."""
        self._modified.setdefault(key, 0)

    def note_change(self, key: str, count: int) -> None:
        """Note that one of the ``count`` entries of ``key`` changed, so that other rules may apply to it."""
        self._modified[key] = count

    def due_actions(self, index: KeyIndex, now: datetime, not_before: datetime) -> Iterator[tuple[str, Action]]:
        """Yield each action that is due by ``now``, with its key.

        The caller applies an action before it takes the next, because actions can cause other actions. If a key was
        modified since the daily run, only its newest entries are examined, unless the clock was set back between two
        entries.

        Args:
            index: The keys of the bucket.
            now: The present time.
            not_before: The earliest date of an action that became due because a rule was added later.
        """
        is_daily_run = self._last_daily_run != now.date()
        self._last_daily_run = now.date()
        for key in list(index) if is_daily_run else sorted(self._modified):
            earliest = not_before
            while history := index.get(key):
                appended = None if is_daily_run else self._modified[key]
                action = self.lifecycle.next_action(history, not_before=earliest, appended=appended)
                if action is None or action.at > now:
                    break
                # An action that this one makes possible is not dated before it.
                earliest = max(earliest, action.at)
                yield key, action
        self._modified.clear()

    def due_uploads(self, uploads: UploadIndex, now: datetime) -> list[tuple[MultipartUpload, Expiry]]:
        """Return the uploads to abort by ``now``, and why. This is called before :meth:`due_actions`.

        They are examined once a day: an upload is never due on the day on which it began.
        """
        if self._last_daily_run == now.date() or not uploads:
            return []
        dated = ((upload, self.lifecycle.get_abort(upload)) for upload in uploads)
        return [(upload, due) for upload, due in dated if due is not None and due.date <= now]

    def copy(self) -> LifecycleSchedule:
        """Return an independent copy."""
        other = LifecycleSchedule(self.lifecycle)
        other._last_daily_run, other._modified = self._last_daily_run, self._modified.copy()
        return other
