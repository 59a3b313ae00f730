"""Lifecycle rules: what they do to the history of a key, and when a bucket applies them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fakestore.model.acl import PRIVATE
from fakestore.model.bucket import BucketRecord
from fakestore.model.entity_tag import EntityTag
from fakestore.model.lifecycle import Action, ExpireCurrent, Expiry, Lifecycle, MoveVersions, RemoveVersions
from fakestore.model.lifecycle_rule import (
    And,
    Expiration,
    Filter,
    NoncurrentExpiration,
    NoncurrentTransition,
    Rule,
    Transition,
)
from fakestore.model.metadata import Metadata
from fakestore.model.object_version import DeleteMarker, Entry, History, ObjectVersion, OwnerToken, StorageClass
from fakestore.model.versioning import Versioning
from tests.model.arrange import ALICE, NOON, empty_bucket, put


def day(number: int, hours: float = 0) -> datetime:
    """A midnight in January 2030, or some hours after it."""
    return datetime(2030, 1, 1, tzinfo=UTC) + timedelta(days=number - 1, hours=hours)


def version(id: str = "v1", at: datetime = NOON, *, key: str = "logs/a", size: int = 0) -> ObjectVersion:
    return ObjectVersion(
        key=key,
        version_id=id,
        content=bytes(size),
        etag=EntityTag.of(b""),
        last_modified=at,
        all_metadata=Metadata(),
        storage_class=StorageClass.STANDARD,
        server_side_encryption=None,
        acl=PRIVATE.expand(ALICE, ALICE),
    )


def marker(id: str = "m1", at: datetime = NOON) -> DeleteMarker:
    return DeleteMarker(key="logs/a", version_id=id, last_modified=at, owner=ALICE)


def history(*oldest_first: Entry) -> History:
    result = History(OwnerToken())
    for entry in oldest_first:
        result.append(entry)
    return result


def removal(at: datetime, *ids: str, rule: str = "r") -> RemoveVersions:
    return RemoveVersions(at=at, version_ids=tuple(ids), rule_id=rule)


def a_rule(
    *,
    id: str,
    prefix: str = "",
    larger_than: int | None = None,
    smaller_than: int | None = None,
    noncurrent_days: int | None = None,
    newer_noncurrent_versions: int | None = None,
    transitions: tuple[Transition, ...] = (),
    noncurrent_transitions: tuple[NoncurrentTransition, ...] = (),
    enabled: bool = True,
    **expiration: Any,
) -> Rule:
    kept = newer_noncurrent_versions
    return Rule(
        id=id,
        filter=Filter(conjunction=And(prefix=prefix, larger_than=larger_than, smaller_than=smaller_than)),
        enabled=enabled,
        expiration=Expiration(**expiration) if expiration else None,
        noncurrent=noncurrent_days and NoncurrentExpiration(days=noncurrent_days, newer_versions=kept),
        transitions=transitions,
        noncurrent_transitions=noncurrent_transitions,
    )


def lifecycle(*rules: Rule) -> Lifecycle:
    return Lifecycle(rules=rules)


def ids(entries: History) -> list[str]:
    return [entry.version_id for entry in entries]


def pass_time(rules: Lifecycle, of: History, now: datetime, *, not_before: datetime | None = None) -> list[Action]:
    """Apply the actions that are due, as a versioned bucket does, and return them."""
    actions: list[Action] = []
    while (action := rules.next_action(of, not_before=not_before)) is not None and action.at <= now:
        actions.append(action)
        if isinstance(action, ExpireCurrent):
            of.append(marker(f"expired{action.at:%Y%m%d}", action.at))
        elif isinstance(action, MoveVersions):
            for version_id in action.version_ids:
                of.replace(replace(of.get(version_id), storage_class=action.storage_class))
        else:
            for version_id in action.version_ids:
                of.remove(version_id)
    return actions


# -- the expiry of the current object


@pytest.mark.parametrize(
    ("rule", "written", "expires"),
    [
        (a_rule(id="r", days=3), day(1), day(4)),
        (a_rule(id="r", days=3), day(1) + timedelta(seconds=1), day(5)),
        (a_rule(id="r", days=3), day(2) - timedelta(seconds=1), day(5)),
        (a_rule(id="r", date=day(9)), NOON, day(9)),
        (a_rule(id="r", date=day(-30)), NOON, day(2)),
    ],
)
def test_object_expires_at_midnight_after_days_or_on_date(rule, written, expires):
    rules = lifecycle(rule)
    assert rules.get_expiry(version(at=written)) == Expiry(expires, "r")
    assert rules.next_action(history(version(at=written))) == ExpireCurrent(at=expires, rule_id="r")


@pytest.mark.parametrize(
    "rule",
    [
        a_rule(id="disabled", days=1, enabled=False),
        a_rule(id="other prefix", days=1, prefix="logs/b"),
        a_rule(id="noncurrent", noncurrent_days=1),
        a_rule(id="markers", expired_marker=True),
        a_rule(id="too small", days=1, larger_than=3),
        a_rule(id="too large", days=1, smaller_than=3),
    ],
    ids=lambda rule: rule.id,
)
def test_rule_about_something_else_leaves_current_object(rule):
    current = version(size=3)
    assert (lifecycle(rule).get_expiry(current), lifecycle(rule).next_action(history(current))) == (None, None)


def test_nothing_is_due_after_the_year_9999():
    rules = lifecycle(a_rule(id="r", days=2**31 - 1, noncurrent_days=2**31 - 1))
    evening = datetime(9999, 12, 30, 12, tzinfo=UTC)
    assert (rules.get_expiry(version()), rules.next_action(history(version("v1"), version("v2")))) == (None, None)
    assert lifecycle(a_rule(id="r", days=1)).get_expiry(version(at=evening)) is None


# -- noncurrent versions and delete markers


def test_next_action():
    cases = {
        "empty history": ([a_rule(id="r", days=1, noncurrent_days=1)], [], None),
        "a marker does not expire like an object": ([a_rule(id="r", days=1)], [version(), marker()], None),
        "noncurrent since the next version was written": (
            [a_rule(id="r", noncurrent_days=2)],
            [version(at=day(1)), version("v2", day(10, 1))],
            removal(day(13), "v1"),
        ),
        "a noncurrent marker": (
            [a_rule(id="r", noncurrent_days=2)],
            [marker("m1", day(1)), version("v2", day(3))],
            removal(day(5), "m1"),
        ),
        "a rule with a size leaves markers": (
            [a_rule(id="r", days=1, noncurrent_days=1, smaller_than=9)],
            [marker("m1"), marker("m2")],
            None,
        ),
        "the rule that acts first": (
            [a_rule(id="late", noncurrent_days=9), a_rule(id="r", noncurrent_days=1)],
            [version("v1", day(1)), version("v2", day(1))],
            removal(day(2), "v1"),
        ),
        "a lone marker": ([a_rule(id="r", expired_marker=True)], [marker()], removal(day(2), "m1")),
        "a lone marker after days": ([a_rule(id="r", days=3)], [marker()], removal(day(5), "m1")),
        "a marker over another is not alone": (
            [a_rule(id="r", expired_marker=True)],
            [marker("m1"), marker("m2")],
            None,
        ),
        "a date leaves markers": ([a_rule(id="r", date=day(1))], [marker()], None),
        "noncurrent days leave the latest entry": ([a_rule(id="r", noncurrent_days=1)], [marker()], None),
        "disabled": ([a_rule(id="r", expired_marker=True, enabled=False)], [marker()], None),
        "other prefix": ([a_rule(id="r", expired_marker=True, prefix="photos/")], [marker()], None),
    }
    actions = {name: lifecycle(*rules).next_action(history(*entries)) for name, (rules, entries, _) in cases.items()}
    assert actions == {name: action for name, (_, _, action) in cases.items()}


def test_oldest_version_is_removed_first_and_current_object_last():
    rules = lifecycle(
        a_rule(id="large", noncurrent_days=1, larger_than=2, days=1),
        a_rule(id="all but two", noncurrent_days=1, newer_noncurrent_versions=2),
    )
    entries = history(version("v1"), version("v2"), version("v3", size=3), version("v4", size=3))
    assert pass_time(rules, entries, day(3)) == [
        removal(day(3), "v1", rule="all but two"),
        removal(day(3), "v3", rule="large"),
        ExpireCurrent(at=day(3), rule_id="large"),
    ]


def test_versions_due_at_one_time_are_removed_together():
    entries = history(*(version(f"v{number}", day(number // 2)) for number in range(2, 8)))
    assert pass_time(lifecycle(a_rule(id="r", noncurrent_days=1)), entries, day(28)) == [
        removal(day(2), "v2"),
        removal(day(3), "v3", "v4"),
        removal(day(4), "v5", "v6"),
    ]


def test_actions_are_dated_by_rules_not_by_time_of_call():
    rules = lifecycle(a_rule(id="expire", days=3, noncurrent_days=5), a_rule(id="clean", expired_marker=True))
    assert pass_time(rules, history(version("v1")), day(28)) == [
        ExpireCurrent(at=day(5), rule_id="expire"),
        removal(day(10), "v1", rule="expire"),
        removal(day(5), "expired20300105", rule="clean"),
    ]


@pytest.mark.parametrize(
    ("rule", "entry", "not_before", "action"),
    [
        (a_rule(id="r", days=3), version(), day(40), ExpireCurrent(at=day(40), rule_id="r")),
        (a_rule(id="r", days=3), version(), day(2), ExpireCurrent(at=day(5), rule_id="r")),
        (a_rule(id="r", expired_marker=True), marker(), day(40), removal(day(40), "m1")),
    ],
)
def test_overdue_action_is_dated_not_before_the_given_time(rule, entry, not_before, action):
    assert lifecycle(rule).next_action(history(entry), not_before=not_before) == action


# -- for all rules and histories

CLASSES = st.sampled_from([StorageClass.STANDARD_IA, StorageClass.INTELLIGENT_TIERING, StorageClass.GLACIER])
TRANSITIONS = st.one_of(
    st.builds(Transition, storage_class=CLASSES, days=st.integers(0, 6)),
    st.builds(Transition, storage_class=CLASSES, date=st.integers(-3, 15).map(day)),
)
NONCURRENT_TRANSITIONS = st.builds(
    NoncurrentTransition, storage_class=CLASSES, days=st.integers(0, 6), newer_versions=st.sampled_from([None, 1, 2])
)
ENDS = st.one_of(
    st.fixed_dictionaries({"days": st.integers(1, 6)}),
    st.fixed_dictionaries({"date": st.integers(-3, 15).map(day)}),
    st.just({"expired_marker": True}),
    st.fixed_dictionaries(
        {"noncurrent_days": st.integers(1, 6)}, optional={"newer_noncurrent_versions": st.integers(1, 3)}
    ),
    st.fixed_dictionaries({"transitions": st.lists(TRANSITIONS, min_size=1, max_size=2).map(tuple)}),
    st.fixed_dictionaries({"noncurrent_transitions": st.tuples(NONCURRENT_TRANSITIONS)}),
)
SIZES = st.sampled_from([{}, {"larger_than": 1}, {"smaller_than": 3}, {"larger_than": 0, "smaller_than": 3}])
LIFECYCLES = st.lists(st.tuples(ENDS, SIZES), min_size=1, max_size=4).map(
    lambda parts: lifecycle(*(a_rule(id=f"r{place}", **end, **size) for place, (end, size) in enumerate(parts)))
)
#: Whether each entry is an object, its hour and its size. Hours need not ascend.
ENTRIES = st.lists(st.tuples(st.booleans(), st.integers(0, 5 * 24), st.integers(0, 4)), max_size=8)


def build(entries: list[tuple[bool, int, int]]) -> History:
    return history(
        *(
            version(f"v{place}", day(1, hours), size=size) if is_object else marker(f"v{place}", day(1, hours))
            for place, (is_object, hours, size) in enumerate(entries)
        )
    )


@given(LIFECYCLES, ENTRIES, st.lists(st.integers(0, 40 * 24), max_size=12))
def test_result_does_not_depend_on_number_of_calls(rules, entries, hours):
    at_once, in_steps, daily = build(entries), build(entries), build(entries)
    pass_time(rules, at_once, day(41))
    for hour in [*sorted(hours), 40 * 24]:
        pass_time(rules, in_steps, day(1, hour))
    for number in range(1, 42):
        pass_time(rules, daily, day(number), not_before=day(number - 1) if number > 1 else None)
    assert list(in_steps) == list(at_once) == list(daily)


@given(LIFECYCLES, ENTRIES)
def test_every_history_comes_to_an_end(rules, entries):
    actions = pass_time(rules, build(entries), datetime.max.replace(tzinfo=UTC))
    assert len(actions) <= 4 * len(entries) + 2  # at most three moves and one end for each entry


ARCHIVE = Transition(storage_class=StorageClass.GLACIER, days=1)
RULES = st.sets(
    st.sampled_from(
        [
            a_rule(id="expire", days=1),
            a_rule(id="expire small", days=1, smaller_than=1),
            a_rule(id="clean", expired_marker=True),
            a_rule(id="noncurrent", noncurrent_days=1),
            a_rule(id="keep two", noncurrent_days=1, newer_noncurrent_versions=2),
            a_rule(id="move", transitions=(ARCHIVE,), smaller_than=9),
            a_rule(
                id="move noncurrent",
                noncurrent_transitions=(
                    NoncurrentTransition(storage_class=StorageClass.GLACIER, days=0, newer_versions=1),
                ),
                smaller_than=9,
            ),
        ]
    ),
    min_size=1,
).map(lambda rules: lifecycle(*sorted(rules, key=lambda rule: rule.id)))
#: What is done, to which version or with how many bytes, and how many days in the past.
CHANGES = st.one_of(
    st.tuples(st.just("put"), st.integers(0, 1), st.sampled_from([0, 0, 3])),
    st.tuples(st.just("delete"), st.just(0), st.sampled_from([0, 0, 3])),
    st.tuples(st.just("remove"), st.integers(0, 2), st.just(0)),
)
#: The hours that pass, and the changes that follow.
STEPS = st.lists(st.tuples(st.sampled_from([0, 0, 1, 12, 24, -12, 36]), st.lists(CHANGES, max_size=4)), max_size=8)


def change(bucket: BucketRecord, kind: str, number: int, moment: datetime) -> None:
    if kind == "put":
        put(bucket, bytes(number), "k", moment)
    elif kind == "delete":
        bucket.delete("k", writer=ALICE, now=moment)
    else:
        for entry in list(bucket.entries("k"))[number : number + 1]:
            bucket.delete_version("k", entry.version_id)


@given(RULES, STEPS, st.integers(0, 2), st.sampled_from([Versioning.ENABLED, *Versioning]))
@example(
    lifecycle(a_rule(id="keep two", noncurrent_days=1, newer_noncurrent_versions=2, smaller_than=1)),
    [(1, [("put", 0, 3), ("put", 1, 3), ("put", 1, 3)]), (1, []), (0, [("put", 1, 0), ("put", 1, 0)])],
    0,
    Versioning.ENABLED,
)
@settings(max_examples=400)
def test_schedule_misses_nothing_that_a_full_run_finds(rules, steps, rules_at, versioning):
    scheduled, full = empty_bucket(), empty_bucket()
    scheduled.versioning = full.versioning = versioning
    now = day(1)
    for number, (hours, changes) in enumerate([*steps, (0, [])]):
        now += timedelta(hours=hours)
        if number == rules_at:
            scheduled.lifecycle = rules
        full.lifecycle = scheduled.lifecycle  # setting rules makes the next run examine every key
        for bucket in (scheduled, full):
            bucket.apply_lifecycle(now)
            for kind, amount, days_ago in changes:
                change(bucket, kind, amount, now - timedelta(days=days_ago))
        assert list(scheduled.entries("k")) == list(full.entries("k"))
