"""Checksums: in headers and trailing headers, stored, returned, converted by copies, and refused."""

from __future__ import annotations

import base64
import hashlib
from io import BytesIO

import pytest
from botocore.auth import S3SigV4Auth, S3SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.httpchecksum import AwsChunkedWrapper, Crc32Checksum
from hypothesis import given
from hypothesis import strategies as st

from fakestore import S3, FakeStore, SparseContent, UnsupportedRequest
from fakestore.http import Headers, Request
from tests.support.programs import run_program
from tests.support.wire import UnseekableBody, crc32_base64, elements, outcome

decision = pytest.mark.decision
ENABLED = {"checksum-mode": "ENABLED"}
#: The checksums of b"test data..". Those of CRC32, CRC32C, CRC64NVME, SHA1 and SHA256 were recorded.
VALUES = {
    "crc32": "cZWHwQ==",
    "crc32c": "Pf4upw==",
    "crc64nvme": "qUVrWYOrIAM=",
    "sha1": "B++3uSfJMSHWToQMQ1g6lIJY5Eo=",
    "sha256": "2l26x0trnT0r2AvakoFk2MB7eKVKzYESLMxSAKAzoik=",
    "sha512": "gW6vb70PXMPV+9iXchlSKguqSJ6tOlFnLzDFYUPitZcFKdp8Q12yxeuMdslExvycnq54doErAwzjgVMiEwrOTg==",
    "md5": "5tkibCqGtyMpM2Y8E0Z1Jw==",
    "xxhash64": "8dnMLe7pxp4=",
    "xxhash3": "ewECkvZFECs=",
    "xxhash128": "mP9hjlRlRc/lPTFf0XV0/Q==",
}


def checksums_of(client, reply) -> dict[str, str]:
    """Return the dialect's headers about checksums, without prefix."""
    prefix = f"{client.prefix}checksum-"
    return {name[len(prefix) :]: value for name, value in reply.headers.items() if name.startswith(prefix)}


@pytest.mark.parametrize("algorithm", VALUES)
def test_checksum_is_stored_and_returned_when_requested(client, algorithm):
    expected = {algorithm: VALUES[algorithm], "type": "FULL_OBJECT"}
    reply = client.send("PUT", "/k", {f"checksum-{algorithm}": VALUES[algorithm]}, b"test data..")
    assert (reply.status, checksums_of(client, reply)) == (200, expected)

    for method in ("GET", "HEAD"):
        assert checksums_of(client, client.send(method, "/k", {"checksum-mode": "enabled"})) == expected
        assert checksums_of(client, client.send(method, "/k")) == {}
    assert checksums_of(client, client.send("GET", "/k", {"Range": "bytes=0-99"} | ENABLED)) == expected
    assert checksums_of(client, client.send("GET", "/k", {"Range": "bytes=0-3"} | ENABLED)) == {}
    checksum = client.store["photos"]["k"].checksum
    assert (checksum.algorithm.lower(), checksum.value, checksum.type) == (algorithm, VALUES[algorithm], "FULL_OBJECT")


@pytest.mark.parametrize("algorithm", VALUES)
def test_wrong_checksum_is_refused_and_nothing_stored(client, algorithm):
    for body in (b"other data", UnseekableBody(b"other ", b"data")):
        headers = {f"checksum-{algorithm}": VALUES[algorithm], "Content-Length": "10"}
        reply = client.send("PUT", "/k", headers, body)
        assert outcome(reply) == (400, "BadDigest")
        assert elements(reply)["Message"] == (
            f"The {algorithm.upper()} you specified did not match the calculated checksum."
        )
    for value in ("", "deadbeef", "cZWHwQ", base64.b64encode(b"12345").decode()):
        reply = client.send("PUT", "/k", {f"checksum-{algorithm}": value}, b"test data..")
        assert outcome(reply) == (400, "InvalidRequest")
        assert elements(reply)["Message"] == f"Value for {client.prefix}checksum-{algorithm} header is invalid."
    assert list(client.store["photos"]) == []


@decision("checksum-of-any-body")
def test_two_checksums_are_refused_before_their_values_are_examined(client):
    reply = client.send("PUT", "/k", {"checksum-crc32": "bad", "checksum-sha256": "bad"}, b"test data..")
    assert outcome(reply) == (400, "InvalidRequest")
    assert elements(reply)["Message"] == (
        f"Expecting a single {client.prefix}checksum- header. Multiple checksum Types are not allowed."
    )


@decision("checksum-algorithm-of-a-put")
def test_algorithm_without_a_value_is_ignored_unless_an_sdk_announces_it(client):
    client.put(checksum_algorithm="TEST")
    client.put(checksum_algorithm="SHA1", checksum_sha256=VALUES["sha256"])
    assert client.store["photos"]["k"].checksum.algorithm == "SHA256"

    reply = client.send("PUT", "/k", {"sdk-checksum-algorithm": "CRC32"}, b"test data..")
    assert outcome(reply) == (400, "InvalidRequest")
    for algorithm in ("CRC32", "crc32"):
        client.put(sdk_checksum_algorithm=algorithm, checksum_crc32=VALUES["crc32"])
    for algorithm in ("SHA256", "NONE", ""):
        headers = {"sdk-checksum-algorithm": algorithm, "checksum-crc32": VALUES["crc32"]}
        reply = client.send("PUT", "/k", headers, b"test data..")
        assert outcome(reply) == (400, "InvalidRequest")
        assert b"sdk-checksum-algorithm header is invalid.</Message>" in reply.body


@decision("default-checksum")
def test_only_the_recorded_service_computes_a_default_checksum(client):
    client.put()
    expected = {"crc64nvme": VALUES["crc64nvme"], "type": "FULL_OBJECT"} if client.store.dialect is S3 else {}
    assert checksums_of(client, client.send("HEAD", "/k", ENABLED)) == expected
    client.store["photos"].put("other", b"test data..")
    assert checksums_of(client, client.send("HEAD", "/other", ENABLED)) == expected


@decision("checksum-of-any-body")
def test_checksum_of_a_document_is_checked(client):
    document = b"<Delete><Object><Key>k</Key></Object></Delete>"
    client.put()
    headers = {"sdk-checksum-algorithm": "CRC32", "checksum-crc32": crc32_base64(b"another")}
    assert outcome(client.send("POST", "/?delete", headers, document)) == (400, "BadDigest")
    headers["checksum-crc32"] = crc32_base64(document)
    assert client.send("POST", "/?delete", headers, document).status == 200
    assert list(client.store["photos"]) == []


def test_checksum_mode_must_be_enabled(client):
    client.put()
    assert outcome(client.send("GET", "/k", {"checksum-mode": "DISABLED"})) == (400, "InvalidRequest")
    assert "checksum-mode is 'DISABLED'" in client.store.exchanges[-1].explanation


# -- copies


def copy(client, **headers):
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    reply = client.send("PUT", "/copy", {"copy-source": "/photos/k"} | fields)
    assert reply.status == 200, reply.body
    return {name: text for name, text in elements(reply).items() if name.startswith("Checksum")}


@decision("default-checksum")
def test_copy_keeps_the_algorithm_or_converts_it(client):
    client.put(checksum_crc32=VALUES["crc32"])
    assert copy(client) == {"ChecksumCRC32": VALUES["crc32"], "ChecksumType": "FULL_OBJECT"}
    for algorithm, value in VALUES.items():
        name = algorithm.upper()
        assert copy(client, checksum_algorithm=name) == {f"Checksum{name}": value, "ChecksumType": "FULL_OBJECT"}
        assert client.store["photos"]["copy"].checksum.algorithm == name
    reply = client.send("PUT", "/copy", {"copy-source": "/photos/k", "checksum-algorithm": "MD4"})
    assert outcome(reply) == (400, "InvalidRequest")


# -- sparse content


def test_crc_of_terabytes_of_zeros_takes_no_time(s3):
    assert s3.store["photos"].put("big", SparseContent(5 * 1024**4)).checksum.value == "k73zpqNsUCI="


@given(size=st.integers(0, 3_000_000))
def test_crc_of_zeros_is_that_of_bytes(size):
    bucket = FakeStore(dialect=S3, buckets=["photos"])["photos"]
    assert bucket.put("zeros", SparseContent(size)).checksum == bucket.put("bytes", bytes(size)).checksum


def test_sha_of_too_many_zeros_is_unsupported(client):
    with pytest.raises(UnsupportedRequest, match="SHA256"):
        client.send("PUT", "/big", {"checksum-sha256": VALUES["sha256"]}, SparseContent(1024**3))
    client.store.unhandled_requests.clear()


# -- the library is an extra


#: A program that runs without the libraries, and prints the answers to each of :data:`VALUES`.
WITHOUT_LIBRARIES = f"""
import sys
sys.modules["awscrt"] = sys.modules["xxhash"] = None
from fakestore import UnsupportedRequest, fake_store

with fake_store(dialect="s3", buckets=["photos"]) as store:
    session, url, other = store.session(), store.url("photos", "k"), store.url("photos", "other")
    session.put(url, data=b"test data..").raise_for_status()
    print(store["photos"]["k"].checksum.value)

    def status(method, url, headers, **options):
        try:
            return session.request(method, url, headers=headers, **options).status_code
        except UnsupportedRequest as error:
            store.unhandled_requests.clear()
            assert "fakestore[checksums]" in str(error)
            return "unsupported"

    for name, value in {VALUES}.items():
        named, stated = {{"x-amz-checksum-algorithm": name}}, {{f"x-amz-checksum-{{name}}": value}}
        print(
            name,
            status("PUT", url, stated, data=b"test data.."),
            status("PUT", url, stated, data=b"other"),
            status("POST", url + "?uploads", named),
            status("PUT", other, named | {{"x-amz-copy-source": "photos/k"}}),
        )
"""


@decision("default-checksum")
@decision("checksum-algorithms")
def test_only_xxhash_is_unsupported_without_the_libraries():
    unsupported = "unsupported unsupported unsupported unsupported"
    assert run_program(WITHOUT_LIBRARIES).splitlines() == [
        VALUES["crc64nvme"],
        *(f"{name} {unsupported if 'xxhash' in name else '200 400 200 200'}" for name in VALUES),
    ]


@decision("checksum-of-any-body")
def test_composite_checksum_of_a_single_body_is_unsupported(client):
    client.put(checksum_type="FULL_OBJECT", checksum_crc32=VALUES["crc32"])
    assert outcome(client.send("PUT", "/k", {"checksum-type": "OTHER"}, b"test data..")) == (400, "InvalidRequest")
    with pytest.raises(UnsupportedRequest, match="COMPOSITE"):
        client.put(checksum_type="COMPOSITE", checksum_crc32=VALUES["crc32"])
    client.store.unhandled_requests.clear()


# -- as boto3 sends it


def signed_chunked(store, content, *, trailer_of=None, headers=()):
    """Return an upload as boto3 sends it by default: aws-chunked, with a CRC32 in a trailing header."""
    account = store.default_account
    wrapper = AwsChunkedWrapper(
        BytesIO(content), checksum_cls=Crc32Checksum, checksum_name="x-amz-checksum-crc32", chunk_size=64 * 1024
    )
    body = wrapper.read()
    if trailer_of is not None:
        body = body.replace(crc32_base64(content).encode(), crc32_base64(trailer_of).encode())
    prepared = AWSRequest(
        method="PUT",
        url=f"{store.base_url}/photos/k",
        headers={
            "Content-Encoding": "aws-chunked",
            "X-Amz-Trailer": "x-amz-checksum-crc32",
            "X-Amz-Decoded-Content-Length": str(len(content)),
            "x-amz-sdk-checksum-algorithm": "CRC32",
            **dict(headers),
        },
        data=body,
    )
    prepared.context["payload_signing_enabled"] = False
    prepared.context["checksum"] = {"request_algorithm": {"in": "trailer", "algorithm": "crc32", "name": "x"}}
    S3SigV4Auth(Credentials(account.access_key_id, account.secret_key), "s3", "us-east-1").add_auth(prepared)
    fields = [(name, text if isinstance(text, str) else text.decode()) for name, text in prepared.headers.items()]
    fields.append(("Content-Length", str(len(body))))
    return Request.to_url("PUT", prepared.url, Headers(fields), body)


def verifying_store() -> FakeStore:
    return FakeStore(dialect=S3, base_url="https://s3.amazonaws.com", buckets=["photos"], signatures="verify")


@pytest.fixture
def verifying():
    return verifying_store()


@given(st.binary(max_size=300))
def test_trailing_crc32_of_boto3_is_checked_and_stored(content):
    store, content = verifying_store(), content * 1000
    reply = store.handle(signed_chunked(store, content))
    assert reply.status == 200, reply.body
    version = store["photos"]["k"]
    assert (version.content, version.content_encoding) == (content, None)
    assert version.checksum.value == crc32_base64(content) == reply.headers["x-amz-checksum-crc32"]
    assert version.etag.unquoted == hashlib.md5(content).hexdigest()


def test_wrong_trailing_crc32_is_refused(verifying):
    reply = verifying.handle(signed_chunked(verifying, b"meow", trailer_of=b"woof"))
    assert outcome(reply) == (400, "BadDigest")
    assert list(verifying["photos"]) == []


@decision("digest-required-for-a-lock")
def test_a_trailing_checksum_suffices_for_a_lock():
    store = FakeStore(dialect=S3, base_url="https://s3.amazonaws.com")
    store.create_bucket("photos", object_lock=True)
    request = signed_chunked(store, b"meow", headers={"x-amz-object-lock-legal-hold": "ON"})
    assert outcome(store.handle(request)) == (200, None)


def test_checksum_in_a_header_and_a_trailing_header_is_refused(verifying):
    reply = verifying.handle(signed_chunked(verifying, b"meow", headers={"x-amz-checksum-sha1": VALUES["sha1"]}))
    assert outcome(reply) == (400, "InvalidRequest")


@decision("checksum-of-any-body")
@pytest.mark.parametrize("names", ["x-amz-meta-colour", "x-amz-checksum-crc32,expires"])
def test_trailing_header_that_is_not_a_checksum_is_unsupported(verifying, names):
    request = signed_chunked(verifying, b"meow", headers={"X-Amz-Trailer": names})
    with pytest.raises(UnsupportedRequest, match=names.rpartition(",")[2]):
        verifying.handle(request)
    verifying.unhandled_requests.clear()
    assert list(verifying["photos"]) == []


def test_only_the_encoding_of_the_content_is_stored(verifying):
    request = signed_chunked(verifying, b"meow", headers={"Content-Encoding": "gzip,aws-chunked"})
    assert verifying.handle(request).status == 200
    assert verifying["photos"]["k"].content_encoding == "gzip"


@decision("checksums-in-the-query")
def test_checksum_in_the_query_of_a_presigned_url_is_ignored(verifying):
    account = verifying.default_account
    query = "x-amz-checksum-crc32=AAAAAA%3D%3D&x-amz-sdk-checksum-algorithm=CRC32"
    prepared = AWSRequest(method="PUT", url=f"{verifying.base_url}/photos/k?{query}")
    S3SigV4QueryAuth(Credentials(account.access_key_id, account.secret_key), "s3", "us-east-1").add_auth(prepared)
    reply = verifying.handle(Request.to_url("PUT", prepared.url, body=b"test data.."))
    assert reply.status == 200, reply.body
    assert verifying["photos"]["k"].checksum.value == VALUES["crc64nvme"]
    prepared = AWSRequest(method="GET", url=f"{verifying.base_url}/photos/k?x-amz-checksum-mode=ENABLED")
    S3SigV4QueryAuth(Credentials(account.access_key_id, account.secret_key), "s3", "us-east-1").add_auth(prepared)
    reply = verifying.handle(Request.to_url("GET", prepared.url))
    assert reply.headers["x-amz-checksum-crc64nvme"] == VALUES["crc64nvme"]
