"""Helpers for error messages and reports."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from datetime import datetime
from difflib import get_close_matches
from functools import cache
from types import GenericAlias, UnionType
from typing import TYPE_CHECKING, Any, get_origin, get_type_hints

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_get_hints = cache(get_type_hints)

#: The explanation of a failure that a test planned.
PLANNED_FAULT = "a fault planned by the test"

#: What lifts the refusals of ACLs and public policies in new buckets.
ACLS_OPTION = "with fake_store(acls=True), or --acls on the command line, new buckets accept ACLs and public policies"


def dialect_option(name: str) -> str:
    """Return the option that chooses a dialect of fakestore, in Python and on the command line."""
    return f"dialect={name!r} (--dialect {name} on the command line)"


def counted(count: int, noun: str) -> str:
    """Return ``1 key`` or ``2 keys``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def some_of(texts: Iterable[str], most: int = 8) -> str:
    """Return the first `most` of some texts with commas between them, and how many others there are."""
    shown = list(texts)
    more = f" and {len(shown) - most:,} more" if len(shown) > most else ""
    return ", ".join(shown[:most]) + more


def repetition(count: int) -> str:
    """Return `` (2 times)``, the end of a message about an event that happened twice; an empty string for one time."""
    return f" ({count} times)" if count > 1 else ""


def did_you_mean(name: object, known: Iterable[str], *, most: int = 1, cutoff: float = 0.6) -> str:
    """Return a question with the closest known names, with a leading space, or an empty string if none is close.

    The case of `name`, an argument of any type, does not matter. `cutoff` is the least similarity, from 0 to 1.
    """
    if not isinstance(name, str):
        return ""
    names = {each.lower(): each for each in known}
    close = [repr(names[each]) for each in get_close_matches(name.lower(), names, most, cutoff)]
    return f" Did you mean {' or '.join(close)}?" if close else ""


def escaped(text: str) -> str:
    """Return `text` with its control characters escaped, so that it cannot forge a line of a log."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


def iso_date(moment: datetime, precision: str = "seconds") -> str:
    """Return a moment in UTC as ``2013-05-24T00:00:00Z``. `precision` is a ``timespec`` of ``datetime.isoformat``."""
    return f"{moment.replace(tzinfo=None).isoformat(timespec=precision)}Z"


def shortened(text: str, length: int = 8) -> str:
    """Return `text`, or its first `length` characters and ``...`` if it is longer."""
    return text if len(text) <= length else f"{text[:length]}..."


def check_types(instance: DataclassInstance, dataclass: type[DataclassInstance]) -> None:
    """Check that the fields of a dataclass have the types of their annotations. Members of tuples are not checked.

    The fields of a subclass are not checked.
    """
    hints = _get_hints(dataclass)
    for field in fields(dataclass):
        value = getattr(instance, field.name)
        if not _has_type(value, hints[field.name]):
            raise TypeError(f"invalid {field.name} {value!r}: expected {field.type}")


def _has_type(value: object, expected: Any) -> bool:
    if isinstance(expected, UnionType):
        return any(_has_type(value, each) for each in expected.__args__)
    if not isinstance(expected, GenericAlias):
        return isinstance(value, expected)
    if not isinstance(value, get_origin(expected)):
        return False
    return not isinstance(value, frozenset) or all(isinstance(each, expected.__args__) for each in value)
