"""Requests for which the fake has no operation, and which the public service refuses."""

from __future__ import annotations

import pytest

from fakestore import FakeStore, UnsupportedRequest
from tests.support.cases import each
from tests.support.operations import operations
from tests.support.wire import elements, outcome, request

decision = pytest.mark.decision


@pytest.fixture
def store():
    store = FakeStore(dialect="s3", buckets=["photos"])
    store["photos"].put("cat.jpg", b"meow")
    return store


@decision("requests-without-an-operation")
def test_method_that_a_resource_does_not_have_is_not_allowed(store):
    on_bucket, on_key = "HEAD, DELETE, POST, GET, PUT", "HEAD, DELETE, GET, PUT"
    for case in each(
        *((method, "", "", None, "SERVICE", "GET") for method in ("POST", "PUT", "DELETE", "PATCH", "FOO")),
        ("PATCH", "photos", "", None, "BUCKET", on_bucket),
        *((method, "photos", "cat.jpg", None, "OBJECT", on_key) for method in ("PATCH", "POST", "FOO")),
        ("DELETE", "photos", "", "acl", "ACL", "GET, PUT"),
        ("POST", "photos", "cat.jpg", "tagging", "TAGGING", "DELETE, GET, PUT"),
        ("PUT", "photos", "", "location", "LOCATION", "GET"),
        ("PUT", "photos", "cat.jpg", "attributes", "ATTRIBUTES", "GET"),
        ("PATCH", "photos", "", "publicAccessBlock", "PUBLIC_ACCESS_BLOCK", "DELETE, GET, PUT"),
        ("DELETE", "photos", "cat.jpg", "legal-hold", "LEGAL_HOLD", "GET, PUT"),
        ("POST", "photos", "", "policy", "BUCKETPOLICY", "DELETE, GET, PUT"),
        ("DELETE", "photos", "cat.jpg", "policyStatus", "POLICY_STATUS", "GET"),
        ("PUT", "photos", "cat.jpg", "uploadId", "UPLOAD", "DELETE, POST, GET"),
        ("PATCH", "photos", "cat.jpg", "uploadId", "UPLOAD", "DELETE, POST, GET"),
    ):
        with case as (method, bucket, key, name, resource, allowed):
            reply = request(store, method, bucket, key, **({} if name is None else {name: None}))
            assert outcome(reply) == (405, "MethodNotAllowed")
            assert (elements(reply)["Method"], elements(reply)["ResourceType"]) == (method, resource)
            assert reply.headers["Allow"] == allowed
            exchange = store.exchanges[-1]
            assert (exchange.operation, exchange.bucket, exchange.key) == (None, bucket or None, key or None)
            assert (exchange.error_code, exchange.status) == ("MethodNotAllowed", 405)
            assert f"it allows {allowed}" in exchange.explanation
    reply = request(store, "HEAD")
    assert (reply.status, reply.headers["Allow"]) == (405, "GET")
    reply = request(store, "PATCH", "photos", "cat.jpg", v=1)
    assert (outcome(reply), reply.headers["Allow"]) == ((405, "MethodNotAllowed"), on_key)


@decision("requests-without-an-operation")
def test_head_of_a_subresource_names_the_methods_that_it_allows(store):
    subresources = [(each.scope, *each.query) for each in operations() if len(each.query) == 1]
    for case in each(*{(scope, name) for scope, name in subresources if name not in ("list-type", "id")}):
        with case as (scope, name):
            reply = request(store, "HEAD", "photos", "cat.jpg" if scope == "object" else "", **{name: None})
            assert (reply.status, bytes(reply.body)) == (405, b"")
            assert {"HEAD", ""}.isdisjoint(reply.headers["Allow"].split(", "))
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
        ("cat.jpg", "versions", "GET"),
        ("cat.jpg", "uploadId", "DELETE, POST, GET"),
    ):
        with case as (key, name, allowed):
            assert request(store, "HEAD", "photos", key, **{name: None}).headers["Allow"] == allowed


@decision("requests-without-an-operation")
def test_key_has_no_subresources_of_buckets(store):
    rows = [(each.method, each.scope, name) for each in operations() for name in each.query]
    of_keys = {name for _, scope, name in rows if scope == "object"} | {"encryption", "id", "list-type"}
    for case in each(*{(method, name) for method, scope, name in rows if scope == "bucket" and name not in of_keys}):
        with case as (method, name):
            reply = request(store, method, "photos", "cat.jpg", **{name: None})
            message = f"There is no such thing as the ?{name} sub-resource for a key"
            assert (*outcome(reply), elements(reply)["Message"]) == (400, "InvalidRequest", message)
    reply = request(store, "GET", "photos", "cat.jpg", uploads=None)
    assert elements(reply)["Message"] == "Key is not expected for the GET method ?uploads subresource"
    assert store["photos"]["cat.jpg"].content == b"meow"


@decision("requests-without-an-operation")
def test_bucket_has_no_subresources_of_keys(store):
    for case in each(
        ("GET", "attributes"),
        ("GET", "retention"),
        ("PUT", "legal-hold"),
        ("POST", "restore"),
        ("POST", "uploads"),
        ("GET", "uploadId"),
        ("DELETE", "uploadId"),
    ):
        with case as (method, name):
            reply = request(store, method, "photos", **{name: None})
            assert outcome(reply) == (400, "InvalidRequest")
            assert elements(reply)["Message"] == "A key must be specified"
    part = request(store, "PUT", "photos", partNumber="1", uploadId="x")
    assert (*outcome(part), elements(part)["Message"]) == (400, "InvalidRequest", "A key must be specified")
    assert "photos" in store


@decision("requests-without-an-operation")
def test_what_the_service_has_and_the_store_lacks_stays_unsupported(store):
    for case in each(
        *((method, "cat.jpg", "torrent") for method in ("GET", "HEAD", "POST", "PATCH")),
        ("POST", "cat.jpg", "select"),
        ("PUT", "cat.jpg", "encryption"),
        ("POST", "", "metadataTable"),
        ("GET", "cat.jpg", "annotation"),
        ("PUT", "", "inventory"),  # without the id
    ):
        with case as (method, key, name):
            with pytest.raises(UnsupportedRequest, match=name):
                request(store, method, "photos", key, **{name: None})
            store.unhandled_requests.clear()


def test_a_header_that_only_the_service_has_names_its_feature(store):
    for case in each(
        ("PUT", "annotation-name", "annotations"),
        ("PUT", "object-annotation-directive", "annotations"),
        ("DELETE", "object-if-match", "annotations"),
        ("PUT", "write-offset-bytes", "directory buckets"),
        ("DELETE", "if-match-initiated-time", "directory buckets"),
        ("PUT", "object-lock-event-hold-duration-days", "event holds"),
        ("POST", "request-route", "Object Lambda"),
    ):
        with case as (method, name, feature):
            query = {"uploads": None} if method == "POST" else {}
            message = f": the header 'x-amz-{name}' belongs to {feature}"
            with pytest.raises(UnsupportedRequest, match=message):
                request(store, method, "photos", "cat.jpg", headers={f"x-amz-{name}": "5"}, **query)
            store.unhandled_requests.clear()


@decision("headers-of-copies")
def test_headers_of_copies_are_refused_without_a_source(store):
    upload = elements(request(store, "POST", "photos", "film", uploads=None))["UploadId"]
    for case in each(
        *("metadata-directive", "tagging-directive", "copy-source-range", "copy-source-if-match"),
        *("copy-source-if-none-match", "copy-source-if-modified-since", "copy-source-if-unmodified-since"),
        *("copy-source", "copy-source-server-side-encryption-customer-key", "source-expected-bucket-owner"),
    ):
        with case as name:
            for method, query in (
                *(() if name == "copy-source" else (("PUT", {}), ("PUT", {"uploadId": upload, "partNumber": 1}))),
                *(("POST", {"uploads": None}), ("POST", {"uploadId": upload}), ("PUT", {"acl": None})),
                *(("GET", {}), ("DELETE", {}), ("GET", {"tagging": None})),
            ):
                reply = request(store, method, "photos", "film", headers={f"x-amz-{name}": "COPY"}, **query)
                assert outcome(reply) == (400, "InvalidArgument")
                assert elements(reply)["ArgumentName"] == f"x-amz-{name}"
                is_directive = name.endswith("directive")
                message = (
                    "Invalid Argument"
                    if is_directive
                    else "You can only specify a copy source header for copy requests."
                )
                assert elements(reply)["Message"] == message
            for method, path in (("GET", ()), ("GET", ("photos",)), ("DELETE", ("photos",))):
                reply = request(store, method, *path, headers={f"x-amz-{name}": "COPY"})
                assert outcome(reply) == (400, "InvalidArgument")
    assert list(store["photos"]) == ["cat.jpg"]
    copy = {"x-amz-copy-source": "/photos/cat.jpg", "x-amz-copy-source-range": "bytes=0-1"}
    with pytest.raises(UnsupportedRequest, match="only Upload Part Copy has a range"):
        request(store, "PUT", "photos", "film", headers=copy)
    store.unhandled_requests.clear()


@decision("version-ids")
def test_an_operation_that_can_name_no_version_refuses_a_version_id(store):
    version = store["photos"]["cat.jpg"].version_id
    for case in each(
        ("PUT", "cat.jpg", {}),
        ("PUT", "cat.jpg", {"uploadId": "u", "partNumber": "1"}),
        ("POST", "cat.jpg", {"uploads": None}),
        ("GET", "", {}),
        ("GET", "", {"versions": None}),
        ("PUT", "", {}),
        ("DELETE", "", {}),
        ("POST", "", {"delete": None}),
    ):
        with case as (method, key, query):
            for value in (version, "wrong", ""):
                reply = request(store, method, "photos", key, body=b"woof", versionId=value, **query)
                assert outcome(reply) == (400, "InvalidArgument")
                expected = {"Message": "This operation does not accept a version-id.", "ArgumentName": "versionId"}
                assert elements(reply).items() >= {**expected, "ArgumentValue": value}.items()
    assert store["photos"]["cat.jpg"].content == b"meow"


@decision("part-number-without-an-upload")
def test_put_of_a_part_number_needs_an_upload(store):
    reply = request(store, "PUT", "photos", "cat.jpg", body=b"woof", partNumber="1")
    assert outcome(reply) == (400, "InvalidArgument")
    assert elements(reply)["Message"] == "This operation does not accept partNumber without uploadId"
    assert store["photos"]["cat.jpg"].content == b"meow"
