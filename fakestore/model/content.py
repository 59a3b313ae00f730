"""The content of objects: ``bytes``, or zero bytes that take no memory."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

_MIB = 1024 * 1024
_CHUNK = bytes(64 * 1024)

#: The MD5 of sparse content is computed up to this size in bytes. Larger content has an entity tag of multipart form.
SPARSE_MD5_LIMIT = 64 * _MIB
_PART_SIZE = 64 * _MIB


@dataclass(frozen=True, slots=True)
class SparseContent:
    """Zero bytes that take no memory, for tests with very large objects.

    It can be the body of a request and the content of an object. A slice of it is sparse, too. If it has more than
    :data:`SPARSE_MD5_LIMIT` bytes, its MD5 is not computed: the entity tag has the form ``<32 hex digits>-<parts>``,
    like that of a large object that was uploaded in parts.

    Example:
        >>> SparseContent(5 * 1024**4)[:1024]
        SparseContent(size=1024)

    Args:
        size: The number of bytes.

    Raises:
        ValueError: If ``size`` is negative.
    """

    size: int

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ValueError(f"size must be 0 or more bytes, not {self.size}")

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[bytes]:
        """Yield chunks of at most 64 KiB."""
        whole, rest = divmod(self.size, len(_CHUNK))
        for _ in range(whole):
            yield _CHUNK
        if rest:
            yield bytes(rest)

    def __getitem__(self, part: slice) -> SparseContent:
        return SparseContent(len(range(*part.indices(self.size))))

    def __bytes__(self) -> bytes:
        return bytes(self.size)


Content = bytes | SparseContent


def entity_tag(content: Content) -> str:
    """Return the entity tag without quotes: the hexadecimal MD5, or the multipart form for large sparse content."""
    if isinstance(content, bytes):
        return hashlib.md5(content, usedforsecurity=False).hexdigest()
    if content.size <= SPARSE_MD5_LIMIT:
        digest = hashlib.md5(usedforsecurity=False)
        for chunk in content:
            digest.update(chunk)
        return digest.hexdigest()
    parts = -(-content.size // _PART_SIZE)
    stand_in = hashlib.md5(b"sparse content of %d bytes" % content.size, usedforsecurity=False)
    return f"{stand_in.hexdigest()}-{parts}"
