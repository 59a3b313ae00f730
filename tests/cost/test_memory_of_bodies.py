"""What bodies cost in memory, counted by tracemalloc rather than timed."""

from __future__ import annotations

import pytest

from benchmarks.measures import MIB, Zeros, traced
from fakestore import SparseContent, fake_store

BODY = 32 * MIB
#: What a request takes besides its body, with room.
A_REQUEST = MIB // 2


@pytest.fixture
def store():
    with fake_store(buckets=["photos"]) as store:
        # The first request fills caches, which are nobody's body.
        store.session().put(store.url("photos", "warm"), data=b"up")
        store.session().get(store.url("photos", "warm"))
        yield store


def test_a_put_of_bytes_holds_the_clients_own_body_and_nothing_beside_it(store):
    body = bytes(BODY)
    with traced() as put:
        store.session().put(store.url("photos", "cat"), data=body)
    assert put.peak < A_REQUEST


def test_a_copy_holds_no_content_of_its_own(store):
    store["photos"].put("cat", bytes(BODY))
    with traced() as copy:
        store.session().put(store.url("photos", "copy"), headers={"x-svc-copy-source": "/photos/cat"})
    assert copy.peak < A_REQUEST


def test_a_snapshot_holds_no_content_of_its_own(store):
    store["photos"].put("cat", bytes(BODY))
    with traced() as taking:
        kept = store.snapshot()
    assert taking.peak < A_REQUEST, kept


def test_a_file_is_held_once(store):
    with traced() as put:
        store.session().put(store.url("photos", "cat"), data=Zeros(BODY))
    assert BODY <= put.left < BODY + A_REQUEST


def test_a_file_is_never_held_twice_on_the_way(store):
    with traced() as put:
        store.session().put(store.url("photos", "cat"), data=Zeros(BODY))
    assert put.peak < 1.5 * BODY


def test_a_file_is_read_in_chunks(store):
    file = Zeros(BODY)
    store.session().put(store.url("photos", "cat"), data=file)
    assert file.most == 64 * 1024


def test_the_largest_sparse_object_is_put_and_read_for_nothing(store):
    content = SparseContent(5 * 1024 * 1024 * MIB)
    with traced() as sparse:
        store.session().put(
            store.url("photos", "cat"), data=content, headers={"Content-Length": str(len(content))}
        ).raise_for_status()
        store.session().get(store.url("photos", "cat"), stream=True).raise_for_status()
    assert sparse.peak < A_REQUEST


def test_bodies_that_were_overwritten_are_let_go(store):
    session, url = store.session(), store.url("photos", "cat")
    with traced() as puts:
        for _ in range(600):
            session.put(url, data=bytes(128 * 1024))
    # Kept by anything, the journal say, they would be 75 MiB.
    assert puts.left < 4 * MIB


def test_bodies_of_answers_are_let_go(store):
    store["photos"].put("cat", bytes(128 * 1024))
    session, url = store.session(), store.url("photos", "cat")
    with traced() as gets:
        for _ in range(600):
            session.get(url)
    assert gets.left < 4 * MIB
