"""Features that are not modelled: the refusal names the feature, and what there is instead."""

from __future__ import annotations

import pytest

from fakestore import Dialect, UnsupportedRequest, fake_store


@pytest.fixture
def refused():
    """The message of the refusal of a signed request."""
    with fake_store(buckets=["photos"]) as store:

        def refusal(method, key="", **asked):
            with pytest.raises(UnsupportedRequest) as caught:
                store.session().request(method, store.url("photos", key).removesuffix("?"), **asked)
            store.unhandled_requests.clear()
            return str(caught.value)

        yield refusal


MULTIPART = (
    "belongs to multipart upload, which is not modelled; PUT Object takes an object whole, up to"
    " Limits.object_size (5 TiB), and fakestore.SparseContent stands for large content"
)
PRESIGNED = (
    "belongs to a presigned URL, which is not modelled; sign in the Authorization header instead, with"
    " auth=store.auth(), store.session() or the application's own signer"
)


@pytest.mark.parametrize(
    ("method", "key", "query", "parameter", "asked"),
    [
        ("POST", "film", "uploads", "uploads", "POST /film?uploads"),
        ("POST", "film", "uploadId=1", "uploadId", "POST /film?uploadId=1"),
        ("PUT", "film", "partNumber=1&uploadId=1", "partNumber", "PUT Object"),
        ("PUT", "film", "uploadId=1&partNumber=1", "uploadId", "PUT Object"),
        ("DELETE", "film", "uploadId=1", "uploadId", "DELETE Object"),
        ("GET", "film", "partNumber=1", "partNumber", "GET Object"),
        ("HEAD", "film", "partNumber=1", "partNumber", "HEAD Object"),
        ("GET", "", "uploads", "uploads", "GET Bucket"),
    ],
)
def test_a_request_of_multipart_upload_is_refused_as_that(refused, method, key, query, parameter, asked):
    assert refused(method, key, params=query) == f"{asked}: the query parameter {parameter!r} {MULTIPART}"


@pytest.mark.parametrize(
    "parameter",
    [
        "AWSAccessKeyId",
        "GoogleAccessId",
        "OSSAccessKeyId",
        "AccessKeyId",
        "Signature",
        "Expires",
        "X-Amz-Algorithm",
        "X-Amz-Credential",
        "X-Amz-Date",
        "X-Amz-Expires",
        "X-Amz-SignedHeaders",
        "X-Amz-Signature",
        "X-Amz-Security-Token",
        "X-Goog-Signature",
    ],
)
def test_a_presigned_url_is_refused_as_that(refused, parameter):
    asked = refused("GET", "cat.jpg", params={parameter: "1"})
    assert asked == f"GET Object: the query parameter {parameter!r} {PRESIGNED}"


@pytest.mark.parametrize("parameter", ["signatures", "response-expire", "x-amz-acl", "date", "xx-amz-date"])
def test_what_only_looks_like_it_is_no_presigned_url(refused, parameter):
    assert f"the query parameter {parameter!r} is not modelled" in refused("GET", "cat.jpg", params={parameter: "1"})


def test_a_browsers_form_upload_is_refused_as_that(refused):
    assert refused("POST", files={"file": b"meow"}, data={"key": "cat.jpg"}) == (
        "POST /: a POST to a bucket without a subresource is a browser's form upload, which is not modelled;"
        " PUT Object stores an object, and POST Bucket delete, at ?delete, deletes many"
    )


@pytest.mark.fakestore(buckets=["photos"], dialect=Dialect(header_prefix="x-amz-"))
@pytest.mark.parametrize("name", ["x-amz-content-sha256", "x-amz-decoded-content-length"])
def test_the_headers_of_a_signature_of_version_4_are_refused_as_that(fakestore, name):
    with pytest.raises(UnsupportedRequest) as caught:
        fakestore.session().get(fakestore.url("photos", "cat.jpg"), headers={name: "0"})
    fakestore.unhandled_requests.clear()
    assert str(caught.value) == (
        f"GET Object: the header {name!r} belongs to a signature of version 4, which is not modelled; this store speaks"
        " the older form, Authorization: <scheme> <access key>:<signature>"
    )


BUCKET = "Bucket subresources: acl, delete, lifecycle, list-type, location, policy, versioning, versions"


@pytest.mark.parametrize(
    ("method", "key", "query", "sentence"),
    [
        ("GET", "cat.jpg", "tagging", "Object subresources: acl"),
        ("GET", "", "cors", BUCKET),
        ("POST", "", "cors", BUCKET),
        ("PATCH", "", "", BUCKET),
        ("POST", "cat.jpg", "restore", "Object subresources: acl"),
    ],
)
def test_an_unknown_subresource_is_told_those_of_its_scope(refused, method, key, query, sentence):
    assert refused(method, key, params=query).endswith(f". {sentence}")


@pytest.mark.parametrize("method", ["GET", "PATCH"])
def test_the_service_has_no_subresources(method):
    with fake_store() as store:
        with pytest.raises(UnsupportedRequest, match=r"\. Service subresources: none$"):
            store.session().request(method, f"{store.base_url}/?website")
        store.unhandled_requests.clear()
