from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fakestore.documents.policy import LONGEST_DOCUMENT, parse_policy, render_policy
from fakestore.model.accounts import Accounts
from fakestore.model.errors import MALFORMED_POLICY, ErrorResponse
from fakestore.model.policy import Effect, Policy, Statement
from fakestore.model.unsupported import UnsupportedRequest

ACCOUNTS = Accounts()
ADA = ACCOUNTS.create("ada", email="ada@example.com")
BOB = ACCOUNTS.create("bob")

NOT_JSON = "Policies must be valid JSON and the first byte must be '{'"
STATEMENT = {
    "Effect": "Allow",
    "Principal": "*",
    "Action": "s3:GetObject",
    "Resource": "arn:aws:s3:::photos/*",
}
PARSED = Statement(Effect.ALLOW, None, ("s3:GetObject",), ("photos/*",))


def parse(document: object) -> Policy:
    return parse_policy(json.dumps(document).encode(), "photos", ACCOUNTS)


def parse_statement(**elements: object) -> Statement:
    """The only statement of a document, with some elements other than in STATEMENT."""
    (parsed,) = parse({"Statement": {**STATEMENT, **elements}}).statements
    return parsed


def refusal(body: bytes) -> ErrorResponse:
    with pytest.raises(ErrorResponse) as caught:
        parse_policy(body, "photos", ACCOUNTS)
    assert caught.value.error is MALFORMED_POLICY
    return caught.value


def refused(document: object) -> str:
    """The message of the refusal."""
    return refusal(json.dumps(document).encode()).message


def refused_statement(**elements: object) -> str:
    return refused({"Statement": {**STATEMENT, **elements}})


def without(name: str) -> dict[str, object]:
    return {"Statement": {key: value for key, value in STATEMENT.items() if key != name}}


def test_a_whole_document_becomes_a_policy():
    document = {
        "Version": "2012-10-17",
        "Id": "rules",
        "Statement": [
            {
                "Sid": "no deletes",
                "Effect": "Deny",
                "Principal": {"CanonicalUser": ADA.id},
                "Action": ["s3:DeleteObject", "s3:DeleteObjectVersion"],
                "Resource": "arn:aws:s3:::photos/*",
            },
            {
                "Effect": "Allow",
                "Principal": {"AWS": "*"},
                "Action": "s3:*",
                "Resource": ["arn:aws:s3:::photos", "arn:aws:s3:::photos/2026/*"],
            },
        ],
    }
    assert parse(document) == Policy(
        (
            Statement(
                Effect.DENY,
                frozenset({ADA.id}),
                ("s3:DeleteObject", "s3:DeleteObjectVersion"),
                ("photos/*",),
                "no deletes",
            ),
            Statement(Effect.ALLOW, None, ("s3:*",), ("photos", "photos/2026/*")),
        )
    )


def test_one_statement_needs_no_list():
    assert parse({"Statement": STATEMENT}) == Policy((PARSED,))


@pytest.mark.parametrize("version", ["2012-10-17", "2008-10-17"])
def test_both_versions_of_the_language_are_read(version):
    assert parse({"Version": version, "Statement": [STATEMENT]}) == Policy((PARSED,))


@pytest.mark.parametrize("version", ["2026-01-01", "", 2012, None, ["2012-10-17"]])
def test_another_version_is_refused(version):
    assert refused({"Version": version, "Statement": STATEMENT}) == "The policy must contain a valid version string"


@pytest.mark.parametrize(
    ("principal", "ids"),
    [
        ("*", None),
        ({"AWS": "*"}, None),
        ({"AWS": [ADA.id, "*"]}, None),
        ({"AWS": ADA.id}, {ADA.id}),
        ({"AWS": f"arn:aws:iam::{ADA.id}:root"}, {ADA.id}),
        ({"AWS": [ADA.id, BOB.id]}, {ADA.id, BOB.id}),
        ({"CanonicalUser": [ADA.id, BOB.id]}, {ADA.id, BOB.id}),
        ({"AWS": ADA.id, "CanonicalUser": BOB.id}, {ADA.id, BOB.id}),
    ],
)
def test_principals_are_everyone_or_canonical_ids(principal, ids):
    assert parse_statement(Principal=principal).principals == ids


@pytest.mark.parametrize(
    "principal",
    [
        {"AWS": "ada"},
        {"AWS": "ada@example.com"},
        {"AWS": ADA.access_key_id},
        {"AWS": "0" * 64},
        {"AWS": "123456789012"},
        {"AWS": f"arn:aws:iam::{ADA.id}:user/x"},
        {"AWS": f"arn:aws:iam::{ADA.id}"},
        {"AWS": f"{ADA.id}:root"},
        {"AWS": ["*", "ada"]},
        {"CanonicalUser": "*"},
        {"CanonicalUser": f"arn:aws:iam::{ADA.id}:root"},
    ],
)
def test_a_principal_that_is_no_canonical_id_is_refused(principal):
    assert refused_statement(Principal=principal) == "Invalid principal in policy"


def test_the_refusal_of_a_principal_explains_which_ids_there_are():
    body = json.dumps({"Statement": {**STATEMENT, "Principal": {"AWS": "ada"}}}).encode()
    assert refusal(body).explanation == (
        f"'ada' is no canonical id of an account, nor arn:aws:iam::<it>:root; there are {ADA.id} (ada), {BOB.id} (bob)"
    )


@pytest.mark.parametrize("action", ["*", "s3:*", "S3:get*", "s3:GetObjec?", "s3:getobject"])
def test_an_action_is_kept_as_it_was_written(action):
    assert parse_statement(Action=action).actions == (action,)


@pytest.mark.parametrize(
    ("action", "resource"),
    [
        ("s3:DeleteObject", "photos/*"),
        ("s3:DeleteObjectVersion", "photos/*"),
        ("s3:PutLifeCycleConfiguration", "photos"),
    ],
)
def test_the_actions_of_the_specification_are_known_in_its_spelling(action, resource):
    assert parse_statement(Action=action, Resource=f"arn:aws:s3:::{resource}").actions == (action,)


@pytest.mark.parametrize("action", ["GetObject", "s3:", "", "s3", "ec2:*", "?3:*", "s*", "**"])
def test_an_action_that_there_is_not_is_refused(action):
    assert refused_statement(Action=action) == "Policy has invalid action"


def test_one_wrong_action_among_right_ones_is_refused():
    assert refused_statement(Action=["s3:GetObject", "ec2:*"]) == "Policy has invalid action"


@pytest.mark.parametrize("action", ["s3:GetObjects", "s3:GetObjectTagging"])
def test_an_action_that_is_not_modelled_is_unsupported_for_elsewhere_it_may_mean_something(action):
    with pytest.raises(UnsupportedRequest, match=f"'{action}' is none that is modelled"):
        parse_statement(Action=["s3:GetObject", action])


@pytest.mark.parametrize(
    ("action", "resource"),
    [("s3:GetObject", "photos"), ("s3:ListBucket", "photos/*"), ("s3:ListAllMyBuckets", "photos")],
)
def test_an_action_that_no_resource_of_its_statement_can_have_is_refused(action, resource):
    assert (
        refused_statement(Action=action, Resource=f"arn:aws:s3:::{resource}")
        == "Action does not apply to any resource(s) in statement"
    )


@pytest.mark.parametrize(
    "arn",
    [
        "arn:aws:s3:::films",
        "arn:aws:s3:::films/*",
        "arn:aws:s3:::photosfilms/*",
        "arn:aws:s3:::photos*",
        "arn:aws:s3:::*",
        "arn:aws:s3:::Photos/*",
        "photos/*",
        "*",
        "",
    ],
)
def test_a_resource_outside_of_the_bucket_is_refused(arn):
    assert refused_statement(Resource=arn) == "Policy has invalid resource"


@pytest.mark.parametrize("effect", ["allow", "DENY", ""])
def test_an_effect_is_allow_or_deny_to_the_letter(effect):
    assert refused_statement(Effect=effect) == f"Invalid effect: {effect}"


def test_an_empty_object_misses_its_statement():
    assert refused({}) == "Missing required field Statement"


@pytest.mark.parametrize("name", ["Effect", "Principal", "Action", "Resource"])
def test_a_statement_misses_a_required_field(name):
    assert refused(without(name)) == f"Missing required field {name}"


@pytest.mark.parametrize(
    ("name", "empty"),
    [("Action", []), ("Resource", []), ("Principal", {}), ("Principal", {"AWS": []})],
)
def test_an_empty_field_is_a_missing_one(name, empty):
    assert refused_statement(**{name: empty}) == f"Missing required field {name}"


def test_an_empty_list_of_statements_is_refused():
    assert refused({"Statement": []}) == "Could not parse the policy: Statement is empty!"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Sid", 1),
        ("Sid", None),
        ("Effect", ["Allow"]),
        ("Principal", "ada"),
        ("Principal", ["*"]),
        ("Principal", None),
        ("Principal", {"AWS": None}),
        ("Principal", {"AWS": {}}),
        ("Action", 10**399),
        ("Action", ["s3:GetObject", 1]),
        ("Resource", {"arn": "arn:aws:s3:::photos"}),
        ("Resource", True),
    ],
)
def test_a_field_of_another_type_is_refused(name, value):
    assert refused_statement(**{name: value}) == "Invalid policy syntax."


@pytest.mark.parametrize(
    "document",
    [{"Statement": "all"}, {"Statement": [[]]}, {"Statement": None}, {"Statement": STATEMENT, "Id": 1}],
)
def test_a_document_with_parts_of_another_type_is_refused(document):
    assert refused(document) == "Invalid policy syntax."


@pytest.mark.parametrize(
    "document",
    [
        {"Statement": STATEMENT, "Surprise": 1},
        {"Statement": {**STATEMENT, "Surprise": 1}},
        {"Statement": {**STATEMENT, "Principal": {"AWS": "*", "Surprise": "*"}}},
    ],
)
def test_an_unknown_field_is_refused(document):
    assert refused(document) == "Unknown field Surprise"


@pytest.mark.parametrize("name", ["NotAction", "NotPrincipal", "NotResource", "Condition"])
def test_an_element_that_is_not_modelled_is_never_ignored(name):
    with pytest.raises(UnsupportedRequest, match=f"^a bucket policy with {name} is not modelled; there is "):
        parse_statement(**{name: {}})


@pytest.mark.parametrize("kind", ["Service", "Federated"])
def test_a_principal_that_is_no_account_is_not_modelled(kind):
    with pytest.raises(UnsupportedRequest, match=f"^a bucket policy with a {kind} principal is not"):
        parse_statement(Principal={kind: "logging.example.com"})


def test_a_policy_variable_is_not_modelled():
    with pytest.raises(UnsupportedRequest, match=r"^policy variables, as in .* are not modelled; "):
        parse_statement(Resource="arn:aws:s3:::photos/${aws:username}/*")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"invalid json",
        b"[]",
        b" {}",
        b"\n{}",
        b"\xef\xbb\xbf{}",
        '{"Id": "é"}'.encode("latin-1"),
        "{}".encode("utf-16"),
        b"{",
        b"{} {}",
        b"{'Statement': []}",
        b'{"Id": "\\ud800"}',
        b'{"\\udc00": 1}',
        b'{"Id": "a", "Id": "b"}',
        b'{"Statement": {"Sid": "a", "Sid": "a"}}',
        b'{"Id": ' + b"9" * 5000 + b"}",
        b'{"Id": ' + b"[" * 20_000,
        b'{"Id": ' + b"[" * 9_000 + b"]" * 9_000 + b"}",
        b'{"a":' * 3_000 + b"1" + b"}" * 3_000,
        b"{" + b"\x00" * 20_000,
    ],
)
def test_a_body_that_is_no_json_is_refused(body):
    assert refusal(body).message == NOT_JSON


@given(st.integers(800, 1000))
@example(990)
def test_no_depth_of_nesting_ends_in_anything_but_a_refusal(depth):
    refusal(b'{"Statement": {"Effect": ' + b"[" * depth + b"]" * depth + b"}}")


@pytest.mark.parametrize("number", ["9" * 400, "1e999", "-Infinity", "NaN", "0." + "1" * 400])
def test_a_number_is_refused_wherever_it_stands(number):
    assert refusal(b'{"Statement": ' + number.encode() + b"}").message == "Invalid policy syntax."


@pytest.mark.parametrize("size", [LONGEST_DOCUMENT + 1, 10 * 1024 * 1024])
def test_a_document_over_the_limit_is_refused_unread(size):
    assert refusal(b"{" * size).message == "Policy exceeds the maximum allowed document size."


def test_a_document_of_exactly_the_limit_is_read():
    body = json.dumps({"Statement": STATEMENT}).encode().ljust(LONGEST_DOCUMENT)
    assert parse_policy(body, "photos", ACCOUNTS) == Policy((PARSED,))


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.binary().map(lambda tail: b"{" + tail))
def test_bytes_of_any_kind_end_in_a_refusal(body):
    refusal(body)


@given(st.sampled_from(["Sid", "Effect", "Principal", "Action", "Resource"]), JSON_VALUES)
def test_a_value_of_any_kind_is_read_or_refused(name, value):
    with contextlib.suppress(ErrorResponse):
        parse_statement(**{name: value})


def test_a_policy_is_rendered_as_a_document():
    policy = Policy(
        (
            Statement(Effect.ALLOW, None, ("s3:ListBucket", "s3:GetObject"), ("photos", "photos/é*"), "read"),
            Statement(Effect.DENY, frozenset({ADA.id}), ("s3:DeleteObject",), ("photos/*",)),
            Statement(Effect.ALLOW, frozenset({BOB.id, ADA.id}), ("s3:PutObject",), ("photos/*",)),
        )
    )
    assert json.loads(render_policy(policy)) == {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "read",
                "Effect": "Allow",
                "Principal": "*",
                "Action": ["s3:ListBucket", "s3:GetObject"],
                "Resource": ["arn:aws:s3:::photos", "arn:aws:s3:::photos/é*"],
            },
            {
                "Effect": "Deny",
                "Principal": {"CanonicalUser": ADA.id},
                "Action": "s3:DeleteObject",
                "Resource": "arn:aws:s3:::photos/*",
            },
            {
                "Effect": "Allow",
                "Principal": {"CanonicalUser": sorted([ADA.id, BOB.id])},
                "Action": "s3:PutObject",
                "Resource": "arn:aws:s3:::photos/*",
            },
        ],
    }


STATEMENTS = st.builds(
    Statement,
    effect=st.sampled_from(Effect),
    principals=st.none() | st.frozensets(st.sampled_from([ADA.id, BOB.id]), min_size=1),
    actions=st.lists(st.sampled_from(["s3:GetObject", "s3:PUT*", "*"]), min_size=1, max_size=3).map(tuple),
    resources=st.lists(st.sampled_from(["photos/*", "photos/é ?", 'photos/"\\']), min_size=1, max_size=3).map(tuple),
    sid=st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
)


@given(st.lists(STATEMENTS, min_size=1, max_size=4).map(tuple).map(Policy))
def test_a_rendered_policy_is_parsed_to_an_equal_one(policy):
    assert parse_policy(render_policy(policy), "photos", ACCOUNTS) == policy
