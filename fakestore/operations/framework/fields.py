"""Fields: the headers and query parameters that a request may carry, each with its bounds, its error and explanation.

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
from collections.abc import Callable
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

from fakestore.errors import UnsupportedRequest, invalid_argument
from fakestore.http.values import parse_integer
from fakestore.operations.framework.call import Call
from fakestore.xml.declarations import TextError

_Value = TypeVar("_Value")

_Choice = TypeVar("_Choice", bound=StrEnum)


class Sent(NamedTuple):
    """A header or query parameter of a request.

    Args:
        name: The full name, with the prefix of the dialect.
    """

    call: Call
    name: str
    text: str


#: Reads what was sent. It raises an ErrorResponse or UnsupportedRequest if the text is invalid.
Kind = Callable[[Sent], _Value]


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


# -- what a class of parameters declares


def text(sent: Sent) -> str:
    return sent.text


def query(name: str, kind: Kind[Any] = text, *, default: Any = None) -> Any:
    """Declare a query parameter."""

    def read(call: Call) -> Any:
        sent = call.query.get(name)
        return default if sent is None else kind(Sent(call, name, sent))

    return _declare(Field(read, query=(name,)), default)


def header(name: str, kind: Kind[Any] = text, *, default: Any = None) -> Any:
    """Declare a header of the dialect, by its name without the prefix."""
    return _declare(Field(lambda call: read_header(call, name, kind, default), service_headers=(name,)), default)


def standard_header(name: str, kind: Kind[Any] = text, *, default: Any = None) -> Any:
    """Declare a standard header, by its name in lower case."""

    def read(call: Call) -> Any:
        sent = call.headers.get(name)
        return default if sent is None else kind(Sent(call, name, sent))

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


def read_header(call: Call, name: str, kind: Kind[_Value], default: Any = None) -> Any:
    """Return the value of a header of the dialect, by its name without the prefix."""
    sent = call.service_headers.get(name)
    return default if sent is None else kind(Sent(call, call.dialect.header(name), sent))


# -- kinds of values


def unread(sent: Sent) -> Sent:
    """Return the sent text. The operation parses it later, because another error comes first."""
    return sent


def switch(sent: Sent) -> bool:
    """Return a value that is true or false. The answer of the service to another value is not known."""
    if sent.text.lower() not in ("true", "false"):
        raise UnsupportedRequest(f"{sent.name} is {sent.text!r}; expected true or false")
    return sent.text.lower() == "true"


def integer(expected: str, message: str | None = None, *, least: int = 0, most: int | None = None) -> Kind[int]:
    """Return the kind of an integer of at most 18 digits.

    Args:
        expected: The advice in the explanation of the error.
        message: The message of the error; by default, the message in the table of codes.
    """

    def read(sent: Sent) -> int:
        number = parse_integer(sent.text)
        if number is None or number < least or (most is not None and number > most):
            raise invalid_argument(
                sent.name, sent.text, message, explanation=f"{sent.name} is {sent.text!r}; {expected}"
            )
        return number

    return read


def choice(members: type[_Choice], invalid: TextError, *, any_case: bool = False) -> Kind[Any]:
    """Return the kind of a member of an enumeration.

    Args:
        invalid: Makes the error for another text.
        any_case: Whether the case of the text is ignored. The members are in upper case.
    """

    def read(sent: Sent) -> _Choice:
        try:
            return members(sent.text.upper() if any_case else sent.text)
        except ValueError:
            explanation = f"{sent.name} is {sent.text!r}; expected {' or '.join(members)}"
            raise invalid(sent.name, sent.text, explanation) from None

    return read
