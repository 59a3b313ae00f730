"""Bucket policies: statements that allow or deny accounts some actions on a bucket and on the keys in it."""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache

from fakestore.model.accounts import Account

#: What is done to an object, or to one version of it; the resource is ``bucket/key``.
OBJECT_ACTIONS = frozenset(
    {
        "s3:DeleteObject",
        "s3:DeleteObjectVersion",
        "s3:GetObject",
        "s3:GetObjectAcl",
        "s3:GetObjectVersion",
        "s3:GetObjectVersionAcl",
        "s3:PutObject",
        "s3:PutObjectAcl",
        "s3:PutObjectVersionAcl",
    }
)
#: What is done to a bucket; the resource is ``bucket``.
BUCKET_ACTIONS = frozenset(
    {
        "s3:CreateBucket",
        "s3:DeleteBucket",
        "s3:DeleteBucketPolicy",
        "s3:GetBucketAcl",
        "s3:GetBucketLocation",
        "s3:GetBucketPolicy",
        "s3:GetBucketVersioning",
        "s3:GetLifecycleConfiguration",
        "s3:ListBucket",
        "s3:ListBucketVersions",
        "s3:PutBucketAcl",
        "s3:PutBucketPolicy",
        "s3:PutBucketVersioning",
        "s3:PutLifecycleConfiguration",
    }
)
#: Every action there is. Listing the buckets is done to no bucket, so no bucket's policy can rule on it.
ACTIONS: frozenset[str] = OBJECT_ACTIONS | BUCKET_ACTIONS | {"s3:ListAllMyBuckets"}


class Effect(Enum):
    """What a statement does where it applies."""

    ALLOW = "Allow"
    DENY = "Deny"


class Verdict(Enum):
    """What a policy says about a request. Where it is SILENT, the access control lists decide."""

    DENIED = "denied"
    ALLOWED = "allowed"
    SILENT = "silent"


@dataclass(frozen=True, slots=True)
class Statement:
    """An effect for some accounts, actions and resources.

    ``principals`` are canonical ids; ``None`` means every account. ``actions`` are patterns such as
    ``s3:Get*``, compared without regard to case. ``resources`` are patterns such as ``photos`` or
    ``photos/2026/*``, compared exactly. In both ``*`` stands for any run of characters, slashes too, and
    ``?`` for any one.
    """

    effect: Effect
    principals: frozenset[str] | None
    actions: tuple[str, ...]
    resources: tuple[str, ...]
    sid: str | None = None

    def applies(self, account: Account, action: str, resource: str) -> bool:
        return (
            (self.principals is None or account.id in self.principals)
            and any(_matches(pattern.lower(), action.lower()) for pattern in self.actions)
            and any(_matches(pattern, resource) for pattern in self.resources)
        )

    def __str__(self) -> str:
        named = "" if self.sid is None else f" (Sid {self.sid!r})"
        return f"{self.effect.value} {', '.join(self.actions)} on {', '.join(self.resources)}{named}"


@dataclass(frozen=True, slots=True)
class Policy:
    """The statements of one bucket's policy, in the order they were given.

    ``document`` is what was put, word for word, where nothing was added since; for whoever asks for it again.
    """

    statements: tuple[Statement, ...] = ()
    document: bytes | None = field(default=None, compare=False, repr=False)

    def decide(self, account: Account, action: str, resource: str) -> Verdict:
        """What it says about ``account`` doing ``action`` to ``resource``, a ``bucket`` or ``bucket/key``."""
        statement = self.deciding(account, action, resource) if self.statements else None
        if statement is None:
            return Verdict.SILENT
        return Verdict.DENIED if statement.effect is Effect.DENY else Verdict.ALLOWED

    def deciding(self, account: Account, action: str, resource: str) -> Statement | None:
        """The statement that decides: the first Deny that applies, else the first Allow, if any."""
        allow = None
        for statement in self.statements:
            if statement.effect is Effect.ALLOW and allow is not None:
                continue
            if statement.applies(account, action, resource):
                if statement.effect is Effect.DENY:
                    return statement
                allow = statement
        return allow

    def adding(self, statement: Statement) -> Policy:
        """This policy with one more statement at its end."""
        return Policy((*self.statements, statement))


def actions_matching(pattern: str, actions: frozenset[str] = ACTIONS) -> frozenset[str]:
    """Return those of ``actions`` that a pattern names, without regard to case."""
    return frozenset(action for action in actions if _matches(pattern.lower(), action.lower()))


def _matches(pattern: str, name: str) -> bool:
    return _expression(pattern).match(name) is not None


@lru_cache(maxsize=1024)
def _expression(pattern: str) -> re.Pattern[str]:
    # fnmatch joins stars and makes an atomic group at each, so nothing is tried twice: hostile patterns end.
    # It knows [sets] too, which policies do not have: a set of one bracket is that bracket.
    return re.compile(fnmatch.translate(pattern.replace("[", "[[]")))
