"""How the text of an XML element represents a value."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


def one_of(names: Sequence[str]) -> str:
    """Return a list of alternatives for a message, for example ``A, B or C``. Without names return ``nothing``."""
    return " or ".join(filter(None, [", ".join(names[:-1]), *names[-1:]])) or "nothing"


class TextType(NamedTuple, Generic[T]):
    """How the text of an element represents a value.

    ``parse`` raises ValueError, whose message says what is expected, or an ErrorResponse of its own.
    """

    parse: Callable[[str], T]
    render: Callable[[T], str] = str


def choice(values: Mapping[str, T]) -> TextType[T]:
    """Return the type of a text that is one of the keys of ``values``."""
    expected = one_of(tuple(values))

    def parse(text: str) -> T:
        if text not in values:
            raise ValueError(expected)
        return values[text]

    return TextType(parse, lambda value: next(text for text, known in values.items() if known == value))


def integer(least: int = 0, most: int | None = None) -> TextType[int]:
    """Return the type of a decimal number from ``least`` to ``most``, both included; blanks around it are ignored."""
    expected = f"a whole number, {least:,} or more" if most is None else f"a whole number from {least:,} to {most:,}"

    def parse(text: str) -> int:
        # int() alone accepts underscores and other digits, and refuses thousands of digits in words of its own.
        number = int(text) if re.fullmatch(r"\s*[0-9]{1,20}\s*", text, re.ASCII) else None
        if number is None or number < least or (most is not None and number > most):
            raise ValueError(expected)
        return number

    return TextType(parse)


_DATE = r"(?a)\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)?)?"


def parse_timestamp(text: str) -> datetime:
    """Return the moment of an ISO 8601 date or time, in UTC; blanks around it are ignored.

    Raises:
        ValueError: If ``text`` is not such a date.
    """
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


def parse_until(text: str) -> datetime:
    """Return the end of a retention in UTC, to the millisecond, so that it is the one that replies show.

    Raises:
        ValueError: If ``text`` is not a date.
    """
    moment = parse_timestamp(text)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def render_until(moment: datetime) -> str:
    """Return the end of a retention as documents and headers state it, to the millisecond."""
    return f"{moment.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"


def _parse_header_value(text: str) -> str:
    if not text or not (text.isascii() and text.isprintable()):
        raise ValueError("printable ASCII characters, because it becomes the value of a header")
    return text


TEXT = TextType(str)
#: A text that replies repeat in a header.
HEADER_VALUE = TextType(_parse_header_value)
_TRUE_OR_FALSE = choice({"true": True, "false": False})
BOOLEAN = TextType(lambda text: _TRUE_OR_FALSE.parse(text.strip()), _TRUE_OR_FALSE.render)
TIMESTAMP = TextType(parse_timestamp, render_timestamp)
