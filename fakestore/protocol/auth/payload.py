"""How the body of an authenticated request is decoded and checked: as it was sent, by its hash, or in chunks.

The content of a body with ``Content-Encoding: aws-chunked`` stands between sizes, signatures and trailing headers.
"""

from __future__ import annotations

import hashlib
import re
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import count
from typing import NamedTuple

from fakestore.errors import (
    CONTENT_SHA256_MISMATCH,
    INCOMPLETE_BODY,
    INVALID_CHUNK_SIZE,
    INVALID_REQUEST,
    MALFORMED_TRAILER,
    MISSING_CONTENT_LENGTH,
    ErrorResponse,
    UnsupportedRequest,
    invalid_argument,
)
from fakestore.http import Headers
from fakestore.http.message import Body, Request
from fakestore.http.values import is_aws_chunked, parse_integer, wire_bytes
from fakestore.messages import counted
from fakestore.model.accounts import Account
from fakestore.model.content import SparseContent, pieces_of
from fakestore.protocol.auth.scheme import PLAIN, AuthSettings, Payload, SignatureComparison, with_comparison
from fakestore.protocol.auth.signed_request import SignedRequest, SigningScope

#: The value of the header ``x-amz-content-sha256`` for a body that is not signed.
UNSIGNED = "UNSIGNED-PAYLOAD"
_UNSIGNED_TRAILER = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
_SIGNED_TRAILER = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"
#: The values that announce a body in chunks.
_CHUNKED_PAYLOADS = frozenset({_UNSIGNED_TRAILER, "STREAMING-AWS4-HMAC-SHA256-PAYLOAD", _SIGNED_TRAILER})
#: Those for chunks that are signed with an elliptic curve (signature version 4A).
_ECDSA_PAYLOADS = ("STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD", "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER")
_STREAMING_PAYLOADS = _CHUNKED_PAYLOADS.union(_ECDSA_PAYLOADS)
#: All values that are not a SHA-256, in the order of the public service's message.
_NAMED_PAYLOADS = (
    *(UNSIGNED, _UNSIGNED_TRAILER, "STREAMING-AWS4-HMAC-SHA256-PAYLOAD", _SIGNED_TRAILER),
    *_ECDSA_PAYLOADS,
)

#: The smallest chunk that is not the last one, in bytes.
_SMALLEST_CHUNK = 8192
_LONGEST_LINE = 1024
_MOST_TRAILERS = 64
_CHUNK_HEADER = re.compile(rb"([0-9a-fA-F]{1,15})(?:;chunk-signature=([0-9a-f]{64}))?")
_TRAILER = re.compile(rb"([!#$%&'*+\-.^_`|~0-9A-Za-z]+):([^\r\n\0]*)\n?")
_EMPTY_HASH = hashlib.sha256(b"").hexdigest()


def _is_sha256(text: str) -> bool:
    return re.fullmatch("[0-9a-fA-F]{64}", text) is not None


class HashedPayload(NamedTuple):
    """A body whose SHA-256 the request states.

    Args:
        header: The name of the header with the hash.
        comparison: The signature that covers the hash. If it is None, the hash is not signed, and the answer of the
            service to a wrong hash is not known.
    """

    sha256: str
    header: str
    comparison: SignatureComparison | None = None
    decoded_length: None = None

    @classmethod
    def of(
        cls, request: Request, sha256: str, header: str, comparison: SignatureComparison | None = None
    ) -> HashedPayload:
        """Return how the body of a request is checked. An empty body is checked now; perhaps no step reads it."""
        payload = cls(sha256, header, comparison)
        if request.body == b"":
            payload.decode(b"")
        return payload

    def decode(self, body: Body) -> Body:
        """Return the body. A body in memory is checked at once, a stream while it is read."""
        checked = self._checked(pieces_of(body))
        if not isinstance(body, bytes | SparseContent):
            return checked
        deque(checked, maxlen=0)
        return body

    def _checked(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        hasher = hashlib.sha256()
        for piece in pieces:
            hasher.update(piece)
            yield piece
        computed = hasher.hexdigest()
        if computed != self.sha256.lower():
            raise self._mismatch(computed)

    def _mismatch(self, computed: str) -> ErrorResponse | UnsupportedRequest:
        if self.comparison is None:
            return UnsupportedRequest(
                f"{self.header} is {self.sha256}, but the SHA-256 of the body is {computed}; this is only supported if"
                " the request is signed with signature version 4"
            )
        error = CONTENT_SHA256_MISMATCH.error(
            f"The provided '{self.header}' header does not match what was computed.",
            explanation=f"the SHA-256 of the body is {computed}, but the request was signed for a body with the SHA-256"
            f" {self.sha256}; the body was changed after signing, or the signer hashed another body",
            ClientComputedContentSHA256=self.sha256,
            S3ComputedContentSHA256=computed,
        )
        return with_comparison(error, self.comparison)


class ChunkSigner(NamedTuple):
    """Checks the signature of the next chunk of a request. It continues the signature `previous`."""

    account: Account
    timestamp: str
    scope: SigningScope
    previous: str

    def check_chunk(self, number: int, received: str | None, content_hash: str) -> ChunkSigner:
        """Check the signature of a chunk, and return the signer of the next chunk."""
        if received is None:
            raise _malformed(f"chunk {number} has no chunk-signature, although the body is declared as signed")
        self._check(received, "AWS4-HMAC-SHA256-PAYLOAD", f"{_EMPTY_HASH}\n{content_hash}")
        return self._replace(previous=received)

    def check_trailers(self, received: str | None, trailers: bytes) -> None:
        if received is None:
            raise MALFORMED_TRAILER.error(
                explanation="the trailing headers are declared as signed, but no trailer-signature follows them"
            )
        self._check(received, "AWS4-HMAC-SHA256-TRAILER", hashlib.sha256(trailers).hexdigest())

    def _check(self, received: str, algorithm: str, rest: str) -> None:
        text = wire_bytes(f"{algorithm}\n{self.timestamp}\n{self.scope}\n{self.previous}\n{rest}")
        # The previous signature is valid, so it is not repeated.
        shown = text.replace(self.previous.encode(), b"(the signature before this one)")
        SignatureComparison(self.account, received, self.scope.sign(self.account.secret_key, text), shown).check()


class ChunkedPayload(NamedTuple):
    """A body in chunks.

    Args:
        length: The size of the content in bytes; None if the request does not state it.
        trailer_names: The announced trailing headers, in lower case and in order.
        trailer_signature: The name of the trailing header with the signature of the others; None if they are not
            signed.
        signer: Checks the signatures of the chunks; None if they are not checked.
    """

    length: int | None
    trailer_names: list[str]
    trailer_signature: str | None
    signer: ChunkSigner | None

    @property
    def decoded_length(self) -> int:
        """The size of the content, without which the body is refused when it is needed. [order-of-checks]"""
        if self.length is None:
            raise MISSING_CONTENT_LENGTH.error(
                explanation="an aws-chunked body needs the header decoded-content-length of the dialect, with the size"
                " of its content in bytes"
            )
        return self.length

    def decode(self, body: Body) -> ChunkedBody:
        return ChunkedBody(self, pieces_of(body))


class ChunkedBody:
    """The content of a chunked body, in pieces. It is decoded and checked while it is read, once."""

    def __init__(self, payload: ChunkedPayload, pieces: Iterable[bytes]) -> None:
        self._payload = payload
        self._input = _Input(pieces)
        self._content = self._decode()
        #: The trailing headers; empty until the content was read to its end.
        self.trailers = Headers()

    def __iter__(self) -> Iterator[bytes]:
        return self._content

    def _decode(self) -> Iterator[bytes]:
        signer, expected = self._payload.signer, self._payload.decoded_length
        total, last_size = 0, _SMALLEST_CHUNK
        for number in count(1):
            size, signature = self._chunk_header()
            if size and last_size < _SMALLEST_CHUNK:
                raise INVALID_CHUNK_SIZE.error(
                    explanation=f"chunk {number - 1} has {counted(last_size, 'byte')}; every chunk but the last has at"
                    f" least {_SMALLEST_CHUNK:,}",
                    Chunk=str(number - 1),
                    BadChunkSize=str(last_size),
                )
            total += size
            if total > expected:
                raise self._wrong_length(f"at least {counted(total, 'byte')}")
            hasher = hashlib.sha256()
            for piece in self._input.exactly(size):
                if signer:
                    hasher.update(piece)
                yield piece
            if size:
                self._input.line_end()
            if signer:
                signer = signer.check_chunk(number, signature, hasher.hexdigest())
            if not size:
                break
            last_size = size
        trailers = self._read_trailers(signer)
        self._input.end()
        if total != expected:
            raise self._wrong_length(counted(total, "byte"))
        self.trailers = trailers

    def _chunk_header(self) -> tuple[int, str | None]:
        line = self._input.line()
        match = _CHUNK_HEADER.fullmatch(line)
        if match is None:
            raise _malformed(
                f"a chunk begins with {line[:40]!r}; expected its size in hexadecimal digits and, if chunks are signed,"
                " ';chunk-signature=' with 64 hexadecimal digits"
            )
        return int(match[1], 16), match[2].decode() if match[2] else None

    def _read_trailers(self, signer: ChunkSigner | None) -> Headers:
        signature = None
        fields: list[tuple[str, str]] = []
        while line := self._input.line():
            match = _TRAILER.fullmatch(line)
            if match is None or signature is not None or len(fields) >= _MOST_TRAILERS:
                raise MALFORMED_TRAILER.error(explanation=f"the trailing header {line[:40]!r} is not valid here")
            name, value = match[1].decode().lower(), match[2].decode("latin-1").strip(" \t")
            if name == self._payload.trailer_signature:
                signature = value
            else:
                fields.append((name, value))
        names, announced = [name for name, _ in fields], self._payload.trailer_names
        if sorted(names) != announced:
            raise MALFORMED_TRAILER.error(
                explanation=f"the trailing headers are {_names(names)}, but the request announced {_names(announced)}"
                " in its trailer header"
            )
        if signer and self._payload.trailer_signature:
            text = "".join(f"{name}:{value}\n" for name, value in fields)
            signer.check_trailers(signature, wire_bytes(text))
        return Headers(fields)

    def _wrong_length(self, total: str) -> ErrorResponse:
        return INCOMPLETE_BODY.error(
            explanation=f"the chunks have {total} together, but the header decoded-content-length says"
            f" {self._payload.decoded_length:,}"
        )


def _names(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names)) or "none"


def _malformed(why: str) -> ErrorResponse:
    return INCOMPLETE_BODY.error(
        "The request body terminated unexpectedly", explanation=f"the aws-chunked body is malformed: {why}"
    )


class _Input:
    """The pieces of a body, read by lines and by sizes. At most one piece and one line are in memory."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = filter(None, pieces)
        #: The unread rest of the current piece.
        self._rest = memoryview(b"")

    def _begin_next_piece(self) -> bool:
        """Return whether another piece follows, which becomes the current one."""
        self._rest.release()  # the sender may use a bytearray again
        self._rest = memoryview(next(self._pieces, b""))
        return len(self._rest) > 0

    def line(self) -> bytes:
        """Return the bytes up to the next CRLF, which is skipped."""
        kept = b""
        while True:
            # A CRLF may be cut in two, so the kept bytes are searched again together with the next piece.
            window = kept + self._rest[: _LONGEST_LINE + 2]
            end = window.find(b"\r\n")
            if 0 <= end <= _LONGEST_LINE:
                self._rest = self._rest[end + 2 - len(kept) :]
                return window[:end]
            if len(window) > _LONGEST_LINE + 1:
                raise _malformed(f"a line has more than {_LONGEST_LINE:,} bytes before its CRLF")
            kept = window
            if not self._begin_next_piece():
                raise _malformed("it ends before its last chunk is complete")

    def exactly(self, size: int) -> Iterator[bytes]:
        """Yield the next `size` bytes."""
        while size:
            if not self._rest and not self._begin_next_piece():
                raise _malformed(f"it ends {counted(size, 'byte')} before the end of a chunk")
            piece = bytes(self._rest[:size])
            self._rest = self._rest[size:]
            size -= len(piece)
            yield piece

    def line_end(self) -> None:
        """Skip the CRLF after the content of a chunk."""
        end = b"".join(self.exactly(2))
        if end != b"\r\n":
            raise _malformed(f"the content of a chunk is followed by {end!r} instead of CRLF; its size is wrong")

    def end(self) -> None:
        """Check that nothing follows."""
        if self._rest or self._begin_next_piece():
            raise _malformed("more bytes follow the last chunk")


def _chunked_payload(
    request: Request, settings: AuthSettings, declared: str, signer: ChunkSigner | None
) -> ChunkedPayload:
    """Return how a chunked body is read. `declared` is the value of ``x-amz-content-sha256``."""
    name = settings.header("decoded-content-length")
    length = parse_integer(request.headers.by_name.get(name, ""))
    announced = request.headers.by_name.get(settings.header("trailer"), "").lower().split(",")
    names = sorted({name.strip() for name in announced} - {""})
    trailer_signature = settings.header("trailer-signature") if declared == _SIGNED_TRAILER else None
    return ChunkedPayload(length, names, trailer_signature, signer)


def check_streaming(
    request: Request, settings: AuthSettings, *, is_anonymous: bool = False, accepts_chunks: bool = False
) -> None:
    """Check that a request whose header announces a body in chunks may have one. [content-sha256-values]

    Args:
        accepts_chunks: Whether the operation stores the body as an object or a part.
    """
    name = f"{settings.header_prefix}content-sha256"
    declared = request.headers.by_name.get(name, "")
    if not settings.aws_chunked or declared not in _STREAMING_PAYLOADS:
        return
    if is_anonymous and declared != _UNSIGNED_TRAILER:
        raise INVALID_REQUEST.error(
            f"Anonymous requests don't support this {name} value. Please use {UNSIGNED} or {_UNSIGNED_TRAILER}.",
            explanation=f"{name} is {declared}, but the request has no signature; sign it, or send another value",
        )
    if not accepts_chunks:
        raise INVALID_REQUEST.error(
            f"The value of {name} header is invalid.",
            explanation=f"{name} is {declared}; only PUT Object and Upload Part accept a body in chunks",
        )
    if declared in _ECDSA_PAYLOADS:
        raise UnsupportedRequest(
            f"{name} is {declared!r}, which belongs to signature version 4A, which is not supported; sign with version"
            " 4, as clients do by default"
        )


def unsigned_payload(request: Request, settings: AuthSettings, *, checks_hash: bool = False) -> Payload:
    """Return how the body is read if the request is anonymous or its signature does not cover the body.

    Args:
        checks_hash: Whether the body must have the SHA-256 that a header states. [content-sha256-values]
    """
    if not settings.aws_chunked:
        return PLAIN
    name, headers = f"{settings.header_prefix}content-sha256", request.headers.by_name
    declared = headers.get(name) or UNSIGNED
    if declared in _CHUNKED_PAYLOADS or is_aws_chunked(headers.get("content-encoding", "")):
        return _chunked_payload(request, settings, declared, None)
    if declared == UNSIGNED or not checks_hash:
        return PLAIN
    if not _is_sha256(declared):
        raise UnsupportedRequest(
            f"{name} is {declared!r}, which is only supported if the request is signed with signature version 4;"
            f" send {UNSIGNED} or the SHA-256 of the body, or omit the header"
        )
    return HashedPayload.of(request, declared, name)


def signed_payload(signed: SignedRequest, settings: AuthSettings, comparison: SignatureComparison | None) -> Payload:
    """Return how the body is read if signature version 4 covers its hash.

    Args:
        comparison: The verified signature; None if signatures are not verified.
    """
    request, payload_hash, name = signed.request, signed.payload_hash, settings.header("content-sha256")
    if payload_hash in _CHUNKED_PAYLOADS:
        signer = None
        if comparison is not None and payload_hash != _UNSIGNED_TRAILER:
            signer = ChunkSigner(comparison.account, signed.timestamp, signed.scope, comparison.received)
        return _chunked_payload(request, settings, payload_hash, signer)
    if payload_hash != UNSIGNED and not _is_sha256(payload_hash):
        raise invalid_argument(
            name,
            payload_hash,
            f"{name} must be {', '.join(_NAMED_PAYLOADS)} or a valid sha256 value.",
            explanation=f"{name} is {payload_hash!r}",
        )
    if payload_hash == UNSIGNED or comparison is None:
        return unsigned_payload(request, settings)
    return HashedPayload.of(request, payload_hash, name, comparison)


def get_trailers(body: Body) -> Headers:
    """Return the trailing headers of a decoded body that was read to its end."""
    trailers = getattr(body, "trailers", None)
    return trailers if isinstance(trailers, Headers) else Headers()
