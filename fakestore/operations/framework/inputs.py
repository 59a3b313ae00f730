"""Inputs: the values in the query and the headers of a request. A function receives them by their types.

Example::

    PART_NUMBER = integer("send an integer from 1 to 10,000", least=1, most=10_000)


    class PartParameters(Parameters):
        upload_id: str = query("uploadId")
        number: int = query("partNumber", PART_NUMBER)
        storage_class: StorageClass | None = header("storage-class", STORAGE_CLASS)

The annotation of a field is the type of its value. If a request does not carry the field, its value is the argument
``default``, or ``None``. Give the argument if code makes an instance without the field: type checkers see nothing else.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any, ClassVar, NamedTuple, Self, TypeVar, dataclass_transform

from fakestore.errors import UnsupportedRequest, invalid_argument
from fakestore.http.values import parse_integer
from fakestore.model.bucket import BucketRecord
from fakestore.operations.framework.access import Access, authorize
from fakestore.operations.framework.call import Call, Resource
from fakestore.xml.declarations import TextError

_Value = TypeVar("_Value")

_Choice = TypeVar("_Choice", bound=StrEnum)


class RawValue(NamedTuple):
    """A header or query parameter as it was sent, before it is parsed.

    Args:
        name: The full name, with the prefix of the dialect.
    """

    call: Call
    name: str
    text: str


#: Returns the value of a text. It raises an ErrorResponse or UnsupportedRequest if the text is invalid.
Parser = Callable[[RawValue], _Value]


class Field(NamedTuple):
    """What a request may carry for one value, and how the value is read.

    Args:
        service_headers: Headers of the dialect, without its prefix. ``meta-*`` stands for all user metadata.
        standard_headers: Standard headers that mean something only to operations that declare them.
    """

    read: Callable[[Call], Any]
    query: tuple[str, ...] = ()
    service_headers: tuple[str, ...] = ()
    standard_headers: tuple[str, ...] = ()


# -- fields


def text(sent: RawValue) -> str:
    return sent.text


def query(name: str, parse: Parser[Any] = text, *, default: Any = None) -> Any:
    """Declare a query parameter."""

    def read(call: Call) -> Any:
        sent = call.query.get(name)
        return default if sent is None else parse(RawValue(call, name, sent))

    return _declare(Field(read, query=(name,)), default)


def header(name: str, parse: Parser[Any] = text, *, default: Any = None) -> Any:
    """Declare a header of the dialect, by its name without the prefix."""
    return _declare(Field(lambda call: read_header(call, name, parse, default), service_headers=(name,)), default)


def standard_header(name: str, parse: Parser[Any] = text, *, default: Any = None) -> Any:
    """Declare a standard header, by its name in lower case."""

    def read(call: Call) -> Any:
        sent = call.headers.get(name)
        return default if sent is None else parse(RawValue(call, name, sent))

    return _declare(Field(read, standard_headers=(name,)), default)


def headers(read: Callable[[Call], Any], *names: str, default: Any = None) -> Any:
    """Declare headers of the dialect that state one value together. `read` is called if one of them was sent."""

    def read_sent(call: Call) -> Any:
        return default if call.service_headers.keys().isdisjoint(names) else read(call)

    return _declare(Field(read_sent, service_headers=names), default)


def value(
    read: Callable[[Call], Any],
    *,
    query: tuple[str, ...] = (),
    headers: tuple[str, ...] = (),
    standard_headers: tuple[str, ...] = (),
    default: Any = None,
) -> Any:
    """Declare a value that is read from the whole request, with the names that state it. `read` is always called."""
    return _declare(Field(read, query, headers, standard_headers), default)


def _declare(field: Field, default: Any) -> Any:
    return dataclasses.field(default=default, metadata={"field": field})


def read_header(call: Call, name: str, parse: Parser[_Value], default: Any = None) -> Any:
    """Return the value of a header of the dialect, by its name without the prefix."""
    sent = call.service_headers.get(name)
    return default if sent is None else parse(RawValue(call, call.dialect.header(name), sent))


# -- parsers


def unread(sent: RawValue) -> RawValue:
    """Return the sent text. The operation parses it later, because another error comes first."""
    return sent


def switch(sent: RawValue) -> bool:
    """Return a value that is true or false. The answer of the service to another value is not known."""
    if sent.text.lower() not in ("true", "false"):
        raise UnsupportedRequest(f"{sent.name} is {sent.text!r}; expected true or false")
    return sent.text.lower() == "true"


def integer(expected: str, message: str | None = None, *, least: int = 0, most: int | None = None) -> Parser[int]:
    """Return the parser of an integer of at most 18 digits.

    Args:
        expected: The advice in the explanation of the error.
        message: The message of the error; by default, the message in the table of codes.
    """

    def parse(sent: RawValue) -> int:
        number = parse_integer(sent.text)
        if number is None or number < least or (most is not None and number > most):
            raise invalid_argument(
                sent.name, sent.text, message, explanation=f"{sent.name} is {sent.text!r}; {expected}"
            )
        return number

    return parse


def choice(members: type[_Choice], invalid: TextError, *, any_case: bool = False) -> Parser[Any]:
    """Return the parser of a member of an enumeration.

    Args:
        invalid: Makes the error for another text.
        any_case: Whether the case of the text is ignored. The members are in upper case.
    """

    def parse(sent: RawValue) -> _Choice:
        try:
            return members(sent.text.upper() if any_case else sent.text)
        except ValueError:
            explanation = f"{sent.name} is {sent.text!r}; expected {' or '.join(members)}"
            raise invalid(sent.name, sent.text, explanation) from None

    return parse


# -- classes of inputs


#: Inputs are never compared. Without the methods for it, the package is imported 10 ms earlier.
_dataclass = partial(dataclass, frozen=True, kw_only=True, eq=False, repr=False)


@dataclass_transform(
    frozen_default=True,
    kw_only_default=True,
    eq_default=False,
    field_specifiers=(header, headers, query, standard_header, value),
)
@_dataclass
class Inputs:
    """Values of a request that are read together, in the order in which they are declared.

    Each subclass is a frozen dataclass. Classes of several operations can inherit common fields from a base.
    """

    #: The fields by their names as attributes. An inherited field that is declared again keeps its place.
    _fields: ClassVar[Mapping[str, Field]] = {}
    #: The query parameters, the headers of the dialect, and the standard headers of all fields.
    query_names: ClassVar[tuple[str, ...]] = ()
    header_names: ClassVar[tuple[str, ...]] = ()
    standard_header_names: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        declared = dataclasses.fields(_dataclass(cls))
        cls._fields = {each.name: each.metadata["field"] for each in declared if each.metadata}
        fields = cls._fields.values()
        cls.query_names = tuple(name for each in fields for name in each.query)
        cls.header_names = tuple(name for each in fields for name in each.service_headers)
        cls.standard_header_names = tuple(name for each in fields for name in each.standard_headers)

    @classmethod
    def parse(cls, call: Call) -> Self:
        """Read the fields of a request."""
        cls.check_raw(call)
        parsed = cls(**{name: field.read(call) for name, field in cls._fields.items()})
        parsed.check_parsed(call)
        return parsed

    @classmethod
    def check_raw(cls, call: Call) -> None:
        """Refuse a request before its fields are parsed."""
        return

    def check_parsed(self, call: Call) -> None:
        """Refuse fields by their parsed values, for example two that exclude each other."""
        return

    def check_state(self, call: Call, bucket: BucketRecord) -> None:
        """Refuse a request that is impossible in the present state of the store.

        The framework calls it before the body is read, and again if another request came between.
        """
        return


class Parameters(Inputs):
    """What an operation reads from the query and the headers."""

    #: What requests can need in addition to the access of the operation.
    further_access: ClassVar[tuple[Access, ...]] = ()

    @property
    def required_access(self) -> tuple[Access, ...]:
        """What this request needs of `further_access`."""
        return self.further_access


class Preconditions(Inputs, ABC):
    """Conditions that the framework checks before the body is read, and again before the operation is applied."""

    @abstractmethod
    def check_state(self, call: Call, bucket: BucketRecord) -> None:
        """Check the conditions on the object that the call writes."""


class Source(Inputs, ABC):
    """A second resource that a request names and reads, with the conditions on it."""

    #: What the requester needs.
    accesses: ClassVar[tuple[Access, ...]]
    #: The guards of its bucket. Only requests for operations with this source may carry their headers.
    guards: ClassVar[tuple[type[Guard], ...]] = ()

    @property
    @abstractmethod
    def bucket_name(self) -> str:
        """The name of the bucket of the resource."""

    @abstractmethod
    def find(self, call: Call, source_bucket: BucketRecord) -> Self:
        """Return the source with the resource that it names, after the guards have checked its bucket.

        It makes the checks that precede authorization, calls `authorize`, and then makes the others. [order-of-checks]
        """

    def authorize(self, call: Call, source_bucket: BucketRecord, resource: Resource) -> None:
        """Check that the requester has all `accesses` to the resource."""
        for access in self.accesses:
            authorize(access, call, source_bucket, resource)


class Guard(Inputs):
    """A check of a bucket that many operations have in common. Every request for them may carry its headers.

    It comes before the requester is authorized. The headers are read before the bucket is looked up.
    """

    #: Whether the guard is only for operations that need a bucket.
    needs_bucket: ClassVar[bool] = True
    #: Whether the guard is only for requests with its headers.
    needs_header: ClassVar[bool] = False

    def check_bucket(self, call: Call, bucket: BucketRecord) -> Mapping[str, str]:
        """Check a request for a bucket, and return the headers of the dialect that a success has."""
        return {}
