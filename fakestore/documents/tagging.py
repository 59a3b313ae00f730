"""The Tagging document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fakestore.documents.shape import parse
from fakestore.documents.xml import parse_xml
from fakestore.model.errors import MALFORMED_XML
from fakestore.model.shape import child, children, document, element


@element()
class TagElement:
    """One tag. Key and value are required, and the value may be empty."""

    key: str = child("Key")
    value: str = child("Value")


def tag_elements(tags: Mapping[str, str]) -> tuple[TagElement, ...]:
    """Return the elements for tags, in their order."""
    return tuple(TagElement(key=key, value=value) for key, value in tags.items())


def tag_pairs(tags: Iterable[TagElement]) -> list[tuple[str, str]]:
    """Return the keys and values of elements. They are not checked."""
    return [(tag.key, tag.value) for tag in tags]


@document("Tagging")
class Tagging:
    """The tags of an object or a bucket."""

    tags: tuple[TagElement, ...] = children("Tag", inside="TagSet")


@document("Tagging")
class RequestedTagging:
    """The tags of a request. A document without a TagSet means no tags. [tagging-without-a-set]"""

    tags: tuple[TagElement, ...] = children("Tag", inside="TagSet", default=())


def parse_form_tagging(text: str, xml_namespace: str | None) -> tuple[TagElement, ...]:
    """Return the tags that the document in a field of a form states. Another document states none, as recorded.

    Raises:
        ErrorResponse: MalformedXML.
    """
    body = text.encode()
    if parse_xml(body, MALFORMED_XML, xml_namespace).tag != "Tagging":
        return ()
    return parse(RequestedTagging, body, xml_namespace).tags
