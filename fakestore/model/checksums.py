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
        """Return the CRC of content in two parts from their CRCs, and the size in bytes of the second part."""
        return self._multiply(first, self._power(8 * size)) ^ second

    def of_zeros(self, size: int) -> int:
        """Return the CRC of `size` zero bytes. A zero byte only multiplies the polynomial by a power of x."""
        ones = (1 << self.width) - 1
        return self._multiply(ones, self._power(8 * size)) ^ ones

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

    The extra ``fakestore[checksums]`` computes CRC32C and CRC64NVME of large content faster. XXHASH3, XXHASH64 and
    XXHASH128 need it.
    """

    CRC32 = "CRC32"
    CRC32C = "CRC32C"
    CRC64NVME = "CRC64NVME"
    SHA1 = "SHA1"
    SHA256 = "SHA256"
    SHA512 = "SHA512"
    MD5 = "MD5"
    XXHASH64 = "XXHASH64"
    XXHASH3 = "XXHASH3"
    XXHASH128 = "XXHASH128"

    @property
    def is_crc(self) -> bool:
        """Whether the checksums of two parts can be combined into the checksum of both."""
        return self in _CRCS

    @property
    def size(self) -> int:
        """The number of bytes of a checksum."""
        return len(_raw_checksum(self, ()))

    def check_is_installed(self) -> None:
        """Check that checksums can be computed with the installed libraries. [checksum-algorithms]"""
        if not self.is_crc:
            _new_hash(self)


_CRCS = {
    ChecksumAlgorithm.CRC32: CRC32,
    ChecksumAlgorithm.CRC32C: CRC32C,
    ChecksumAlgorithm.CRC64NVME: CRC64NVME,
}

#: The names of the algorithms that only the library xxhash has.
_XXHASHES = {
    ChecksumAlgorithm.XXHASH64: "xxh64",
    ChecksumAlgorithm.XXHASH3: "xxh3_64",
    ChecksumAlgorithm.XXHASH128: "xxh3_128",
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
    """How a multipart upload is checked: the algorithm for its parts and the object, and the type for the object."""

    algorithm: ChecksumAlgorithm
    type: ChecksumType


_CRC_TYPES = (ChecksumType.COMPOSITE, ChecksumType.FULL_OBJECT)

#: The types of checksum that a multipart upload with an algorithm can have. The first type is the default.
#: [checksum-algorithms]
UPLOAD_TYPES = dict.fromkeys(ChecksumAlgorithm, (ChecksumType.COMPOSITE,)) | {
    ChecksumAlgorithm.CRC32: _CRC_TYPES,
    ChecksumAlgorithm.CRC32C: _CRC_TYPES,
    ChecksumAlgorithm.CRC64NVME: (ChecksumType.FULL_OBJECT,),
}


class _Hash(Protocol):
    def update(self, data: bytes, /) -> None: ...

    def digest(self) -> bytes: ...


def _new_hash(algorithm: ChecksumAlgorithm) -> _Hash:
    if algorithm not in _XXHASHES:
        return hashlib.new(algorithm.lower(), usedforsecurity=False)
    try:
        import xxhash
    except ImportError:
        raise UnsupportedRequest(
            f"{algorithm} needs the library xxhash, which is not installed; pip install fakestore[checksums], or use"
            " another checksum algorithm"
        ) from None
    hasher: _Hash = getattr(xxhash, _XXHASHES[algorithm])()
    return hasher


def _raw_checksum(algorithm: ChecksumAlgorithm, pieces: Iterable[bytes | SparseContent]) -> bytes:
    """Return the bytes of the checksum of content in pieces. The CRC of a sparse piece takes logarithmic time."""
    if algorithm in _CRCS:
        crc, value = _CRCS[algorithm], 0
        for piece in pieces:
            if isinstance(piece, SparseContent):
                value = crc.combine(value, crc.of_zeros(piece.size), piece.size)
            else:
                value = crc.function(piece, value)
        return value.to_bytes(crc.width // 8, "big")
    hasher = _new_hash(algorithm)
    for piece in pieces:
        for chunk in pieces_of(piece):
            hasher.update(chunk)
    return hasher.digest()


def compute_checksum(algorithm: ChecksumAlgorithm, content: Content) -> Checksum:
    if not algorithm.is_crc and sparse_size(content) > SPARSE_MD5_LIMIT:
        raise UnsupportedRequest(
            f"{algorithm} of {len(content):,} bytes: the {algorithm} of content with more than"
            f" {SPARSE_MD5_LIMIT:,} sparse bytes is not computed; omit the checksum, or use a CRC"
        )
    raw = _raw_checksum(algorithm, content.pieces if isinstance(content, JoinedContent) else (content,))
    return Checksum(algorithm, base64.b64encode(raw).decode())


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
    raw = _raw_checksum(algorithm, [base64.b64decode(part.value) for part in parts])
    return Checksum(algorithm, f"{base64.b64encode(raw).decode()}-{len(parts)}", ChecksumType.COMPOSITE)


@element()
class ChecksumValues:
    """The value of a checksum. A reply has at most one."""

    crc32: str | None = child("ChecksumCRC32", default=None)
    crc32c: str | None = child("ChecksumCRC32C", default=None)
    crc64nvme: str | None = child("ChecksumCRC64NVME", default=None)
    sha1: str | None = child("ChecksumSHA1", default=None)
    sha256: str | None = child("ChecksumSHA256", default=None)
    sha512: str | None = child("ChecksumSHA512", default=None)
    md5: str | None = child("ChecksumMD5", default=None)
    xxhash64: str | None = child("ChecksumXXHASH64", default=None)
    xxhash3: str | None = child("ChecksumXXHASH3", default=None)
    xxhash128: str | None = child("ChecksumXXHASH128", default=None)

    @property
    def checksums(self) -> tuple[Checksum, ...]:
        values = {algorithm: getattr(self, algorithm.lower()) for algorithm in ChecksumAlgorithm}
        return tuple(Checksum(algorithm, value) for algorithm, value in values.items() if value is not None)


@element()
class ChecksumElements(ChecksumValues):
    checksum_type: str | None = child("ChecksumType", default=None)


@element()
class ChecksumModeElements:
    checksum_algorithm: str | None = child("ChecksumAlgorithm", default=None)
    checksum_type: str | None = child("ChecksumType", default=None)


def checksum_mode_elements(mode: ChecksumMode | Checksum | None) -> dict[str, str]:
    """Return the fields of :class:`ChecksumModeElements`, which the entries of listings have, too."""
    return {} if mode is None else {"checksum_algorithm": str(mode.algorithm), "checksum_type": str(mode.type)}


def checksum_values(checksum: Checksum | None) -> dict[str, str]:
    return {} if checksum is None else {checksum.algorithm.lower(): checksum.value}


def checksum_elements(checksum: Checksum | None) -> dict[str, str]:
    return {} if checksum is None else checksum_values(checksum) | {"checksum_type": str(checksum.type)}
