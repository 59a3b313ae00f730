from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakestore.model.accounts import Account, Accounts
from fakestore.model.policy import (
    ACTIONS,
    Effect,
    Policy,
    Statement,
    Verdict,
    actions_matching,
)

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


def verdict(*statements: Statement, account: Account = ADA) -> Verdict:
    return Policy(statements).decide(account, "s3:GetObject", "photos/cat.jpg")


def resource_matches(pattern: str, resource: str) -> bool:
    return statement(resource=pattern).applies(ADA, "s3:GetObject", resource)


def test_an_empty_policy_is_silent():
    assert verdict() is Verdict.SILENT


def test_an_allow_that_applies_allows():
    assert verdict(statement()) is Verdict.ALLOWED


@pytest.mark.parametrize("first", [Effect.ALLOW, Effect.DENY])
def test_an_explicit_deny_wins_wherever_it_stands(first):
    second = Effect.DENY if first is Effect.ALLOW else Effect.ALLOW
    assert verdict(statement(first), statement(second)) is Verdict.DENIED


def test_an_explicit_deny_wins_behind_several_allows():
    assert verdict(statement(), statement(), statement(Effect.DENY)) is Verdict.DENIED


@pytest.mark.parametrize(
    "other", [{"principals": frozenset({BOB.id})}, {"action": "s3:PutObject"}, {"resource": "films/*"}]
)
def test_a_statement_for_somebody_or_something_else_says_nothing(other):
    assert verdict(statement(Effect.DENY, **other)) is Verdict.SILENT


def test_a_statement_with_principals_applies_to_each_of_them():
    both = statement(principals=frozenset({ADA.id, BOB.id}))
    assert [verdict(both, account=account) for account in (ADA, BOB)] == [Verdict.ALLOWED] * 2


def test_a_statement_for_nobody_is_not_one_for_everyone():
    assert verdict(statement(principals=frozenset())) is Verdict.SILENT


def test_any_of_several_actions_and_any_of_several_resources_will_do():
    several = Statement(Effect.ALLOW, None, ("s3:PutObject", "s3:GetObject"), ("films/*", "photos/*"))
    assert verdict(several) is Verdict.ALLOWED


def test_the_first_deny_decides_before_any_allow():
    first, second = statement(Effect.DENY, sid="first"), statement(Effect.DENY, sid="second")
    policy = Policy((statement(sid="allow"), first, second))
    assert policy.deciding(ADA, "s3:GetObject", "photos/cat.jpg") == first


def test_the_first_allow_decides_where_no_deny_does():
    first, second = statement(sid="first"), statement(sid="second")
    policy = Policy((statement(Effect.DENY, resource="films/*"), first, second))
    assert policy.deciding(ADA, "s3:GetObject", "photos/cat.jpg") == first


def test_nothing_decides_where_no_statement_applies():
    assert Policy((statement(),)).deciding(ADA, "s3:GetObject", "films/cat.avi") is None


def test_adding_a_statement_makes_a_new_policy_with_it_at_the_end():
    first, second = statement(sid="first"), statement(sid="second")
    policy = Policy((first,))
    assert (policy.adding(second), policy) == (Policy((first, second)), Policy((first,)))


def test_a_statement_reads_as_a_sentence():
    denied = Statement(Effect.DENY, None, ("s3:PutObject", "s3:Get*"), ("photos", "photos/*"), "no entry")
    assert str(denied) == "Deny s3:PutObject, s3:Get* on photos, photos/* (Sid 'no entry')"


@pytest.mark.parametrize("pattern", ["s3:getobject", "S3:GETOBJECT", "s3:GetO*", "s3:getobjec?", "s3:*", "*"])
def test_actions_match_with_wildcards_and_without_regard_to_case(pattern):
    assert verdict(statement(action=pattern)) is Verdict.ALLOWED


def test_an_action_is_matched_whole():
    assert verdict(statement(action="s3:GetObj")) is Verdict.SILENT


@pytest.mark.parametrize(
    ("pattern", "resource"),
    [
        ("photos", "photos"),
        ("photos/*", "photos/"),
        ("photos/*", "photos/2026/cat.jpg"),
        ("photos/*/cat.jpg", "photos/a/b/cat.jpg"),
        ("photos/?at.jpg", "photos/cat.jpg"),
        ("photos/**at", "photos/cat"),
        ("photos/*?", "photos/a"),
        ("photos/[a].jpg", "photos/[a].jpg"),
        ("photos/*", "photos/line\nline\n"),
        ("photos/a.b", "photos/a.b"),
    ],
)
def test_a_resource_matches_its_pattern(pattern, resource):
    assert resource_matches(pattern, resource)


@pytest.mark.parametrize(
    ("pattern", "resource"),
    [
        ("photos", "photos/cat.jpg"),
        ("photos/*", "photos"),
        ("photos/Cat", "photos/cat"),
        ("photos/?", "photos/"),
        ("photos/?", "photos/ab"),
        ("photos/*?", "photos/"),
        ("photos/[a].jpg", "photos/a.jpg"),
        ("photos/[!a].jpg", "photos/b.jpg"),
        ("photos/a.b", "photos/a-b"),
        ("photos/cat", "photos/cat\n"),
    ],
)
def test_a_resource_does_not_match_another_pattern(pattern, resource):
    assert not resource_matches(pattern, resource)


def matches_by_definition(pattern: str, name: str) -> bool:
    """Which prefixes of ``name`` the pattern read so far can stand for, one character of it at a time."""
    reached = {0}
    for wanted in pattern:
        if wanted == "*":
            reached = set(range(min(reached), len(name) + 1)) if reached else set()
        else:
            reached = {at + 1 for at in reached if at < len(name) and wanted in ("?", name[at])}
    return len(name) in reached


@given(st.text("ab/[]!*?\n", max_size=12), st.text("ab/[]!\n", max_size=12))
def test_a_pattern_matches_what_its_definition_says(pattern, name):
    assert resource_matches(pattern, name) is matches_by_definition(pattern, name)


@pytest.mark.parametrize(
    "pattern",
    ["*a" * 10_000 + "b", "*" * 20_000 + "b", "*?" * 10_000, "*a?" * 300 + "b", "*" + "a?" * 500 + "b"],
)
def test_a_hostile_pattern_ends(pattern):
    """Tried in every way, these would outlast the run; each of them misses a key of a thousand letters."""
    assert not resource_matches(pattern, "a" * 1024)


def test_a_pattern_names_the_actions_it_matches():
    assert actions_matching("s3:deleteobject*") == {"s3:DeleteObject", "s3:DeleteObjectVersion"}


def test_a_misspelt_action_names_none():
    assert actions_matching("s3:DeleteObjects") == frozenset()


def test_a_star_names_every_action():
    assert actions_matching("*") == ACTIONS


def test_the_specification_spells_the_action_of_lifecycle_configuration_in_its_own_way():
    assert actions_matching("s3:PutLifeCycleConfiguration") == {"s3:PutLifecycleConfiguration"}
