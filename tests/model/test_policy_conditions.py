"""Conditions of policies: what each operator compares, what an absent key means, and how many values must match."""

from __future__ import annotations

import time

import pytest

from fakestore.model.accounts import ANONYMOUS
from fakestore.model.policy import (
    OPERATORS,
    AccessRequest,
    Condition,
    Effect,
    Element,
    Policy,
    Quantifier,
    Statement,
    is_public,
)
from tests.support.cases import each

ARN = "arn:aws:iam::123456789012:root"
#: Each operator, the values of a condition, values of a request that match, and values that do not.
TABLE = [
    ("StringEquals", ["red", "blue"], ["red", "blue"], ["Red", "re", "red ", "", "red,blue", "*"]),
    ("StringEquals", ["r*"], ["r*"], ["red"]),
    ("StringEqualsIgnoreCase", ["Red", "ÄPFEL"], ["rED", "äpfel"], ["re", "apfel"]),
    ("StringLike", ["r*d", "b?ue"], ["rd", "red", "r/e\nd", "blue"], ["Red", "reds", "bue", ""]),
    ("NumericEquals", ["10", "-1.50"], ["10", "10.0", "+10", "-1.5"], ["1", "100", "1e1", "ten", ""]),
    ("NumericLessThan", ["10"], ["9", "9.999", "-1"], ["10", "11", "x"]),
    ("NumericLessThanEquals", ["10", "20"], ["10", "15"], ["21", "x"]),
    ("NumericGreaterThan", ["10"], ["11", "10.001"], ["10", "9"]),
    ("NumericGreaterThanEquals", ["10"], ["10", "11"], ["9", ""]),
    ("DateEquals", ["2026-11-21T12:00:00Z"], ["1795262400", "2026-11-21T13:00:00+01:00"], ["1795262401", "now"]),
    ("DateEquals", ["2026-11-21"], ["2026-11-21T00:00:00Z", "2026-11-21T00:00Z"], ["2026-11-21T00:00:01Z"]),
    ("DateLessThan", ["2026-11-21T12:00:00Z"], ["2026-11-21T11:59:59.9Z"], ["2026-11-21T12:00:00Z"]),
    ("DateLessThanEquals", ["1795262400"], ["2026-11-21T12:00:00Z"], ["2026-11-21T12:00:01Z"]),
    ("DateGreaterThan", ["2026-11-21T12:00:00Z"], ["9999-12-31T23:59:59Z"], ["0001-01-01T00:00:00+14:00", "x"]),
    ("DateGreaterThanEquals", ["2026-11-21T12:00:00Z"], ["2026-11-21T12:00:00Z"], ["2026-11-21"]),
    ("Bool", ["true"], ["true", "TRUE"], ["false", "1", ""]),
    ("IpAddress", ["203.0.113.0/24", "2001:db8::/32"], ["203.0.113.9", "2001:db8::1"], ["203.0.114.1", "::1", "x", ""]),
    ("IpAddress", ["203.0.113.9"], ["203.0.113.9"], ["203.0.113.8", "::ffff:203.0.113.9"]),
    ("IpAddress", ["203.0.113.0/24"], ["203.0.113.0/25"], ["203.0.0.0/16"]),
    ("ArnEquals", ["arn:aws:iam::1234*:r??t"], [ARN], [ARN + "s", "arn:aws:s3:::x", "x"]),
    ("ArnLike", ["arn:*:iam::*:*"], [ARN], ["arn:aws:s3::1:root", "arn:aws:iam:x:1:root"]),
]
NEGATIONS = {
    "StringEquals": "StringNotEquals",
    "StringEqualsIgnoreCase": "StringNotEqualsIgnoreCase",
    "StringLike": "StringNotLike",
    "NumericEquals": "NumericNotEquals",
    "DateEquals": "DateNotEquals",
    "IpAddress": "NotIpAddress",
    "ArnEquals": "ArnNotEquals",
    "ArnLike": "ArnNotLike",
}


def condition(operator, *values, key="k", quantifier=Quantifier.NONE, if_exists=False):
    return Condition(OPERATORS[operator], key, values, quantifier, if_exists)


def test_operator_compares_as_the_table_says():
    wrong = []
    for operator, values, matching, other in TABLE:
        for name, expected in [(operator, True), (NEGATIONS.get(operator), False)]:
            if name is None:
                continue
            wrong += [
                (name, values, received)
                for received in [*matching, *other]
                if condition(name, *values).holds({"k": (received,)}) is not (expected is (received in matching))
            ]
            if condition(name, *values).holds({"other": (matching[0],)}) is expected:
                wrong.append((name, values, "without the key"))
        if not condition(operator, *values, if_exists=True).holds({}):
            wrong.append((operator, values, "if it exists"))
    assert wrong == []


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="this system cannot change the time zone of a process")
def test_date_without_a_time_zone_is_in_utc(monkeypatch):
    with monkeypatch.context() as changed:
        changed.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        day = condition("DateEquals", "2026-11-21")
        assert [day.holds({"k": (f"2026-11-21T00:00:00{zone}",)}) for zone in ("Z", "+09:00")] == [True, False]
    time.tzset()


def test_table_has_every_operator():
    assert {each for each, *_ in TABLE} | set(NEGATIONS.values()) | {"Null"} == set(OPERATORS)


def test_null_is_about_the_presence_of_the_key():
    for case in each((["true"], True, False), (["false"], False, True), (["true", "false"], 1, 1)):
        with case as (values, if_absent, if_present):
            assert condition("Null", *values).holds({}) is bool(if_absent)
            assert condition("Null", *values).holds({"k": ("",)}) is bool(if_present)


@pytest.mark.parametrize(
    ("quantifier", "operator", "outcomes"),
    [
        # The values of the request: none, a, b, a and b; the condition names a.
        (Quantifier.ALL, "StringEquals", [True, True, False, False]),
        (Quantifier.ALL, "StringNotEquals", [True, False, True, False]),
        (Quantifier.ANY, "StringEquals", [False, True, False, True]),
        (Quantifier.ANY, "StringNotEquals", [False, False, True, True]),
    ],
)
def test_quantifier_says_how_many_values_must_match(quantifier, operator, outcomes):
    requests = [{}, {"k": ("a",)}, {"k": ("b",)}, {"k": ("a", "b")}]
    assert [condition(operator, "a", quantifier=quantifier).holds(each) for each in requests] == outcomes
    assert condition(operator, "a", quantifier=quantifier, if_exists=True).holds({})


@pytest.mark.parametrize(
    ("operator", "pattern", "received"),
    [
        ("StringLike", "*a" * 10_000 + "b", "a" * 8192),
        ("StringNotLike", "*" + "a?" * 1000 + "b", "a" * 8192),
        ("ArnLike", "arn:aws:iam::" + "*a" * 5000 + "b:root", "arn:aws:iam::" + "a" * 8192 + ":root"),
    ],
    ids=lambda value: value[:12],
)
def test_hostile_pattern_of_a_condition_does_not_backtrack(operator, pattern, received):
    assert condition(operator, pattern).holds({"k": (received,)}) is ("Not" in operator)


# Statements with conditions and with negated elements


def statement(effect=Effect.ALLOW, *, principals=None, conditions=(), negated=(), sid=None):
    actions, resources = ("s3:GetObject", "s3:Put*"), ("photos/a*", "photos/b")
    return Statement(effect, principals, actions, resources, sid, tuple(conditions), frozenset(negated))


def request(action="s3:GetObject", resource="photos/a", **sent):
    return AccessRequest(ANONYMOUS, action, resource, {name: (value,) for name, value in sent.items()})


def test_every_condition_of_a_statement_must_hold():
    both = statement(conditions=[condition("StringEquals", "1", key="x"), condition("StringEquals", "2", key="y")])
    for case in each(({"x": "1", "y": "2"}, Effect.ALLOW), ({"x": "1"}, None), ({}, None)):
        with case as (sent, effect):
            assert Policy((both,)).decide(request(**sent)) is effect
    assert Policy((both,)).condition_keys == {"x", "y"}


@pytest.mark.decision("negated-elements")
def test_negated_element_lists_what_the_statement_does_not_apply_to():
    requests = [request(), request("s3:ListBucket"), request(resource="photos/c"), request("s3:PutObject", "photos/b")]
    for case in each(
        ([], [True, False, False, True]),
        ([Element.ACTION], [False, True, False, False]),
        ([Element.RESOURCE], [False, False, True, False]),
        ([Element.PRINCIPAL], [False, False, False, False]),
    ):
        with case as (negated, applies):
            assert [statement(negated=negated).applies_to(each) for each in requests] == applies
    others = statement(principals=frozenset({"id of ada"}), negated=[Element.PRINCIPAL])
    assert others.applies_to(request())


def test_explanation_names_the_statement_and_the_condition_that_decided():
    unencrypted = condition("StringNotEquals", "AES256", key="encryption")
    from_office = condition("IpAddress", "203.0.113.0/24", key="address")
    policy = Policy(
        (
            statement(conditions=[from_office, condition("Null", "true", key="referer")]),
            statement(Effect.DENY, conditions=[unencrypted], sid="encrypt"),
        )
    )
    for sent, names, absent in [
        (
            {},
            ["denied by statement 2", "Sid 'encrypt'", "StringNotEquals encryption 'AES256' holds", "no value"],
            "203",
        ),
        ({"encryption": "AES256", "address": "::1"}, ["not allowed by statement 1", "IpAddress", "is '::1'"], "Null"),
    ]:
        explanation = policy.explain(request(**sent))
        assert [name for name in names if name not in explanation] == []
        assert absent not in explanation
    assert policy.explain(request(encryption="AES256", address="203.0.113.7")) == ""
    assert "no statement of the policy matches" in policy.explain(request("s3:DeleteObject"))
    assert Policy().explain(request()) == ""


# Whether a policy is public


@pytest.mark.decision("policy-status")
def test_policy_is_public_if_it_allows_something_to_unknown_requesters():
    def is_public_if(*conditions):
        return is_public(Policy((statement(conditions=conditions),)))

    def about(operator, key, *values, **more):
        return condition(operator, *values, key=key, **more)

    assert is_public_if()
    assert not is_public(Policy((statement(Effect.DENY), statement(principals=frozenset({"id of ada"})))))
    assert is_public(Policy((statement(Effect.DENY), statement())))
    kms_key = "s3:x-amz-server-side-encryption-aws-kms-key-id"
    for case in each(
        about("IpAddress", "aws:SourceIp", "203.0.113.0/24", "10.0.0.0/8", "2001:db8::/32"),
        about("StringEquals", "aws:userid", "123456789012"),
        about("StringLike", "aws:PrincipalAccount", "123456789012", quantifier=Quantifier.ANY),
        about("ArnEquals", "aws:PrincipalArn", ARN),
        about("StringEquals", kms_key, "key"),
    ):
        with case as limiting:
            assert not is_public_if(limiting)
            assert not is_public_if(about("Bool", "aws:SecureTransport", "true"), limiting)
    for case in each(
        about("IpAddress", "aws:SourceIp", "203.0.113.0/24", "0.0.0.0/1"),
        about("IpAddress", "aws:SourceIp", "2000::/31"),
        about("NotIpAddress", "aws:SourceIp", "203.0.113.0/24"),
        about("StringLike", "aws:userid", "1234*"),
        about("StringLike", "aws:userid", "12345678901?"),
        about("StringEquals", "aws:userid", "${aws:userid}"),
        about("StringNotEquals", "aws:userid", "123456789012"),
        about("StringEquals", "aws:userid", "123456789012", if_exists=True),
        about("StringEquals", "aws:userid", "123456789012", quantifier=Quantifier.ALL),
        about("StringEquals", "aws:Referer", "http://example.com"),
        about("Bool", "aws:SecureTransport", "true"),
    ):
        with case as other:
            assert is_public_if(other)
