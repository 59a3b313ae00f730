"""XML documents declared as shapes. One engine reads and writes all of them.

Example::

    @element()
    class Tag:
        key: str = child("Key")
        value: str = child("Value")


    @document("Tagging")
    class Tagging:
        tags: tuple[Tag, ...] = children("Tag", inside="TagSet", most=10)


    tagging = parse(Tagging, body)
    body = render(tagging, None)

A shape is a frozen class of keyword arguments, like a dataclass. The annotation of a field says what its element holds:
``str``, ``int``, ``bool``, ``datetime``, an ``Enum`` (by its values) or another shape. A field with a default is
optional. ``None`` and an empty tuple are not written.

Reading is strict. An unknown element, one too many, a missing one, an attribute, text between elements and an element
within a text are refused with the error row of the document. The elements may come in any order; they are written in
the order of the fields. A rule that the fields cannot express belongs in the method ``validate(self) -> None`` of the
shape. It runs after an element was read, and raises an ErrorResponse.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Any,
    NamedTuple,
    TypeVar,
    Union,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

from fakestore.documents.text_types import BOOLEAN, TEXT, TIMESTAMP, TextType, choice, integer, one_of
from fakestore.documents.xml import PROLOG, escape, parse_xml
from fakestore.model.errors import MALFORMED_XML, ErrorCode, ErrorResponse
from fakestore.model.unsupported import UnsupportedRequest

if TYPE_CHECKING:
    from lxml.etree import _Element

Shape = TypeVar("Shape")
#: Makes the error for a text that is not valid, from the element's name, its text and an explanation.
TextError = Callable[[str, str, str], ErrorResponse]

XSI = "http://www.w3.org/2001/XMLSchema-instance"
_XSI_TYPE = f"{{{XSI}}}type"
_TEXT_TYPES: dict[type, TextType[Any]] = {str: TEXT, bool: BOOLEAN, int: integer(), datetime: TIMESTAMP}
_REQUIRED: Any = object()


# -- what a shape declares


class _Field(NamedTuple):
    tags: tuple[str, ...]
    default: Any
    kind: TextType[Any] | None = None
    invalid: ErrorCode | TextError | None = None
    is_list: bool = False
    inside: str | None = None
    least: int = 0
    most: int | None = None


class _Declared(NamedTuple):
    fields: dict[str, _Field]
    defaults: dict[str, Any]
    root: str
    malformed: ErrorCode
    unsupported: tuple[str, ...]
    xsi_type: str


def child(
    tag: str,
    *,
    default: Any = _REQUIRED,
    choices: Mapping[str, Any] | None = None,
    kind: TextType[Any] | None = None,
    invalid: ErrorCode | TextError | None = None,
) -> Any:
    """Declare a field that is one child element.

    Args:
        tag: The name of the element.
        default: The value if the element is absent. Without a default the element is required.
        choices: The accepted texts, with the value of each.
        kind: How the text represents the value, if the annotation does not say enough.
        invalid: The error for a text that is not valid: a row, or a function that makes the error from the tag, the
            text and an explanation. Without it the row of the document is used.
    """
    return _Field((tag,), default, kind if choices is None else choice(choices), invalid)


def children(
    *tags: str,
    default: Any = _REQUIRED,
    inside: str | None = None,
    least: int = 0,
    most: int | None = None,
) -> Any:
    """Declare a field that is a tuple of child elements, in the order of the document.

    Args:
        tags: The name of the elements; if the annotation is a union of shapes, the names for them in turn.
        default: The value if the element `inside` is absent, or if an instance is made without the field. Without
            `inside`, a list without elements is read as an empty tuple.
        inside: The name of an element that contains the list. It is required unless the field has a default.
        least: The minimum number of elements.
        most: The maximum number of elements.
    """
    return _Field(tags, default, is_list=True, inside=inside, least=least, most=most)


def text() -> Any:
    """Declare the only field of a shape that contains text instead of elements."""
    return _Field((), _REQUIRED)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(child, children, text))
def element(*, unsupported: tuple[str, ...] = (), xsi_type: str = "") -> Callable[[type[Shape]], type[Shape]]:
    """Make a class the shape of an element.

    Args:
        unsupported: Elements that the public service knows and the fake does not. They raise UnsupportedRequest.
        xsi_type: The element's attribute ``xsi:type``, by which the members of a union are distinguished.
    """
    return lambda cls: _declare(cls, "", MALFORMED_XML, unsupported, xsi_type)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(child, children, text))
def document(
    root: str, *, malformed: ErrorCode = MALFORMED_XML, unsupported: tuple[str, ...] = ()
) -> Callable[[type[Shape]], type[Shape]]:
    """Make a class the shape of a document.

    Args:
        root: The name of the root element.
        malformed: The error for a document that does not have this shape.
        unsupported: As for :func:`element`.
    """
    return lambda cls: _declare(cls, root, malformed, unsupported, "")


def _declare(
    cls: type[Shape], root: str, malformed: ErrorCode, unsupported: tuple[str, ...], xsi_type: str
) -> type[Shape]:
    # Not a dataclass: making one takes about half a millisecond, and every run pays that for every document.
    shape: Any = cls
    fields = {
        name: value for base in reversed(cls.__mro__) for name, value in vars(base).items() if isinstance(value, _Field)
    }
    defaults = {name: value.default for name, value in fields.items() if value.default is not _REQUIRED}
    shape.__shape__ = _Declared(fields, defaults, root, malformed, unsupported, xsi_type)
    shape.__init__, shape.__setattr__, shape.__delattr__ = _init, _refuse_to_change, _refuse_to_change
    shape.__eq__, shape.__hash__, shape.__repr__ = _equals, _hash, _repr
    return cls


def changed(instance: Shape, **values: Any) -> Shape:
    """Return a copy of a shape's instance in which these fields have other values."""
    return type(instance)(**{**vars(instance), **values})


def _init(self: Any, **values: Any) -> None:
    declared: _Declared = self.__shape__
    values = declared.defaults | values
    if values.keys() != declared.fields.keys():
        wrong = ", ".join(sorted(values.keys() ^ declared.fields.keys()))
        raise TypeError(f"{type(self).__name__}() has missing or unknown arguments: {wrong}")
    self.__dict__.update(values)


def _refuse_to_change(self: Any, name: str, *_: object) -> None:
    raise AttributeError(f"cannot change {name!r}: {type(self).__name__} is frozen")


def _equals(self: Any, other: object) -> bool:
    return type(self) is type(other) and self.__dict__ == other.__dict__


def _hash(self: Any) -> int:
    return hash(tuple(getattr(self, name) for name in self.__shape__.fields))


def _repr(self: Any) -> str:
    values = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__shape__.fields)
    return f"{type(self).__name__}({values})"


# -- the engine: a reader and a writer for each shape, made when the shape is first used


class _Content(NamedTuple):
    """What an element contains. ``read`` takes the element and the document's error row."""

    read: Callable[[_Element, ErrorCode], Any]
    write: Callable[[str, Any, str], str]


class _Member(NamedTuple):
    """A field. ``read`` takes the elements that belong to it, their parent and the document's error row."""

    name: str
    tags: tuple[str, ...]
    is_required: bool
    read: Callable[[list[_Element], _Element, ErrorCode], Any]
    write: Callable[[Any], str]


def parse(shape: type[Shape], body: bytes, hint: str = "") -> Shape:
    """Return the document in ``body``.

    Args:
        hint: A sentence that the explanation adds if the body is not XML, or another document.

    Raises:
        ErrorResponse: If the document does not have the shape, or ``validate`` refuses it.
        UnsupportedRequest: If it contains an element that the fake does not support.
    """
    declared: _Declared = cast(Any, shape).__shape__
    more = f". {hint}" if hint else ""
    root = parse_xml(body, declared.malformed, more)
    if root.tag != declared.root:
        raise declared.malformed.error(
            explanation=f"the document is a <{root.tag}>; expected a <{declared.root}>{more}"
        )
    return cast(Shape, _shape_content(cast(Any, shape)).read(root, declared.malformed))


def render(document: object, xml_namespace: str | None) -> bytes:
    """Return ``document`` as XML, with ``xml_namespace`` on the root element unless it is ``None``."""
    namespace = "" if xml_namespace is None else f' xmlns="{escape(xml_namespace)}"'
    shape: Any = type(document)
    return f"{PROLOG}{_shape_content(shape).write(shape.__shape__.root, document, namespace)}".encode()


@cache
def _shape_content(shape: Any) -> _Content:
    hints = get_type_hints(shape)
    fields: Mapping[str, _Field] = shape.__shape__.fields
    for name, field in fields.items():
        if not field.tags:
            return _text_shape(shape, name, _text_content(_text_type(hints[name]), None))
    return _element_shape(shape, [_member(name, field, hints[name]) for name, field in fields.items()])


def _text_shape(shape: Any, name: str, content: _Content) -> _Content:
    """Return the content of a shape whose only field, `name`, is its text."""
    return _Content(
        lambda node, malformed: shape(**{name: content.read(node, malformed)}),
        lambda tag, value, more: content.write(tag, getattr(value, name), more),
    )


def _element_shape(shape: Any, members: list[_Member]) -> _Content:
    """Return the content of a shape whose fields are child elements."""
    declared: _Declared = shape.__shape__
    owners = {tag: member.name for member in members for tag in member.tags}
    accepted = [_XSI_TYPE] if declared.xsi_type else []
    attributes = f' xmlns:xsi="{XSI}" xsi:type="{declared.xsi_type}"' if declared.xsi_type else ""

    def read(node: _Element, malformed: ErrorCode) -> Any:
        _refuse_attributes(node, malformed, *accepted)
        nodes = _sort(node, owners, declared.unsupported, malformed)
        present = [member for member in members if member.name in nodes or member.is_required]
        instance = shape(**{each.name: each.read(nodes.get(each.name, []), node, malformed) for each in present})
        if hasattr(instance, "validate"):
            instance.validate()
        return instance

    def write(tag: str, value: Any, more: str) -> str:
        values = vars(value)
        inner = "".join([each.write(values[each.name]) for each in members if values[each.name] is not None])
        return f"<{tag}{attributes}{more}>{inner}</{tag}>"

    return _Content(read, write)


def _text_content(kind: TextType[Any], invalid: ErrorCode | TextError | None) -> _Content:
    def read(node: _Element, malformed: ErrorCode) -> Any:
        _refuse_attributes(node, malformed)
        if len(node):
            raise malformed.error(explanation=f"<{node.tag}> contains the element <{node[0].tag}>; expected only text")
        received = node.text or ""
        try:
            return kind.parse(received)
        except ValueError as expected:
            parent = node.getparent()
            place = f"<{node.tag}>" if parent is None else f"<{node.tag}> in <{parent.tag}>"
            explanation = f"{place} is {received!r}; expected {expected}"
        if invalid is None or isinstance(invalid, ErrorCode):
            raise (invalid or malformed).error(explanation=explanation)
        raise invalid(str(node.tag), received.strip(), explanation)

    return _Content(read, lambda tag, value, more: f"<{tag}{more}>{escape(kind.render(value))}</{tag}>")


def _alternatives(shapes: list[Any]) -> _Content:
    """Return the content that is one of several shapes, which the attribute ``xsi:type`` names."""
    by_type = {shape.__shape__.xsi_type: shape for shape in shapes}

    def read(node: _Element, malformed: ErrorCode) -> Any:
        name = node.get(_XSI_TYPE)
        if name not in by_type:
            received = "has no xsi:type" if name is None else f"has the xsi:type {name!r}"
            raise malformed.error(explanation=f"<{node.tag}> {received}; expected {one_of([*by_type])}")
        return _shape_content(by_type[str(name)]).read(node, malformed)

    return _Content(read, lambda tag, value, more: _shape_content(cast(Any, type(value))).write(tag, value, more))


def _content(field: _Field, hints: list[Any]) -> _Content:
    """Return what the elements of a field contain; ``hints`` are the members of its annotation, without None."""
    if len(hints) > 1:
        return _alternatives(hints)
    (hint,) = hints
    if hasattr(hint, "__shape__"):
        return _shape_content(hint)
    return _text_content(field.kind or _text_type(hint), field.invalid)


def _text_type(hint: type) -> TextType[Any]:
    if issubclass(hint, Enum):
        return choice({each.value: each for each in hint})
    # Not by identity: while freezegun is active, an annotation `datetime` means its subclass.
    return next(kind for base, kind in _TEXT_TYPES.items() if issubclass(hint, base))


def _member(name: str, field: _Field, hint: Any) -> _Member:
    is_required = field.default is _REQUIRED
    if field.is_list:
        return _list_member(name, field, _union(get_args(hint)[0]), is_required=is_required)
    (tag,) = field.tags
    content = _content(field, [each for each in _union(hint) if each is not NoneType])

    def read(nodes: list[_Element], parent: _Element, malformed: ErrorCode) -> Any:
        return content.read(_only(nodes, tag, parent, malformed), malformed)

    return _Member(name, field.tags, is_required, read, lambda value: content.write(tag, value, ""))


def _list_member(name: str, field: _Field, hints: list[Any], *, is_required: bool) -> _Member:
    tags, inside, least, most = field.tags, field.inside, field.least, field.most
    choices = [[hint] for hint in hints] if len(tags) > 1 else [hints]
    contents = {tag: _content(field, choice) for tag, choice in zip(tags, choices, strict=True)}
    tag_of = {hint: tag for tag, choice in zip(tags, choices, strict=True) for hint in choice}
    owners = dict.fromkeys(tags, name)

    def read(nodes: list[_Element], parent: _Element, malformed: ErrorCode) -> tuple[Any, ...]:
        if inside is not None:
            parent = _only(nodes, inside, parent, malformed)
            _refuse_attributes(parent, malformed)
            nodes = _sort(parent, owners, (), malformed).get(name, [])
        if len(nodes) < least or (most is not None and len(nodes) > most):
            limits = f"at least {least:,}" if most is None else f"{least:,} to {most:,}"
            names = one_of([f"<{tag}>" for tag in tags])
            raise malformed.error(explanation=f"<{parent.tag}> has {len(nodes):,} elements {names}; expected {limits}")
        return tuple([contents[str(node.tag)].read(node, malformed) for node in nodes])

    def write(values: tuple[Any, ...]) -> str:
        written = []
        for value in values:
            tag = tags[0] if len(tags) == 1 else tag_of[type(value)]
            written.append(contents[tag].write(tag, value, ""))
        if inside is None or not (values or is_required):
            return "".join(written)
        return f"<{inside}>{''.join(written)}</{inside}>"

    return _Member(name, tags if inside is None else (inside,), is_required or inside is None, read, write)


def _union(hint: Any) -> list[Any]:
    return list(get_args(hint)) if get_origin(hint) in (Union, UnionType) else [hint]


def _only(nodes: list[_Element], tag: str, parent: _Element, malformed: ErrorCode) -> _Element:
    if not nodes:
        raise malformed.error(explanation=f"<{parent.tag}> has no <{tag}>; this element is required")
    if len(nodes) > 1:
        raise malformed.error(explanation=f"<{parent.tag}> has {len(nodes):,} elements <{tag}>; expected at most one")
    return nodes[0]


def _sort(
    node: _Element, owners: Mapping[str, str], unsupported: tuple[str, ...], malformed: ErrorCode
) -> dict[str, list[_Element]]:
    """Return the children of ``node`` by the field that they belong to; ``owners`` has the field of each tag."""
    nodes: dict[str, list[_Element]] = {}
    for each in node:
        if each.tag in unsupported:
            raise UnsupportedRequest(
                f"<{each.tag}> in <{node.tag}> is not supported; supported elements: {', '.join(owners)}"
            )
        if each.tag not in owners:
            raise malformed.error(
                explanation=f"<{node.tag}> has an unknown child <{each.tag}>; expected {one_of([*owners])}"
            )
        nodes.setdefault(owners[str(each.tag)], []).append(each)
    for stray in (node.text, *(each.tail for each in node)):
        if stray and not stray.isspace():
            raise malformed.error(
                explanation=f"<{node.tag}> contains the text {stray.strip()!r}; expected only elements"
            )
    return nodes


def _refuse_attributes(node: _Element, malformed: ErrorCode, *accepted: str) -> None:
    for name in node.attrib:
        if name not in accepted:
            raise malformed.error(explanation=f"<{node.tag}> has the attribute {name!r}; remove it")
