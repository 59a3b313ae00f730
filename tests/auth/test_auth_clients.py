"""What the signers of well-known clients produce is accepted with signatures verified."""

from __future__ import annotations

import base64
import hashlib
import zlib
from dataclasses import replace
from io import BytesIO
from urllib.parse import quote, urlsplit

import pytest
import requests
from botocore.auth import HmacV1Auth, HmacV1QueryAuth, S3SigV4Auth, S3SigV4QueryAuth
from botocore.credentials import Credentials
from botocore.httpchecksum import AwsChunkedWrapper, Crc32Checksum
from freezegun import freeze_time
from minio import signer as minio_signer
from minio.credentials import Credentials as MinioCredentials
from requests_auth_aws_sigv4 import AWSSigV4
from requests_aws4auth import AWS4Auth

from fakestore.http import Headers, Request
from fakestore.model.errors import ErrorResponse
from fakestore.protocol.auth.encoding import with_headers
from fakestore.protocol.auth.hmac_sha1 import SIGNED_PARAMETERS
from fakestore.protocol.auth.payload import HashedPayload, trailers_of
from fakestore.protocol.auth.schemes import VERSION_4_HEADER

from .arrange import CREDENTIALS, KEY, NOW, SECRET, VERIFY, accounts, authenticate, read_address, signed_by_botocore

KEYS = ["cat.jpg", "a b", "à/日本語", "a//b/", "/a", "a+b", "100%", "%2F", "a=b&c?d#e", "~-_.!*'()", "a%20b"]
SIGNERS = {
    "v4 header": lambda credentials=CREDENTIALS: S3SigV4Auth(credentials, "s3", "us-east-1"),
    "v4 query": lambda credentials=CREDENTIALS: S3SigV4QueryAuth(credentials, "s3", "us-east-1", 60),
    "v2 header": lambda credentials=CREDENTIALS: HmacV1Auth(credentials),
    "v2 query": lambda credentials=CREDENTIALS: HmacV1QueryAuth(credentials, 60),
}

pytestmark = [pytest.mark.usefixtures("frozen"), pytest.mark.filterwarnings("ignore::DeprecationWarning")]


@pytest.fixture
def frozen():
    with freeze_time(NOW):
        yield


def url_of(key: str, query: str = "") -> str:
    return "https://s3.amazonaws.com/photos/" + quote(key, safe="/~") + (f"?{query}" if query else "")


@pytest.mark.parametrize("signer", SIGNERS.values(), ids=SIGNERS)
def test_botocore_requests_with_unusual_keys_are_accepted(signer):
    for key in KEYS:
        result = authenticate(signed_by_botocore(signer(), "GET", url_of(key)))
        assert result.requester.access_key_id == KEY


@pytest.mark.parametrize("signer", SIGNERS.values(), ids=SIGNERS)
def test_botocore_upload_with_headers_query_and_token_is_accepted(signer):
    headers = {
        "Content-Type": "text/plain",
        "Content-MD5": "4gJE4saaMU4BqNR0kLY+lw==",
        "x-amz-meta-a": "text",
        "x-amz-acl": "private",
    }
    url = url_of("a b", "partNumber=1&uploadId=a%2Fb&response-content-type=text%2Fplain%3B%20a")
    for credentials in (CREDENTIALS, Credentials(KEY, SECRET, "tok/en==")):
        request = signed_by_botocore(signer(credentials), "PUT", url, headers, b"meow")
        result = authenticate(request)
        assert result.payload.decode(b"meow") == b"meow"
        with pytest.raises(ErrorResponse, match="SignatureDoesNotMatch"):
            authenticate(replace(request, target=request.target.replace("uploadId=a", "uploadId=b")))


@pytest.mark.parametrize("version", ["v4 header", "v4 query"])
def test_repeated_blanks_in_a_header_are_signed_as_one(version):
    request = signed_by_botocore(SIGNERS[version](), "PUT", url_of("a"), {"x-amz-meta-a": "two  blanks"})
    assert request.headers["x-amz-meta-a"] == "two  blanks"
    assert authenticate(request)


def test_headers_in_a_presigned_url_of_version_2_count_as_sent():
    request = signed_by_botocore(SIGNERS["v2 query"](), "PUT", url_of("a"), {"x-amz-meta-a": "1"})
    bare = replace(request, headers=Headers())
    assert authenticate(bare)
    with pytest.raises(ErrorResponse, match="SignatureDoesNotMatch"):
        authenticate(replace(bare, headers=Headers({"x-amz-meta-b": "1"})))


def test_every_parameter_that_botocore_signs_in_version_2_is_signed():
    assert set(HmacV1Auth.QSAOfInterest) <= SIGNED_PARAMETERS


def test_botocore_body_hash_is_checked_against_the_body():
    request = signed_by_botocore(SIGNERS["v4 header"](), "PUT", url_of("a"), body=b"meow")
    payload = authenticate(request).payload
    assert payload == HashedPayload(hashlib.sha256(b"meow").hexdigest())
    with pytest.raises(ErrorResponse, match="XAmzContentSHA256Mismatch"):
        payload.decode(b"moo")
    with pytest.raises(ErrorResponse, match="XAmzContentSHA256Mismatch"):
        list(payload.decode(iter([b"m", b"oo"])))


def test_botocore_chunks_with_trailing_checksum_are_accepted():
    content = b"meow" * 5000
    wrapper = AwsChunkedWrapper(BytesIO(content), Crc32Checksum, "x-amz-checksum-crc32", chunk_size=8192)
    body = b"".join(iter(wrapper.read, b""))
    headers = {
        "Content-Encoding": "aws-chunked",
        "X-Amz-Trailer": "x-amz-checksum-crc32",
        "X-Amz-Decoded-Content-Length": str(len(content)),
        "x-amz-content-sha256": "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
    }
    request = Request.to_url("PUT", url_of("a"), headers, body)
    scheme, account = VERSION_4_HEADER, accounts().by_access_key(KEY)
    request = with_headers(request, scheme.sign(request, read_address(request), account, NOW, VERIFY))
    decoded = authenticate(request).payload.decode(body)
    assert b"".join(decoded) == content
    checksum = base64.b64encode(zlib.crc32(content).to_bytes(4)).decode()
    assert trailers_of(decoded) == {"x-amz-checksum-crc32": checksum}


def sent_by_requests(method, url, auth, **options) -> Request:
    prepared = requests.Request(method, url, auth=auth, **options).prepare()
    body = prepared.body or b""
    fields = {name: value.decode() if isinstance(value, bytes) else value for name, value in prepared.headers.items()}
    return Request.to_url(method, prepared.url, Headers(fields), body if isinstance(body, bytes) else body.encode())


REQUESTS_AUTH = {
    "requests-aws4auth": lambda **token: AWS4Auth(KEY, SECRET, "us-east-1", "s3", **token),
    "requests-auth-aws-sigv4": lambda session_token=None: AWSSigV4(
        "s3",
        aws_access_key_id=KEY,
        aws_secret_access_key=SECRET,
        aws_session_token=session_token,
        region="us-east-1",
    ),
}


@pytest.mark.parametrize("auth", REQUESTS_AUTH.values(), ids=REQUESTS_AUTH)
def test_signers_for_requests_are_accepted(auth):
    for key in ("cat.jpg", "a b", "à/日本語", "a%2Fb"):
        assert authenticate(sent_by_requests("GET", url_of(key, "prefix=a%2Fb&max-keys=2"), auth()))
    request = sent_by_requests("PUT", url_of("a"), auth(session_token="token"), data=b"meow")
    assert authenticate(request).payload.decode(request.body) == b"meow"


def test_default_port_in_a_url_is_not_signed():
    request = sent_by_requests("GET", "https://s3.amazonaws.com:443/a", REQUESTS_AUTH["requests-aws4auth"]())
    assert request.host.endswith(":443")
    assert authenticate(request)


def test_minio_request_is_accepted():
    url = urlsplit("http://localhost:9000/photos/a%20b?versionId=1&prefix=")
    headers = {
        "Host": url.netloc,
        "User-Agent": "MinIO",
        "Content-MD5": "4gJE4saaMU4BqNR0kLY+lw==",
        "x-amz-content-sha256": hashlib.sha256(b"meow").hexdigest(),
        "x-amz-date": "20261121T120000Z",
    }
    signed = minio_signer.sign_v4_s3(
        method="PUT",
        url=url,
        region="us-east-1",
        headers=headers,
        credentials=MinioCredentials(KEY, SECRET),
        content_sha256=headers["x-amz-content-sha256"],
        date=NOW,
    )
    request = Request.to_url("PUT", url.geturl(), signed, b"meow")
    assert authenticate(request, host="localhost").payload.decode(b"meow") == b"meow"


def test_minio_presigned_url_is_accepted():
    url = minio_signer.presign_v4(
        method="GET",
        url=urlsplit("http://localhost:9000/photos/a%20b?versionId=1"),
        region="us-east-1",
        credentials=MinioCredentials(KEY, SECRET),
        date=NOW,
        expires=60,
    )
    request = Request.to_url("GET", url.geturl())
    assert authenticate(request, host="localhost").requester.access_key_id == KEY


def test_region_of_another_store_is_named_in_the_error():
    request = signed_by_botocore(S3SigV4Auth(CREDENTIALS, "s3", "eu-west-1"), "GET", url_of("a"))
    with pytest.raises(ErrorResponse, match="AuthorizationHeaderMalformed") as caught:
        authenticate(request)
    assert caught.value.message.endswith("the region 'eu-west-1' is wrong; expecting 'us-east-1'")
    assert caught.value.elements == {"Region": "us-east-1"}
    assert authenticate(request, replace(VERIFY, region=None))
