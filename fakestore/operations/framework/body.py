"""The body of a request, which is read in pieces and checked against its headers."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import ClassVar, NamedTuple, Self

from fakestore.errors import (
    BAD_DIGEST,
    ENTITY_TOO_LARGE,
    INCOMPLETE_BODY,
    INVALID_DIGEST,
    MISSING_CONTENT_LENGTH,
    ErrorResponse,
    UnsupportedRequest,
    invalid_argument,
)
from fakestore.http.message import Body
from fakestore.http.values import parse_expect, parse_integer
from fakestore.messages import counted
from fakestore.model.checksums import Checksum, ChecksumAlgorithm, compute_checksum, decode_base64
from fakestore.model.content import SPARSE_MD5_LIMIT, Content, pieces_of
from fakestore.model.entity_tag import EntityTag
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.checksums import CHECKSUM_HEADERS, VALUE_HEADERS, ExpectedChecksum
from fakestore.protocol.auth.payload import get_trailers
from fakestore.xml.document import LONGEST_DOCUMENT

#: Standard headers that only an object keeps. A body that is not the content of an object cannot have them.
#: [object-headers-without-an-object]
OBJECT_HEADERS = frozenset({"content-disposition", "content-language", "expires"})

#: More than any accepted Content-Length.
_ANY_LENGTH = 10**18


@dataclass(frozen=True)
class ReceivedBody:
    """A body that was read. A document is one, in XML or not; for other bodies, a subclass says what they may be.

    Args:
        checksum: The checksum that the request has, or the default one of the service.
    """

    content: Content
    etag: EntityTag
    checksum: Checksum | None = None

    #: The headers with its checksum, without the prefix of the dialect.
    header_names: ClassVar[tuple[str, ...]] = CHECKSUM_HEADERS
    #: Whether it is stored as a whole, as an object or a part.
    is_stored: ClassVar[bool] = False
    #: Whether it is a part. The error for a wrong Content-MD5 of a part repeats it in base64, as it was sent.
    is_part: ClassVar[bool] = False
    #: The standard headers that describe it, of those that only some operations accept.
    standard_header_names: ClassVar[frozenset[str]] = frozenset({"content-md5"})
    #: Whether the service computes a checksum even if the request has none.
    has_default_checksum: ClassVar[bool] = False
    #: Whether Content-Length is its length. It is not if fields are in front of it, or the request has no body.
    has_length: ClassVar[bool] = True

    @staticmethod
    def max_length(call: Call) -> int:
        """Return the largest length that is accepted, in bytes."""
        return LONGEST_DOCUMENT


class ObjectContent(ReceivedBody):
    """The content of an object. An algorithm without a checksum is ignored. [checksum-algorithm-of-a-put]"""

    header_names = (*CHECKSUM_HEADERS, "checksum-algorithm", "checksum-type")
    is_stored = True
    standard_header_names = OBJECT_HEADERS | {"content-md5"}
    has_default_checksum = True

    @staticmethod
    def max_length(call: Call) -> int:
        limit, largest = call.limits.object_size, call.semantics.largest_upload
        return limit if largest is None else min(limit, largest)


class PartContent(ReceivedBody):
    """The content of a part of an object."""

    is_stored = True
    is_part = True

    @staticmethod
    def max_length(call: Call) -> int:
        return call.limits.part_size


class MissingBody(ReceivedBody):
    """The body of a request that came without its optional body. It is empty, and hashes in headers must say so."""

    has_length = False


class BodyHeaders(NamedTuple):
    """What the headers of a request say about its body.

    Args:
        length: The length in bytes; None if no header has it.
        max_length: The largest length that is accepted, in bytes.
        algorithm: The algorithm of the checksum that is computed, and compared with `checksum` if there is one.
    """

    length: int | None
    max_length: int
    md5: bytes | None
    checksum: ExpectedChecksum | None
    algorithm: ChecksumAlgorithm | None

    @classmethod
    def parse(cls, call: Call, body_type: type[ReceivedBody], *, has_checksum: bool) -> Self:
        """Read Content-Length, Content-MD5 and the headers with checksums. The body is not read."""
        length, max_length = None, body_type.max_length(call)
        if body_type.has_length:
            sent = call.payload.decoded_length
            length = _parse_length(call.headers.get("content-length") if sent is None else str(sent), max_length)
        md5 = _parse_md5(call)
        checksum = ExpectedChecksum.parse(call) if has_checksum else None
        default_algorithm = call.semantics.default_checksum if body_type.has_default_checksum else None
        algorithm = default_algorithm if checksum is None else checksum.algorithm
        return cls(length, max_length, md5, checksum, algorithm)


def has_body(call: Call) -> bool:
    """Return whether the headers announce a body that is not empty."""
    length = call.headers.get("content-length")
    return (length is not None and length.strip("0") != "") or "transfer-encoding" in call.headers


def client_body(call: Call) -> Body:
    """Return the body of a request, to be read.

    If the client waits for the interim status 100, the call notes that it was sent. [expect] If the client raises an
    error while the body is read, the call notes the error, and the request has no reply.
    """
    waits = "expect" in call.headers and "100-continue" in parse_expect(call.headers["expect"])
    if waits and has_body(call) and call.request.http_version != "1.0":
        call.interim = (100,)
    body = call.request.body
    return body if isinstance(body, Content) else _client_pieces(call, body)


def _client_pieces(call: Call, body: Iterable[bytes]) -> Iterator[bytes]:
    try:
        yield from body
    except (ErrorResponse, UnsupportedRequest):
        raise
    except Exception as error:
        call.client_error = repr(error)
        raise


def sends_checksum(call: Call) -> bool:
    """Return whether the headers name the MD5 or a checksum of the body. Their values are not checked."""
    headers = call.service_headers
    has_value = not headers.keys().isdisjoint(VALUE_HEADERS)
    return has_value or "content-md5" in call.headers or "checksum-" in headers.get("trailer", "").lower()


def read_body(body_type: type[ReceivedBody], body: Body, headers: BodyHeaders) -> ReceivedBody:
    """Read a body of this class, and check it against its headers.

    A body in memory is kept as it is. Any other is read in pieces.
    """
    if isinstance(body, Content):
        content = body
        if headers.length is not None and len(body) != headers.length:
            raise _incomplete(headers.length, len(body))
    else:
        content = _read_pieces(body, headers)
    etag = EntityTag.of(content)
    checksum = None if headers.algorithm is None else compute_checksum(headers.algorithm, content)
    if headers.md5 is not None:
        _check_md5(content, etag, headers.md5, is_part=body_type.is_part)
    if headers.checksum is not None and checksum is not None:
        headers.checksum.check(checksum, get_trailers(body))
    return body_type(content, etag, checksum)


def _parse_length(text: str | None, max_length: int) -> int:
    if text is None:
        raise MISSING_CONTENT_LENGTH.error(
            explanation="the request has no Content-Length: requests sends a generator, an empty file, or a file that"
            " was read to its end, in chunks; send bytes, call file.seek(0) before the next request, or set the header"
        )
    length = parse_integer(text)
    if length is None and not (text.isascii() and text.isdigit()):
        raise invalid_length(text)
    if length is None or length > max_length:
        raise _too_large("Content-Length says", text, max_length)
    return length


def invalid_length(text: str) -> ErrorResponse:
    return invalid_argument(
        "Content-Length", text, explanation=f"Content-Length is {text!r}; send the number of bytes of the body"
    )


def _parse_md5(call: Call) -> bytes | None:
    text = call.headers.get("content-md5")
    if text is None:
        return None
    md5 = decode_base64(text)
    if len(md5) != 16:
        raise INVALID_DIGEST.error(
            explanation=f"Content-MD5 is {text!r}; send the 16 bytes of the MD5 in base64", Content_MD5=text
        )
    return md5


def _read_pieces(pieces: Iterable[bytes], headers: BodyHeaders) -> bytes:
    buffer, size = BytesIO(), 0
    for piece in pieces if headers.length is None else _checked(pieces, headers.length):
        size += len(piece)
        if size > headers.max_length:
            buffer = BytesIO()  # no header has the length, and the error says how large it is
            continue
        buffer.write(piece)
    if size > headers.max_length:
        raise _too_large("the file has", str(size), headers.max_length)
    return buffer.getvalue()


def pieces_of_length(call: Call) -> Iterator[bytes]:
    """Yield the body of a request, and check its size against Content-Length."""
    length = _parse_length(call.headers.get("content-length"), _ANY_LENGTH)
    yield from _checked(pieces_of(client_body(call)), length)


def _checked(pieces: Iterable[bytes], length: int) -> Iterator[bytes]:
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > length:
            raise _incomplete(length, size)
        yield piece
    if size != length:
        raise _incomplete(length, size)


def _too_large(what: str, size: str, max_length: int) -> ErrorResponse:
    return ENTITY_TOO_LARGE.error(
        explanation=f"{what} {size} bytes, and the largest accepted body has {max_length:,}",
        ProposedSize=size,
        MaxSizeAllowed=str(max_length),
    )


def _incomplete(length: int, size: int) -> ErrorResponse:
    least = "at least " if size > length else ""
    return INCOMPLETE_BODY.error(
        explanation=f"Content-Length is {length:,}, but the body has {least}{counted(size, 'byte')}"
    )


def _check_md5(content: Content, etag: EntityTag, md5: bytes, *, is_part: bool) -> None:
    if not etag.is_md5:
        raise UnsupportedRequest(
            f"Content-MD5 of {content!r}: the MD5 of sparse content over {SPARSE_MD5_LIMIT:,} bytes is not"
            " computed; omit the header"
        )
    computed = etag.unquoted
    if computed != md5.hex():
        raise BAD_DIGEST.error(
            explanation=f"Content-MD5 is the base64 of {md5.hex()}, but the MD5 of the body is {computed}",
            CalculatedDigest=base64.b64encode(bytes.fromhex(computed)).decode(),
            # The public service answers in base64 for a part only. [expected-digest-in-errors]
            ExpectedDigest=base64.b64encode(md5).decode() if is_part else md5.hex(),
        )
