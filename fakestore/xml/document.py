"""Reads and writes the XML documents that :mod:`fakestore.xml.declarations` declares.

Example::

    tagging = parse(Tagging, body, None)
    body = render(tagging, None)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, NamedTuple, Union, cast, get_args, get_origin, get_type_hints

from fakestore.errors import ErrorCode, UnsupportedRequest
from fakestore.xml.declarations import (
    REQUIRED,
    TEXT_TYPES,
    Declared,
    Shape,
    ShapeField,
    TextError,
    TextType,
    choice,
    one_of,
    only_text,
)

if TYPE_CHECKING:
    from lxml.etree import _Element

    _ReadNodes = Callable[[list[_Element], _Element], Any]

PROLOG = '<?xml version="1.0" encoding="UTF-8"?>\n'

#: The longest document in bytes. The operations refuse a longer one before it is read, as the public service does.
LONGEST_DOCUMENT = 2 * 1024 * 1024

# Some of these characters are invalid in XML 1.0, even as references. The public service writes references anyway, and
# so does the fake. Listings have `encoding-type` for this reason.
_SPECIAL = re.compile('[&<>"\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufffe\uffff]')

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}


def escape(text: str) -> str:
    """Return ``text`` as the content of an element or an attribute."""
    return _SPECIAL.sub(_reference, text)


def _reference(match: re.Match[str]) -> str:
    character = match[0]
    return _ENTITIES.get(character) or f"&#x{ord(character):x};"


def parse_xml(body: bytes, malformed: ErrorCode, xml_namespace: str | None, hint: str = "") -> _Element:
    """Return the root element of ``body``, with the namespace removed from every tag.

    Nothing is read from files or from the network, and no entity is expanded.

    Args:
        xml_namespace: The namespace that elements may have; None for no namespace. Elements without a namespace are
            accepted, too.
    """
    from lxml import etree  # imported here: most tests never send a document

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        # The text of libxml2 is not used, because it differs between versions.
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


_XSI = "http://www.w3.org/2001/XMLSchema-instance"
_XSI_TYPE = f"{{{_XSI}}}type"


class _Malformed(Exception):
    """A document does not have its shape. The text is the explanation of the error."""


class _Content(NamedTuple):
    """A reader and a writer of what an element contains."""

    read: Callable[[_Element], Any]
    write: Callable[[str, Any, str], str]


class _Member(NamedTuple):
    """A field. ``read`` takes the elements that belong to it, and their parent."""

    name: str
    tags: tuple[str, ...]
    is_required: bool
    read: _ReadNodes
    write: Callable[[Any], str]


def parse(shape: type[Shape], body: bytes, xml_namespace: str | None, hint: str = "") -> Shape:
    """Return the document in ``body``.

    Args:
        xml_namespace: The namespace that the document may have; None for no namespace.
        hint: A sentence that the explanation adds if the body is not XML or is another document.
    """
    declared: Declared = cast(Any, shape).__shape__
    more = f". {hint}" if hint else ""
    root = parse_xml(body, declared.malformed, xml_namespace, more)
    if root.tag != declared.root:
        raise declared.malformed.error(
            explanation=f"the document is a <{root.tag}>; expected a <{declared.root}>{more}"
        )
    try:
        return cast(Shape, _shape_content(cast(Any, shape)).read(root))
    except _Malformed as problem:
        raise declared.malformed.error(explanation=str(problem)) from None


def render(document: object, xml_namespace: str | None) -> bytes:
    """Return ``document`` as XML, with ``xml_namespace`` on the root element unless it is ``None``."""
    shape: Any = type(document)
    namespace = ""
    if xml_namespace is not None and shape.__shape__.has_namespace:
        namespace = f' xmlns="{escape(xml_namespace)}"'
    return f"{PROLOG}{_shape_content(shape).write(shape.__shape__.root, document, namespace)}".encode()


@cache
def _shape_content(shape: Any) -> _Content:
    hints = get_type_hints(shape)
    fields: Mapping[str, ShapeField] = shape.__shape__.fields
    for name, field in fields.items():
        if field == only_text():
            return _text_shape(shape, name, _text_content(_text_type(hints[name]), None))
    members = [_member(name, field, hints[name]) for name, field in fields.items() if field.tags]
    return _element_shape(shape, members)


def _text_shape(shape: Any, name: str, content: _Content) -> _Content:
    """Return the content of a shape whose only field, `name`, is its text."""
    return _Content(
        lambda node: shape(**{name: content.read(node)}),
        lambda tag, value, more: content.write(tag, getattr(value, name), more),
    )


def _element_shape(shape: Any, members: list[_Member]) -> _Content:
    """Return the content of a shape whose fields are child elements."""
    declared: Declared = shape.__shape__
    owners = {tag: member.name for member in members for tag in member.tags}
    accepted = [_XSI_TYPE] if declared.xsi_type else []
    attributes = f' xmlns:xsi="{_XSI}" xsi:type="{declared.xsi_type}"' if declared.xsi_type else ""

    def read(node: _Element) -> Any:
        _refuse_attributes(node, *accepted)
        nodes = _sort(node, owners, declared.unsupported)
        present = [member for member in members if member.name in nodes or member.is_required]
        instance = shape(**{each.name: each.read(nodes.get(each.name, []), node) for each in present})
        if hasattr(instance, "validate"):
            instance.validate()
        return instance

    def write(tag: str, value: Any, more: str) -> str:
        values = vars(value)
        inner = "".join([each.write(values[each.name]) for each in members if values[each.name] is not None])
        return f"<{tag}{attributes}{more}>{inner}</{tag}>"

    return _Content(read, write)


def _text_content(kind: TextType, invalid: ErrorCode | TextError | None) -> _Content:
    def read(node: _Element) -> Any:
        _refuse_attributes(node)
        if len(node):
            raise _Malformed(f"<{node.tag}> contains the element <{node[0].tag}>; expected only text")
        received = node.text or ""
        try:
            return kind.parse(received)
        except ValueError as expected:
            parent = node.getparent()
            place = f"<{node.tag}>" if parent is None else f"<{node.tag}> in <{parent.tag}>"
            explanation = f"{place} is {received!r}; expected {expected}"
        if invalid is None:
            raise _Malformed(explanation)
        if isinstance(invalid, ErrorCode):
            raise invalid.error(explanation=explanation)
        raise invalid(str(node.tag), received.strip(), explanation)

    return _Content(read, lambda tag, value, more: f"<{tag}{more}>{escape(kind.render(value))}</{tag}>")


def _alternatives(shapes: list[Any]) -> _Content:
    """Return the content that is one of several shapes. The attribute ``xsi:type`` selects the shape."""
    by_type = {shape.__shape__.xsi_type: shape for shape in shapes}

    def read(node: _Element) -> Any:
        name = node.get(_XSI_TYPE)
        if name not in by_type:
            received = "has no xsi:type" if name is None else f"has the xsi:type {name!r}"
            raise _Malformed(f"<{node.tag}> {received}; expected {one_of([*by_type])}")
        return _shape_content(by_type[str(name)]).read(node)

    return _Content(read, lambda tag, value, more: _shape_content(cast(Any, type(value))).write(tag, value, more))


def _content(field: ShapeField, hints: list[Any]) -> _Content:
    """Return the content of the elements of a field; ``hints`` are the members of its annotation, without None."""
    if len(hints) > 1:
        return _alternatives(hints)
    kind = field.kind or hints[0]
    if isinstance(kind, TextType):
        return _text_content(kind, field.invalid)
    return _shape_content(kind) if hasattr(kind, "__shape__") else _text_content(_text_type(kind), field.invalid)


def _text_type(hint: type) -> TextType:
    if issubclass(hint, Enum):
        return choice({each.value: each for each in hint})
    # Not by identity: while freezegun is active, an annotation `datetime` means its subclass.
    return next(kind for base, kind in TEXT_TYPES.items() if issubclass(hint, base))


def _member(name: str, field: ShapeField, hint: Any) -> _Member:
    read, write = _list(field, hint) if field.is_list else _single(field, hint)
    inside, is_required = field.inside, field.default is REQUIRED
    if inside is None:
        return _Member(name, field.tags, is_required or field.is_list, read, write)

    def read_inside(nodes: list[_Element], parent: _Element) -> Any:
        outer = _only(nodes, inside, parent)
        _refuse_attributes(outer)
        inner = _sort(outer, dict.fromkeys(field.tags, inside), ()).get(inside, [])
        return read(inner, outer)

    def write_inside(value: Any) -> str:
        return f"<{inside}>{write(value)}</{inside}>" if is_required or value != () else ""

    return _Member(name, (inside,), is_required, read_inside, write_inside)


def _single(field: ShapeField, hint: Any) -> tuple[_ReadNodes, Callable[[Any], str]]:
    (tag,) = field.tags
    content = _content(field, [each for each in _union(hint) if each is not NoneType])
    return (
        lambda nodes, parent: content.read(_only(nodes, tag, parent)),
        lambda value: content.write(tag, value, ""),
    )


def _list(field: ShapeField, hint: Any) -> tuple[_ReadNodes, Callable[[Any], str]]:
    tags, least, most, hints = field.tags, field.least, field.most, _union(get_args(hint)[0])
    contents = {tag: _content(field, [hint]) for tag, hint in zip(tags, hints, strict=True)}
    tag_of = dict(zip(hints, tags, strict=True))

    def read(nodes: list[_Element], parent: _Element) -> tuple[Any, ...]:
        if len(nodes) < least or (most is not None and len(nodes) > most):
            limits = f"at least {least:,}" if most is None else f"{least:,} to {most:,}"
            names = one_of([f"<{tag}>" for tag in tags])
            raise _Malformed(f"<{parent.tag}> has {len(nodes):,} elements {names}; expected {limits}")
        return tuple([contents[str(node.tag)].read(node) for node in nodes])

    def write(values: tuple[Any, ...]) -> str:
        written = []
        for value in values:
            tag = tags[0] if len(tags) == 1 else tag_of[type(value)]
            written.append(contents[tag].write(tag, value, ""))
        return "".join(written)

    return read, write


def _union(hint: Any) -> list[Any]:
    return list(get_args(hint)) if get_origin(hint) in (Union, UnionType) else [hint]


def _only(nodes: list[_Element], tag: str, parent: _Element) -> _Element:
    if not nodes:
        raise _Malformed(f"<{parent.tag}> has no <{tag}>; this element is required")
    if len(nodes) > 1:
        raise _Malformed(f"<{parent.tag}> has {len(nodes):,} elements <{tag}>; expected at most one")
    return nodes[0]


def _sort(node: _Element, owners: Mapping[str, str], unsupported: tuple[str, ...]) -> dict[str, list[_Element]]:
    """Return the children of ``node`` by their fields; ``owners`` has the field of each tag."""
    nodes: dict[str, list[_Element]] = {}
    for each in node:
        if each.tag in unsupported:
            raise UnsupportedRequest(
                f"<{each.tag}> in <{node.tag}> is not supported; supported elements: {', '.join(owners)}"
            )
        if each.tag not in owners:
            raise _Malformed(f"<{node.tag}> has an unknown child <{each.tag}>; expected {one_of([*owners])}")
        nodes.setdefault(owners[str(each.tag)], []).append(each)
    for stray in (node.text, *(each.tail for each in node)):
        if stray and not stray.isspace():
            raise _Malformed(f"<{node.tag}> contains the text {stray.strip()!r}; expected only elements")
    return nodes


def _refuse_attributes(node: _Element, *accepted: str) -> None:
    for name in node.attrib:
        if name not in accepted:
            raise _Malformed(f"<{node.tag}> has the attribute {name!r}; remove it")
