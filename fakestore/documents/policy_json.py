"""The JSON of a policy document: how it is read, and the errors of its members."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from fakestore.model.errors import MALFORMED_POLICY, ErrorResponse

#: The longest policy in bytes. A longer one is refused before it is parsed.
LONGEST_POLICY = 20 * 1024

#: How deeply the parts of a document may be nested; a policy needs less.
_DEEPEST = 32
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Number:
    """A number, as it is written. As int, one with thousands of digits would be refused by the interpreter."""

    text: str


def read_json(body: bytes) -> dict[str, object]:
    """Return the JSON object in `body`. Its numbers are of the type :class:`Number`.

    Raises:
        ErrorResponse: MalformedPolicy, if the document is not a JSON object, is longer than 20 KiB, is nested too
            deeply, has half of a surrogate pair, or an object with two members of the same name.
    """
    _check_beginning(body)
    try:
        text = body.decode()
        _check_depth(text)
        document: dict[str, object] = json.loads(
            text, object_pairs_hook=_without_duplicates, parse_int=Number, parse_float=Number, parse_constant=Number
        )
        json.dumps(document, ensure_ascii=False, default=str).encode()
    except UnicodeDecodeError as error:
        raise MALFORMED_POLICY.error(
            explanation=f"the body is not UTF-8: the byte at offset {error.start} is invalid"
        ) from None
    except UnicodeEncodeError:
        raise MALFORMED_POLICY.error(
            explanation="the document contains half of a surrogate pair; write both halves, or the character itself"
        ) from None
    except json.JSONDecodeError as error:
        # The words of `error` differ between versions of Python.
        raise MALFORMED_POLICY.error(
            explanation=f"the body is not valid JSON; see line {error.lineno}, column {error.colno}"
        ) from None
    return document


def _check_beginning(body: bytes) -> None:
    """Refuse a document that is too long or that does not begin like a JSON object."""
    if len(body) > LONGEST_POLICY:
        raise MALFORMED_POLICY.error(
            "Policy exceeds the maximum allowed document size.",
            explanation=f"the document has {len(body):,} bytes; expected {LONGEST_POLICY:,} at most",
        )
    if not body.startswith(b"{"):
        received = f"starts with {body[:1]!r}" if body else "is empty"
        raise MALFORMED_POLICY.error(
            explanation=f"the body {received}; expected a JSON object, with '{{' as the first byte"
        )


def _check_depth(text: str) -> None:
    """Refuse a document that is nested so deeply that some versions of Python cannot parse it."""
    depth = 0
    for character in _STRING.sub("", text):
        depth += (character in "[{") - (character in "]}")
        if depth > _DEEPEST:
            raise MALFORMED_POLICY.error(
                explanation=f"the document is nested too deeply; expected {_DEEPEST} levels at most"
            )


def _without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members: dict[str, object] = {}
    for name, value in pairs:
        if name in members:
            raise MALFORMED_POLICY.error(explanation=f"an object has two members {name!r}; expected each name once")
        members[name] = value
    return members


def check_fields(value: dict[str, object], known: tuple[str, ...]) -> None:
    """Check that an object has no other members than the known ones.

    Raises:
        ErrorResponse: MalformedPolicy.
    """
    for name in value:
        if name not in known:
            raise MALFORMED_POLICY.error(
                f"Unknown field {name}", explanation=f"the field {name!r} is unknown; expected {', '.join(known)}"
            )


def required(value: dict[str, object], name: str) -> object:
    """Return a member that must be there.

    Raises:
        ErrorResponse: MalformedPolicy, if it is missing.
    """
    if name not in value:
        raise missing(name)
    return value[name]


def strings(field: str, value: object) -> tuple[str, ...]:
    """Return a string, or the strings of a list.

    Raises:
        ErrorResponse: MalformedPolicy, if the value is something else, or the list is empty.
    """
    items = value if isinstance(value, list) else [value]
    if not items:
        raise missing(field)
    for item in items:
        if not isinstance(item, str):
            raise wrong_type(field, "a string or a list of strings", item)
    return tuple(items)


def optional_string(value: dict[str, object], name: str) -> str | None:
    """Return a member that is a string, or None if it is missing.

    Raises:
        ErrorResponse: MalformedPolicy, if it is not a string.
    """
    text = value.get(name, "")
    if not isinstance(text, str):
        raise wrong_type(name, "a string", text)
    return text if name in value else None


def missing(name: str) -> ErrorResponse:
    """Return the error for a field that is missing or empty."""
    return MALFORMED_POLICY.error(
        f"Missing required field {name}", explanation=f"{name} is missing or empty; it is required"
    )


def wrong_type(field: str, expected: str, value: object) -> ErrorResponse:
    """Return the error for a field whose value has another type than the expected one."""
    return invalid_syntax(f"{field} is {describe(value)}; expected {expected}")


def invalid_syntax(explanation: str) -> ErrorResponse:
    """Return the error for a document that does not have the form of a policy."""
    return MALFORMED_POLICY.error("Invalid policy syntax.", explanation=explanation)


def describe(value: object) -> str:
    """Return a string in quotation marks. Return only the type of any other value, which may be long and nested."""
    if isinstance(value, str):
        return repr(value)
    kinds = {dict: "an object", list: "a list", Number: "a number", type(None): "null"}
    return kinds.get(type(value), "true or false")
