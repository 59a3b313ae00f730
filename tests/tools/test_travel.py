"""Moving the clock of the process, and putting it back."""

from __future__ import annotations

import asyncio
import datetime as dt
import time
import unittest

import pytest
import requests
from freezegun import api, freeze_time

from fakestore import FakeStore, UnexpectedRequest, fake_store

DAY = dt.timedelta(days=1)


@pytest.fixture(autouse=True)
def the_clock_is_put_back():
    yield
    assert api.freeze_factories == []
    assert dt.datetime is api.real_datetime


def now():
    return dt.datetime.now(dt.UTC)


def close_to(expected):
    return abs(now() - expected) < dt.timedelta(minutes=1)


def test_a_clock_that_ticks_is_moved_and_goes_on_ticking():
    begun = now()
    with fake_store() as store:
        store.travel(days=30, hours=1)
        moved = close_to(begun + 30 * DAY + dt.timedelta(hours=1))
        before = now()
        time.sleep(0.01)
        assert (moved, now() > before) == (True, True)
    assert close_to(begun)


def test_journeys_add_up():
    begun = now()
    with fake_store() as store:
        store.travel(days=1)
        store.travel(days=2)
        store.travel(days=-1)
        assert close_to(begun + 2 * DAY)


def test_the_store_sees_the_moved_clock():
    with fake_store(buckets=["photos"]) as store:
        before = store["photos"].put("cat.jpg").last_modified
        store.travel(days=1)
        answer = store.session().put(store.url("photos", "cat.jpg"), data=b"meow")
        assert answer.status_code == 200
        assert DAY <= store["photos"]["cat.jpg"].last_modified - before < DAY + dt.timedelta(minutes=1)


def test_a_frozen_clock_is_moved_and_moved_back():
    with freeze_time("2026-01-01") as frozen:
        with fake_store() as store:
            store.travel(days=1)
            store.travel(hours=12)
            moved = now()
        assert (moved, now()) == (dt.datetime(2026, 1, 2, 12, tzinfo=dt.UTC), dt.datetime(2026, 1, 1, tzinfo=dt.UTC))
        frozen.tick()
        assert now() == dt.datetime(2026, 1, 1, 0, 0, 1, tzinfo=dt.UTC)


@freeze_time("2026-01-01")
@fake_store()
def test_a_freeze_around_the_store_is_moved(store):
    store.travel(days=1)
    assert now() == dt.datetime(2026, 1, 2, tzinfo=dt.UTC)


@fake_store()
@freeze_time("2026-01-01")
def test_a_freeze_inside_of_the_store_is_moved_and_may_end_before_it(store):
    store.travel(days=1)
    assert now() == dt.datetime(2026, 1, 2, tzinfo=dt.UTC)


def test_a_journey_in_a_freeze_that_has_ended_is_over():
    begun = now()
    with fake_store() as store:
        with freeze_time("2026-01-01"):
            store.travel(days=1)
        between = close_to(begun)
        store.travel(days=2)
        assert (between, close_to(begun + 2 * DAY)) == (True, True)


def test_the_innermost_of_several_freezes_is_moved():
    with freeze_time("2025-01-01") as outer, freeze_time("2026-01-01"):
        with fake_store() as store:
            store.travel(days=1)
            assert now() == dt.datetime(2026, 1, 2, tzinfo=dt.UTC)
            assert outer() == dt.datetime(2025, 1, 1)
        assert now() == dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


def test_a_freeze_that_begins_and_ends_after_the_journey_leaves_it_as_it_is():
    begun = now()
    with fake_store() as store:
        store.travel(days=1)
        with freeze_time("2026-01-01"):
            inside = now()
        assert (inside, close_to(begun + DAY)) == (dt.datetime(2026, 1, 1, tzinfo=dt.UTC), True)


def test_a_freeze_begun_after_the_journey_and_still_running_is_an_error_that_says_so():
    freezer = freeze_time("2026-01-01")
    with pytest.raises(RuntimeError, match=r"end a freeze_time\(\) that was begun after it before the store is left"):
        with fake_store() as store:
            store.travel(days=1)
            freezer.start()
    freezer.stop()
    FakeStore()


def test_a_freeze_still_running_is_a_note_of_an_exception_that_is_leaving():
    freezer = freeze_time("2026-01-01")
    with pytest.raises(ZeroDivisionError) as left:
        with fake_store() as store:
            store.travel(days=1)
            freezer.start()
            _ = 1 / 0
    freezer.stop()
    FakeStore()
    (note,) = left.value.__notes__
    assert note.startswith("the clock was frozen by somebody else after store.travel(), and still is")


def test_a_freeze_still_running_is_a_warning_of_a_test_case_that_fails():
    freezer = freeze_time("2026-01-01")

    @fake_store()
    class Case(unittest.TestCase):
        def runTest(self):
            self.store.travel(days=1)
            freezer.start()
            self.fail()

    result = unittest.TestResult()
    with pytest.warns(RuntimeWarning, match="the clock was frozen by somebody else"):
        Case().run(result)
    freezer.stop()
    FakeStore()
    assert (len(result.failures), len(result.errors)) == (1, 0)


def test_a_freeze_still_running_does_not_hide_a_refusal_that_was_swallowed():
    freezer = freeze_time("2026-01-01")
    with pytest.raises(UnexpectedRequest) as left:
        with fake_store() as store:
            with pytest.raises(requests.ConnectionError):
                requests.get("http://elsewhere.test/")
            store.travel(days=1)
            freezer.start()
    freezer.stop()
    FakeStore()
    assert isinstance(left.value.__context__, RuntimeError)


def outlive(store, freezer):
    """Travel, freeze on top, and close the store under it."""
    store.travel(days=30)
    freezer.start()
    with pytest.raises(RuntimeError):
        store.close()


def test_a_freeze_that_outlives_the_journey_shows_its_own_time_until_it_ends_and_then_the_right_one():
    begun = now()
    freezer = freeze_time("2026-01-01")
    outlive(FakeStore(), freezer)
    inside = now()
    freezer.stop()
    after = close_to(begun)
    FakeStore()
    assert (inside, after) == (dt.datetime(2026, 1, 1, tzinfo=dt.UTC), True)


def test_the_clock_after_a_freeze_that_outlived_the_journey_ticks():
    freezer = freeze_time("2026-01-01")
    outlive(FakeStore(), freezer)
    freezer.stop()
    shown = now()
    time.sleep(0.01)
    assert now() > shown
    FakeStore()


def test_a_journey_that_was_outlived_leaves_nothing_behind_once_another_store_is_made():
    freezer = freeze_time("2026-01-01")
    outlive(FakeStore(), freezer)
    freezer.stop()
    FakeStore()
    assert (api.freeze_factories, dt.datetime) == ([], api.real_datetime)


def test_a_journey_that_was_outlived_leaves_nothing_behind_once_a_store_closes():
    other = FakeStore()
    freezer = freeze_time("2026-01-01")
    outlive(FakeStore(), freezer)
    freezer.stop()
    other.close()
    assert (api.freeze_factories, dt.datetime) == ([], api.real_datetime)


def test_a_store_that_was_outlived_may_travel_again():
    begun = now()
    store = FakeStore()
    freezer = freeze_time("2026-01-01")
    outlive(store, freezer)
    freezer.stop()
    store.travel(days=1)
    moved = close_to(begun + DAY)
    store.close()
    assert (moved, close_to(begun)) == (True, True)


def test_two_journeys_that_were_outlived_are_both_over():
    begun = now()
    first, second = FakeStore(), FakeStore()
    first.travel(days=1)
    second.travel(days=2)
    freezer = freeze_time("2026-01-01")
    freezer.start()
    for store in (first, second):
        with pytest.raises(RuntimeError):
            store.close()
    freezer.stop()
    right = close_to(begun)
    FakeStore()
    assert right


def test_a_freeze_that_was_moved_and_is_covered_is_moved_back_in_its_place():
    store = FakeStore()
    with freeze_time("2026-01-01"):
        store.travel(days=1)
        with freeze_time("2027-01-01"), pytest.raises(RuntimeError):
            store.close()
        assert now() == dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


def test_a_freeze_that_ticks_is_moved_back_without_losing_what_went_by():
    with freeze_time("2026-01-01", tick=True):
        store = FakeStore()
        store.travel(days=1)
        time.sleep(0.05)
        store.close()
        assert now() >= dt.datetime(2026, 1, 1, 0, 0, 0, 50_000, tzinfo=dt.UTC)


def test_a_journey_under_a_freeze_begun_after_it_is_refused():
    with fake_store() as store:
        store.travel(days=1)
        with freeze_time("2026-01-01"), pytest.raises(RuntimeError, match="cannot travel further"):
            store.travel(days=1)


def test_a_reset_under_a_freeze_begun_after_the_journey_resets_and_says_so():
    store = FakeStore()
    store.create_bucket("photos")
    store.travel(days=1)
    with freeze_time("2026-01-01"), pytest.raises(RuntimeError, match="still is"):
        store.reset()
    FakeStore()
    assert list(store) == []


def test_a_reset_puts_the_clock_back():
    begun = now()
    with fake_store() as store:
        store.travel(days=1)
        store.reset()
        assert close_to(begun)


def test_a_failing_body_puts_the_clock_back():
    begun = now()
    with pytest.raises(ZeroDivisionError):
        with fake_store() as store:
            store.travel(days=1)
            _ = 1 / 0
    assert close_to(begun)


def test_nested_stores_put_the_clock_back_each_in_its_turn():
    begun = now()
    with fake_store() as outer:
        outer.travel(days=1)
        with fake_store() as inner:
            inner.travel(days=1)
            both = close_to(begun + 2 * DAY)
        assert (both, close_to(begun + DAY)) == (True, True)


@freeze_time("2030-01-01")
def test_a_journey_takes_what_a_timedelta_takes():
    parts = {"weeks": 7, "days": 6, "hours": 5, "minutes": 4, "seconds": 3, "milliseconds": 2, "microseconds": 1}
    begun = now()
    with fake_store() as store:
        store.travel(**parts)
        assert now() - begun == dt.timedelta(**parts)


def test_a_journey_of_what_is_no_time_is_refused():
    with fake_store() as store, pytest.raises(TypeError, match="dayz"):
        store.travel(dayz=1)


def test_a_journey_does_not_disturb_what_an_event_loop_waits_for():
    @fake_store()
    async def body(store):
        async with asyncio.timeout(60):
            store.travel(days=30)
            await asyncio.sleep(0.001)
            return "undisturbed"

    assert asyncio.run(body()) == "undisturbed"
