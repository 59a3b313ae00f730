"""Bucket policies, over HTTP and in Python: what they allow and deny, and which documents are refused."""

from __future__ import annotations

import json

import pytest

from fakestore import UnsupportedRequest
from tests.support.access import DELETED, DENIED, DONE, ask, explanation, put_policy
from tests.support.cases import each
from tests.support.documents import delete_document, policy, statement
from tests.support.wire import document, outcome, request


@pytest.fixture
def photos(fakestore):
    bucket = fakestore.create_bucket("photos", versioning="enabled")
    bucket.put("cat.jpg", b"meow")
    bucket.put("2026/dog.jpg", b"woof")
    return bucket


@pytest.fixture
def get(fakestore, photos):
    """GETs an object of the bucket and returns the status."""

    def get(account, key="cat.jpg", method="GET", **query):
        return request(fakestore, method, "photos", key, account=account, **query).status

    return get


def stored(fakestore):
    """The policy of the bucket as the owner reads it, or the error."""
    reply = request(fakestore, "GET", "photos", policy=None)
    return bytes(reply.body) if reply.status == 200 else outcome(reply)


# Allow and Deny


@pytest.mark.decision("policy-and-acl")
def test_deny_wins_over_ownership_acl_and_allow(fakestore, photos, get, bob):
    photos.put("cat.jpg", acl="public-read")
    assert (get(bob), get(None)) == (200, 200)
    allow = statement("Allow", "*", "s3:*", "photos/*")
    for denied in (bob, fakestore.default_account):
        deny = statement("Deny", denied, "s3:GetObject", "photos/*")
        for case in each([deny], [deny, allow], [allow, deny]):
            with case as statements:
                put_policy(fakestore, "photos", *statements)
                assert get(denied) == 403


@pytest.mark.decision("policy-and-acl")
def test_acl_decides_what_the_policy_does_not_mention(fakestore, get, bob):
    statements = [statement(effect, bob, action, "photos/*") for effect, action in
                  (("Deny", "s3:DeleteObject"), ("Allow", "s3:PutObject"))]  # fmt: skip
    put_policy(fakestore, "photos", *statements)
    assert (get(bob), get(None)) == (403, 200)


def test_explanation_names_the_statement_that_denied(fakestore, get, bob):
    put_policy(fakestore, "photos", statement("Deny", bob, ["s3:Get*", "s3:Put*"], "photos/*", Sid="keep out"))
    assert get(bob) == 403
    names = ("bob", "s3:GetObject", "photos/cat.jpg", "s3:Get*, s3:Put*", "photos/*", "keep out")
    assert all(name in explanation(fakestore) for name in names)


def test_explanation_says_what_no_policy_can_allow(fakestore, photos, get, bob):
    photos.allow(bob, "s3:*")
    for status, query in ((405, {"key": "", "policy": None}), (403, {"method": "DELETE", "versionId": "null"})):
        assert get(bob, **query) == status
        assert "no policy can allow this action to another account" in explanation(fakestore)
    assert get(bob, "", publicAccessBlock=None) == 404
    put_policy(fakestore, "photos", statement("Deny", bob, "s3:PutBucketTagging", "photos"))
    assert get(bob, "", tagging=None) == 403
    assert "no policy can allow" not in explanation(fakestore)
    assert get(bob, method="DELETE", versionId="null") == 403
    assert explanation(fakestore).endswith("no policy can allow this action to another account")


def test_policy_of_one_bucket_does_not_apply_to_another(fakestore, photos, bob):
    fakestore.create_bucket("films").put("cat.avi", b"")
    photos.allow(bob, "s3:*")
    assert ask(fakestore, bob, "GET", "films", "cat.avi") == DENIED


# Actions and resources


def test_action_matches_in_any_case_and_by_wildcards(fakestore, get, bob):
    for case in each("s3:GetObject", "S3:getobject", "s3:Get*", "s3:GetObjec?", "s3:*", "*"):
        with case as action:
            put_policy(fakestore, "photos", statement("Allow", bob, action, "photos/*"))
            assert get(bob) == 200


def test_resource_matches_exactly_and_by_wildcards(fakestore, get, bob):
    for case in each(
        ("photos/*", (200, 200)),
        ("photos/cat.jpg", (200, 403)),
        ("photos/CAT.jpg", (403, 403)),
        ("photos/???.jpg", (200, 403)),
        ("photos/2026/*", (403, 200)),
        ("photos/*.jpg", (200, 200)),
        ("photos/[c]at.jpg", (403, 403)),
        (["photos", "photos/cat.jpg"], (200, 403)),
    ):
        with case as (resource, statuses):
            put_policy(fakestore, "photos", statement("Allow", bob, "s3:GetObject", resource))
            assert (get(bob), get(bob, "2026/dog.jpg")) == statuses


def test_reading_a_version_is_an_action_of_its_own(fakestore, photos, get, bob):
    version_id = photos["cat.jpg"].version_id
    put_policy(fakestore, "photos", statement("Allow", bob, "s3:GetObject", "photos/*"))
    assert (get(bob), get(bob, versionId=version_id)) == (200, 403)
    put_policy(fakestore, "photos", statement("Allow", bob, "s3:GetObjectVersion", "photos/*"))
    assert (get(bob), get(bob, versionId=version_id)) == (403, 200)


DENIALS = [
    ("s3:DeleteObject", "DELETE", "cat.jpg", {}),
    ("s3:DeleteObjectVersion", "DELETE", "cat.jpg", {"versionId": "null"}),
    ("s3:PutLifeCycleConfiguration", "DELETE", "", {"lifecycle": None}),
    ("s3:PutLifecycleConfiguration", "DELETE", "", {"lifecycle": None}),
]


@pytest.mark.parametrize(("action", "method", "key", "query"), DENIALS)
@pytest.mark.statement("5-13")
def test_owner_can_be_denied_each_way_to_delete(fakestore, photos, get, action, method, key, query):
    others = {each for each, *_ in DENIALS if each.lower() != action.lower()}
    versions = photos.versions()
    photos.deny(fakestore.default_account, action)
    assert (get(None, key, method, **query), photos.versions()) == (403, versions)
    request(fakestore, "DELETE", "photos", policy=None)
    photos.deny(fakestore.default_account, *others)
    assert get(None, key, method, **query) == 204


@pytest.mark.parametrize("action", ["s3:DeleteObject", "s3:DeleteObjectVersion"])
def test_delete_of_many_respects_a_deny(fakestore, photos, action):
    photos.deny(fakestore.default_account, action)
    versions = photos.versions()
    identifier = ("cat.jpg", photos["cat.jpg"].version_id) if action.endswith("Version") else "cat.jpg"
    reply = request(fakestore, "POST", "photos", body=delete_document(identifier), delete=None)
    assert (document(reply).findtext("Error/Code"), photos.versions()) == ("AccessDenied", versions)


@pytest.mark.decision("put-of-an-existing-bucket")
def test_deny_of_create_bucket_keeps_the_acl(fakestore, photos):
    photos.acl = "public-read"
    photos.deny(fakestore.default_account, "s3:CreateBucket")
    assert ask(fakestore, None, "PUT", "photos") == DENIED
    assert str(photos.acl) == "default:FULL_CONTROL, AllUsers:READ"


@pytest.mark.decision("denied-acl-headers")
@pytest.mark.parametrize("source", [{}, {"x-svc-copy-source": "/photos/cat.jpg"}])
def test_deny_of_put_object_acl_covers_acl_headers_of_put_and_copy(fakestore, photos, bob, source):
    photos.deny(fakestore.default_account, "s3:PutObjectAcl")
    for acl in ({"x-svc-acl": "public-read"}, {"x-svc-grant-write": "emailAddress=bob@example.test"}):
        assert ask(fakestore, None, "PUT", "photos", "new.jpg", headers={**source, **acl}) == DENIED
    assert ask(fakestore, None, "PUT", "photos", "new.jpg", headers=source) == DONE
    assert str(photos["new.jpg"].acl) == "default:FULL_CONTROL"


# The document


def test_policy_is_returned_exactly_as_it_was_put(fakestore, photos, bob):
    assert stored(fakestore) == (404, "NoSuchBucketPolicy")
    body = (
        b'{ "Version": "2008-10-17", "Statement" : '
        + json.dumps(statement("Allow", bob, "S3:getobject", "photos/é*"), ensure_ascii=False).encode()
        + b"}\n"
    )
    assert request(fakestore, "PUT", "photos", body=body, policy=None).status == 204
    reply = request(fakestore, "GET", "photos", policy=None)
    assert (reply.headers["Content-Type"], bytes(reply.body)) == ("application/json", body)


@pytest.mark.decision("policy-without-a-version")
def test_policy_without_a_version_is_returned_with_the_first_version(fakestore, photos, bob):
    body = json.dumps({"Id": "é", "Statement": statement("Allow", bob, "s3:GetObject", "photos/*")})
    assert request(fakestore, "PUT", "photos", body=body.encode(), policy=None).status == 204
    returned = json.loads(bytes(request(fakestore, "GET", "photos", policy=None).body))
    assert returned == {"Version": "2008-10-17", **json.loads(body)}


def test_put_replaces_the_policy_and_delete_removes_it(fakestore, get, bob):
    for action, status in (("s3:GetObject", 200), ("s3:PutObject", 403), ("s3:GetObject", 200)):
        put_policy(fakestore, "photos", statement("Allow", bob, action, "photos/*"))
        assert get(bob) == status
    assert [ask(fakestore, None, "DELETE", "photos", policy=None) for _ in range(2)] == [DELETED, DELETED]
    assert (get(bob), stored(fakestore)) == (403, (404, "NoSuchBucketPolicy"))


@pytest.mark.decision("policy-and-acl")
def test_policy_itself_is_always_for_the_owner_alone(fakestore, photos, get, bob):
    put_policy(fakestore, "photos", statement("Deny", fakestore.default_account, "*", ["photos", "photos/*"]))
    photos.allow(bob, "s3:*")
    before = stored(fakestore)
    assert [get(bob, "", method, policy=None) for method in ("GET", "PUT", "DELETE")] == [405, 405, 405]
    assert (get(None), stored(fakestore)) == (403, before)
    put_policy(fakestore, "photos", statement("Deny", "*", "*", ["photos", "photos/*"]))
    assert (ask(fakestore, None, "DELETE", "photos", policy=None), get(None)) == (DELETED, 200)


@pytest.mark.decision("policy-and-acl")
def test_another_account_with_a_permission_for_the_policy_gets_method_not_allowed(fakestore, photos, get, bob):
    photos.allow(bob, "s3:GetBucketPolicy")
    reply = request(fakestore, "GET", "photos", account=bob, policy=None)
    assert outcome(reply) == (405, "MethodNotAllowed")
    assert [document(reply).findtext(name) for name in ("Method", "ResourceType")] == ["GET", "BUCKETPOLICY"]
    assert get(bob, "", "DELETE", policy=None) == 403
    photos.deny(bob, "s3:GetBucketPolicy")
    assert get(bob, "", policy=None) == 403


def test_refused_policy_leaves_the_old_one(fakestore, photos, bob):
    photos.allow(bob, "s3:GetObject")
    before = stored(fakestore)
    films = policy(statement("Allow", "*", "s3:GetObject", "films/*"))
    for case in each(b"", b"<Policy/>", b"{}", films):
        with case as body:
            assert outcome(request(fakestore, "PUT", "photos", body=body, policy=None)) == (400, "MalformedPolicy")
    unknown = {"StringEquals": {"s3:TlsVersion": "1.2"}}
    with pytest.raises(UnsupportedRequest, match="s3:TlsVersion"):
        put_policy(fakestore, "photos", statement("Allow", "*", "s3:GetObject", "photos/*", Condition=unknown))
    fakestore.unhandled_requests.clear()
    assert stored(fakestore) == before


# In Python


def test_allow_and_deny_add_statements_that_can_be_put_back(fakestore, photos, get, bob):
    put_policy(fakestore, "photos", statement("Allow", bob, "s3:GetObject", "photos/*"))
    photos.deny(bob, "s3:DeleteObject")
    photos.allow(bob, "s3:Put*", "s3:ListBucket")
    arns = ["arn:aws:s3:::photos", "arn:aws:s3:::photos/*"]
    principal = {"CanonicalUser": bob.id}
    assert json.loads(stored(fakestore))["Statement"] == [
        {"Effect": "Allow", "Principal": principal, "Action": "s3:GetObject", "Resource": arns[1]},
        {"Effect": "Deny", "Principal": principal, "Action": "s3:DeleteObject", "Resource": arns},
        {"Effect": "Allow", "Principal": principal, "Action": ["s3:Put*", "s3:ListBucket"], "Resource": arns},
    ]
    assert request(fakestore, "PUT", "photos", body=stored(fakestore), policy=None).status == 204
    assert get(bob) == 200


def test_unknown_action_is_a_value_error_in_python(fakestore, photos, bob):
    for actions in [(), ("",), ("GetObject",), ("s3:GetObjekt",), ("s3:ListAllMyBuckets",)]:
        for add in (photos.allow, photos.deny):
            with pytest.raises(ValueError, match="action"):
                add(bob, *actions)
        assert stored(fakestore) == (404, "NoSuchBucketPolicy")
