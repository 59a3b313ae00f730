"""Conditions of policies: an operator of the policy language, a key, and the values that it is compared with."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from ipaddress import IPv4Network, IPv6Network, ip_network
from types import MappingProxyType
from typing import Any, NamedTuple

from fakestore.model.patterns import matches_pattern, unescape
from fakestore.model.policy_variables import ConditionValues, describe_values, fill_in, variables_of


class ConditionKey(NamedTuple):
    """A key that conditions may name.

    Args:
        name: The name, for example ``s3:prefix``. If it ends with a slash, the key of a tag follows.
        actions: The actions whose requests can have the key; None for all.
        has_many_values: Whether a request may have several values.
    """

    name: str
    actions: frozenset[str] | None = None
    has_many_values: bool = False

    def applies_to(self, action: str) -> bool:
        """Return whether a request for this action can have the key."""
        return self.actions is None or action in self.actions


class Quantifier(Enum):
    """How many of a request's values a condition is about. The value is the prefix in the document."""

    NONE = ""
    ALL = "ForAllValues:"
    ANY = "ForAnyValue:"


class Operator(NamedTuple):
    """An operator of the policy language.

    Args:
        name: Its name, for example ``StringNotLike``.
        read: Returns a text as what is compared, or None if the text is not valid for the operator.
        matches: Compares the value of a request with a value of the condition, both as `read` returns them.
        negated: Whether the condition holds if no value matches.
    """

    name: str
    read: Callable[[str], object | None]
    matches: Callable[[Any, Any], bool]
    negated: bool = False

    def accepts(self, received: str, values: tuple[str, ...]) -> bool:
        """Return whether the condition holds for one value of a request. What is not valid matches nothing."""
        value = self.read(received)
        others = [other for each in values if (other := self.read(each)) is not None]
        matching = value is not None and any(self.matches(value, other) for other in others)
        return matching != self.negated

    @property
    def takes_variables(self) -> bool:
        """Whether values of conditions with this operator can have policy variables."""
        return self.name.startswith(("String", "Arn"))


class Condition(NamedTuple):
    """A condition of a statement.

    Example:
        >>> encrypted = Condition(OPERATORS["StringEquals"], "s3:x-amz-server-side-encryption", ("AES256", "aws:kms"))
        >>> encrypted.holds({"s3:x-amz-server-side-encryption": ("AES256",)}), encrypted.holds({})
        (True, False)

    Args:
        operator: The operator.
        key: The key as :class:`ConditionKey` names it, with the key of a tag at its end if it is about a tag.
        values: The values. One that matches is enough.
        quantifier: How many of a request's values must match.
        if_exists: Whether the condition holds if the request does not have the key.
    """

    operator: Operator
    key: str
    values: tuple[str, ...]
    quantifier: Quantifier = Quantifier.NONE
    if_exists: bool = False

    def holds(self, sent: ConditionValues) -> bool:
        """Return whether the condition holds for a request."""
        received = sent.get(self.key)
        if self.operator == NULL:
            return NULL.accepts("false" if received else "true", self.values)
        if not received:
            if self.if_exists or self.quantifier is Quantifier.ALL:
                return True
            return self.operator.negated and self.quantifier is Quantifier.NONE
        quantify = all if self.quantifier is Quantifier.ALL else any
        values = tuple(filled for each in self.values if (filled := fill_in(each, sent)) is not None)
        return quantify(self.operator.accepts(each, values) for each in received)

    @property
    def keys(self) -> tuple[str, ...]:
        """The key, and those of the policy variables in the values."""
        return (self.key, *sorted(variables_of(self.values) - {self.key}))

    @property
    def operator_name(self) -> str:
        """The operator as a document writes it, for example ``ForAnyValue:StringLike`` or ``BoolIfExists``."""
        return f"{self.quantifier.value}{self.operator.name}{'IfExists' if self.if_exists else ''}"

    def explain(self, sent: ConditionValues) -> str:
        """Return a sentence that says whether the condition holds, and why."""
        outcome = "holds" if self.holds(sent) else "does not hold"
        return f"{self} {outcome}, because {describe_values(self.keys, sent)}"

    def __str__(self) -> str:
        return f"{self.operator_name} {self.key} {' or '.join(map(repr, self.values))}"


# -- what operators compare

#: The digits are bounded so that no comparison is slow.
_NUMBER = r"(?a)[+-]?\d{1,18}(\.\d{1,18})?"
_DATE = r"(?a)\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d))?"
_SECONDS = r"(?a)\d{5,12}"
_NETWORK = r"(?a)[0-9a-fA-F.:]{2,45}(/\d{1,3})?"
_ARN_PARTS = 6


def _read_text(text: str) -> str:
    return text


def _equals(received: str, pattern: str) -> bool:
    return received == unescape(pattern)


def _read_number(text: str) -> Decimal | None:
    return Decimal(text) if re.fullmatch(_NUMBER, text) else None


def _read_date(text: str) -> Decimal | None:
    """Return the seconds since 1970 of a date, which is a number of them, or a date or time in the form of ISO 8601."""
    if re.fullmatch(_SECONDS, text):
        return Decimal(text)
    if not re.fullmatch(_DATE, text):
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return Decimal(str(moment.timestamp()))


def _read_bool(text: str) -> bool | None:
    return {"true": True, "false": False}.get(text.lower())


def _read_network(text: str) -> IPv4Network | IPv6Network | None:
    if not re.fullmatch(_NETWORK, text):
        return None
    try:
        return ip_network(text, strict=False)
    except ValueError:
        return None


def _is_within(network: IPv4Network | IPv6Network, other: IPv4Network | IPv6Network) -> bool:
    return network.version == other.version and network.subnet_of(other)  # type: ignore[arg-type]


def _read_arn(text: str) -> tuple[str, ...] | None:
    parts = tuple(text.split(":", _ARN_PARTS - 1))
    return parts if len(parts) == _ARN_PARTS and parts[0] == "arn" else None


def _arn_matches(arn: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    return all(map(matches_pattern, arn, pattern))


_ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "Equals": operator.eq,
    "LessThan": operator.lt,
    "LessThanEquals": operator.le,
    "GreaterThan": operator.gt,
    "GreaterThanEquals": operator.ge,
}

NULL = Operator("Null", _read_bool, operator.eq)

_POSITIVE = (
    Operator("StringEquals", _read_text, _equals),
    Operator("StringEqualsIgnoreCase", str.casefold, _equals),
    Operator("StringLike", _read_text, matches_pattern),
    *(Operator(f"Numeric{order}", _read_number, matches) for order, matches in _ORDERS.items()),
    *(Operator(f"Date{order}", _read_date, matches) for order, matches in _ORDERS.items()),
    Operator("Bool", _read_bool, operator.eq),
    Operator("IpAddress", _read_network, _is_within),
    # The service compares these two in the same way.
    Operator("ArnEquals", _read_arn, _arn_matches),
    Operator("ArnLike", _read_arn, _arn_matches),
    NULL,
)
_NEGATED = {
    "StringNotEquals": "StringEquals",
    "StringNotEqualsIgnoreCase": "StringEqualsIgnoreCase",
    "StringNotLike": "StringLike",
    "NumericNotEquals": "NumericEquals",
    "DateNotEquals": "DateEquals",
    "NotIpAddress": "IpAddress",
    "ArnNotEquals": "ArnEquals",
    "ArnNotLike": "ArnLike",
}
_BY_NAME = {each.name: each for each in _POSITIVE}

#: The operators by their names, without quantifier and ``IfExists``.
OPERATORS: Mapping[str, Operator] = MappingProxyType(
    _BY_NAME
    | {
        name: Operator(name, _BY_NAME[positive].read, _BY_NAME[positive].matches, negated=True)
        for name, positive in _NEGATED.items()
    }
)
