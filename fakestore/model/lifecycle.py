"""Lifecycle rules: when objects expire, and what the rules do to the history of a key as time goes by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from itertools import groupby, islice, pairwise
from operator import itemgetter
from typing import NamedTuple

from fakestore.model.history import DeleteMarker, Entry, History, ObjectVersion, VersionId

#: The most days a rule can wait.
MOST_DAYS = 2**31 - 1
#: The most noncurrent versions a rule can keep.
MOST_KEPT_VERSIONS = 100
#: The largest size a rule can compare with, in bytes.
MOST_BYTES = 2**63 - 1
#: The longest id of a rule, in characters.
RULE_ID_LENGTH = 255
#: The most rules of one bucket.
MOST_RULES = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What happens to the keys with a prefix, and when.

    The current object expires ``days`` after it was written or on ``date``. A noncurrent version is removed
    ``noncurrent_days`` after another was written over it, once ``newer_noncurrent_versions`` (``None`` is 0)
    noncurrent ones are above it. An expired object delete marker, which is a marker that is all its key has
    left, is removed by ``expired_marker``, and by ``days`` when it has that age. ``False`` does no more than
    ``None``, but it is written back [expired-marker-false]. Source: the public S3 documentation.

    With ``larger_than`` or ``smaller_than``, both exclusive and in bytes, a rule is about objects only: a
    delete marker has no size (ours).

    ``empty_filter`` says that the document had an empty filter, where others have an empty prefix: the same rule,
    but it is written back as it came. [empty-filter]

    Raises:
        ValueError: a number is out of its bounds, ``date`` is no midnight in UTC, the rule does nothing, or
            its parts do not go together.
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
    empty_filter: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        if not 1 <= len(self.id) <= RULE_ID_LENGTH:
            raise ValueError(f"the id of a rule has 1 to {RULE_ID_LENGTH} characters, not {len(self.id)}")
        for name, least, most in (
            ("days", 1, MOST_DAYS),
            ("noncurrent_days", 1, MOST_DAYS),
            ("newer_noncurrent_versions", 1, MOST_KEPT_VERSIONS),
            ("larger_than", 0, MOST_BYTES),
            ("smaller_than", 1, MOST_BYTES),
        ):
            number = getattr(self, name)
            if number is not None and not least <= number <= most:
                raise ValueError(f"{name} is a number from {least} to {most}, not {number}")
        if self.date is not None and not is_midnight(self.date):
            raise ValueError(f"date is a midnight in UTC, not {self.date}")
        if (self.days is not None) + (self.date is not None) + (self.expired_marker is not None) > 1:
            raise ValueError("a rule has one of days, date and expired_marker")
        if self.newer_noncurrent_versions is not None and self.noncurrent_days is None:
            raise ValueError("newer_noncurrent_versions goes with noncurrent_days")
        if self.smaller_than is not None and (self.larger_than or 0) >= self.smaller_than:
            raise ValueError("larger_than is less than smaller_than")
        if not self.expired_marker and (self.days, self.date, self.noncurrent_days) == (None, None, None):
            raise ValueError("a rule has one of days, date, noncurrent_days and expired_marker at least")

    def applies_to(self, entry: Entry) -> bool:
        """Whether the rule is enabled and about this entry, by its key and size."""
        if not self.enabled or not entry.key.startswith(self.prefix):
            return False
        if isinstance(entry, DeleteMarker):
            return self.larger_than is None and self.smaller_than is None
        return (self.larger_than is None or entry.size > self.larger_than) and (
            self.smaller_than is None or entry.size < self.smaller_than
        )

    def _expires(self, version: ObjectVersion) -> datetime | None:
        if self.days is not None:
            return _midnight(version.last_modified, self.days)
        if self.date is not None:
            written = _midnight(version.last_modified, 0)
            return None if written is None else max(self.date, written)
        return None

    def _cleans_up(self, marker: DeleteMarker) -> datetime | None:
        if self.days is not None:
            return _midnight(marker.last_modified, self.days)
        return _midnight(marker.last_modified, 0) if self.expired_marker else None


class Expiry(NamedTuple):
    """When something is due, and by which rule."""

    date: datetime
    rule_id: str


class ExpireCurrent(NamedTuple):
    """The current object expires at ``at``. What that leaves behind is for the bucket to know.

    A delete marker made for it has ``at`` as its time.
    """

    at: datetime
    rule_id: str


class RemoveVersions(NamedTuple):
    """Noncurrent versions, oldest first, or an expired object delete marker, are removed for good at ``at``.

    Those that one rule removes at one moment go together, so that a long history is read a few times only.
    """

    at: datetime
    version_ids: tuple[VersionId, ...]
    rule_id: str


Action = ExpireCurrent | RemoveVersions


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """The rules of a bucket, in the order they were given; of several due at one moment the first counts.

    Raises:
        ValueError: there are none, too many, or two with one id.
    """

    rules: tuple[Rule, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.rules) <= MOST_RULES:
            raise ValueError(f"a lifecycle has 1 to {MOST_RULES} rules, not {len(self.rules)}")
        if len({rule.id for rule in self.rules}) < len(self.rules):
            raise ValueError("the ids of the rules are not unique")

    @property
    def most_kept(self) -> int:
        """The most noncurrent versions that a rule keeps; behind them another write may make one due at once."""
        return max(rule.newer_noncurrent_versions or 0 for rule in self.rules)

    def expiry_of(self, version: ObjectVersion) -> Expiry | None:
        """When ``version``, being the current one, expires; ``None`` where no rule says so.

        That is its last modification and the rule's days, rounded up to a midnight UTC, or the rule's date. A
        date that was past when the object was written acts at the first midnight from then on (ours).
        """
        return _earliest(
            Expiry(at, rule.id)
            for rule in self.rules
            if rule.applies_to(version) and (at := rule._expires(version)) is not None
        )

    def next_action(
        self, history: History, *, not_before: datetime | None = None, written: int | None = None
    ) -> Action | None:
        """The earliest thing the rules do to this history; ``None`` where they leave it as it is.

        Apply it once its time has come and ask again, until nothing is due: what follows from an action is
        dated by that action, so the outcome does not depend on how often one looks. Of actions due at one
        moment the removal of the oldest versions comes first, and the expiry of the current object last.

        A version is noncurrent since the last modification of the entry that is directly over it now. Every
        noncurrent entry, markers too, counts among the newer ones that a rule keeps. An expired object delete
        marker goes at the first midnight at or after its making (ours).

        The time it takes grows with the length of the history only where a rule has ``noncurrent_days``, and then
        not in an ascending history of which it is known what was ``written``.

        Args:
            history: of one key.
            not_before: nothing is dated earlier than this. Where a rule is put late, or a version comes
                to light again late, what is overdue is then dated by that moment, and not in the past.
            written: how many entries were put on top, and any number taken away, since nothing was due at this
                time of the clock. In an ascending history nothing else can have become due by that: a version
                comes to lie under a later one only, and only writes move it behind those that a rule keeps.
        """
        looked_at = len(history)
        if written is not None and history.ascending:
            looked_at = written + self.most_kept if written else 0
        removals = self._removals(islice(pairwise(history), looked_at))
        action = min((*removals, *self._ends(history)), key=lambda due: due.at, default=None)
        if action is None or not_before is None or action.at >= not_before:
            return action
        return action._replace(at=not_before)

    def _removals(self, noncurrent: Iterable[tuple[Entry, Entry]]) -> list[RemoveVersions]:
        """What noncurrent expiration removes of these, each behind the one over it, newest first.

        Oldest first, so none changes what is newer than the others.
        """
        rules = [(rule, rule.noncurrent_days) for rule in self.rules if rule.noncurrent_days is not None]
        if not rules:
            return []
        found = []
        for newer, (over, entry) in enumerate(noncurrent):
            due = _earliest(
                Expiry(at, rule.id)
                for rule, days in rules
                if newer >= (rule.newer_noncurrent_versions or 0)
                and rule.applies_to(entry)
                and (at := _midnight(over.last_modified, days)) is not None
            )
            if due is not None:
                found.append((due, entry.version_id))
        return [
            RemoveVersions(at=due.date, version_ids=tuple(id for _, id in together), rule_id=due.rule_id)
            for due, together in groupby(reversed(found), key=itemgetter(0))
        ]

    def _ends(self, history: History) -> Iterator[Action]:
        """How the newest entry ends: an object expires; a marker goes once it is alone."""
        current = history.current
        if isinstance(current, ObjectVersion):
            expiry = self.expiry_of(current)
            if expiry is not None:
                yield ExpireCurrent(at=expiry.date, rule_id=expiry.rule_id)
        elif current is not None and len(history) == 1:
            due = _earliest(
                Expiry(at, rule.id)
                for rule in self.rules
                if rule.applies_to(current) and (at := rule._cleans_up(current)) is not None
            )
            if due is not None:
                yield RemoveVersions(at=due.date, version_ids=(current.version_id,), rule_id=due.rule_id)


def is_midnight(moment: datetime) -> bool:
    """Whether ``moment`` is in UTC, says so, and is a midnight."""
    return moment.utcoffset() == timedelta(0) and moment.time() == time()


def _earliest(expiries: Iterable[Expiry]) -> Expiry | None:
    return min(expiries, key=lambda expiry: expiry.date, default=None)


def _midnight(moment: datetime, days: int) -> datetime | None:
    """The first midnight UTC at least ``days`` after ``moment``; ``None`` where the calendar ends before."""
    try:
        due = moment + timedelta(days=days)
        midnight = datetime.combine(due, time(), UTC)
        return midnight if midnight == due else midnight + timedelta(days=1)
    except OverflowError:
        return None
