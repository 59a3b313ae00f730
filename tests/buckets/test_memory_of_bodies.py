"""What bodies cost in memory: a PUT holds one body, and a copy or a snapshot holds none."""

from __future__ import annotations

import tracemalloc
from contextlib import contextmanager
from itertools import chain
from types import SimpleNamespace

import pytest

from fakestore import Limits, SparseContent, fake_store

BODY = 16 * 1024 * 1024


@pytest.fixture
def store():
    with fake_store(buckets=["photos"]) as store:
        # The first requests fill caches.
        store.session().put(store.url("photos", "warm"), data=b"up")
        store.session().get(store.url("photos", "warm"))
        yield store


@contextmanager
def traced():
    """Measure the memory that is allocated inside the block: its peak and what is left, in parts of a body."""
    memory = SimpleNamespace()
    tracemalloc.start()
    try:
        yield memory
        memory.left, memory.peak = (size / BODY for size in tracemalloc.get_traced_memory())
    finally:
        tracemalloc.stop()


class Zeros:
    """A file of zeros that remembers the largest number of bytes read at once."""

    def __init__(self, size):
        self.len, self.largest_read = size, 0

    def __iter__(self):
        raise AssertionError("a file is read, not iterated")

    def read(self, size=-1):
        size = self.len if size < 0 else min(size, self.len)
        self.len -= size
        self.largest_read = max(self.largest_read, size)
        return bytes(size)


def test_put_of_bytes_a_copy_and_a_snapshot_hold_no_further_body(store):
    body = bytes(BODY)
    with traced() as memory:
        store.session().put(store.url("photos", "cat"), data=body).raise_for_status()
        headers = {"x-svc-copy-source": "/photos/cat"}
        store.session().put(store.url("photos", "copy"), headers=headers).raise_for_status()
        snapshot = store.snapshot()
    assert memory.peak < 0.05, snapshot


def test_put_of_a_file_reads_it_in_pieces_and_holds_it_once(store):
    file = Zeros(BODY)
    with traced() as memory:
        store.session().put(store.url("photos", "cat"), data=file).raise_for_status()
    assert memory.peak < 1.5
    assert 1 <= memory.left < 1.05
    assert file.largest_read <= BODY / 100


def test_file_of_a_form_over_the_limit_is_not_held():
    fields = b'--B\r\nContent-Disposition: form-data; name="key"\r\n\r\ncat\r\n'
    file = b'--B\r\nContent-Disposition: form-data; name="file"; filename="cat"\r\n\r\n'
    pieces = chain([fields, file], (bytes(BODY // 100) for _ in range(100)), [b"\r\n--B--\r\n"])
    length = len(fields) + len(file) + BODY // 100 * 100 + len(b"\r\n--B--\r\n")
    headers = {"Content-Type": "multipart/form-data; boundary=B", "Content-Length": str(length)}
    with fake_store(buckets=["photos"], limits=Limits(object_size=1000)) as store, traced() as memory:
        assert store.session().post(store.url("photos"), data=pieces, headers=headers).status_code == 400
    assert store.exchanges[-1].error_code == "EntityTooLarge"
    assert memory.peak < 0.2


def test_largest_sparse_object_is_put_and_read_without_memory(store):
    content = SparseContent(5 * 1024**4)
    headers = {"Content-Length": str(len(content))}
    with traced() as memory:
        store.session().put(store.url("photos", "cat"), data=content, headers=headers).raise_for_status()
        store.session().get(store.url("photos", "cat"), stream=True).raise_for_status()
    assert memory.peak < 0.05


def test_replaced_bodies_and_bodies_of_answers_are_released(store):
    session, url = store.session(), store.url("photos", "cat")
    with traced() as memory:
        for _ in range(40):
            session.put(url, data=bytes(BODY // 20)).raise_for_status()
            session.get(url).raise_for_status()
    assert memory.left < 0.25
