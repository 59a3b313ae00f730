"""Nothing of a store is left behind: no patch, thread, file, environment variable or object."""

import gc
import os
import threading
import unittest.mock
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import boto3.s3.transfer
import pytest
import requests
import responses
from freezegun import api as freezegun_api
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool

from fakestore import Bucket, FakeStore, UnsupportedRequest, fake_store
from tests.support.wire import request


@pytest.fixture(scope="module", autouse=True)
def nothing_of_other_tests_is_collected():
    """These tests collect garbage many times, and each time would visit all that earlier tests have left."""
    gc.collect()
    gc.freeze()


def use(store):
    """Do a little of everything: objects, versions, an error, a listing, a snapshot."""
    store.create_bucket("photos", versioning="enabled")
    for content in (b"one", b"two"):
        request(store, "PUT", "photos", "k", body=content)
    request(store, "DELETE", "photos", "k")
    request(store, "GET", "photos", "missing")
    request(store, "GET", "photos", versions=None)
    store.restore(store.snapshot())


def entered():
    with fake_store() as store:
        use(store)
        requests.get(store.url("photos", "k"), auth=store.auth())


def failed():
    with pytest.raises(ZeroDivisionError), fake_store() as store:
        use(store)
        raise ZeroDivisionError


def unsupported():
    with fake_store() as store:
        use(store)
        with pytest.raises(UnsupportedRequest):
            requests.get(store.url("photos", "k", torrent=None), auth=store.auth())
        store.unhandled_requests.clear()


def travelled():
    with fake_store() as store:
        use(store)
        store.travel(days=3)


@fake_store(buckets=["photos"])
def decorated(store):
    requests.put(store.url("photos", "k"), data=b"x", auth=store.auth())


#: One thread for all calls, because coverage keeps something of each thread.
OTHER_THREAD = ThreadPoolExecutor(1)


def left_in_another_thread():
    stack = ExitStack()
    stack.enter_context(fake_store(buckets=["photos"]))
    OTHER_THREAD.submit(stack.close).result()


def mounted():
    store = FakeStore()
    use(store)
    with store.session() as session:
        session.mount("http://", store.adapter())
        session.get(store.url("photos", "k"))


WAYS = [entered, failed, unsupported, travelled, decorated, left_in_another_thread, mounted]
#: How many stores the pytest plugin keeps for the report of a test that fails.
KEPT_FOR_A_REPORT = 5


def open_files():
    # The listing itself is open while it is read, and closed afterwards.
    return sorted(str(each.readlink()) for each in list(Path("/proc/self/fd").iterdir()) if each.exists())


def process_state():
    """Return everything of the process that a store could have changed."""
    return {
        "send": HTTPAdapter.send,
        "urlopen": HTTPConnectionPool.urlopen,
        "responses": (responses.RequestsMock.start, responses.RequestsMock.stop),
        "request": requests.Session.request,
        "transfers": boto3.s3.transfer.create_crt_transfer_manager,
        "threads": threading.enumerate(),
        "files": open_files(),
        "patches": list(unittest.mock._patch._active_patches),  # noqa: SLF001
        "freezes": list(freezegun_api.freeze_factories),
        "environment": dict(os.environ),
    }


def objects():
    for _ in range(2):  # the first one may stop tracking tuples that the second one then does not count
        gc.collect()
    return len(gc.get_objects())


def stores():
    gc.collect()
    return sum(isinstance(each, (FakeStore, Bucket)) for each in gc.get_objects())


@pytest.mark.parametrize("way", WAYS)
def test_a_store_that_was_left_leaves_nothing_behind(way):
    for _ in range(KEPT_FOR_A_REPORT):
        way()
    before, stores_before = process_state(), stores()
    for _ in range(2):
        way()
    assert (process_state(), stores()) == (before, stores_before)


def test_a_few_stores_are_kept_for_the_report_of_a_test():
    before = stores()
    for _ in range(50):
        with fake_store():
            pass
    assert stores() - before <= KEPT_FOR_A_REPORT


def brief():
    """Make two stores with an object each: one entered, one made directly."""
    with fake_store(buckets=["photos"]) as store:
        requests.put(store.url("photos", "k"), data=b"x" * 10_000, auth=store.auth())
    store = FakeStore(buckets={"photos": "enabled"})
    store["photos"].put("k", b"x" * 10_000)
    store.restore(store.snapshot())


@pytest.mark.parametrize(("way", "times"), [(brief, 150), (left_in_another_thread, 300)])
def test_300_stores_leave_no_objects(way, times):
    for _ in range(20):
        way()
    before = objects()
    for _ in range(times):
        way()
    # The rest belongs to the interpreter and to bounded caches: less than one object for three stores.
    assert objects() - before < 100


def test_a_store_in_use_keeps_a_bounded_journal():
    store = FakeStore(buckets={"photos": "suspended"}, journal_size=500)

    def ask(times):
        for _ in range(times):
            request(store, "PUT", "photos", "k", body=b"x")
            request(store, "GET", "photos", "k")
        return objects()

    ask(300)  # the journal is full now
    after_many = ask(300)
    assert ask(300) - after_many < 100
    assert (len(store.exchanges), store.exchanges.dropped) == (500, 1300)


def test_a_restored_store_forgets_what_was_written_since():
    store = FakeStore(buckets={"photos": "enabled"})
    snapshot = store.snapshot()

    def write_and_restore():
        for number in range(50):
            store["photos"].put(f"k{number}", b"x")
        store.restore(snapshot)

    write_and_restore()
    before = objects()
    for _ in range(20):
        write_and_restore()
    assert objects() - before < 20
