"""The JSON document of a bucket policy: what is put, what is read back, and what is refused."""

from __future__ import annotations

import contextlib
import json
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakestore import FakeStore, UnsupportedRequest, fake_store
from tests.support.cases import each
from tests.support.errors import text_of_error
from tests.support.wire import body_of, elements, outcome, send, status_of

ARN = "arn:aws:s3:::"
STATEMENT = {"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": f"{ARN}photos/*"}
LIMIT = 20 * 1024
NOT_JSON = "Policies must be valid JSON and the first byte must be '{'"


class Policies:
    """Puts policies on a bucket of a store, and reads them back."""

    def __init__(self):
        self.store = FakeStore(buckets=["photos"])
        self.ada = self.store.create_account("ada", email="ada@example.com")
        self.bob = self.store.create_account("bob")

    def put(self, policy):
        body = policy if isinstance(policy, bytes) else json.dumps(policy).encode()
        return send(self.store, "PUT", "photos", "/?policy", body=body)

    def put_statement(self, **fields):
        return self.put({"Statement": {**STATEMENT, **fields}})

    def read_back(self, policy):
        """Return the statements as the store writes them, after one for bob was added in Python."""
        assert status_of(self.put(policy)) == 204, self.store.exchanges[-1].explanation
        self.store["photos"].deny(self.bob, "s3:DeleteObject")
        return json.loads(body_of(send(self.store, "GET", "photos", "/?policy")))["Statement"][:-1]

    def expect_malformed(self, reply, message, *words):
        """Expect MalformedPolicy with a message, and an explanation that contains every one of `words`."""
        assert outcome(reply) == (400, "MalformedPolicy")
        assert elements(reply)["Message"] == message
        explanation = self.store.exchanges[-1].explanation
        assert [word for word in words if word not in explanation] == [], explanation


@pytest.fixture
def policies():
    return Policies()


# -- accepted


def test_a_policy_that_is_extended_in_python_keeps_its_statements(policies):
    statements = [
        {
            "Sid": "no deletes",
            "Effect": "Deny",
            "Principal": {"CanonicalUser": policies.ada.id},
            "Action": ["s3:DeleteObject", "s3:DeleteObjectVersion"],
            "Resource": f"{ARN}photos/é*",
        },
        {"Effect": "Allow", "Principal": "*", "Action": "s3:*", "Resource": [f"{ARN}photos", f"{ARN}photos/2026/*"]},
    ]
    assert policies.read_back({"Version": "2012-10-17", "Id": "rules", "Statement": statements}) == statements


def test_one_statement_needs_no_list(policies):
    for version in ["2012-10-17", "2008-10-17"]:
        assert policies.read_back({"Version": version, "Statement": STATEMENT}) == [STATEMENT]


def test_principals_are_everyone_or_canonical_ids(policies):
    for case in each(
        ({"AWS": "*"}, "*"),
        ({"AWS": [policies.ada.id, "*"]}, "*"),
        ({"AWS": policies.ada.id}, [policies.ada]),
        ({"AWS": f"arn:aws:iam::{policies.ada.id}:root"}, [policies.ada]),
        ({"CanonicalUser": [policies.ada.id, policies.bob.id]}, [policies.ada, policies.bob]),
        ({"AWS": policies.ada.id, "CanonicalUser": policies.bob.id}, [policies.ada, policies.bob]),
    ):
        with case as (principal, accounts):
            (statement,) = policies.read_back({"Statement": {**STATEMENT, "Principal": principal}})
            if accounts == "*":
                assert statement["Principal"] == "*"
            else:
                ids = statement["Principal"]["CanonicalUser"]
                assert ([ids] if isinstance(ids, str) else ids) == sorted(account.id for account in accounts)


def test_an_action_is_kept_as_it_was_written(policies):
    for case in each(
        ("*", "photos"),
        ("s3:*", "photos/*"),
        ("S3:get*", "photos/*"),
        ("s3:GetObjec?", "photos/[a]"),
        ("s3:DeleteObjectVersion", "photos/*"),
        ("s3:PutLifeCycleConfiguration", "photos"),
    ):
        with case as (action, resource):
            statement = {**STATEMENT, "Action": action, "Resource": f"{ARN}{resource}"}
            assert policies.read_back({"Statement": statement}) == [statement]


names = st.lists(st.sampled_from(["s3:GetObject", "s3:PUT*", "*"]), min_size=2, max_size=3)
resources = st.lists(st.sampled_from(["photos/*", "photos/é ?", 'photos/"\\']).map(ARN.__add__), min_size=2)
sids = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
effects = st.sampled_from(["Allow", "Deny"])


@given(st.lists(st.tuples(sids, effects, names, resources), min_size=1, max_size=4))
def test_any_statements_are_read_back(parts):
    policies = Policies()
    statements = [
        {"Sid": sid, "Effect": effect, "Principal": "*", "Action": actions, "Resource": resources[:5]}
        for sid, effect, actions, resources in parts
    ]
    assert policies.read_back({"Statement": statements}) == statements


@pytest.mark.decision("condition-keys")
def test_conditions_and_negated_elements_are_read_back(policies):
    statement = {
        "Effect": "Deny",
        "NotPrincipal": {"CanonicalUser": policies.ada.id},
        "NotAction": ["s3:Get*", "s3:ListBucket"],
        "NotResource": f"{ARN}photos/public/*",
        "Condition": {
            "ForAllValues:StringNotLikeIfExists": {"s3:RequestObjectTagKeys": ["a*", "b"]},
            "Bool": {"aws:SecureTransport": "false"},
            "NumericLessThan": {"s3:max-keys": "10", "aws:EpochTime": "5"},
        },
    }
    assert policies.read_back({"Statement": statement}) == [statement]


def test_a_key_is_named_in_any_case_and_a_value_may_be_no_text(policies):
    condition = {"NumericEquals": {"S3:MAX-KEYS": [10, 2.5, "3"]}, "Bool": {"aws:securetransport": True}}
    listing = {"Action": "s3:ListBucket", "Resource": f"{ARN}photos"}
    (read,) = policies.read_back({"Statement": {**STATEMENT, **listing, "Condition": condition}})
    assert read["Condition"] == {
        "NumericEquals": {"s3:max-keys": ["10", "2.5", "3"]},
        "Bool": {"aws:SecureTransport": "true"},
    }
    for empty in ({}, {"StringEquals": {}}):
        (read,) = policies.read_back({"Statement": {**STATEMENT, "Condition": empty}})
        assert "Condition" not in read


# -- unsupported


def test_a_principal_that_is_not_an_account_is_unsupported(policies):
    for kind in ["Service", "Federated"]:
        with pytest.raises(UnsupportedRequest, match=f"{kind} principal is not supported; use .*id or number of an"):
            policies.put_statement(Principal={kind: "logging.example.com"})


def test_a_federated_principal_is_told_of_the_principals_that_s3_accepts():
    with fake_store(dialect="s3", buckets=["photos"]) as store:
        with pytest.raises(UnsupportedRequest, match=r'use .*"CanonicalUser": id.*"Service": name.*"AWS": x'):
            statement = {**STATEMENT, "Principal": {"Federated": "example.com"}}
            body = json.dumps({"Version": "2012-10-17", "Statement": [statement]}).encode()
            send(store, "PUT", "photos", "/?policy", body=body)
        store.unhandled_requests.clear()


@pytest.mark.decision("policy-and-acl")
def test_an_action_that_only_the_service_has_is_unsupported(policies):
    for case in each(
        "s3:GetObjectTorrent",
        "s3:*Torrent",
        "s3:Replicate*",
        "s3:listaccesspoints",
        "s3:Describe*",
        "s3:UpdateObjectEncryption",
        "s3:PutAccountPublicAccessBlock",
        "s3:AllowVendedLogDeliveryForResource",
        "s3:GetObjectVersionAnnotationForReplication",
        "s3:ReplicateObjectAnnotation",
    ):
        with case as action:
            with pytest.raises(UnsupportedRequest) as unsupported:
                policies.put_statement(Action=["s3:GetObject", action])
            assert f"{action!r} is not supported" in str(unsupported.value)
            assert "s3:GetObjectVersion" in str(unsupported.value)


@pytest.mark.decision("policy-variables")
def test_an_unknown_policy_variable_is_unsupported(policies):
    for variable, name in [
        ("${aws:usrname}", "aws:username"),
        ("${aws:PrincipalTag/}", "aws:PrincipalTag/<key>"),
        ("${s3:RequestObjectTagKeys}", "s3:RequestObjectTagKeys"),
        ("${}", "aws:username"),
        ("${aws:username, none}", "'default'"),
        ("${*, 'none'}", "'*'"),
        ("${aws:username", "'default'"),
    ]:
        for fields in [
            {"Resource": f"{ARN}photos/{variable}/*"},
            {"Condition": {"StringLike": {"aws:UserAgent": variable}}},
        ]:
            policy = {"Version": "2012-10-17", "Statement": {**STATEMENT, **fields}}
            assert name in text_of_error(UnsupportedRequest, partial(policies.put, policy)), variable
    for version in [{"Version": "2008-10-17"}, {}]:
        condition = {"StringLike": {"aws:UserAgent": ["a", "${aws:username}"]}}
        for fields in [{"Resource": f"{ARN}photos/${{aws:username}}"}, {"Condition": condition}]:
            policy = {**version, "Statement": {**STATEMENT, **fields}}
            assert "2012-10-17" in text_of_error(UnsupportedRequest, partial(policies.put, policy))
    condition = {"NumericEquals": {"aws:EpochTime": "${aws:EpochTime}"}}
    reply = policies.put({"Version": "2012-10-17", "Statement": {**STATEMENT, "Condition": condition}})
    policies.expect_malformed(reply, "Invalid policy syntax.", "NumericEquals")


@pytest.mark.decision("policy-variables")
def test_a_policy_variable_is_read_back(policies):
    condition = {
        "StringLike": {"aws:UserAgent": ["${aws:username}", "${*}"]},
        "ArnLike": {"aws:PrincipalArn": "${aws:PrincipalArn}"},
    }
    resource = f"{ARN}photos/${{aws:PrincipalTag/Team, 'all'}}/${{aws:userid}}/*"
    statement = {**STATEMENT, "Resource": resource.replace("userid", "UserId"), "Condition": condition}
    read = policies.read_back({"Version": "2012-10-17", "Statement": statement})
    assert read == [{**STATEMENT, "Resource": resource, "Condition": condition}]


@pytest.mark.decision("condition-keys")
def test_an_unknown_operator_or_key_is_malformed(policies):
    for case in each("StringEqual", "stringequals", "ForSomeValues:StringEquals", "IfExists", "", "Null "):
        with case as operator:
            reply = policies.put_statement(Condition={operator: {"aws:Referer": "a"}})
            policies.expect_malformed(reply, f"Invalid Condition type : {operator}", repr(operator), "StringEquals")
    for case in each(
        ("s3:prefixes", "'s3:prefix'"),
        ("s3:ExistingObjectTag", "'s3:ExistingObjectTag/'"),
        ("s3:ExistingObjectTag/", "'s3:ExistingObjectTag/'"),
        ("s3:RequestObjectTagKeys/a", "s3:RequestObjectTag"),
        ("s3:x-amz-date", "unknown"),
        ("S3:", "unknown"),
    ):
        with case as (key, expected):
            reply = policies.put_statement(Action="s3:*", Condition={"StringEquals": {key: "a"}})
            policies.expect_malformed(reply, "Policy has an invalid condition key", repr(key), expected)


@pytest.mark.decision("condition-keys")
def test_an_operator_or_key_that_only_the_service_has_is_unsupported(policies):
    for case in each(
        ("BinaryEquals", "s3:x-svc-acl", "StringEquals"),
        ("ForAnyValue:BinaryEqualsIfExists", "s3:x-svc-acl", "StringEquals"),
        ("ForAnyValue:Null", "s3:x-svc-acl", "Null"),
        ("NullIfExists", "s3:x-svc-acl", "Null"),
        ("ForAllValues:NullIfExists", "s3:x-svc-acl", "Null"),
        ("StringEquals", "s3:x-amz-acl", "s3:x-svc-acl"),
        ("StringEquals", "aws:username2", "aws:username"),
        ("StringEquals", "s3:TlsVersion", "aws:SecureTransport"),
        ("StringEquals", "s3:BucketTag/team", "aws:SecureTransport"),
        ("StringEquals", "s3:RequestObjectTagKeys", "ForAnyValue:StringEquals"),
    ):
        with case as (operator, key, name):
            fields = {"Action": "s3:*", "Condition": {operator: {key: "a"}}}
            assert name in text_of_error(UnsupportedRequest, partial(policies.put_statement, **fields))


@pytest.mark.decision("condition-keys")
def test_null_asks_whether_a_key_with_many_values_is_there(policies):
    condition = {"Null": {"s3:RequestObjectTagKeys": "true"}}
    statement = {**STATEMENT, "Action": "s3:PutObject", "Condition": condition}
    assert policies.read_back({"Version": "2012-10-17", "Statement": statement}) == [statement]


@pytest.mark.decision("condition-keys")
def test_a_condition_key_in_two_spellings_is_unsupported(policies):
    condition = {"Bool": {"aws:SecureTransport": "true", "AWS:securetransport": "false"}}
    with pytest.raises(UnsupportedRequest, match="Bool has aws:SecureTransport twice"):
        policies.put_statement(Condition=condition)
    tags = {"StringEquals": {"s3:ExistingObjectTag/a": "1", "s3:existingobjecttag/A": "2"}}
    assert status_of(policies.put_statement(Condition=tags)) == 204


# -- malformed


def test_another_version_is_refused(policies):
    for case in each("2026-01-01", "", 2012, None, ["2012-10-17"]):
        with case as version:
            reply = policies.put({"Version": version, "Statement": STATEMENT})
            policies.expect_malformed(
                reply, "The policy must contain a valid version string", "Version is", "2012-10-17 or 2008-10-17"
            )


def test_a_principal_other_than_a_canonical_id_is_refused(policies):
    for case in each(
        {"AWS": "ada"},
        {"AWS": "ada@example.com"},
        {"AWS": policies.ada.access_key_id},
        {"AWS": "0" * 64},
        {"AWS": f"arn:aws:iam::{policies.ada.id}:user/x"},
        {"AWS": f"arn:aws:iam::{policies.ada.id}"},
        {"AWS": f"{policies.ada.id}:root"},
        {"AWS": ["*", "ada"]},
        {"CanonicalUser": "*"},
        {"CanonicalUser": f"arn:aws:iam::{policies.ada.id}:root"},
    ):
        with case as principal:
            (received,) = principal.values()
            received = received if isinstance(received, str) else received[-1]
            reply = policies.put_statement(Principal=principal)
            policies.expect_malformed(
                reply,
                "Invalid principal in policy",
                repr(received),
                f"{policies.ada.id} (ada), {policies.bob.id} (bob)",
            )


def test_a_text_without_the_form_of_an_action_is_refused(policies):
    for case in each(
        "GetObject",
        "s3:",
        "",
        "s3",
        "ec2:*",
        "?3:*",
        "s*",
        "**",
        "Tagging*",
        "s3:Put Object",
        "s3:[a]",
        "s3:GetObjects",
        "s3:Foo*",
        "s3:FooJob",
        "s3:Replicate",
    ):
        with case as action:
            policies.expect_malformed(
                policies.put_statement(Action=["s3:GetObject", action]), "Policy has invalid action", repr(action)
            )


def test_an_action_must_apply_to_a_resource_of_its_statement(policies):
    for case in each(
        ("s3:GetObject", "photos"),
        ("s3:ListBucket", "photos/*"),
        ("s3:DeleteObject", "photos"),
        ("s3:PutObject", "photos"),
        ("s3:ListAllMyBuckets", "photos"),
    ):
        with case as (action, resource):
            reply = policies.put_statement(Action=action, Resource=f"{ARN}{resource}")
            policies.expect_malformed(reply, "Action does not apply to any resource(s) in statement", action, resource)


@pytest.mark.decision("condition-keys")
def test_a_condition_key_must_apply_to_an_action_of_its_statement(policies):
    for case in each(
        ("s3:GetObject", "photos/*", "s3:prefix"),
        ("s3:ListBucket", "photos", "s3:VersionId"),
        ("s3:*", "photos/*", "s3:max-keys"),
        (["s3:PutObject", "s3:DeleteObject"], "photos/*", "s3:ExistingObjectTag/a"),
    ):
        with case as (action, resource, key):
            reply = policies.put_statement(
                Action=action, Resource=f"{ARN}{resource}", Condition={"StringEquals": {key: "1"}}
            )
            policies.expect_malformed(
                reply, "Conditions do not apply to combination of actions and resources in statement", key
            )
    for fields in [{"NotAction": "s3:GetObject"}, {"NotResource": f"{ARN}photos/private/*", "Action": "s3:*"}]:
        others = {name: value for name, value in STATEMENT.items() if f"Not{name}" not in fields}
        statement = {**others, **fields, "Condition": {"StringEquals": {"s3:x-svc-acl": "private"}}}
        assert status_of(policies.put({"Statement": statement})) == 204


def test_a_value_must_be_valid_for_its_operator(policies):
    for operator, key, values in [
        ("NumericEquals", "aws:EpochTime", ["ten", "", "1e5", "9" * 30, "١", float("nan"), "0x1"]),
        ("DateLessThan", "aws:CurrentTime", ["now", "2026-13-01", "2026-01-01T00:00", "2026", "2026-02", "9" * 13]),
        ("Bool", "aws:SecureTransport", ["yes", "", 1]),
        ("Null", "aws:Referer", ["null", ""]),
        ("IpAddress", "aws:SourceIp", ["1.2.3", "1.2.3.4/33", "localhost", "::/129", "1.2.3.4/255.0.0.0", "1.2.3.4/"]),
        ("ArnLike", "aws:PrincipalArn", ["*", "arn:aws:iam", "urn:aws:iam::1:root"]),
    ]:
        for case in each(*values):
            with case as value:
                reply = policies.put_statement(Condition={operator: {key: value}})
                policies.expect_malformed(reply, "Invalid policy syntax.", operator, key)
    for case in each([], "x", {"StringEquals": "x"}, {"Bool": {"aws:SecureTransport": {}}}):
        with case as condition:
            policies.expect_malformed(policies.put_statement(Condition=condition), "Invalid policy syntax.", "expected")
    reply = policies.put_statement(Condition={"StringEquals": {"aws:Referer": []}})
    policies.expect_malformed(reply, "Missing required field Condition: aws:Referer", "aws:Referer")


def test_an_element_and_its_negation_exclude_each_other(policies):
    for case in each("Principal", "Action", "Resource"):
        with case as name:
            reply = policies.put_statement(Effect="Deny", **{f"Not{name}": STATEMENT[name]})
            policies.expect_malformed(reply, "Invalid policy syntax.", f"{name} and Not{name}")


@pytest.mark.decision("negated-elements")
def test_an_allow_must_name_its_principals(policies):
    statement = {name: value for name, value in STATEMENT.items() if name != "Principal"}
    reply = policies.put({"Statement": {**statement, "NotPrincipal": {"AWS": policies.ada.id}}})
    policies.expect_malformed(reply, "Allow with NotPrincipal is not allowed.", "Deny")


def test_a_resource_outside_of_the_bucket_is_refused(policies):
    for case in each(
        f"{ARN}films",
        f"{ARN}films/*",
        f"{ARN}photosfilms/*",
        f"{ARN}photos*",
        f"{ARN}*",
        f"{ARN}Photos/*",
        "photos/*",
        "",
    ):
        with case as arn:
            policies.expect_malformed(
                policies.put_statement(Resource=arn), "Policy has invalid resource", repr(arn), f"{ARN}photos or {ARN}"
            )


def test_an_effect_is_allow_or_deny_to_the_letter(policies):
    for case in each("allow", "DENY", ""):
        with case as effect:
            policies.expect_malformed(
                policies.put_statement(Effect=effect), f"Invalid effect: {effect}", repr(effect), "Allow or Deny"
            )


def test_a_required_field_is_present_and_not_empty(policies):
    for name in ["Effect", "Principal", "Action", "Resource"]:
        message = f"Missing required field {name}"
        policies.expect_malformed(
            policies.put({"Statement": {key: STATEMENT[key] for key in STATEMENT if key != name}}), message, name
        )
        for empty in {"Effect": [], "Principal": [{}, {"AWS": []}]}.get(name, [[]]):
            policies.expect_malformed(policies.put_statement(**{name: empty}), message, name)


def test_a_policy_has_a_statement(policies):
    policies.expect_malformed(policies.put({}), "Missing required field Statement", "Statement")
    reply = policies.put({"Statement": []})
    policies.expect_malformed(reply, "Could not parse the policy: Statement is empty!", "DELETE Bucket policy")


def test_a_field_of_another_type_is_refused(policies):
    for case in each(
        ("Sid", 1, "a number"),
        ("Sid", None, "null"),
        ("Effect", ["Allow"], "a list"),
        ("Principal", "ada", "'ada'"),
        ("Principal", ["*"], "a list"),
        ("Principal", {"AWS": {}}, "an object"),
        ("Action", 10**399, "a number"),
        ("Action", ["s3:GetObject", 1.5], "a number"),
        ("Resource", True, "true or false"),
        ("Resource", {"arn": f"{ARN}photos"}, "an object"),
    ):
        with case as (name, value, received):
            policies.expect_malformed(
                policies.put_statement(**{name: value}), "Invalid policy syntax.", f"{name} is {received}", "expected"
            )


def test_a_statement_of_another_type_is_refused(policies):
    for case in each("all", [[]], None, 1):
        with case as statement:
            policies.expect_malformed(
                policies.put({"Statement": statement}), "Invalid policy syntax.", "Statement is", "an object or a list"
            )


def test_an_unknown_field_is_refused(policies):
    for case in each(
        {"Statement": STATEMENT, "Surprise": 1},
        {"Statement": {**STATEMENT, "Surprise": 1}},
        {"Statement": {**STATEMENT, "Principal": {"AWS": "*", "Surprise": "*"}}},
    ):
        with case as policy:
            policies.expect_malformed(policies.put(policy), "Unknown field Surprise", "'Surprise'", "expected")


def test_a_body_that_is_not_json_is_refused_in_our_own_words(policies):
    for case in each(
        (b"", ["empty", "JSON object"]),
        (b"[]", [repr(b"["), "'{'"]),
        (b" {}", [repr(b" "), "'{'"]),
        (b"\xef\xbb\xbf{}", ["'{'"]),
        ('{"Id": "é"}'.encode("latin-1"), ["not UTF-8", "offset 8"]),
        (b"{", ["not valid JSON", "line 1, column 2"]),
        (b'{"Id": "a"} {}', ["not valid JSON", "line 1, column 13"]),
        (b"{\n'Statement': []}", ["not valid JSON", "line 2, column 1"]),
        (b"{\x00}", ["not valid JSON", "line 1, column 2"]),
        (b'{"Id": "\\ud800"}', ["surrogate"]),
        (b'{"\\udc00": 1}', ["surrogate"]),
        (b'{"Id": "a", "Id": "b"}', ["two members 'Id'"]),
        (b'{"Statement": {"Sid": "a", "Sid": "a"}}', ["two members 'Sid'"]),
        (b'{"Id": ' + b"[" * 20_000, ["nested too deeply", "32"]),
        (b'{"a":' * 3_000 + b"1" + b"}" * 3_000, ["nested too deeply", "32"]),
    ):
        with case as (body, words):
            policies.expect_malformed(policies.put(body), NOT_JSON, *words)


def test_brackets_within_a_text_are_not_nesting(policies):
    assert policies.read_back({"Id": '\\"' + "[{" * 100, "Statement": STATEMENT}) == [STATEMENT]


def test_every_depth_of_nesting_ends_in_an_error(policies):
    for case in each(30, 31, 900, 990, 5000):
        with case as depth:
            reply = policies.put(b'{"Statement": {"Effect": ' + b"[" * depth + b"]" * depth + b"}}")
            policies.expect_malformed(reply, "Invalid policy syntax." if depth < 31 else NOT_JSON)


def test_a_number_is_refused_however_long_it_is(policies):
    for case in each("9" * 5000, "1e999", "-Infinity", "NaN", "0." + "1" * 400):
        with case as number:
            policies.expect_malformed(
                policies.put(b'{"Statement": ' + number.encode() + b"}"), "Invalid policy syntax.", "a number"
            )


def test_a_policy_has_20_kib_at_most(policies):
    body = json.dumps({"Statement": STATEMENT}).encode().ljust(LIMIT)
    assert status_of(policies.put(body)) == 204
    policies.expect_malformed(
        policies.put(body + b" "), "Policy exceeds the maximum allowed document size.", "20,481", "20,480"
    )


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from([*STATEMENT, "Sid", "Condition"]), json_values)
def test_a_value_of_any_kind_is_accepted_or_refused(name, value):
    policies = Policies()
    with contextlib.suppress(UnsupportedRequest):
        assert status_of(policies.put_statement(**{name: value})) in (204, 400)


operators = [
    "StringLike",
    "NumericEquals",
    "DateLessThan",
    "BoolIfExists",
    "Null",
    "ForAnyValue:NotIpAddress",
    "ArnLike",
]


@given(st.sampled_from(operators), json_values | st.text())
def test_a_condition_of_any_value_is_accepted_or_refused(operator, value):
    policies = Policies()
    with contextlib.suppress(UnsupportedRequest):
        assert status_of(policies.put_statement(Condition={operator: {"aws:UserAgent": value}})) in (204, 400)


@given(st.binary().map(lambda tail: b"{" + tail))
def test_bytes_of_any_kind_are_refused(body):
    policies = Policies()
    assert outcome(policies.put(body)) == (400, "MalformedPolicy")
