"""Hostile requests of the dialect S3: uploads, tags, checksums, encryption, attributes, signatures and chunked bodies.

The id of the unfinished upload is written `UPLOAD` in targets; `S3Judge` replaces it by the real one.
"""

from __future__ import annotations

import base64
import hashlib
import random
import time
import zlib
from dataclasses import replace
from urllib.parse import quote

from hypothesis import strategies as st

from fakestore.http import Headers, Request
from tests.trust.hostility import (
    ACLS,
    COPYING,
    LISTING,
    READING,
    WRITING,
    Judge,
    damaged_documents,
    hostile_requests,
    hostile_store,
    hostile_values,
    request_of,
)

PHOTOS = "photos.objects.test"


def base64_of(raw):
    return base64.b64encode(raw).decode()


def crc32(content):
    return base64_of(zlib.crc32(content).to_bytes(4, "big"))


CUSTOMER_KEY = {
    "x-svc-server-side-encryption-customer-algorithm": "AES256",
    "x-svc-server-side-encryption-customer-key": base64_of(b"k" * 32),
    "x-svc-server-side-encryption-customer-key-md5": base64_of(hashlib.md5(b"k" * 32).digest()),
}
SOURCE_KEY = {name.replace("x-svc-", "x-svc-copy-source-"): value for name, value in CUSTOMER_KEY.items()}
WITH_CRC32 = {"x-svc-checksum-algorithm": "CRC32"}
PART = b"part"
COMPLETE = (
    f'<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"{hashlib.md5(PART).hexdigest()}"</ETag>'
    f"<ChecksumCRC32>{crc32(PART)}</ChecksumCRC32></Part></CompleteMultipartUpload>"
).encode()


def s3_request(method, target, headers=(), body=b""):
    return request_of(method, PHOTOS, target, dict(headers).items(), body, dialect="s3")


class S3Judge(Judge):
    """A judge of a store that speaks S3. It also holds encrypted and archived objects, one in parts, and an upload."""

    def __init__(self):
        store = hostile_store("s3")
        for bucket in store.buckets.values():
            bucket.blocked_encryption = "NONE"
        for key in ("/parts", "/upload"):
            reply = store.handle(s3_request("POST", f"{key}?uploads", WITH_CRC32))
            self.upload = reply.body.decode().partition("<UploadId>")[2].partition("<")[0]
            query = f"uploadId={self.upload}"
            checksum = {"x-svc-checksum-crc32": crc32(PART)}
            part = s3_request("PUT", f"{key}?{query}&partNumber=1", checksum, PART)
            assert store.handle(part).status == 200
            if key == "/parts":
                assert store.handle(s3_request("POST", f"{key}?{query}", (), COMPLETE)).status == 200
        for key, headers in (("/secret", CUSTOMER_KEY), ("/archived", {"x-svc-storage-class": "GLACIER"})):
            assert store.handle(s3_request("PUT", key, headers, b"content")).status == 200
        super().__init__(store)

    def handle(self, request):
        return super().handle(replace(request, target=request.target.replace("UPLOAD", self.upload)))


# -- requests

CHECKSUMS = [
    *("x-svc-checksum-crc32", "x-svc-checksum-crc32c", "x-svc-checksum-crc64nvme", "x-svc-checksum-sha1"),
    *("x-svc-checksum-sha256", "x-svc-checksum-algorithm", "x-svc-checksum-type", "x-svc-sdk-checksum-algorithm"),
]
ENCRYPTION = [
    "x-svc-server-side-encryption",
    "x-svc-server-side-encryption-aws-kms-key-id",
    "x-svc-server-side-encryption-bucket-key-enabled",
    *CUSTOMER_KEY,
]
OF_NEW_OBJECTS = ["x-svc-tagging", "x-svc-website-redirect-location", *ENCRYPTION]
OF_EVERY_REQUEST = ["x-svc-expected-bucket-owner", "x-svc-request-payer", "x-svc-content-sha256", "x-svc-date"]
SOURCES = ["x-svc-copy-source", "x-svc-tagging-directive", "x-svc-source-expected-bucket-owner", *SOURCE_KEY]
CONDITIONS = ["If-Match", "If-None-Match", "x-svc-if-match-last-modified-time", "x-svc-if-match-size"]
OVERRIDES = [
    f"response-{name}" for name in ("cache-control", "content-disposition", "content-encoding", "content-type")
] + ["response-content-language", "response-expires"]
#: Method, path, subresource, and the parameters and headers that mean something there.
S3_SHAPES = [
    ("PUT", "/k", "", [], [*CHECKSUMS, *OF_NEW_OBJECTS, *OF_EVERY_REQUEST]),
    ("PUT", "/k", "", [], [*WRITING, *CHECKSUMS, *OF_NEW_OBJECTS]),
    ("PUT", "/copy", "", [], [*COPYING, *SOURCES, *OF_NEW_OBJECTS, "x-svc-checksum-algorithm"]),
    ("GET", "/parts", "", ["versionId", "partNumber", *OVERRIDES], [*READING, "If-Range", "x-svc-checksum-mode"]),
    ("HEAD", "/secret", "", ["versionId", "partNumber"], [*CUSTOMER_KEY, *OF_EVERY_REQUEST]),
    ("GET", "/secret", "", ["partNumber", *OVERRIDES], [*CUSTOMER_KEY, "x-svc-checksum-mode"]),
    (
        *("GET", "/parts", "attributes", ["versionId"]),
        ["x-svc-object-attributes", "x-svc-max-parts", "x-svc-part-number-marker", *CUSTOMER_KEY],
    ),
    ("DELETE", "/k", "", ["versionId"], CONDITIONS),
    ("GET", "/k", "tagging", ["versionId"], OF_EVERY_REQUEST),
    ("PUT", "/k", "tagging", ["versionId"], [*CHECKSUMS, "Content-MD5"]),
    ("DELETE", "/k", "tagging", ["versionId"], []),
    ("PUT", "/", "tagging", [], [*CHECKSUMS, "Content-MD5"]),
    ("PUT", "/k", "acl", ["versionId"], ACLS),
    ("POST", "/archived", "restore", ["versionId"], CHECKSUMS),
    ("POST", "/k", "uploads", [], [*CHECKSUMS, *OF_NEW_OBJECTS, *ACLS, "x-svc-storage-class", "Expires"]),
    ("PUT", "/upload", "uploadId=UPLOAD&partNumber=2", [], [*CHECKSUMS, *CUSTOMER_KEY, "Content-MD5"]),
    ("PUT", "/upload", "uploadId=UPLOAD", ["partNumber"], []),
    ("PUT", "/upload", "uploadId=UPLOAD&partNumber=2", [], [*COPYING[1:3], *SOURCES, "x-svc-copy-source-range"]),
    ("PUT", "/upload", "partNumber=2", ["uploadId"], ["x-svc-checksum-crc32"]),
    ("POST", "/upload", "uploadId=UPLOAD", [], ["x-svc-mp-object-size", *CHECKSUMS, *CUSTOMER_KEY, *CONDITIONS[:2]]),
    ("POST", "/upload", "", ["uploadId"], []),
    ("GET", "/upload", "uploadId=UPLOAD", ["max-parts", "part-number-marker"], OF_EVERY_REQUEST),
    ("DELETE", "/upload", "", ["uploadId"], []),
    ("GET", "/", "uploads", [*LISTING[:2], "max-uploads", "key-marker", "upload-id-marker", "encoding-type"], []),
]
#: The headers that only this dialect has, or that mean more in it.
S3_HEADERS = [
    *dict.fromkeys([*CHECKSUMS, *OF_NEW_OBJECTS, *OF_EVERY_REQUEST, *SOURCES, *CONDITIONS, *CUSTOMER_KEY]),
    *("x-svc-checksum-mode", "If-Range", "x-svc-object-attributes", "x-svc-max-parts", "x-svc-part-number-marker"),
    *("x-svc-copy-source-range", "x-svc-mp-object-size"),
]


def request_with(header, value):
    """Return one of the requests in which a header means something."""
    method, path, subresource, _, names = random.choice([shape for shape in S3_SHAPES if header in shape[4]])
    target = f"{path}?{subresource}" if subresource else path
    headers = {"x-svc-copy-source": "/photos/k"} if "x-svc-copy-source-if-match" in names else {}
    return s3_request(method, target, headers | {header: value}, COMPLETE if method == "POST" else b"")


S3_DOCUMENTS = [
    COMPLETE,
    b"<Tagging><TagSet><Tag><Key>colour</Key><Value>red</Value></Tag></TagSet></Tagging>",
    b"<LifecycleConfiguration><Rule><ID>x</ID><Filter><And><Prefix>a</Prefix><Tag><Key>a</Key><Value>b</Value></Tag>"
    b"</And></Filter><Status>Enabled</Status><Expiration><Days>1</Days></Expiration></Rule></LifecycleConfiguration>",
    b"<LifecycleConfiguration><Rule><Filter/><Status>Enabled</Status><AbortIncompleteMultipartUpload>"
    b"<DaysAfterInitiation>3</DaysAfterInitiation></AbortIncompleteMultipartUpload></Rule></LifecycleConfiguration>",
    b"<CreateBucketConfiguration><LocationConstraint>eu-west-1</LocationConstraint><Tags><Tag><Key>a</Key>"
    b"<Value>b</Value></Tag></Tags></CreateBucketConfiguration>",
    b"<RequestPaymentConfiguration><Payer>Requester</Payer></RequestPaymentConfiguration>",
    b"<RestoreRequest><Days>1</Days><GlacierJobParameters><Tier>Bulk</Tier></GlacierJobParameters></RestoreRequest>",
]
_PART = "<Part><PartNumber>{}</PartNumber><ETag>x</ETag></Part>"
_TAG = "<Tag><Key>{}</Key><Value>v</Value></Tag>"
S3_BOMBS = {
    "many parts": f"<CompleteMultipartUpload>{_PART.format(1) * 50_000}</CompleteMultipartUpload>",
    "long number": f"<CompleteMultipartUpload>{_PART.format('9' * 5000)}</CompleteMultipartUpload>",
    "many tags": f"<Tagging><TagSet>{_TAG.format('k') * 20_000}</TagSet></Tagging>",
    "long tag": f"<Tagging><TagSet>{_TAG.format('k' * 1_000_000)}</TagSet></Tagging>",
    "many sets of tags": f"<Tagging>{'<TagSet/>' * 50_000}</Tagging>",
}
s3_bodies = st.just(b"") | damaged_documents(tuple(S3_DOCUMENTS)) | st.binary(max_size=200)
#: The routes that read a document only in this dialect, or one that says more in it.
S3_ROUTES = [
    ("POST", PHOTOS, "/upload?uploadId=UPLOAD"),
    ("PUT", PHOTOS, "/k?tagging"),
    ("PUT", PHOTOS, "/?tagging"),
    ("PUT", PHOTOS, "/?lifecycle"),
    ("PUT", "fresh.objects.test", "/"),
    ("PUT", PHOTOS, "/?requestPayment"),
    ("POST", PHOTOS, "/archived?restore"),
]

# -- signatures and chunked bodies

SIGNATURE = "0123456789abcdef" * 4
UNSIGNED, SIGNED = "STREAMING-UNSIGNED-PAYLOAD-TRAILER", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
#: Bodies of aws-chunked whose content is `content`.
CHUNKED = {
    UNSIGNED: b"7\r\ncontent\r\n0\r\nx-amz-checksum-crc32:%s\r\n\r\n" % crc32(b"content").encode(),
    SIGNED: b"7;chunk-signature=%s\r\ncontent\r\n0;chunk-signature=%s\r\n\r\n" % ((SIGNATURE.encode(),) * 2),
    SIGNED + "-TRAILER": b"7;chunk-signature=%s\r\ncontent\r\n0;chunk-signature=%s\r\n"
    b"x-amz-checksum-crc32:%s\r\nx-amz-trailer-signature:%s\r\n\r\n"
    % (*(SIGNATURE.encode(),) * 2, crc32(b"content").encode(), SIGNATURE.encode()),
}
CRAFTED_CHUNKS = {
    "no end": b"7\r\ncontent\r\n",
    "no line": b"7" * 100_000,
    "size of 400 digits": b"f" * 400 + b"\r\ncontent\r\n0\r\n\r\n",
    "negative size": b"-7\r\ncontent\r\n0\r\n\r\n",
    "size of an exabyte": b"fffffffffffffff\r\ncontent\r\n0\r\n\r\n",
    "size that is too small": b"6\r\ncontent\r\n0\r\n\r\n",
    "small chunks": b"1\r\nc\r\n" * 7 + b"0\r\n\r\n",
    "more behind the end": CHUNKED[UNSIGNED] + b"7\r\ncontent\r\n",
    "10,000 trailers": b"7\r\ncontent\r\n0\r\n" + b"x-amz-checksum-crc32:AAAAAA==\r\n" * 10_000 + b"\r\n",
    "long trailer": b"7\r\ncontent\r\n0\r\nx-amz-checksum-crc32:" + b"A" * 100_000 + b"\r\n\r\n",
    "trailer of bytes": b"7\r\ncontent\r\n0\r\n\xff\0:\xfe\r\n\r\n",
    "unknown trailer": b"7\r\ncontent\r\n0\r\nx-amz-meta-colour:red\r\n\r\n",
    "doubled trailer": b"7\r\ncontent\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n",
    "long extension": b"7;chunk-signature=" + b"0" * 100_000 + b"\r\ncontent\r\n0\r\n\r\n",
    "line ends of one byte": b"7\ncontent\n0\n\n",
    "nothing": b"",
}


def now(form="%Y%m%dT%H%M%SZ"):
    return time.strftime(form, time.gmtime())


def version_4():
    """Return the Authorization header of version 4. The signature is not checked unless the store verifies."""
    scope = f"AK/{now('%Y%m%d')}/us-east-1/s3/aws4_request"
    return f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host;x-amz-date, Signature={SIGNATURE}"


def presigned_4():
    return {
        "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
        "X-Amz-Credential": f"AK/{now('%Y%m%d')}/us-east-1/s3/aws4_request",
        "X-Amz-Date": now(),
        "X-Amz-Expires": "600",
        "X-Amz-SignedHeaders": "host",
        "X-Amz-Signature": SIGNATURE,
    }


def presigned_2():
    return {"AWSAccessKeyId": "AK", "Expires": str(int(time.time()) + 600), "Signature": "c2ln"}


def version_4_request(method, target, headers=(), body=b"", *, authorization=None):
    """Return a request that is signed in version 4. An explicit header replaces the one it would have."""
    fields = {
        "Authorization": authorization or version_4(),
        "x-amz-date": now(),
        "x-amz-content-sha256": "UNSIGNED-PAYLOAD",
    }
    if body:
        fields["Content-Length"] = str(len(body))
    return Request(method, "http", PHOTOS, target, Headers({**fields, **dict(headers)}.items()), body)


def chunked_request(payload, body, headers=()):
    fields = {"x-amz-content-sha256": payload, "x-amz-decoded-content-length": "7", "Content-Encoding": "aws-chunked"}
    if payload.endswith("TRAILER"):
        fields["x-amz-trailer"] = "x-amz-checksum-crc32"
    return version_4_request("PUT", "/chunked", {**fields, **dict(headers)}, body)


@st.composite
def hostile_signatures(draw):
    """Draw a request that is signed as only S3 allows, with damage to its signature, or none."""
    kind = draw(st.sampled_from(["header", "header", "query of version 4", "query of version 2"]))
    method, target = draw(st.sampled_from([("GET", "/k"), ("PUT", "/new"), ("GET", "/?uploads"), ("DELETE", "/k")]))
    if kind == "header":
        authorization = draw(damaged_documents((version_4().encode(),))).decode("latin-1")
        names = st.sampled_from(["x-amz-date", "x-amz-content-sha256", "x-amz-security-token", "Date", "Host"])
        headers = draw(st.dictionaries(names, hostile_values, max_size=2))
        return version_4_request(method, target, headers, authorization=authorization)
    pairs = list((presigned_4() if kind == "query of version 4" else presigned_2()).items())
    place = draw(st.integers(0, len(pairs) - 1))
    name, value = pairs[place]
    damages = [[], [(name, draw(hostile_values))], [(name, value)] * 2, [(name.lower(), value)], [(name, value + "0")]]
    pairs[place : place + 1] = draw(st.sampled_from(damages))
    query = "&".join(f"{name}={quote(value, safe='', errors='replace')}" for name, value in pairs)
    target = f"{target}{'&' if '?' in target else '?'}{query}"
    return request_of(method, PHOTOS, target, signed=False, dialect="s3")


@st.composite
def hostile_chunks(draw):
    """Draw a request whose body is aws-chunked, with damage to the body or to a header that describes it."""
    payload = draw(st.sampled_from(list(CHUNKED)))
    body = draw(damaged_documents((CHUNKED[payload],)))
    names = ["x-amz-decoded-content-length", "x-amz-trailer", "x-amz-content-sha256", "Content-Encoding"]
    headers = draw(
        st.just({}) | st.dictionaries(st.sampled_from([*names, "Content-Length"]), hostile_values, max_size=1)
    )
    return chunked_request(payload, body, headers)


hostile_s3_requests = hostile_requests(tuple(S3_SHAPES), s3_bodies, "s3") | hostile_signatures() | hostile_chunks()
