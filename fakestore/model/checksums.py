"""Checksums of objects: their algorithms, and how they are computed."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import NamedTuple, Protocol

from fakestore.model.content import (
    SPARSE_MD5_LIMIT,
    Content,
    JoinedContent,
    SparseContent,
    content_size,
    pieces_of,
    sparse_size,
)
from fakestore.model.unsupported import UnsupportedRequest


class ChecksumAlgorithm(StrEnum):
    """The algorithm of a checksum.

    CRC32C and CRC64NVME need the extra ``fakestore[checksums]``. [checksums-without-the-library]
    """

    CRC32 = "CRC32"
    CRC32C = "CRC32C"
    CRC64NVME = "CRC64NVME"
    SHA1 = "SHA1"
    SHA256 = "SHA256"

    @property
    def is_crc(self) -> bool:
        """Whether the checksums of two parts can be combined into that of both."""
        return self in (ChecksumAlgorithm.CRC32, ChecksumAlgorithm.CRC32C, ChecksumAlgorithm.CRC64NVME)

    @property
    def size(self) -> int:
        """The number of bytes of a checksum."""
        return _SIZES[self]


_SIZES = {
    ChecksumAlgorithm.CRC32: 4,
    ChecksumAlgorithm.CRC32C: 4,
    ChecksumAlgorithm.CRC64NVME: 8,
    ChecksumAlgorithm.SHA1: 20,
    ChecksumAlgorithm.SHA256: 32,
}


class ChecksumType(StrEnum):
    """What a checksum was computed from."""

    #: It was computed from the whole content.
    FULL_OBJECT = "FULL_OBJECT"
    #: It was computed from the checksums of the parts of a multipart upload.
    COMPOSITE = "COMPOSITE"


@dataclass(frozen=True, slots=True)
class Checksum:
    """A checksum of an object.

    Example:
        >>> photos = FakeStore(dialect="s3", buckets=["photos"])["photos"]
        >>> photos.put("cat.jpg", b"test data..").checksum == Checksum(ChecksumAlgorithm.CRC64NVME, "qUVrWYOrIAM=")
        True

    Args:
        algorithm: The algorithm.
        value: The checksum in base64. A composite checksum ends with a hyphen and the number of parts.
        type: What the checksum was computed from.
    """

    algorithm: ChecksumAlgorithm
    value: str
    type: ChecksumType = ChecksumType.FULL_OBJECT


class ChecksumMode(NamedTuple):
    """How a multipart upload is checked.

    Args:
        algorithm: The algorithm of the checksums of its parts, and of the object.
        type: What the checksum of the object is computed from.
    """

    algorithm: ChecksumAlgorithm
    type: ChecksumType

    @property
    def is_valid(self) -> bool:
        """Whether the service has this mode: a CRC64NVME is never composite, and a hash always is."""
        if self.type is ChecksumType.COMPOSITE:
            return self.algorithm is not ChecksumAlgorithm.CRC64NVME
        return self.algorithm.is_crc


class Hasher(Protocol):
    """A running checksum."""

    def update(self, data: bytes, /) -> object:
        """Add the next piece of the content."""
        ...

    def digest(self) -> bytes:
        """Return the checksum of everything that was added."""
        ...


class _Crc:
    def __init__(self, function: Callable[[bytes, int], int], size: int) -> None:
        self._function = function
        self._size = size
        self._value = 0

    def update(self, data: bytes, /) -> None:
        self._value = self._function(data, self._value)

    def digest(self) -> bytes:
        return self._value.to_bytes(self._size, "big")


@cache
def has_checksum_library() -> bool:
    """Return whether CRC32C and CRC64NVME can be computed: the extra ``fakestore[checksums]`` is installed."""
    # Cached, because a failed import takes as long as the rest of a PUT.
    try:
        import awscrt.checksums  # noqa: F401
    except ImportError:
        return False
    return True


def can_compute(algorithm: ChecksumAlgorithm) -> bool:
    """Return whether checksums of this algorithm can be computed here."""
    return algorithm not in (ChecksumAlgorithm.CRC32C, ChecksumAlgorithm.CRC64NVME) or has_checksum_library()


def new_hasher(algorithm: ChecksumAlgorithm) -> Hasher:
    """Return a running checksum of nothing.

    Raises:
        UnsupportedRequest: If the algorithm needs a library that is not installed.
    """
    if algorithm is ChecksumAlgorithm.SHA1:
        return hashlib.sha1(usedforsecurity=False)
    if algorithm is ChecksumAlgorithm.SHA256:
        return hashlib.sha256()
    return _Crc(_crc_function(algorithm), algorithm.size)


def compute_checksum(algorithm: ChecksumAlgorithm, content: Content) -> Checksum:
    """Return the checksum of `content`. The CRC of sparse content takes time that is logarithmic in its size.

    Raises:
        UnsupportedRequest: If the algorithm needs a library that is not installed, or would have to read too many
            zero bytes of sparse content.
    """
    if sparse_size(content) > SPARSE_MD5_LIMIT:
        return _checksum_of_many_zeros(algorithm, content)
    hasher = new_hasher(algorithm)
    for piece in pieces_of(content):
        hasher.update(piece)
    return make_checksum(algorithm, hasher.digest())


def make_checksum(algorithm: ChecksumAlgorithm, digest: bytes) -> Checksum:
    """Return the checksum of a whole object from its bytes."""
    return Checksum(algorithm, base64.b64encode(digest).decode())


def is_checksum_value(algorithm: ChecksumAlgorithm, text: str) -> bool:
    """Return whether `text` is the base64 form of as many bytes as a checksum of this algorithm has."""
    return len(decode_base64(text)) == algorithm.size


def decode_base64(text: str) -> bytes:
    """Return the bytes that `text` represents in base64, or no bytes if it is malformed."""
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        return b""


def compose_checksum(algorithm: ChecksumAlgorithm, parts: Sequence[Checksum]) -> Checksum:
    """Return the composite checksum of parts: the checksum of their checksums, a hyphen and their number.

    Raises:
        UnsupportedRequest: If the algorithm needs a library that is not installed.
    """
    hasher = new_hasher(algorithm)
    for part in parts:
        hasher.update(base64.b64decode(part.value))
    value = make_checksum(algorithm, hasher.digest()).value
    return Checksum(algorithm, f"{value}-{len(parts)}", ChecksumType.COMPOSITE)


def combine_crcs(algorithm: ChecksumAlgorithm, parts: Iterable[tuple[str, int]]) -> Checksum:
    """Return the checksum of content that consists of parts, without reading it.

    Args:
        algorithm: A CRC.
        parts: The checksum in base64 and the size in bytes of each part.

    Raises:
        UnsupportedRequest: If the library that combines checksums is not installed.
    """
    combine = _combine_function(algorithm)
    value = 0
    for text, size in parts:
        value = combine(value, int.from_bytes(base64.b64decode(text), "big"), size)
    return make_checksum(algorithm, value.to_bytes(algorithm.size, "big"))


def _checksum_of_many_zeros(algorithm: ChecksumAlgorithm, content: Content) -> Checksum:
    if not algorithm.is_crc:
        raise UnsupportedRequest(
            f"{algorithm} of {content_size(content):,} bytes: the {algorithm} of content with more than"
            f" {SPARSE_MD5_LIMIT:,} sparse bytes is not computed; omit the checksum, or use a CRC"
        )
    function = _crc_function(algorithm)
    parts = []
    for piece in content.pieces if isinstance(content, JoinedContent) else (content,):
        if isinstance(piece, SparseContent):
            digest = _crc_of_zeros(algorithm, piece)
        else:
            digest = function(bytes(piece), 0).to_bytes(algorithm.size, "big")
        parts.append((make_checksum(algorithm, digest).value, content_size(piece)))
    return combine_crcs(algorithm, parts)


def _crc_of_zeros(algorithm: ChecksumAlgorithm, content: SparseContent) -> bytes:
    """Return the CRC of zeros: that of twice as many is that of two halves, combined."""
    combine = _combine_function(algorithm)
    function = _crc_function(algorithm)
    total, block, size, left = 0, function(bytes(1), 0), 1, content.size
    while left:
        if left & 1:
            total = combine(total, block, size)
        block, size, left = combine(block, block, size), size * 2, left >> 1
    return total.to_bytes(algorithm.size, "big")


def _crc_function(algorithm: ChecksumAlgorithm) -> Callable[[bytes, int], int]:
    if algorithm is ChecksumAlgorithm.CRC32:
        return zlib.crc32
    _require_library(f"{algorithm} checksums")
    from awscrt import checksums  # imported here because most stores do not need it, and it is an extra

    functions: dict[ChecksumAlgorithm, Callable[[bytes, int], int]] = {
        ChecksumAlgorithm.CRC32C: checksums.crc32c,
        ChecksumAlgorithm.CRC64NVME: checksums.crc64nvme,
    }
    return functions[algorithm]


def _combine_function(algorithm: ChecksumAlgorithm) -> Callable[[int, int, int], int]:
    _require_library(f"combined {algorithm} checksums")
    from awscrt import checksums  # imported here because most stores do not need it, and it is an extra

    functions: dict[ChecksumAlgorithm, Callable[[int, int, int], int]] = {
        ChecksumAlgorithm.CRC32: checksums.combine_crc32,
        ChecksumAlgorithm.CRC32C: checksums.combine_crc32c,
        ChecksumAlgorithm.CRC64NVME: checksums.combine_crc64nvme,
    }
    return functions[algorithm]


def _require_library(feature: str) -> None:
    if not has_checksum_library():
        raise UnsupportedRequest(
            f"{feature} need the library awscrt, which is not installed; pip install"
            " fakestore[checksums], or let the client use CRC32, SHA1 or SHA256"
        )
