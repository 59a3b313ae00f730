"""The policy document of a browser form: JSON in base64."""

from __future__ import annotations

import base64
import json
import re
from datetime import datetime

from fakestore.errors import INVALID_POLICY_DOCUMENT, ErrorResponse
from fakestore.http.values import parse_integer
from fakestore.model.form_policy import FieldCondition, FormPolicy, Operator, SizeCondition
from fakestore.xml.declarations import one_of, parse_timestamp

_SIZE = "content-length-range"

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)

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
        decoded = _ESCAPE.sub(_json_escape, base64.b64decode(text, validate=True).decode())
        document: object = json.loads(decoded, object_pairs_hook=_without_duplicates)
        json.dumps(document, ensure_ascii=False).encode()  # fails for half of a surrogate pair
    except (ValueError, RecursionError):
        raise _invalid(
            "Invalid JSON.", "the field is not base64 of JSON in UTF-8 whose objects have each name once"
        ) from None
    return document


def _json_escape(escape: re.Match[str]) -> str:
    return _MORE_ESCAPES.get(escape[1], escape[0])


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
        return _simple_condition(value)
    if not isinstance(value, list) or not value or not isinstance(value[0], str):
        raise _invalid("Invalid Condition.", "a condition is neither an object nor a list that begins with an operator")
    operator = value[0].lower()
    if len(value) != 3:
        raise _invalid(
            "Invalid Condition: wrong number of arguments.", f"a condition {value[0]!r} has {len(value)} members, not 3"
        )
    if operator == _SIZE:
        return SizeCondition(_bound(value[1]), _bound(value[2]), _show(value))
    try:
        known = Operator(operator)
    except ValueError:
        expected_operators = one_of([*Operator, _SIZE])
        raise _invalid(
            f"Invalid Condition: unknown operation '{value[0]}'.",
            f"the operator {value[0]!r} is unknown; expected {expected_operators}",
        ) from None
    if not all(isinstance(each, str) for each in value):
        raise _invalid("Invalid Condition: arguments must be strings.", f"a condition {value[0]!r} has another value")
    return _field_condition(value, known)


def _simple_condition(value: dict[str, object]) -> FieldCondition:
    """Return the condition that an object states: a field must equal a text."""
    if len(value) != 1:
        raise _invalid(
            "Invalid Simple-Condition: Simple-Conditions must have exactly one property specified.",
            f"a condition is an object with {len(value)} members",
        )
    ((name, expected),) = value.items()
    if not isinstance(expected, str):
        raise _invalid("Invalid Simple-Condition: value must be a string.", f"the value of {name!r} is not a text")
    return _field_condition([Operator.EQUALS.value, f"${name}", expected], Operator.EQUALS)


def _field_condition(condition: list[str], operator: Operator) -> FieldCondition:
    _, name, expected = condition
    field = name[1:].lower() if name.startswith("$") else None
    return FieldCondition(operator, field, expected, _show(condition))


def _bound(value: object) -> int | None:
    """Return a bound, which may be a number or its digits, or None."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return parse_integer(value) if isinstance(value, str) else None


def _show(condition: list[object] | list[str]) -> str:
    shown = [each if isinstance(each, str | int | float) else "..." for each in condition]
    return json.dumps(shown, ensure_ascii=False)


def _invalid(problem: str, explanation: str) -> ErrorResponse:
    return INVALID_POLICY_DOCUMENT.error(
        f"Invalid Policy: {problem}", explanation=f"the policy of the form is invalid: {explanation}"
    )
