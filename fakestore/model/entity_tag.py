"""Entity tags."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from fakestore.model.content import (
    SPARSE_MD5_LIMIT,
    Content,
    JoinedContent,
    SparseContent,
    pieces_of,
    sparse_size,
)

_PART_SIZE = 64 * 1024 * 1024


class EntityTag(str):
    """A strong entity tag, with its quotes. In most cases, it is the hexadecimal MD5 of the content.

    The tag of an object that was uploaded in parts, and of large sparse content, has the form ``<MD5>-<parts>``.
    """

    __slots__ = ()

    @classmethod
    def parse(cls, text: str) -> EntityTag:
        """Read a tag. The service accepts it without quotes, too."""
        return cls('"' + text.strip('"') + '"')

    @classmethod
    def of(cls, content: Content) -> EntityTag:
        """Return the tag of content that is stored as it is."""
        md5 = hashlib.md5(usedforsecurity=False)
        if sparse_size(content) <= SPARSE_MD5_LIMIT:
            for chunk in pieces_of(content):
                md5.update(chunk)
            return cls(f'"{md5.hexdigest()}"')
        for piece in content.pieces if isinstance(content, JoinedContent) else (content,):
            md5.update(b"sparse content of %d bytes" % piece.size if isinstance(piece, SparseContent) else piece)
        return cls(f'"{md5.hexdigest()}-{-(-len(content) // _PART_SIZE)}"')

    @classmethod
    def of_parts(cls, parts: Sequence[EntityTag]) -> EntityTag:
        """Return the tag of an object that was uploaded in parts: the MD5 of the parts' MD5s, and their number."""
        # Large sparse parts have a "-", too.
        md5s = [bytes.fromhex(part.unquoted.partition("-")[0]) for part in parts]
        return cls(f'"{hashlib.md5(b"".join(md5s), usedforsecurity=False).hexdigest()}-{len(md5s)}"')

    @property
    def unquoted(self) -> str:
        return self[1:-1]

    @property
    def is_md5(self) -> bool:
        """Whether the tag has the form of an MD5. The tag of encrypted content is not its MD5, but has this form."""
        return "-" not in self

    def matches(self, condition: str, *, weakly: bool = False) -> bool:
        """Return whether the header of a condition has the tag.

        The header is a list of tags, or ``*``, which matches every tag. In a weak comparison, ``W/"tag"`` matches
        ``"tag"`` (RFC 9110, section 8.8.3.2).
        """
        tags = split_tags(condition)
        if weakly:
            tags = [tag.removeprefix("W/") for tag in tags]
        return any(tag == "*" or EntityTag.parse(tag) == self for tag in tags)


def split_tags(condition: str) -> list[str]:
    """Return the members of a list of entity tags as they were sent, without the blanks around them."""
    return [tag.strip(" \t") for tag in condition.split(",")]
