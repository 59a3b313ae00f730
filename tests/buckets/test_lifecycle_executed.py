"""Lifecycle rules act: when the clock has passed a rule's time, the next touch of the bucket sees it done."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
import requests
from freezegun import freeze_time
from lxml import etree

from fakestore import DOCUMENT, DeleteMarker, Dialect, ObjectVersion, Semantics, fake_store

NOON = "2030-01-01 12:00"


def day(number, hour=0):
    return datetime(2030, 1, number, hour, tzinfo=UTC)


@pytest.fixture
def clock():
    with freeze_time(NOON) as clock:
        yield clock


@pytest.fixture
def store(clock):
    with fake_store(buckets=["photos"], max_clock_skew=None) as store:
        yield store


def rule(inner, prefix="", id="r"):
    return f"<Rule><ID>{id}</ID><Filter><Prefix>{prefix}</Prefix></Filter><Status>Enabled</Status>{inner}</Rule>"


def put_lifecycle(store, *rules):
    return requests.put(
        store.url("photos", lifecycle=None),
        data=f"<LifecycleConfiguration>{''.join(rules)}</LifecycleConfiguration>".encode(),
        auth=store.auth(),
    )


DAYS_3 = rule("<Expiration><Days>3</Days></Expiration>")
NONCURRENT_3 = rule("<NoncurrentVersionExpiration><NoncurrentDays>3</NoncurrentDays></NoncurrentVersionExpiration>")
EXPIRED_MARKER = rule("<Expiration><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration>", id="m")


def code(reply):
    return reply.status_code, etree.fromstring(reply.content).findtext("Code") if reply.content else None


def told(bucket, key="k"):
    return [
        (type(entry), entry.content if isinstance(entry, ObjectVersion) else entry.last_modified)
        for entry in bucket.versions()
        if entry.key == key
    ]


# -- whoever moves the clock, however the rule was put


def tick(clock, store):
    clock.tick(timedelta(days=4))


def move_to(clock, store):
    clock.move_to("2030-01-05 12:00")


def travel(clock, store):
    store.travel(days=4)


@pytest.mark.parametrize("move", [tick, move_to, travel])
@pytest.mark.parametrize("by", ["XML", "Python"])
def test_an_object_is_gone_once_its_days_are_over(store, photos, clock, move, by):
    if by == "XML":
        assert put_lifecycle(store, DAYS_3).status_code == 200
    else:
        photos.expire(rule_id="r", days=3)
    photos.put("k", b"1")
    move(clock, store)
    assert requests.get(store.url("photos", "k"), auth=store.auth()).status_code == 404
    assert photos.versions() == []


def test_time_itself_moves_the_clock():
    with fake_store(buckets=["photos"]) as store:
        store["photos"].expire(rule_id="r", days=3)
        store["photos"].put("k")
        store.travel(days=4)
        assert requests.get(store.url("photos", "k"), auth=store.auth()).status_code == 404


def test_travelling_twice_goes_on_from_there(store, photos):
    photos.expire(rule_id="r", days=3)
    photos.put("k")
    store.travel(days=2)
    assert "k" in photos
    store.travel(days=2)
    assert "k" not in photos


# -- whoever touches the bucket


def get(store):
    return requests.get(store.url("photos", "k"), auth=store.auth()).status_code == 404


def head(store):
    return requests.head(store.url("photos", "k"), auth=store.auth()).status_code == 404


def get_acl(store):
    return requests.get(store.url("photos", "k", acl=None), auth=store.auth()).status_code == 404


def copy_from(store):
    source = {"x-svc-copy-source": "/photos/k"}
    return requests.put(store.url("photos", "copy"), headers=source, auth=store.auth()).status_code == 404


def listing(store):
    return b"<Key>" not in requests.get(store.url("photos"), auth=store.auth()).content


def versions_listing(store):
    return b"<Key>" not in requests.get(store.url("photos", versions=None), auth=store.auth()).content


def delete_bucket(store):
    return requests.delete(store.url("photos"), auth=store.auth()).status_code == 204


def put_if_none(store):
    condition = {"If-None-Match": "*"}
    return requests.put(store.url("photos", "k"), data=b"2", headers=condition, auth=store.auth()).status_code == 200


def look_up(store):
    with pytest.raises(KeyError):
        store["photos"]["k"]
    return True


def contains(store):
    return "k" not in store["photos"]


def iterate(store):
    return list(store["photos"]) == []


def count(store):
    return len(store["photos"]) == 0


def all_versions(store):
    return store["photos"].versions() == []


def describe(store):
    return "(empty)" in store.describe()


@pytest.mark.parametrize(
    "touch",
    [
        get,
        head,
        get_acl,
        copy_from,
        listing,
        versions_listing,
        delete_bucket,
        put_if_none,
        look_up,
        contains,
        iterate,
        count,
        all_versions,
        describe,
    ],
)
def test_the_next_touch_sees_it_whoever_touches(store, photos, clock, touch):
    photos.expire(rule_id="r", days=3)
    photos.put("k", b"1")
    clock.tick(timedelta(days=4))
    assert touch(store)


# -- what becomes of an object


def test_it_is_there_until_the_midnight_and_gone_from_then_on(photos, clock):
    photos.expire(rule_id="r", days=3)
    photos.put("k", b"1")
    clock.move_to("2030-01-04 23:59:59")
    assert "k" in photos
    clock.move_to("2030-01-05 00:00:00")
    assert "k" not in photos


def test_an_object_of_midnight_expires_at_a_midnight_and_no_day_later(photos, clock):
    clock.move_to("2030-01-02 00:00:00")
    photos.expire(rule_id="r", days=3)
    photos.put("k", b"1")
    clock.move_to("2030-01-05 00:00:00")
    assert "k" not in photos


def test_in_a_versioned_bucket_it_is_hidden_by_a_marker_of_that_midnight(photos, clock, store):
    photos.set_versioning("enabled")
    photos.expire(rule_id="r", days=3)
    photos.put("k", b"1")
    clock.move_to("2030-01-20 12:00")
    assert told(photos) == [(DeleteMarker, day(5)), (ObjectVersion, b"1")]
    assert photos.versions("k")[0].owner == store.default_account


def test_the_marker_that_a_rule_made_is_told_to_who_asks_for_the_object(photos, clock, store):
    photos.set_versioning("enabled")
    photos.expire(rule_id="r", days=3)
    photos.put("k", b"1")
    clock.move_to("2030-01-20 12:00")
    reply = requests.get(store.url("photos", "k"), auth=store.auth())
    assert (code(reply), reply.headers["x-svc-delete-marker"]) == ((404, "NoSuchKey"), "true")
    assert reply.headers["x-svc-version-id"] == photos.versions("k")[0].version_id


def test_in_a_suspended_bucket_a_null_marker_takes_the_null_versions_place(photos, clock):
    photos.set_versioning("suspended")
    photos.expire(rule_id="r", days=3)
    photos.put("k", b"1")
    clock.move_to("2030-01-06 12:00")
    (marker,) = photos.versions("k")
    assert (type(marker), marker.version_id, marker.last_modified) == (DeleteMarker, "null", day(5))


def test_a_null_version_expires_as_a_simple_delete_takes_it(photos, clock):
    photos.put("k", b"old")
    photos.set_versioning("enabled")
    photos.expire(rule_id="r", days=3)
    clock.move_to("2030-01-06 12:00")
    assert told(photos) == [(DeleteMarker, day(5))]


@pytest.mark.parametrize("touch", ["python", "http", "describe"])
def test_a_null_version_stays_under_the_marker_where_the_dialect_says_so(clock, touch):
    dialect = Dialect(header_prefix=DOCUMENT.header_prefix, semantics=Semantics(delete_removes_null_version=False))
    with fake_store(buckets=["photos"], dialect=dialect, max_clock_skew=None) as store:
        photos = store["photos"]
        photos.put("k", b"old")
        photos.set_versioning("enabled")
        photos.expire(rule_id="r", days=3)
        clock.move_to("2030-01-20 12:00")
        if touch == "http":
            requests.get(store.url("photos", "k"), auth=store.auth())
        elif touch == "describe":
            store.describe()
        assert told(photos) == [(DeleteMarker, day(5)), (ObjectVersion, b"old")]


def test_a_rule_is_about_its_prefix_alone(photos, clock):
    photos.expire(rule_id="r", prefix="logs/", days=3)
    photos.put("logs/a")
    photos.put("logs")
    clock.tick(timedelta(days=10))
    assert list(photos) == ["logs"]


def test_writing_again_begins_the_days_anew(photos, clock):
    photos.expire(rule_id="r", days=3)
    photos.put("k", b"1")
    clock.tick(timedelta(days=2))
    photos.put("k", b"2")
    clock.tick(timedelta(days=2))
    assert photos["k"].content == b"2"


def test_an_object_on_a_date_is_gone_from_that_date(store, photos, clock):
    put_lifecycle(store, rule("<Expiration><Date>2030-01-10T00:00:00Z</Date></Expiration>"))
    photos.put("k")
    clock.move_to("2030-01-09 23:59:59")
    assert "k" in photos
    clock.move_to("2030-01-10 00:00")
    assert "k" not in photos


def test_a_disabled_rule_does_nothing(store, photos, clock):
    put_lifecycle(store, DAYS_3.replace("Enabled", "Disabled"))
    photos.put("k")
    clock.tick(timedelta(days=100))
    assert "k" in photos


def test_a_rule_that_was_taken_away_does_nothing(store, photos, clock):
    put_lifecycle(store, DAYS_3)
    photos.put("k")
    requests.delete(store.url("photos", lifecycle=None), auth=store.auth())
    clock.tick(timedelta(days=100))
    assert "k" in photos


def test_a_rule_that_was_put_late_acts_from_then_on(photos, clock):
    photos.set_versioning("enabled")
    photos.put("k", b"1")
    clock.move_to("2030-01-20 12:00")
    photos.expire(rule_id="r", days=3)
    assert told(photos) == [(DeleteMarker, day(20, 12)), (ObjectVersion, b"1")]


def test_an_object_that_is_put_with_an_old_date_expires_at_the_next_touch(photos, clock):
    photos.expire(rule_id="r", days=3)
    photos.put("k", b"1", last_modified=datetime(2029, 1, 1, tzinfo=UTC))
    assert "k" not in photos


def test_the_clock_going_back_brings_nothing_back(photos, clock):
    photos.expire(rule_id="r", days=3)
    photos.put("k", b"1")
    clock.move_to("2030-01-20 12:00")
    assert "k" not in photos
    clock.move_to(NOON)
    assert "k" not in photos


# -- noncurrent versions and markers


def test_a_noncurrent_version_goes_its_days_after_it_was_written_over(store, photos, clock):
    photos.set_versioning("enabled")
    put_lifecycle(store, NONCURRENT_3)
    photos.put("k", b"1")
    clock.move_to("2030-01-10 12:00")
    photos.put("k", b"2")
    clock.move_to("2030-01-13 23:59:59")
    assert told(photos) == [(ObjectVersion, b"2"), (ObjectVersion, b"1")]
    clock.move_to("2030-01-14 00:00")
    assert told(photos) == [(ObjectVersion, b"2")]


def test_as_many_noncurrent_versions_are_kept_as_a_rule_says(store, photos, clock):
    photos.set_versioning("enabled")
    kept = "<NoncurrentDays>3</NoncurrentDays><NewerNoncurrentVersions>2</NewerNoncurrentVersions>"
    put_lifecycle(store, rule(f"<NoncurrentVersionExpiration>{kept}</NoncurrentVersionExpiration>"))
    for number in range(5):
        photos.put("k", b"%d" % number)
    clock.tick(timedelta(days=10))
    assert [content for _, content in told(photos)] == [b"4", b"3", b"2"]


def test_the_current_version_is_no_business_of_a_noncurrent_rule(store, photos, clock):
    photos.set_versioning("enabled")
    put_lifecycle(store, NONCURRENT_3)
    photos.put("k", b"1")
    clock.tick(timedelta(days=100))
    assert told(photos) == [(ObjectVersion, b"1")]


def test_a_marker_that_is_alone_goes_by_its_rule(store, photos, clock):
    photos.set_versioning("enabled")
    put_lifecycle(store, EXPIRED_MARKER)
    photos.delete("k")
    clock.tick(timedelta(days=1))
    assert photos.versions() == []


def test_a_marker_over_a_version_stays(store, photos, clock):
    photos.set_versioning("enabled")
    put_lifecycle(store, EXPIRED_MARKER)
    photos.put("k", b"1")
    photos.delete("k")
    clock.tick(timedelta(days=100))
    assert [kind for kind, _ in told(photos)] == [DeleteMarker, ObjectVersion]


def test_a_marker_goes_at_the_next_touch_once_it_is_alone(store, photos, clock):
    photos.set_versioning("enabled")
    put_lifecycle(store, EXPIRED_MARKER)
    version = photos.put("k", b"1")
    photos.delete("k")
    clock.tick(timedelta(days=5))
    assert len(photos.versions("k")) == 2
    photos.delete_version("k", version.version_id)
    assert photos.versions() == []


def test_rules_together_prune_a_key_to_nothing(store, photos, clock):
    photos.set_versioning("enabled")
    noncurrent = NONCURRENT_3.replace("<ID>r</ID>", "<ID>n</ID>")
    put_lifecycle(store, DAYS_3, noncurrent, EXPIRED_MARKER)
    photos.put("k", b"1")
    clock.move_to("2030-01-05 00:00")
    assert told(photos) == [(DeleteMarker, day(5)), (ObjectVersion, b"1")]
    clock.move_to("2030-01-08 00:00")
    assert photos.versions() == []


def test_one_leap_of_the_clock_comes_out_as_many_steps_do(store, clock):
    left = []
    for name, steps in (("leap", [30]), ("steps", [1] * 30)):
        clock.move_to(NOON)
        bucket = store.create_bucket(name, versioning="enabled")
        bucket.expire(rule_id="r", days=3)
        bucket.put("k", b"1")
        bucket.put("k", b"2")
        bucket.delete("another")
        for step in steps:
            clock.tick(timedelta(days=step))
            bucket.versions()
        left.append([(entry.key, type(entry), entry.last_modified) for entry in bucket.versions()])
    assert (
        left[0]
        == left[1]
        == [
            ("k", DeleteMarker, day(5)),
            ("k", ObjectVersion, day(1, 12)),
            ("k", ObjectVersion, day(1, 12)),
        ]
    )


def test_a_restored_bucket_expires_again(store, photos, clock):
    photos.expire(rule_id="r", days=3)
    photos.put("k", b"1")
    snapshot = store.snapshot()
    clock.tick(timedelta(days=1))
    store.restore(snapshot)
    assert "k" in photos
    clock.tick(timedelta(days=9))
    assert "k" not in photos
    store.restore(snapshot)
    assert "k" not in photos


def test_a_bucket_restored_from_before_its_rule_keeps_its_objects(store, photos, clock):
    photos.put("k", b"1")
    snapshot = store.snapshot()
    photos.expire(rule_id="r", days=3)
    store.restore(snapshot)
    clock.tick(timedelta(days=9))
    assert "k" in photos
