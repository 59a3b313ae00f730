"""Hostile values in every header of the four operations: an answer and an untouched store, or a sound object."""

from __future__ import annotations

import pytest
import requests

from fakestore import UnsupportedRequest
from tests.spec.arrange import etag_of, holdings, put_fields, refusal, stack, wire

statement = pytest.mark.statement

PUT_HEADERS = [
    "Content-MD5",
    "Content-Type",
    "Cache-Control",
    "Content-Disposition",
    "Content-Encoding",
    "Content-Language",
    "Expires",
    "Expect",
    "If-Match",
    "If-None-Match",
    "x-svc-acl",
    "x-svc-grant-read",
    "x-svc-grant-full-control",
    "x-svc-meta-a",
    "x-svc-server-side-encryption",
    "x-svc-storage-class",
    "x-svc-mfa",
    "x-svc-date",
]
COPY_HEADERS = [
    "x-svc-copy-source",
    "x-svc-metadata-directive",
    "x-svc-copy-source-if-match",
    "x-svc-copy-source-if-none-match",
    "x-svc-copy-source-if-unmodified-since",
    "x-svc-copy-source-if-modified-since",
    "x-svc-acl",
    "x-svc-grant-write",
    "x-svc-grant-read-acp",
    "x-svc-grant-write-acp",
    "x-svc-meta-a",
    "Expires",
    "Expect",
    "x-svc-server-side-encryption",
    "x-svc-storage-class",
]
COMMON_HEADERS = ["Authorization", "Date", "x-svc-date", "x-svc-mfa", "Range", "Content-Length", "Expect"]

HOSTILE = {
    "empty": "",
    "blank": "   ",
    "controls": "\x00\x01\x1f\x7f",
    "latin-1": "\xff\xfe\x80",
    "line break": "a\r\nx-svc-acl: public-read",
    "quotes": '"\'"\\',
    "commas": ",,,,",
    "markup": "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>",
    "long number": "9" * 400,
    "negative": "-1",
    "percent": "%00%ff%",
    "format": "%s{0}{}",
    "long": "a" * 7000,
    "too long": "a" * 20_000,
}

#: How the recorded service answers a form of If-Match or If-None-Match that it does not take.
NOT_IMPLEMENTED = 501


def _ask(store, method, target, fields, body=b""):
    """The status, or ``UnsupportedRequest``, which is taken off the store's refusals."""
    try:
        return wire(store, method, "kept", target, fields, body).status
    except UnsupportedRequest:
        store.refusals.clear()
        return UnsupportedRequest


def _expect_sound(store, outcome, before, key):
    """Refused and unchanged, or stored whole and readable."""
    if outcome != 200:
        assert outcome in (UnsupportedRequest, NOT_IMPLEMENTED) or 400 <= outcome < 500
        assert holdings(store) == before
        return
    assert stack(store, "kept", key)[0] == b"meow"
    answer = wire(store, "GET", "kept", f"/{key}")
    if answer.status == 200:
        assert (answer.body, answer.headers["ETag"]) == (b"meow", etag_of(b"meow"))
    else:
        assert refusal(answer) == (403, "AccessDenied")


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("name", PUT_HEADERS)
def test_a_hostile_header_of_a_put(store, name, value):
    store["kept"].put("cat.jpg", b"older")
    before = holdings(store)
    outcome = _ask(store, "PUT", "/cat.jpg", put_fields(b"meow", (name, value)), b"meow")
    _expect_sound(store, outcome, before, "cat.jpg")


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("name", COPY_HEADERS)
def test_a_hostile_header_of_a_copy(store, name, value):
    store["kept"].put("cat.jpg", b"meow")
    store["kept"].put("copy.jpg", b"older")
    before = holdings(store)
    source = [] if name == "x-svc-copy-source" else [("x-svc-copy-source", "/kept/cat.jpg")]
    _expect_sound(store, _ask(store, "PUT", "/copy.jpg", [*source, (name, value)]), before, "copy.jpg")


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("name", COMMON_HEADERS)
@pytest.mark.parametrize("target", ["/cat.jpg?acl", "/cat.jpg?acl&versionId=null"])
def test_a_hostile_header_of_a_get_acl_changes_nothing(store, target, name, value):
    store["kept"].put("cat.jpg", b"meow")
    before = holdings(store)
    outcome = _ask(store, "GET", target, [(name, value)])
    assert outcome is UnsupportedRequest or outcome == 200 or 400 <= outcome < 500
    assert holdings(store) == before


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("name", COMMON_HEADERS)
def test_a_hostile_header_of_a_delete_deletes_or_is_refused(store, name, value):
    version = store["kept"].put("cat.jpg", b"meow")
    outcome = _ask(store, "DELETE", f"/cat.jpg?versionId={version.version_id}", [(name, value)])
    assert outcome == 204 or 400 <= outcome < 500
    assert store["kept"].versions() == ([] if outcome == 204 else [version])


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_content_length_stores_nothing(store, value):
    before = holdings(store)
    outcome = _ask(store, "PUT", "/cat.jpg", [("Content-Length", value)], b"meow")
    assert 400 <= outcome < 500
    assert holdings(store) == before


@pytest.mark.parametrize("value", [value for name, value in HOSTILE.items() if name not in ("blank", "line break")])
def test_hostile_values_of_a_version_id_change_nothing(store, value):
    store["kept"].put("cat.jpg", b"meow")
    before = holdings(store)
    quoted = "".join(f"%{byte:02x}" for byte in value.encode())
    for method, target in (("DELETE", "/cat.jpg?versionId="), ("GET", "/cat.jpg?acl&versionId=")):
        assert _ask(store, method, target + quoted, []) == 400
    assert holdings(store) == before


def test_header_text_that_is_not_latin_1_raises_what_requests_raises(store, session):
    before = holdings(store)
    with pytest.raises(UnicodeEncodeError):
        session.put(store.url("kept", "cat.jpg"), data=b"meow", headers={"x-svc-meta-name": "猫"})
    assert holdings(store) == before


def test_a_line_break_in_a_header_raises_what_requests_raises(store, session):
    before = holdings(store)
    with pytest.raises(requests.exceptions.InvalidHeader):
        session.put(store.url("kept", "cat.jpg"), data=b"meow", headers={"x-svc-meta-name": "a\r\nb: c"})
    assert holdings(store) == before
