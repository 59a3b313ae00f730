"""What several threads or processes do at once with one store."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import requests
from requests.adapters import HTTPAdapter

from fakestore import FakeStore, fake_store, faults
from fakestore.http import Request

REAL_SEND = HTTPAdapter.send
THREADS = 8
ROUNDS = 25


def at_once(work):
    """Call `work(number)` in several threads that start together, and return the results."""
    barrier = threading.Barrier(THREADS)

    def run(number):
        barrier.wait(60)
        return work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(run, range(THREADS)))


def get(store, key=""):
    return store.handle(Request.to_url("GET", store.url("photos", key))).status


def test_a_fault_that_fires_once_meets_one_of_many_requests():
    store = FakeStore(buckets=["photos"])
    for _ in range(ROUNDS):
        store.fail("GET Bucket", faults.ServiceError("SlowDown"))
        assert sorted(at_once(lambda number: get(store))) == [403] * (THREADS - 1) + [503]


def test_exchanges_are_counted_as_they_are_kept():
    store = FakeStore(buckets=["photos"], journal_size=10)

    def seen(number):
        get(store)
        exchanges = store.exchanges
        return len(exchanges) == min(10, len(exchanges) + exchanges.dropped)

    for _ in range(ROUNDS):
        assert all(at_once(seen))
    assert (len(store.exchanges), store.exchanges.dropped) == (10, THREADS * ROUNDS - 10)


def test_a_snapshot_shows_one_moment():
    store = FakeStore(buckets=["films", "photos"])

    def write_or_look(number):
        if number == 0:
            return [store.snapshot() for _ in range(ROUNDS)]
        for round_number in range(ROUNDS):
            store["films"].put(f"{number} {round_number}")
            store["photos"].put(f"{number} {round_number}")
        return []

    for snapshot in at_once(write_or_look)[0]:
        store.restore(snapshot)
        films, photos = map(len, store.buckets.values())
        assert 0 <= films - photos <= THREADS - 1


def test_requests_during_a_reset_find_the_default_account_and_bucket():
    store = FakeStore(buckets=["photos"])
    session = store.session()
    session.mount("http://", store.adapter())

    def reset_or_get(number):
        for _ in range(ROUNDS):
            if number == 0:
                store.reset()
            elif session.get(store.url("photos")).status_code != 200:
                return False
        return True

    assert all(at_once(reset_or_get))


def test_stores_may_be_entered_and_left_by_many_threads():
    def enter(number):
        for _ in range(ROUNDS):
            with fake_store(base_url=f"http://of-{number}.test"):
                if requests.get(f"http://of-{number}.test/").status_code != 403:
                    return False
        return True

    assert all(at_once(enter))
    assert HTTPAdapter.send is REAL_SEND


FORKING = """
import os, signal, sys, threading, warnings
from fakestore import FakeStore
from fakestore.http import Request

warnings.simplefilter("ignore")  # Python 3.12 warns of forks beside threads
store = FakeStore(buckets=["photos"])
stopping = False

def write(number):
    while not stopping:
        store["photos"].put(str(number))
        store.handle(Request.to_url("GET", store.url("photos")))

threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
for thread in threads:
    thread.start()
stuck = 0
for _ in range(60):
    child = os.fork()
    if child == 0:
        signal.alarm(5)
        store["photos"].put("of the child")
        store.handle(Request.to_url("GET", store.url("photos")))
        store.snapshot(), store.calls("PUT Object"), FakeStore()
        os._exit(0)
    stuck += os.waitpid(child, 0)[1] != 0
stopping = True
for thread in threads:
    thread.join()
print(stuck, len(store.exchanges) > 0)
"""


def test_a_forked_child_can_use_the_store():
    done = subprocess.run([sys.executable, "-c", FORKING], capture_output=True, text=True, timeout=300)
    assert (done.stdout, done.stderr) == ("0 True\n", "")
