"""Expect: 100-continue (specification, section 4.1): the body is read only after the headers were accepted."""

from __future__ import annotations

import io
from itertools import product

import pytest

from tests.support.cases import each
from tests.support.state import stack, state_of
from tests.support.wire import UnseekableBody, outcome, send

statement = pytest.mark.statement
decision = pytest.mark.decision

EXPECT = {"Expect": "100-continue"}

REFUSED_BY_HEADERS = {
    "unknown acl": ({"x-svc-acl": "nobody"}, (400, "InvalidArgument")),
    "unknown storage class": ({"x-svc-storage-class": "GLACIER"}, (400, "InvalidStorageClass")),
    "unknown encryption": ({"x-svc-server-side-encryption": "rot13"}, (400, "InvalidArgument")),
    "malformed digest": ({"Content-MD5": "meow"}, (400, "InvalidDigest")),
    "date in Expires": ({"Expires": "soon"}, (400, "InvalidArgument")),
    "metadata over 2 KiB": ({"x-svc-meta-a": "a" * 2048}, (400, "MetadataTooLarge")),
    "headers over 8 KiB": ({"X-Any": "a" * 8192}, (400, "RequestHeaderSectionTooLarge")),
    "unknown grantee": (
        {"x-svc-grant-read": 'emailAddress="nobody@example.test"'},
        (400, "UnresolvableGrantByEmailAddress"),
    ),
    "if-none-match": ({"If-None-Match": "*"}, (412, "PreconditionFailed")),
    "length over the limit": ({"Content-Length": "5497558138881"}, (400, "EntityTooLarge")),
    "length of letters": ({"Content-Length": "four"}, (400, "InvalidArgument")),
}


@statement("4.1-16", "4.1-37")
@decision("expect")
def test_accepted_headers_are_acknowledged_before_the_reply(store, session):
    for case in each(
        *product(
            [lambda: b"meow", lambda: io.BytesIO(b"meow"), lambda: iter([b"me", b"ow"])],
            ["100-continue", "100-Continue", "100-continue, 100-continue", ",100-continue, "],
        )
    ):
        with case as (body, value):
            headers = {"Expect": value, "Content-Length": "4"}
            answer = session.put(store.url("photos", "cat.jpg"), data=body(), headers=headers)
            assert (store.exchanges[-1].interim, answer.status_code) == ((100,), 200)
            assert stack(store, "photos", "cat.jpg") == [b"meow"]


@statement("4.1-16")
def test_headers_are_acknowledged_even_if_the_body_is_refused(store):
    send(store, "PUT", "photos", "/cat.jpg", {**EXPECT, "Content-Length": "4"}, UnseekableBody(b"me"))
    send(store, "PUT", "photos", "/cat.jpg", {**EXPECT, "Content-MD5": "AAAAAAAAAAAAAAAAAAAAAA=="}, b"meow")
    assert [(call.error_code, call.interim) for call in store.exchanges] == [
        ("IncompleteBody", (100,)),
        ("BadDigest", (100,)),
    ]


@statement("4.1-16")
@decision("expect")
def test_interim_reply_is_sent_only_to_a_client_that_waits_with_a_body(store):
    for case in each(({}, b"meow", "1.1"), (EXPECT, b"", "1.1"), (EXPECT, b"meow", "1.0")):
        with case as (headers, body, http_version):
            send(store, "PUT", "photos", "/cat.jpg", headers, body, http_version=http_version)
            assert (store.exchanges[-1].status, store.exchanges[-1].interim) == (200, ())


@statement("4.1-17")
def test_body_is_not_read_if_the_headers_are_refused(store):
    store["photos"].put("cat.jpg", b"older")
    before = state_of(store)
    for case in each(*REFUSED_BY_HEADERS.values()):
        with case as (headers, expected):
            body = UnseekableBody(b"meow")
            answer = send(store, "PUT", "photos", "/cat.jpg", {"Content-Length": "4", **EXPECT, **headers}, body)
            assert (outcome(answer), body.was_read, store.exchanges[-1].interim) == (expected, False, ())
    assert state_of(store) == before


@statement("4.1-17")
@decision("order-of-checks")
def test_body_is_not_read_if_requester_or_bucket_are_refused(store, session, alice):
    anonymous = store.session()
    anonymous.auth = None
    for case in each(
        (anonymous, "photos", (403, "AccessDenied")),
        (store.session(alice), "photos", (403, "AccessDenied")),
        (session, "nosuch", (404, "NoSuchBucket")),
    ):
        with case as (requester, bucket, expected):
            body = io.BytesIO(b"meow")
            answer = requester.put(store.url(bucket, "cat.jpg"), data=body, headers=EXPECT)
            assert (outcome(answer), body.tell()) == (expected, 0)


@decision("expect")
def test_another_expectation_is_refused(store):
    for value in ["200-ok", "100-continue, 200-ok", "100-continue;x=1"]:
        assert outcome(send(store, "PUT", "photos", "/k", {"Expect": value}, b"meow")) == (417, "ExpectationFailed")
        assert list(store["photos"]) == []


@decision("expect")
def test_an_empty_expect_header_expects_nothing(store):
    answer = send(store, "PUT", "photos", "/k", {"Expect": " , "}, b"meow")
    assert (answer.status, store.exchanges[-1].interim) == (200, ())
