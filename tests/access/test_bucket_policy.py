"""Bucket policies, over HTTP and in Python: what they allow and deny, and what is no policy."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from fakestore import UnsupportedRequest


@pytest.fixture
def photos(fakestore):
    bucket = fakestore.create_bucket("photos", versioning="enabled")
    bucket.put("cat.jpg", b"meow")
    bucket.put("2026/dog.jpg", b"wuff")
    return bucket


def statement(effect, account, action, resource="photos/*", **more):
    principal = account if isinstance(account, str) else {"AWS": account.id}
    arns = [f"arn:aws:s3:::{each}" for each in ([resource] if isinstance(resource, str) else resource)]
    return {"Effect": effect, "Principal": principal, "Action": action, "Resource": arns, **more}


def put_policy(fakestore, *statements, account=None):
    body = json.dumps({"Version": "2012-10-17", "Statement": statements}).encode()
    return fakestore.session(account).put(fakestore.url("photos", policy=None), data=body)


def get_policy(fakestore):
    return fakestore.session().get(fakestore.url("photos", policy=None))


def get(fakestore, account, key="cat.jpg", method="GET", **query):
    return fakestore.session(account).request(method, fakestore.url("photos", key, **query)).status_code


# Whose word counts


def test_an_allow_lets_in_whom_no_acl_lets_in(fakestore, photos, bob):
    assert put_policy(fakestore, statement("Allow", bob, "s3:GetObject")).status_code == 204
    assert get(fakestore, bob) == 200


def test_an_allow_is_for_the_account_that_it_names(fakestore, photos, bob):
    put_policy(fakestore, statement("Allow", bob, "s3:GetObject"))
    assert get(fakestore, fakestore.create_account("eve")) == 403


def test_an_allow_for_everybody_is_for_every_account_and_not_for_the_anonymous(fakestore, photos, bob):
    put_policy(fakestore, statement("Allow", "*", "s3:*"))
    anonymous = fakestore.session()
    anonymous.auth = lambda prepared: prepared
    assert get(fakestore, bob) == 200
    assert anonymous.get(fakestore.url("photos", "cat.jpg")).status_code == 403


def test_a_deny_keeps_out_the_owner_of_bucket_and_object(fakestore, photos):
    put_policy(fakestore, statement("Deny", fakestore.default_account, "s3:GetObject"))
    assert get(fakestore, None) == 403


def test_a_deny_keeps_out_whom_an_acl_lets_in(fakestore, photos, bob):
    photos.put("cat.jpg", acl="public-read")
    assert get(fakestore, bob) == 200
    put_policy(fakestore, statement("Deny", bob, "s3:GetObject"))
    assert get(fakestore, bob) == 403


@pytest.mark.parametrize("order", [1, -1])
def test_a_deny_beats_an_allow_in_either_order(fakestore, photos, bob, order):
    put_policy(fakestore, *[statement("Deny", bob, "s3:GetObject"), statement("Allow", "*", "s3:*")][::order])
    assert get(fakestore, bob) == 403


def test_what_a_policy_does_not_speak_of_is_for_the_acl(fakestore, photos, bob):
    put_policy(fakestore, statement("Deny", bob, "s3:DeleteObject"), statement("Allow", bob, "s3:PutObject"))
    assert (get(fakestore, bob), get(fakestore, None)) == (403, 200)


def test_whoever_is_denied_is_told_by_which_statement(fakestore, photos, bob):
    put_policy(fakestore, statement("Deny", bob, ["s3:Get*", "s3:Put*"], Sid="keep out"))
    get(fakestore, bob)
    assert fakestore.exchanges[-1].explanation == (
        "bob may not s3:GetObject on 'photos/cat.jpg': denied by Deny s3:Get*, s3:Put* on photos/* (Sid 'keep out')"
    )


# Actions and resources


@pytest.mark.parametrize("action", ["s3:GetObject", "S3:getobject", "s3:Get*", "s3:GetObjec?", "s3:*", "*"])
def test_an_action_is_named_in_any_case_and_by_wildcards(fakestore, photos, bob, action):
    put_policy(fakestore, statement("Allow", bob, action))
    assert get(fakestore, bob) == 200


@pytest.mark.parametrize(
    ("resource", "cat", "dog"),
    [
        ("photos/*", 200, 200),
        ("photos/cat.jpg", 200, 403),
        ("photos/CAT.jpg", 403, 403),
        ("photos/???.jpg", 200, 403),
        ("photos/2026/*", 403, 200),
        ("photos/*.jpg", 200, 200),
        ("photos/[c]at.jpg", 403, 403),
        (["photos", "photos/cat.jpg"], 200, 403),
    ],
)
def test_a_resource_is_named_in_its_case_and_by_wildcards(fakestore, photos, bob, resource, cat, dog):
    put_policy(fakestore, statement("Allow", bob, "s3:GetObject", resource))
    assert (get(fakestore, bob), get(fakestore, bob, "2026/dog.jpg")) == (cat, dog)


def test_reading_a_version_is_another_action_than_reading(fakestore, photos, bob):
    version = photos["cat.jpg"].version_id
    put_policy(fakestore, statement("Allow", bob, "s3:GetObject"))
    assert (get(fakestore, bob), get(fakestore, bob, versionId=version)) == (200, 403)
    put_policy(fakestore, statement("Allow", bob, "s3:GetObjectVersion"))
    assert (get(fakestore, bob), get(fakestore, bob, versionId=version)) == (403, 200)


DENIALS = [
    ("s3:DeleteObject", "DELETE", "cat.jpg", {}),
    ("s3:DeleteObjectVersion", "DELETE", "cat.jpg", {"versionId": "null"}),
    ("s3:PutLifeCycleConfiguration", "DELETE", "", {"lifecycle": None}),
    ("s3:PutLifecycleConfiguration", "DELETE", "", {"lifecycle": None}),
]


@pytest.mark.parametrize(("action", "method", "key", "query"), DENIALS)
def test_the_actions_that_delete_can_be_denied_to_the_owner(fakestore, photos, action, method, key, query):
    photos.deny(fakestore.default_account, action)
    before = photos.versions()
    assert (get(fakestore, None, key, method, **query), photos.versions()) == (403, before)


@pytest.mark.parametrize(("action", "method", "key", "query"), DENIALS)
def test_denying_the_others_leaves_an_action_allowed(fakestore, photos, action, method, key, query):
    photos.deny(fakestore.default_account, *{each for each, *_ in DENIALS if each.lower() != action.lower()})
    assert get(fakestore, None, key, method, **query) == 204


@pytest.mark.parametrize("action", ["s3:DeleteObject", "s3:DeleteObjectVersion"])
def test_a_denied_deletion_is_denied_among_many_as_well(fakestore, photos, action):
    photos.deny(fakestore.default_account, action)
    before = photos.versions()
    cat = photos["cat.jpg"]
    version = f"<VersionId>{cat.version_id}</VersionId>" if action.endswith("Version") else ""
    body = f"<Delete><Object><Key>cat.jpg</Key>{version}</Object></Delete>".encode()
    response = fakestore.session().post(fakestore.url("photos", delete=None), data=body)
    assert ElementTree.fromstring(response.content).findtext("Error/Code") == "AccessDenied"
    assert photos.versions() == before


def test_a_bucket_may_be_denied_to_be_created_again(fakestore, photos):
    photos.acl = "public-read"
    photos.deny(fakestore.default_account, "s3:CreateBucket")
    assert get(fakestore, None, "", "PUT") == 403
    assert str(photos.acl) == "default:FULL_CONTROL, AllUsers:READ"


@pytest.mark.parametrize("acl", [{"x-svc-acl": "public-read"}, {"x-svc-grant-write": "emailAddress=bob@example.test"}])
@pytest.mark.parametrize("source", [{}, {"x-svc-copy-source": "/photos/cat.jpg"}])
def test_who_is_denied_to_set_an_acl_cannot_set_it_with_the_object(fakestore, photos, acl, source):
    fakestore.create_account("robert", email="bob@example.test")
    photos.deny(fakestore.default_account, "s3:PutObjectAcl")
    session, url = fakestore.session(), fakestore.url("photos", "new.jpg")
    answers = [session.put(url, headers={**source, **each}).status_code for each in (acl, {})]
    assert (answers, str(photos["new.jpg"].acl)) == ([403, 200], "default:FULL_CONTROL")


def test_one_buckets_policy_does_not_rule_another(fakestore, photos, bob):
    fakestore.create_bucket("films").put("cat.avi", b"")
    photos.allow(bob, "s3:*")
    assert fakestore.session(bob).get(fakestore.url("films", "cat.avi")).status_code == 403


# The document


def test_what_was_put_is_given_back_word_for_word(fakestore, photos, bob):
    body = b'{ "Statement" : ' + json.dumps(statement("Allow", bob, "S3:getobject")).encode() + b"}\n"
    fakestore.session().put(fakestore.url("photos", policy=None), data=body)
    response = get_policy(fakestore)
    assert (response.status_code, response.headers["Content-Type"], response.content) == (200, "application/json", body)


def test_a_bucket_without_policy_has_none_to_give(fakestore, photos):
    response = get_policy(fakestore)
    assert (response.status_code, ElementTree.fromstring(response.content).findtext("Code")) == (
        404,
        "NoSuchBucketPolicy",
    )


def test_a_put_replaces_the_whole_policy(fakestore, photos, bob):
    put_policy(fakestore, statement("Allow", bob, "s3:GetObject"))
    put_policy(fakestore, statement("Allow", bob, "s3:PutObject"))
    assert get(fakestore, bob) == 403


def test_a_deleted_policy_rules_no_more(fakestore, photos, bob):
    put_policy(fakestore, statement("Allow", bob, "s3:GetObject"))
    deleted = [fakestore.session().delete(fakestore.url("photos", policy=None)).status_code for _ in range(2)]
    assert (deleted, get(fakestore, bob), get_policy(fakestore).status_code) == ([204, 204], 403, 404)


def test_an_owner_who_is_denied_everything_can_still_read_replace_and_delete_the_policy(fakestore, photos):
    everything = statement("Deny", "*", "*", ["photos", "photos/*"])
    put_policy(fakestore, everything)
    url = fakestore.url("photos", policy=None)
    answers = [get(fakestore, None), get_policy(fakestore).status_code, put_policy(fakestore, everything).status_code]
    assert [*answers, fakestore.session().delete(url).status_code] == [403, 200, 204, 204]
    assert get(fakestore, None) == 200


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_nobody_else_gets_at_the_policy_whatever_it_allows(fakestore, photos, bob, method):
    photos.allow(bob, "s3:*")
    before = get_policy(fakestore).content
    assert get(fakestore, bob, "", method, policy=None) == 403
    assert get_policy(fakestore).content == before


MALFORMED = {
    "empty": b"",
    "no JSON": b"{",
    "XML": b"<Policy/>",
    "a list": b"[]",
    "no statement": b"{}",
    "no statements": b'{"Statement": []}',
    "another version": b'{"Version": "2013-01-01", "Statement": {}}',
}
WRONG = {
    "another effect": {"Effect": "allow"},
    "an unknown principal": {"Principal": {"AWS": "nobody"}},
    "an action without a service": {"Action": "GetObject"},
    "an action of another service": {"Action": "ec2:RunInstances"},
    "another bucket": {"Resource": "arn:aws:s3:::films/*"},
    "no ARN": {"Resource": "photos/*"},
    "an action on the bucket for objects": {"Action": "s3:ListBucket"},
    "an unknown element": {"Condition2": {}},
    "a number": {"Sid": 1},
}


@pytest.mark.parametrize(
    "body",
    [
        *MALFORMED.values(),
        *(
            json.dumps({"Statement": statement("Allow", "*", "s3:GetObject") | wrong}).encode()
            for wrong in WRONG.values()
        ),
    ],
    ids=[*MALFORMED, *WRONG],
)
def test_a_malformed_policy_is_refused_and_the_old_one_stays(fakestore, photos, bob, body):
    put_policy(fakestore, statement("Allow", bob, "s3:GetObject"))
    before = get_policy(fakestore).content
    response = fakestore.session().put(fakestore.url("photos", policy=None), data=body)
    assert (response.status_code, ElementTree.fromstring(response.content).findtext("Code")) == (400, "MalformedPolicy")
    assert get_policy(fakestore).content == before


@pytest.mark.parametrize(
    "not_modelled",
    [
        {"Condition": {"StringEquals": {"s3:prefix": "2026/"}}},
        {"Condition": {}},
        {"NotAction": "s3:GetObject"},
        {"NotPrincipal": "*"},
        {"NotResource": "arn:aws:s3:::photos"},
        {"Principal": {"Service": "logging"}},
        {"Principal": {"Federated": "somewhere"}},
        {"Action": "s3:PutObjectTagging"},
        {"Resource": "arn:aws:s3:::photos/${aws:username}/*"},
    ],
    ids=lambda element: "-".join(map(str, *element.items())),
)
def test_what_is_not_modelled_raises_and_the_old_policy_stays(fakestore, photos, bob, not_modelled):
    put_policy(fakestore, statement("Allow", bob, "s3:GetObject"))
    before = get_policy(fakestore).content
    with pytest.raises(UnsupportedRequest, match=r"not supported"):
        put_policy(fakestore, statement("Allow", bob, "s3:GetObject") | not_modelled)
    fakestore.unhandled_requests.clear()
    assert get_policy(fakestore).content == before


# In Python


def test_deny_and_allow_add_to_the_policy_that_is_there(fakestore, photos, bob):
    put_policy(fakestore, statement("Allow", bob, "s3:GetObject"))
    photos.deny(bob, "s3:DeleteObject")
    photos.allow(bob, "s3:ListBucket")
    arns = ["arn:aws:s3:::photos", "arn:aws:s3:::photos/*"]
    principal = {"CanonicalUser": bob.id}
    assert get_policy(fakestore).json() == {
        "Version": "2012-10-17",
        "Statement": [
            {"Effect": "Allow", "Principal": principal, "Action": "s3:GetObject", "Resource": arns[1]},
            {"Effect": "Deny", "Principal": principal, "Action": "s3:DeleteObject", "Resource": arns},
            {"Effect": "Allow", "Principal": principal, "Action": "s3:ListBucket", "Resource": arns},
        ],
    }


def test_what_python_added_can_be_read_and_put_back(fakestore, photos, bob):
    photos.allow(bob, "s3:Get*", "s3:ListBucket")
    body = get_policy(fakestore).content
    response = fakestore.session().put(fakestore.url("photos", policy=None), data=body)
    assert (response.status_code, get(fakestore, bob)) == (204, 200)


@pytest.mark.parametrize("verb", ["allow", "deny"])
@pytest.mark.parametrize("actions", [(), ("",), ("GetObject",), ("s3:GetObjekt",), ("s3:ListAllMyBuckets",)])
def test_an_action_that_no_bucket_rules_on_is_an_error_in_python(fakestore, photos, bob, verb, actions):
    with pytest.raises(ValueError, match="action"):
        getattr(photos, verb)(bob, *actions)
    assert get_policy(fakestore).status_code == 404
