"""The limits of the service. A test can lower them to reach them with small bodies."""

from __future__ import annotations

from dataclasses import dataclass, fields

KIB = 1024
MIB = 1024**2
GIB = 1024**3
TIB = 1024**4

#: The maximum length of a key in UTF-8 bytes.
KEY_BYTES = 1024
#: The highest number of a part of a multipart upload, and so the maximum number of parts.
MOST_PARTS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The largest sizes that the store accepts, and the smallest size of a part, in bytes.

    The defaults are those of the service.

    Example:
        >>> from fakestore import FakeStore
        >>> store = FakeStore(limits=Limits(object_size=10))

    Args:
        object_size: The largest size of an object.
        copy_size: The largest size of the source of a copy.
        part_size: The largest size of a part of a multipart upload.
        min_part_size: The smallest size of a part of a multipart upload. The last part can be smaller.
        metadata: The largest size of the user metadata of an object: names without prefix, and values.
        header_section: The largest size of all headers together, in a request that writes an object.
        form_fields: The largest size of the form fields before the file, together with their headers.

    Raises:
        ValueError: If a limit is negative.
    """

    object_size: int = 5 * TIB
    copy_size: int = 5 * GIB
    part_size: int = 5 * GIB
    min_part_size: int = 5 * MIB
    metadata: int = 2 * KIB
    header_section: int = 8 * KIB
    form_fields: int = 20 * KIB

    def __post_init__(self) -> None:
        for each in fields(self):
            limit = getattr(self, each.name)
            if limit < 0:
                raise ValueError(f"limit {each.name} must be 0 or more bytes, not {limit}")
