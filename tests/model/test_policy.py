"""Bucket policies: which statement decides, and what patterns match."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakestore.model.accounts import ANONYMOUS, Accounts, Requester
from fakestore.model.policy import AccessRequest, Effect, Policy, Statement, Verdict, actions_matching
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
    sid: str | None = None,
) -> Statement:
    return Statement(effect, principals, (action,), (resource,), sid)


ALLOW, DENY = statement(), statement(Effect.DENY)


def verdict(*statements: Statement, requester: Requester = ADA) -> Verdict:
    return Policy(statements).decide(AccessRequest(requester, "s3:GetObject", "photos/cat.jpg"))


def resource_matches(pattern: str, resource: str) -> bool:
    return statement(resource=pattern).applies_to(AccessRequest(ADA, "s3:GetObject", resource))


def test_only_statement_for_everyone_applies_to_anonymous_requester():
    for_accounts = statement(principals=frozenset({ADA.id, BOB.id, str(ANONYMOUS)}))
    requesters = (ADA, BOB, ANONYMOUS)
    assert [verdict(for_accounts, requester=each) for each in requesters] == [
        Verdict.ALLOWED,
        Verdict.ALLOWED,
        Verdict.SILENT,
    ]
    assert {verdict(DENY, requester=each) for each in requesters} == {Verdict.DENIED}


@pytest.mark.parametrize(
    ("sids", "deciding"), [(["allow 1", "deny 1", "deny 2"], "deny 1"), (["allow 1", "allow 2"], "allow 1"), ([], None)]
)
def test_first_statement_with_the_winning_effect_decides(sids, deciding):
    named = {sid: statement(Effect.DENY if sid.startswith("deny") else Effect.ALLOW, sid=sid) for sid in sids}
    policy = Policy((statement(Effect.DENY, resource="films/*"), *named.values()))
    assert policy.deciding_statement(AccessRequest(ADA, "s3:GetObject", "photos/cat.jpg")) == named.get(deciding)


def test_policy_with_statement_is_a_new_policy():
    policy = Policy((ALLOW,), document=b"{}")
    assert (policy.with_statement(DENY), policy) == (Policy((ALLOW, DENY)), Policy((ALLOW,)))
    assert policy.with_statement(DENY).document is None


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
            allowed = verdict(statement(action=pattern)) is Verdict.ALLOWED
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
