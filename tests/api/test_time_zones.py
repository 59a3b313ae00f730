"""Nothing depends on the time zone of the process. A frozen clock would hide it, so these tests use the real one."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

import pytest

from fakestore import DeleteMarker, fake_store
from tests.support.cases import each

NAIVE, AWARE = datetime(2024, 1, 1, 0), datetime(2024, 1, 1, 0, tzinfo=UTC)

pytestmark = pytest.mark.skipif(not hasattr(time, "tzset"), reason="needs time.tzset(), which Windows lacks")


@pytest.fixture(autouse=True, params=["Asia/Tokyo", "America/New_York"])
def zone(request, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setenv("TZ", request.param)
        time.tzset()
        yield
    time.tzset()


@pytest.fixture
def store():
    with fake_store(dialect="s3", signatures="verify", buckets={"photos": "enabled"}) as store:
        yield store


def is_now(moment):
    return abs(moment - datetime.fromtimestamp(time.time(), UTC)) < timedelta(minutes=1)


def test_date_without_a_zone_is_in_utc(store):
    photos = store["photos"]
    for case in each(
        lambda: photos.put("put", last_modified=NAIVE).last_modified,
        lambda: photos.delete("deleted", last_modified=NAIVE).last_modified,
        lambda: photos.seed("seeded", [(NAIVE, b""), (NAIVE, DeleteMarker)])[1].last_modified,
    ):
        with case as written:
            assert written() == AWARE
    photos.expire(rule_id="r", date=NAIVE)
    photos.put("k", last_modified=NAIVE)
    assert "k" not in photos


def test_request_and_reply_have_dates_in_utc(store):
    session, url = store.session(), store.url("photos", "cat.jpg")
    put = session.put(url, data=b"meow")
    got = session.get(url, headers={"If-Unmodified-Since": put.headers["Date"]})
    assert (put.status_code, got.status_code) == (200, 200)
    dates = [parsedate_to_datetime(got.headers[name]) for name in ("Date", "Last-Modified")]
    assert all(map(is_now, [*dates, store["photos"]["cat.jpg"].last_modified, store.exchanges[-1].time]))


def test_travel_moves_the_clock_by_what_it_is_told(store):
    start = datetime.fromtimestamp(time.time(), UTC)
    store.travel(hours=1)
    assert is_now(start + timedelta(hours=1))
    assert is_now(store["photos"].put("cat.jpg").last_modified)
