"""Explanations and reports reveal no secret and contain no control characters."""

from __future__ import annotations

import base64
import hashlib
import hmac
from email.utils import formatdate

import pytest

from fakestore import UnsupportedRequest
from fakestore.http import Request
from tests.corrections.arrange import ask

TOKEN = "eyJhbGciOiJIUzI1NiJ9.c2VjcmV0.c2lnbmF0dXJl"
ESCAPE = "\x1b[2J"


class PlainVerifier:
    """A signature algorithm of the user's own."""

    def signature(self, request, address, secret_key):
        return hashlib.sha256(f"{request.method} {address.key} {secret_key}".encode()).hexdigest()


@pytest.fixture
def fakestore_options():
    return {"buckets": ["photos"]}


def printed(store) -> str:
    """Everything about exchanges that a report or a failed assertion prints."""
    exchanges = store.exchanges
    return "\n".join([repr(exchanges), *map(str, exchanges), *(each.explanation or "" for each in exchanges)])


@pytest.mark.decision("secrets-are-not-printed")
@pytest.mark.parametrize(
    "authorization",
    [f"Bearer {TOKEN}", TOKEN, f"SVC {TOKEN}", f"SVC key: {TOKEN}", f"Basic {TOKEN}", f"Other a:{TOKEN}"],
)
def test_the_value_of_authorization_is_not_printed(fakestore, authorization):
    headers = [("Authorization", authorization), ("Date", formatdate(usegmt=True))]
    url = fakestore.url("photos", "cat.jpg")

    assert fakestore.handle(Request.to_url("GET", url, headers)).status in (400, 403)
    assert TOKEN not in printed(fakestore)

    with pytest.raises(UnsupportedRequest) as raised:
        fakestore.handle(Request.to_url("GET", url, [*headers, ("x-amz-acl", "private")]))
    assert TOKEN not in str(raised.value)
    fakestore.unhandled_requests.clear()


def without_right_signature(store, date):
    """Send a PUT with a signature of zeros."""
    headers = [
        ("Content-Type", "image/jpeg"),
        ("Date", date),
        ("x-svc-meta-name", "Felix"),
        ("Authorization", f"SVC {store.default_account.access_key_id}:AAAAAAAAAAAAAAAAAAAAAAAAAAA="),
    ]
    reply = store.handle(Request.to_url("PUT", store.url("photos", "cat.jpg"), headers, b"meow"))
    assert (reply.status, store.exchanges[-1].error_code) == (403, "SignatureDoesNotMatch")
    return reply


@pytest.mark.decision("secrets-are-not-printed")
@pytest.mark.fakestore(signatures="verify", buckets=["photos"])
def test_a_signature_mismatch_shows_the_signed_text_alone(fakestore):
    date = formatdate(usegmt=True)
    signed = f"PUT\n\nimage/jpeg\n{date}\nx-svc-meta-name:Felix\n/photos/cat.jpg"
    key = fakestore.default_account.secret_key.encode()
    expected = base64.b64encode(hmac.new(key, signed.encode(), hashlib.sha1).digest()).decode()

    reply = without_right_signature(fakestore, date)

    assert repr(signed) in fakestore.exchanges[-1].explanation
    assert expected not in printed(fakestore)
    assert expected.encode() not in reply.body


@pytest.mark.decision("secrets-are-not-printed")
@pytest.mark.fakestore(signatures=PlainVerifier(), buckets=["photos"])
def test_the_signature_of_a_users_own_verifier_is_not_printed(fakestore):
    secret = fakestore.default_account.secret_key
    expected = hashlib.sha256(f"PUT cat.jpg {secret}".encode()).hexdigest()

    reply = without_right_signature(fakestore, formatdate(usegmt=True))

    assert expected not in printed(fakestore)
    assert expected.encode() not in reply.body


@pytest.mark.decision("control-characters-are-escaped")
def test_control_characters_of_a_content_type_are_escaped(fakestore):
    headers = [("Content-Type", f"text/{ESCAPE}plain"), ("Content-Length", "4")]
    assert ask(fakestore, "PUT", fakestore.url("photos", "cat.jpg"), headers, b"meow").status == 200

    for text in (fakestore.describe(), repr(fakestore["photos"]["cat.jpg"])):
        assert "\x1b" not in text
        assert r"text/\x1b[2Jplain" in text
    # What is stored and sent is what the client sent.
    assert fakestore["photos"]["cat.jpg"].content_type == f"text/{ESCAPE}plain"


@pytest.mark.decision("control-characters-are-escaped")
def test_control_characters_of_a_method_are_escaped(fakestore):
    method = f"GET\n::error::x{ESCAPE}"
    with pytest.raises(UnsupportedRequest) as raised:
        ask(fakestore, method, fakestore.url("photos", "cat.jpg"))
    fakestore.unhandled_requests.clear()
    # A path that is not UTF-8 is refused before the method is looked at, and noted in the journal.
    assert ask(fakestore, method, fakestore.url("photos") + "%ff").status == 400

    for text in (str(raised.value), str(fakestore.exchanges[-1])):
        assert "\n" not in text
        assert "\x1b" not in text
        assert r"GET\n::error::x\x1b[2J" in text
