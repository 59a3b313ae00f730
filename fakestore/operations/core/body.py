"""The body of a request: announced by headers, read in pieces, and checked against the headers."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from io import BytesIO

from fakestore.http.integers import parse_integer
from fakestore.http.request import Body, Request
from fakestore.model.content import SPARSE_MD5_LIMIT, Content, content_size, entity_tag, sparse_size
from fakestore.model.errors import (
    BAD_DIGEST,
    ENTITY_TOO_LARGE,
    INCOMPLETE_BODY,
    INVALID_DIGEST,
    MISSING_CONTENT_LENGTH,
    ErrorResponse,
    invalid_argument,
)
from fakestore.model.unsupported import UnsupportedRequest
from fakestore.protocol.auth.payload import Payload


@dataclass(frozen=True, slots=True)
class ReceivedBody:
    """A body that was read: its content, and its MD5 in hexadecimal digits (or its multipart-style entity tag)."""

    content: Content
    digest: str


@dataclass(frozen=True, slots=True)
class AnnouncedBody:
    """What the headers of a request say about its body."""

    length: int
    md5: bytes | None

    @classmethod
    def parse(cls, request: Request, payload: Payload, max_length: int) -> AnnouncedBody:
        """Read Content-Length and Content-MD5. The body itself is not touched.

        Args:
            request: The request.
            payload: How the body is decoded; it may know the length of the content.
            max_length: The largest length that is accepted, in bytes.

        Raises:
            ErrorResponse: MissingContentLength, InvalidArgument, EntityTooLarge or InvalidDigest.
        """
        sent = payload.decoded_length
        text = request.headers.get("content-length") if sent is None else str(sent)
        return cls(_parse_length(text, max_length), _parse_md5(request))


def check_length_is_stated(request: Request) -> None:
    """Refuse an empty Content-Length. [empty-content-length]

    Raises:
        ErrorResponse: InvalidArgument.
    """
    if request.method == "PUT" and request.headers.get("content-length") == "":
        raise _invalid_length("")


def has_body(request: Request) -> bool:
    """Return whether the headers announce a body that is not empty."""
    length = request.headers.get("content-length")
    return (length is not None and length.strip("0") != "") or "transfer-encoding" in request.headers


def read_body(body: Body, announced: AnnouncedBody, *, is_part: bool = False) -> ReceivedBody:
    """Read the body and check it against what was announced.

    A body in memory is taken by reference. Any other is read in pieces and held once.

    Args:
        is_part: Whether the body is a part of an object. Then a wrong Content-MD5 is repeated as it was sent.

    Raises:
        ErrorResponse: IncompleteBody or BadDigest.
        UnsupportedRequest: If Content-MD5 was sent for sparse content whose MD5 is not computed.
        Exception: Whatever reading the client's body raises.
    """
    if isinstance(body, Content):
        size = content_size(body)
        if size != announced.length:
            raise _incomplete(announced.length, size)
        received = ReceivedBody(body, entity_tag(body))
    else:
        received = _read_pieces(body, announced.length)
    if announced.md5 is not None:
        _check_md5(received, announced.md5, is_part=is_part)
    return received


def _parse_length(text: str | None, max_length: int) -> int:
    if text is None:
        raise MISSING_CONTENT_LENGTH.error(
            explanation="the request has no Content-Length: requests sends a generator or an empty file chunked;"
            " send bytes or a file with content, or set the header"
        )
    if not (text.isascii() and text.isdigit()):
        raise _invalid_length(text)
    length = parse_integer(text)
    if length is None or length > max_length:
        raise ENTITY_TOO_LARGE.error(
            explanation=f"Content-Length is {text}, and the largest accepted body has {max_length:,} bytes",
            ProposedSize=text,
            MaxSizeAllowed=str(max_length),
        )
    return length


def _invalid_length(text: str) -> ErrorResponse:
    return invalid_argument(
        "Content-Length", text, explanation=f"Content-Length is {text!r}; send the number of bytes of the body"
    )


def _parse_md5(request: Request) -> bytes | None:
    text = request.headers.get("content-md5")
    if text is None:
        return None
    try:
        digest = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        digest = b""
    if len(digest) != 16:
        raise INVALID_DIGEST.error(
            explanation=f"Content-MD5 is {text!r}; send the 16 bytes of the MD5 in base64", Content_MD5=text
        )
    return digest


def _read_pieces(pieces: Iterable[bytes], length: int) -> ReceivedBody:
    buffer = BytesIO()
    digest = hashlib.md5(usedforsecurity=False)
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > length:
            raise _incomplete(length, size)
        buffer.write(piece)
        digest.update(piece)
    if size != length:
        raise _incomplete(length, size)
    return ReceivedBody(buffer.getvalue(), digest.hexdigest())


def _incomplete(length: int, size: int) -> ErrorResponse:
    more = " or more" if size > length else ""
    return INCOMPLETE_BODY.error(explanation=f"Content-Length is {length:,}, but the body has {size:,}{more} bytes")


def _check_md5(received: ReceivedBody, md5: bytes, *, is_part: bool) -> None:
    if sparse_size(received.content) and "-" in received.digest:
        raise UnsupportedRequest(
            f"Content-MD5 of {received.content!r}: the MD5 of sparse content over {SPARSE_MD5_LIMIT:,} bytes is not"
            " computed; omit the header"
        )
    if received.digest != md5.hex():
        raise BAD_DIGEST.error(
            explanation=f"Content-MD5 is {md5.hex()}, but the MD5 of the body is {received.digest}",
            CalculatedDigest=base64.b64encode(bytes.fromhex(received.digest)).decode(),
            # The recorded service answers in base64 for a part only. [digest-of-a-part]
            ExpectedDigest=base64.b64encode(md5).decode() if is_part else md5.hex(),
        )
