"""The status of a policy: whether it is public, which means that it allows something to unknown requesters."""

from __future__ import annotations

from ipaddress import ip_network

from fakestore.model.policy import Effect, Element, Policy, Statement
from fakestore.model.policy_conditions import Condition, Quantifier

#: The keys that keep a statement from being public if a condition compares them with fixed values.
_LIMITING_KEYS = (
    *("aws:PrincipalAccount", "aws:PrincipalArn", "aws:PrincipalOrgID", "aws:SourceAccount", "aws:SourceArn"),
    *("aws:SourceVpc", "aws:SourceVpce", "aws:userid"),
)
_LIMITING_HEADER = "server-side-encryption-aws-kms-key-id"
_LIMITING_OPERATORS = ("StringEquals", "StringEqualsIgnoreCase", "StringLike", "ArnEquals", "ArnLike")
#: The shortest prefixes of an IPv4 and an IPv6 network that is not too wide.
_SHORTEST_PREFIX = {4: 8, 6: 32}


def is_public(policy: Policy) -> bool:
    """Return whether a policy allows something to every requester, without a condition that limits it.

    A condition limits a statement to fixed requesters or sources, to a fixed KMS key, or to networks that are not too
    wide. What statements deny does not matter.

    Example:
        >>> everyone_reads = Statement(Effect.ALLOW, None, ("s3:GetObject",), ("photos/*",))
        >>> is_public(Policy((everyone_reads,))), is_public(Policy())
        (True, False)
    """
    return any(_is_public(statement) for statement in policy.statements)


def _is_public(statement: Statement) -> bool:
    is_for_all = statement.principals is None or Element.PRINCIPAL in statement.negated
    return (
        statement.effect is Effect.ALLOW
        and is_for_all
        and not any(_limits_requesters(condition) for condition in statement.conditions)
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
