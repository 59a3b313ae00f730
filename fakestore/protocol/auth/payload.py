"""How the body of an authenticated request is decoded and checked."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import NamedTuple, Protocol

from fakestore.errors import CONTENT_SHA256_MISMATCH, ErrorResponse, UnsupportedRequest
from fakestore.http import Headers
from fakestore.http.request import Body, Request
from fakestore.http.values import is_aws_chunked
from fakestore.model.content import SparseContent
from fakestore.protocol.auth.aws_chunked import CHUNKED_PAYLOADS, chunked_payload
from fakestore.protocol.auth.errors import SignatureComparison, with_comparison
from fakestore.protocol.auth.settings import AuthSettings


class Payload(Protocol):
    """How a body is decoded and checked.

    Example:
        >>> from fakestore.protocol.auth.payload import PLAIN
        >>> PLAIN.decode(b"meow")
        b'meow'
    """

    @property
    def decoded_length(self) -> int | None:
        """The size of the decoded body in bytes, or None if Content-Length states it."""

    def decode(self, body: Body) -> Body:
        """Return the content of the body.

        If the body is malformed or differs from the signed body, the result raises ErrorResponse, at the latest when it
        is read to its end. So nothing may be stored before the end.
        """


class PlainPayload(NamedTuple):
    """A body that is neither encoded nor signed."""

    decoded_length: None = None

    def decode(self, body: Body) -> Body:
        """Return the body unchanged."""
        return body


PLAIN = PlainPayload()


#: The hash of a body that is not signed.
UNSIGNED = "UNSIGNED-PAYLOAD"

_SHA256 = r"[0-9a-fA-F]{64}"


def is_sha256(text: str) -> bool:
    """Return whether a text is a SHA-256 in hexadecimal digits."""
    return re.fullmatch(_SHA256, text) is not None


class HashedPayload(NamedTuple):
    """A body whose SHA-256 the request states.

    Args:
        sha256: The hash in hexadecimal digits.
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
        """Return how the body of a request is checked. No operation may read an empty body, so it is checked now."""
        if comparison is None and not is_sha256(sha256):
            raise UnsupportedRequest(
                f"{header} is {sha256!r}, which is only supported if the request is signed with signature version 4;"
                f" send {UNSIGNED} or the SHA-256 of the body, or omit the header"
            )
        payload = cls(sha256, header, comparison)
        if request.body == b"":
            payload.decode(b"")
        return payload

    def decode(self, body: Body) -> Body:
        """Return the body. A body in memory is checked at once, a stream while it is read."""
        if isinstance(body, bytes):
            self._check(hashlib.sha256(body).hexdigest())
            return body
        if isinstance(body, SparseContent):
            for _ in self._checked(iter(body)):
                pass
            return body
        return self._checked(iter(body))

    def _checked(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        digest = hashlib.sha256()
        for piece in pieces:
            digest.update(piece)
            yield piece
        self._check(digest.hexdigest())

    def _check(self, computed: str) -> None:
        if computed == self.sha256.lower():
            return
        if self.comparison is not None:
            raise with_comparison(_mismatch(self.header, self.sha256, computed), self.comparison)
        raise UnsupportedRequest(
            f"{self.header} is {self.sha256}, but the SHA-256 of the body is {computed}; this is only supported if the"
            " request is signed with signature version 4"
        )


def _mismatch(header: str, signed: str, computed: str) -> ErrorResponse:
    return CONTENT_SHA256_MISMATCH.error(
        f"The provided '{header}' header does not match what was computed.",
        explanation=f"the SHA-256 of the body is {computed}, but the request was signed for a body with the SHA-256"
        f" {signed}; the body was changed after signing, or the signer hashed another body",
        ClientComputedContentSHA256=signed,
        S3ComputedContentSHA256=computed,
    )


def unsigned_payload(request: Request, settings: AuthSettings, *, checks_hash: bool = False) -> Payload:
    """Return how the body is read if the request is anonymous or its signature does not cover the body.

    Args:
        request: The request.
        settings: The settings of the store.
        checks_hash: Whether the body must have the SHA-256 that a header states. [content-sha256-values]
    """
    if not settings.aws_chunked:
        return PLAIN
    name = settings.header("content-sha256")
    declared = request.headers.get(name, UNSIGNED)
    if declared in CHUNKED_PAYLOADS or is_aws_chunked(request.headers.get("content-encoding", "")):
        return chunked_payload(request, settings, declared, None)
    if declared == UNSIGNED or not checks_hash:
        return PLAIN
    return HashedPayload.of(request, declared, name)


def get_trailers(body: Body) -> Headers:
    """Return the trailing headers of a decoded body that was read to its end."""
    trailers = getattr(body, "trailers", None)
    return trailers if isinstance(trailers, Headers) else Headers()
