"""The lifecycle rules of a bucket: what they do to the versions of a key, and when a bucket looks at which keys.

Source: the public S3 documentation, except where a sentence is marked as ours.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date, datetime
from functools import partial
from itertools import groupby, islice, pairwise
from operator import itemgetter
from typing import NamedTuple, TypeVar

from fakestore.errors import invalid_argument
from fakestore.messages import counted, escaped, shortened
from fakestore.model.keys import KeyIndex
from fakestore.model.lifecycle_rule import Move, Noncurrent, Rule
from fakestore.model.multipart_upload import MultipartUpload, UploadIndex
from fakestore.model.object_version import Entry, EntryId, History, ObjectVersion
from fakestore.model.semantics import TransitionMinimum
from fakestore.model.storage_class import StorageClass
from fakestore.model.tagging import OBJECT_TAGS, tag_pairs
from fakestore.model.versioning import NULL
from fakestore.xml.declarations import changed, children, document, outside

Due = TypeVar("Due")

#: The maximum number of rules of a bucket.
MOST_RULES = 1000


class Expiry(NamedTuple):
    date: datetime
    rule_id: str


@document("LifecycleConfiguration")
class Lifecycle:
    """The lifecycle rules of a bucket. If several rules are due at the same time, the first one applies.

    Args:
        transition_minimum: Which objects are too small to be moved, from a header. None for the default of the service,
            or for objects under 128 KiB if the service has no default.
    """

    rules: tuple[Rule, ...] = children("Rule", least=1, most=MOST_RULES)
    transition_minimum: TransitionMinimum | None = outside(default=None)

    def validate(self) -> None:
        counts = Counter(rule.id for rule in self.rules if rule.id)
        repeated = next((rule_id for rule_id, count in counts.items() if count > 1), None)
        if repeated is not None:
            raise invalid_argument(
                "ID",
                repeated,
                "Rule ID must be unique. Found same ID for one or more rules",
                explanation=f"<ID> is {repeated!r} in several rules; give each rule its own id",
            )
        for rule in self.rules:
            OBJECT_TAGS.check(tag_pairs(rule.tags))

    def completed(self) -> Lifecycle:
        """Return the rules as replies show them. A rule without an id gets one, from its place and its content."""
        ids = {rule.id for rule in self.rules}
        simplified = [changed(rule, filter=rule.filter and rule.filter.simplified()) for rule in self.rules]
        return changed(self, rules=tuple(_complete(rule, place, ids) for place, rule in enumerate(simplified)))

    def get_expiry(self, version: ObjectVersion) -> Expiry | None:
        """Return when and by which rule the current object ``version`` expires, or None if no rule applies.

        The time is the object's last modification plus the days of the rule, rounded up to a midnight UTC; or the date
        of the rule. If the object was written after this date, the time is the first midnight after the write (ours).
        """
        return self._earliest(lambda rule: rule.expiration_time(version))

    def get_abort(self, upload: MultipartUpload) -> Expiry | None:
        return self._earliest(lambda rule: rule.abort_time(upload))

    def _earliest(self, time_of: Callable[[Rule], datetime | None]) -> Expiry | None:
        """Return when the first rule acts, and its id. The function returns when a rule acts; None for never."""
        times = (Expiry(at, rule.id) for rule in self.rules if (at := time_of(rule)) is not None)
        return min(times, key=lambda expiry: expiry.date, default=None)

    def next_action(
        self, history: History, *, not_before: datetime | None = None, newest: int | None = None
    ) -> Action | None:
        """Return the next lifecycle action for this history, or None.

        The caller applies it when it is due, and calls again until nothing is due. An action is dated by its rule, not
        by the time of the call, so the result does not depend on how often this is called. If several actions are due
        at the same time, the oldest versions are removed first, then versions are moved, and the current object
        expires last.

        A version is noncurrent since the last modification of the next newer entry. Delete markers count as newer
        versions that a rule keeps. A delete marker that is the only entry of its key is removed at the first midnight
        after it was made, or at once if it was made at midnight (our decision).

        Args:
            not_before: The earliest date of an action. Actions that became due because a rule was added or an entry
                was removed have this date.
            newest: How many of the newest noncurrent entries can be due; None for all.
        """
        pairs = islice(pairwise(history), newest)
        noncurrent = [Noncurrent(entry, newer, count) for count, (newer, entry) in enumerate(pairs)]
        actions = (
            *self._removals(noncurrent),
            *self._moves(history.latest, noncurrent),
            *self._latest_entry_actions(history),
        )
        action = min(actions, key=lambda due: due.at, default=None)
        if action is None or not_before is None or action.at >= not_before:
            return action
        return action._replace(at=not_before)

    def _removals(self, newest_first: list[Noncurrent]) -> Iterator[Action]:
        due_versions = []
        for each in newest_first:
            due = self._earliest(partial(Rule.removal_time, noncurrent=each))
            if due is not None:
                due_versions.append((due, each.entry.version_id))
        for due, version_ids in _grouped(due_versions):
            yield RemoveVersions(due.date, version_ids, due.rule_id)

    def _moves(self, latest: Entry | None, newest_first: list[Noncurrent]) -> Iterator[Action]:
        """Yield the actions that move versions, oldest first. [transitions]"""
        due_versions = []
        if isinstance(latest, ObjectVersion):
            due_versions.append((self._first_move(latest, None), latest.version_id))
        for each in newest_first:
            if isinstance(each.entry, ObjectVersion):
                due_versions.append((self._first_move(each.entry, each), each.entry.version_id))
        for move, version_ids in _grouped(due_versions):
            if move is not None:
                yield MoveVersions(move.date, version_ids, move.storage_class, move.rule_id)

    def _first_move(self, version: ObjectVersion, noncurrent: Noncurrent | None) -> Move | None:
        """Return the next move of a version. If several are due at the same time, the cheapest storage class wins."""
        minimum = self.transition_minimum or TransitionMinimum.ALL_CLASSES
        possible = (
            move
            for rule in self.rules
            for move in rule.moves(version, noncurrent)
            if rule.predicates.has_size or minimum.allows(version.size, move.storage_class)
        )
        return min(possible, key=lambda move: (move.date, move.storage_class.price_rank), default=None)

    def _latest_entry_actions(self, history: History) -> Iterator[Action]:
        """Yield the action for the latest entry, if it has one: an object expires, a lone marker is removed."""
        latest = history.latest
        if isinstance(latest, ObjectVersion):
            expiry = self.get_expiry(latest)
            if expiry is not None:
                yield ExpireCurrent(expiry.date, expiry.rule_id)
        elif latest is not None and len(history) == 1:
            removal = self._earliest(partial(Rule.marker_removal_time, marker=latest))
            if removal is not None:
                yield RemoveVersions(removal.date, (latest.version_id,), removal.rule_id)


def _grouped(due_versions: list[tuple[Due, str]]) -> Iterator[tuple[Due, tuple[str, ...]]]:
    """Group adjacent versions for which the same is due. Yield what is due, and the versions, from old to new."""
    for due, together in groupby(reversed(due_versions), key=itemgetter(0)):
        yield due, tuple(version_id for _, version_id in together)


def _complete(rule: Rule, place: int, ids: set[str]) -> Rule:
    """Return a rule with an id. A derived id is not in ``ids``: a client may send an id again, for another rule."""
    source = f"{place} {rule!r}"
    while (derived := hashlib.sha256(source.encode()).hexdigest()) in ids:
        source = derived
    return changed(rule, id=rule.id or derived)


class ExpireCurrent(NamedTuple):
    """The action that expires the current object. A delete marker that results from it has ``at`` as its time."""

    at: datetime
    rule_id: str


class RemoveVersions(NamedTuple):
    """The action that permanently removes noncurrent versions, oldest first, or a lone delete marker.

    Versions that one rule removes at one time are in one action, so that a long history is examined only a few times.
    """

    at: datetime
    version_ids: tuple[str, ...]
    rule_id: str


class MoveVersions(NamedTuple):
    """The action that moves versions to another storage class, oldest first."""

    at: datetime
    version_ids: tuple[str, ...]
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
        changes = [f"created {describe_versions((marker,))} (delete marker)" for marker in self.created]
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
    if len(entries) > 1:
        return counted(len(entries), "version")
    # Without the noun, "created null" looks as if nothing was created.
    return f"version {NULL}" if entries[0].version_id == NULL else shortened(entries[0].version_id)


class LifecycleSchedule:
    """Finds the lifecycle actions that are due. Each change of the rules makes a new schedule.

    Rules act at midnight UTC, so the first run of a day examines every key. During the day a run examines only the keys
    that were written.
    """

    def __init__(self, lifecycle: Lifecycle) -> None:
        self.lifecycle = lifecycle
        self._last_daily_run: date | None = None
        #: The keys that were written since the last run, and how many changes were noted for each.
        self._changed: dict[str, int] = {}

    def reschedule(self, key: str, count: int) -> None:
        """Note that entries of ``key`` changed.

        Args:
            count: The number of newest entries that were added or changed; 0 after a removal.
        """
        self._changed[key] = self._changed.get(key, 0) + count

    def due_actions(self, index: KeyIndex, now: datetime, not_before: datetime) -> Iterator[tuple[str, Action]]:
        """Yield each action that is due by ``now``, with its key.

        The caller applies an action before it takes the next, because actions can cause other actions.

        Args:
            not_before: The earliest date of an action. An action that was due earlier has this date.
        """
        is_daily_run = self._last_daily_run != now.date()
        self._last_daily_run = now.date()
        for key in list(index.keys) if is_daily_run else sorted(self._changed):
            earliest = not_before
            while history := index.get(key):
                newest = None if is_daily_run else self._newest(history, self._changed[key])
                action = self.lifecycle.next_action(history, not_before=earliest, newest=newest)
                if action is None or action.at > now:
                    break
                # An action that this one makes possible is not dated before it.
                earliest = max(earliest, action.at)
                yield key, action
        self._changed.clear()

    def due_uploads(self, uploads: UploadIndex, now: datetime) -> list[tuple[MultipartUpload, Expiry]]:
        """Return the uploads to abort by ``now``, and why. This is called before :meth:`due_actions`.

        They are examined once a day, because an upload is never due on the day on which it began.
        """
        if self._last_daily_run == now.date():
            return []
        dated = ((upload, self.lifecycle.get_abort(upload)) for upload in uploads)
        return [(upload, due) for upload, due in dated if due is not None and due.date <= now]

    def _newest(self, history: History, count: int) -> int | None:
        """Return how many of the newest noncurrent entries can be due after ``count`` changes; None for all.

        After n writes, only the newest n + kept entries can be due: the others were noncurrent before, and rules do not
        count more newer versions. After a removal, none can be due. If the entries are not in the order of their dates,
        each can be.
        """
        if not history.is_chronological:
            return None
        actions = (each for rule in self.lifecycle.rules for each in (rule.noncurrent, *rule.noncurrent_transitions))
        kept = max((each.newer_versions or 0 for each in actions if each is not None), default=0)
        return count + kept if count else 0

    def copy(self) -> LifecycleSchedule:
        other = LifecycleSchedule(self.lifecycle)
        other._last_daily_run, other._changed = self._last_daily_run, self._changed.copy()
        return other
