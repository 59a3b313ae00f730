"""What lifecycle rules have to look at again, on a day on which they have looked at the bucket already."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from freezegun import freeze_time

from fakestore import DeleteMarker, fake_store
from fakestore.model.lifecycle import Lifecycle, Rule
from fakestore.model.versions import Versioning

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
    record.touch(store._service.clock())
    assert [type(entry) for entry in record.history("other/old")] == [DeleteMarker]
