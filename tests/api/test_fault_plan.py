"""The fault plan: which fault a request meets, and what faults cost that have fired as often as planned."""

from __future__ import annotations

import pytest

from fakestore import FakeStore, faults
from tests.support.cost import count_calls
from tests.support.wire import send


@pytest.fixture
def store():
    store = FakeStore(buckets=["photos"])
    store["photos"].put("cat.jpg", b"meow")
    return store


def get(store):
    return send(store, "GET", "photos", "/cat.jpg").status


@pytest.mark.decision("one-fault-a-request")
def test_a_request_that_meets_a_fault_leaves_the_others_alone(store):
    store.fail("GET Object", faults.ServiceError("SlowDown"))
    store.fail("GET Object", faults.ServiceError("InternalError"), after=1)
    store.fail("GET Object", faults.ServiceError("AccessDenied"))
    # The first request meets the first fault alone. The second is let pass by the second fault, and meets the third.
    # The third meets the second.
    assert [get(store) for _ in range(4)] == [503, 403, 500, 200]


def test_faults_that_have_fired_cost_later_requests_nothing(store):
    costs = []
    for fired in (1, 100):
        for _ in range(fired):
            store.fail("GET Object", faults.ServiceError("SlowDown"))
            assert get(store) == 503
        assert get(store) == 200
        costs.append(count_calls(lambda: get(store)))
    assert costs[1] <= 1.1 * costs[0]
    store.check()  # every fault has fired
