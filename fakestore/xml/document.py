"""Reads and writes the XML documents that :mod:`fakestore.xml.declarations` declares.

Example::

    tagging = parse(Tagging, body, None)
    body = render(tagging, None)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Union, cast, get_args, get_origin, get_type_hints

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


class _TextContent:
    """The content of an element that has a text.

    Args:
        kind: How the text represents the value.
        invalid: The error for another text; None for the error of the document.
    """

    def __init__(self, kind: TextType, invalid: ErrorCode | TextError | None) -> None:
        self._kind = kind
        self._invalid = invalid

    def read(self, node: _Element) -> Any:
        _refuse_attributes(node)
        if len(node):
            raise _Malformed(f"<{node.tag}> contains the element <{node[0].tag}>; expected only text")
        received = node.text or ""
        try:
            return self._kind.parse(received)
        except ValueError as expected:
            parent = node.getparent()
            place = f"<{node.tag}>" if parent is None else f"<{node.tag}> in <{parent.tag}>"
            explanation = f"{place} is {received!r}; expected {expected}"
        if self._invalid is None:
            raise _Malformed(explanation)
        if isinstance(self._invalid, ErrorCode):
            raise self._invalid.error(explanation=explanation)
        raise self._invalid(str(node.tag), received.strip(), explanation)

    def write(self, tag: str, value: Any, attributes: str = "") -> str:
        return f"<{tag}{attributes}>{escape(self._kind.render(value))}</{tag}>"


class _ElementShape:
    """The content of an element whose shape has child elements as fields."""

    def __init__(self, shape: Any, members: list[_Member]) -> None:
        declared: Declared = shape.__shape__
        self._shape = shape
        self._members = members
        self._owners = {tag: member.name for member in members for tag in member.tags}
        self._unsupported = declared.unsupported
        self._accepted = [_XSI_TYPE] if declared.xsi_type else []
        self._attributes = f' xmlns:xsi="{_XSI}" xsi:type="{declared.xsi_type}"' if declared.xsi_type else ""

    def read(self, node: _Element) -> Any:
        _refuse_attributes(node, *self._accepted)
        nodes = _sort(node, self._owners, self._unsupported)
        present = [member for member in self._members if member.name in nodes or member.is_required]
        instance = self._shape(**{each.name: each.read(nodes.get(each.name, []), node) for each in present})
        if hasattr(instance, "validate"):
            instance.validate()
        return instance

    def write(self, tag: str, value: Any, attributes: str = "") -> str:
        values = vars(value)
        inner = "".join([each.write(values[each.name]) for each in self._members if values[each.name] is not None])
        return f"<{tag}{self._attributes}{attributes}>{inner}</{tag}>"


class _Alternatives:
    """The content of an element that has one of several shapes. The attribute ``xsi:type`` selects the shape."""

    def __init__(self, shapes: list[Any]) -> None:
        self._by_type = {shape.__shape__.xsi_type: shape for shape in shapes}

    def read(self, node: _Element) -> Any:
        name = node.get(_XSI_TYPE)
        if name not in self._by_type:
            received = "has no xsi:type" if name is None else f"has the xsi:type {name!r}"
            raise _Malformed(f"<{node.tag}> {received}; expected {one_of([*self._by_type])}")
        return _shape_content(self._by_type[str(name)]).read(node)

    def write(self, tag: str, value: Any, attributes: str = "") -> str:
        return _shape_content(cast(Any, type(value))).write(tag, value, attributes)


_Content = _TextContent | _ElementShape | _Alternatives


class _Member:
    """A field of a shape, and the elements that belong to it.

    Args:
        hint: The annotation of the field.
    """

    def __init__(self, name: str, field: ShapeField, hint: Any) -> None:
        hints = _union(get_args(hint)[0] if field.is_list else hint)
        self.name = name
        #: The child elements of the shape that belong to the field.
        self.tags = field.tags if field.inside is None else (field.inside,)
        self.is_required = field.default is REQUIRED or (field.is_list and field.inside is None)
        self._field = field
        if len(field.tags) == 1:  # the field has elements of one name, perhaps with one of several shapes
            self._contents = {field.tags[0]: _content(field, [each for each in hints if each is not NoneType])}
            self._tag_of = {}
        else:
            self._contents = {tag: _content(field, [each]) for tag, each in zip(field.tags, hints, strict=True)}
            self._tag_of = dict(zip(hints, field.tags, strict=True))

    def read(self, nodes: list[_Element], parent: _Element) -> Any:
        """Return the value of the field.

        Args:
            nodes: The elements that belong to the field.
            parent: The element that contains them.
        """
        if self._field.inside is not None:
            parent = _only(nodes, self._field.inside, parent)
            _refuse_attributes(parent)
            inner = _sort(parent, dict.fromkeys(self._field.tags, self.name), ())
            nodes = inner.get(self.name, [])
        if not self._field.is_list:
            (tag,) = self._field.tags
            return self._contents[tag].read(_only(nodes, tag, parent))
        self._check_number(len(nodes), parent)
        return tuple([self._contents[str(node.tag)].read(node) for node in nodes])

    def _check_number(self, number: int, parent: _Element) -> None:
        least, most = self._field.least, self._field.most
        if number < least or (most is not None and number > most):
            limits = f"at least {least:,}" if most is None else f"{least:,} to {most:,}"
            names = one_of([f"<{tag}>" for tag in self._field.tags])
            raise _Malformed(f"<{parent.tag}> has {number:,} elements {names}; expected {limits}")

    def write(self, value: Any) -> str:
        written = "".join([self._write(each) for each in value]) if self._field.is_list else self._write(value)
        inside = self._field.inside
        if inside is None:
            return written
        return f"<{inside}>{written}</{inside}>" if self.is_required or value != () else ""

    def _write(self, value: Any) -> str:
        tag = self._tag_of[type(value)] if self._tag_of else self._field.tags[0]
        return self._contents[tag].write(tag, value)


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
def _shape_content(shape: Any) -> _TextContent | _ElementShape:
    hints = get_type_hints(shape)
    fields: Mapping[str, ShapeField] = shape.__shape__.fields
    if [*fields.values()] == [only_text()]:
        (name,) = fields
        parse, render = _text_type(hints[name])
        kind = TextType(lambda text: shape(**{name: parse(text)}), lambda value: render(getattr(value, name)))
        return _TextContent(kind, None)
    return _ElementShape(shape, [_Member(name, field, hints[name]) for name, field in fields.items() if field.tags])


def _content(field: ShapeField, hints: list[Any]) -> _Content:
    """Return the content of the elements of a field; ``hints`` are the members of its annotation, without None."""
    if len(hints) > 1:
        return _Alternatives(hints)
    kind = field.kind or hints[0]
    if isinstance(kind, TextType):
        return _TextContent(kind, field.invalid)
    return _shape_content(kind) if hasattr(kind, "__shape__") else _TextContent(_text_type(kind), field.invalid)


def _text_type(hint: type) -> TextType:
    if issubclass(hint, Enum):
        return choice({each.value: each for each in hint})
    # Not by identity: while freezegun is active, an annotation `datetime` means its subclass.
    return next(kind for base, kind in TEXT_TYPES.items() if issubclass(hint, base))


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
