"""The limits of the service, which a test may lower to reach them with small bodies."""

from __future__ import annotations

from dataclasses import dataclass

KIB = 1024
GIB = 1024**3
TIB = 1024**4

#: The longest key, in UTF-8 bytes.
KEY_BYTES = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of the specification, section 8, all in bytes and all inclusive.

    Raises:
        ValueError: a limit is negative.
        TypeError: a limit is no whole number.
    """

    object_size: int = 5 * TIB
    copy_size: int = 5 * GIB
    metadata: int = 2 * KIB
    header_section: int = 8 * KIB

    def __post_init__(self) -> None:
        for name in ("object_size", "copy_size", "metadata", "header_section"):
            limit = getattr(self, name)
            if not isinstance(limit, int):
                raise TypeError(f"the limit {name} is a number of bytes, an int, not {limit!r}")
            if limit < 0:
                raise ValueError(f"the limit {name} is 0 bytes or more, not {limit}")
