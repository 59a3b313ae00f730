"""What lifecycle rules have to look at again, on a day on which they have looked at the bucket already."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from freezegun import freeze_time

from fakestore import DeleteMarker, fake_store
from fakestore.model.lifecycle import Lifecycle, Rule
from fakestore.model.versioning import Versioning

OLD = datetime(2029, 12, 1, tzinfo=UTC)


@pytest.fixture
def store():
    with freeze_time("2030-01-01 12:00"), fake_store(buckets=["photos"]) as store:
        yield store


@pytest.fixture
def photos(store):
    """A bucket with a rule, that was looked at today."""
    photos = store["photos"]
    photos.expire(rule_id="elsewhere", prefix="other/", days=3)
    photos.put("old", last_modified=OLD)
    assert "old" in photos
    return photos


def test_keys_that_nobody_wrote_are_looked_at_once_a_day(photos, monkeypatch):
    looked_at = []
    next_action = Lifecycle.next_action

    def noted(lifecycle, history, **when):
        looked_at.append(next(iter(history)).key)
        return next_action(lifecycle, history, **when)

    monkeypatch.setattr(Lifecycle, "next_action", noted)
    photos.put("new", last_modified=OLD)
    assert (list(photos), looked_at) == (["new", "old"], ["new"])


def test_a_second_rule_acts_on_the_day_it_was_put(photos):
    photos.expire(rule_id="here", days=3)
    assert list(photos) == []


def test_one_version_too_many_goes_on_the_day_it_became_so(store, photos):
    photos.set_versioning("enabled")
    rule = Rule(id="one", prefix="", noncurrent_days=1, newer_noncurrent_versions=1)
    store._service.state.bucket("photos").lifecycle = Lifecycle((rule,))
    photos.seed("k", [(OLD + timedelta(days=number), b"%d" % number) for number in range(3)])
    assert [version.content for version in photos.versions("k")] == [b"2", b"1"]
    photos.put("k", b"3")
    assert [version.content for version in photos.versions("k")] == [b"3", b"2"]


def test_what_was_to_be_looked_at_again_is_so_after_a_restore(store, photos):
    photos.put("other/old", last_modified=OLD)
    snapshot = store.snapshot()
    assert list(photos) == ["old"]
    store.restore(snapshot)
    assert list(photos) == ["old"]


def test_unless_told_otherwise_a_rule_takes_the_null_version(store, photos):
    photos.put("other/old", last_modified=OLD)
    record = store._service.state.bucket("photos")
    record.versioning = Versioning.ENABLED
    record.apply_lifecycle(store._service.clock())
    assert [type(entry) for entry in record.entries("other/old")] == [DeleteMarker]


@pytest.fixture
def midnight():
    """A bucket that was looked at in this very instant, in which the clock stands still."""
    with freeze_time("2030-01-01"), fake_store(buckets={"photos": "enabled"}) as store:
        yield store["photos"]


def give(bucket, *rules):
    """Give the bucket these rules, and let them look at it."""
    bucket._service.state.bucket(bucket.name).lifecycle = Lifecycle(rules)
    assert list(bucket) == []


def test_what_is_written_at_midnight_after_a_rules_date_is_gone_at_the_next_look(midnight):
    give(midnight, Rule(id="past", date=OLD))
    midnight.put("k")
    assert list(midnight) == []


def test_a_lone_marker_that_is_made_at_midnight_is_gone_at_the_next_look(midnight):
    give(midnight, Rule(id="clean", expired_marker=True))
    midnight.delete("k")
    assert midnight.versions() == []


def test_a_rule_that_is_put_beside_one_of_a_past_date_acts_on_the_same_day(store, photos):
    record = store._service.state.bucket("photos")
    record.lifecycle = Lifecycle((Rule(id="elsewhere", prefix="other/", date=OLD),))
    assert list(photos) == ["old"]
    record.lifecycle = Lifecycle((Rule(id="here", date=OLD + timedelta(days=7)),))
    assert list(photos) == []


@pytest.fixture
def looks(monkeypatch):
    """The keys of the entries that a rule is asked about, one for each time."""
    asked = []
    applies_to = Rule.applies_to

    def noted(rule, entry):
        asked.append(entry.key)
        return applies_to(rule, entry)

    monkeypatch.setattr(Rule, "applies_to", noted)
    return asked


def long_history(store, length, **rule):
    """A key of so many versions, written today, in a bucket that was looked at since; and their ids, newest first."""
    photos = store["photos"]
    photos.set_versioning("enabled")
    for _ in range(length):
        photos.put("k")
    store._service.state.bucket("photos").lifecycle = Lifecycle((Rule(id="r", noncurrent_days=1, **rule),))
    return photos, [version.version_id for version in photos.versions("k")]


@pytest.mark.parametrize("place", [0, 1, 500, 999])
def test_to_delete_a_version_of_a_long_history_looks_at_the_newest_alone(store, looks, place):
    photos, ids = long_history(store, 1000)
    looks.clear()
    photos.delete_version("k", ids[place])
    assert (len(photos.versions("k")), len(looks)) == (999, 1)


def test_a_write_over_a_long_history_looks_at_no_more_than_the_rule_keeps(store, looks):
    photos, _ = long_history(store, 1000, newer_noncurrent_versions=5)
    looks.clear()
    photos.put("k")
    photos.put("k")
    assert (len(photos.versions("k")), len(looks)) == (1002, 4)


@pytest.mark.parametrize("restored", [False, True], ids=["", "after a restore"])
def test_what_lay_under_a_version_of_a_later_date_is_looked_at_when_that_is_deleted(store, photos, restored):
    photos.set_versioning("enabled")
    large = Rule(id="r", noncurrent_days=3, larger_than=5)
    store._service.state.bucket("photos").lifecycle = Lifecycle((large,))
    today = OLD + timedelta(days=31)
    _, later, *_ = photos.seed("k", [(OLD, b"lowest"), (today, b"later"), (OLD, b"under"), (today, b"top")])
    assert [version.content for version in photos.versions("k")] == [b"top", b"under", b"later", b"lowest"]
    if restored:
        store.restore(store.snapshot())
    photos.delete_version("k", later.version_id)
    assert [version.content for version in photos.versions("k")] == [b"top", b"under"]


@pytest.mark.parametrize(
    ("kept", "days", "left"),
    [
        # The oldest lies under one of an earlier day, and that under those of today.
        (0, [0, 0, 31, 31], [b"3", b"2", b"1"]),
        # Of three writes at once, those of today keep one of the older ones from being due, but not the oldest.
        (1, [0, 0, 31, 31, 31], [b"4", b"3", b"2", b"1"]),
        # Two versions are due by two moments.
        (2, [0, 1, 2, 31, 31], [b"4", b"3", b"2"]),
    ],
)
def test_several_writes_between_two_looks_are_looked_at_together(store, photos, kept, days, left):
    photos.set_versioning("enabled")
    rule = Rule(id="r", noncurrent_days=1, newer_noncurrent_versions=kept or None)
    store._service.state.bucket("photos").lifecycle = Lifecycle((rule,))
    history = [(OLD + timedelta(days=day, hours=1), b"%d" % number) for number, day in enumerate(days)]
    photos.seed("k", history[: kept + 1])
    assert len(photos.versions("k")) == kept + 1
    photos.seed("k", history[kept + 1 :])
    assert [version.content for version in photos.versions("k")] == left


def test_what_is_overdue_is_dated_by_the_last_look_before_a_snapshot(store, photos):
    photos.set_versioning("enabled")
    photos.put("k", last_modified=OLD)
    photos.expire(rule_id="here", days=3)
    snapshot = store.snapshot()
    store.travel(days=9)
    store.restore(snapshot)
    marker, _ = photos.versions("k")
    assert marker.last_modified == datetime(2030, 1, 1, 12, tzinfo=UTC)


def test_a_restored_bucket_is_not_looked_at_again_on_the_same_day(store, photos, looks):
    store.restore(store.snapshot())
    looks.clear()
    assert (list(photos), looks) == (["old"], [])
