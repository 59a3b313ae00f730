from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakestore.model.accounts import Accounts
from fakestore.model.acl import PRIVATE
from fakestore.model.history import (
    DeleteMarker,
    Entry,
    History,
    Metadata,
    ObjectVersion,
    StorageClass,
    VersionId,
)
from fakestore.model.lifecycle import Action, ExpireCurrent, Expiry, Lifecycle, RemoveVersions, Rule

ALICE = Accounts().create("alice")
NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


def day(number: int) -> datetime:
    """Midnight of a day in January 2030."""
    return datetime(2030, 1, 1, tzinfo=UTC) + timedelta(days=number - 1)


def version(id: str = "v1", at: datetime = NOON, *, key: str = "logs/a", content: bytes = b"") -> ObjectVersion:
    return ObjectVersion(
        key=key,
        version_id=VersionId(id),
        content=content,
        etag='""',
        last_modified=at,
        all_metadata=Metadata(),
        storage_class=StorageClass.STANDARD,
        encryption=None,
        acl=PRIVATE.expand(ALICE, ALICE),
    )


def marker(id: str = "m1", at: datetime = NOON, *, key: str = "logs/a") -> DeleteMarker:
    return DeleteMarker(key=key, version_id=VersionId(id), last_modified=at, owner=ALICE)


def ids(*ids: str) -> tuple[VersionId, ...]:
    return tuple(map(VersionId, ids))


def history(*entries: Entry) -> History:
    """Oldest first."""
    written = History()
    for entry in entries:
        written.push(entry)
    return written


def lifecycle(*rules: Rule) -> Lifecycle:
    return Lifecycle(rules)


def pass_time(rules: Lifecycle, touched: History, now: datetime, *, not_before: datetime | None = None) -> list[Action]:
    """Do what is due in a versioned bucket, and return the actions."""
    done: list[Action] = []
    while (action := rules.next_action(touched, not_before=not_before)) is not None and action.at <= now:
        done.append(action)
        if isinstance(action, ExpireCurrent):
            touched.push(marker(f"expired{action.at:%Y%m%d}", action.at))
        else:
            for version_id in action.version_ids:
                touched.take(version_id)
    return done


# -- when the current object expires


@pytest.mark.parametrize(
    ("written", "expires"),
    [
        (datetime(2030, 1, 1, 0, 0, 0, tzinfo=UTC), day(4)),
        (datetime(2030, 1, 1, 0, 0, 1, tzinfo=UTC), day(5)),
        (datetime(2030, 1, 1, 23, 59, 59, tzinfo=UTC), day(5)),
    ],
)
def test_days_are_counted_from_the_last_modification_and_rounded_up_to_a_midnight(
    written: datetime, expires: datetime
) -> None:
    assert lifecycle(Rule(id="r", days=3)).expiry_of(version(at=written)) == Expiry(expires, "r")


def test_a_date_expires_objects_on_that_date() -> None:
    assert lifecycle(Rule(id="r", date=day(9))).expiry_of(version()) == Expiry(day(9), "r")


def test_a_date_that_was_past_when_an_object_was_written_expires_it_at_the_next_midnight() -> None:
    assert lifecycle(Rule(id="r", date=day(-30))).expiry_of(version(at=NOON)) == Expiry(day(2), "r")


def test_of_several_rules_the_earliest_expiry_wins() -> None:
    rules = lifecycle(Rule(id="late", days=7), Rule(id="soon", date=day(3)), Rule(id="later", days=8))
    assert rules.expiry_of(version()) == Expiry(day(3), "soon")


@pytest.mark.parametrize(
    ("key", "rule_id"),
    [("testobject-expiry", "rule_one"), ("test-one-rule", "rule_two"), ("t", "rule_three")],
)
def test_of_several_equal_expiries_the_first_listed_wins(key: str, rule_id: str) -> None:  # lifecycle-022
    prefixes = {"rule_one": "testobject", "rule_two": "test", "rule_three": "t"}
    rules = lifecycle(*(Rule(id=id, prefix=prefix, days=7) for id, prefix in prefixes.items()))
    assert rules.expiry_of(version(key=key)) == Expiry(day(9), rule_id)


@pytest.mark.parametrize(
    "rule",
    [
        Rule(id="disabled", days=1, enabled=False),
        Rule(id="other prefix", days=1, prefix="logs/b"),
        Rule(id="noncurrent", noncurrent_days=1),
        Rule(id="markers", expired_marker=True),
        Rule(id="too small", days=1, larger_than=3),
        Rule(id="too large", days=1, smaller_than=3),
    ],
    ids=lambda rule: rule.id,
)
def test_a_rule_that_is_not_about_the_current_object_does_not_expire_it(rule: Rule) -> None:
    current = version(content=b"abc")
    assert (lifecycle(rule).expiry_of(current), lifecycle(rule).next_action(history(current))) == (None, None)


@pytest.mark.parametrize(("size", "rule_id"), [(22, "rule_one"), (9, "rule_two")])
def test_sizes_choose_the_objects_a_rule_is_about(size: int, rule_id: str) -> None:  # lifecycle-025, -026
    large, small = Rule(id="rule_one", days=7, larger_than=20), Rule(id="rule_two", days=7, smaller_than=10)
    assert lifecycle(large, small).expiry_of(version(content=bytes(size))) == Expiry(day(9), rule_id)


def test_what_would_be_due_after_the_year_9999_never_is() -> None:
    rules = lifecycle(Rule(id="r", days=2**31 - 1, noncurrent_days=2**31 - 1))
    touched = history(version("v1"), version("v2"))
    assert (rules.expiry_of(version()), rules.next_action(touched)) == (None, None)


def test_the_last_day_of_the_calendar_has_no_midnight_after_it() -> None:
    evening = datetime(9999, 12, 30, 12, tzinfo=UTC)
    assert lifecycle(Rule(id="r", days=1)).expiry_of(version(at=evening)) is None


# -- the next action


def test_nothing_happens_to_an_empty_history() -> None:
    assert lifecycle(Rule(id="r", days=1, noncurrent_days=1)).next_action(history()) is None


def test_the_current_object_expires_when_its_expiry_says() -> None:
    rules = lifecycle(Rule(id="r", days=3))
    assert rules.next_action(history(version())) == ExpireCurrent(at=day(5), rule_id="r")


def test_a_delete_marker_on_top_does_not_expire_as_an_object_does() -> None:
    rules = lifecycle(Rule(id="r", days=1))
    assert rules.next_action(history(version(), marker())) is None


def test_a_version_is_noncurrent_since_another_was_written_over_it() -> None:
    rules = lifecycle(Rule(id="r", noncurrent_days=2))
    touched = history(version("v1", day(1)), version("v2", day(10) + timedelta(hours=1)))
    assert rules.next_action(touched) == RemoveVersions(at=day(13), version_ids=ids("v1"), rule_id="r")


def test_noncurrent_delete_markers_are_removed_like_versions() -> None:
    rules = lifecycle(Rule(id="r", noncurrent_days=2))
    touched = history(marker("m1", day(1)), version("v2", day(3)))
    assert rules.next_action(touched) == RemoveVersions(at=day(5), version_ids=ids("m1"), rule_id="r")


def test_a_rule_with_a_size_leaves_delete_markers_alone() -> None:
    rules = lifecycle(Rule(id="r", days=1, noncurrent_days=1, smaller_than=9))
    assert rules.next_action(history(marker("m1"), marker("m2"))) is None


def test_as_many_of_the_newest_noncurrent_versions_are_kept_as_the_rule_says() -> None:
    rules = lifecycle(Rule(id="r", noncurrent_days=1, newer_noncurrent_versions=2))
    touched = history(*(version(f"v{number}", day(number)) for number in range(1, 7)))
    pass_time(rules, touched, day(28))
    assert [entry.version_id for entry in touched] == ["v6", "v5", "v4"]


def test_order_of_writing_decides_what_is_noncurrent_even_in_one_frozen_instant() -> None:
    rules = lifecycle(Rule(id="r", noncurrent_days=1))
    touched = history(version("v1"), version("v2"), version("v3"))
    pass_time(rules, touched, day(28))
    assert [entry.version_id for entry in touched] == ["v3"]


def test_at_one_moment_the_oldest_version_goes_first_and_the_current_object_last() -> None:
    rules = lifecycle(
        Rule(id="large", noncurrent_days=1, larger_than=2, days=1),
        Rule(id="all but two", noncurrent_days=1, newer_noncurrent_versions=2),
    )
    touched = history(version("v1"), version("v2"), version("v3", content=b"abc"), version("v4", content=b"abc"))
    assert pass_time(rules, touched, day(3)) == [
        RemoveVersions(at=day(3), version_ids=ids("v1"), rule_id="all but two"),
        RemoveVersions(at=day(3), version_ids=ids("v3"), rule_id="large"),
        ExpireCurrent(at=day(3), rule_id="large"),
    ]


def test_versions_that_one_rule_removes_at_one_moment_go_together() -> None:
    rules = lifecycle(Rule(id="r", noncurrent_days=1))
    touched = history(*(version(f"v{number}", day(number // 2)) for number in range(2, 8)))
    assert pass_time(rules, touched, day(28)) == [
        RemoveVersions(at=day(2), version_ids=ids("v2"), rule_id="r"),
        RemoveVersions(at=day(3), version_ids=ids("v3", "v4"), rule_id="r"),
        RemoveVersions(at=day(4), version_ids=ids("v5", "v6"), rule_id="r"),
    ]


def test_the_rule_that_removes_a_version_first_gives_its_id() -> None:
    rules = lifecycle(Rule(id="late", noncurrent_days=9), Rule(id="soon", noncurrent_days=1))
    touched = history(version("v1", day(1)), version("v2", day(1)))
    assert rules.next_action(touched) == RemoveVersions(at=day(2), version_ids=ids("v1"), rule_id="soon")


@pytest.mark.parametrize(
    ("rule", "at"),
    [(Rule(id="r", expired_marker=True), day(2)), (Rule(id="r", days=3), day(5))],
    ids=["expired marker", "days"],
)
def test_a_delete_marker_that_is_all_its_key_has_left_is_removed(rule: Rule, at: datetime) -> None:
    removal = RemoveVersions(at=at, version_ids=ids("m1"), rule_id="r")
    assert lifecycle(rule).next_action(history(marker())) == removal


@pytest.mark.parametrize(
    "rule",
    [
        Rule(id="date", date=day(1)),
        Rule(id="noncurrent", noncurrent_days=1),
        Rule(id="disabled", expired_marker=True, enabled=False),
        Rule(id="other prefix", expired_marker=True, prefix="photos/"),
    ],
    ids=lambda rule: rule.id,
)
def test_a_lone_delete_marker_stays_where_no_rule_is_about_it(rule: Rule) -> None:
    assert lifecycle(rule).next_action(history(marker())) is None


def test_a_delete_marker_over_another_is_no_expired_one() -> None:
    rules = lifecycle(Rule(id="r", expired_marker=True))
    assert rules.next_action(history(marker("m1"), marker("m2"))) is None


def test_effects_follow_each_other_dated_by_the_rules_and_not_by_the_look() -> None:
    rules = lifecycle(Rule(id="expire", days=3, noncurrent_days=5), Rule(id="clean", expired_marker=True))
    touched = history(version("v1"))
    assert pass_time(rules, touched, day(28)) == [
        ExpireCurrent(at=day(5), rule_id="expire"),
        RemoveVersions(at=day(10), version_ids=ids("v1"), rule_id="expire"),
        RemoveVersions(at=day(5), version_ids=ids("expired20300105"), rule_id="clean"),
    ]


# -- not before


def test_an_overdue_expiry_is_dated_by_the_moment_named() -> None:
    rules = lifecycle(Rule(id="r", days=3))
    put = datetime(2031, 6, 1, 9, tzinfo=UTC)
    assert rules.next_action(history(version()), not_before=put) == ExpireCurrent(at=put, rule_id="r")


def test_an_overdue_removal_is_dated_by_the_moment_named() -> None:
    rules = lifecycle(Rule(id="r", expired_marker=True))
    put = datetime(2031, 6, 1, 9, tzinfo=UTC)
    removal = RemoveVersions(at=put, version_ids=ids("m1"), rule_id="r")
    assert rules.next_action(history(marker()), not_before=put) == removal


def test_what_is_not_overdue_keeps_its_date() -> None:
    rules = lifecycle(Rule(id="r", days=3))
    assert rules.next_action(history(version()), not_before=day(2)) == ExpireCurrent(at=day(5), rule_id="r")


# -- what a rule can be


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"id": "", "days": 1}, "the id of a rule has 1 to 255 characters, not 0"),
        ({"id": "r" * 256, "days": 1}, "the id of a rule has 1 to 255 characters, not 256"),
        ({"days": 0}, "days is a number from 1 to 2147483647, not 0"),
        ({"days": 2**31}, "days is a number from 1 to 2147483647, not 2147483648"),
        ({"noncurrent_days": 0}, "noncurrent_days is a number from 1 to 2147483647, not 0"),
        (
            {"noncurrent_days": 1, "newer_noncurrent_versions": 101},
            "newer_noncurrent_versions is a number from 1 to 100, not 101",
        ),
        ({"days": 1, "larger_than": -1}, f"larger_than is a number from 0 to {2**63 - 1}, not -1"),
        ({"days": 1, "smaller_than": 0}, f"smaller_than is a number from 1 to {2**63 - 1}, not 0"),
        ({"days": 1, "larger_than": 5, "smaller_than": 5}, "larger_than is less than smaller_than"),
        ({"date": NOON}, "date is a midnight in UTC, not 2030-01-01 12:00:00+00:00"),
        ({"date": datetime(2030, 1, 1)}, "date is a midnight in UTC, not 2030-01-01 00:00:00"),
        ({"days": 1, "date": day(1)}, "a rule has one of days, date and expired_marker"),
        ({"days": 1, "expired_marker": True}, "a rule has one of days, date and expired_marker"),
        ({"days": 1, "newer_noncurrent_versions": 1}, "newer_noncurrent_versions goes with noncurrent_days"),
        ({}, "a rule has one of days, date, noncurrent_days and expired_marker at least"),
    ],
)
def test_a_rule_that_cannot_be_is_refused_with_the_sentence_that_helps(wrong: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - the whole sentence is compared
        Rule(**{"id": "r", **wrong})  # type: ignore[arg-type]
    assert str(refused.value) == sentence


@pytest.mark.parametrize("count", [0, 1001])
def test_a_lifecycle_has_1_to_1000_rules(count: int) -> None:
    with pytest.raises(ValueError, match=f"a lifecycle has 1 to 1000 rules, not {count}"):
        lifecycle(*(Rule(id=f"r{number}", days=1) for number in range(count)))


def test_two_rules_with_one_id_are_refused() -> None:
    with pytest.raises(ValueError, match="the ids of the rules are not unique"):
        lifecycle(Rule(id="r", days=1), Rule(id="r", days=2))


# -- for any rules and any history

ends = st.one_of(
    st.fixed_dictionaries({"days": st.integers(1, 6)}),
    st.fixed_dictionaries({"date": st.integers(-3, 15).map(day)}),
    st.just({"expired_marker": True}),
    st.fixed_dictionaries(
        {"noncurrent_days": st.integers(1, 6)}, optional={"newer_noncurrent_versions": st.integers(1, 3)}
    ),
)
sizes = st.sampled_from([{}, {"larger_than": 1}, {"smaller_than": 3}, {"larger_than": 0, "smaller_than": 3}])
lifecycles = st.lists(st.tuples(ends, sizes), min_size=1, max_size=4).map(
    lambda parts: lifecycle(*(Rule(id=f"r{place}", **end, **size) for place, (end, size) in enumerate(parts)))
)
# Times need not ascend: the clock of a test goes where it likes.
written = st.lists(st.tuples(st.booleans(), st.integers(0, 5 * 24), st.integers(0, 4)), max_size=8)


def written_history(entries: list[tuple[bool, int, int]]) -> History:
    return history(
        *(
            version(f"v{place}", day(1) + timedelta(hours=hours), content=bytes(size))
            if is_object
            else marker(f"v{place}", day(1) + timedelta(hours=hours))
            for place, (is_object, hours, size) in enumerate(entries)
        )
    )


@given(lifecycles, written, st.lists(st.integers(0, 40 * 24), max_size=12))
def test_one_leap_of_the_clock_equals_any_number_of_steps(
    rules: Lifecycle, entries: list[tuple[bool, int, int]], looks: list[int]
) -> None:
    leapt, stepped = written_history(entries), written_history(entries)
    pass_time(rules, leapt, day(41))
    for hours in [*sorted(looks), 40 * 24]:
        pass_time(rules, stepped, day(1) + timedelta(hours=hours))
    assert list(stepped) == list(leapt)


@given(lifecycles, written)
def test_day_by_day_comes_out_the_same_when_each_look_dates_what_was_overdue(
    rules: Lifecycle, entries: list[tuple[bool, int, int]]
) -> None:
    leapt, stepped = written_history(entries), written_history(entries)
    pass_time(rules, leapt, day(41))
    looked = None
    for number in range(1, 42):
        pass_time(rules, stepped, day(number), not_before=looked)
        looked = day(number)
    assert list(stepped) == list(leapt)


@given(lifecycles, written)
def test_every_history_comes_to_rest(rules: Lifecycle, entries: list[tuple[bool, int, int]]) -> None:
    touched = written_history(entries)
    assert len(pass_time(rules, touched, datetime.max.replace(tzinfo=UTC))) <= len(entries) + 2
