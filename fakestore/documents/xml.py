"""What every XML document shares: safe parsing and escaping."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from fakestore.model.errors import ErrorCode

if TYPE_CHECKING:
    from lxml.etree import _Element

PROLOG = '<?xml version="1.0" encoding="UTF-8"?>\n'
#: The longest document in bytes. The operations refuse a longer one before it is read, as the public service does.
LONGEST_DOCUMENT = 2 * 1024 * 1024

# Some of these characters cannot be written in XML 1.0, not even as references. They are written as references
# nevertheless, as the public service does: listings have `encoding-type` for this reason.
_SPECIAL = '[&<>"\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufffe\uffff]'
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}


def escape(text: str) -> str:
    """Return ``text`` as the content of an element or an attribute."""
    return _special_characters().sub(_reference, text)


@cache
def _special_characters() -> re.Pattern[str]:
    # Not when this module is imported, because it takes 1 % of the time of the import.
    return re.compile(_SPECIAL)


def _reference(match: re.Match[str]) -> str:
    character = match[0]
    return _ENTITIES.get(character) or f"&#x{ord(character):x};"


def parse_xml(body: bytes, malformed: ErrorCode, xml_namespace: str | None, hint: str = "") -> _Element:
    """Return the root element of ``body``, with the namespace removed from every tag.

    Nothing is read from files or from the network, and no entity is expanded.

    Args:
        malformed: The error for a body that is not acceptable.
        xml_namespace: The namespace that elements may have; None for no namespace. They need not have it.
        hint: What the explanation adds if the body is not XML.

    Raises:
        ErrorResponse: ``malformed``, if the body is not XML, is nested too deeply, declares a document type (and so
            perhaps entities), or has an element in another namespace.
    """
    from lxml import etree  # imported here: most tests never send a document

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        # Not the text of libxml2, which differs between its versions.
        line, column = getattr(error, "position", (1, 1))
        raise malformed.error(
            explanation=f"the body is not well-formed XML (line {max(line, 1)}, column {max(column, 1)}){hint}"
        ) from None
    docinfo: Any = root.getroottree().docinfo
    if docinfo.doctype:
        raise malformed.error(
            explanation="the document has a document type declaration; remove it, and entities with it"
        )
    for node in root.iter():
        tag = etree.QName(node)
        if tag.namespace not in (None, xml_namespace):
            expected = "no namespace" if xml_namespace is None else f"{xml_namespace!r} or none"
            raise malformed.error(
                explanation=f"<{tag.localname}> is in the unknown namespace {tag.namespace!r}; expected {expected}"
            )
        node.tag = tag.localname
    return root
