"""The limits of the service. A test can lower them to reach them with small bodies."""

from __future__ import annotations

from dataclasses import dataclass

KIB = 1024
MIB = 1024**2
GIB = 1024**3
TIB = 1024**4

#: The maximum length of a key in UTF-8 bytes.
KEY_BYTES = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of the specification, section 8. They are inclusive, and in bytes.

    Example:
        >>> from fakestore import FakeStore
        >>> store = FakeStore(limits=Limits(object_size=10))

    Args:
        object_size: The size of an object.
        copy_size: The size of the source of a copy.
        part_size: The size of a part of a multipart upload.
        min_part_size: The smallest size of a part, unless it is the last one.
        metadata: The size of the user metadata of an object: names without prefix, and values.
        header_section: The size of all headers of a request that writes an object.

    Raises:
        ValueError: If a limit is negative.
    """

    object_size: int = 5 * TIB
    copy_size: int = 5 * GIB
    part_size: int = 5 * GIB
    min_part_size: int = 5 * MIB
    metadata: int = 2 * KIB
    header_section: int = 8 * KIB

    def __post_init__(self) -> None:
        for name in ("object_size", "copy_size", "part_size", "min_part_size", "metadata", "header_section"):
            limit = getattr(self, name)
            if limit < 0:
                raise ValueError(f"limit {name} must be 0 or more bytes, not {limit}")
