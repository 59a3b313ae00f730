"""The examples that the public documentation of both signature versions prints, with their signatures.

The other examples of version 2 are in tests/auth/test_version_2.py.
"""

from __future__ import annotations

import hashlib

import pytest
from freezegun import freeze_time

from fakestore.http import Request
from tests.support.access import open_bucket

from .arrange import KEY, answer_to, new_store

BUCKET = "https://examplebucket.s3.amazonaws.com"
PUBLISHED = "2013-05-24 00:00:00"


@pytest.fixture
def store():
    with freeze_time(PUBLISHED):
        example = new_store(buckets=["examplebucket", "johnsmith", "static.johnsmith.net"])
        example["examplebucket"].put("test.txt", b"Welcome to Amazon S3.")
        yield example


def version_4(method, url, signature, names, *fields, body=b"", payload_hash=None):
    authorization = (
        f"AWS4-HMAC-SHA256 Credential={KEY}/20130524/us-east-1/s3/aws4_request,SignedHeaders={names},"
        f"Signature={signature}"
    )
    hashed = payload_hash or hashlib.sha256(body).hexdigest()
    headers = [*fields, ("x-amz-date", "20130524T000000Z"), ("x-amz-content-sha256", hashed)]
    return Request.to_url(method, url, [*headers, ("Authorization", authorization)], body)


VERSION_4 = {
    "GET with a range": version_4(
        "GET",
        f"{BUCKET}/test.txt",
        "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
        "host;range;x-amz-content-sha256;x-amz-date",
        ("Range", "bytes=0-9"),
    ),
    "PUT with a storage class": version_4(
        "PUT",
        f"{BUCKET}/test%24file.text",
        "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
        "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
        ("Date", "Fri, 24 May 2013 00:00:00 GMT"),
        ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
        body=b"Welcome to Amazon S3.",
    ),
    "GET lifecycle": version_4(
        "GET",
        f"{BUCKET}/?lifecycle",
        "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
        "host;x-amz-content-sha256;x-amz-date",
    ),
    "list of objects": version_4(
        "GET",
        f"{BUCKET}/?max-keys=2&prefix=J",
        "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
        "host;x-amz-content-sha256;x-amz-date",
    ),
}


@pytest.mark.parametrize("request_", VERSION_4.values(), ids=VERSION_4)
def test_published_request_of_version_4_is_accepted(store, request_):
    answer = answer_to(store, request_)
    assert answer.account == store.default_account
    assert answer.code in (None, "NoSuchLifecycleConfiguration")


def test_published_presigned_url_is_made_and_accepted(store):
    url = store.presign("GET", "examplebucket", "test.txt", expires_in=86400)
    assert url.endswith("&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404")
    assert answer_to(store, Request.to_url("GET", url)).status == 200


CHUNKS = (
    (65536, "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648"),
    (1024, "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497"),
    (0, "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9"),
)
CHUNKS_BEFORE_TRAILER = (
    (65536, "b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2"),
    (1024, "1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7"),
    (0, "2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992"),
)
TRAILER = (
    b"x-amz-checksum-crc32c:sOO8/Q==\r\n"
    b"x-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n"
)


def chunked_upload(seed, payload_hash, chunks, trailer=b"", fields=()):
    """Return the published upload of 66,560 letters "a" in chunks."""
    headers = {
        "content-encoding": "aws-chunked",
        "x-amz-decoded-content-length": "66560",
        "x-amz-storage-class": "REDUCED_REDUNDANCY",
        **dict(fields),
    }
    body = b"".join(
        b"%x;chunk-signature=%s\r\n" % (size, signature.encode()) + (b"a" * size + b"\r\n" if size else b"")
        for size, signature in chunks
    )
    names = ";".join(sorted([*headers, "host", "x-amz-content-sha256", "x-amz-date"]))
    url = "https://s3.amazonaws.com/examplebucket/chunkObject.txt"
    return version_4(
        "PUT", url, seed, names, *headers.items(), body=body + trailer + b"\r\n", payload_hash=payload_hash
    )


UPLOADS = {
    "signed chunks": chunked_upload(
        "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9",
        "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
        CHUNKS,
        fields={"content-length": "66824"},
    ),
    "signed chunks and trailer": chunked_upload(
        "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e",
        "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER",
        CHUNKS_BEFORE_TRAILER,
        TRAILER,
        {"x-amz-trailer": "x-amz-checksum-crc32c"},
    ),
}


@pytest.mark.parametrize("upload", UPLOADS.values(), ids=UPLOADS)
def test_published_upload_in_chunks_is_stored(store, upload):
    assert answer_to(store, upload).status == 200
    assert store["examplebucket"]["chunkObject.txt"].content == b"a" * 66560


def test_published_upload_of_version_2_with_repeated_metadata_is_accepted():
    date = "Tue, 27 Mar 2007 21:06:08 +0000"
    headers = [
        ("User-Agent", "curl/7.15.5"),
        ("Date", date),
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
        ("Authorization", f"AWS {KEY}:ilyl83RwaSoYIEdixDQcA4OnAnc="),
    ]
    with freeze_time(date):
        store = new_store(buckets=["static.johnsmith.net"])
        open_bucket(store, "static.johnsmith.net")
        url = "http://static.johnsmith.net.s3.amazonaws.com/db-backup.dat.gz"
        answer = answer_to(store, Request.to_url("PUT", url, headers))
    # The content is not published, so the body is empty.
    assert (answer.account, answer.code) == (store.default_account, "IncompleteBody")


def test_published_presigned_url_of_version_2_is_accepted():
    url = (
        f"http://johnsmith.s3.amazonaws.com/photos/puppy.jpg?AWSAccessKeyId={KEY}&Expires=1175139620"
        "&Signature=NpgCjnDzrM%2BWFzoENXmpNDUsSn8%3D"
    )
    with freeze_time("2007-03-28"):
        store = new_store(buckets=["johnsmith"])
        store["johnsmith"].put("photos/puppy.jpg", b"woof")
        assert answer_to(store, Request.to_url("GET", url)).status == 200
