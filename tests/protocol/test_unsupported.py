"""What the fake does not support: the message names the feature and what to do instead."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product

import pytest
import requests

from fakestore import (
    S3,
    Addressing,
    ClientEnvironment,
    Dialect,
    Limits,
    Semantics,
    UnsupportedRequest,
    fake_store,
    faults,
)
from tests.support.cases import each
from tests.support.operations import unsupported_parameters

decision = pytest.mark.decision

AMZ = Dialect(header_prefix="x-amz-")


@pytest.fixture
def message(store):
    """Send an unsupported request, and return the message."""

    def message(method, key="", **arguments):
        with pytest.raises(UnsupportedRequest) as raised:
            store.session().request(method, store.url("photos", key).removesuffix("?"), **arguments)
        store.unhandled_requests.clear()
        assert list(store["photos"]) == []
        return str(raised.value)

    return message


# -- features


def test_message_names_the_feature_and_what_is_supported(message):
    for case in each(
        (
            "GET",
            "cat.jpg",
            "AWSAccessKeyId=1",
            "GET Object",
            ["AWSAccessKeyId", "presigned", "dialect='s3'", "store.auth()"],
        ),
        ("GET", "cat.jpg", "X-Amz-Signature=1", "GET Object", ["X-Amz-Signature", "presigned", "store.auth()"]),
        ("GET", "cat.jpg", "Expires=1", "GET Object", ["Expires", "presigned"]),
        ("PUT", "", "tier", "PUT Bucket", ["tier", "Bucket subresources: ", "accelerate, acl"]),
        ("PATCH", "", "", "PATCH", ["supported bucket operations: ", "HEAD Bucket", "Bucket subresources"]),
        ("PATCH", "cat.jpg", "", "PATCH", ["supported object operations: ", "PUT Object Copy"]),
        ("POST", "cat.jpg", "", "POST", ["supported object operations with POST: ", "Initiate Multipart Upload"]),
        ("GET", "cat.jpg", "owner", "GET Object", ["owner", "Object subresources: acl"]),
    ):
        with case as (method, key, query, operation, names):
            text = message(method, key, params=query)
            assert text.startswith(operation)
            assert [name for name in names if name not in text] == []
    assert "HEAD Bucket" not in message("PATCH", "cat.jpg")
    assert "Copy" not in message("PATCH")


def test_parts_of_the_interface_that_are_left_out_are_named(message):
    for case in each(*product(["GET", "PUT", "POST"], ["", "cat.jpg"], unsupported_parameters().items())):
        with case as (method, key, (parameter, feature)):
            for query in (parameter, f"{parameter}=2", f"{parameter}&colour=2"):
                text = message(method, key, params=query)
                assert f"the query parameter {parameter!r} belongs to {feature}" in text
                assert "not supported; " in text


def test_encryption_of_a_stored_object_is_named(message):
    text = message("PUT", "cat.jpg", params="encryption")
    assert "belongs to changes of the encryption of an object (UpdateObjectEncryption), which are not supported" in text


def test_message_names_an_unknown_query_parameter(message):
    for case in each("signatures", "response-expire", "x-amz-acl", "date"):
        with case as parameter:
            text = message("GET", "cat.jpg", params={parameter: "1"})
            assert repr(parameter) in text
            assert "presigned" not in text


def test_service_has_no_subresources(store):
    for method in ["GET", "PATCH"]:
        with pytest.raises(UnsupportedRequest, match="Service subresources: none"):
            store.session().request(method, f"{store.base_url}/?website")
        store.unhandled_requests.clear()


@pytest.mark.fakestore(dialect=AMZ)
def test_headers_of_signature_version_4_are_named(message):
    assert "version 4, which this dialect does not have; use dialect='s3'" in message(
        "GET", "cat.jpg", headers={"x-amz-content-sha256": "0"}
    )


@pytest.mark.fakestore(dialect=Dialect(header_prefix="x-tos-"))
def test_advice_about_version_4_keeps_the_names_of_the_dialect(message):
    text = message("GET", "cat.jpg", headers={"x-tos-content-sha256": "0"})
    assert "use dialect=dataclasses.replace(S3, header_prefix='x-tos-')" in text


@pytest.mark.fakestore(dialect="s3")
def test_rest_of_a_presigned_url_is_not_advised_to_use_the_dialect_of_the_store(message):
    for case in each("X-Amz-Expires", "X-Amz-Date", "X-Amz-SignedHeaders", "X-Amz-Security-Token", "Expires"):
        with case as parameter:
            text = message("GET", "cat.jpg", params={parameter: "1"})
            assert f"{parameter!r} belongs to a presigned URL, of which other parameters are missing" in text
            assert "dialect" not in text


@pytest.mark.fakestore(dialect="s3")
def test_header_of_a_body_in_chunks_is_not_supported_without_a_body(message):
    header = "x-amz-decoded-content-length"
    assert f"the header {header!r} is not supported" in message("GET", "cat.jpg", headers={header: "0"})


@pytest.mark.fakestore(dialect="s3")
def test_supported_headers_do_not_contain_a_parameter_of_presigned_urls(message):
    text = message("PUT", "cat.jpg", headers={"x-amz-size": "4"})
    assert "x-amz-expected-bucket-owner" in text
    assert "x-amz-expires" not in text


def test_message_about_a_header_says_why_it_is_not_supported(message):
    for case in each(
        ("PUT", "Content-Range", "because no operation writes a range"),
        ("PUT", "Trailer", "with aws-chunked"),
        ("PUT", "Digest", "because nothing would check it"),
        ("POST", "Content-Language", "because this operation would not store it"),
        ("POST", "If-Range", "supported: if-match, if-none-match"),
        ("PUT", "x-svc-meta-", "because user metadata needs a name"),
        ("GET", "x-svc-meta-camera", "because this operation would not store it; leave it out"),
    ):
        with case as (method, name, why):
            assert why in message(
                method, "cat.jpg", params={"uploadId": "1"} if method == "POST" else {}, headers={name: "1"}
            )


# -- headers of another service


@decision("foreign-headers")
def test_headers_of_another_service_name_their_dialect(message):
    for case in each("X-Goog-Meta-A", "x-oss-object-acl", "x-obs-meta-a", "x-amz-acl"):
        with case as name:
            text = message("PUT", "cat.jpg", data=b"meow", headers={name: "1", "x-kss-acl": "private", "Accept": "*/*"})
            prefix = "-".join(name.lower().split("-")[:2]) + "-"
            assert repr(name.lower()) in text
            assert "'x-kss-acl'" in text
            assert "'x-svc-'" in text
            advised = "'s3' (--dialect s3" if prefix == "x-amz-" else f"Dialect(header_prefix='{prefix}')"
            assert f"use dialect={advised}" in text
            assert "accept" not in text
            with fake_store(
                base_url="http://other.test", buckets=["photos"], dialect=Dialect(header_prefix=prefix)
            ) as other:
                other.session().put(other.url("photos", "cat.jpg"), headers={f"{prefix}meta-a": "1"}).raise_for_status()
                assert dict(other["photos"]["cat.jpg"].metadata) == {"a": "1"}


@decision("foreign-headers")
@pytest.mark.fakestore(dialect=AMZ)
def test_header_prefix_of_the_specification_is_foreign_to_others(message):
    assert "'x-svc-acl'" in message("PUT", "cat.jpg", headers={"x-svc-acl": "private"})


@decision("foreign-headers")
def test_other_headers_are_ignored(store):
    for case in each("X-Amzn-Trace-Id", "X-Forwarded-For", "X-Request-Id", "x-amz", "Traceparent"):
        with case as name:
            answer = store.session().put(store.url("photos", "cat.jpg"), data=b"meow", headers={name: "1"})
            assert answer.status_code == 200


# -- the scheme of Authorization

VERSION_4 = "AWS4-HMAC-SHA256 Credential=AK/20261121/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=abc"


def explanation(authorization, **options):
    with fake_store(buckets=["photos"], **options) as store:
        answer = requests.get(store.url("photos"), headers={"Authorization": authorization})
        assert answer.status_code == 403
        return store.exchanges[-1].explanation


def test_option_for_another_scheme_is_advised_if_it_works():
    assert "fake_store(auth_scheme='ACME')" in explanation("ACME AK:signature")
    assert "auth_scheme=" not in explanation("ACME AK:signature", auth_scheme="ACME", access_key_id="AK")


def test_no_option_is_advised_for_an_authorization_of_another_form():
    for case in each(VERSION_4, "Basic QUs6c2VjcmV0", "Bearer token", "AWS AK", "", "token"):
        with case as authorization:
            text = explanation(authorization)
            assert "'SVC'" in text
            assert "fake_store(auth_scheme=" not in text
            assert "store.auth()" in text
            assert "token" not in text


def test_foreign_headers_and_another_scheme_are_reported_together(store):
    for case in each("AWS key:signature", VERSION_4, "SVC key:signature"):
        with case as authorization:
            headers = {"Authorization": authorization, "x-amz-acl": "private"}
            with pytest.raises(UnsupportedRequest, match="'x-amz-acl'") as raised:
                requests.get(store.url("photos", "cat.jpg"), headers=headers)
            store.unhandled_requests.clear()
            scheme = authorization.split()[0]
            assert (scheme in str(raised.value)) is (scheme != "SVC")
            assert ("fake_store(auth_scheme='AWS')" in str(raised.value)) is (scheme == "AWS")
            assert ("which has signature version 4" in str(raised.value)) is (scheme == "AWS4-HMAC-SHA256")


# -- names that the test's author gets wrong


def test_unknown_operation_names_the_nearest_one_first(store):
    for case in each(
        ("PUT Objekt", "PUT Object"),
        ("GET Bucket Object version", "GET Bucket Object versions"),
        ("create_multipart_upload", "CreateMultipartUpload"),
        ("copy_object", "CopyObject"),
        ("list_objects_v2", "ListObjectsV2"),
        ("deleteObject", "DeleteObject"),
    ):
        with case as (name, meant):
            with pytest.raises(ValueError, match=name) as raised:
                store.calls(name)
            message = str(raised.value)
            assert message.startswith(f"unknown operation {name!r}. Did you mean {meant!r}")
            assert len(message) < 200
    with pytest.raises(ValueError, match="action of policies; it belongs to HeadBucket, ListObjects, ListObjectsV2"):
        store.calls("s3:ListBucket")
    with pytest.raises(ValueError, match=r"'x'\. fakestore\.OperationName lists the names"):
        store.fail("x", faults.ConnectionReset())


def test_invalid_dialect_is_a_value_error():
    for case in each(
        {"header_prefix": "x-amz"},
        {"header_prefix": ""},
        {"auth_scheme": "two words"},
        {"public_hosts": re.compile(r"(?P<bucket>.+\.)?objects\.example\.com")},
        {"addressing": frozenset()},
    ):
        with case as wrong:
            (name,) = wrong
            with pytest.raises(ValueError, match=name):
                Dialect(**wrong)


def test_wrong_type_in_a_dialect_is_a_type_error():
    for case in each(
        (Dialect, "addressing", Addressing.PATH, "frozenset[Addressing]"),
        (Dialect, "addressing", "path", "frozenset[Addressing]"),
        (Dialect, "addressing", frozenset({"path"}), "frozenset[Addressing]"),
        (Dialect, "common_headers", "date", "frozenset[str]"),
        (Dialect, "public_hosts", "objects.test", "re.Pattern[str] | None"),
        (Dialect, "semantics", "s3", "Semantics"),
        (ClientEnvironment, "access_key_id", "ACME_KEY", "tuple[str, ...]"),
        (Semantics, "anonymous_requests", "authorized", "AnonymousRequests"),
        (Semantics, "default_encryption", "AES256", "Encryption | None"),
        (Limits, "object_size", 1.5, "int"),
    ):
        with case as (kind, name, value, expected):
            with pytest.raises(TypeError, match=re.escape(f"invalid {name} {value!r}: expected {expected}")):
                kind(**{name: value})


# -- signatures of other services

OWN_SCHEME = "signature-schemes.md"


@decision("authorization-header")
@pytest.mark.parametrize("dialect", ["document", "s3", replace(S3, header_prefix="x-tos-")])
@pytest.mark.parametrize("word", ["OSS4-HMAC-SHA256", "TOS4-HMAC-SHA256", "VND4-HMAC-SHA256", "GOOG4-RSA-SHA256"])
def test_version_4_under_another_name_is_unsupported(dialect, word):
    with fake_store(dialect=dialect, buckets=["photos"], any_access_key=True) as store:
        url = store.url("photos", "cat.jpg")
        prefix = store.dialect.header_prefix.title()
        query = {f"{prefix}{name}": "1" for name in ("Date", "Expires", "SignedHeaders", "Credential", "Signature")}
        scope = "20261121/us-east-1/tos/request"
        for arguments in (
            {"headers": {"Authorization": f"{word} Credential=AKID/{scope},SignedHeaders=host,Signature=a"}},
            {"params": {f"{prefix}Algorithm": word} | query},
        ):
            with pytest.raises(UnsupportedRequest) as raised:
                requests.get(url, **arguments)
            store.unhandled_requests.clear()
            assert OWN_SCHEME in str(raised.value)
            assert "dialect='s3'" not in str(raised.value)
            assert repr(word) in str(raised.value) or (dialect == "document" and "params" in arguments)


@pytest.mark.fakestore(dialect=replace(S3, header_prefix="x-tos-"))
def test_form_of_version_4_under_another_name_is_unsupported(store):
    names = ("credential", "date", "signature")
    fields = {"key": "cat.jpg", "policy": "e30=", "x-tos-algorithm": "TOS4-HMAC-SHA256"}
    with pytest.raises(UnsupportedRequest, match=OWN_SCHEME):
        requests.post(store.url("photos"), fields | {f"x-tos-{name}": "1" for name in names}, files={"file": b"meow"})
    store.unhandled_requests.clear()


@pytest.mark.parametrize("dialect", ["document", "s3"])
def test_presigned_url_of_another_service_is_not_advised_to_use_s3(dialect):
    with fake_store(dialect=dialect, buckets=["photos"]) as store:
        for case in each(
            "OSSAccessKeyId=1&Expires=1&Signature=1",
            "Expires=1&Signature=1&OSSAccessKeyId=1",
            "GoogleAccessId=1&Expires=1&Signature=1",
            "x-oss-credential=1&x-oss-signature=1",
            "X-Tos-Algorithm=TOS4-HMAC-SHA256&X-Tos-Credential=1",
        ):
            with case as query:
                with pytest.raises(UnsupportedRequest, match=OWN_SCHEME) as raised:
                    requests.get(store.url("photos", "cat.jpg") + "?" + query)
                store.unhandled_requests.clear()
                assert "dialect='s3'" not in str(raised.value)
