"""The examples that the public documentation of both signature versions prints, with their signatures."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import timedelta

import pytest

from fakestore.http import Request
from fakestore.protocol.auth.aws_chunked import ChunkedPayload, ChunkSigner
from fakestore.protocol.auth.hmac_sha1 import HmacSha1
from fakestore.protocol.auth.payload import HashedPayload, trailers_of
from fakestore.protocol.auth.signing_key import Scope, signing_key
from fakestore.protocol.auth.v4 import Version4Query

from .arrange import KEY, PUBLISHED, SECRET, VERIFY, accounts, authenticate, read_address

EMPTY = hashlib.sha256(b"").hexdigest()
BUCKET = "https://examplebucket.s3.amazonaws.com"
DATE = ("x-amz-date", "20130524T000000Z")


def version_4(method, target, signature, names, *fields, body=b"", payload_hash=None):
    authorization = (
        f"AWS4-HMAC-SHA256 Credential={KEY}/20130524/us-east-1/s3/aws4_request,SignedHeaders={names},"
        f"Signature={signature}"
    )
    hashed = payload_hash or hashlib.sha256(body).hexdigest()
    headers = [*fields, DATE, ("x-amz-content-sha256", hashed), ("Authorization", authorization)]
    return Request.to_url(method, BUCKET + target, headers, body)


VERSION_4 = {
    "GET with a range": version_4(
        "GET",
        "/test.txt",
        "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
        "host;range;x-amz-content-sha256;x-amz-date",
        ("Range", "bytes=0-9"),
    ),
    "PUT with a storage class": version_4(
        "PUT",
        "/test%24file.text",
        "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
        "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
        ("Date", "Fri, 24 May 2013 00:00:00 GMT"),
        ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
        body=b"Welcome to Amazon S3.",
    ),
    "GET lifecycle": version_4(
        "GET",
        "/?lifecycle",
        "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
        "host;x-amz-content-sha256;x-amz-date",
    ),
    "list of objects": version_4(
        "GET",
        "/?max-keys=2&prefix=J",
        "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
        "host;x-amz-content-sha256;x-amz-date",
    ),
}


@pytest.mark.parametrize("request_", VERSION_4.values(), ids=VERSION_4)
def test_published_request_of_version_4_is_accepted(request_):
    result = authenticate(request_, now=PUBLISHED)
    assert result.requester.access_key_id == KEY
    assert isinstance(result.payload, HashedPayload)
    assert result.payload.decode(request_.body) == request_.body


def test_published_presigned_url_is_made_and_accepted():
    request = Request.to_url("GET", f"{BUCKET}/test.txt")
    account = accounts().by_access_key(KEY)
    address = read_address(request)
    url = Version4Query().presign(request, address, account, PUBLISHED, timedelta(days=1), VERIFY)
    assert url.endswith("&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404")
    assert authenticate(Request.to_url("GET", url), now=PUBLISHED).requester == account


SEED = "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9"
CHUNKS = (
    (65536, "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648"),
    (1024, "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497"),
    (0, "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9"),
)


def chunked_upload(chunks=CHUNKS):
    body = b"".join(
        b"%x;chunk-signature=%s\r\n" % (size, signature.encode()) + b"a" * size + b"\r\n" for size, signature in chunks
    )
    request = version_4(
        "PUT",
        "/chunkObject.txt",
        SEED,
        "content-encoding;content-length;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;"
        "x-amz-storage-class",
        ("Content-Encoding", "aws-chunked"),
        ("Content-Length", "66824"),
        ("x-amz-decoded-content-length", "66560"),
        ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
        payload_hash="STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
    )
    path_style = replace(request, host="s3.amazonaws.com", target="/examplebucket/chunkObject.txt")
    return replace(path_style, body=body)


def test_published_upload_in_signed_chunks_is_accepted():
    request = chunked_upload()
    assert len(request.body) == 66824
    payload = authenticate(request, now=PUBLISHED).payload
    assert b"".join(payload.decode(request.body)) == b"a" * 66560


def test_published_signature_of_trailing_headers_is_accepted():
    scope = Scope("20130524", "us-east-1")
    seed = "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e"
    account = accounts().by_access_key(KEY)
    signer = ChunkSigner(account, signing_key(SECRET, scope), "20130524T000000Z", str(scope), seed)
    body = (
        b"10000;chunk-signature=b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2\r\n%s\r\n"
        b"400;chunk-signature=1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7\r\n%s\r\n"
        b"0;chunk-signature=2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992\r\n"
        b"x-amz-checksum-crc32c:sOO8/Q==\n\r\n"
        b"x-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n\r\n"
    ) % (b"a" * 65536, b"a" * 1024)
    content = ChunkedPayload(66560, frozenset({"x-amz-checksum-crc32c"}), True, signer).decode(body)
    assert b"".join(content) == b"a" * 66560
    assert trailers_of(content) == {"x-amz-checksum-crc32c": "sOO8/Q=="}


def version_2(method, bucket, target, date, signature, *fields):
    host = f"{bucket}.s3.amazonaws.com" if bucket else "s3.amazonaws.com"
    headers = [("Host", host), ("Date", date), *fields, ("Authorization", f"AWS {KEY}:{signature}")]
    return Request.to_url(method, f"http://{host}{target}", headers)


UPLOAD = (
    ("User-Agent", "curl/7.15.5"),
    ("x-amz-acl", "public-read"),
    ("content-type", "application/x-download"),
    ("Content-MD5", "4gJE4saaMU4BqNR0kLY+lw=="),
    ("X-Amz-Meta-ReviewedBy", "joe@johnsmith.net"),
    ("X-Amz-Meta-ReviewedBy", "jane@johnsmith.net"),
    ("X-Amz-Meta-FileChecksum", "0x02661779"),
    ("X-Amz-Meta-ChecksumAlgorithm", "crc32"),
    ("Content-Disposition", "attachment; filename=database.dat"),
    ("Content-Encoding", "gzip"),
    ("Content-Length", "5913339"),
)
VERSION_2 = {
    "GET": version_2(
        "GET", "johnsmith", "/photos/puppy.jpg", "Tue, 27 Mar 2007 19:36:42 +0000", "bWq2s1WEIj+Ydj0vQ697zp+IXMU="
    ),
    "PUT": version_2(
        "PUT",
        "johnsmith",
        "/photos/puppy.jpg",
        "Tue, 27 Mar 2007 21:15:45 +0000",
        "MyyxeRY7whkBe+bq8fHCL/2kKUg=",
        ("Content-Type", "image/jpeg"),
        ("Content-Length", "94328"),
    ),
    "list": version_2(
        "GET",
        "johnsmith",
        "/?prefix=photos&max-keys=50&marker=puppy",
        "Tue, 27 Mar 2007 19:42:41 +0000",
        "htDYFYduRNen8P9ZfE/s9SuKy0U=",
        ("User-Agent", "Mozilla/5.0"),
    ),
    "GET acl": version_2(
        "GET", "johnsmith", "/?acl", "Tue, 27 Mar 2007 19:44:46 +0000", "c2WLPFtWHVgbEmeEG93a4cG37dM="
    ),
    "DELETE dated by x-amz-date": version_2(
        "DELETE",
        "johnsmith",
        "/photos/puppy.jpg",
        "Tue, 27 Mar 2007 21:20:27 +0000",
        "R4dJ53KECjStyBO5iTBJZ4XVOaI=",
        ("User-Agent", "dotnet"),
        ("x-amz-date", "Tue, 27 Mar 2007 21:20:26 +0000"),
    ),
    "upload": version_2(
        "PUT",
        "static.johnsmith.net",
        "/db-backup.dat.gz",
        "Tue, 27 Mar 2007 21:06:08 +0000",
        "ilyl83RwaSoYIEdixDQcA4OnAnc=",
        *UPLOAD,
    ),
    "list of buckets": version_2("GET", None, "/", "Wed, 28 Mar 2007 01:29:59 +0000", "qGdzdERIC03wnaRNKh6OqZehG9s="),
    "Unicode key": version_2(
        "GET",
        "dictionary",
        "/fran%C3%A7ais/pr%c3%a9f%c3%a8re",
        "Wed, 28 Mar 2007 01:49:49 +0000",
        "DNEZGsoieTZ92F3bUfSPQcbGmlM=",
    ),
}


@pytest.mark.parametrize("request_", VERSION_2.values(), ids=VERSION_2)
def test_published_request_of_version_2_is_accepted(request_):
    rules = replace(VERIFY, max_clock_skew=None)
    signature = request_.headers["authorization"].partition(":")[2]
    assert HmacSha1("x-amz-").signature(request_, read_address(request_), SECRET) == signature
    assert authenticate(request_, rules).requester.access_key_id == KEY


def test_published_presigned_url_of_version_2_is_accepted():
    url = (
        f"http://johnsmith.s3.amazonaws.com/photos/puppy.jpg?AWSAccessKeyId={KEY}&Expires=1175139620"
        "&Signature=NpgCjnDzrM%2BWFzoENXmpNDUsSn8%3D"
    )
    sent = PUBLISHED.replace(year=2007, month=3, day=28)
    assert authenticate(Request.to_url("GET", url), now=sent).requester.access_key_id == KEY
