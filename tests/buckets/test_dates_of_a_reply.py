"""The dates of a reply agree: one reading of the clock per request, in whole seconds, and the expiration header."""

from __future__ import annotations

import gc
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from itertools import pairwise

import pytest
from freezegun import freeze_time

from fakestore import FakeStore, fake_store
from tests.support.cases import each
from tests.support.documents import delete_document
from tests.support.wire import document, outcome, request

DATED = {"Date": "Tue, 01 Jan 2030 12:00:00 GMT"}
COPY_SOURCE = {"x-svc-copy-source": "/photos/k"}


@pytest.fixture
def store():
    with freeze_time("2030-01-01 12:00"), fake_store(buckets=["photos"]) as store:
        yield store


def put(store, key="k", **arguments):
    return request(store, "PUT", "photos", key, body=b"1", **arguments)


def expiration(reply):
    return reply.headers.get("x-svc-expiration")


# The expiration header


@pytest.mark.decision("expiration-header")
def test_no_expiration_is_sent_without_a_rule_that_will_act(store, photos):
    photos.expire(rule_id="elsewhere", prefix="logs/", days=3)
    photos.expire(rule_id="beyond the calendar", prefix="k", days=2**31 - 1)
    assert expiration(put(store)) is None


@pytest.mark.decision("expiration")
def test_object_expires_exactly_when_the_header_says(store, photos):
    photos.expire(rule_id="r", days=3)
    expiry = parsedate_to_datetime(expiration(put(store)).split('"')[1])
    for seconds, status in ((-1, 200), (0, 404)):
        with freeze_time(expiry + timedelta(seconds=seconds)):
            assert request(store, "GET", "photos", "k").status == status


# One reading of the clock


@pytest.fixture
def no_collection():
    """No garbage is collected, because hypothesis measures how long that takes, which reads the clock."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.decision("one-clock-reading-per-request")
@pytest.mark.usefixtures("no_collection")
def test_each_request_reads_the_clock_once():
    # Each reading moves the clock by a second, so replies to successive requests are a second apart.
    with freeze_time("2030-01-01 12:00", auto_tick_seconds=1):
        store = FakeStore(buckets=["photos"])
        store["photos"].expire(rule_id="r", days=3)
        store["photos"].put("k")
        replies = [
            request(store, method, "photos", key, headers={**DATED, **headers}, body=body, **query)
            for method, key, headers, body, query in [
                ("GET", "missing", {}, b"", {}),
                ("PUT", "new", {}, b"1", {}),
                ("PUT", "copy", COPY_SOURCE, b"", {}),
                ("GET", "k", {}, b"", {}),
                ("GET", "k", {}, b"", {"acl": None}),
                ("GET", "", {}, b"", {}),
                ("GET", "", {}, b"", {"versions": None}),
                ("DELETE", "k", {}, b"", {}),
                ("POST", "", {}, delete_document("a", "b"), {"delete": None}),
            ]
        ]
        replies += [request(store, "PUT", "another", headers=DATED), request(store, "GET", headers=DATED)]
    dates = [parsedate_to_datetime(reply.headers["Date"]) for reply in replies]
    assert {later - earlier for earlier, later in pairwise(dates)} == {timedelta(seconds=1)}


@pytest.mark.decision("one-clock-reading-per-request")
def test_all_dates_of_a_request_are_the_date_of_its_reply():
    with freeze_time("2030-01-01 12:00", auto_tick_seconds=3600):
        store = FakeStore(max_clock_skew=None, buckets={"photos": "enabled"})
        photos = store["photos"]
        photos.expire(rule_id="r", days=3)
        stored = put(store)
        moment = parsedate_to_datetime(stored.headers["Date"])
        assert photos["k"].last_modified == moment
        expiry = parsedate_to_datetime(expiration(stored).split('"')[1])
        assert timedelta(days=3) <= expiry - moment < timedelta(days=4)
        copied = request(store, "PUT", "photos", "copy", headers=COPY_SOURCE)
        last_modified = datetime.fromisoformat(document(copied).findtext("LastModified"))
        assert last_modified.replace(tzinfo=UTC) == parsedate_to_datetime(copied.headers["Date"])
        deleted = request(store, "POST", "photos", body=delete_document("a", "b"), delete=None)
        moments = [photos.versions(key)[0].last_modified for key in "ab"]
        assert moments == [parsedate_to_datetime(deleted.headers["Date"])] * 2


# Whole seconds


@pytest.mark.decision("one-clock-reading-per-request")
def test_fractions_of_a_second_are_cut_off():
    with freeze_time("2030-01-01 12:00:00.9") as clock:
        store = FakeStore(buckets=["photos"])
        put(store)
        clock.tick(0.05)
        last_modified = request(store, "GET", "photos", "k").headers["Last-Modified"]
        assert last_modified == "Tue, 01 Jan 2030 12:00:00 GMT"
        assert document(request(store, "GET", "photos")).findtext("Contents/LastModified") == "2030-01-01T12:00:00.000Z"
        assert store["photos"]["k"].last_modified == datetime(2030, 1, 1, 12, tzinfo=UTC)
        conditions = ("If-Modified-Since", "If-Unmodified-Since")
        statuses = [request(store, "GET", "photos", "k", headers={name: last_modified}).status for name in conditions]
        assert statuses == [304, 200]
        clock.tick(1)
        put(store)
        statuses = [request(store, "GET", "photos", "k", headers={name: last_modified}).status for name in conditions]
        assert statuses == [200, 412]


def test_writes_within_a_second_differ_only_by_entity_tag(store, photos):
    first, second = photos.put("k", b"1"), photos.put("k", b"2")
    last_modified = request(store, "GET", "photos", "k").headers["Last-Modified"]
    for case in each(
        ({"If-Modified-Since": last_modified}, 304),
        ({"If-None-Match": first.etag}, 200),
        ({"If-None-Match": second.etag}, 304),
    ):
        with case as (headers, status):
            assert request(store, "GET", "photos", "k", headers=headers).status == status


def test_travel_moves_the_clock_that_dates_are_compared_with(store):
    store.travel(days=3)
    assert put(store).status == 200
    assert outcome(put(store, headers=DATED)) == (403, "RequestTimeTooSkewed")
