"""The content of objects: ``bytes``, zero bytes that take no memory, or both of them joined."""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate

_MIB = 1024 * 1024
_CHUNK = bytes(64 * 1024)

#: The MD5 of sparse content is computed up to this size in bytes. Larger content has an entity tag of multipart form.
SPARSE_MD5_LIMIT = 64 * _MIB


@dataclass(frozen=True, slots=True)
class SparseContent:
    """Zero bytes that take no memory, for tests with very large objects.

    It can be the ``data`` of a request of `requests`, the ``body`` of a :class:`fakestore.Request`, and the content of
    an object. A slice of it is sparse, too. It is never equal to ``bytes``; compare ``bytes(content)``.

    If it has more than 64 MiB, its MD5 is not computed. Then the entity tag has the form ``<32 hex digits>-<parts>``,
    like that of an object that was uploaded in parts.

    Example:
        >>> SparseContent(5 * 1024**4)[:1024]
        SparseContent(size=1024)

    Args:
        size: The number of bytes.

    Raises:
        ValueError: If ``size`` is negative, or more than ``sys.maxsize``.
    """

    size: int

    def __post_init__(self) -> None:
        if not 0 <= self.size <= sys.maxsize:
            raise ValueError(f"size must be from 0 to {sys.maxsize:,} bytes, not {self.size:,}")

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[bytes]:
        """Yield chunks of at most 64 KiB."""
        whole, rest = divmod(self.size, len(_CHUNK))
        for _ in range(whole):
            yield _CHUNK
        if rest:
            yield bytes(rest)

    def __contains__(self, part: bytes) -> bool:
        return part in bytes(self[: len(part)])

    def __getitem__(self, part: slice) -> SparseContent:
        return SparseContent(len(range(*part.indices(self.size))))

    def __bytes__(self) -> bytes:
        return bytes(self.size)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JoinedContent:
    """Several pieces of content, one after the other. ``bytes()`` joins them.

    The content of an object is of this type if the object was uploaded in several parts, and not all parts are sparse.
    It is equal to ``bytes`` with the same content. But if it has sparse pieces, it is only equal to joined content with
    the same pieces. A slice with a step is not supported.

    Example:
        >>> content = JoinedContent((b"me", b"ow"))
        >>> content == b"meow", bytes(content[1:3])
        (True, b'eo')

    Args:
        pieces: The pieces in order. Each has at least one byte.
    """

    pieces: tuple[bytes | SparseContent, ...]
    #: Where each piece begins, and where the last one ends. A slice finds its pieces by bisection.
    _bounds: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_bounds", tuple(accumulate(map(len, self.pieces), initial=0)))

    @property
    def size(self) -> int:
        """The number of bytes."""
        return self._bounds[-1]

    @property
    def sparse_size(self) -> int:
        """The number of bytes that take no memory."""
        return sum(piece.size for piece in self.pieces if isinstance(piece, SparseContent))

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[bytes]:
        """Yield each piece as it is, and chunks of at most 64 KiB of a sparse one."""
        for piece in self.pieces:
            if isinstance(piece, bytes):
                yield piece
            else:
                yield from piece

    def __contains__(self, part: bytes) -> bool:
        # More zero bytes than `part` has bytes change nothing.
        return part in b"".join(
            bytes(each[: len(part)]) if isinstance(each, SparseContent) else each for each in self.pieces
        )

    def __getitem__(self, part: slice) -> Content:
        start, stop, step = part.indices(self.size)
        if step != 1:
            raise ValueError(f"invalid step {step}: a slice of joined content has the step 1")
        if start == 0 and stop == self.size:
            return self
        first, end = bisect_right(self._bounds, start) - 1, bisect_left(self._bounds, stop)
        return join_content(
            piece[max(start - begin, 0) : stop - begin]
            for begin, piece in zip(self._bounds[first:end], self.pieces[first:end], strict=True)
        )

    def __bytes__(self) -> bytes:
        return b"".join(map(bytes, self.pieces))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, bytes | JoinedContent):
            return NotImplemented
        if len(self) != len(other):
            return False
        if isinstance(other, JoinedContent) and (self.sparse_size or other.sparse_size):
            return self.pieces == other.pieces
        return not self.sparse_size and bytes(self) == bytes(other)

    def __hash__(self) -> int:
        return hash(self.pieces if self.sparse_size else bytes(self))

    def __repr__(self) -> str:
        return f"<JoinedContent of {len(self.pieces):,} pieces: {self.size:,} bytes>"


Content = bytes | SparseContent | JoinedContent


def join_content(contents: Iterable[Content]) -> Content:
    """Return several contents as one, of the simplest type that is enough, without copying their bytes."""
    pieces: list[bytes | SparseContent] = []
    for content in contents:
        for piece in content.pieces if isinstance(content, JoinedContent) else (content,):
            if isinstance(piece, SparseContent) and pieces and isinstance(pieces[-1], SparseContent):
                pieces[-1] = SparseContent(pieces[-1].size + piece.size)
            elif piece:
                pieces.append(piece)
    if len(pieces) > 1:
        return JoinedContent(tuple(pieces))
    return pieces[0] if pieces else b""


def sparse_size(content: Content) -> int:
    """Return how many bytes of the content take no memory."""
    if isinstance(content, bytes):
        return 0
    return content.size if isinstance(content, SparseContent) else content.sparse_size


def pieces_of(content: bytes | Iterable[bytes]) -> Iterable[bytes]:
    """Return the pieces of content: ``bytes`` are one piece, all else yields its own."""
    return (content,) if isinstance(content, bytes) else content
