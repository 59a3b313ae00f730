"""How the body of an authenticated request is decoded and checked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import NamedTuple, Protocol

from fakestore.http import Headers
from fakestore.http.request import Body
from fakestore.model.content import SparseContent
from fakestore.model.errors import CONTENT_SHA256_MISMATCH, ErrorResponse


class Payload(Protocol):
    """How a body is decoded and checked.

    Example:
        >>> from fakestore.protocol.auth.payload import PLAIN
        >>> PLAIN.decode(b"meow")
        b'meow'
    """

    @property
    def decoded_length(self) -> int | None:
        """The size of the decoded body in bytes, or None if it is what Content-Length says."""

    def decode(self, body: Body) -> Body:
        """Return the content of the body.

        The result raises ErrorResponse, at the latest when it is read to its end, if the body is malformed or is not
        the one that was signed. Nothing of it may be stored before that.

        Raises:
            ErrorResponse: If a body in memory is not the one that was signed.
        """


class PlainPayload(NamedTuple):
    """A body that is neither encoded nor signed."""

    decoded_length: None = None

    def decode(self, body: Body) -> Body:
        """Return the body unchanged."""
        return body


PLAIN = PlainPayload()


class HashedPayload(NamedTuple):
    """A body whose SHA-256 is signed.

    Args:
        sha256: The hash as it was signed, in hexadecimal digits.
    """

    sha256: str
    decoded_length: None = None

    def decode(self, body: Body) -> Body:
        """Return the body. One in memory is checked at once, another one while it is read."""
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
        if computed != self.sha256.lower():
            raise _mismatch(self.sha256, computed)


def _mismatch(signed: str, computed: str) -> ErrorResponse:
    return CONTENT_SHA256_MISMATCH.error(
        explanation=f"the SHA-256 of the body is {computed}, but the request was signed for a body with the SHA-256"
        f" {signed}; the body was changed after signing, or the signer hashed another body",
        ClientComputedContentSHA256=signed,
        S3ComputedContentSHA256=computed,
    )


def get_trailers(body: Body) -> Headers:
    """Return the trailing headers of a decoded body that was read to its end."""
    trailers = getattr(body, "trailers", None)
    return trailers if isinstance(trailers, Headers) else Headers()
