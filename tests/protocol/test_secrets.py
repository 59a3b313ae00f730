"""Explanations and reports reveal no secret and contain no control characters."""

from __future__ import annotations

import hashlib
import logging
from contextlib import suppress
from dataclasses import replace
from email.utils import formatdate

import pytest

from fakestore import FakeStore, MfaDevice, Request, UnsupportedRequest
from tests.clients.served import connect, reply_to
from tests.support.cases import each
from tests.support.forms import FORM_TYPE, form_body
from tests.support.wire import outcome, send

TOKEN = "eyJhbGciOiJIUzI1NiJ9.c2VjcmV0.c2lnbmF0dXJl"
ESCAPE = "\x1b[2J"


#: Every header that carries a secret, by its forms.
SECRET_HEADERS = [
    *(("Authorization", form) for form in ("{}", "Bearer {}", "AWS {}", "AWS ANNA:{}", "Basic {}", "Other a:{}")),
    ("Cookie", "session={}; theme=dark"),
    ("Proxy-Authorization", "Basic {}"),
    ("X-Amz-Security-Token", "{}"),
    *(("x-amz-mfa", form) for form in ("{}", "{} ", " {}", "serial {}", "serial  {}", "{} 1 2")),
    ("x-amz-server-side-encryption-customer-key", "{}"),
    ("x-amz-copy-source-server-side-encryption-customer-key", "{}"),
]
SECRET_PARAMETERS = ["Signature", "X-Amz-Signature", "X-Amz-Security-Token", "token"]
SECRET_FIELDS = ["Signature", "X-Amz-Signature", "x-amz-security-token"]


def versioned_store(**options):
    store = FakeStore(dialect="s3", access_key_id="ANNA", buckets={"photos": "enabled"}, **options)
    store["photos"].put("cat.jpg", b"meow")
    store["photos"].enable_mfa_delete(MfaDevice("serial", "123456"))
    return store


def requests_with_secrets():
    """Yield a request for each place of a secret, with methods that read the place and that do not."""
    store = versioned_store()
    url = store.url("photos", "cat.jpg")
    version = f"{url}?versionId={store['photos']['cat.jpg'].version_id}"
    for name, form in SECRET_HEADERS:
        fields = {"Authorization": "AWS ANNA:x", name: form.format(TOKEN)}
        for method, target in [("GET", url), ("PUT", url), ("DELETE", version), ("GET", "http://elsewhere.test/")]:
            yield Request.to_url(method, target, {"Date": formatdate(usegmt=True), **fields})
    for name in SECRET_PARAMETERS:
        for target in (url, f"{url}?acl", f"{url}?torrent", "http://elsewhere.test/"):
            yield Request.to_url("GET", f"{target}{'&' if '?' in target else '?'}{name}={TOKEN}")
            yield to_absolute_target("GET", f"{target}{'&' if '?' in target else '?'}{name}={TOKEN}")
    yield to_absolute_target("GET", url.replace("://", f"://anna:{TOKEN}@"))
    for name in SECRET_FIELDS:
        body = form_body({"key": "cat.jpg", name: TOKEN})
        yield Request.to_url("POST", store.url("photos"), {"Content-Type": FORM_TYPE}, body)


def to_absolute_target(method, url) -> Request:
    """Return a request whose target is a whole URL, as to a proxy."""
    return replace(Request.to_url(method, url), target=url)


def shown_by(store, tmp_path) -> str:
    """Return what representations, reports and the page about a store show."""
    store.to_html(tmp_path / "store.html")
    values = [each for exchange in store.exchanges for each in (exchange, exchange.request, exchange.reply)]
    report = [*map(str, store.unhandled_requests), store.describe(), (tmp_path / "store.html").read_text()]
    return "\n".join([printed(store), *map(repr, values), *report, repr(store)])


@pytest.mark.decision("secrets-are-not-printed")
@pytest.mark.parametrize("signatures", ["accept", "verify"])
def test_no_output_shows_a_secret_of_any_place(signatures, tmp_path):
    for sent in requests_with_secrets():
        store = versioned_store(signatures=signatures)
        with suppress(UnsupportedRequest):
            store.handle(sent)
        assert TOKEN not in shown_by(store, tmp_path), (sent.method, sent.target, sent.headers.fields)


@pytest.mark.decision("secrets-are-not-printed")
def test_the_log_of_the_server_shows_no_secret_of_any_place(caplog):
    caplog.set_level(logging.INFO, "fakestore.server")
    with versioned_store().serve() as url:
        for sent in requests_with_secrets():
            for target in (sent.url, sent.target):  # as to a proxy, and as to a server
                lines = [f"{sent.method} {target} HTTP/1.1", f"Host: {sent.host}", "Connection: close"]
                lines += [f"{name}: {value}" for name, value in sent.headers.fields]
                with connect(url) as connection:
                    connection.sendall("\r\n".join([*lines, "", ""]).encode() + sent.body)
                    assert reply_to(connection)[0] > 0
                assert TOKEN not in caplog.text, (target, sent.headers.fields)
                assert len(caplog.messages) == 1
                caplog.clear()


@pytest.mark.decision("secrets-are-not-printed")
def test_the_code_of_a_device_is_not_printed():
    assert repr(MfaDevice("serial", TOKEN)) == "MfaDevice(serial='serial')"


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
    for case in each(*schemes):
        with case as authorization:
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


@pytest.mark.decision("secrets-are-not-printed")
def test_control_characters_of_a_content_type_are_escaped(store):
    content_type = "text/\x9b2Jplain"
    assert send(store, "PUT", "photos", "/cat.jpg", {"Content-Type": content_type}, b"meow").status == 200

    for text in (store.describe(), repr(store["photos"]["cat.jpg"])):
        assert "\x9b" not in text
        assert r"text/\x9b2Jplain" in text
    # What is stored and sent is what the client sent.
    assert store["photos"]["cat.jpg"].content_type == content_type


@pytest.mark.decision("secrets-are-not-printed")
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
