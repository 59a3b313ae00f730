"""The Date and Authorization headers, and the answers to a request that lacks a valid one."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
import requests

from fakestore import DOCUMENT, AuthScheme, Claim, FakeStore, fake_store
from tests.support.access import DENIED, DONE, explanation
from tests.support.cases import each
from tests.support.wire import elements, outcome, request

DATE = "Sat, 21 Nov 2026 12:00:00 GMT"
SKEWED = (403, "RequestTimeTooSkewed")


@pytest.fixture
def store(noon):
    return FakeStore(access_key_id="AKDEFAULT")


def outcome_of(store, **headers):
    """Send a request with these headers in place of valid ones, and return the outcome; None omits a header."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return outcome(request(store, "GET", headers={"Date": DATE, **named}))


# Authorization


@pytest.mark.decision("authorization-header")
@pytest.mark.decision("anonymous-requests")
def test_anonymous_request_is_denied_whatever_is_public(store):
    store.create_bucket("photos", acl="public-read-write").put("cat.jpg", b"meow", acl="public-read-write")
    for case in each(("", ""), ("photos", "cat.jpg"), ("nowhere", "")):
        with case as (bucket, key):
            assert outcome(request(store, "GET", bucket, key, headers={"Authorization": None})) == DENIED
            assert store.exchanges[-1].account is None
            assert all(name in explanation(store) for name in ("Authorization", "store.auth()"))


@pytest.mark.decision("authorization-header")
def test_another_scheme_is_denied_with_the_option_that_accepts_it(store):
    for case in each("AWS", "Bearer", "svc", "SVC:"):
        with case as scheme:
            assert outcome_of(store, Authorization=f"{scheme} AKDEFAULT:signature") == DENIED
            assert store.exchanges[-1].account is None
            assert all(name in explanation(store) for name in (repr(scheme), "'SVC'", f"auth_scheme={scheme!r}"))


@pytest.mark.usefixtures("noon")
def test_auth_scheme_option_replaces_the_scheme():
    store = FakeStore(access_key_id="AKDEFAULT", auth_scheme="AWS")
    assert outcome_of(store, Authorization="AWS AKDEFAULT:signature") == DONE
    assert outcome_of(store, Authorization="SVC AKDEFAULT:signature") == DENIED
    assert outcome_of(store, Authorization="aws AKDEFAULT:signature") == DENIED
    signed = requests.Request("GET", store.base_url, auth=store.auth()).prepare()
    assert signed.headers["Authorization"].startswith("AWS AKDEFAULT:")


@pytest.mark.decision("authorization-header")
def test_unknown_access_key_is_refused_with_the_known_ones(store):
    store.create_account("bob", access_key_id="AKBOB")
    assert outcome_of(store, Authorization="SVC akdefault:signature") == (403, "InvalidAccessKeyId")
    assert store.exchanges[-1].account is None
    names = ("'akdefault'", "AKDEFAULT (default)", "AKBOB (bob)", "auth=store.auth()", "access_key_id=")
    assert all(name in explanation(store) for name in names)
    assert "environment" not in explanation(store), "this dialect sets no variable"


@pytest.mark.decision("error-body")
def test_access_key_in_an_error_is_named_after_the_scheme():
    for case in each(({}, "SVC"), ({"auth_scheme": "ACME"}, "ACME"), ({"dialect": "s3"}, "AWS")):
        with case as (options, word):
            store = FakeStore(signatures="verify", max_clock_skew=timedelta.max, **options)
            for key in ("AKNOBODY", store.default_account.access_key_id):
                reply = request(store, "GET", headers={"Date": DATE, "Authorization": f"{word} {key}:signature"})
                named = {name: text for name, text in elements(reply).items() if name.endswith("AccessKeyId")}
                assert named == {f"{word}AccessKeyId": key}


# Date


@pytest.mark.statement("4-01", "5-03")
@pytest.mark.decision("date-header")
def test_request_needs_an_http_date(store):
    invalid = ["", "yesterday", "2026-11-21T12:00:00Z", "1795262400", "Sat, 31 Feb 2026 12:00:00 GMT", "9" * 400]
    for case in each(None, *invalid):
        with case as date:
            assert outcome_of(store, Date=date) == DENIED
            assert all(name in explanation(store) for name in ("Date", date or "x-svc-date", "store.auth()"))


@pytest.mark.decision("date-header")
def test_date_header_of_the_dialect_replaces_date(store):
    yesterday = "Fri, 20 Nov 2026 12:00:00 GMT"
    for case in each(None, yesterday, "nonsense"):
        with case as date:
            assert outcome_of(store, Date=date, x_svc_date=DATE) == DONE
    assert outcome_of(store, x_svc_date="") == DENIED
    assert outcome_of(store, x_svc_date=yesterday) == SKEWED


@pytest.mark.decision("date-header")
@pytest.mark.parametrize("direction", [-1, 1])
def test_date_may_differ_from_the_clock_by_fifteen_minutes(store, noon, direction):
    noon.tick(direction * timedelta(minutes=15))
    assert outcome_of(store) == DONE
    noon.tick(direction * timedelta(seconds=1))
    assert outcome_of(store) == SKEWED
    there = {-1: "Sat, 21 Nov 2026 11:44:59 GMT", 1: "Sat, 21 Nov 2026 12:15:01 GMT"}[direction]
    assert all(name in explanation(store) for name in (DATE, there, "0:15:00", "max_clock_skew=None"))


def test_without_a_maximum_skew_any_valid_date_is_accepted(noon):
    store = FakeStore(max_clock_skew=None)
    noon.tick(timedelta(days=4000))
    assert [outcome_of(store), outcome_of(store, Date=None), outcome_of(store, Date="yesterday")] == [
        DONE,
        DENIED,
        DENIED,
    ]


@pytest.mark.usefixtures("noon")
@pytest.mark.parametrize("limit", [90, 90.0, timedelta(seconds=90)])
def test_maximum_skew_is_a_timedelta_or_seconds(limit):
    store = FakeStore(max_clock_skew=limit)
    assert [outcome_of(store, Date=f"Sat, 21 Nov 2026 12:01:{second} GMT") for second in (30, 31)] == [DONE, SKEWED]


def test_invalid_option_is_refused_by_its_name():
    for case in each(
        ({"max_clock_skew": -1}, ValueError),
        ({"max_clock_skew": timedelta(-1)}, ValueError),
        ({"signatures": "check"}, ValueError),
        ({"signatures": None}, TypeError),
        ({"auth_scheme": "two words"}, ValueError),
        ({"auth_scheme": ""}, ValueError),
        ({"access_key_id": "with:colon"}, ValueError),
    ):
        with case as (options, error):
            (name,) = options
            with pytest.raises(error, match=f"{name}|Verifier|access key"):
                FakeStore(**options)


# Signing for the test


def test_auth_of_the_store_keeps_dates_that_are_set(store):
    headers = requests.Request("GET", store.base_url, headers={"Date": "x"}, auth=store.auth()).prepare().headers
    assert headers["Date"] == "x"
    dialect = {"x-svc-date": DATE}
    assert "Date" not in requests.Request("GET", store.base_url, headers=dialect, auth=store.auth()).prepare().headers


def test_request_to_another_host_is_not_signed(store):
    for case in each("http://elsewhere.test/", "http://objects.test.elsewhere/", "http://objects.test:81/"):
        with case as url:
            assert {"Date", "Authorization"}.isdisjoint(
                requests.Request("GET", url, auth=store.auth()).prepare().headers
            )


def test_session_signs_as_its_account():
    with fake_store() as store:
        bob = store.create_account("bob")
        store.session(bob).get(store.base_url)
        store.session().get(store.base_url)
        assert [exchange.account for exchange in store.exchanges] == [bob, store.default_account]


class UnsignedClaim(Claim):
    def compare(self, account):
        raise AssertionError("the store does not verify signatures")


class TokenInTheQuery(AuthScheme):
    """A scheme that the store only reads: it cannot presign."""

    name = "a token in the query"

    def credential_parameters(self, settings):
        return frozenset({"token"})

    def authorization_word(self, scheme_word):
        return None

    def is_used_by(self, request, address, settings):
        return "token" in address.query

    def read(self, request, address, settings):
        return UnsignedClaim(address.query["token"], "")


def test_own_scheme_in_the_query_needs_no_method_that_presigns():
    dialect = replace(DOCUMENT, auth=(*DOCUMENT.auth, TokenInTheQuery()))
    with fake_store(dialect=dialect, access_key_id="AKDEFAULT", buckets=["photos"]) as store:
        store["photos"].put("cat.jpg", b"meow")
        assert requests.get(store.url("photos", "cat.jpg", token="AKDEFAULT")).content == b"meow"
        with pytest.raises(ValueError, match="has no presigned URLs"):
            store.presign("GET", "photos", "cat.jpg", expires_in=60)
