"""Large objects made of parts: completing copies nothing, and sparse parts make objects over 5 GiB."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import pytest

from fakestore import DOCUMENT, ChecksumAlgorithm, FakeStore, JoinedContent, SparseContent, UnsupportedRequest
from tests.multipart.arrange import Client, text
from tests.support.cost import count_calls

MIB, GIB = 1024**2, 1024**3


def test_completing_copies_no_content(store, client):
    upload = client.begin()
    tags = [(number, client.put_part(upload, number, bytes([number]) * 4 * MIB)) for number in range(1, 5)]
    tracemalloc.start()
    try:
        assert client.complete(upload, tags).status == 200
        grown, _ = tracemalloc.get_traced_memory()
        part = client.send("GET", "/film", {"Range": f"bytes={4 * MIB}-{8 * MIB - 1}"})
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < MIB, (grown, peak)
    assert part.body == bytes([2]) * 4 * MIB
    assert store["photos"]["film"].size == 16 * MIB


def test_reading_a_byte_costs_the_same_in_an_object_of_many_parts():
    store = FakeStore(buckets=["photos"])
    session = store.session()
    session.mount("http://", store.adapter())

    def cost_per_part(count):
        store["photos"].put("film", JoinedContent((bytes(1024),) * count))
        with session.get(store.url("photos", "film"), stream=True) as response:
            return count_calls(lambda: list(response.iter_content(1024))) / count

    assert cost_per_part(2000) <= 1.3 * cost_per_part(50)


def test_object_over_5_gib_is_made_of_sparse_parts(store, client):
    reply = client.upload(SparseContent(4 * GIB), b"meow", SparseContent(3 * GIB), SparseContent(GIB))
    assert text(reply, "ETag").endswith('-4"')
    head = client.send("HEAD", "/film")
    assert head.headers["content-length"] == str(8 * GIB + 4)
    middle = client.send("GET", "/film", {"Range": f"bytes={4 * GIB - 2}-{4 * GIB + 4}"})
    assert bytes(middle.body) == b"\0\0meow\0"
    assert bytes(client.send("GET", "/film", partNumber=2).body) == b"meow"
    assert store.exchanges[-1].reply.body == b"meow"
    whole = client.send("GET", "/film")
    assert whole.body == store["photos"]["film"].content
    assert bytes(whole.body[-4:]) == bytes(4)


def test_upload_whose_checksum_cannot_be_computed_does_not_end():
    semantics = replace(DOCUMENT.semantics, default_checksum=ChecksumAlgorithm.SHA256)
    store = FakeStore(dialect=replace(DOCUMENT, semantics=semantics), buckets=["photos"])
    client = Client(store)
    upload = client.begin()
    tag = client.put_part(upload, 1, SparseContent(GIB))
    with pytest.raises(UnsupportedRequest, match="SHA256 of content with more than"):
        client.complete(upload, [(1, tag)])
    assert [each.upload_id for each in store["photos"].uploads] == [upload]
