"""Moving the clock of the process, and putting it back."""

from __future__ import annotations

import asyncio
import datetime as dt
import time
import types

import pytest
import requests
from freezegun import freeze_time

from fakestore import FakeStore, UnexpectedRequest, fake_store

DAY = dt.timedelta(days=1)
#: In a tuple, because freezegun replaces names of modules.
REAL_DATETIME = (dt.datetime,)
CLOCKS = ("monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "time", "time_ns")
REAL_CLOCKS = [getattr(time, name) for name in CLOCKS]


@pytest.fixture(autouse=True)
def the_clock_is_put_back():
    yield
    assert dt.datetime is REAL_DATETIME[0]
    assert [getattr(time, name) for name in CLOCKS] == REAL_CLOCKS


def now():
    return dt.datetime.now(dt.UTC)


def is_close_to(expected):
    return abs(now() - expected) < dt.timedelta(minutes=1)


def midnight(year, month=1, day=1):
    return dt.datetime(year, month, day, tzinfo=dt.UTC)


def test_the_clock_is_moved_and_goes_on_ticking():
    start = now()
    with fake_store(buckets=["photos"]) as store:
        store.travel(days=31, hours=1)
        store.travel(days=-1)
        assert is_close_to(start + 30 * DAY + dt.timedelta(hours=1))
        before = now()
        time.sleep(0.01)
        assert now() > before
        answer = store.session().put(store.url("photos", "cat.jpg"), data=b"meow")
        assert (answer.status_code, is_close_to(store["photos"]["cat.jpg"].last_modified)) == (200, True)
    assert is_close_to(start)


@freeze_time("2030-01-01")
def test_a_journey_takes_what_a_timedelta_takes():
    parts = {"weeks": 7, "days": 6, "hours": 5, "minutes": 4, "seconds": 3, "milliseconds": 2, "microseconds": 1}
    start = now()
    with fake_store() as store:
        store.travel(**parts)
        assert now() - start == dt.timedelta(**parts)


def test_clocks_that_measure_durations_are_not_moved():
    imported_by_name = types.ModuleType("imported_by_name")
    imported_by_name.monotonic = time.monotonic
    import sys

    sys.modules["imported_by_name"] = imported_by_name
    names = CLOCKS[:4]
    try:
        with fake_store() as store:
            before = [getattr(time, name)() for name in names]
            store.travel(days=30)
            after = [getattr(time, name)() for name in names]
            passed = [last - first for first, last in zip(before, after, strict=True)]
            assert all(
                0 <= each < (60e9 if name.endswith("_ns") else 60) for name, each in zip(names, passed, strict=True)
            )
            assert imported_by_name.monotonic() - before[0] < 60
    finally:
        del sys.modules["imported_by_name"]
    with freeze_time("2026-01-01"):  # freezegun can still freeze them
        assert time.monotonic() == time.monotonic()


def test_an_event_loop_is_not_disturbed():
    @fake_store()
    async def body(store):
        async with asyncio.timeout(60):
            store.travel(days=30)
            await asyncio.sleep(0.001)
            return "undisturbed"

    assert asyncio.run(body()) == "undisturbed"


@pytest.mark.parametrize("offset", [-8, 8])
def test_the_clock_of_the_store_is_utc_whatever_the_offset_of_a_freeze(offset):
    with freeze_time("2030-01-01", tz_offset=offset), fake_store(buckets=["photos"]) as store:
        headers = {"Date": "Tue, 01 Jan 2030 00:00:00 GMT"}
        assert store.session().get(store.url("photos"), headers=headers).status_code == 200
        assert store["photos"].put("cat.jpg").last_modified == midnight(2030)
        assert store.session().get(store.url("photos")).status_code == 200


# -- freezes of the test


def test_a_frozen_clock_is_moved_and_moved_back():
    with freeze_time("2025-01-01") as outer, freeze_time("2026-01-01") as frozen:
        with fake_store() as store:
            store.travel(days=1)
            store.travel(hours=12)
            assert (now(), outer()) == (midnight(2026, 1, 2) + DAY / 2, dt.datetime(2025, 1, 1))
        assert now() == midnight(2026)
        frozen.tick()
        assert now() == midnight(2026) + dt.timedelta(seconds=1)


def test_a_ticking_freeze_is_moved_back_without_losing_time():
    with freeze_time("2026-01-01", tick=True):
        with fake_store() as store:
            store.travel(days=1)
            time.sleep(0.05)
        assert now() >= midnight(2026) + dt.timedelta(milliseconds=50)


@fake_store()
@freeze_time("2026-01-01")
def test_a_freeze_inside_the_store_may_end_before_it(store):
    store.travel(days=1)
    assert now() == midnight(2026, 1, 2)


def test_a_journey_ends_with_the_freeze_that_it_moved():
    start = now()
    with fake_store() as store:
        with freeze_time("2026-01-01"):
            store.travel(days=1)
        assert is_close_to(start)
        store.travel(days=2)
        assert is_close_to(start + 2 * DAY)


def test_a_later_freeze_is_moved_back_by_the_journey_inside_it():
    with fake_store() as store:
        with freeze_time("2030-01-01"):
            store.travel(days=1)
        with freeze_time("2030-02-01"):
            store.travel(hours=1)
            store.close()
            assert now() == midnight(2030, 2)


def test_a_freeze_that_ends_inside_the_journey_changes_nothing():
    start = now()
    with fake_store() as store:
        store.travel(days=1)
        with freeze_time("2026-01-01"):
            assert now() == midnight(2026)
            with pytest.raises(RuntimeError, match="cannot travel further"):
                store.travel(days=1)
        assert is_close_to(start + DAY)


def test_a_freeze_that_is_still_active_on_leaving_is_an_error():
    start = now()
    freezer = freeze_time("2026-01-01")
    with pytest.raises(RuntimeError, match=r"freeze_time\(\) that was started after store.travel\(\) is still active"):
        with fake_store() as store:
            store.travel(days=1)
            freezer.start()
    assert now() == midnight(2026)
    with pytest.raises(RuntimeError):
        store.close()
    freezer.stop()
    assert is_close_to(start)
    store.close()


def test_a_freeze_that_was_moved_is_moved_back_below_a_later_one():
    with freeze_time("2025-01-01"):
        freezer = freeze_time("2026-01-01")
        with fake_store() as store:
            store.travel(days=1)
            freezer.start()
        freezer.stop()
        assert now() == midnight(2025)


def test_that_error_hides_no_other():
    freezer = freeze_time("2026-01-01")
    with pytest.raises(ZeroDivisionError) as left:
        with fake_store() as store:
            store.travel(days=1)
            freezer.start()
            _ = 1 / 0
    freezer.stop()
    store.close()
    assert "call store.close()" in left.value.__notes__[0]
    with pytest.raises(UnexpectedRequest) as swallowed:
        with fake_store() as store:
            with pytest.raises(requests.ConnectionError):
                requests.get("http://elsewhere.test/")
            store.travel(days=1)
            freezer.start()
    freezer.stop()
    store.close()
    assert isinstance(swallowed.value.__context__, RuntimeError)


# -- the ends of a journey


def test_reset_close_and_a_failing_body_put_the_clock_back():
    start = now()
    store = FakeStore()
    for end in (store.reset, store.close):
        store.travel(days=1)
        end()
        assert is_close_to(start)
    with pytest.raises(ZeroDivisionError):
        with fake_store() as store:
            store.travel(days=1)
            _ = 1 / 0
    assert is_close_to(start)


def test_nested_stores_put_the_clock_back_one_after_the_other():
    start = now()
    with fake_store() as outer:
        outer.travel(days=1)
        with fake_store() as inner:
            inner.travel(days=1)
            assert is_close_to(start + 2 * DAY)
        assert is_close_to(start + DAY)
    assert is_close_to(start)
