"""The element Condition of a policy document."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from fakestore.documents.policy_json import Number, invalid_syntax, missing, wrong_type
from fakestore.messages import did_you_mean
from fakestore.model.errors import MALFORMED_POLICY
from fakestore.model.policy_conditions import NULL, OPERATORS, Condition, ConditionKey, Operator, Quantifier
from fakestore.model.policy_variables import CHARACTERS, VARIABLE
from fakestore.model.unsupported import UnsupportedRequest

_OPERATOR = re.compile(r"(?P<quantifier>ForAllValues:|ForAnyValue:|)(?P<name>.*?)(?P<if_exists>IfExists|)", re.DOTALL)


def parse_conditions(
    value: object, keys: Mapping[str, ConditionKey], actions: Collection[str]
) -> tuple[Condition, ...]:
    """Return the conditions of a statement.

    Args:
        value: The value of the element.
        keys: The keys that conditions may name, by their names in lower case.
        actions: The actions that the statement is about.

    Raises:
        ErrorResponse: MalformedPolicy, if the value does not have the form of conditions, if a value is not valid for
            its operator, or if a key applies to none of the actions.
        UnsupportedRequest: If an operator or a key is unknown, or an operator has a key twice in different case.
    """
    return tuple(_conditions(value, keys, actions))


def _conditions(value: object, keys: Mapping[str, ConditionKey], actions: Collection[str]) -> Iterator[Condition]:
    for operator_name, members in _members("Condition", value):
        operator, quantifier, if_exists = _parse_operator(operator_name)
        full_names: set[str] = set()
        for name, values in _members(operator_name, members):
            key, tag = _find_key(name, keys)
            full_name = key.name + tag
            if full_name in full_names:
                raise UnsupportedRequest(
                    f"the condition key {name!r} is not supported, because {operator_name} has {full_name} twice; write"
                    " each key once"
                )
            full_names.add(full_name)
            if not any(map(key.applies_to, actions)):
                raise MALFORMED_POLICY.error(
                    "Conditions do not apply to combination of actions and resources in statement",
                    explanation=f"the condition key {name!r} applies to none of the actions and resources of its"
                    f" statement; it applies to {', '.join(sorted(key.actions or ()))}",
                )
            if key.has_many_values and quantifier is Quantifier.NONE and operator != NULL:
                raise UnsupportedRequest(
                    f"{operator_name} with the condition key {name!r}, which can have many values, is not supported;"
                    f" use ForAllValues:{operator_name} or ForAnyValue:{operator_name}"
                )
            parsed = tuple(_parse_value(name, operator, value, keys) for value in _listed(name, values))
            yield Condition(operator, full_name, parsed, quantifier, if_exists)


def _members(name: str, value: object) -> Collection[tuple[str, object]]:
    if not isinstance(value, dict):
        raise wrong_type(name, "an object", value)
    return value.items()


def _parse_operator(text: str) -> tuple[Operator, Quantifier, bool]:
    parts = _OPERATOR.fullmatch(text)
    assert parts is not None
    operator, quantifier = OPERATORS.get(parts["name"]), Quantifier(parts["quantifier"])
    if operator is None or (operator == NULL and text != NULL.name):
        raise UnsupportedRequest(
            f"the condition operator {text!r} is not supported; supported: {', '.join(OPERATORS)}, each but Null also"
            f" with ForAllValues: or ForAnyValue: before it and IfExists after it.{did_you_mean(text, OPERATORS)}"
        )
    return operator, quantifier, bool(parts["if_exists"])


def _find_key(name: str, keys: Mapping[str, ConditionKey]) -> tuple[ConditionKey, str]:
    """Return the key, and the key of the tag that it is about, if it is about one. The case of the latter matters."""
    family, slash, tag = name.partition("/")
    key = keys.get(family.lower() + slash)
    if key is None or bool(slash) != bool(tag):
        known = sorted(each.name + ("<key>" if each.name.endswith("/") else "") for each in keys.values())
        raise UnsupportedRequest(
            f"the condition key {name!r} is not supported; supported: {', '.join(known)}.{did_you_mean(name, known)}"
        )
    return key, tag


def parse_variables(text: str, keys: Mapping[str, ConditionKey]) -> str:
    """Return a text with policy variables, whose keys have the names of `keys`. [policy-variables]

    Raises:
        UnsupportedRequest: If the key of a variable is unknown or can have many values, or if the variable has another
            form.
    """
    if "${" in VARIABLE.sub("", text):
        raise UnsupportedRequest(
            f"the policy variable in {text!r} is not supported; write ${{key}} or ${{key, 'default'}} with the name of"
            " a condition key, or ${*}, ${?} or ${$} for the character"
        )
    return VARIABLE.sub(lambda match: _parse_variable(match, keys), text)


def _parse_variable(match: re.Match[str], keys: Mapping[str, ConditionKey]) -> str:
    name = match["key"]
    if name in CHARACTERS:
        return match[0]
    key, tag = _find_key(name, keys)
    if key.has_many_values:
        raise UnsupportedRequest(f"the policy variable {match[0]!r} is not supported: {key.name} can have many values")
    return match[0].replace(name, key.name + tag, 1)


def _listed(name: str, value: object) -> list[object]:
    items = value if isinstance(value, list) else [value]
    if not items:
        raise missing(f"Condition: {name}")
    return items


def _parse_value(name: str, operator: Operator, item: object, keys: Mapping[str, ConditionKey]) -> str:
    """Return a value as text. A number or a boolean value means the same as its text."""
    if isinstance(item, Number):
        text = item.text
    elif isinstance(item, bool):
        text = str(item).lower()
    elif isinstance(item, str):
        text = item
    else:
        raise wrong_type(name, "a string, a number, true or false, or a list of these", item)
    if "${" in text and operator.takes_variables:
        return parse_variables(text, keys)
    if operator.read(text) is None:
        raise invalid_syntax(f"the value {text!r} of {name} is not valid for {operator.name}")
    return text


def render_conditions(conditions: tuple[Condition, ...]) -> dict[str, object]:
    """Return the value of the element Condition. Numbers and boolean values are written as text."""
    rendered: dict[str, dict[str, object]] = {}
    for condition in conditions:
        values = condition.values
        members = rendered.setdefault(condition.operator_name, {})
        members[condition.key] = values[0] if len(values) == 1 else list(values)
    return dict(rendered)
