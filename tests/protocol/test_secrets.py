"""Explanations and reports reveal no secret and contain no control characters."""

from __future__ import annotations

import hashlib
from email.utils import formatdate

import pytest

from fakestore import UnsupportedRequest
from tests.support.wire import outcome, send

TOKEN = "eyJhbGciOiJIUzI1NiJ9.c2VjcmV0.c2lnbmF0dXJl"
ESCAPE = "\x1b[2J"


class PlainVerifier:
    """A signature algorithm of the user's own."""

    def signature(self, request, address, secret_key):
        return hashlib.sha256(f"{request.method} {address.key} {secret_key}".encode()).hexdigest()


def printed(store) -> str:
    """Everything about exchanges that a report or a failed assertion prints."""
    exchanges = store.exchanges
    return "\n".join([repr(exchanges), *map(str, exchanges), *(each.explanation or "" for each in exchanges)])


@pytest.mark.decision("secrets-are-not-printed")
def test_the_value_of_authorization_is_not_printed(store):
    schemes = (f"Bearer {TOKEN}", TOKEN, f"SVC {TOKEN}", f"SVC key: {TOKEN}", f"Basic {TOKEN}", f"Other a:{TOKEN}")
    for authorization in schemes:
        headers = {"Authorization": authorization}
        assert send(store, "GET", "photos", "/cat.jpg", headers).status in (400, 403)
        with pytest.raises(UnsupportedRequest) as raised:
            send(store, "GET", "photos", "/cat.jpg", {**headers, "x-amz-acl": "private"})
        assert TOKEN not in printed(store) + str(raised.value)
    store.unhandled_requests.clear()


@pytest.mark.decision("secrets-are-not-printed")
def test_the_signature_of_an_unsupported_url_is_not_printed(store):
    query = f"?torrent&Signature={TOKEN}"
    for bucket, target in (("photos", "/cat.jpg"), (None, "/photos/cat.jpg")):
        with pytest.raises(UnsupportedRequest, match="Signature=<hidden>") as raised:
            send(store, "POST", bucket, target + query)
        assert TOKEN not in str(raised.value)
    store.unhandled_requests.clear()


def put_with_wrong_signature(store, signature, date):
    headers = {
        "Content-Type": "image/jpeg",
        "Date": date,
        "x-svc-meta-name": "Felix",
        "Authorization": f"SVC {store.default_account.access_key_id}:{signature}",
    }
    reply = send(store, "PUT", "photos", "/cat.jpg", headers, b"meow")
    assert outcome(reply) == (403, "SignatureDoesNotMatch")
    return reply


@pytest.mark.decision("secrets-are-not-printed")
@pytest.mark.fakestore(signatures=PlainVerifier(), buckets=["photos"])
def test_the_signature_of_a_users_own_verifier_is_not_printed(store):
    secret = store.default_account.secret_key
    expected = hashlib.sha256(f"PUT cat.jpg {secret}".encode()).hexdigest()

    reply = put_with_wrong_signature(store, "wrong", formatdate(usegmt=True))

    assert expected not in printed(store)
    assert expected.encode() not in reply.body


@pytest.mark.decision("control-characters-are-escaped")
def test_control_characters_of_a_content_type_are_escaped(store):
    content_type = f"text/{ESCAPE}plain"
    assert send(store, "PUT", "photos", "/cat.jpg", {"Content-Type": content_type}, b"meow").status == 200

    for text in (store.describe(), repr(store["photos"]["cat.jpg"])):
        assert "\x1b" not in text
        assert r"text/\x1b[2Jplain" in text
    # What is stored and sent is what the client sent.
    assert store["photos"]["cat.jpg"].content_type == content_type


@pytest.mark.decision("control-characters-are-escaped")
def test_control_characters_of_a_method_are_escaped(store):
    method = f"GET\n::error::x{ESCAPE}"
    with pytest.raises(UnsupportedRequest) as raised:
        send(store, method, "photos", "/cat.jpg")
    store.unhandled_requests.clear()
    # A path that is not UTF-8 is refused before the method is looked at, and noted in the journal.
    assert send(store, method, "photos", "/%ff").status == 400

    for text in (str(raised.value), str(store.exchanges[-1])):
        assert "\n" not in text
        assert "\x1b" not in text
        assert r"GET\n::error::x\x1b[2J" in text
