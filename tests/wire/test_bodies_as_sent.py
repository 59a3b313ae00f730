"""Bodies of every kind, as urllib3 and http.client put them on the wire; seen on a real socket."""

from __future__ import annotations

import mmap
from array import array

import pytest


@pytest.fixture
def fakestore_options():
    return {"buckets": ["photos"]}


class Reader:
    """A file-like body that reads what it was told to, and iterates over something else."""

    def __init__(self, *pieces):
        self._pieces = list(pieces)

    def read(self, size=-1):
        return self._pieces.pop(0) if self._pieces else b""

    def __iter__(self):
        return iter([b"not", b"this"])


def put(store, body, length=None):
    headers = {} if length is None else {"Content-Length": str(length)}
    store.session().put(store.url("photos", "cat"), data=body, headers=headers)
    return store.exchanges[-1].error_code or store["photos"]["cat"].content


@pytest.mark.parametrize(
    "body",
    [
        lambda: iter([1, 2, 0]),
        lambda: iter([10**30]),
        lambda: iter([b"ab", 1]),
        lambda: iter([[1, 2, 3]]),
        lambda: iter([object()]),
        lambda: Reader(b"ab", 3),
        lambda: Reader([1, 2, 3]),
    ],
    ids=["ints", "a large int", "bytes and an int", "a list of ints", "objects", "read gives 3", "read gives ints"],
)
def test_what_cannot_be_sent_is_a_type_error_and_stores_nothing(fakestore, body):
    with pytest.raises(TypeError):
        put(fakestore, body(), 3)
    assert list(fakestore["photos"]) == []


@pytest.mark.parametrize(
    "body",
    [
        lambda: iter([b"ab", b"", b"c"]),
        lambda: iter([b"ab", None, b"c"]),
        lambda: iter([bytearray(b"ab"), memoryview(b"c")]),
        lambda: iter([array("B", [97, 98, 99])]),
        lambda: iter([[b"ab"], [b"c"]]),
        lambda: iter(["ab", "c"]),
        lambda: Reader(b"ab", b"c"),
        lambda: Reader(bytearray(b"ab"), "c"),
        lambda: Reader(b"abc", None, b"d"),
        lambda: Reader(b"abc", "", b"d"),
        lambda: Reader(b"abc", 0, b"d"),
    ],
)
def test_what_can_be_sent_is_stored_as_it_is_sent(fakestore, body):
    assert put(fakestore, body(), 3) == b"abc"


def test_a_client_that_is_refused_sends_what_it_has_of_a_body_that_is_shorter_than_announced(fakestore):
    body = iter([b"ab", b"c"])
    fakestore.session().put(fakestore.url("missing", "cat"), data=body, headers={"Content-Length": "5"})
    assert (fakestore.exchanges[-1].error_code, list(body)) == ("NoSuchBucket", [])


def without_end():
    """A body that gives a byte at a time, for ever; whoever takes many more than the four announced is told."""
    for _ in range(8):
        yield b"x"
    raise AssertionError("asked for more of a body that is long enough")


class ReaderWithoutEnd:
    """The same, as a file."""

    def __init__(self):
        self._chunks = without_end()

    def read(self, size=-1):
        return next(self._chunks)


@pytest.mark.parametrize("body", [without_end, ReaderWithoutEnd])
def test_a_body_without_end_is_read_hardly_further_than_announced_and_stores_nothing(fakestore, body):
    assert put(fakestore, body(), 4) == "IncompleteBody"
    assert (fakestore.exchanges[-1].status, list(fakestore["photos"])) == (400, [])


def mapped(tmp_path, position):
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    with path.open("r+b") as file:
        body = mmap.mmap(file.fileno(), 0)
    body.seek(position)
    return body


@pytest.mark.parametrize("position", [0, 4])
def test_a_mapped_file_is_sent_from_its_position(fakestore, tmp_path, position):
    with mapped(tmp_path, position) as body:
        assert put(fakestore, body) == b"0123456789"[position:]
