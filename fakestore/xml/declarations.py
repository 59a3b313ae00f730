"""Shapes: classes that declare how an XML document spells their values. This module has no parser.

Example::

    @element()
    class Tag:
        key: str = child("Key")
        value: str = child("Value")


    @document("Tagging")
    class Tagging:
        tags: tuple[Tag, ...] = children("Tag", inside="TagSet", most=10)


A shape is a frozen class of keyword arguments, like a dataclass. The annotation of a field says what its element holds:
``str``, ``int``, ``bool``, ``datetime``, an ``Enum`` (by its values) or another shape. A field with a default is
optional. ``None`` and an empty tuple are not written. :func:`unread_element` makes a shape without a class.

:mod:`fakestore.xml.document` reads and writes the documents. Reading is strict. It refuses an unknown, repeated or
missing element, an attribute, text between elements, and an element within a text. The document declares the error. The
elements may come in any order; they are written in the order of the fields. A rule that the fields cannot express
belongs in the method ``validate(self) -> None`` of the shape. It runs after an element was read, and raises an
ErrorResponse.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from inspect import Parameter, Signature
from typing import Any, NamedTuple, TypeVar, dataclass_transform

from fakestore.errors import MALFORMED_XML, ErrorCode, ErrorResponse, invalid_argument


def one_of(names: Sequence[str]) -> str:
    """Return a list of alternatives for a message, for example ``A, B or C``. Without names return ``nothing``."""
    return " or ".join(filter(None, [", ".join(names[:-1]), *names[-1:]])) or "nothing"


class TextType(NamedTuple):
    """How the text of an element represents a value.

    ``parse`` raises ValueError, whose message says what is expected, or an ErrorResponse of its own.
    """

    parse: Callable[[str], Any]
    render: Callable[[Any], str] = str


def choice(values: Mapping[str, Any] | tuple[str, ...]) -> TextType:
    """Return the type of a text that is one of ``values``. A mapping has the value of each text."""
    value_of = values if isinstance(values, Mapping) else {text: text for text in values}
    expected = one_of(tuple(value_of))

    def parse(text: str) -> Any:
        if text not in value_of:
            raise ValueError(expected)
        return value_of[text]

    return TextType(parse, lambda value: next(text for text, known in value_of.items() if known == value))


def integer(least: int = 0, most: int | None = None) -> TextType:
    """Return the type of an integer from ``least`` to ``most``, both included; blanks around it are ignored."""
    expected = f"a whole number, {least:,} or more" if most is None else f"a whole number from {least:,} to {most:,}"

    def parse(text: str) -> int:
        # int() alone accepts underscores and other digits, and its error for thousands of digits has its own text.
        value = int(text) if re.fullmatch(r"\s*[0-9]{1,20}\s*", text, re.ASCII) else None
        if value is None or value < least or (most is not None and value > most):
            raise ValueError(expected)
        return value

    return TextType(parse)


def matching(pattern: str, argument: str, explanation: str, message: str | None = None) -> TextType:
    """Return the type of a text that matches a regular expression. Another text is an invalid argument.

    Args:
        argument: The name of the argument in the error.
        explanation: The explanation of the error; ``{!r}`` stands for the text.
    """

    def parse(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise invalid_argument(argument, text, message, explanation=explanation.format(text))
        return text

    return TextType(parse)


_DATE = r"(?a)\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)?)?"


def parse_timestamp(text: str) -> datetime:
    """Return the moment of an ISO 8601 date or time, in UTC; blanks around it are ignored."""
    try:
        if not re.fullmatch(_DATE, text.strip()):
            raise ValueError
        moment = datetime.fromisoformat(text.strip())
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError("a date of the calendar such as 2030-01-31T00:00:00Z") from None


def render_timestamp(moment: datetime) -> str:
    """Return a moment in UTC to the second, ending in ``.000Z``."""
    return f"{moment.replace(microsecond=0, tzinfo=None).isoformat()}.000Z"


_BOOLEAN = choice({"true": True, "false": False})

#: How elements represent values whose field declares no type of text.
TEXT_TYPES: dict[type, TextType] = {
    str: TextType(str),
    bool: TextType(lambda text: _BOOLEAN.parse(text.strip()), _BOOLEAN.render),
    int: integer(most=2**31 - 1),
    datetime: TextType(parse_timestamp, render_timestamp),
}

Shape = TypeVar("Shape")

#: Makes the error for an invalid text, from the name of an element or a header, the text and an explanation.
TextError = Callable[[str, str, str], ErrorResponse]

#: The default of a field whose element is required.
REQUIRED: Any = object()


class ShapeField(NamedTuple):
    """A field of a shape: the arguments of :func:`child` or :func:`children`. A text or a header has no tags."""

    tags: tuple[str, ...]
    default: Any
    kind: TextType | type | None = None
    invalid: ErrorCode | TextError | None = None
    is_list: bool = False
    inside: str | None = None
    least: int = 0
    most: int | None = None


class Declared(NamedTuple):
    """The arguments of :func:`element` or :func:`document` for one shape."""

    fields: dict[str, ShapeField]
    defaults: dict[str, Any]
    root: str
    malformed: ErrorCode
    unsupported: tuple[str, ...]
    xsi_type: str = ""
    has_namespace: bool = True


def child(
    tag: str,
    *,
    default: Any = REQUIRED,
    inside: str | None = None,
    choices: Mapping[str, Any] | tuple[str, ...] = (),
    kind: TextType | type | None = None,
    invalid: ErrorCode | TextError | None = None,
) -> Any:
    """Declare a field that is one child element.

    Args:
        tag: The name of the element.
        default: The value if the element is absent. Without a default the element is required.
        inside: The name of an element that contains only this element. Then `default` is the value if the outer element
            is absent.
        choices: The accepted texts, with the value of each if it is not the text itself.
        kind: How the text represents the value, or the shape of the element, if the annotation does not say it.
        invalid: The error for a text that is not valid: an error code, or a function that makes the error from the tag,
            the text and an explanation. Without it the error of the document is used.
    """
    return ShapeField((tag,), default, choice(choices) if choices else kind, invalid, inside=inside)


def children(
    *tags: str,
    default: Any = REQUIRED,
    inside: str | None = None,
    choices: Mapping[str, Any] | tuple[str, ...] = (),
    kind: type | None = None,
    least: int = 0,
    most: int | None = None,
) -> Any:
    """Declare a field that is a tuple of child elements, in the order of the document.

    Args:
        tags: The name of the elements; if the annotation is a union of shapes, the names for them in turn.
        default: The value if the element `inside` is absent, or if an instance is made without the field. Without
            `inside`, a list without elements is read as an empty tuple.
        inside: The name of an element that contains the list. It is required unless the field has a default.
        choices: As for :func:`child`.
        kind: The shape of the elements, if the annotation does not say it.
    """
    return ShapeField(
        tags, default, choice(choices) if choices else kind, is_list=True, inside=inside, least=least, most=most
    )


def outside(*, default: Any) -> Any:
    """Declare a field that the document does not contain. A header of the request states it."""
    return ShapeField((), default)


def only_text() -> Any:
    """Declare the only field of a shape that contains text instead of elements."""
    return ShapeField((), REQUIRED)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(child, children, outside, only_text))
def element(*, unsupported: tuple[str, ...] = (), xsi_type: str = "") -> Callable[[type[Shape]], type[Shape]]:
    """Make a class the shape of an element.

    Args:
        unsupported: Elements that the public service knows and the fake does not. They raise UnsupportedRequest.
        xsi_type: The element's attribute ``xsi:type``, by which the members of a union are distinguished.
    """
    return partial(_declare, root="", malformed=MALFORMED_XML, unsupported=unsupported, xsi_type=xsi_type)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(child, children, outside, only_text))
def document(
    root: str,
    *,
    malformed: ErrorCode = MALFORMED_XML,
    unsupported: tuple[str, ...] = (),
    has_namespace: bool = True,
) -> Callable[[type[Shape]], type[Shape]]:
    """Make a class the shape of a document.

    Args:
        malformed: The error for a document that does not have this shape.
        unsupported: As for :func:`element`.
        has_namespace: Whether the root element has the namespace of the dialect.
    """
    return partial(_declare, root=root, malformed=malformed, unsupported=unsupported, has_namespace=has_namespace)


def optional(tag: str, **arguments: Any) -> Any:
    """Declare a child of :func:`unread_element` that may be absent."""
    return child(tag, default=None, **arguments)


def unread_element(
    *fields: Any, unsupported: tuple[str, ...] = (), least: int = 0, most: int | None = None, explanation: str = ""
) -> type:
    """Return the shape of an element whose values no code reads: they are only checked, stored and returned.

    Each value has the name of its outermost element, with underscores for hyphens.

    Args:
        least: The minimum number of child elements, whatever their names are.
        most: The maximum number of child elements.
        explanation: The explanation of the error for another number.
    """
    values: dict[str, ShapeField] = {}
    for field in fields:
        name = (field.inside or field.tags[0]).replace("-", "_")
        if name in values:
            raise ValueError(f"two fields have the name {name}; declare one field with a shape that has both")
        values[name] = field

    def validate(instance: object) -> None:
        present = [each for each in vars(instance).values() if each is not None]
        count = sum(len(each) if isinstance(each, tuple) else 1 for each in present)
        if count < least or (most is not None and count > most):
            raise MALFORMED_XML.error(explanation=explanation)

    shape = type("UnreadElement", (), {**values, "validate": validate})
    shape.__annotations__ = {name: tuple[str, ...] if field.is_list else str for name, field in values.items()}
    return element(unsupported=unsupported)(shape)


def _declare(cls: type[Shape], **declared: Any) -> type[Shape]:
    # Not a dataclass, because making a dataclass takes about half a millisecond for each document in every run.
    shape: Any = cls
    fields = {
        name: field
        for base in reversed(cls.__mro__)
        for name, field in vars(base).items()
        if isinstance(field, ShapeField)
    }
    defaults = {name: field.default for name, field in fields.items() if field.default is not REQUIRED}
    shape.__shape__ = Declared(fields, defaults, **declared)
    shape.__signature__ = Signature(
        [Parameter(name, Parameter.KEYWORD_ONLY, default=defaults.get(name, Parameter.empty)) for name in fields]
    )
    shape.__init__, shape.__setattr__, shape.__delattr__ = _init, _refuse_to_change, _refuse_to_change
    shape.__eq__, shape.__hash__, shape.__repr__ = _equals, _hash, _repr
    return cls


def changed(instance: Shape, **values: Any) -> Shape:
    """Return a copy of a shape's instance with other values in these fields."""
    return type(instance)(**{**vars(instance), **values})


def _init(self: Any, **values: Any) -> None:
    declared: Declared = self.__shape__
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
