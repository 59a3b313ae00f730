"""Who asks: the Date and Authorization headers, and what is answered where they are not as they should be."""

from __future__ import annotations

from datetime import timedelta
from xml.etree import ElementTree

import pytest
import requests
from freezegun import freeze_time

from fakestore import FakeStore, fake_store

NOW = "2026-11-21 12:00:00"
DATE = "Sat, 21 Nov 2026 12:00:00 GMT"


@pytest.fixture
def fakestore_options():
    return {"access_key_id": "AKDEFAULT"}


@pytest.fixture
def noon():
    with freeze_time(NOW) as clock:
        yield clock


def ask(store: FakeStore, **headers: str | None) -> requests.Response:
    """A request with a good Date and Authorization, but for the headers given; ``None`` leaves one out."""
    good = {"Date": DATE, "Authorization": "SVC AKDEFAULT:signature"}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return requests.get(store.base_url, headers={**good, **named})


def refusal(store: FakeStore, response: requests.Response) -> tuple[int, str, str, str | None]:
    """Status, code and message as they were sent, and the explanation."""
    error = ElementTree.fromstring(response.content)
    return (
        response.status_code,
        error.findtext("Code") or "",
        error.findtext("Message") or "",
        store.exchanges[-1].explanation,
    )


@pytest.mark.usefixtures("noon")
def test_a_request_with_date_and_authorization_is_from_the_account_of_the_key(fakestore):
    assert ask(fakestore).status_code == 200
    assert fakestore.exchanges[-1].account == fakestore.default_account


@pytest.mark.usefixtures("noon")
def test_a_signature_is_not_read_unless_it_is_to_be_verified(fakestore):
    assert ask(fakestore, Authorization="SVC AKDEFAULT:any+thing/at:all=").status_code == 200


# Authorization


@pytest.mark.usefixtures("noon")
def test_a_request_without_authorization_is_refused(fakestore):
    assert refusal(fakestore, ask(fakestore, Authorization=None)) == (
        403,
        "AccessDenied",
        "Access Denied",
        "the request has no Authorization header; anonymous requests are always refused."
        " Sign it with auth=store.auth(), or send it through store.session()",
    )


@pytest.mark.usefixtures("noon")
def test_what_is_public_is_not_for_the_anonymous(fakestore):
    fakestore.create_bucket("photos", acl="public-read-write").put("cat.jpg", b"meow", acl="public-read-write")
    response = requests.get(fakestore.url("photos", "cat.jpg"), headers={"Date": DATE})
    assert (response.status_code, fakestore.exchanges[-1].error_code) == (403, "AccessDenied")


@pytest.mark.usefixtures("noon")
def test_the_anonymous_are_not_told_which_buckets_there_are(fakestore):
    response = requests.get(fakestore.url("nowhere"), headers={"Date": DATE})
    assert response.status_code == 403


@pytest.mark.usefixtures("noon")
@pytest.mark.parametrize("scheme", ["AWS", "Bearer", "svc", "SVC:"])
def test_another_scheme_is_refused_and_told_which_option_expects_it(fakestore, scheme):
    assert refusal(fakestore, ask(fakestore, Authorization=f"{scheme} AKDEFAULT:signature")) == (
        403,
        "AccessDenied",
        "Access Denied",
        f"the Authorization scheme is {scheme!r}, where this store expects 'SVC';"
        f" fake_store(auth_scheme={scheme!r}) makes it expect yours",
    )


@pytest.mark.usefixtures("noon")
@pytest.mark.fakestore(auth_scheme="AWS")
def test_the_option_auth_scheme_makes_the_store_expect_another(fakestore):
    assert ask(fakestore, Authorization="AWS AKDEFAULT:signature").status_code == 200
    assert ask(fakestore, Authorization="SVC AKDEFAULT:signature").status_code == 403


@pytest.mark.fakestore(auth_scheme="AWS")
def test_the_store_signs_with_the_scheme_that_it_expects(fakestore):
    signed = requests.Request("GET", fakestore.base_url, auth=fakestore.auth()).prepare()
    assert signed.headers["Authorization"].startswith("AWS AKDEFAULT:")


@pytest.mark.usefixtures("noon")
@pytest.mark.parametrize(
    "authorization",
    [
        "SVC",
        "SVC AKDEFAULT",
        "SVC AKDEFAULT:",
        "SVC :signature",
        "SVC :",
        "SVC  AKDEFAULT:signature",
        "SVC AKDEFAULT: signature",
        "SVC AKDEFAULT :signature",
        "SVC AKDEFAULT:sig nature",
        "SVC AKDEFAULT:sig\tnature",
        "SVC Credential=AKDEFAULT",
    ],
)
def test_our_scheme_without_a_key_a_colon_and_a_signature_is_malformed(fakestore, authorization):
    assert refusal(fakestore, ask(fakestore, Authorization=authorization)) == (
        400,
        "InvalidArgument",
        "Authorization header is invalid",
        f"Authorization is {authorization!r}, not 'SVC <access key>:<signature>'",
    )


@pytest.mark.usefixtures("noon")
def test_a_key_that_nobody_has_is_refused_and_told_which_there_are(fakestore):
    fakestore.create_account("bob", access_key_id="AKBOB")
    assert refusal(fakestore, ask(fakestore, Authorization="SVC akdefault:signature")) == (
        403,
        "InvalidAccessKeyId",
        "The access key id you provided does not exist in our records.",
        "no account has the access key 'akdefault'; access keys: AKDEFAULT (default), AKBOB (bob)."
        " The default account's is set with fake_store(access_key_id=..., secret_key=...)",
    )


@pytest.mark.usefixtures("noon")
@pytest.mark.parametrize("authorization", [None, "AWS AKDEFAULT:signature", "SVC AKDEFAULT", "SVC AKBOB:signature"])
def test_nobody_is_the_account_of_a_request_that_was_not_authenticated(fakestore, authorization):
    ask(fakestore, Authorization=authorization)
    assert fakestore.exchanges[-1].account is None


# Date


@pytest.mark.usefixtures("noon")
def test_a_request_without_date_is_refused(fakestore):
    assert refusal(fakestore, ask(fakestore, Date=None)) == (
        403,
        "AccessDenied",
        "A valid Date or x-svc-date header is required",
        "neither Date nor x-svc-date was sent; auth=store.auth() dates a request and signs it",
    )


@pytest.mark.usefixtures("noon")
@pytest.mark.parametrize("date", ["yesterday", "2026-11-21T12:00:00Z", "1795262400", "Sat, 31 Feb 2026 12:00:00 GMT"])
def test_a_date_that_is_no_http_date_is_refused(fakestore, date):
    assert refusal(fakestore, ask(fakestore, Date=date)) == (
        403,
        "AccessDenied",
        "A valid Date or x-svc-date header is required",
        f"Date is {date!r}, which is no HTTP date; auth=store.auth() dates a request and signs it",
    )


@pytest.mark.usefixtures("noon")
@pytest.mark.parametrize(
    "date",
    [DATE, "Sat, 21 Nov 2026 12:00:00 +0000", "Saturday, 21-Nov-26 12:00:00 GMT", "Sat Nov 21 12:00:00 2026"],
)
def test_every_form_of_an_http_date_is_read(fakestore, date):
    assert ask(fakestore, Date=date).status_code == 200


@pytest.mark.usefixtures("noon")
@pytest.mark.parametrize("date", [None, "Fri, 20 Nov 2026 12:00:00 GMT", "yesterday"])
def test_the_date_header_of_the_dialect_stands_in_for_date(fakestore, date):
    assert ask(fakestore, Date=date, x_svc_date=DATE).status_code == 200


@pytest.mark.usefixtures("noon")
@pytest.mark.parametrize("date", ["", "Fri, 20 Nov 2026 12:00:00 GMT"])
def test_a_good_date_does_not_help_where_that_of_the_dialect_is_bad(fakestore, date):
    assert ask(fakestore, x_svc_date=date).status_code == 403


@pytest.mark.parametrize("direction", [-1, 1])
def test_fifteen_minutes_are_near_enough(fakestore, noon, direction):
    noon.tick(direction * timedelta(minutes=15))
    assert ask(fakestore).status_code == 200


@pytest.mark.parametrize(
    ("direction", "there"), [(-1, "Sat, 21 Nov 2026 11:44:59 GMT"), (1, "Sat, 21 Nov 2026 12:15:01 GMT")]
)
def test_a_second_more_is_too_far_from_the_clock(fakestore, noon, direction, there):
    noon.tick(direction * timedelta(minutes=15, seconds=1))
    assert refusal(fakestore, ask(fakestore)) == (
        403,
        "RequestTimeTooSkewed",
        "The difference between the request time and the server's time is too large.",
        f"the request is dated {DATE} and the store's clock says {there}; more than 0:15:00 apart."
        " fake_store(max_clock_skew=None) does not mind",
    )


@pytest.mark.fakestore(max_clock_skew=None)
def test_without_a_limit_any_date_will_do(fakestore, noon):
    noon.tick(timedelta(days=4000))
    assert ask(fakestore).status_code == 200


@pytest.mark.fakestore(max_clock_skew=None)
def test_without_a_limit_there_must_still_be_a_date(fakestore):
    assert [ask(fakestore, Date=date).status_code for date in (None, "yesterday")] == [403, 403]


@pytest.mark.parametrize("limit", [90, 90.0, timedelta(seconds=90)])
@pytest.mark.usefixtures("noon")
def test_the_limit_is_a_timedelta_or_seconds(limit):
    with fake_store(access_key_id="AKDEFAULT", max_clock_skew=limit) as store:
        answers = [ask(store, Date=f"Sat, 21 Nov 2026 12:01:{second} GMT").status_code for second in (30, 31)]
    assert answers == [200, 403]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"max_clock_skew": -1}, ValueError, "max_clock_skew is -1; it cannot be negative"),
        ({"max_clock_skew": timedelta(-1)}, ValueError, "cannot be negative"),
        (
            {"max_clock_skew": "15"},
            TypeError,
            "max_clock_skew is a timedelta, seconds, or None for unchecked, not '15'",
        ),
        ({"signatures": "check"}, ValueError, "signatures is 'accept', 'verify' or a Verifier, not 'check'"),
        ({"signatures": None}, TypeError, r"a Verifier is an object with a method signature\(\), which None is not"),
        ({"auth_scheme": "two words"}, ValueError, "auth_scheme is one word"),
        ({"auth_scheme": ""}, ValueError, "auth_scheme is one word"),
        ({"access_key_id": "with:colon"}, ValueError, "an access key must be printable ASCII"),
    ],
)
def test_an_option_that_cannot_be_is_refused_at_once(options, error, message):
    with pytest.raises(error, match=message):
        FakeStore(**options)


# Signing for the test


def test_the_stores_auth_keeps_a_date_that_is_there(fakestore):
    signed = requests.Request("GET", fakestore.base_url, headers={"Date": DATE}, auth=fakestore.auth()).prepare()
    assert signed.headers["Date"] == DATE


def test_the_stores_auth_adds_no_date_beside_that_of_the_dialect(fakestore):
    headers = {"x-svc-date": DATE}
    signed = requests.Request("GET", fakestore.base_url, headers=headers, auth=fakestore.auth()).prepare()
    assert "Date" not in signed.headers


@pytest.mark.parametrize("url", ["http://elsewhere.test/", "http://objects.test.elsewhere/", "http://objects.test:81/"])
def test_a_request_to_another_host_is_not_signed(fakestore, url):
    signed = requests.Request("GET", url, auth=fakestore.auth()).prepare()
    assert [name for name in ("Date", "Authorization") if name in signed.headers] == []


def test_a_session_signs_as_its_account(fakestore):
    bob = fakestore.create_account("bob")
    fakestore.session(bob).get(fakestore.base_url)
    fakestore.session().get(fakestore.base_url)
    assert [exchange.account for exchange in fakestore.exchanges] == [bob, fakestore.default_account]


def test_an_account_is_gone_after_a_reset(fakestore):
    bob = fakestore.create_account("bob")
    fakestore.reset()
    assert fakestore.session(bob).get(fakestore.base_url).status_code == 403
