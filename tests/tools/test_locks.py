"""What two threads may not do at once: each test lets a second thread come in at the very worst moment."""

from __future__ import annotations

import itertools
import sys
import threading
from contextlib import ExitStack

import pytest
import requests
from requests.adapters import HTTPAdapter

from fakestore import FakeStore, fake_store, faults
from fakestore.service.fault_plan import FaultPlan, Planned

REAL_SEND = HTTPAdapter.send
#: How long the second thread is given, in seconds: it comes to its end by then unless a lock keeps it out.
GIVEN = 0.1


def interrupted(work, *, event, inside_of, name, by):
    """``work()`` in this thread, and ``by()`` in another that starts at the first ``event`` of that name: the call of
    a function or the return from it, seen inside of a module. What both return; a lock makes the other wait.
    """
    results = {}
    other = threading.Thread(target=lambda: results.update(by=by()))

    def watch(frame, happened, arg):
        called = arg.__name__ if happened.startswith("c_") else frame.f_code.co_name
        if (happened, frame.f_globals.get("__name__"), called) == (event, inside_of, name) and other.ident is None:
            other.start()
            other.join(GIVEN)

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        results["work"] = work()
    finally:
        sys.setprofile(before)
    assert other.ident is not None, f"{name} was never met"
    other.join(60)
    return results["work"], results.get("by")


def at_step(step, work, *, inside_of, by):
    """``work()`` in this thread, and ``by()`` in another that starts at a step of the interpreter in one function, or
    behind its end.
    """
    other = threading.Thread(target=by)
    steps = itertools.count(1)

    def watch(frame, event, arg):
        if frame.f_code.co_name != inside_of:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode" and next(steps) == step:
            other.start()
            other.join(GIVEN)
        return watch

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        work()
    finally:
        sys.settrace(before)
    if other.ident is None:
        other.start()
    other.join(60)


def test_a_request_during_a_reset_finds_the_default_account_and_the_buckets():
    store = FakeStore(buckets=["photos"])
    _, answer = interrupted(
        store.reset, event="return", inside_of="fakestore.service.service", name="reset", by=lambda: get(store)
    )
    assert answer == 200


def get(store):
    session = store.session()
    session.mount("http://", store.adapter())
    return session.get(store.url("photos")).status_code


def test_two_requests_at_once_do_not_meet_a_fault_that_fires_once():
    store = FakeStore(buckets=["photos"])
    store.fail("GET Bucket", faults.ServiceError("SlowDown"))
    statuses = interrupted(
        lambda: get(store),
        event="return",
        inside_of="fakestore.service.fault_plan",
        name="matches",
        by=lambda: get(store),
    )
    assert sorted(statuses) == [200, 503]


@pytest.mark.parametrize("step", range(1, 60))
def test_a_fault_given_back_while_another_request_takes_it_is_counted_right(step):
    plan = FaultPlan()
    plan.add(Planned("GET Bucket", faults.TruncatedBody(1), None, None, times=None, after=0))
    planned = plan.take("GET Bucket", None, None)
    at_step(
        step, lambda: plan.give_back(planned), inside_of="give_back", by=lambda: plan.take("GET Bucket", None, None)
    )
    assert (planned.fired, planned.missed) == (1, 1)


def test_exchanges_are_counted_and_kept_in_one_step():
    store = FakeStore(buckets=["photos"])
    _, seen = interrupted(
        lambda: get(store),
        event="c_return",
        inside_of="fakestore.service.journal",
        name="append",
        by=lambda: (len(store.exchanges), store.exchanges.dropped),
    )
    assert seen == (1, 0)


def test_a_snapshot_is_of_one_moment():
    store = FakeStore(buckets=["films", "photos"])
    snapshot, _ = interrupted(
        store.snapshot,
        event="call",
        inside_of="fakestore.model.bucket",
        name="copy",
        by=lambda: [store[name].put("cat.jpg") for name in ("films", "photos")],
    )
    store.restore(snapshot)
    assert [list(bucket) for bucket in store.buckets.values()] == [[], []]


def test_a_restore_waits_for_what_is_under_way():
    store = FakeStore()
    store.create_bucket("photos").put("cat.jpg", b"meow")
    snapshot = store.snapshot()
    session = store.session()
    session.mount("http://", store.adapter())
    session.delete(store.url("photos", "cat.jpg"))
    session.delete(store.url("photos"))
    interrupted(
        lambda: store.create_bucket("photos"),
        event="call",
        inside_of="fakestore.model.bucket",
        name="__init__",
        by=lambda: store.restore(snapshot),
    )
    assert list(store["photos"]) == ["cat.jpg"]


# -- the patch of the process


def answers(url):
    try:
        return requests.get(url).status_code
    except requests.ConnectionError:
        return None


def test_two_stores_entered_at_once_both_answer():
    first, second = fake_store(base_url="http://first.test"), fake_store(base_url="http://second.test")
    with ExitStack() as stack:
        _, other = interrupted(
            lambda: stack.enter_context(first),
            event="call",
            inside_of="responses",
            name="start",
            by=second.__enter__,
        )
        stack.push(second)
        seen = [answers("http://first.test/"), answers("http://second.test/")]
        other.unhandled_requests.clear()
    assert (seen, HTTPAdapter.send) == ([403, 403], REAL_SEND)


@pytest.mark.parametrize("step", range(1, 80))
def test_a_store_may_be_left_while_another_is_entered(step):
    first, second = fake_store(base_url="http://first.test"), fake_store(base_url="http://second.test")
    first.__enter__()
    at_step(step, lambda: first.__exit__(None, None, None), inside_of="stop", by=second.__enter__)
    seen = answers("http://second.test/")
    second.__exit__(None, None, None)
    assert (seen, HTTPAdapter.send) == (403, REAL_SEND)


# -- one recipe in several threads


def test_a_thread_that_leaves_a_recipe_leaves_the_store_that_it_entered():
    recipe = fake_store()
    entered, left = threading.Barrier(2), threading.Barrier(2)

    def enter_later():
        entered.wait(60)
        with recipe:
            left.wait(60)
            left.wait(60)

    other = threading.Thread(target=enter_later)
    other.start()
    with pytest.raises(AssertionError, match="faults that never fired"):
        with recipe as store:
            store.fail(None, faults.ConnectionReset())
            entered.wait(60)
            left.wait(60)
    left.wait(60)
    other.join(60)
    assert HTTPAdapter.send is REAL_SEND
