"""Expect: 100-continue (specification, section 4.1): the body is not touched before the headers are accepted."""

from __future__ import annotations

import io

import pytest

from tests.spec.arrange import holdings, put_fields, refusal, stack, wire

statement = pytest.mark.statement

EXPECT = {"Expect": "100-continue"}

REFUSED_BY_HEADERS = {
    "unknown acl": ({"x-svc-acl": "nobody"}, (400, "InvalidArgument")),
    "unknown storage class": ({"x-svc-storage-class": "GLACIER"}, (400, "InvalidStorageClass")),
    "unknown algorithm": ({"x-svc-server-side-encryption": "rot13"}, (400, "InvalidArgument")),
    "malformed digest": ({"Content-MD5": "meow"}, (400, "InvalidDigest")),
    "date in Expires": ({"Expires": "soon"}, (400, "InvalidArgument")),
    "metadata over 2 KB": ({"x-svc-meta-a": "a" * 2048}, (400, "MetadataTooLarge")),
    "headers over 8 KB": ({"X-Any": "a" * 8192}, (400, "RequestHeaderSectionTooLarge")),
    "unresolvable grant": (
        {"x-svc-grant-read": 'emailAddress="nobody@example.test"'},
        (400, "UnresolvableGrantByEmailAddress"),
    ),
    "if-none-match": ({"If-None-Match": "*"}, (412, "PreconditionFailed")),
}


@statement("4.1-16", "4.1-37")
@pytest.mark.parametrize(
    "body", [b"meow", io.BytesIO(b"meow"), iter([b"me", b"ow"])], ids=["bytes", "file", "iterator"]
)
def test_accepted_headers_are_acknowledged_before_the_final_answer(store, session, body):
    answer = session.put(store.url("photos", "cat.jpg"), data=body, headers={**EXPECT, "Content-Length": "4"})
    (exchange,) = store.exchanges
    assert (exchange.interim, answer.status_code, stack(store, "photos", "cat.jpg")) == ((100,), 200, [b"meow"])


@statement("4.1-16")
def test_the_headers_were_acknowledged_also_where_the_body_then_ends_early(store, session):
    headers = {**EXPECT, "Content-Length": "4"}
    answer = session.put(store.url("photos", "cat.jpg"), data=iter([b"me"]), headers=headers)
    assert (refusal(answer), store.exchanges[0].interim) == ((400, "IncompleteBody"), (100,))


@statement("4.1-16")
def test_the_headers_were_acknowledged_also_where_the_body_is_another_than_announced(store, session):
    headers = {**EXPECT, "Content-MD5": "AAAAAAAAAAAAAAAAAAAAAA=="}
    answer = session.put(store.url("photos", "cat.jpg"), data=b"meow", headers=headers)
    assert (refusal(answer), store.exchanges[0].interim) == ((400, "BadDigest"), (100,))


@statement("4.1-16")
def test_nothing_is_stored_when_the_body_is_first_asked_for(store, session):
    store["photos"].put("cat.jpg", b"older")
    before = holdings(store)
    unchanged = []

    def body():
        unchanged.append(holdings(store) == before)
        yield b"meow"

    session.put(store.url("photos", "cat.jpg"), data=body(), headers={**EXPECT, "Content-Length": "4"})
    assert (unchanged, stack(store, "photos", "cat.jpg")) == ([True], [b"meow"])


@statement("4.1-16")
def test_without_expect_there_is_no_interim_answer(store, session):
    session.put(store.url("photos", "cat.jpg"), data=b"meow")
    assert store.exchanges[0].interim == ()


@statement("4.1-17")
@pytest.mark.parametrize("why", REFUSED_BY_HEADERS)
def test_a_file_stays_unread_where_the_headers_are_refused(store, session, why):
    headers, expected = REFUSED_BY_HEADERS[why]
    store["photos"].put("cat.jpg", b"older")
    before = holdings(store)
    body = io.BytesIO(b"meow")
    answer = session.put(store.url("photos", "cat.jpg"), data=body, headers={**EXPECT, **headers})
    assert (refusal(answer), body.tell(), store.exchanges[0].interim) == (expected, 0, ())
    assert holdings(store) == before


@statement("4.1-17")
@pytest.mark.parametrize("why", REFUSED_BY_HEADERS)
def test_an_iterator_stays_unstarted_where_the_headers_are_refused(store, session, why):
    headers, expected = REFUSED_BY_HEADERS[why]
    store["photos"].put("cat.jpg", b"older")
    started = []

    def body():
        started.append(True)
        yield b"meow"

    answer = session.put(
        store.url("photos", "cat.jpg"), data=body(), headers={**EXPECT, "Content-Length": "4", **headers}
    )
    assert (refusal(answer), started) == (expected, [])


@statement("4.1-17")
@pytest.mark.parametrize("length", ["5497558138881", "four"])
def test_a_body_stays_unread_where_its_announced_length_is_refused(store, session, length):
    started = []

    def body():
        started.append(True)
        yield b"meow"

    answer = session.put(store.url("photos", "cat.jpg"), data=body(), headers={**EXPECT, "Content-Length": length})
    assert (answer.status_code, started) == (400, [])


@statement("4.1-17")
@pytest.mark.parametrize("who", ["nobody", "a stranger"])
def test_a_file_stays_unread_where_the_requester_is_refused(store, alice, who):
    body = io.BytesIO(b"meow")
    session = store.session(alice)
    if who == "nobody":
        session.auth = None
    answer = session.put(store.url("photos", "cat.jpg"), data=body, headers=EXPECT)
    assert (refusal(answer), body.tell()) == ((403, "AccessDenied"), 0)


@statement("4.1-17")
def test_a_file_stays_unread_where_there_is_no_such_bucket(store, session):
    body = io.BytesIO(b"meow")
    answer = session.put(store.url("nosuch", "cat.jpg"), data=body, headers=EXPECT)
    assert (refusal(answer), body.tell()) == ((404, "NoSuchBucket"), 0)


@pytest.mark.parametrize("value", ["", "200-ok", "100-continue,100-continue", "100-continue;x=1"])
def test_another_expectation_cannot_be_met(store, value):
    before = holdings(store)
    answer = wire(store, "PUT", "photos", "/cat.jpg", put_fields(b"meow", ("Expect", value)), b"meow")
    assert refusal(answer) == (417, "ExpectationFailed")
    assert holdings(store) == before


def test_the_expectation_is_read_without_regard_to_case(store, session):
    answer = session.put(store.url("photos", "cat.jpg"), data=b"meow", headers={"Expect": "100-Continue"})
    assert (answer.status_code, store.exchanges[0].interim) == (200, (100,))
