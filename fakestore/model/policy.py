"""Bucket policies: statements that allow or deny actions on a bucket and on its objects.

A condition compares a key, such as ``s3:prefix``, with values. A policy variable, such as ``${aws:userid}``, stands for
the value of a key in the request.
"""

from __future__ import annotations

import fnmatch
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_network
from types import MappingProxyType
from typing import Any, NamedTuple

from fakestore.model.accounts import ANONYMOUS, Requester
from fakestore.xml.declarations import parse_timestamp

# -- patterns, in which * and ? are wildcards, and ${*}, ${?} and ${$} are characters

ESCAPED = re.compile(r"\$\{([*?$])\}")


def matches_pattern(name: str, pattern: str) -> bool:
    """Return whether a pattern matches a whole name.

    ``*`` matches any number of characters, slashes included, and ``?`` exactly one.

    Example:
        >>> matches_pattern("photos/2026/cat.jpg", "photos/*.jp?g"), matches_pattern("a/b", "?/*")
        (False, True)
    """
    return _expression(pattern).match(name) is not None


@lru_cache(maxsize=1024)
def _expression(pattern: str) -> re.Pattern[str]:
    # fnmatch joins adjacent stars and makes each an atomic group, so a hostile pattern cannot cause backtracking.
    # It also knows [sets], which policies do not have; a set of one character matches that character.
    return re.compile(fnmatch.translate(ESCAPED.sub(r"[\1]", pattern.replace("[", "[[]"))))


# -- variables and conditions

#: The values of condition keys in a request. If the request has no value of a key, the key is absent.
ConditionValues = Mapping[str, tuple[str, ...]]

#: A variable. It may have a default: ``${aws:PrincipalTag/team, 'nobody'}``.
VARIABLE = re.compile(r"\$\{(?![*?$]\})(?P<key>[^{},]*)(?:, *'(?P<default>[^{}']*)')?\}")


def variables_of(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(match["key"] for text in texts for match in VARIABLE.finditer(text))


def fill_in(text: str, sent: ConditionValues) -> str | None:
    """Return a pattern with values in place of its variables, or None if the request has no value of one.

    Example:
        >>> fill_in("home/${aws:userid}/*", {"aws:userid": ("a*",)}), fill_in("${aws:username}", {})
        ('home/a${*}/*', None)
    """
    values: dict[str, str] = {}
    for variable in VARIABLE.finditer(text):
        key = variable["key"]
        value = sent[key][0] if key in sent else variable["default"]
        if value is None:
            return None
        values[variable[0]] = re.sub(r"[*?$]", r"${\g<0>}", value)  # a wildcard in a value is a plain character
    return VARIABLE.sub(lambda variable: values[variable[0]], text)


def describe_values(keys: Iterable[str], sent: ConditionValues) -> str:
    """Return the values of keys in a request, for example ``aws:userid is '1' and aws:username has no value``."""
    return " and ".join(
        f"{key} is {', '.join(map(repr, sent[key]))}" if sent.get(key) else f"{key} has no value" for key in keys
    )


class Quantifier(Enum):
    """How many of a request's values must match. The value of a member is the prefix in the document."""

    NONE = ""
    ALL = "ForAllValues:"
    ANY = "ForAnyValue:"


class Operator(NamedTuple):
    """An operator of the policy language.

    Args:
        read: Converts a text to the value that is compared. Returns None if the text is not valid for the operator.
        matches: Compares the value of a request with a value of the condition, both as `read` returns them.
        negated: Whether the condition holds if no value matches.
    """

    name: str
    read: Callable[[str], object | None]
    matches: Callable[[Any, Any], bool]
    negated: bool = False

    def accepts(self, received: str, values: tuple[str, ...]) -> bool:
        """Return whether the condition holds for one value of a request. An invalid value matches nothing."""
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

    Args:
        key: For example ``s3:prefix``. The key of a condition on a tag ends with the tag key.
        values: The values. One match is enough.
        if_exists: Whether the condition holds if the request does not have the key.
    """

    operator: Operator
    key: str
    values: tuple[str, ...]
    quantifier: Quantifier = Quantifier.NONE
    if_exists: bool = False

    def holds(self, sent: ConditionValues) -> bool:
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
        """The key, and the keys of the policy variables in the values."""
        return (self.key, *sorted(variables_of(self.values) - {self.key}))

    @property
    def operator_name(self) -> str:
        """The operator as a document writes it, for example ``ForAnyValue:StringLike`` or ``BoolIfExists``."""
        return f"{self.quantifier.value}{self.operator.name}{'IfExists' if self.if_exists else ''}"

    def explain(self, sent: ConditionValues) -> str:
        outcome = "holds" if self.holds(sent) else "does not hold"
        return f"{self} {outcome}, because {describe_values(self.keys, sent)}"

    def __str__(self) -> str:
        return f"{self.operator_name} {self.key} {' or '.join(map(repr, self.values))}"


# -- the values that operators compare

#: The digits are bounded so that no comparison is slow.
_NUMBER = r"(?a)[+-]?\d{1,18}(\.\d{1,18})?"
#: A date, or a time with its zone.
_DATE = r"(?a)[^T\s]+|\S+(Z|[+-]\d\d:\d\d)"
_SECONDS = r"(?a)\d{5,12}"
_NETWORK = r"(?a)[0-9a-fA-F.:]{2,45}(/\d{1,3})?"
_ARN_PARTS = 6


def _equals(received: str, pattern: str) -> bool:
    return received == ESCAPED.sub(r"\1", pattern)  # here, * and ? are not wildcards


def _read_number(text: str) -> Decimal | None:
    return Decimal(text) if re.fullmatch(_NUMBER, text) else None


def _read_date(text: str) -> Decimal | None:
    """Convert a date to seconds since 1970. The text is a number of seconds or ISO 8601."""
    if re.fullmatch(_SECONDS, text):
        return Decimal(text)
    if not re.fullmatch(_DATE, text):
        return None
    try:
        return Decimal(str(parse_timestamp(text).timestamp()))
    except ValueError:
        return None


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


_Row = tuple[str, str | None, Callable[[str], object | None], Callable[[Any, Any], bool]]

#: The name of each operator and of its negation, how it reads a text, and how it compares the values.
_TABLE: tuple[_Row, ...] = (
    ("StringEquals", "StringNotEquals", str, _equals),
    ("StringEqualsIgnoreCase", "StringNotEqualsIgnoreCase", str.casefold, _equals),
    ("StringLike", "StringNotLike", str, matches_pattern),
    ("NumericEquals", "NumericNotEquals", _read_number, operator.eq),
    ("NumericLessThan", None, _read_number, operator.lt),
    ("NumericLessThanEquals", None, _read_number, operator.le),
    ("NumericGreaterThan", None, _read_number, operator.gt),
    ("NumericGreaterThanEquals", None, _read_number, operator.ge),
    ("DateEquals", "DateNotEquals", _read_date, operator.eq),
    ("DateLessThan", None, _read_date, operator.lt),
    ("DateLessThanEquals", None, _read_date, operator.le),
    ("DateGreaterThan", None, _read_date, operator.gt),
    ("DateGreaterThanEquals", None, _read_date, operator.ge),
    ("Bool", None, _read_bool, operator.eq),
    ("IpAddress", "NotIpAddress", _read_network, _is_within),
    # The service compares these two in the same way.
    ("ArnEquals", "ArnNotEquals", _read_arn, _arn_matches),
    ("ArnLike", "ArnNotLike", _read_arn, _arn_matches),
    ("Null", None, _read_bool, operator.eq),
)

#: The operators by their names, without quantifier and ``IfExists``.
OPERATORS: Mapping[str, Operator] = MappingProxyType(
    {name: Operator(name, read, matches) for name, _, read, matches in _TABLE}
    | {name: Operator(name, read, matches, negated=True) for _, name, read, matches in _TABLE if name}
)

NULL = OPERATORS["Null"]


class Effect(Enum):
    ALLOW = "Allow"
    DENY = "Deny"


class AccessRequest(NamedTuple):
    """A request as a policy sees it.

    Args:
        resource: ``bucket`` or ``bucket/key``.
        condition_values: The values of :attr:`Policy.condition_keys` in the request.
    """

    requester: Requester
    action: str
    resource: str
    condition_values: ConditionValues = MappingProxyType({})


class Element(Enum):
    """An element of a statement that has an opposite: ``NotPrincipal``, ``NotAction`` and ``NotResource``."""

    PRINCIPAL = "Principal"
    ACTION = "Action"
    RESOURCE = "Resource"


class Statement(NamedTuple):
    """A statement of a policy.

    Args:
        principals: The canonical IDs of the accounts. None means every requester, anonymous ones included.
        actions: Patterns such as ``s3:Get*``. Case is ignored.
        resources: Patterns such as ``photos`` or ``photos/2026/*``. Case matters. They can have policy variables.
        negated: The elements that list what the statement does not apply to, for example ``{Element.ACTION}`` for
            ``NotAction``.
    """

    effect: Effect
    principals: frozenset[str] | None
    actions: tuple[str, ...]
    resources: tuple[str, ...]
    sid: str | None = None
    conditions: tuple[Condition, ...] = ()
    negated: frozenset[Element] = frozenset()

    def applies_to(self, request: AccessRequest) -> bool:
        return self.is_about(request) and all(each.holds(request.condition_values) for each in self.conditions)

    def is_about(self, request: AccessRequest) -> bool:
        """Return whether the statement matches a request, apart from its conditions."""
        return (
            self._lists_requester(request.requester) is (Element.PRINCIPAL not in self.negated)
            and self._lists_action(request.action) is (Element.ACTION not in self.negated)
            and self._lists_resource(request) is (Element.RESOURCE not in self.negated)
        )

    def _lists_requester(self, requester: Requester) -> bool:
        return self.principals is None or (requester is not ANONYMOUS and requester.id in self.principals)

    def _lists_action(self, action: str) -> bool:
        return any(matches_pattern(action.lower(), pattern.lower()) for pattern in self.actions)

    def _lists_resource(self, request: AccessRequest) -> bool:
        patterns = (fill_in(each, request.condition_values) for each in self.resources)
        return any(each is not None and matches_pattern(request.resource, each) for each in patterns)

    @property
    def condition_keys(self) -> frozenset[str]:
        return variables_of(self.resources).union(*(each.keys for each in self.conditions))

    def explain(self, number: int, request: AccessRequest) -> str:
        """Return the statement and its number. Add the conditions that do not hold for a request, or that all hold."""
        failed = [each for each in self.conditions if not each.holds(request.condition_values)]
        conditions = "; ".join(each.explain(request.condition_values) for each in failed or self.conditions)
        return f"statement {number} of the policy, {self}{conditions and f': {conditions}'}"

    def __str__(self) -> str:
        sid = "" if self.sid is None else f" (Sid {self.sid!r})"
        actions, resources = self._list(Element.ACTION, self.actions), self._list(Element.RESOURCE, self.resources)
        return f"{self.effect.value} {actions} on {resources}{sid}"

    def _list(self, element: Element, names: tuple[str, ...]) -> str:
        return f"{'everything but ' if element in self.negated else ''}{', '.join(names)}"


@dataclass(frozen=True, slots=True)
class Policy:
    """The policy of a bucket.

    Args:
        document: The document as it was put, to be returned unchanged. None if a statement was added afterwards.
    """

    statements: tuple[Statement, ...] = ()
    document: bytes | None = field(default=None, compare=False, repr=False)

    def decide(self, request: AccessRequest) -> Effect | None:
        """Return whether the policy allows or denies a request, or None if ownership and ACLs decide."""
        effects = [each.effect for each in self.statements if each.applies_to(request)]
        if Effect.DENY in effects:
            return Effect.DENY
        return effects[0] if effects else None

    def explain(self, request: AccessRequest) -> str:
        """Return what the policy adds to the explanation of a refused request; an empty text if the bucket has none.

        Example:
            >>> policy = Policy((Statement(Effect.DENY, None, ("s3:*",), ("photos/*",), "closed"),))
            >>> policy.explain(AccessRequest(ANONYMOUS, "s3:GetObject", "photos/cat.jpg"))
            "denied by statement 1 of the policy, Deny s3:* on photos/* (Sid 'closed')"
        """
        about = [(number, each) for number, each in enumerate(self.statements, 1) if each.is_about(request)]
        for number, statement in about:
            if statement.effect is Effect.DENY and statement.applies_to(request):
                return f"denied by {statement.explain(number, request)}"
        if self.statements and not about:
            variables = variables_of(resource for each in self.statements for resource in each.resources)
            values = describe_values(sorted(variables), request.condition_values)
            reason = values and f", because {values}"
            return f"no statement of the policy matches this requester, action and resource{reason}"
        unmet = [pair for pair in about if pair[1].effect is Effect.ALLOW and not pair[1].applies_to(request)]
        return "; ".join(f"not allowed by {statement.explain(number, request)}" for number, statement in unmet)

    @property
    def condition_keys(self) -> frozenset[str]:
        return frozenset().union(*(each.condition_keys for each in self.statements))


def actions_matching(pattern: str, actions: Iterable[str]) -> frozenset[str]:
    """Return the ``actions`` that match a pattern such as ``s3:Get*``. Case is ignored."""
    return frozenset(action for action in actions if matches_pattern(action.lower(), pattern.lower()))


#: The keys that keep a statement from being public if a condition compares them with fixed values.
_LIMITING_KEYS = (
    *("aws:PrincipalAccount", "aws:PrincipalArn", "aws:PrincipalOrgID", "aws:SourceAccount", "aws:SourceArn"),
    *("aws:SourceVpc", "aws:SourceVpce", "aws:userid"),
)

_LIMITING_HEADER = "server-side-encryption-aws-kms-key-id"

_LIMITING_OPERATORS = ("StringEquals", "StringEqualsIgnoreCase", "StringLike", "ArnEquals", "ArnLike")

#: The shortest accepted prefixes of an IPv4 and an IPv6 network. A network with a shorter prefix is too wide.
_SHORTEST_PREFIX = {4: 8, 6: 32}


def is_public(policy: Policy) -> bool:
    """Return whether a policy allows something to every requester, without a condition that limits it.

    A condition limits a statement to fixed requesters or sources, to a fixed KMS key, or to networks that are not too
    wide. What statements deny does not matter.
    """
    return any(
        statement.effect is Effect.ALLOW
        and (statement.principals is None or Element.PRINCIPAL in statement.negated)
        and not any(map(_limits_requesters, statement.conditions))
        for statement in policy.statements
    )


def _limits_requesters(condition: Condition) -> bool:
    if condition.if_exists or condition.quantifier is Quantifier.ALL:  # they hold for requests without the key, too
        return False
    name = condition.operator.name
    if condition.key == "aws:SourceIp":
        return name == "IpAddress" and all(map(_is_narrow, condition.values))
    limits = condition.key in _LIMITING_KEYS or condition.key.endswith(_LIMITING_HEADER)
    is_fixed = not any(character in each for each in condition.values for character in "*?$")
    return limits and name in _LIMITING_OPERATORS and is_fixed


def _is_narrow(text: str) -> bool:
    network = ip_network(text, strict=False)
    return network.prefixlen >= _SHORTEST_PREFIX[network.version]
