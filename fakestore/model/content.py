"""Content: ``bytes``, kept by reference, or zeros of a stated size that take no memory."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

_MIB = 1024 * 1024
_CHUNK = bytes(64 * 1024)

#: Sparse content up to this many bytes has its MD5 computed; above, it carries a multipart-style entity tag.
SPARSE_MD5_LIMIT = 64 * _MIB
_PART = 64 * _MIB


@dataclass(frozen=True, slots=True)
class SparseContent:
    """``size`` zero bytes that take no memory, to reach the limits of the service at full size.

    Can be the body of a request and the content of an object. A range of it is sparse again. Over
    :data:`SPARSE_MD5_LIMIT` bytes its MD5 is not computed: such an object's entity tag has the form
    ``<32 hex digits>-<parts>``, as a real object of that size, uploaded in parts, has.

    Raises:
        ValueError: ``size`` is negative.
    """

    size: int

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ValueError(f"a size is 0 bytes or more, not {self.size}")

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[bytes]:
        """Chunks of at most 64 KiB, in order."""
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
    """The entity tag without its quotes: the MD5 as hex, or the multipart style for large sparse content."""
    if isinstance(content, bytes):
        return hashlib.md5(content, usedforsecurity=False).hexdigest()
    if content.size <= SPARSE_MD5_LIMIT:
        digest = hashlib.md5(usedforsecurity=False)
        for chunk in content:
            digest.update(chunk)
        return digest.hexdigest()
    parts = -(-content.size // _PART)
    stand_in = hashlib.md5(b"sparse content of %d bytes" % content.size, usedforsecurity=False)
    return f"{stand_in.hexdigest()}-{parts}"
