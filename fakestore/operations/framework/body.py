"""The body of a request: announced by headers, read in pieces, and checked against the headers."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import NamedTuple

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
from fakestore.http.message import Body, Request
from fakestore.http.values import parse_integer
from fakestore.messages import counted
from fakestore.model.checksums import Checksum, ChecksumAlgorithm, compute_checksum, decode_base64
from fakestore.model.content import SPARSE_MD5_LIMIT, Content, content_size, pieces_of
from fakestore.model.entity_tag import EntityTag
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.checksums import CHECKSUM_HEADERS, AnnouncedChecksum
from fakestore.protocol.auth.payload import get_trailers
from fakestore.protocol.auth.scheme import Authentication
from fakestore.xml.document import LONGEST_DOCUMENT

#: More than any accepted Content-Length.
_ANY_LENGTH = 10**18


class ReceivedBody(NamedTuple):
    """A body that was read.

    Args:
        checksum: The checksum that the request announced, or the default one of the service.
    """

    content: Content
    etag: EntityTag
    checksum: Checksum | None = None


class BodyFields(NamedTuple):
    """Fields at the beginning of a body. They contain the headers and the credentials of the upload.

    Args:
        open: Reads the fields, and changes the call to the upload that the body stands for. The second argument refuses
            unknown fields. It gets the fields without the credentials.
        authenticate: Returns the sender of the request, and how the rest of the body is decoded.
    """

    open: Callable[[Call, Callable[[Mapping[str, str]], None]], None]
    authenticate: Callable[[Call], Authentication]


@dataclass(frozen=True, slots=True, eq=False)
class BodyKind:
    """What the class of a body declares. The shape of a document declares nothing, because all documents are alike.

    Args:
        headers: The headers with its checksum, without the prefix of the dialect.
        max_length: Returns the largest length that is accepted, in bytes.
        is_part: Whether it is a part of an object. The error for a wrong Content-MD5 of a part repeats it in base64, as
            it was sent. A part does not choose its encryption.
        stores_headers: Whether the headers that only an object keeps are stored.
        has_default_checksum: Whether the service computes a checksum even if the request announces none.
        fields: How fields at its beginning are read; None if it has none. No header announces the length of what
            follows them.
    """

    headers: tuple[str, ...] = CHECKSUM_HEADERS
    max_length: Callable[[Call], int] = lambda call: LONGEST_DOCUMENT
    is_part: bool = False
    stores_headers: bool = False
    has_default_checksum: bool = False
    fields: BodyFields | None = None


def longest_upload(call: Call) -> int:
    """Return the maximum size of an object in one request, in bytes."""
    limit, largest = call.limits.object_size, call.semantics.largest_upload
    return limit if largest is None else min(limit, largest)


#: A document: its shape, or text that is not XML.
DOCUMENT = BodyKind()


class ObjectContent(ReceivedBody):
    """The content of an object. An algorithm without a checksum is ignored. [checksum-algorithm-of-a-put]"""

    kind = BodyKind(
        headers=(*CHECKSUM_HEADERS, "checksum-algorithm", "checksum-type"),
        max_length=longest_upload,
        stores_headers=True,
        has_default_checksum=True,
    )


class PartContent(ReceivedBody):
    """The content of a part of an object."""

    kind = BodyKind(max_length=lambda call: call.limits.part_size, is_part=True)


class AnnouncedBody(NamedTuple):
    """The headers of a request about its body.

    Args:
        length: The length in bytes; None if it follows fields in the body.
        max_length: The largest length that is accepted, in bytes.
        default_checksum: The algorithm of the checksum that is computed if none is checked.
    """

    length: int | None
    max_length: int
    md5: bytes | None
    checksum: AnnouncedChecksum | None = None
    default_checksum: ChecksumAlgorithm | None = None

    @classmethod
    def parse(cls, call: Call, kind: BodyKind, *, checks_body: bool) -> AnnouncedBody:
        """Read Content-Length, Content-MD5 and the headers with checksums. The body is not read."""
        sent = call.sender.payload.decoded_length
        text = call.headers.get("content-length") if sent is None else str(sent)
        max_length = kind.max_length(call)
        length = None if kind.fields is not None else _parse_length(text, max_length)
        md5 = _parse_md5(call)
        checksum = AnnouncedChecksum.parse(call) if checks_body else None
        default_checksum = call.semantics.default_checksum if kind.has_default_checksum else None
        return cls(length, max_length, md5, checksum, default_checksum)

    @property
    def algorithm(self) -> ChecksumAlgorithm | None:
        """The algorithm of the checksum that is computed before the store is locked."""
        return self.default_checksum if self.checksum is None else self.checksum.algorithm


def check_length_is_not_empty(call: Call) -> None:
    """Refuse an empty Content-Length. [content-length]"""
    if call.request.method == "PUT" and call.headers.get("content-length") == "":
        raise _invalid_length("")


def has_body(call: Call) -> bool:
    """Return whether the headers announce a body that is not empty."""
    length = call.headers.get("content-length")
    return (length is not None and length.strip("0") != "") or "transfer-encoding" in call.headers


def announces_checksum(call: Call) -> bool:
    """Return whether the headers announce the MD5 or a checksum of the body."""
    return "content-md5" in call.headers or AnnouncedChecksum.parse(call) is not None


def check_missing_body(call: Call, *, checks_body: bool) -> None:
    """Check a request without its optional body: its MD5 and its checksum must be those of an empty body."""
    checksum = AnnouncedChecksum.parse(call) if checks_body else None
    read_body(b"", AnnouncedBody(None, 0, _parse_md5(call), checksum))


def read_body(body: Body, announced: AnnouncedBody, *, is_part: bool = False) -> ReceivedBody:
    """Read the body, and check that it is the announced one.

    A body in memory is kept as it is. Any other is read in pieces.
    """
    if isinstance(body, Content):
        content = body
        if announced.length is not None and content_size(body) != announced.length:
            raise _incomplete(announced.length, content_size(body))
    else:
        content = _read_pieces(body, announced)
    etag = EntityTag.of(content)
    checksum = None if announced.algorithm is None else compute_checksum(announced.algorithm, content)
    if announced.md5 is not None:
        _check_md5(content, etag, announced.md5, is_part=is_part)
    if announced.checksum is not None and checksum is not None:
        announced.checksum.check(checksum, get_trailers(body))
    return ReceivedBody(content, etag, checksum)


def _parse_length(text: str | None, max_length: int) -> int:
    if text is None:
        raise MISSING_CONTENT_LENGTH.error(
            explanation="the request has no Content-Length: requests sends a generator or an empty file chunked;"
            " send bytes or a file with content, or set the header"
        )
    length = parse_integer(text)
    if length is None and not (text.isascii() and text.isdigit()):
        raise _invalid_length(text)
    if length is None or length > max_length:
        raise _too_large("Content-Length says", text, max_length)
    return length


def _invalid_length(text: str) -> ErrorResponse:
    return invalid_argument(
        "Content-Length", text, explanation=f"Content-Length is {text!r}; send the number of bytes of the body"
    )


def _parse_md5(call: Call) -> bytes | None:
    text = call.headers.get("content-md5")
    if text is None:
        return None
    digest = decode_base64(text)
    if len(digest) != 16:
        raise INVALID_DIGEST.error(
            explanation=f"Content-MD5 is {text!r}; send the 16 bytes of the MD5 in base64", Content_MD5=text
        )
    return digest


def _read_pieces(pieces: Iterable[bytes], announced: AnnouncedBody) -> bytes:
    buffer, size = BytesIO(), 0
    for piece in pieces if announced.length is None else _checked(pieces, announced.length):
        size += len(piece)
        if size > announced.max_length:
            buffer = BytesIO()  # no header announced the length, and the error says how large it is
            continue
        buffer.write(piece)
    if size > announced.max_length:
        raise _too_large("the file has", str(size), announced.max_length)
    return buffer.getvalue()


def pieces_of_length(request: Request) -> Iterator[bytes]:
    """Yield the body of a request, and check its size against Content-Length."""
    body, length = request.body, _parse_length(request.headers.get("content-length"), _ANY_LENGTH)
    yield from _checked(pieces_of(body), length)


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
    digest = etag.unquoted
    if digest != md5.hex():
        raise BAD_DIGEST.error(
            explanation=f"Content-MD5 is the base64 of {md5.hex()}, but the MD5 of the body is {digest}",
            CalculatedDigest=base64.b64encode(bytes.fromhex(digest)).decode(),
            # The public service answers in base64 for a part only. [expected-digest-in-errors]
            ExpectedDigest=base64.b64encode(md5).decode() if is_part else md5.hex(),
        )
