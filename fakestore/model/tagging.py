"""Tags of objects and buckets: pairs of a key and a value."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from fakestore.errors import BAD_REQUEST, INTERNAL_ERROR, INVALID_TAG, ErrorCode, ErrorResponse
from fakestore.model.frozen_mapping import FrozenMapping
from fakestore.xml.declarations import child, children, document, element

NO_TAGS = FrozenMapping({})

#: The maximum length of a key and of a value, in characters.
TAG_KEY_LENGTH = 128
TAG_VALUE_LENGTH = 256

_SYSTEM_PREFIX = "aws:"
_PUNCTUATION = "_.:/=+-@"


class TagRules(NamedTuple):
    """The rules for the tags of a kind of resource.

    Args:
        noun: The kind of resource, for messages.
        system_message: The service's message for a key that begins with ``aws:``.
        names_system_tag: Whether the error for such a key names it.
    """

    noun: str
    most: int
    system_message: str
    names_system_tag: bool = True
    repeated_key: ErrorCode = INVALID_TAG

    def check(self, pairs: Iterable[tuple[str, str]]) -> FrozenMapping:
        """Return the tags, in their order.

        Example:
            >>> OBJECT_TAGS.check([("color", "red")])
            {'color': 'red'}
        """
        tags: dict[str, str] = {}
        for key, value in pairs:
            if key in tags:
                raise self._repeated(key)
            self._check_key(key)
            _check_value(key, value)
            tags[key] = value
        if len(tags) > self.most:
            raise BAD_REQUEST.error(
                f"{self.noun} tags cannot be greater than {self.most}",
                explanation=f"{len(tags)} tags were sent; the maximum is {self.most}",
            )
        return FrozenMapping(tags)

    def _check_key(self, key: str) -> None:
        if key.startswith(_SYSTEM_PREFIX):
            raise ErrorResponse(
                INVALID_TAG,
                self.system_message,
                explanation=f"the tag key {key!r} begins with {_SYSTEM_PREFIX!r}, which is reserved",
                elements={"TagKey": key} if self.names_system_tag else None,
            )
        if not is_tag_text(key, 1, TAG_KEY_LENGTH):
            raise INVALID_TAG.error(
                "The TagKey you have provided is invalid",
                explanation=f"invalid tag key {key!r}: use 1 to {TAG_KEY_LENGTH} letters, digits, spaces and any of"
                f" {_PUNCTUATION}",
                TagKey=key,
            )

    def _repeated(self, key: str) -> ErrorResponse:
        if self.repeated_key is INVALID_TAG:
            return INVALID_TAG.error("Cannot provide multiple Tags with the same key", TagKey=key)
        return self.repeated_key.error(explanation=f"the tag key {key!r} is repeated")


OBJECT_TAGS = TagRules("Object", 10, "Your TagKey cannot be prefixed with aws:")
BUCKET_TAGS = TagRules("Bucket", 50, "System tags cannot be added/updated by requester")
#: The tags of a bucket that is created. The public service answers a repeated key with an internal error.
#: [tags-of-a-new-bucket]
NEW_BUCKET_TAGS = TagRules(
    "Bucket",
    50,
    'User-defined tag keys can\'t start with "aws:". This prefix is reserved for system tags. Remove "aws:" from your'
    " tag keys and try again.",
    names_system_tag=False,
    repeated_key=INTERNAL_ERROR,
)


def _check_value(key: str, value: str) -> None:
    if not is_tag_text(value, 0, TAG_VALUE_LENGTH):
        raise INVALID_TAG.error(
            "The TagValue you have provided is invalid",
            explanation=f"invalid value {value!r} of tag {key!r}: use at most {TAG_VALUE_LENGTH} letters, digits,"
            f" spaces and any of {_PUNCTUATION}",
            TagKey=key,
            TagValue=value,
        )


def is_tag_text(text: str, least: int, most: int) -> bool:
    """Return whether `text` has `least` to `most` characters, and only characters that tags may have."""
    return least <= len(text) <= most and all(
        each in _PUNCTUATION or unicodedata.category(each)[0] in "LNZ" for each in text
    )


@element()
class Tag:
    """One tag of a document. Key and value are required, and the value may be empty."""

    key: str = child("Key")
    value: str = child("Value")


def tag_pairs(tags: Iterable[Tag]) -> list[tuple[str, str]]:
    """Return the keys and values of tags, which may be repeated or invalid."""
    return [(tag.key, tag.value) for tag in tags]


@document("Tagging")
class Tagging:
    """The tags of an object or a bucket, as a reply shows them."""

    tags: tuple[Tag, ...] = children("Tag", inside="TagSet")

    @classmethod
    def of(cls, tags: Mapping[str, str]) -> Tagging:
        return cls(tags=tuple(Tag(key=key, value=value) for key, value in tags.items()))


@document("Tagging")
class RequestedTagging:
    """The tags of a request. A document without a TagSet means no tags. [tagging-without-a-set]"""

    tags: tuple[Tag, ...] = children("Tag", inside="TagSet", default=())
