"""Bodies in the aws-chunked encoding: decoded, checked if signatures are verified, and refused if malformed."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakestore.http import Headers, Request
from fakestore.model.errors import ErrorResponse
from fakestore.protocol.auth.aws_chunked import (
    SIGNED,
    SIGNED_TRAILER,
    UNSIGNED_TRAILER,
    ChunkedPayload,
    unsigned_payload,
    without_aws_chunked,
)
from fakestore.protocol.auth.encoding import with_headers
from fakestore.protocol.auth.payload import trailers_of
from fakestore.protocol.auth.signing_key import hmac_sha256
from fakestore.protocol.auth.v4 import Version4Header

from .arrange import ACCEPT, KEY, NOW, VERIFY, accounts, authenticate, read_address, status_of

ACCOUNT = accounts().by_access_key(KEY)
CONTENT = bytes(range(256)) * 64
TRAILERS = (("x-amz-checksum-crc32", "AAAAAA=="),)
of_every_kind = pytest.mark.parametrize("kind", [SIGNED, SIGNED_TRAILER, UNSIGNED_TRAILER])


def upload(kind: str, content: bytes = CONTENT, trailers=TRAILERS, chunk_size: int = 8192) -> Request:
    """Return an upload in chunks, signed with the decoder's own key; published examples check that key elsewhere."""
    headers = {
        "Content-Encoding": "aws-chunked",
        "x-amz-content-sha256": kind,
        "x-amz-decoded-content-length": str(len(content)),
    }
    if kind != SIGNED and trailers:
        headers["x-amz-trailer"] = ",".join(name for name, _ in trailers)
    request = Request.to_url("PUT", "https://s3.amazonaws.com/photos/cat.jpg", headers)
    request = with_headers(request, Version4Header().sign(request, read_address(request), ACCOUNT, NOW, VERIFY))
    return replace(request, body=encode(request, kind, content, trailers, chunk_size))


def encode(request: Request, kind: str, content: bytes, trailers, chunk_size: int) -> bytes:
    signer = authenticate(request).payload.signer
    previous = signer.seed if signer else ""
    body = b""
    for start in [*range(0, len(content), chunk_size), len(content)]:
        chunk = content[start : start + chunk_size]
        body += b"%x" % len(chunk)
        if signer:
            text = signer.chunk_text(previous, hashlib.sha256(chunk).hexdigest())
            previous = hmac_sha256(signer.key, text).hex()
            body += b";chunk-signature=" + previous.encode()
        body += b"\r\n" + (chunk + b"\r\n" if chunk else b"")
    if kind != SIGNED:
        lines = [f"{name}:{value}".encode() for name, value in trailers]
        if kind == SIGNED_TRAILER:
            text = signer.trailer_text(previous, b"".join(line + b"\n" for line in lines))
            lines.append(b"x-amz-trailer-signature:" + hmac_sha256(signer.key, text).hex().encode())
        body += b"".join(line + b"\r\n" for line in lines)
    return body + b"\r\n"


def read(request: Request, rules=VERIFY, pieces=None) -> tuple[bytes, Headers]:
    body = authenticate(request, rules).payload.decode(request.body if pieces is None else pieces)
    return b"".join(body), trailers_of(body)


def refused(request: Request, rules=VERIFY) -> ErrorResponse:
    with pytest.raises(ErrorResponse) as caught:
        read(request, rules)
    return caught.value


@of_every_kind
@pytest.mark.parametrize("rules", [VERIFY, ACCEPT], ids=["verify", "accept"])
@pytest.mark.parametrize("content", [b"", b"meow", CONTENT], ids=len)
def test_chunked_body_is_decoded(kind, rules, content):
    decoded, trailers = read(upload(kind, content), rules)
    assert decoded == content
    assert trailers == ({} if kind == SIGNED else dict(TRAILERS))


@settings(deadline=None)
@given(kind=st.sampled_from([SIGNED, SIGNED_TRAILER, UNSIGNED_TRAILER]), cuts=st.lists(st.integers(0, 17000)))
def test_chunked_body_may_arrive_in_any_pieces(kind, cuts):
    request = upload(kind)
    places = sorted({0, len(request.body), *(cut for cut in cuts if cut < len(request.body))})
    pieces = [request.body[start:end] for start, end in pairwise(places)]
    assert read(request, pieces=iter([b"", *pieces, b""]))[0] == CONTENT


def test_chunked_body_may_arrive_byte_by_byte():
    request = upload(SIGNED_TRAILER)
    assert read(request, pieces=(bytes([byte]) for byte in request.body))[0] == CONTENT


@pytest.mark.parametrize("kind", [SIGNED, SIGNED_TRAILER])
def test_altered_signed_chunk_is_refused_if_verified(kind):
    request = upload(kind)
    changed = replace(request, body=request.body.replace(b"\x01\x02\x03", b"\x03\x02\x01", 1))
    error = refused(changed)
    assert error.error.code == "SignatureDoesNotMatch"
    seed = request.headers["authorization"].rpartition("=")[2]
    assert seed not in error.explanation
    assert seed not in "".join(error.elements.values())
    assert read(changed, ACCEPT)


def test_chunks_in_another_order_are_refused():
    request = upload(SIGNED, bytes(8192) + b"a" * 8192)
    size = (len(request.body) - len(b"0;chunk-signature=\r\n\r\n") - 64) // 2
    first, second, rest = request.body[:size], request.body[size : 2 * size], request.body[2 * size :]
    assert refused(replace(request, body=second + first + rest)).error.code == "SignatureDoesNotMatch"


def test_altered_signed_trailer_is_refused_if_verified():
    request = upload(SIGNED_TRAILER)
    changed = replace(request, body=request.body.replace(b"AAAAAA==", b"BBBBBB=="))
    assert refused(changed).error.code == "SignatureDoesNotMatch"
    assert read(changed, ACCEPT)[1] == {"x-amz-checksum-crc32": "BBBBBB=="}


def test_chunk_without_its_signature_is_refused_if_verified():
    request = upload(SIGNED, b"meow")
    body = b"4\r\nmeow\r\n0\r\n\r\n"
    assert refused(replace(request, body=body)).error.code == "IncompleteBody"
    assert read(replace(request, body=body), ACCEPT)[0] == b"meow"


def test_unsigned_chunks_need_no_signature_if_verified():
    request = upload(UNSIGNED_TRAILER, b"meow")
    body = b"4\r\nmeow\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n"
    assert read(replace(request, body=body))[0] == b"meow"


def test_small_chunk_before_another_is_refused():
    error = refused(upload(UNSIGNED_TRAILER, b"a" * 200, chunk_size=100))
    assert (error.error.code, error.elements) == ("InvalidChunkSizeError", {"Chunk": "1", "BadChunkSize": "100"})


@pytest.mark.parametrize("declared", ["3", "5"])
def test_content_of_another_length_than_declared_is_refused(declared):
    payload = ChunkedPayload(int(declared))
    with pytest.raises(ErrorResponse, match="IncompleteBody"):
        list(payload.decode(b"4\r\nmeow\r\n0\r\n\r\n"))


def test_too_much_content_is_refused_before_it_is_read():
    content = iter(ChunkedPayload(3).decode([b"4\r\n", b"meow"]))
    with pytest.raises(ErrorResponse, match="IncompleteBody"):
        next(content)


@pytest.mark.parametrize("length", [None, "", "-1", "four"])
def test_declared_length_is_required(length):
    fields = {"Content-Encoding": "aws-chunked"} | ({} if length is None else {"x-amz-decoded-content-length": length})
    request = Request.to_url("PUT", "https://s3.amazonaws.com/photos/cat.jpg", fields)
    with pytest.raises(ErrorResponse, match="MissingContentLength"):
        unsigned_payload(request, VERIFY)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"4",
        b"4\r\n",
        b"4\r\nmeo",
        b"4\r\nmeow",
        b"4\r\nmeow\r\n",
        b"4\r\nmeow\r\n0\r\n",
        b"4\r\nmeow!\r\n0\r\n\r\n",
        b"3\r\nmeow\r\n0\r\n\r\n",
        b"-4\r\nmeow\r\n0\r\n\r\n",
        b"0x4\r\nmeow\r\n0\r\n\r\n",
        b"4 \r\nmeow\r\n0\r\n\r\n",
        b"4;chunk-signature=1\r\nmeow\r\n0\r\n\r\n",
        b"4\nmeow\n0\n\n",
        b"meow",
        b"4\r\nmeow\r\n0\r\n\r\nmore",
        b"f" * 16 + b"\r\nmeow",
        b"f" * 15 + b"\r\nmeow",
        b"4" * 100_000,
    ],
    ids=lambda body: repr(body[:24]),
)
def test_malformed_chunks_are_incomplete_bodies(body):
    for pieces in (body, [body], (bytes([byte]) for byte in body)):
        with pytest.raises(ErrorResponse, match="IncompleteBody"):
            list(ChunkedPayload(4).decode(pieces))


@pytest.mark.parametrize(
    "trailer",
    [
        b"",
        b"x-amz-checksum-crc32\r\n",
        b"x-amz-checksum-crc32 :a\r\n",
        b"x-amz-checksum-sha1:a\r\n",
        b"x-amz-checksum-crc32:a\r\nx-amz-checksum-crc32:b\r\n",
        b"x-amz-checksum-crc32:a\r\nx-amz-meta-a:b\r\n",
        b"x-amz-trailer-signature:a\r\nx-amz-checksum-crc32:a\r\n",
        b"a:b\r\n" * 100,
    ],
)
def test_malformed_trailers_are_refused(trailer):
    payload = ChunkedPayload(4, frozenset({"x-amz-checksum-crc32"}))
    with pytest.raises(ErrorResponse, match="MalformedTrailerError"):
        list(payload.decode(b"4\r\nmeow\r\n0\r\n" + trailer + b"\r\n"))


def test_signed_trailers_need_a_signature():
    request = upload(SIGNED_TRAILER)
    body = request.body[: request.body.index(b"x-amz-trailer-signature")] + b"\r\n"
    assert refused(replace(request, body=body)).error.code == "MalformedTrailerError"


CHANGES = st.sampled_from([b"", b"\r\n", b"\r", b";", b"0", b"f", b"\x00", b":", b"a" * 2000])


@settings(deadline=None)
@given(data=st.data(), kind=st.sampled_from([SIGNED, SIGNED_TRAILER, UNSIGNED_TRAILER]))
def test_malformed_bodies_raise_nothing_but_errors_of_the_service(data, kind):
    request = upload(kind, b"meow")
    start = data.draw(st.integers(0, len(request.body)))
    end = data.draw(st.integers(start, min(len(request.body), start + 8)))
    wild = data.draw(st.one_of(CHANGES, st.binary(max_size=8)))
    body = request.body[:start] + wild + request.body[end:]
    changed = replace(request, body=body)
    for rules in (VERIFY, ACCEPT):
        contents = []
        status = status_of(lambda rules=rules, contents=contents: contents.append(read(changed, rules)[0]))
        assert status in (200, 400, 403)
        if contents and rules is VERIFY and kind != UNSIGNED_TRAILER:
            assert contents == [b"meow"]


def test_unsigned_and_anonymous_requests_may_be_chunked():
    headers = {"Content-Encoding": "aws-chunked", "x-amz-decoded-content-length": "4", "x-amz-trailer": "a"}
    request = Request.to_url("PUT", "https://s3.amazonaws.com/photos/cat.jpg", headers)
    body = unsigned_payload(request, ACCEPT).decode(b"4\r\nmeow\r\n0\r\na:b\r\n\r\n")
    assert b"".join(body) == b"meow"
    assert trailers_of(body) == {"a": "b"}
    plain = unsigned_payload(request, replace(ACCEPT, aws_chunked=False))
    assert plain.decode(b"4\r\n") == b"4\r\n"


def test_aws_chunked_is_not_a_content_encoding_of_the_object():
    examples = {"aws-chunked": None, "aws-chunked,gzip": "gzip", "gzip, aws-chunked": "gzip", "gzip, br": "gzip, br"}
    assert {sent: without_aws_chunked(sent) for sent in examples} == examples
