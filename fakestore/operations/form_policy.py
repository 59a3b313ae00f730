"""The policy of a browser form: the conditions on its fields and on its file, and when it expires."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from fakestore.errors import (
    ACCESS_DENIED,
    ENTITY_TOO_LARGE,
    ENTITY_TOO_SMALL,
    INVALID_POLICY_DOCUMENT,
    ErrorResponse,
)
from fakestore.http.values import parse_integer
from fakestore.messages import counted, iso_date
from fakestore.xml.declarations import one_of, parse_timestamp

#: The beginning of the names of fields that need no condition.
_IGNORED_PREFIX = "x-ignore-"
#: The field whose value may be a list. [policy-of-a-form]
_LISTED = "content-type"


_EQUALS, _STARTS_WITH, _SIZE = "eq", "starts-with", "content-length-range"


class FieldCondition(NamedTuple):
    """A condition on one field.

    Args:
        field: The name of the field in lower case; None if the policy names it without a dollar sign, so
            that the condition has no field.
        shown: The condition as errors show it.
    """

    operator: str
    field: str | None
    expected: str
    shown: str

    def check(self, fields: Mapping[str, str]) -> None:
        """Check the condition. It fails if the field was not sent."""
        value = None if self.field is None else fields.get(self.field)
        if value is None or not self._holds_for(value):
            received = "names no field; write $ in front of the name"
            if self.field is not None:
                received = f"does not hold: the form has {'no such field' if value is None else repr(value)}"
            raise _failed(self.shown, received)

    def _holds_for(self, value: str) -> bool:
        if self.operator == _EQUALS:
            return value == self.expected
        values = [each.strip() for each in value.split(",")] if self.field == _LISTED else [value]
        return all(each.startswith(self.expected) for each in values)


class SizeCondition(NamedTuple):
    """A condition on the size of the file.

    Args:
        least: The smallest size in bytes; None if the policy does not have a number there.
        most: The largest size in bytes, likewise.
    """

    least: int | None
    most: int | None
    shown: str

    def check(self, fields: Mapping[str, str]) -> None:
        """Check that both bounds are numbers."""
        if self.least is None or self.most is None:
            raise _failed(self.shown, "does not hold: its bounds are not both whole numbers")

    def check_size(self, size: int) -> None:
        """Check the size of the file. The bounds are inclusive."""
        explanation = f"the file has {counted(size, 'byte')}, and the policy of the form has {self.shown}"
        if self.least is not None and size < self.least:
            raise ENTITY_TOO_SMALL.error(
                explanation=explanation, ProposedSize=str(size), MinSizeAllowed=str(self.least)
            )
        if self.most is not None and size > self.most:
            raise ENTITY_TOO_LARGE.error(explanation=explanation, ProposedSize=str(size), MaxSizeAllowed=str(self.most))


class FormPolicy(NamedTuple):
    """The policy of a form. It is valid until the moment of its expiration, inclusive."""

    expiration: datetime
    conditions: tuple[FieldCondition | SizeCondition, ...]

    def check(self, fields: Mapping[str, str], free: frozenset[str], now: datetime) -> None:
        """Check the fields of a form. Every field needs a condition.

        Args:
            fields: The fields by lower-case name, and the name of the bucket as ``bucket``.
            free: The names of fields that need no condition.
        """
        if self.expiration < now:
            raise _refused(
                "Policy expired.",
                f"it expired at {iso_date(self.expiration)}, and the store's clock says {iso_date(now)}",
            )
        for condition in self.conditions:
            condition.check(fields)
        covered = free.union(each.field for each in self.conditions if isinstance(each, FieldCondition) and each.field)
        extra = [name for name in fields if name not in covered and not name.startswith(_IGNORED_PREFIX)]
        if extra:
            names = ", ".join(extra)
            raise _refused(f"Extra input fields: {names}", f"the policy has no condition on {names}")

    def check_size(self, size: int) -> None:
        for condition in self.conditions:
            if isinstance(condition, SizeCondition):
                condition.check_size(size)


def _failed(shown: str, problem: str) -> ErrorResponse:
    return _refused(f"Policy Condition failed: {shown}", f"the condition {shown} {problem}")


def _refused(message: str, problem: str) -> ErrorResponse:
    return ACCESS_DENIED.error(
        f"Invalid according to Policy: {message}", explanation=f"the policy of the form refuses it: {problem}"
    )


# -- the document

#: Escapes that policies have and JSON does not.
_MORE_ESCAPES = {"$": "$", "v": r"\u000b"}


def parse_form_policy(text: str) -> FormPolicy:
    """Return the policy in a field of a form.

    Example:
        >>> document = b'{"expiration": "2030-01-01T00:00:00Z", "conditions": [{"bucket": "photos"}]}'
        >>> parse_form_policy(base64.b64encode(document).decode()).conditions[0].shown
        '["eq", "$bucket", "photos"]'
    """
    document = _read(text)
    if not isinstance(document, dict):
        raise _invalid("Invalid JSON.", "the document is not a JSON object")
    for name in document:
        if name not in ("expiration", "conditions"):
            raise _invalid(f"Unexpected: '{name}'", f"the member {name!r} is unknown; expected expiration, conditions")
    conditions = document.get("conditions")
    if not isinstance(conditions, list):
        raise _invalid("Policy missing conditions.", "expected a list 'conditions', which may be empty")
    return FormPolicy(_expiration(document.get("expiration")), tuple(_condition(each) for each in conditions))


def _read(text: str) -> object:
    try:
        decoded = base64.b64decode(text, validate=True).decode()
        decoded = re.sub(r"(?s)\\(.)", lambda escape: _MORE_ESCAPES.get(escape[1], escape[0]), decoded)
        document: object = json.loads(decoded, object_pairs_hook=_without_duplicates)
        json.dumps(document, ensure_ascii=False).encode()  # fails for half of a surrogate pair
    except (ValueError, RecursionError):
        raise _invalid(
            "Invalid JSON.", "the field is not base64 of JSON in UTF-8 whose objects have each name once"
        ) from None
    return document


def _without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a name is repeated")
    return dict(pairs)


def _expiration(value: object) -> datetime:
    if value is None:
        raise _invalid("Policy missing expiration.", "expected a text 'expiration'")
    try:
        return parse_timestamp(value if isinstance(value, str) else "")
    except ValueError as error:
        shown = value if isinstance(value, str) else "..."
        raise _invalid(f"Invalid 'expiration' value: '{shown}'", f"expected {error}") from None


def _condition(value: object) -> FieldCondition | SizeCondition:
    if isinstance(value, dict):
        value = _simple_condition(value)
    if not isinstance(value, list) or not value or not isinstance(value[0], str):
        raise _invalid("Invalid Condition.", "a condition is neither an object nor a list that begins with an operator")
    operator = value[0].lower()
    if len(value) != 3:
        raise _invalid(
            "Invalid Condition: wrong number of arguments.", f"a condition {value[0]!r} has {len(value)} members, not 3"
        )
    if operator == _SIZE:
        return SizeCondition(_bound(value[1]), _bound(value[2]), _show(value))
    if operator not in (_EQUALS, _STARTS_WITH):
        raise _invalid(
            f"Invalid Condition: unknown operation '{value[0]}'.",
            f"the operator {value[0]!r} is unknown; expected {one_of([_EQUALS, _STARTS_WITH, _SIZE])}",
        )
    if not all(isinstance(each, str) for each in value):
        raise _invalid("Invalid Condition: arguments must be strings.", f"a condition {value[0]!r} has another value")
    _, name, expected = value
    field = name[1:].lower() if name.startswith("$") else None
    return FieldCondition(operator, field, expected, _show(value))


def _simple_condition(value: dict[str, object]) -> list[str]:
    """Return the list that means the same as an object: a field must equal a text."""
    if len(value) != 1:
        raise _invalid(
            "Invalid Simple-Condition: Simple-Conditions must have exactly one property specified.",
            f"a condition is an object with {len(value)} members",
        )
    ((name, expected),) = value.items()
    if not isinstance(expected, str):
        raise _invalid("Invalid Simple-Condition: value must be a string.", f"the value of {name!r} is not a text")
    return [_EQUALS, f"${name}", expected]


def _bound(value: object) -> int | None:
    """Return a bound, which may be a number or its digits, or None."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return parse_integer(value) if isinstance(value, str) else None


def _show(condition: list[object]) -> str:
    shown = [each if isinstance(each, str | int | float) else "..." for each in condition]
    return json.dumps(shown, ensure_ascii=False)


def _invalid(problem: str, explanation: str) -> ErrorResponse:
    return INVALID_POLICY_DOCUMENT.error(
        f"Invalid Policy: {problem}", explanation=f"the policy of the form is invalid: {explanation}"
    )
