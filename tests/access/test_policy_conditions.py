"""Conditions of bucket policies over HTTP: what each key is about, and when it is read."""

from __future__ import annotations

import re
from dataclasses import replace
from email.utils import formatdate
from itertools import product

import pytest

from fakestore import FakeStore, UnsupportedRequest
from fakestore.http import Request
from tests.support.access import DENIED, DONE, ask, explanation, put_policy
from tests.support.cases import each
from tests.support.client import customer_key
from tests.support.documents import complete_document, delete_document, policy, statement
from tests.support.wire import document, outcome, request, send

CUSTOMER_HEADERS = {f"x-svc-{name}": value for name, value in customer_key("k").items()}
KMS = {"x-svc-server-side-encryption": "aws:kms"}
COPY = {"x-svc-copy-source": "/photos/cat.jpg"}
LOCK = {"x-svc-object-lock-mode": "GOVERNANCE", "x-svc-object-lock-retain-until-date": "2030-01-01T00:00:00Z"}
TAGGING = b"<Tagging><TagSet><Tag><Key>color</Key><Value>blue</Value></Tag></TagSet></Tagging>"


@pytest.fixture
def photos(fakestore):
    bucket = fakestore.create_bucket("photos", versioning="enabled")
    bucket.put("cat.jpg", b"meow", tags={"color": "red"})
    return bucket


def deny_if(store, operator, key, value, action="s3:*"):
    """Replace the policy by one that denies everything to everybody under a condition."""
    resources = ["photos", "photos/*"]
    put_policy(store, "photos", statement("Deny", "*", action, resources, Condition={operator: {key: value}}))


def owner_grant(store):
    return f'id="{store.default_account.id}"'


def sent(name, value, other, also=(), request=("PUT", "new")):
    """Return a request with a header, and one with another value of it, or without it if that is None."""
    name = name if name[0].isupper() else f"x-svc-{name}"
    fields = [{name: text} if text is not None else {} for text in (value, other)]
    return [(*request, {"headers": {**dict(also), **headers}}) for headers in fields]


LIST = ("GET", "")
#: Each key: an operator and a value, a request that has the value, and one that has another value or none.
#: A request is a method, a key, and the arguments of `request`.
KEYS = {
    "aws:CurrentTime": ("DateEquals", "2026-11-21T12:00:00Z", LIST, None),
    "aws:EpochTime": ("NumericEquals", 1795262400, LIST, None),
    "aws:PrincipalAccount": ("StringEquals", "{number}", LIST, None),
    "aws:PrincipalArn": ("ArnEquals", "arn:aws:iam::{number}:root", LIST, None),
    "aws:PrincipalType": ("StringEquals", "Account", LIST, None),
    "aws:Referer": ("StringLike", "http://a.test/*", *sent("Referer", "http://a.test/b", "http://b.test/", (), LIST)),
    "aws:ResourceAccount": ("StringEquals", "{number}", LIST, None),
    "aws:SecureTransport": ("Bool", False, LIST, None),
    "aws:SourceIp": ("IpAddress", "127.0.0.0/8", LIST, None),
    "aws:UserAgent": ("StringLike", "uploader/*", *sent("User-Agent", "uploader/1.2", "browser", (), LIST)),
    "aws:userid": ("StringEquals", "{number}", LIST, None),
    "s3:authType": ("StringEquals", "REST-HEADER", LIST, None),
    "s3:delimiter": ("StringEquals", "/", (*LIST, {"delimiter": "/"}), LIST),
    "s3:ExistingObjectTag/": ("StringEquals", "red", ("GET", "cat.jpg"), ("GET", "dog.jpg")),
    "s3:if-match": ("StringEquals", '"e"', *sent("If-Match", '"e"', '"f"')),
    "s3:if-none-match": ("StringEquals", "*", *sent("If-None-Match", "*", None)),
    "s3:max-keys": ("NumericGreaterThan", "10", (*LIST, {"max_keys": "11"}), (*LIST, {"max_keys": "10"})),
    "s3:ObjectCreationOperation": ("Bool", "true", ("PUT", "new"), ("POST", "new", {"uploads": None})),
    "s3:object-lock-legal-hold": ("StringEquals", "ON", *sent("object-lock-legal-hold", "ON", "OFF")),
    "s3:object-lock-mode": ("StringEquals", "COMPLIANCE", *sent("object-lock-mode", "COMPLIANCE", "GOVERNANCE", LOCK)),
    "s3:object-lock-retain-until-date": (
        *("DateGreaterThan", "2029-12-31T00:00:00Z"),
        *sent("object-lock-retain-until-date", "2030-01-01T00:00:00Z", "2029-01-01T00:00:00Z", LOCK),
    ),
    "s3:prefix": ("StringLike", "home/*", (*LIST, {"prefix": "home/ada/"}), (*LIST, {"prefix": "x"})),
    "s3:RequestObjectTag/": ("StringEquals", "red", *sent("tagging", "color=red", "color=blue")),
    "s3:RequestObjectTagKeys": ("ForAnyValue:StringEquals", "color", *sent("tagging", "size=1&color=red", "size=1")),
    "s3:ResourceAccount": ("StringEquals", "{number}", LIST, None),
    "s3:signatureAge": ("Null", "true", LIST, None),
    "s3:signatureversion": ("StringEquals", "AWS", LIST, None),
    "s3:VersionId": ("StringLike", "?*", ("GET", "cat.jpg", {"versionId": "{version}"}), ("GET", "cat.jpg")),
    "s3:x-svc-content-sha256": ("Null", "true", LIST, None),
    "s3:x-svc-copy-source": ("StringLike", "/photos/*", *sent("copy-source", "/photos/cat.jpg", "photos/cat.jpg")),
    "s3:x-svc-server-side-encryption-customer-algorithm": (
        *("StringEquals", "AES256", ("PUT", "new", {"headers": CUSTOMER_HEADERS}), ("PUT", "new")),
    ),
    "s3:x-svc-website-redirect-location": (
        *("StringLike", "https://*", *sent("website-redirect-location", "https://example.com/", "/home")),
    ),
    # No request has a value of these keys, because the store has no users, roles, networks and other services.
    **{
        f"aws:{name}": ("Null", "true", LIST, None)
        for name in ("PrincipalOrgID", "PrincipalTag/", "SourceAccount", "SourceArn", "SourceVpc", "SourceVpce")
    },
    "aws:username": ("StringNotEquals", "ada", LIST, None),
    **{
        f"s3:x-svc-{name}": ("StringEquals", value, *sent(name, value, other, also))
        for name, value, other, also in [
            ("acl", "private", None, {}),
            ("metadata-directive", "REPLACE", None, COPY),
            ("server-side-encryption", "aws:kms", "AES256", {}),
            ("server-side-encryption-aws-kms-key-id", "key-1", None, KMS),
            ("storage-class", "REDUCED_REDUNDANCY", "STANDARD", {}),
            *((f"grant-{name}", "{grantee}", None, {}) for name in ("full-control", "read", "read-acp", "write")),
            ("grant-write-acp", "{grantee}", None, {}),
        ]
    },
}


def test_table_has_every_key(fakestore, photos):
    with pytest.raises(UnsupportedRequest) as unsupported:
        deny_if(fakestore, "StringEquals", "aws:unknown", "x")
    fakestore.unhandled_requests.clear()
    listed = re.search("supported: (.*)[.]", str(unsupported.value))[1]
    assert listed.replace("<key>", "").split(", ") == sorted(KEYS)


@pytest.mark.decision("condition-keys")
@pytest.mark.usefixtures("noon")
def test_condition_is_about_what_its_key_names(fakestore, photos):
    texts = {
        "{number}": fakestore.default_account.number,
        "{version}": photos["cat.jpg"].version_id,
        "{grantee}": owner_grant(fakestore),
    }

    def fill(text):
        for name, replacement in texts.items():
            text = text.replace(name, replacement) if isinstance(text, str) else text
        return text

    def send_one(method, object_key, arguments=()):
        arguments = {name: fill(each) for name, each in dict(arguments).items()}
        arguments["headers"] = {name: fill(each) for name, each in arguments.get("headers", {}).items()}
        return ask(fakestore, None, method, "photos", object_key, **arguments)

    beginning, wrong = fakestore.snapshot(), []
    for key, (operator, value, matching, other) in KEYS.items():
        fakestore.restore(beginning)
        name = key + "color" if key.endswith("/") else key
        deny_if(fakestore, operator, name, fill(value))
        if send_one(*matching) != DENIED or f"{name} " not in explanation(fakestore):
            wrong.append(f"{key}: {matching} was not denied because of {name}")
        if other is not None and send_one(*other) == DENIED:
            wrong.append(f"{key}: {other} was denied")
    assert not wrong, "\n".join(wrong)


# When a key is read


@pytest.mark.decision("policy-conditions-on-a-document")
def test_tags_of_a_document_are_read_before_the_policy_decides(fakestore, photos, bob):
    arguments = {"body": TAGGING, "tagging": None}
    allow = statement("Allow", bob, "s3:PutObjectTagging", "photos/*")
    condition = {"ForAllValues:StringEquals": {"s3:RequestObjectTagKeys": ["color"]}}
    for value, answer in [("red", DENIED), ("blue", DONE)]:
        equal = {"StringEquals": {"s3:RequestObjectTag/color": value}}
        put_policy(fakestore, "photos", allow | {"Condition": condition | equal})
        assert ask(fakestore, bob, "PUT", "photos", "cat.jpg", **arguments) == answer
    assert photos["cat.jpg"].tags == {"color": "blue"}
    assert ask(fakestore, bob, "PUT", "photos", "cat.jpg", body=b"<Tagging>", tagging=None)[1] == "MalformedXML"


@pytest.mark.decision("policy-conditions-on-a-document")
def test_a_lock_of_a_document_is_read_before_the_policy_decides(fakestore, bob):
    bucket = fakestore.create_bucket("photos", object_lock=True)
    bucket.put("cat.jpg", b"meow")
    until = "<RetainUntilDate>2030-01-01T00:00:00Z</RetainUntilDate>"
    retention = {"body": f"<Retention><Mode>COMPLIANCE</Mode>{until}</Retention>".encode(), "retention": None}
    hold = {"body": b"<LegalHold><Status>ON</Status></LegalHold>", "legal_hold": None}
    for case in each(
        *product(
            [
                (retention, "s3:PutObjectRetention", "s3:object-lock-mode", "COMPLIANCE"),
                (retention, "s3:PutObjectRetention", "s3:object-lock-retain-until-date", "2030-01-01T00:00:00.000Z"),
                (hold, "s3:PutObjectLegalHold", "s3:object-lock-legal-hold", "ON"),
            ],
            [("StringNotEquals", DENIED), ("StringEquals", DONE)],
        )
    ):
        with case as ((arguments, action, key, value), (operator, answer)):
            allow = statement("Allow", bob, action, "photos/*", Condition={operator: {key: value}})
            put_policy(fakestore, "photos", allow)
            assert ask(fakestore, bob, "PUT", "photos", "cat.jpg", **arguments) == answer


def test_a_copy_has_only_the_tags_that_replace_those_of_its_source(fakestore, photos):
    deny_if(fakestore, "StringEquals", "s3:RequestObjectTag/color", "blue")
    tagging = {**COPY, "x-svc-tagging": "color=blue"}
    assert ask(fakestore, None, "PUT", "photos", "copy.jpg", headers=tagging) == DONE
    tagging["x-svc-tagging-directive"] = "REPLACE"
    assert ask(fakestore, None, "PUT", "photos", "copy.jpg", headers=tagging) == DENIED


@pytest.mark.decision("policy-conditions-of-uploads")
def test_parts_have_the_headers_that_their_upload_was_begun_with(fakestore, photos):
    deny_if(fakestore, "StringNotEquals", "s3:x-svc-server-side-encryption", "AES256", "s3:PutObject")
    assert ask(fakestore, None, "POST", "photos", "film", uploads=None) == DENIED
    encrypted = {"x-svc-server-side-encryption": "AES256", "x-svc-tagging": "color=red"}
    reply = request(fakestore, "POST", "photos", "film", headers=encrypted, uploads=None)
    upload = {"uploadId": document(reply).findtext("UploadId")}
    part = request(fakestore, "PUT", "photos", "film", body=b"frames", partNumber=1, **upload)
    body = complete_document([(1, part.headers["etag"])])
    deny_if(fakestore, "StringEquals", "s3:RequestObjectTag/color", "red")
    assert ask(fakestore, None, "POST", "photos", "film", body=body, **upload) == DENIED
    deny_if(fakestore, "Null", "s3:x-svc-server-side-encryption", "true", "s3:PutObject")
    assert ask(fakestore, None, "POST", "photos", "film", body=body, **upload) == DONE


def test_source_of_a_copy_is_judged_by_the_policy_of_its_bucket(fakestore, photos):
    fakestore.create_bucket("copies")
    deny_if(fakestore, "StringEquals", "s3:ExistingObjectTag/color", "red", "s3:GetObject*")
    photos.put("dog.jpg", b"woof")
    answers = [
        ask(fakestore, None, "PUT", "copies", "a.jpg", headers={"x-svc-copy-source": f"/photos/{key}"})
        for key in ("cat.jpg", "dog.jpg")
    ]
    assert answers == [DENIED, DONE]


def test_each_version_is_judged_by_its_own_id_and_tags(fakestore, photos):
    old = photos["cat.jpg"].version_id
    new = photos.put("cat.jpg", b"purr").version_id
    deny_if(fakestore, "StringEquals", "s3:ExistingObjectTag/color", "red")
    assert [ask(fakestore, None, "GET", "photos", "cat.jpg", versionId=each) for each in (old, new)] == [DENIED, DONE]
    deny_if(fakestore, "StringEquals", "s3:VersionId", old)
    identifiers = delete_document(("cat.jpg", old), ("cat.jpg", new))
    reply = document(request(fakestore, "POST", "photos", body=identifiers, delete=None))
    assert (reply.findtext("Error/VersionId"), reply.findtext("Deleted/VersionId")) == (old, new)


@pytest.mark.decision("missing-keys")
def test_a_missing_object_is_revealed_to_who_may_list_with_its_key_as_prefix(fakestore, photos, bob):
    for case in each(
        ({"StringEquals": {"s3:prefix": "dog.jpg"}}, (404, "NoSuchKey")),
        ({"StringLike": {"s3:prefix": "dog*"}, "Null": {"s3:delimiter": "true"}}, (404, "NoSuchKey")),
        ({"StringLike": {"s3:prefix": "cat*"}}, DENIED),
        ({"Null": {"s3:prefix": "true"}}, DENIED),
    ):
        with case as (condition, answer):
            listing = statement("Allow", bob, "s3:ListBucket", "photos", Condition=condition)
            put_policy(fakestore, "photos", listing)
            assert ask(fakestore, bob, "GET", "photos", "dog.jpg") == answer
    assert "statement 1" in explanation(fakestore)
    assert "s3:prefix is 'dog.jpg'" in explanation(fakestore)


# Policy variables


@pytest.mark.decision("policy-variables")
def test_a_variable_stands_for_what_the_request_says(fakestore, photos, bob):
    listing = statement("Allow", bob, "s3:ListBucket", "photos")
    listing["Condition"] = {"StringLike": {"s3:prefix": ["home/${aws:userid}/*", "team/${aws:PrincipalTag/t, 'x*'}/*"]}}
    reading = statement("Allow", bob, "s3:GetObject", ["photos/home/${aws:userid}/*", "photos/${s3:VersionId}"])
    put_policy(fakestore, "photos", listing, reading)
    for key in ("ada/a", f"{bob.number}/a"):
        photos.put(f"home/{key}")
    for case in each(
        (f"home/{bob.number}/", DONE),
        ("home/ada/", DENIED),
        ("home/${aws:userid}/", DENIED),
        ("team/x*/", DONE),
        ("team/xy/", DENIED),
    ):
        with case as (prefix, answer):
            assert ask(fakestore, bob, "GET", "photos", prefix=prefix) == answer
    assert f"aws:userid is '{bob.number}'" in explanation(fakestore)
    assert ask(fakestore, bob, "GET", "photos", f"home/{bob.number}/a") == DONE
    assert ask(fakestore, bob, "GET", "photos", "home/ada/a") == DENIED
    assert f"aws:userid is '{bob.number}' and s3:VersionId has no value" in explanation(fakestore)


@pytest.mark.decision("policy-variables")
def test_a_variable_without_a_value_matches_nothing(fakestore, photos):
    photos.put("x")
    text = "photos/${aws:username}"
    for fields, answer in [
        ({"Resource": f"arn:aws:s3:::{text}*"}, DONE),
        ({"Condition": {"StringEquals": {"aws:userid": "${aws:username}"}}}, DONE),
        ({"Condition": {"StringLike": {"aws:userid": ["${aws:username}", "*"]}}}, DENIED),
        ({"Condition": {"StringNotEquals": {"aws:userid": "${aws:username}"}}}, DENIED),
        ({"NotResource": f"arn:aws:s3:::{text}*"}, DENIED),
    ]:
        deny = statement("Deny", "*", "s3:GetObject", "photos/*")
        if "NotResource" in fields:
            del deny["Resource"]
        put_policy(fakestore, "photos", deny | fields)
        assert ask(fakestore, None, "GET", "photos", "x") == answer, fields


@pytest.mark.decision("policy-variables")
def test_wildcards_of_values_and_escaped_ones_are_plain_characters(fakestore, photos):
    for key in ("a*b", "axb", "a?b", "a${b", "a[b"):
        photos.put(key)
    agent = {"headers": {"User-Agent": "a*b"}}
    for operator, value, arguments in [
        ("StringLike", "${aws:UserAgent}", {"axb": DONE, "a*b": DENIED}),
        ("StringEquals", "${aws:UserAgent}", {"axb": DONE, "a*b": DENIED}),
        ("StringLike", "a${?}b", {"axb": DONE, "a?b": DENIED}),
        ("StringEquals", "a${*}b", {"axb": DONE, "a*b": DENIED}),
        ("StringLike", "a${$}{b", {"axb": DONE, "a${b": DENIED}),
        ("StringEqualsIgnoreCase", "A[b", {"axb": DONE, "a[b": DENIED}),
    ]:
        deny = statement("Deny", "*", "s3:ListBucket", "photos", Condition={operator: {"s3:prefix": value}})
        put_policy(fakestore, "photos", deny)
        for case in each(*arguments.items()):
            with case as (prefix, answer):
                assert ask(fakestore, None, "GET", "photos", prefix=prefix, **agent) == answer, (
                    operator,
                    value,
                    prefix,
                )
    put_policy(fakestore, "photos", statement("Deny", "*", "s3:GetObject", "photos/${aws:UserAgent}"))
    answers = [ask(fakestore, None, "GET", "photos", key, **agent) for key in ("a*b", "axb")]
    assert answers == [DENIED, DONE]


# Explanations


def test_refusal_names_the_condition_that_kept_an_allow_from_applying(fakestore, photos, bob):
    condition = {"StringLike": {"s3:prefix": ["home/bob/*"]}}
    allow = statement("Allow", bob, "s3:ListBucket", "photos", Sid="home", Condition=condition)
    put_policy(fakestore, "photos", allow)
    assert ask(fakestore, bob, "GET", "photos", prefix="home/bob/") == DONE
    for query, value in [({"prefix": "home/ada/"}, "is 'home/ada/'"), ({}, "has no value")]:
        assert ask(fakestore, bob, "GET", "photos", **query) == DENIED
        reason = f"StringLike s3:prefix 'home/bob/*' does not hold, because s3:prefix {value}"
        names = ("not allowed by statement 1", "Sid 'home'", reason)
        assert [name for name in names if name not in explanation(fakestore)] == []


# Requesters, transport and addresses


def test_negated_principal_covers_everybody_else(fakestore, photos, bob, ann):
    for account in (bob, ann):
        photos.allow(account, "s3:GetObject")
    deny = statement("Deny", "*", "s3:GetObject", "photos/*")
    del deny["Principal"]
    allow = statement("Allow", "*", "s3:GetObject", "photos/*")
    put_policy(fakestore, "photos", allow, deny | {"NotPrincipal": {"AWS": [bob.id, fakestore.default_account.number]}})
    answers = [ask(fakestore, account, "GET", "photos", "cat.jpg") for account in (bob, ann, None)]
    assert answers == [DONE, DENIED, DONE]


def test_plain_http_can_be_denied(fakestore, photos):
    deny_if(fakestore, "Bool", "aws:SecureTransport", "false")
    statuses = [send(fakestore, "GET", "photos", "/cat.jpg", scheme=scheme).status for scheme in ("http", "https")]
    assert statuses == [403, 200]


def test_source_address_is_that_of_the_request_or_of_the_option():
    for case in each(
        ("127.0.0.1", "203.0.113.9", 403),
        (None, "203.0.113.9", 200),
        (None, "127.0.0.1", 403),
        ("2001:db8::1", "127.0.0.1", 200),
    ):
        with case as (option, of_request, status):
            store = FakeStore(buckets=["photos"], source_ip=option)
            deny_if(store, "NotIpAddress", "aws:SourceIp", ["203.0.113.0/24", "2001:db8::/32"])
            signed = {"Date": formatdate(usegmt=True), "Authorization": f"SVC {store.default_account.access_key_id}:s"}
            sent = replace(Request.to_url("GET", store.url("photos"), signed), source_ip=of_request)
            assert store.handle(sent).status == status
    with pytest.raises(ValueError, match="source_ip 'office'"):
        FakeStore(source_ip="office")


# The status of a policy


@pytest.mark.decision("policy-status")
def test_policy_status_says_whether_the_policy_is_public(fakestore, photos, bob):
    assert outcome(request(fakestore, "GET", "photos", policyStatus=None)) == (404, "NoSuchBucketPolicy")
    for principal, status in [(bob, "false"), ("*", "true")]:
        put_policy(fakestore, "photos", statement("Allow", principal, "s3:GetObject", "photos/*"))
        reply = request(fakestore, "GET", "photos", policyStatus=None)
        assert document(reply).findtext("IsPublic") == status


@pytest.mark.decision("policy-and-acl")
def test_owner_needs_no_confirmation_of_a_policy_that_denies_everything(fakestore, photos):
    deny = statement("Deny", "*", "s3:*", ["photos", "photos/*"])
    for case in each("true", "false", None):
        with case as value:
            header = {"x-svc-confirm-remove-self-bucket-access": value}
            assert request(fakestore, "PUT", "photos", headers=header, body=policy(deny), policy=None).status == 204
            assert ask(fakestore, None, "GET", "photos") == DENIED
    with pytest.raises(UnsupportedRequest, match="expected true or false"):
        request(fakestore, "PUT", "photos", headers={"x-svc-confirm-remove-self-bucket-access": "yes"}, policy=None)
    fakestore.unhandled_requests.clear()


def test_upload_does_not_remember_the_key_of_the_client(fakestore, photos):
    arguments = {"headers": CUSTOMER_HEADERS | {"x-svc-storage-class": "STANDARD"}, "uploads": None}
    assert ask(fakestore, None, "POST", "photos", "film", **arguments) == DONE
    (upload,) = photos.uploads
    assert upload.headers == {"storage-class": "STANDARD", "server-side-encryption-customer-algorithm": "AES256"}
