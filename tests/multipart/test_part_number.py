"""Reading one part of an object; the recorded cases are replayed in tests/facts."""

from __future__ import annotations

import pytest

from tests.support.cases import each
from tests.support.wire import outcome


@pytest.mark.decision("part-number-of-a-read")
def test_parts_are_counted_by_their_places(store, client):
    upload = client.begin()
    tags = [(number, client.put_part(upload, number, b"%04d" % number)) for number in (5, 7)]
    client.complete(upload, tags)
    for place, content in ((1, b"0005"), (2, b"0007")):
        reply = client.send("GET", "/film", partNumber=place)
        assert (reply.status, bytes(reply.body)) == (206, content)
        assert client.header(reply, "mp-parts-count") == "2"
    assert outcome(client.send("GET", "/film", partNumber=5)) == (416, "InvalidPartNumber")


def test_invalid_number_is_refused(client):
    client.upload(b"meow")
    for case in each("0", "-1", "10001", "one", ""):
        with case as number:
            assert outcome(client.send("GET", "/film", partNumber=number)) == (400, "InvalidArgument")


def test_conditions_hold_for_a_part(store, client):
    client.upload(b"meow", b"purr")
    etag = store["photos"]["film"].etag
    assert client.send("GET", "/film", {"If-None-Match": etag}, partNumber=2).status == 304
    assert outcome(client.send("GET", "/film", {"If-Match": '"other"'}, partNumber=2)) == (412, "PreconditionFailed")


def test_part_of_an_older_version_can_be_read(store, client):
    store["photos"].versioning = "enabled"
    version_id = client.header(client.upload(b"meow", b"purr"), "version-id")
    client.send("PUT", "/film", body=b"new")
    reply = client.send("HEAD", "/film", partNumber=2, versionId=version_id)
    assert (reply.status, reply.headers["content-range"]) == (206, "bytes 4-7/8")


@pytest.mark.decision("empty-part")
def test_only_part_of_an_empty_object_is_empty(client):
    client.send("PUT", "/film")
    reply = client.send("GET", "/film", partNumber=1)
    assert (reply.status, reply.headers.get("content-range"), bytes(reply.body)) == (206, None, b"")


@pytest.mark.decision("copy-of-an-object-with-parts")
def test_copy_of_an_object_has_no_parts(store, client):
    client.upload(b"meow", b"purr")
    assert client.send("PUT", "/copy", {"copy-source": "/photos/film"}).status == 200
    assert "-" not in store["photos"]["copy"].etag
    assert store["photos"]["copy"].content == b"meowpurr"
    assert outcome(client.send("GET", "/copy", partNumber=2)) == (416, "InvalidPartNumber")
