"""Bucket policies: statements that allow or deny actions on a bucket and on its objects."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import NamedTuple

from fakestore.model.accounts import ANONYMOUS, Requester
from fakestore.model.patterns import matches_pattern
from fakestore.model.policy_conditions import Condition
from fakestore.model.policy_variables import ConditionValues, describe_values, fill_in, variables_of


class Effect(Enum):
    """The effect of a statement that applies to a request."""

    ALLOW = "Allow"
    DENY = "Deny"


class Verdict(Enum):
    """The result of a policy for a request. If it is SILENT, ownership and ACLs decide."""

    DENIED = "denied"
    ALLOWED = "allowed"
    SILENT = "silent"


class AccessRequest(NamedTuple):
    """A request as a policy sees it.

    Args:
        requester: The account that signed it, or an anonymous requester.
        action: The action, for example ``s3:GetObject``.
        resource: ``bucket`` or ``bucket/key``.
        condition_values: What the request says about :attr:`Policy.condition_keys`.
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

    In patterns ``*`` matches any number of characters, slashes included, and ``?`` exactly one.

    Args:
        principals: The canonical IDs of the accounts. None means every requester, anonymous ones included.
        actions: Patterns such as ``s3:Get*``. Case is ignored.
        resources: Patterns such as ``photos`` or ``photos/2026/*``. Case matters. They can have policy variables.
        sid: The optional name of the statement.
        conditions: What must hold for a request, too.
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
        """Return whether the statement is about a request, and its conditions hold."""
        return self.is_about(request) and all(each.holds(request.condition_values) for each in self.conditions)

    def is_about(self, request: AccessRequest) -> bool:
        """Return whether the statement is about the requester, the action and the resource of a request."""
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
        """The keys that its conditions and policy variables are about."""
        return variables_of(self.resources).union(*(each.keys for each in self.conditions))

    def explain(self, number: int, request: AccessRequest) -> str:
        """Return the statement, its number, and which conditions do not hold for a request, or that all hold."""
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
        statements: The statements, in their order in the document.
        document: The document as it was put, to be returned unchanged. None if a statement was added since.
    """

    statements: tuple[Statement, ...] = ()
    document: bytes | None = field(default=None, compare=False, repr=False)

    def decide(self, request: AccessRequest) -> Verdict:
        """Return whether the requester may perform the action.

        Example:
            >>> from fakestore.model.accounts import ANONYMOUS
            >>> everyone_reads = Statement(Effect.ALLOW, None, ("s3:GetObject",), ("photos/*",))
            >>> Policy((everyone_reads,)).decide(AccessRequest(ANONYMOUS, "s3:GetObject", "photos/cat.jpg"))
            <Verdict.ALLOWED: 'allowed'>
        """
        statement = self.deciding_statement(request)
        if statement is None:
            return Verdict.SILENT
        return Verdict.DENIED if statement.effect is Effect.DENY else Verdict.ALLOWED

    def deciding_statement(self, request: AccessRequest) -> Statement | None:
        """Return the first Deny that applies, otherwise the first Allow that applies, otherwise None."""
        allow = None
        for statement in self.statements:
            if statement.effect is Effect.ALLOW and allow is not None:
                continue
            if statement.applies_to(request):
                if statement.effect is Effect.DENY:
                    return statement
                allow = statement
        return allow

    def explain(self, request: AccessRequest) -> str:
        """Return what the policy adds to the explanation of a refused request, with the conditions that decided.

        It describes the statement that denies the request. If none does, it describes the statements that would allow
        the request if their conditions were true. If no statement is about the request, it says so. The text is empty
        if the bucket has no policy.

        Example:
            >>> from fakestore.model.accounts import ANONYMOUS
            >>> policy = Policy((Statement(Effect.DENY, None, ("s3:*",), ("photos/*",), "closed"),))
            >>> policy.explain(AccessRequest(ANONYMOUS, "s3:GetObject", "photos/cat.jpg"))
            "denied by statement 1 of the policy, Deny s3:* on photos/* (Sid 'closed')"
        """
        about = [(number, each) for number, each in enumerate(self.statements, 1) if each.is_about(request)]
        for number, statement in about:
            if statement.effect is Effect.DENY and statement.applies_to(request):
                return f"denied by {statement.explain(number, request)}"
        if self.statements and not about:
            variables = sorted(frozenset().union(*(variables_of(each.resources) for each in self.statements)))
            reason = variables and f", because {describe_values(variables, request.condition_values)}"
            return f"no statement of the policy is about this requester, action and resource{reason or ''}"
        unmet = [pair for pair in about if pair[1].effect is Effect.ALLOW and not pair[1].applies_to(request)]
        return "; ".join(f"not allowed by {statement.explain(number, request)}" for number, statement in unmet)

    @property
    def condition_keys(self) -> frozenset[str]:
        """The keys that conditions and policy variables of the policy are about."""
        return frozenset().union(*(each.condition_keys for each in self.statements))

    def with_statement(self, statement: Statement) -> Policy:
        """Return this policy with one more statement at the end."""
        return Policy((*self.statements, statement))


def actions_matching(pattern: str, actions: Iterable[str]) -> frozenset[str]:
    """Return the ``actions`` that match a pattern such as ``s3:Get*``. Case is ignored.

    Example:
        >>> actions_matching("s3:get*", ["s3:GetObject", "s3:PutObject"])
        frozenset({'s3:GetObject'})
    """
    return frozenset(action for action in actions if matches_pattern(action.lower(), pattern.lower()))
