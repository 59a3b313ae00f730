"""Cyclic redundancy checks: how they are computed and combined."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import cache
from typing import NamedTuple


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
        """The function that returns the CRC of some bytes that follow others, whose CRC is its second argument."""
        return fast_function(self.name) or self.compute

    def compute(self, data: bytes, value: int = 0) -> int:
        """Return the CRC of `data`, which follows content with the CRC `value`.

        The content is one polynomial. Its first half is multiplied by the remainder of its place, and added to the
        second half, until little is left. So Python's integers do the work: a megabyte takes about 50 ms.
        """
        ones = (1 << self.width) - 1
        # A polynomial of so many terms. The lowest bit is the highest power.
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
