"""The fault plan: which fault a request meets, and what faults cost that are spent."""

from __future__ import annotations

import sys
from threading import Thread

import pytest

from fakestore import FakeStore, faults
from tests.corrections.arrange import ask


@pytest.fixture
def fakestore_options():
    return {"buckets": ["photos"]}


@pytest.mark.decision("one-fault-a-request")
def test_a_request_that_meets_a_fault_leaves_the_others_alone(fakestore):
    fakestore["photos"].put("cat.jpg", b"meow")
    fakestore.fail("GET Object", faults.ServiceError("SlowDown"))
    fakestore.fail("GET Object", faults.ServiceError("InternalError"), after=1)
    fakestore.fail("GET Object", faults.ServiceError("AccessDenied"))

    url = fakestore.url("photos", "cat.jpg")
    statuses = [ask(fakestore, "GET", url).status for _ in range(4)]

    # The first request meets the first fault alone. The second is let pass by the second fault, and meets the third.
    # The third meets the second.
    assert statuses == [503, 403, 500, 200]


def lines_run(function) -> int:
    """Return how many lines of Python `function` runs, in a thread of its own so that no other trace is disturbed."""
    count = 0

    def trace(frame, event, argument):
        nonlocal count
        count += event == "line"
        return trace

    def run():
        sys.settrace(trace)
        function()
        sys.settrace(None)

    thread = Thread(target=run)
    thread.start()
    thread.join()
    return count


def test_faults_that_are_spent_cost_later_requests_nothing():
    def cost_of_a_get(spent: int) -> int:
        store = FakeStore(buckets=["photos"])
        store["photos"].put("cat.jpg", b"meow")
        url = store.url("photos", "cat.jpg")
        for _ in range(spent):
            store.fail("GET Object", faults.ServiceError("SlowDown"))
            assert ask(store, "GET", url).status == 503
        assert ask(store, "GET", url).status == 200
        cost = lines_run(lambda: ask(store, "GET", url))
        store.check()  # every fault has fired
        return cost

    assert cost_of_a_get(spent=100) <= cost_of_a_get(spent=1) + 20
