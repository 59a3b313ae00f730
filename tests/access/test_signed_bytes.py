"""What is signed are the bytes on the wire: header text is ISO-8859-1, whatever it stands for."""

from __future__ import annotations

import base64
import hashlib
import hmac

import pytest
import requests
from freezegun import freeze_time

DATE = b"Sat, 21 Nov 2026 12:00:00 GMT"


@pytest.fixture
def fakestore_options():
    return {"signatures": "verify", "buckets": ["photos"], "secret_key": "sécret"}


def signature_over(*lines: bytes) -> str:
    """Computed here from the bytes alone, by no code of the store's."""
    return base64.b64encode(hmac.new("sécret".encode(), b"\n".join(lines), hashlib.sha1).digest()).decode()


@freeze_time("2026-11-21 12:00:00")
@pytest.mark.parametrize("sent", ["voilà".encode(), "日本".encode(), "é", b"\xe9\xff", b"plain"])
def test_the_bytes_of_a_header_are_signed(fakestore, sent):
    wire = sent.encode("latin-1") if isinstance(sent, str) else sent
    right = signature_over(b"PUT", b"", b"text/" + wire, DATE, b"x-svc-meta-a:" + wire, b"/photos/cat")
    key = fakestore.default_account.access_key_id
    content_type = f"text/{sent}" if isinstance(sent, str) else b"text/" + sent
    headers = {"Date": DATE, "Content-Type": content_type, "x-svc-meta-a": sent, "Authorization": f"SVC {key}:{right}"}
    answer = requests.put(fakestore.url("photos", "cat"), data=b"meow", headers=headers)
    assert (answer.status_code, fakestore.exchanges[-1].explanation) == (200, None)


@freeze_time("2026-11-21 12:00:00")
def test_the_stores_own_auth_signs_the_bytes_of_a_header(fakestore):
    headers = {"x-svc-meta-a": "voilà".encode()}
    request = requests.Request("PUT", fakestore.url("photos", "cat"), headers=headers, auth=fakestore.auth())
    prepared = request.prepare()
    right = signature_over(b"PUT", b"", b"", DATE, b"x-svc-meta-a:voil\xc3\xa0", b"/photos/cat")
    assert prepared.headers["Authorization"] == f"SVC {fakestore.default_account.access_key_id}:{right}"


@freeze_time("2026-11-21 12:00:00")
def test_the_value_of_a_signed_parameter_is_signed_decoded_and_in_utf_8(fakestore):
    url = fakestore.url("photos", "cat", versionId="日本")
    prepared = requests.Request("GET", url, auth=fakestore.auth()).prepare()
    right = signature_over(b"GET", b"", b"", DATE, b"/photos/cat?versionId=" + "日本".encode())
    assert prepared.headers["Authorization"] == f"SVC {fakestore.default_account.access_key_id}:{right}"


@pytest.mark.parametrize("given", [b"signature", None, 5])
def test_a_verifier_whose_signature_is_no_text_is_a_type_error(given):
    from fakestore import FakeStore

    class Verifies:
        def signature(self, request, address, secret_key):
            return given

        def __repr__(self):
            return "mine"

    store = FakeStore(signatures=Verifies(), buckets=["photos"])
    sentence = rf"^a Verifier's signature is text, and that of mine is {given!r}$"
    prepared = requests.Request("GET", store.url("photos")).prepare()
    with pytest.raises(TypeError, match=sentence):
        store.auth()(prepared)
    prepared.headers.update({"Date": DATE, "Authorization": f"SVC {store.default_account.access_key_id}:x"})
    session = requests.Session()
    session.mount("http://", FakeStore(signatures=Verifies(), max_clock_skew=None, buckets=["photos"]).adapter())
    with pytest.raises(TypeError, match=sentence):
        session.send(prepared)
