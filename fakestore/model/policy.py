"""Bucket policies: statements that allow or deny actions on a bucket and on its objects."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from fakestore.model.accounts import ANONYMOUS, Requester


class KnownActions(NamedTuple):
    """The actions that a policy may name, by what they act on.

    Args:
        on_objects: Their resource is ``bucket/key``.
        on_buckets: Their resource is ``bucket``.
        on_service: They concern no bucket, so no bucket policy applies to them.
    """

    on_objects: frozenset[str]
    on_buckets: frozenset[str]
    on_service: frozenset[str] = frozenset()

    @property
    def all(self) -> frozenset[str]:
        """Every action."""
        return self.on_objects | self.on_buckets | self.on_service


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
    """

    requester: Requester
    action: str
    resource: str


class Statement(NamedTuple):
    """A statement of a policy.

    In patterns ``*`` matches any number of characters, slashes included, and ``?`` for exactly one.

    Args:
        principals: The canonical IDs of the accounts. None means every requester, anonymous ones included.
        actions: Patterns such as ``s3:Get*``. Case is ignored.
        resources: Patterns such as ``photos`` or ``photos/2026/*``. Case matters.
        sid: The optional name of the statement.
    """

    effect: Effect
    principals: frozenset[str] | None
    actions: tuple[str, ...]
    resources: tuple[str, ...]
    sid: str | None = None

    def applies_to(self, request: AccessRequest) -> bool:
        """Return whether the statement is about this requester, action and resource."""
        requester, action = request.requester, request.action.lower()
        return (
            (self.principals is None or (requester is not ANONYMOUS and requester.id in self.principals))
            and any(_matches(pattern.lower(), action) for pattern in self.actions)
            and any(_matches(pattern, request.resource) for pattern in self.resources)
        )

    def __str__(self) -> str:
        sid = "" if self.sid is None else f" (Sid {self.sid!r})"
        return f"{self.effect.value} {', '.join(self.actions)} on {', '.join(self.resources)}{sid}"


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

    def with_statement(self, statement: Statement) -> Policy:
        """Return this policy with one more statement at the end."""
        return Policy((*self.statements, statement))


def actions_matching(pattern: str, actions: Iterable[str]) -> frozenset[str]:
    """Return the ``actions`` that match a pattern such as ``s3:Get*``. Case is ignored.

    Example:
        >>> actions_matching("s3:get*", ["s3:GetObject", "s3:PutObject"])
        frozenset({'s3:GetObject'})
    """
    return frozenset(action for action in actions if _matches(pattern.lower(), action.lower()))


def _matches(pattern: str, name: str) -> bool:
    return _expression(pattern).match(name) is not None


@lru_cache(maxsize=1024)
def _expression(pattern: str) -> re.Pattern[str]:
    # fnmatch joins adjacent stars and makes each an atomic group, so a hostile pattern cannot cause backtracking.
    # It also knows [sets], which policies do not have; a set of one bracket matches that bracket.
    return re.compile(fnmatch.translate(pattern.replace("[", "[[]")))
