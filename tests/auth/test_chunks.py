"""Bodies in the aws-chunked encoding: decoded, checked if signatures are verified, and refused if malformed."""

from __future__ import annotations

import base64
import hashlib
import zlib
from dataclasses import dataclass, replace
from itertools import pairwise

import pytest
from botocore.auth import S3SigV4Auth
from hypothesis import given
from hypothesis import strategies as st

from fakestore import S3, Claim, HeaderScheme, SignatureComparison, UnsupportedRequest
from fakestore.http import Headers, Request
from tests.support.access import open_bucket
from tests.support.cases import each

from .arrange import CREDENTIALS, KEY, URL, Answer, answer_to, new_store, sign_by, with_headers

SIGNED = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
SIGNED_TRAILER = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"
UNSIGNED_TRAILER = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
ECDSA = ["STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD", "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER"]
KINDS = [SIGNED, SIGNED_TRAILER, UNSIGNED_TRAILER]
CONTENT = bytes(range(256)) * 64
MEOW = base64.b64encode(zlib.crc32(b"meow").to_bytes(4))
TRAILER = b"x-amz-checksum-crc32:" + MEOW + b"\r\n"
EMPTY_HASH = hashlib.sha256(b"").hexdigest()

of_every_kind = pytest.mark.parametrize("kind", KINDS)
of_signed_kinds = pytest.mark.parametrize("kind", [SIGNED, SIGNED_TRAILER])


class ChunkSigner(S3SigV4Auth):
    """Signs an upload in chunks with botocore's keys. botocore itself never signs chunks."""

    def __init__(self, kind: str) -> None:
        super().__init__(CREDENTIALS, "s3", "us-east-1")
        self.kind = kind

    def payload(self, request) -> str:
        return self.kind

    def add_auth(self, request) -> None:
        super().add_auth(request)
        self.request = request

    def sign_part(self, part: str, previous: str, *hashes: str) -> str:
        """Return the signature of a chunk or of the trailing headers."""
        timestamp, scope = self.request.context["timestamp"], self.credential_scope(self.request)
        return self.signature(
            "\n".join([f"AWS4-HMAC-SHA256-{part}", timestamp, scope, previous, *hashes]), self.request
        )


def upload(kind: str, content: bytes = CONTENT, chunk_size: int = 8192) -> Request:
    """Return an upload in chunks whose trailing header, if the kind has one, is the checksum of the content."""
    headers = {"Content-Encoding": "aws-chunked", "x-amz-decoded-content-length": str(len(content))}
    if kind != SIGNED:
        headers["x-amz-trailer"] = "x-amz-checksum-crc32"
    signer = ChunkSigner(kind)
    request = sign_by(signer, "PUT", URL, headers)
    previous, body = request.headers["authorization"].rpartition("=")[2], b""
    for start in [*range(0, len(content), chunk_size), len(content)]:
        chunk = content[start : start + chunk_size]
        body += b"%x" % len(chunk)
        if kind != UNSIGNED_TRAILER:
            previous = signer.sign_part("PAYLOAD", previous, EMPTY_HASH, hashlib.sha256(chunk).hexdigest())
            body += b";chunk-signature=" + previous.encode()
        body += b"\r\n" + (chunk + b"\r\n" if chunk else b"")
    if kind != SIGNED:
        trailer = b"x-amz-checksum-crc32:" + base64.b64encode(zlib.crc32(content).to_bytes(4))
        body += trailer + b"\r\n"
        if kind == SIGNED_TRAILER:
            signature = signer.sign_part("TRAILER", previous, hashlib.sha256(trailer + b"\n").hexdigest())
            body += b"x-amz-trailer-signature:" + signature.encode() + b"\r\n"
    return replace(request, body=body + b"\r\n")


def with_body(request: Request, body: bytes) -> Request:
    return replace(request, body=body)


def refused(store, request: Request) -> Answer:
    """Return the error for a request, which stores nothing."""
    answer = answer_to(store, request)
    assert answer.status in (400, 403, 411)
    assert len(store["photos"]) == 0
    return answer


@pytest.fixture
def accepting():
    return new_store(signatures="accept")


@of_every_kind
@pytest.mark.parametrize("content", [b"", b"meow", CONTENT], ids=len)
def test_chunked_body_is_decoded(store, accepting, kind, content):
    for one in (store, accepting):
        assert answer_to(one, upload(kind, content)).status == 200
        assert one["photos"]["cat.jpg"].content == content


@given(kind=st.sampled_from(KINDS), cuts=st.lists(st.integers(0, 17000)))
def test_chunked_body_may_arrive_in_any_pieces(kind, cuts):
    request = upload(kind)
    places = sorted({0, len(request.body), *(cut for cut in cuts if cut < len(request.body))})
    pieces = [request.body[start:end] for start, end in pairwise(places)]
    store = new_store()
    assert answer_to(store, replace(request, body=iter([b"", *pieces, b""]))).status == 200
    assert store["photos"]["cat.jpg"].content == CONTENT


def test_chunked_body_may_arrive_byte_by_byte(store):
    request = upload(SIGNED_TRAILER)
    assert answer_to(store, replace(request, body=(bytes([byte]) for byte in request.body))).status == 200


@of_signed_kinds
def test_altered_signed_chunk_is_refused_if_verified(store, kind):
    request = upload(kind)
    answer = refused(store, with_body(request, request.body.replace(b"\x01\x02\x03", b"\x03\x02\x01", 1)))
    assert answer.code == "SignatureDoesNotMatch"
    seed = request.headers["authorization"].rpartition("=")[2]
    assert seed not in answer.explanation
    assert seed not in "".join(answer.elements.values())


def test_altered_chunk_is_stored_if_signatures_are_accepted(accepting):
    request = upload(SIGNED, b"meow")
    assert answer_to(accepting, with_body(request, request.body.replace(b"meow", b"woof"))).status == 200
    assert accepting["photos"]["cat.jpg"].content == b"woof"


def test_chunks_in_another_order_are_refused(store):
    request = upload(SIGNED, bytes(8192) + b"a" * 8192)
    size = (len(request.body) - len(b"0;chunk-signature=\r\n\r\n") - 64) // 2
    first, second, rest = request.body[:size], request.body[size : 2 * size], request.body[2 * size :]
    assert refused(store, with_body(request, second + first + rest)).code == "SignatureDoesNotMatch"


def test_altered_signed_trailer_is_refused_if_verified(store):
    request = upload(SIGNED_TRAILER, b"meow")
    changed = with_body(request, request.body.replace(MEOW, b"AAAAAA=="))
    assert refused(store, changed).code == "SignatureDoesNotMatch"


def test_signed_trailer_needs_its_signature(store):
    request = upload(SIGNED_TRAILER)
    body = request.body[: request.body.index(b"x-amz-trailer-signature")] + b"\r\n"
    assert refused(store, with_body(request, body)).code == "MalformedTrailerError"
    of_another_dialect = request.body.replace(b"x-amz-trailer-signature", b"x-evil-trailer-signature")
    assert refused(store, with_body(request, of_another_dialect)).code == "MalformedTrailerError"
    start, checksum, signature, *end = request.body.rsplit(b"\r\n", 4)
    signature_first = b"\r\n".join([start, signature, checksum, *end])
    assert refused(store, with_body(request, signature_first)).code == "MalformedTrailerError"


def test_trailer_after_the_signature_is_explained(store):
    request = upload(SIGNED_TRAILER)
    body = request.body.removesuffix(b"\r\n") + b"x-amz-meta-a:b\r\n\r\n"
    assert "'x-amz-meta-a:b' is not valid here" in refused(store, with_body(request, body)).explanation


def test_chunk_without_its_signature_is_refused_if_verified(store, accepting):
    request = with_body(upload(SIGNED, b"meow"), b"4\r\nmeow\r\n0\r\n\r\n")
    assert refused(store, request).code == "IncompleteBody"
    assert answer_to(accepting, request).status == 200


def test_small_chunk_before_another_is_refused(store):
    for size in (100, 8191):
        answer = refused(store, upload(UNSIGNED_TRAILER, b"a" * (size + 1), chunk_size=size))
        assert (answer.code, answer.elements) == ("InvalidChunkSizeError", {"Chunk": "1", "BadChunkSize": str(size)})


@pytest.mark.parametrize("length", [None, "", "-1", "four"])
def test_declared_length_is_required(accepting, length):
    request = with_headers(upload(UNSIGNED_TRAILER), {"x-amz-decoded-content-length": length})
    assert refused(accepting, request).code == "MissingContentLength"


@pytest.mark.parametrize("declared", ["3", "5"])
def test_content_of_another_length_than_declared_is_refused(accepting, declared):
    request = with_headers(upload(UNSIGNED_TRAILER, b"meow"), {"x-amz-decoded-content-length": declared})
    assert refused(accepting, request).code == "IncompleteBody"


def test_too_much_content_is_refused_before_it_is_read(accepting):
    pieces = iter([b"ffff\r\n", b"meow", b"more"])
    refused(accepting, replace(upload(UNSIGNED_TRAILER, b"meow"), body=pieces))
    assert next(pieces) == b"meow"


MALFORMED_BODIES = [
    b"",
    b"4",
    b"4\r\nmeo",
    b"4\r\nmeow\r\n0\r\n",
    b"4\r\nmeow!\r\n0\r\n\r\n",
    b"3\r\nmeow\r\n0\r\n\r\n",
    b"-4\r\nmeow\r\n0\r\n\r\n",
    b"0x4\r\nmeow\r\n0\r\n\r\n",
    b"4 \r\nmeow\r\n0\r\n\r\n",
    b"4;chunk-signature=1\r\nmeow\r\n0\r\n\r\n",
    b"4\nmeow\n0\n\n",
    b"4\r\nmeow\r\n0\r\n" + TRAILER + b"\r\nmore",
    b"f" * 16 + b"\r\nmeow",
    b"f" * 15 + b"\r\nmeow",
    b"4" * 100_000,
]
MALFORMED_TRAILERS = [
    b"",
    b"x-amz-checksum-crc32\r\n",
    b"x-amz-checksum-crc32 :a\r\n",
    b"x-amz-checksum-sha1:a\r\n",
    b"x-amz-checksum-crc32:a\r\nx-amz-checksum-crc32:b\r\n",
    b"x-amz-checksum-crc32:a\r\nx-amz-meta-a:b\r\n",
    b"x-amz-trailer-signature:a\r\nx-amz-checksum-crc32:a\r\n",
    b"a:b\r\n" * 100,
]


def test_malformed_chunks_are_incomplete_bodies(store):
    request = upload(UNSIGNED_TRAILER, b"meow")
    for body in MALFORMED_BODIES:
        for case in each(body, iter([body]), (bytes([byte]) for byte in body[:2000])):
            with case as sent:
                assert refused(store, replace(request, body=sent)).code == "IncompleteBody", body[:40]


def test_a_line_between_chunks_has_at_most_1024_bytes(accepting):
    request = upload(UNSIGNED_TRAILER, b"meow")
    for size, code in [(1025, "IncompleteBody"), (1024, None)]:
        body = b"4\r\nmeow\r\n0\r\n" + TRAILER.strip().ljust(size) + b"\r\n\r\n"
        assert answer_to(accepting, with_body(request, body)).code == code


def test_malformed_trailers_are_refused(store):
    request = upload(UNSIGNED_TRAILER, b"meow")
    for case in each(*MALFORMED_TRAILERS):
        with case as trailer:
            body = b"4\r\nmeow\r\n0\r\n" + trailer + b"\r\n"
            assert refused(store, with_body(request, body)).code == "MalformedTrailerError", trailer[:40]


class FramedBody:
    """A body in a vendor's encoding: the content, a vertical bar, and the value of a trailing checksum."""

    def __init__(self, body: bytes) -> None:
        self.content, self.checksum = body.split(b"|")
        self.trailers = Headers()

    def __iter__(self):
        yield self.content
        self.trailers = Headers({"x-amz-checksum-crc32": self.checksum.decode()})


class FramedPayload:
    decoded_length = 4

    def decode(self, body):
        return FramedBody(body)


@dataclass(frozen=True)
class VendorClaim(Claim):
    def compare(self, account):
        return SignatureComparison(account, self.received, "right", None)

    def payload(self, comparison):
        return FramedPayload()


class VendorHeader(HeaderScheme):
    name = "an Authorization header of the vendor"

    def authorization_word(self, scheme_word):
        return "VND"

    def read(self, request, address, settings):
        return VendorClaim(KEY, request.headers["authorization"].removeprefix("VND "))


def test_a_scheme_can_decode_a_body_with_trailing_headers():
    store = new_store(dialect=replace(S3, auth=(VendorHeader(),)))
    headers = {"Authorization": "VND right", "x-amz-trailer": "x-amz-checksum-crc32"}
    request = Request.to_url("PUT", URL, headers, b"meow|" + MEOW)
    assert answer_to(store, request).status == 200
    assert store["photos"]["cat.jpg"].content == b"meow"
    assert answer_to(store, with_body(request, b"purr|" + MEOW)).code == "BadDigest"


WILD = st.one_of(
    st.sampled_from([b"", b"\r\n", b"\r", b";", b"0", b"f", b"\x00", b":", b"a" * 2000]), st.binary(max_size=8)
)


@given(data=st.data(), kind=st.sampled_from(KINDS), signatures=st.sampled_from(["verify", "accept"]))
def test_malformed_bodies_are_answered_with_an_error(data, kind, signatures):
    request = upload(kind, b"meow")
    start = data.draw(st.integers(0, len(request.body)))
    end = data.draw(st.integers(start, min(len(request.body), start + 8)))
    body = request.body[:start] + data.draw(WILD) + request.body[end:]
    store = new_store(signatures=signatures)
    answer = answer_to(store, with_body(request, body))
    assert answer.status in (200, 400, 403)
    assert len(store["photos"]) == (answer.status == 200)
    if answer.status == 200 and signatures == "verify" and kind != UNSIGNED_TRAILER:
        assert store["photos"]["cat.jpg"].content == b"meow"


def test_anonymous_and_unsigned_bodies_may_be_chunked(store):
    open_bucket(store).acl = "public-read-write"
    headers = {"Content-Encoding": "aws-chunked,gzip", "x-amz-decoded-content-length": "4"}
    assert answer_to(store, Request.to_url("PUT", URL, headers, b"4\r\nmeow\r\n0\r\n\r\n")).status == 200
    assert store["photos"]["cat.jpg"].content == b"meow"


@pytest.mark.decision("content-sha256-values")
@pytest.mark.parametrize("signatures", ["verify", "accept"])
def test_only_objects_and_parts_may_be_sent_in_chunks(signatures):
    store = new_store(signatures=signatures)
    tagging = b"<Tagging><TagSet/></Tagging>"
    for case in each(
        ("PUT", "?tagging", tagging, {}),
        ("PUT", "/k?acl", b"", {"x-amz-acl": "bucket-owner-full-control"}),
        ("GET", "/k", b"", {}),
        ("GET", "", b"", {}),
        ("HEAD", "/k", b"", {}),
        ("DELETE", "/k", b"", {}),
        ("POST", "/k?uploads", b"", {}),
        ("PUT", "/copy", b"", {"x-amz-copy-source": "photos/k"}),
    ):
        with case as (method, target, body, headers):
            for kind in [*KINDS, *ECDSA]:
                request = sign_by(ChunkSigner(kind), method, store.url("photos") + target, headers, body)
                answer = answer_to(store, request)
                assert (answer.status, answer.code) == (400, "InvalidRequest")
                if method != "HEAD":
                    assert answer.message == "The value of x-amz-content-sha256 header is invalid."
    for kind in ECDSA:
        with pytest.raises(UnsupportedRequest, match="signature version 4A"):
            store.handle(sign_by(ChunkSigner(kind), "PUT", URL, {}, b"meow"))


@pytest.mark.decision("order-of-checks")
@pytest.mark.decision("unexpected-body")
def test_a_malformed_body_in_chunks_is_refused_only_when_it_is_read(store):
    private, public = store.create_bucket("private"), open_bucket(store)
    public.acl, chunked = "public-read-write", {"Content-Encoding": "aws-chunked"}
    public.put("cat.jpg", acl="public-read")
    for headers, code in [({}, "MissingContentLength"), ({"x-amz-decoded-content-length": "4"}, "IncompleteBody")]:
        for bucket, expected in ((private, "AccessDenied"), (public, code)):
            request = Request.to_url("PUT", store.url(bucket.name, "k"), chunked | headers, b"meow")
            assert answer_to(store, request).code == expected
    for method in ("GET", "HEAD"):
        request = Request.to_url(method, store.url(public.name, "cat.jpg"), chunked | {"Content-Length": "4"}, b"meow")
        assert answer_to(store, request).status == 200


@pytest.mark.decision("content-sha256-values")
def test_anonymous_requests_cannot_sign_chunks(store):
    open_bucket(store).acl = "public-read-write"
    length = {"x-amz-decoded-content-length": "4", "Content-Encoding": "aws-chunked", "Content-Length": "14"}
    for kind in [SIGNED, SIGNED_TRAILER, *ECDSA]:
        for method, url in (("PUT", URL), ("GET", URL), ("PUT", f"{URL}?tagging")):
            headers = {"x-amz-content-sha256": kind} | (length if method == "PUT" else {})
            answer = answer_to(store, Request.to_url(method, url, headers, b"4\r\nmeow\r\n0\r\n\r\n"))
            assert (answer.status, answer.code) == (400, "InvalidRequest")
            assert answer.message == (
                "Anonymous requests don't support this x-amz-content-sha256 value. Please use UNSIGNED-PAYLOAD or"
                " STREAMING-UNSIGNED-PAYLOAD-TRAILER."
            )
    headers = {"x-amz-content-sha256": UNSIGNED_TRAILER}
    answer = answer_to(store, Request.to_url("GET", URL, headers))
    assert answer.message == "The value of x-amz-content-sha256 header is invalid."
    answer = answer_to(store, Request.to_url("PUT", URL, headers | length, b"4\r\nmeow\r\n0\r\n\r\n"))
    assert (answer.status, store["photos"]["cat.jpg"].content) == (200, b"meow")


def test_aws_chunked_is_an_ordinary_encoding_in_other_dialects():
    store = new_store(dialect="document", signatures="accept")
    headers = {"Authorization": f"SVC {KEY}:a", "Date": "Sat, 21 Nov 2026 12:00:00 GMT"}
    request = Request.to_url("PUT", store.url("photos", "cat.jpg"), headers, b"4\r\nmeow\r\n0\r\n\r\n")
    assert answer_to(store, with_headers(request, {"Content-Encoding": "aws-chunked"})).status == 200
    assert store["photos"]["cat.jpg"].content == b"4\r\nmeow\r\n0\r\n\r\n"
