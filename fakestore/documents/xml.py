"""XML, both ways: written as the service writes it, read without ever touching a file, a network or an entity."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any

from fakestore.model.errors import MALFORMED_XML, ErrorCode
from fakestore.model.unsupported import UnsupportedRequest
from fakestore.protocol.dialect import Dialect

if TYPE_CHECKING:
    from lxml.etree import _Element

PROLOG = '<?xml version="1.0" encoding="UTF-8"?>\n'
#: The namespace that clients of the public service put on their documents; none is as good.
SERVICE_NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/"
#: A document longer than this is refused unread, as the public service does.
LONGEST_DOCUMENT = 2 * 1024 * 1024
XSI = "http://www.w3.org/2001/XMLSchema-instance"
#: Says of which kind a Grantee is; no other element of a request's document has an attribute.
XSI_TYPE = f"{{{XSI}}}type"

# What XML 1.0 cannot hold is sent as a character reference all the same: that is why listings have encoding-type.
_UNWRITABLE = re.compile('[&<>"\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufffe\uffff]')
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}


def text(name: str, value: object) -> str:
    """``<name>value</name>``, the value escaped."""
    return f"<{name}>{_escaped(str(value))}</{name}>"


def _escaped(value: str) -> str:
    return _UNWRITABLE.sub(_reference, value)


def _reference(found: re.Match[str]) -> str:
    character = found[0]
    return _ENTITIES.get(character) or f"&#x{ord(character):x};"


def timestamp(moment: datetime) -> str:
    """A moment in UTC as documents have it: to the second, with ``.000Z`` behind."""
    return f"{moment:%Y-%m-%dT%H:%M:%S}.000Z"


def element(name: str, *children: str, **attributes: str) -> str:
    """``<name …>children</name>``; the children are XML already. ``__`` in an attribute's name stands for ``:``."""
    written = "".join(f' {key.replace("__", ":")}="{_escaped(value)}"' for key, value in attributes.items())
    return f"<{name}{written}>{''.join(children)}</{name}>"


def root(name: str, *children: str, dialect: Dialect) -> str:
    """The root element of a document that is sent, in the dialect's namespace if it has one."""
    if dialect.xml_namespace is None:
        return element(name, *children)
    return element(name, *children, xmlns=dialect.xml_namespace)


def document(root: str) -> bytes:
    return (PROLOG + root).encode()


def parse(body: bytes, name: str, malformed: ErrorCode = MALFORMED_XML) -> _Element:
    """The root element of a request's document, its tags without namespace.

    Raises:
        ErrorResponse: ``malformed``, where it is no XML, has a document type (so no entities), is too deep, has an
            attribute where none belongs, or another root than the one named.
    """
    from lxml import etree  # here, because a test that sends no document need not pay for it

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    try:
        parsed = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise malformed.error(explanation=f"the body is no well-formed XML: {error}") from None
    if _has_doctype(parsed):
        raise malformed.error(explanation="a document type declaration is refused, and entities with it")
    for node in parsed.iter():
        tag = etree.QName(node)
        if tag.namespace not in (None, SERVICE_NAMESPACE):
            raise malformed.error(explanation=f"<{tag.localname}> is in the unknown namespace {tag.namespace!r}")
        node.tag = tag.localname
        for attribute in node.attrib:
            if (tag.localname, attribute) != ("Grantee", XSI_TYPE):
                raise malformed.error(explanation=f"<{tag.localname}> has no attribute {attribute!r}")
    if parsed.tag != name:
        raise malformed.error(explanation=f"the document is a <{parsed.tag}>, where a <{name}> belongs")
    return parsed


def children(
    parent: _Element,
    *,
    one: tuple[str, ...] = (),
    many: tuple[str, ...] = (),
    unmodelled: tuple[str, ...] = (),
    malformed: ErrorCode = MALFORMED_XML,
) -> dict[str, list[_Element]]:
    """The children of ``parent`` by tag: those in ``one`` at most once, those in ``many`` any number of times.

    Raises:
        ErrorResponse: ``malformed``, at a child of another name, one too many, or text between the children.
        UnsupportedRequest: a child has a name in ``unmodelled``, which the public service knows.
    """
    found: dict[str, list[_Element]] = {name: [] for name in one + many}
    for child in parent:
        if child.tag in unmodelled:
            raise UnsupportedRequest(f"<{child.tag}> in <{parent.tag}> is not modelled; there is {', '.join(found)}")
        if child.tag not in found:
            raise malformed.error(explanation=f"<{parent.tag}> has no child <{child.tag}>; it has {', '.join(found)}")
        found[child.tag].append(child)
    for name in one:
        if len(found[name]) > 1:
            raise malformed.error(
                explanation=f"<{parent.tag}> has {len(found[name])} children <{name}>, where one belongs"
            )
    if (parent.text or "").strip() or any((child.tail or "").strip() for child in parent):
        raise malformed.error(explanation=f"<{parent.tag}> has text between its children")
    return found


def texts(
    parent: _Element,
    *names: str,
    unmodelled: tuple[str, ...] = (),
    malformed: ErrorCode = MALFORMED_XML,
) -> dict[str, str]:
    """The texts of the children of ``parent`` by tag; each at most once, and those that are there alone.

    Raises:
        ErrorResponse, UnsupportedRequest: as :func:`children` and :func:`content`.
    """
    found = children(parent, one=names, unmodelled=unmodelled, malformed=malformed)
    return {name: content(nodes[0], malformed) for name, nodes in found.items() if nodes}


def content(node: _Element, malformed: ErrorCode = MALFORMED_XML) -> str:
    """The text of an element that has no children.

    Raises:
        ErrorResponse: ``malformed``, where it has children.
    """
    if len(node):
        raise malformed.error(explanation=f"<{node.tag}> has children, where text belongs")
    return node.text or ""


def _has_doctype(parsed: _Element) -> bool:
    docinfo: Any = parsed.getroottree().docinfo
    return bool(docinfo.doctype)
