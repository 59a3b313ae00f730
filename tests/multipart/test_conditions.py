"""Conditional requests to complete an upload; the recorded cases are replayed in tests/facts."""

from __future__ import annotations

import pytest

from tests.support.wire import elements, outcome

pytestmark = pytest.mark.decision("conditional-complete")


@pytest.fixture
def begun(client):
    upload = client.begin()
    return upload, [(1, client.put_part(upload, 1, b"meow"))]


def test_condition_is_checked_only_for_an_upload_that_exists(client, begun):
    client.send("PUT", "/film", body=b"old")
    reply = client.complete("unknown", begun[1], headers={"If-None-Match": "*"})
    assert outcome(reply) == (404, "NoSuchUpload")


def test_write_of_another_key_is_no_conflict(client, begun):
    client.send("PUT", "/other", body=b"new")
    assert client.complete(*begun, headers={"If-None-Match": "*"}).status == 200


def test_write_and_deletion_of_an_absent_key_conflict(client, begun):
    client.send("PUT", "/film", body=b"new")
    client.send("DELETE", "/film")
    assert outcome(client.complete(*begun, headers={"If-None-Match": "*"})) == (409, "ConditionalRequestConflict")
    assert client.complete(*begun).status == 200  # without a condition nothing conflicts


@pytest.mark.parametrize("versioning", ["never", "enabled"])
def test_deletion_alone_conflicts(store, client, versioning):
    store["photos"].versioning = versioning
    store["photos"].put("film")
    upload = client.begin()
    parts = [(1, client.put_part(upload, 1, b"meow"))]
    client.send("DELETE", "/film")
    assert outcome(client.complete(upload, parts, headers={"If-None-Match": "*"})) == (
        409,
        "ConditionalRequestConflict",
    )


def test_another_upload_of_the_key_conflicts(store, client, begun):
    client.upload(b"new")
    etag = store["photos"]["film"].etag
    assert outcome(client.complete(*begun, headers={"If-Match": etag})) == (409, "ConditionalRequestConflict")


def test_new_acl_is_no_write(store, client):
    client.send("PUT", "/film", body=b"old")
    upload = client.begin()
    tags = [(1, client.put_part(upload, 1, b"meow"))]
    client.send("PUT", "/film", {"acl": "public-read"}, acl=None)
    assert client.complete(upload, tags, headers={"If-Match": store["photos"]["film"].etag}).status == 200


def test_size_header_that_is_not_a_number_is_refused(client, begun):
    for size, problem in (("four", "invalid"), ("", "invalid"), ("4.0", "invalid"), ("-1", "less than zero")):
        refused = elements(client.complete(*begun, headers={"mp-object-size": size}))
        message = f"Value for {client.prefix}mp-object-size header is {problem}: '{size}'"
        assert (refused["Code"], refused["Message"]) == ("InvalidRequest", message)


def test_announced_size_is_that_of_the_parts_that_the_request_names(client, begun):
    client.put_part(begun[0], 2, b"not named")
    for size in ("3", "5", "13"):
        refused = client.complete(*begun, headers={"mp-object-size": size})
        assert outcome(refused) == (400, "InvalidRequest"), size
    assert client.complete(*begun, headers={"mp-object-size": "4"}).status == 200
