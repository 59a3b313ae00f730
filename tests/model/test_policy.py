"""Bucket policies: which statement decides, and what patterns match."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakestore.model.accounts import ANONYMOUS, Accounts, Requester
from fakestore.model.policy import AccessRequest, Effect, Policy, Statement, actions_matching
from tests.support.cases import each

ACCOUNTS = Accounts()
ADA = ACCOUNTS.create("ada")
BOB = ACCOUNTS.create("bob")


def statement(
    effect: Effect = Effect.ALLOW,
    *,
    principals: frozenset[str] | None = None,
    action: str = "s3:GetObject",
    resource: str = "photos/*",
) -> Statement:
    return Statement(effect, principals, (action,), (resource,))


ALLOW, DENY = statement(), statement(Effect.DENY)


def effect(*statements: Statement, requester: Requester = ADA) -> Effect | None:
    return Policy(statements).decide(AccessRequest(requester, "s3:GetObject", "photos/cat.jpg"))


def resource_matches(pattern: str, resource: str) -> bool:
    return statement(resource=pattern).applies_to(AccessRequest(ADA, "s3:GetObject", resource))


def test_only_statement_for_everyone_applies_to_anonymous_requester():
    for_accounts = statement(principals=frozenset({ADA.id, BOB.id, str(ANONYMOUS)}))
    requesters = (ADA, BOB, ANONYMOUS)
    assert [effect(for_accounts, requester=each) for each in requesters] == [Effect.ALLOW, Effect.ALLOW, None]
    assert {effect(DENY, requester=each) for each in requesters} == {Effect.DENY}


@pytest.mark.parametrize(
    ("statements", "decided"), [([ALLOW, DENY, DENY], Effect.DENY), ([ALLOW, ALLOW], Effect.ALLOW), ([], None)]
)
def test_deny_wins_among_the_statements_that_apply(statements, decided):
    assert effect(statement(Effect.DENY, resource="films/*"), *statements) is decided


def test_statement_is_shown_as_a_sentence():
    denied = Statement(Effect.DENY, None, ("s3:PutObject", "s3:Get*"), ("photos", "photos/*"), "no entry")
    assert str(denied) == "Deny s3:PutObject, s3:Get* on photos, photos/* (Sid 'no entry')"


def test_action_patterns_ignore_case():
    for case in each(
        ("s3:getobject", {"s3:GetObject"}),
        ("S3:GETOBJECT", {"s3:GetObject"}),
        ("s3:GetObjec?", {"s3:GetObject"}),
        ("s3:GetObj", set()),
        ("s3:Get*", {"s3:GetObject", "s3:GetObjectAcl"}),
        ("*", {"s3:GetObject", "s3:GetObjectAcl", "s3:PutObject"}),
        ("s3:PutObjects", set()),
    ):
        with case as (pattern, expected):
            matching = actions_matching(pattern, ["s3:GetObject", "s3:GetObjectAcl", "s3:PutObject"])
            assert matching == expected
            allowed = effect(statement(action=pattern)) is Effect.ALLOW
            assert allowed == ("s3:GetObject" in expected)


def matches_by_definition(pattern: str, name: str) -> bool:
    """Keep the positions in ``name`` that the pattern can have reached, one character of the pattern at a time."""
    reached = {0}
    for wanted in pattern:
        if wanted == "*":
            reached = set(range(min(reached), len(name) + 1)) if reached else set()
        else:
            reached = {at + 1 for at in reached if at < len(name) and wanted in ("?", name[at])}
    return len(name) in reached


@given(st.text("ab/[]!*?\n", max_size=12), st.text("ab/[]!\n", max_size=12))
def test_pattern_matches_by_its_definition(pattern, name):
    assert resource_matches(pattern, name) is matches_by_definition(pattern, name)


@pytest.mark.parametrize(
    "pattern",
    ["*a" * 10_000 + "b", "*" * 20_000 + "b", "*?" * 10_000, "*a?" * 300 + "b", "*" + "a?" * 500 + "b"],
    ids=["many stars", "adjacent stars", "star and question mark", "mixed", "many question marks"],
)
def test_hostile_pattern_does_not_backtrack(pattern):
    assert not resource_matches(pattern, "a" * 1024)
