"""What the signers of well-known clients produce is accepted with signatures verified."""

from __future__ import annotations

import base64
import hashlib
import zlib
from dataclasses import replace
from datetime import timedelta
from io import BytesIO
from urllib.parse import quote, urlsplit

import pytest
import requests
from botocore.credentials import Credentials
from botocore.httpchecksum import AwsChunkedWrapper, Crc32Checksum
from freezegun import freeze_time
from minio import signer as minio_signer
from minio.credentials import Credentials as MinioCredentials
from requests_auth_aws_sigv4 import AWSSigV4
from requests_aws4auth import AWS4Auth

from fakestore import UnsupportedRequest
from fakestore.http import Headers, Request
from tests.support.cases import each
from tests.support.wire import md5_base64

from .arrange import (
    FORMS,
    KEY,
    NOW,
    S3_WITH_VERSION_2,
    SECRET,
    URL,
    V2_QUERY,
    V4_HEADER,
    V4_QUERY,
    answer_to,
    from_wire,
    new_store,
    signed,
    with_headers,
    with_target,
)

KEYS = ["cat.jpg", "a b", "à/日本語", "a//b/", "a+b", "100%", "%2F", "a=b&c?d#e", "~-_.!*'()", "a%20b"]

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
of_every_form = pytest.mark.parametrize("form", FORMS)


def url_of(key: str, query: str = "") -> str:
    return "https://s3.amazonaws.com/photos/" + quote(key, safe="/~") + (f"?{query}" if query else "")


@of_every_form
def test_botocore_requests_with_unusual_keys_are_accepted(store, form):
    for case in each(*KEYS, "/a"):
        with case as key:
            assert answer_to(store, signed(form, "PUT", url_of(key), body=b"meow")).status == 200
            assert store["photos"][key].content == b"meow"


@of_every_form
def test_botocore_upload_with_headers_and_token_is_signed_right(store, form):
    headers = {
        "Content-Type": "text/plain",
        "Content-MD5": md5_base64(b"meow"),
        "x-amz-meta-a": "text",
        "x-amz-acl": "bucket-owner-full-control",
    }
    for token in (None, "tok/en=="):
        request = signed(form, headers=headers, body=b"meow", credentials=Credentials(KEY, SECRET, token))
        answer = answer_to(store, request)
        assert answer.code == (None if token is None else "InvalidToken")
        assert token is None or "itself is right" in answer.explanation
        assert store["photos"]["cat.jpg"].metadata == {"a": "text"}


@pytest.mark.decision("repeated-headers-in-the-query")
def test_presigned_query_of_the_javascript_sdk_repeats_headers(store):
    headers = {"Content-Type": "text/plain", "Cache-Control": "no-cache"}
    query = "Content-Type=text%2Fplain&Cache-Control=no-cache"
    for form in (V2_QUERY, V4_QUERY):
        assert answer_to(store, signed(form, "PUT", url_of("cat.jpg", query), headers, b"meow")).status == 200
        assert store["photos"]["cat.jpg"].content_type == "text/plain"
    for changed in ({"Content-Type": "text/plain"}, headers | {"Cache-Control": "no-store"}):
        with pytest.raises(UnsupportedRequest, match="Cache-Control"):
            answer_to(store, signed(V4_QUERY, "PUT", url_of("cat.jpg", query), changed, b"meow"))


@of_every_form
def test_botocore_query_is_signed_decoded(store, form):
    url = url_of("cat.jpg", "versionId=null&response-content-type=text%2Fplain%3B%20a")
    store["photos"].put("cat.jpg", b"meow")
    assert answer_to(store, signed(form, "GET", url)).status == 200
    assert answer_to(store, with_target(signed(form, "GET", url), "plain", "html")).code == "SignatureDoesNotMatch"


@pytest.mark.parametrize("form", [V4_HEADER, V4_QUERY])
def test_repeated_blanks_in_a_header_are_signed_as_one(store, form):
    request = signed(form, headers={"x-amz-meta-a": "two  blanks"})
    assert request.headers["x-amz-meta-a"] == "two  blanks"
    assert answer_to(store, request).status == 200


def test_headers_in_a_presigned_url_of_version_2_count_as_sent(store):
    bare = replace(signed(V2_QUERY, headers={"x-amz-meta-a": "1"}), headers=Headers({"Content-Length": "0"}))
    assert answer_to(store, bare).status == 200
    assert store["photos"]["cat.jpg"].metadata == {"a": "1"}
    assert answer_to(store, with_headers(bare, {"x-amz-meta-b": "1"})).code == "SignatureDoesNotMatch"


def test_headers_in_a_presigned_url_are_joined_like_headers_that_are_sent_twice(store):
    url = url_of("cat.jpg", "x-amz-meta-a=1&X-Amz-Meta-A=2")
    assert answer_to(store, signed(V4_QUERY, url=url)).status == 200
    assert store["photos"]["cat.jpg"].metadata == {"a": "1,2"}


def test_botocore_chunks_with_trailing_checksum_are_accepted(store):
    content = b"meow" * 5000
    wrapper = AwsChunkedWrapper(BytesIO(content), Crc32Checksum, "x-amz-checksum-crc32", chunk_size=8192)
    body = b"".join(iter(wrapper.read, b""))
    assert base64.b64encode(zlib.crc32(content).to_bytes(4)) in body
    headers = {
        "Content-Encoding": "aws-chunked",
        "X-Amz-Trailer": "x-amz-checksum-crc32",
        "X-Amz-Decoded-Content-Length": str(len(content)),
        "x-amz-content-sha256": "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
    }
    request = sent_by_requests("PUT", URL, store.auth(), headers=headers, data=body)
    assert answer_to(store, request).status == 200
    assert store["photos"]["cat.jpg"].content == content


@pytest.mark.parametrize("dialect", ["s3", S3_WITH_VERSION_2], ids=["v4", "v2"])
def test_what_the_store_signs_and_presigns_is_accepted(dialect):
    store = new_store(dialect=dialect)
    for case in each(*KEYS):
        with case as key:
            url = store.url("photos", key)
            request = sent_by_requests("PUT", url, store.auth(), headers={"x-amz-meta-a": "1  2"}, data=b"meow")
            assert answer_to(store, request).status == 200
            presigned = store.presign("GET", "photos", key, expires_in=60, versionId="null")
            assert answer_to(store, Request.to_url("GET", presigned)).status == 200


@pytest.mark.parametrize("dialect", ["s3", S3_WITH_VERSION_2], ids=["v4", "v2"])
def test_method_of_a_presigned_url_may_be_in_lower_case(dialect):
    store = new_store(dialect=dialect)
    store["photos"].put("cat.jpg", b"meow")
    presigned = store.presign("get", "photos", "cat.jpg", expires_in=60)
    assert answer_to(store, Request.to_url("GET", presigned)).status == 200


def sent_by_requests(method: str, url: str, auth, **options) -> Request:
    prepared = requests.Request(method, url, auth=auth, **options).prepare()
    return from_wire(method, prepared.url, prepared.headers, prepared.body)


REQUESTS_AUTH = {
    "requests-aws4auth": lambda **token: AWS4Auth(KEY, SECRET, "us-east-1", "s3", **token),
    "requests-auth-aws-sigv4": lambda session_token=None: AWSSigV4(
        "s3", aws_access_key_id=KEY, aws_secret_access_key=SECRET, aws_session_token=session_token, region="us-east-1"
    ),
}


@pytest.mark.parametrize("auth", REQUESTS_AUTH.values(), ids=REQUESTS_AUTH)
def test_signers_for_requests_are_accepted(store, auth):
    for case in each("cat.jpg", "a b", "à/日本語", "a%2Fb"):
        with case as key:
            request = sent_by_requests("PUT", url_of(key), auth(session_token="token"), data=b"meow")
            assert "itself is right" in answer_to(store, request).explanation
            assert answer_to(store, sent_by_requests("PUT", url_of(key), auth(), data=b"meow")).status == 200
            assert answer_to(store, sent_by_requests("GET", url_of(key, "versionId=null"), auth())).status == 200
    listing = "https://s3.amazonaws.com/photos?prefix=a%2Fb&max-keys=2"
    assert answer_to(store, sent_by_requests("GET", listing, auth())).status == 200


def test_default_port_in_a_url_is_not_signed(store):
    request = sent_by_requests("GET", "https://s3.amazonaws.com:443/", REQUESTS_AUTH["requests-aws4auth"]())
    assert request.host.endswith(":443")
    assert answer_to(store, request).status == 200


@pytest.fixture
def local_store():
    return new_store(base_url="http://localhost:9000")


def test_minio_request_is_accepted(local_store):
    url = urlsplit("http://localhost:9000/photos/a%20b")
    headers = {
        "Host": url.netloc,
        "User-Agent": "MinIO",
        "Content-MD5": md5_base64(b"meow"),
        "x-amz-content-sha256": hashlib.sha256(b"meow").hexdigest(),
        "x-amz-date": "20261121T120000Z",
    }
    fields = minio_signer.sign_v4_s3(
        method="PUT",
        url=url,
        region="us-east-1",
        headers=headers,
        credentials=MinioCredentials(KEY, SECRET),
        content_sha256=headers["x-amz-content-sha256"],
        date=NOW,
    )
    assert answer_to(local_store, Request.to_url("PUT", url.geturl(), fields, b"meow")).status == 200


def test_minio_presigned_url_is_accepted(local_store):
    local_store["photos"].put("a b", b"meow")
    url = minio_signer.presign_v4(
        method="GET",
        url=urlsplit("http://localhost:9000/photos/a%20b?versionId=null"),
        region="us-east-1",
        credentials=MinioCredentials(KEY, SECRET),
        date=NOW,
        expires=60,
    )
    assert answer_to(local_store, Request.to_url("GET", url.geturl())).status == 200


@pytest.mark.parametrize("form", [V4_HEADER, V4_QUERY])
def test_parameters_are_sorted_as_they_are_encoded(form):
    """``%`` comes before ``-``, but ``/`` after it."""
    request = signed(form, "GET", "https://s3.amazonaws.com/photos?zz-q=1&zz%2Fq=2")
    assert answer_to(new_store(), request).status == 200


def test_store_signs_with_the_date_of_the_application():
    prepared = requests.Request("GET", URL, {"x-amz-date": "20261121T115500Z"}, auth=new_store().auth()).prepare()
    assert prepared.headers["x-amz-date"] == "20261121T115500Z"
    assert "/20261121/" in prepared.headers["Authorization"]
    request = Request.to_url("GET", URL, prepared.headers)
    assert answer_to(new_store(), request).code == "NoSuchKey"


def test_region_of_another_store_is_named_in_the_error():
    request = signed(V4_HEADER, region_name="eu-west-1")
    local = signed(V4_HEADER, url="http://objects.test/photos/cat.jpg", region_name="eu-west-1")
    answer = answer_to(new_store(region="us-east-1"), request)
    assert answer.code == "AuthorizationHeaderMalformed"
    assert answer.message.endswith("the region 'eu-west-1' is wrong; expecting 'us-east-1'")
    assert answer.elements == {"Region": "us-east-1"}
    with freeze_time(NOW + timedelta(hours=1)):  # the date is compared first
        assert answer_to(new_store(), request).code == "RequestTimeTooSkewed"
    assert answer_to(new_store(region=None, base_url="http://objects.test"), local).status == 200
