"""Checksums of objects: their algorithms, how they are computed, and how the checksums of parts are combined."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import NamedTuple, Protocol

from fakestore.errors import UnsupportedRequest
from fakestore.model.content import (
    SPARSE_MD5_LIMIT,
    Content,
    JoinedContent,
    SparseContent,
    content_size,
    pieces_of,
    sparse_size,
)
from fakestore.xml.declarations import child, element


class Crc(NamedTuple):
    """A CRC that reads the lowest bit of each byte first, begins with ones, and is inverted at its end.

    Args:
        name: The name of its function in awscrt.
        polynomial: The generator polynomial without its highest power. The lowest bit is the highest of its powers.
        width: The number of bits.
    """

    name: str
    polynomial: int
    width: int

    @property
    def function(self) -> Callable[[bytes, int], int]:
        """The function that continues a CRC. Its arguments are the next bytes, and the CRC of the bytes before them."""
        return fast_function(self.name) or self.compute

    def compute(self, data: bytes, value: int = 0) -> int:
        """Return the CRC of `data`, which follows content with the CRC `value`.

        The content is one polynomial. It is halved until little is left: the first half is multiplied by the remainder
        of its place and added to the second half. So Python's integers do the work: a megabyte takes about 50 ms.
        """
        ones = (1 << self.width) - 1
        # A polynomial with this many terms. The lowest bit is the highest power.
        terms = 8 * len(data) + self.width
        left = int.from_bytes(data, "little") ^ value ^ ones
        while terms > 16 * self.width:
            half = (terms - self.width) // 2
            first, left, terms = left & ((1 << half) - 1), left >> half, terms - half
            factor = self._power(terms)
            for power in range(self.width):
                if factor >> (self.width - 1 - power) & 1:
                    left ^= first << (terms - half - power)
        for _ in range(terms - self.width):
            left = _shift(left, self.polynomial)
        return left ^ ones

    def combine(self, first: int, second: int, size: int) -> int:
        """Return the CRC of content in two parts.

        Args:
            first: The CRC of the first part.
            second: The CRC of the second part.
            size: The number of bytes of the second part.
        """
        return self._multiply(first, self._power(8 * size)) ^ second

    def _power(self, exponent: int) -> int:
        """Return x to the power of `exponent`, modulo the polynomial."""
        power, square = 1 << (self.width - 1), 1 << (self.width - 2)
        while exponent:
            if exponent & 1:
                power = self._multiply(power, square)
            square, exponent = self._multiply(square, square), exponent >> 1
        return power

    def _multiply(self, first: int, second: int) -> int:
        """Return the product of two polynomials, modulo the generator polynomial."""
        product = 0
        for bit in reversed(range(self.width)):
            if first >> bit & 1:
                product ^= second
            second = _shift(second, self.polynomial)
        return product


CRC32 = Crc("crc32", 0xEDB88320, 32)

CRC32C = Crc("crc32c", 0x82F63B78, 32)

CRC64NVME = Crc("crc64nvme", 0x9A6C9329AC4BC9B5, 64)


def _shift(value: int, polynomial: int) -> int:
    """Return a polynomial times x, modulo the generator polynomial."""
    return value >> 1 ^ (polynomial if value & 1 else 0)


@cache
def fast_function(name: str) -> Callable[[bytes, int], int] | None:
    if name == "crc32":
        return zlib.crc32
    try:
        from awscrt import checksums
    except ImportError:
        return None
    return getattr(checksums, name)  # type: ignore[no-any-return]


class ChecksumAlgorithm(StrEnum):
    """The algorithm of a checksum.

    The extra ``fakestore[checksums]`` computes CRC32C and CRC64NVME of large content faster.
    """

    CRC32 = "CRC32"
    CRC32C = "CRC32C"
    CRC64NVME = "CRC64NVME"
    SHA1 = "SHA1"
    SHA256 = "SHA256"

    @property
    def is_crc(self) -> bool:
        """Whether the checksums of two parts can be combined into the checksum of both."""
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

_CRCS = {
    ChecksumAlgorithm.CRC32: CRC32,
    ChecksumAlgorithm.CRC32C: CRC32C,
    ChecksumAlgorithm.CRC64NVME: CRC64NVME,
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


class _RunningCrc:
    def __init__(self, function: Callable[[bytes, int], int], size: int) -> None:
        self._function = function
        self._size = size
        self._value = 0

    def update(self, data: bytes, /) -> None:
        self._value = self._function(data, self._value)

    def digest(self) -> bytes:
        return self._value.to_bytes(self._size, "big")


def new_hasher(algorithm: ChecksumAlgorithm) -> Hasher:
    """Return a new, empty checksum."""
    if algorithm is ChecksumAlgorithm.SHA1:
        return hashlib.sha1(usedforsecurity=False)
    if algorithm is ChecksumAlgorithm.SHA256:
        return hashlib.sha256()
    return _RunningCrc(_CRCS[algorithm].function, algorithm.size)


def compute_checksum(algorithm: ChecksumAlgorithm, content: Content) -> Checksum:
    """Return the checksum of `content`. A CRC of sparse content takes logarithmic time."""
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
    """Return whether `text` is base64 and has the size of a checksum of this algorithm."""
    return len(decode_base64(text)) == algorithm.size


def decode_base64(text: str) -> bytes:
    """Return the bytes that `text` represents in base64, or no bytes if it is malformed."""
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        return b""


def compose_checksum(algorithm: ChecksumAlgorithm, parts: Sequence[Checksum]) -> Checksum:
    """Return the composite checksum of parts: the checksum of their checksums, a hyphen and their number."""
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
    """
    crc, value = _CRCS[algorithm], 0
    for text, size in parts:
        value = crc.combine(value, int.from_bytes(base64.b64decode(text), "big"), size)
    return make_checksum(algorithm, value.to_bytes(algorithm.size, "big"))


def _checksum_of_many_zeros(algorithm: ChecksumAlgorithm, content: Content) -> Checksum:
    if not algorithm.is_crc:
        raise UnsupportedRequest(
            f"{algorithm} of {content_size(content):,} bytes: the {algorithm} of content with more than"
            f" {SPARSE_MD5_LIMIT:,} sparse bytes is not computed; omit the checksum, or use a CRC"
        )
    function = _CRCS[algorithm].function
    parts = []
    for piece in content.pieces if isinstance(content, JoinedContent) else (content,):
        if isinstance(piece, SparseContent):
            digest = _crc_of_zeros(algorithm, piece)
        else:
            digest = function(bytes(piece), 0).to_bytes(algorithm.size, "big")
        parts.append((make_checksum(algorithm, digest).value, content_size(piece)))
    return combine_crcs(algorithm, parts)


def _crc_of_zeros(algorithm: ChecksumAlgorithm, content: SparseContent) -> bytes:
    """Return the CRC of zeros. Doubling the length combines the CRC with itself."""
    crc = _CRCS[algorithm]
    total, block, size, left = 0, crc.function(bytes(1), 0), 1, content.size
    while left:
        if left & 1:
            total = crc.combine(total, block, size)
        block, size, left = crc.combine(block, block, size), size * 2, left >> 1
    return total.to_bytes(algorithm.size, "big")


@element()
class ChecksumValues:
    """The value of a checksum: at most one is present in a reply."""

    crc32: str | None = child("ChecksumCRC32", default=None)
    crc32c: str | None = child("ChecksumCRC32C", default=None)
    crc64nvme: str | None = child("ChecksumCRC64NVME", default=None)
    sha1: str | None = child("ChecksumSHA1", default=None)
    sha256: str | None = child("ChecksumSHA256", default=None)

    @property
    def checksums(self) -> tuple[Checksum, ...]:
        """The checksums that a request states."""
        values = {algorithm: getattr(self, algorithm.lower()) for algorithm in ChecksumAlgorithm}
        return tuple(Checksum(algorithm, value) for algorithm, value in values.items() if value is not None)


@element()
class ChecksumElements(ChecksumValues):
    """A checksum with its type."""

    checksum_type: str | None = child("ChecksumType", default=None)


@element()
class ChecksumModeElements:
    """How a multipart upload is checked."""

    checksum_algorithm: str | None = child("ChecksumAlgorithm", default=None)
    checksum_type: str | None = child("ChecksumType", default=None)


def checksum_mode_elements(mode: ChecksumMode | Checksum | None) -> dict[str, str]:
    """Return the fields of :class:`ChecksumModeElements`, which the entries of listings have, too."""
    return {} if mode is None else {"checksum_algorithm": str(mode.algorithm), "checksum_type": str(mode.type)}


def checksum_values(checksum: Checksum | None) -> dict[str, str]:
    """Return the fields of :class:`ChecksumValues` for a checksum."""
    return {} if checksum is None else {checksum.algorithm.lower(): checksum.value}


def checksum_elements(checksum: Checksum | None) -> dict[str, str]:
    """Return the fields of :class:`ChecksumElements` for a checksum.

    Example:
        >>> checksum_elements(Checksum(ChecksumAlgorithm.CRC32, "cZWHwQ=="))
        {'crc32': 'cZWHwQ==', 'checksum_type': 'FULL_OBJECT'}
    """
    return {} if checksum is None else checksum_values(checksum) | {"checksum_type": str(checksum.type)}
