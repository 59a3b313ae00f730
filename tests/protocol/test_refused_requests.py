"""Requests for which the fake has no operation, and which the public service refuses."""

from __future__ import annotations

import pytest

from fakestore import FakeStore
from tests.support.cases import each
from tests.support.wire import elements, outcome, request

decision = pytest.mark.decision


@pytest.fixture
def store():
    store = FakeStore(dialect="s3", buckets=["photos"])
    store["photos"].put("cat.jpg", b"meow")
    return store


@decision("requests-without-an-operation")
def test_method_that_a_resource_does_not_have_is_not_allowed(store):
    for case in each(
        ("POST", "", "", "SERVICE"),
        ("PUT", "", "", "SERVICE"),
        ("DELETE", "", "", "SERVICE"),
        ("PATCH", "photos", "", "BUCKET"),
        ("PATCH", "photos", "cat.jpg", "OBJECT"),
        ("POST", "photos", "cat.jpg", "OBJECT"),
    ):
        with case as (method, bucket, key, resource):
            reply = request(store, method, bucket, key)
            assert outcome(reply) == (405, "MethodNotAllowed")
            assert (elements(reply)["Method"], elements(reply)["ResourceType"]) == (method, resource)
            assert method not in reply.headers["Allow"].split(", ")


@decision("requests-without-an-operation")
def test_head_of_a_subresource_names_the_methods_that_it_allows(store):
    for case in each(
        ("", "location", "GET"),
        ("", "uploads", "POST, GET"),
        ("", "acl", "GET, PUT"),
        ("", "tagging", "DELETE, GET, PUT"),
        ("", "versions", "GET"),
        ("", "delete", "POST"),
        ("cat.jpg", "acl", "GET, PUT"),
        ("cat.jpg", "tagging", "DELETE, GET, PUT"),
        ("cat.jpg", "attributes", "GET"),
    ):
        with case as (key, subresource, allowed):
            reply = request(store, "HEAD", "photos", key, **{subresource: None})
            assert (reply.status, reply.headers["Allow"], bytes(reply.body)) == (405, allowed, b"")
    reply = request(store, "HEAD", "photos", "cat.jpg", uploadId="1")
    assert (reply.status, reply.headers["Allow"]) == (405, "DELETE, POST, GET")


@decision("requests-without-an-operation")
def test_key_has_no_subresources_of_buckets(store):
    for case in each(
        ("versions", "There is no such thing as the ?versions sub-resource for a key"),
        ("uploads", "Key is not expected for the GET method ?uploads subresource"),
    ):
        with case as (subresource, message):
            reply = request(store, "GET", "photos", "cat.jpg", **{subresource: None})
            assert (*outcome(reply), elements(reply)["Message"]) == (400, "InvalidRequest", message)


@decision("headers-of-copies")
def test_headers_of_copies_are_refused_without_a_source(store):
    upload = elements(request(store, "POST", "photos", "film", uploads=None))["UploadId"]
    for case in each(
        *("metadata-directive", "tagging-directive", "copy-source-range", "copy-source-if-match"),
        *("copy-source-if-none-match", "copy-source-if-modified-since", "copy-source-if-unmodified-since"),
    ):
        with case as name:
            for method, query in (
                ("PUT", {}),
                ("POST", {"uploads": None}),
                ("PUT", {"uploadId": upload, "partNumber": 1}),
            ):
                reply = request(store, method, "photos", "film", headers={f"x-amz-{name}": "COPY"}, **query)
                assert outcome(reply) == (400, "InvalidArgument")
                assert elements(reply)["ArgumentName"] == f"x-amz-{name}"
    assert list(store["photos"]) == ["cat.jpg"]


@decision("part-number-without-an-upload")
def test_put_of_a_part_number_needs_an_upload(store):
    reply = request(store, "PUT", "photos", "cat.jpg", body=b"woof", partNumber="1")
    assert outcome(reply) == (400, "InvalidArgument")
    assert elements(reply)["Message"] == "This operation does not accept partNumber without uploadId"
    assert store["photos"]["cat.jpg"].content == b"meow"
