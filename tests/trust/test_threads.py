"""Threads and forks: nothing is lost, and every thread sees whole writes only."""

import os
import threading
from functools import partial

import pytest
import requests
from lxml import etree
from requests.adapters import HTTPAdapter

from fakestore import FakeStore, Limits, fake_store, faults
from fakestore.locks import Turns
from tests.support.documents import complete_document
from tests.support.programs import run_program
from tests.support.steps import C_CALLS, CALLS, interrupt_at_each_step
from tests.support.wire import request
from tests.trust.crowd import Crowd, in_pieces, together

CONTENTS = [bytes([number]) * 50_000 for number in range(16)]


def test_32_threads_lose_nothing_and_see_whole_writes_only():
    crowd = Crowd(0, steps=20)
    crowd.run()
    crowd.check()


def test_turn_counts_only_once_it_has_begun():
    """Otherwise a thread that waits during a turn would not be noticed after it, and rights would not be checked."""
    turns = Turns()

    def take_turn():
        with turns:
            pass

    waiting = threading.Thread(target=take_turn)
    with turns:
        waiting.start()
        waiting.join(0.05)
        number = turns.number
    waiting.join()
    with turns:
        assert turns.had_others_since(number)
    number = turns.number
    with turns:
        assert not turns.had_others_since(number)


@pytest.mark.statement("1-11", "1-13", "1-14", "3-07")
def test_16_writers_of_one_key_leave_what_versioning_says():
    store = FakeStore(buckets={"never": "never", "enabled": "enabled", "suspended": "suspended"})
    for name, count in {"never": 1, "enabled": 16, "suspended": 1}.items():
        replies = together(16, lambda number, name=name: request(store, "PUT", name, "k", body=CONTENTS[number]))
        entries = store[name].versions("k")
        assert [reply.status for reply in replies] == [200] * 16
        assert len(entries) == count
        assert {entry.content for entry in entries} <= set(CONTENTS)
        if name == "enabled":
            written = {reply.headers["x-svc-version-id"]: CONTENTS[number] for number, reply in enumerate(replies)}
            assert {entry.version_id: entry.content for entry in entries} == written


def test_one_of_32_conditional_writers_wins():
    store = FakeStore(buckets={"photos": "enabled"})
    headers = {"If-None-Match": "*", "Content-Length": "2000"}
    for key in map(str, range(10)):
        replies = together(
            32,
            lambda number, key=key: request(
                store, "PUT", "photos", key, headers=headers, body=in_pieces(bytes([number]) * 2000)
            ),
        )
        assert sorted(reply.status for reply in replies) == [200] + [412] * 31
        winner = next(number for number, reply in enumerate(replies) if reply.status == 200)
        assert [entry.content for entry in store["photos"].versions(key)] == [bytes([winner]) * 2000]


# -- uploads


def begin_upload(store):
    reply = request(store, "POST", "photos", "k", uploads=None)
    return etree.fromstring(reply.body).findtext("UploadId")


def complete_upload(store, upload, parts):
    return request(store, "POST", "photos", "k", body=complete_document(parts), uploadId=upload)


def test_32_threads_upload_the_parts_of_one_object():
    store = FakeStore(buckets=["photos"], limits=Limits(min_part_size=1))
    upload = begin_upload(store)

    def put(part, content):
        headers = {"Content-Length": str(len(content))}
        query = {"uploadId": upload, "partNumber": part}
        reply = request(store, "PUT", "photos", "k", headers=headers, body=in_pieces(content), **query)
        return part, reply.headers["ETag"]

    parts = []
    for first in range(1, 161, 32):
        together(32, lambda number, first=first: put(first + number, b"replaced"))
        parts += together(32, lambda number, first=first: put(first + number, f"{first + number},".encode()))
    assert complete_upload(store, upload, parts).status == 200
    assert bytes(store["photos"]["k"].content) == b"".join(f"{part},".encode() for part in range(1, 161))


def test_an_upload_that_16_threads_complete_or_abort_ends_once():
    store = FakeStore(buckets={"photos": "enabled"}, limits=Limits(min_part_size=1))
    successes = 0
    for _ in range(20):
        upload = begin_upload(store)
        query = {"uploadId": upload}
        parts = [
            (part, request(store, "PUT", "photos", "k", body=b"x", partNumber=part, **query).headers["ETag"])
            for part in range(1, 11)
        ]

        def end(number, query=query, upload=upload, parts=parts):
            if number % 4 == 3:
                return request(store, "DELETE", "photos", "k", **query).status
            return complete_upload(store, upload, parts).status

        statuses = together(16, end)
        assert [status for number, status in enumerate(statuses) if number % 4 == 3] == [204] * 4
        (completed,) = {status for number, status in enumerate(statuses) if number % 4 != 3}
        assert completed in (200, 404)
        successes += completed == 200
    assert len(store["photos"].versions()) == successes
    assert store["photos"].uploads == []


def test_a_part_that_arrives_when_its_upload_is_completed_is_not_stored():
    store = FakeStore(buckets=["photos"])
    upload = begin_upload(store)
    etag = request(store, "PUT", "photos", "k", body=b"part", uploadId=upload, partNumber=1).headers["ETag"]

    def late():
        assert complete_upload(store, upload, [(1, etag)]).status == 200
        yield b"late"

    headers = {"Content-Length": "4"}
    reply = request(store, "PUT", "photos", "k", headers=headers, body=late(), uploadId=upload, partNumber=1)
    assert (reply.status, store["photos"]["k"].content, store["photos"].uploads) == (404, b"part", [])


def test_each_planned_fault_meets_one_of_many_requests():
    store = FakeStore(buckets=["photos"])
    for _ in range(100):
        store.fail("GET Object", faults.ServiceError("SlowDown"), times=2)

    def work(number):
        return [request(store, "GET", "photos", "k").status for _ in range(30)]

    statuses = [status for seen in together(16, work) for status in seen]
    assert (statuses.count(503), statuses.count(404)) == (200, 280)


def test_a_restore_while_others_write_leaves_whole_objects():
    store = FakeStore(buckets={"photos": "enabled"})
    store["photos"].put("kept", b"first")
    snapshot = store.snapshot()

    def work(number):
        if number % 4 == 0:
            store.restore(snapshot)
        else:
            assert request(store, "PUT", "photos", "k", body=CONTENTS[number]).status == 200

    together(16, work)
    store.restore(snapshot)
    assert [(entry.key, entry.content) for entry in store["photos"].versions()] == [("kept", b"first")]


def test_a_snapshot_while_others_write_is_of_one_moment():
    """Each thread writes into the first bucket and then into the last, so the last never has more."""
    names = [f"bucket-{number:02}" for number in range(20)]
    store = FakeStore(buckets=names)

    def work(number):
        if number % 2:
            return [store.snapshot() for _ in range(20)]
        for count in range(60):
            for name in (names[0], names[-1]):
                store[name].put(f"{number}.{count}")
        return []

    for snapshot in [each for snapshots in together(8, work) for each in snapshots]:
        for _ in range(2):  # restored twice, so a snapshot that still changes is noticed
            store.restore(snapshot)
            first, last = (set(store[name]) for name in (names[0], names[-1]))
            assert last <= first
            assert len(first - last) <= 4
            store[names[0]].put("later")


def test_an_exchange_that_is_added_meanwhile_is_counted():
    store = FakeStore(buckets=["photos"], journal_size=1)

    def get():
        return request(store, "GET", "photos")

    steps = interrupt_at_each_step(get, store.reset, get, module="journal.py", events=CALLS + C_CALLS)
    counts = [(len(store.exchanges), store.exchanges.dropped) for _ in steps]
    assert counts == [(1, 1)] * (len(counts) - 1) + [(1, 0)]
    assert len(counts) > 10


def test_calls_are_read_while_an_exchange_is_added():
    store = FakeStore(buckets=["photos"], journal_size=1)
    interrupted = 0

    def prepare():
        store.reset()
        request(store, "GET", "photos")

    def calls():
        try:
            return len(store.calls("GET Bucket"))
        except RuntimeError as error:
            return str(error)

    add = partial(request, store, "GET", "photos")
    for found in interrupt_at_each_step(calls, prepare, add, module="journal.py", events=CALLS + C_CALLS):
        assert found == 1 or found.startswith("the journal has dropped 1 exchange that may match")
        interrupted += store.exchanges.dropped
    assert interrupted > 5


def test_a_fault_for_one_request_does_not_meet_the_next_one_meanwhile():
    store = FakeStore(buckets=["photos"])
    statuses = []

    def get():
        statuses.append(request(store, "GET", "photos").status)

    def plan():
        statuses.clear()
        store.fail("GET Bucket", faults.ServiceError("SlowDown"))

    interrupted = 0
    for _ in interrupt_at_each_step(get, prepare=plan, meanwhile=get, module="fault_plan.py"):
        assert sorted(statuses) in ([200, 503], [503])
        interrupted += len(statuses) == 2
    assert interrupted > 5


def test_requests_during_a_reset_find_the_default_account_and_bucket():
    store = FakeStore(buckets=["photos"])

    def reset_or_get(number):
        if number:
            return [request(store, "GET", "photos").status for _ in range(25)]
        return [store.reset() for _ in range(25)]

    assert {status for statuses in together(8, reset_or_get)[1:] for status in statuses} == {200}


def test_threads_enter_and_leave_stores_at_once():
    before = HTTPAdapter.send

    def work(number):
        recipe = fake_store(base_url=f"http://store-{number}.test", buckets=["photos"])
        for count in range(5):
            content = f"{number} {count}".encode()
            with recipe as store:
                url = store.url("photos", "k")
                requests.put(url, data=content, auth=store.auth()).raise_for_status()
                assert requests.get(url, auth=store.auth()).content == content
                assert (list(store["photos"]), len(store.exchanges)) == (["k"], 2)

    together(16, work)
    assert HTTPAdapter.send is before


def test_threads_that_share_a_session_get_their_own_answers():
    store = FakeStore(buckets=["photos"])
    with store.session() as session:
        session.mount("http://", store.adapter())

        def work(number):
            url = store.url("photos", f"k{number}")
            session.put(url, data=bytes([number]))
            return session.get(url).content

        assert together(16, work) == [bytes([number]) for number in range(16)]


def test_a_request_for_a_missing_bucket_releases_the_store():
    """Another thread is answered after an error that was raised while the store was locked."""
    store = FakeStore(buckets=["photos"])
    assert request(store, "GET", "missing", "k").status == 404
    assert request(store, "PUT", "missing", "k", body=b"x").status == 404
    assert request(store, "PUT", "photos", "k", headers={"x-svc-copy-source": "/missing/k"}).status == 404
    with pytest.raises(KeyError):
        store["missing"]
    statuses = []
    thread = threading.Thread(target=lambda: statuses.append(request(store, "GET", "photos").status), daemon=True)
    thread.start()
    thread.join(30)
    assert statuses == [200]


#: Forks while two threads use the store. Each child uses it, too, and must end.
FORKS = """
import os, sys, threading, time
import requests
from fakestore import FakeStore, fake_store, faults

sys.setswitchinterval(1e-5)
with fake_store(buckets=["photos"]) as store:
    url, auth = store.url("photos", "k"), store.auth()
    done = threading.Event()

    def use():
        while not done.is_set():
            requests.put(url, data=b"x" * 1000, auth=auth)
            store.fail("GET Object", faults.ServiceError("SlowDown"))
            requests.get(url, auth=auth)
            store.snapshot()

    def reset():
        while not done.is_set():
            store.reset()

    def create():
        while not done.is_set():
            FakeStore(buckets=["photos"])

    def use_in_child():
        requests.put(url, data=b"child", auth=auth).raise_for_status()
        requests.get(url, auth=auth, headers={"Origin": "http://child.test"}).raise_for_status()
        store.fail("GET Object", faults.ServiceError("SlowDown"))
        store.snapshot()
        len(store.exchanges)
        with fake_store(base_url="http://other.test", buckets=["photos"]) as other:
            requests.put(other.url("photos", "k"), data=b"x", auth=other.auth()).raise_for_status()
        codes.append(0)

    threads = [threading.Thread(target=target, daemon=True) for target in (use, use, reset, create)]
    for thread in threads:
        thread.start()
    stuck = 0
    for _ in range(5):
        child = os.fork()
        if not child:
            codes = []
            store.clear_faults()
            use_in_child()
            store.clear_faults()
            second = threading.Thread(target=use_in_child)
            second.start()
            second.join()
            os._exit(0 if codes == [0, 0] else 1)
        deadline = time.monotonic() + 10
        while True:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                assert status == 0, status
                break
            if time.monotonic() > deadline:
                stuck += 1
                os.kill(child, 9)
                os.waitpid(child, 0)
                break
            time.sleep(0.005)
        if stuck:
            break
    done.set()
    for thread in threads:
        thread.join()
print("stuck" if stuck else "ended")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform cannot fork")
def test_a_fork_while_threads_use_the_store_does_not_deadlock():
    assert run_program(FORKS, "-W", "ignore") == "ended\n"


#: Forks while a thread reads headers. The child reads other headers, or is ended by the alarm.
FORK_WHILE_HEADERS_ARE_READ = """
import os, signal, threading
from fakestore.http import Headers

reading, may_end = threading.Event(), threading.Event()

class Slow(str):
    def lower(self):
        reading.set()
        may_end.wait()
        return "slow"

thread = threading.Thread(target=lambda: Headers([(Slow("A"), "1")])["slow"])
thread.start()
reading.wait()
child = os.fork()
if not child:
    signal.alarm(20)
    os._exit(0 if Headers({"B": "2"})["b"] == "2" else 1)
status = os.waitpid(child, 0)[1]
may_end.set()
thread.join()
print(status)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform cannot fork")
def test_a_child_reads_headers_although_a_thread_read_others_at_the_fork():
    assert run_program(FORK_WHILE_HEADERS_ARE_READ, "-W", "ignore") == "0\n"
