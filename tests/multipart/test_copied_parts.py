"""Parts that are copied from objects; the recorded errors are replayed in tests/facts."""

from __future__ import annotations

import hashlib

import pytest

from fakestore import FakeStore, Limits, SparseContent
from tests.multipart.arrange import Client, text
from tests.support.wire import outcome

GIB = 1024**3


def copy_part(client, upload, number, source, byte_range=None):
    headers = {"copy-source": source}
    if byte_range is not None:
        headers["copy-source-range"] = byte_range
    return client.send("PUT", "/film", headers, uploadId=upload, partNumber=number)


def test_parts_are_copied_from_ranges_of_an_object_of_parts(store, client):
    client.upload(b"meow", b"purr", key="source")
    upload = client.begin()
    tags = []
    for number, byte_range in enumerate(["bytes=2-5", None, "bytes=7-7"], 1):
        tags.append((number, text(copy_part(client, upload, number, "/photos/source", byte_range), "ETag")))
    assert tags[1][1] == f'"{hashlib.md5(b"meowpurr").hexdigest()}"'
    assert client.complete(upload, tags).status == 200
    assert store["photos"]["film"].content == b"owpumeowpurrr"


def test_part_is_copied_from_a_version_and_names_it(store, client):
    store["photos"].versioning = "enabled"
    old = store["photos"].put("source", b"old!").version_id
    store["photos"].put("source", b"new!")
    upload = client.begin()
    reply = copy_part(client, upload, 1, f"/photos/source?versionId={old}")
    assert client.header(reply, "copy-source-version-id") == old
    assert store["photos"].uploads[0].parts[0].content == b"old!"


def test_source_must_be_readable(store, client):
    store.create_bucket("private", owner=store.create_account("bob"))
    store["private"].put("source", b"meow")
    upload = client.begin()
    assert outcome(copy_part(client, upload, 1, "/private/source")) == (403, "AccessDenied")
    assert outcome(copy_part(client, upload, 1, "/photos/absent")) == (404, "NoSuchKey")


def test_range_must_begin_and_end_inside_of_the_source(store, client):
    store["photos"].put("source", b"meow")
    upload = client.begin()
    assert outcome(copy_part(client, upload, 1, "/photos/source", "bytes=3-3"))[0] == 200
    assert outcome(copy_part(client, upload, 1, "/photos/source", "bytes=4-4")) == (400, "InvalidRequest")
    assert outcome(copy_part(client, upload, 1, "/photos/source", "bytes=3-4")) == (400, "InvalidArgument")


@pytest.mark.decision("size-of-a-copied-part")
def test_ranges_of_a_source_over_5_gib_are_copied(store, client):
    store["photos"].put("source", SparseContent(6 * GIB))
    upload = client.begin()
    assert outcome(copy_part(client, upload, 1, "/photos/source")) == (400, "InvalidRequest")
    assert outcome(copy_part(client, upload, 1, "/photos/source", f"bytes=0-{5 * GIB}")) == (400, "InvalidRequest")
    tags = []
    for number, first in enumerate((0, 3 * GIB), 1):
        reply = copy_part(client, upload, number, "/photos/source", f"bytes={first}-{first + 3 * GIB - 1}")
        tags.append((number, text(reply, "ETag")))
    assert client.complete(upload, tags).status == 200
    assert store["photos"]["film"].content == SparseContent(6 * GIB)


@pytest.mark.parametrize("byte_range", [None, "bytes=0-3"])
def test_limit_of_a_copy_is_that_of_the_store(client, byte_range):
    store = FakeStore(dialect=client.store.dialect, buckets=["photos"], limits=Limits(copy_size=3))
    store["photos"].put("source", b"meow")
    other = Client(store)
    assert outcome(copy_part(other, other.begin(), 1, "/photos/source", byte_range)) == (400, "InvalidRequest")
