"""The Range header."""

from __future__ import annotations

import re

_RANGE = r"bytes=([0-9]*)-([0-9]*)"
#: Larger than the size of any content.
_BEYOND = 10**18


class UnsatisfiableRange(Exception):
    """A Range header selects no byte of the content."""


def parse_range(header: str | None, size: int) -> range | None:
    """Return the bytes that a Range header selects, or None if the whole content is to be sent.

    A malformed header and one with several ranges are ignored, as the service ignores them.

    Args:
        header: The value of the header, or None if it was not sent.
        size: The size of the content in bytes.

    Raises:
        UnsatisfiableRange: If the range selects none of the bytes.
    """
    match = re.fullmatch(_RANGE, header) if header is not None else None
    if match is None or match[0] == "bytes=-":
        return None
    first, last = map(_position, match.groups())
    if match[1] and match[2] and last < first:
        return None
    if not match[1]:
        first, last = size - min(last, size), size - 1
    elif not match[2]:
        last = size - 1
    if first >= size:
        raise UnsatisfiableRange
    return range(first, min(last, size - 1) + 1)


def _position(digits: str) -> int:
    return int(digits or "0") if len(digits) <= 18 else _BEYOND
