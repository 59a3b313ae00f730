"""Nothing of a store is left behind once it was left: no patch, thread, file or object, however many there were."""

import gc
import os
import threading
import tracemalloc
import unittest.mock
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
import requests
import responses
from freezegun import api as freezegun_api
from requests.adapters import HTTPAdapter

from fakestore import FakeStore, UnsupportedRequest, fake_store
from fakestore.model.bucket import BucketRecord
from fakestore.service.journal import JOURNAL_SIZE as KEPT
from fakestore.service.service import Service
from tests.trust.hostility import request_of


def use(store):
    """A little of everything: objects, versions, a refusal, a snapshot, a listing."""
    auth = store.auth()
    store.create_bucket("photos", versioning="enabled")
    with requests.Session() as session:
        session.mount("http://", store.adapter())
        for content in (b"one", b"two"):
            session.put(store.url("photos", "k"), data=content, auth=auth)
        session.delete(store.url("photos", "k"), auth=auth)
        session.get(store.url("photos", "nothing"), auth=auth)
        session.get(store.url("photos", versions=None), auth=auth)
    store.restore(store.snapshot())


def patched():
    """A store that is patched in, used and left."""
    with fake_store() as store:
        use(store)
        requests.get(store.url("photos", "k"), auth=store.auth())


def failed():
    """One whose block fails."""
    with pytest.raises(ZeroDivisionError), fake_store() as store:
        use(store)
        raise ZeroDivisionError


def unsupported():
    """One that was asked for what it does not do."""
    with fake_store() as store:
        use(store)
        with pytest.raises(UnsupportedRequest):
            requests.get(store.url("photos", "k", torrent=None), auth=store.auth())
        store.unhandled_requests.clear()


def travelled():
    """One that moved the clock."""
    with fake_store() as store:
        use(store)
        store.travel(days=3)


@fake_store(buckets=["photos"])
def decorated(store):
    requests.put(store.url("photos", "k"), data=b"x", auth=store.auth())


#: One thread for all, for what measures coverage keeps something of each thread there was.
OTHER_THREAD = ThreadPoolExecutor(1)


def elsewhere():
    """One that is left in another thread than it was entered in."""
    stack = ExitStack()
    stack.enter_context(fake_store(buckets=["photos"]))
    OTHER_THREAD.submit(stack.close).result()


def direct():
    """One that patches nothing."""
    use(FakeStore())


WAYS = [patched, failed, unsupported, travelled, decorated, elsewhere, direct]


def open_files():
    # The listing itself is open while it is read, and is gone afterwards.
    return sorted(str(each.readlink()) for each in list(Path("/proc/self/fd").iterdir()) if each.exists())


def outside():
    """Everything of the process that a store could have changed."""
    return {
        "send": HTTPAdapter.send,
        "request": requests.Session.request,
        "responses": HTTPAdapter.send is responses._real_send,
        "threads": threading.enumerate(),
        "files": open_files(),
        "patches": list(unittest.mock._patch._active_patches),
        "freezes": list(freezegun_api.freeze_factories),
        "environment": dict(os.environ),
    }


@pytest.mark.parametrize("way", WAYS)
def test_a_store_that_was_left_leaves_the_process_as_it_was(way):
    way()
    before = outside()
    way()
    assert outside() == before


#: How many stores the pytest plugin keeps for the report of a test that fails.
KEPT_FOR_A_REPORT = 5


def living():
    gc.collect()
    return sum(isinstance(each, (FakeStore, Service, BucketRecord)) for each in gc.get_objects())


@pytest.mark.parametrize("way", WAYS)
def test_nothing_holds_on_to_stores_that_were_left(way):
    for _ in range(KEPT_FOR_A_REPORT):
        way()
    before = living()
    for _ in range(10):
        way()
    assert living() == before


def test_a_test_that_enters_many_stores_keeps_a_few_of_them_for_its_report():
    before = sum(isinstance(each, FakeStore) for each in gc.get_objects())
    for _ in range(50):
        with fake_store():
            pass
    gc.collect()
    assert sum(isinstance(each, FakeStore) for each in gc.get_objects()) - before <= KEPT_FOR_A_REPORT


def brief():
    """Two stores, with an object each: one patched in, one not."""
    with fake_store(buckets=["photos"]) as store:
        requests.put(store.url("photos", "k"), data=b"x" * 10_000, auth=store.auth())
    store = FakeStore(buckets={"photos": "enabled"})
    store["photos"].put("k", b"x" * 10_000)
    store.restore(store.snapshot())


@pytest.mark.parametrize(("way", "times"), [(brief, 500), (elsewhere, 1000)])
def test_1000_stores_made_and_left_return_to_the_same_number_of_objects(way, times):
    for _ in range(20):
        way()
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(times):
        way()
    gc.collect()
    # What is left is of the interpreter and of caches with a bound: not one object for ten stores.
    assert len(gc.get_objects()) - before < 100


def test_stores_made_and_left_return_to_the_same_memory():
    for _ in range(20):
        brief()
    tracemalloc.start()
    for _ in range(5):
        brief()
    gc.collect()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(100):
        brief()
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    # One body of each would be 2 MB.
    assert grown < 64 * 1024


def test_a_store_in_use_keeps_no_more_after_thousands_of_requests_than_after_a_few():
    store = FakeStore(buckets={"photos": "suspended"}, access_key_id="AK")

    def ask(times):
        for _ in range(times):
            store._service.handle(request_of("PUT", "photos.objects.test", "/k", body=b"x"))
            store._service.handle(request_of("GET", "photos.objects.test", "/k"))
        gc.collect()
        return len(gc.get_objects())

    ask(KEPT)
    after_a_few = ask(KEPT // 2)
    assert ask(KEPT) - after_a_few < 100  # the journal is full by then
    assert (len(store.exchanges), store.exchanges.dropped) == (KEPT, 4 * KEPT)


def test_responses_own_record_of_calls_stays_empty():
    with responses.RequestsMock(assert_all_requests_are_fired=False) as around, fake_store(buckets=["photos"]) as store:
        for _ in range(10):
            requests.put(store.url("photos", "k"), data=b"x", auth=store.auth())
        assert (len(around.calls), len(responses.calls)) == (0, 0)


def test_a_rolled_back_store_forgets_what_was_written_since():
    store = FakeStore(buckets={"photos": "enabled"})
    snapshot = store.snapshot()

    def write_and_roll_back():
        for number in range(50):
            store["photos"].put(f"k{number}", b"x")
        store.restore(snapshot)
        gc.collect()
        return len(gc.get_objects())

    first = write_and_roll_back()
    for _ in range(20):
        last = write_and_roll_back()
    assert last - first < 20
