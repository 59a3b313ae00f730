"""Hostile values in every header of the four operations: the documented error and an untouched store, or a sound
object that gives back what was sent.
"""

from __future__ import annotations

import pytest
import requests

from fakestore.http.dates import http_date
from tests.spec.arrange import etag_of, holdings, md5_base64, own_headers, put_fields, refusal, stack, wire

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

#: What is answered where nothing is wrong with a value.
DONE = None
BAD_ARGUMENT = (400, "InvalidArgument")
BAD_STORAGE_CLASS = (400, "InvalidStorageClass")
BAD_DIGEST = (400, "InvalidDigest")
DENIED = (403, "AccessDenied")
FAILED = (412, "PreconditionFailed")
UNMET = (417, "ExpectationFailed")
NOT_IMPLEMENTED = (501, "NotImplemented")
TOO_MUCH_METADATA = {"long": (400, "MetadataTooLarge")}
#: Put Object and copy alone; who asks, and whether the client waits for 100 Continue, is asked before.
TOO_LONG = {"too long": (400, "RequestHeaderSectionTooLarge")}

#: What is given back when the object is read.
KEPT = {
    "Content-Type",
    "Cache-Control",
    "Content-Disposition",
    "Content-Encoding",
    "Content-Language",
    "x-svc-meta-a",
}

Outcome = tuple[int, str] | None
#: By header: what answers every hostile value of it, but for those named.
Table = dict[str, tuple[Outcome, dict[str, Outcome]]]

PUT: Table = {
    "Content-Length": (BAD_ARGUMENT, TOO_LONG | {"long number": (400, "EntityTooLarge")}),
    "Content-MD5": (BAD_DIGEST, TOO_LONG),
    **dict.fromkeys(sorted(KEPT), (DONE, TOO_LONG)),
    "x-svc-meta-a": (DONE, TOO_LONG | TOO_MUCH_METADATA),
    "Expires": (BAD_ARGUMENT, TOO_LONG),
    "If-Match": (FAILED, TOO_LONG),
    "If-None-Match": (NOT_IMPLEMENTED, TOO_LONG),
    "x-svc-acl": (BAD_ARGUMENT, TOO_LONG),
    "x-svc-grant-read": (BAD_ARGUMENT, TOO_LONG),
    "x-svc-grant-full-control": (BAD_ARGUMENT, TOO_LONG),
    "x-svc-server-side-encryption": (BAD_ARGUMENT, TOO_LONG),
    "x-svc-storage-class": (BAD_STORAGE_CLASS, TOO_LONG),
    "Expect": (UNMET, {}),
    "x-svc-mfa": (DENIED, {}),
    "x-svc-date": (DENIED, {}),
}
#: With the directive to replace metadata, so that the request's is looked at.
COPY: Table = {
    "x-svc-copy-source": (BAD_ARGUMENT, TOO_LONG | {"markup": (404, "NoSuchBucket")}),
    "x-svc-metadata-directive": (BAD_ARGUMENT, TOO_LONG),
    "x-svc-copy-source-if-match": (FAILED, TOO_LONG),
    "x-svc-copy-source-if-none-match": (DONE, TOO_LONG),
    "x-svc-copy-source-if-unmodified-since": (BAD_ARGUMENT, TOO_LONG),
    "x-svc-copy-source-if-modified-since": (BAD_ARGUMENT, TOO_LONG),
    "x-svc-grant-write": (BAD_ARGUMENT, TOO_LONG),
    "x-svc-grant-read-acp": (BAD_ARGUMENT, TOO_LONG),
    "x-svc-grant-write-acp": (BAD_ARGUMENT, TOO_LONG),
    **{name: row for name, row in PUT.items() if name not in ("Content-Length", "Content-MD5")},
}
COMMON: Table = {
    "Authorization": (DENIED, {}),
    "Date": (DENIED, {}),
    "x-svc-date": (DENIED, {}),
    "x-svc-mfa": (DENIED, {}),
    "Expect": (UNMET, {}),
}
ACL: Table = COMMON | {"Range": (DONE, {}), "Content-Length": (DONE, {})}
DELETE: Table = COMMON | {
    "Range": (DONE, {}),
    "Content-Length": ((400, "UnexpectedContent"), {"empty": DONE, "blank": DONE}),
}


def every_row(table: Table) -> pytest.MarkDecorator:
    """Each header, value and outcome."""
    rows = [
        pytest.param(name, value, others.get(hostile, usual), id=f"{name}: {hostile}")
        for name, (usual, others) in table.items()
        for hostile, value in HOSTILE.items()
    ]
    return pytest.mark.parametrize(("name", "value", "outcome"), rows)


def ask(store, method, target, fields, body=b""):
    """The answer; Date and Authorization are those of the fields, where they are there."""
    standing = {
        "Date": http_date(store._service.clock()),
        "Authorization": f"SVC {store.default_account.access_key_id}:signature",
    }
    given = {name for name, _ in fields}
    fields = [*fields, *((name, value) for name, value in standing.items() if name not in given)]
    return wire(store, method, "kept", target, fields, body, signed=False)


def expect_stored(store, key, name, value):
    """The object is whole, and what describes it is what was sent; blanks around a value are no part of it."""
    value = value.strip(" \t")
    assert stack(store, "kept", key)[0] == b"meow"
    answer = wire(store, "GET", "kept", f"/{key}")
    described = {"content-type": "binary/octet-stream"}
    if name in KEPT:
        described[name.lower()] = value or described.get(name.lower(), "")
    told = own_headers(answer)
    assert (answer.status, answer.body) == (200, b"meow")
    assert told == described | {
        "accept-ranges": "bytes",
        "content-length": "4",
        "etag": etag_of(b"meow"),
        "last-modified": told["last-modified"],
        "x-svc-version-id": store["kept"][key].version_id,
    }


@every_row(PUT)
def test_a_hostile_header_of_a_put(store, name, value, outcome):
    store["kept"].put("cat.jpg", b"older")
    before = holdings(store)
    fields = [(name, value)] if name == "Content-Length" else put_fields(b"meow", (name, value))
    answer = ask(store, "PUT", "/cat.jpg", fields, b"meow")
    if outcome is DONE:
        assert answer.status == 200
        expect_stored(store, "cat.jpg", name, value)
    else:
        assert (refusal(answer), holdings(store)) == (outcome, before)


#: By header of a PUT: a good value, and what answers where it came twice.
DOUBLED = {
    "Content-Length": ("4", BAD_ARGUMENT),
    "Content-MD5": (md5_base64(b"meow"), BAD_DIGEST),
    "Expires": ("1", BAD_ARGUMENT),
    "If-Match": (etag_of(b"older"), DONE),
    "If-None-Match": ("*", NOT_IMPLEMENTED),
    "x-svc-acl": ("private", BAD_ARGUMENT),
    "x-svc-server-side-encryption": ("AES256", BAD_ARGUMENT),
    "x-svc-storage-class": ("STANDARD", BAD_STORAGE_CLASS),
    "Expect": ("100-continue", UNMET),
    "Authorization": ("SVC {key}:signature", BAD_ARGUMENT),
    **dict.fromkeys(sorted(KEPT), ("a", DONE)),
}


@pytest.mark.parametrize("name", DOUBLED)
def test_a_doubled_header_of_a_put(store, name):
    store["kept"].put("cat.jpg", b"older")
    before = holdings(store)
    value, outcome = DOUBLED[name]
    value = value.format(key=store.default_account.access_key_id)
    fields = [(name, value)] if name == "Content-Length" else put_fields(b"meow", (name, value))
    answer = ask(store, "PUT", "/cat.jpg", [*fields, (name, value)], b"meow")
    if outcome is DONE:
        assert answer.status == 200
        expect_stored(store, "cat.jpg", name, f"{value},{value}")
    else:
        assert (refusal(answer), holdings(store)) == (outcome, before)


@every_row(COPY)
def test_a_hostile_header_of_a_copy(store, name, value, outcome):
    store["kept"].put("cat.jpg", b"meow", metadata={"by": "ada"}, cache_control="no-store")
    store["kept"].put("copy.jpg", b"older")
    before = holdings(store)
    standing = {"x-svc-copy-source": "/kept/cat.jpg", "x-svc-metadata-directive": "REPLACE"}
    answer = ask(store, "PUT", "/copy.jpg", [*(standing | {name: value}).items()])
    if outcome is DONE:
        assert answer.status == 200
        expect_stored(store, "copy.jpg", name, value)
    else:
        assert (refusal(answer), holdings(store)) == (outcome, before)


@every_row(ACL)
@pytest.mark.parametrize("versioned", [False, True], ids=["current", "by version"])
def test_a_hostile_header_of_a_get_acl(store, versioned, name, value, outcome):
    version = store["kept"].put("cat.jpg", b"meow")
    before = holdings(store)
    target = f"/cat.jpg?acl&versionId={version.version_id}" if versioned else "/cat.jpg?acl"
    answer = ask(store, "GET", target, [(name, value)])
    assert (None if answer.status == 200 else refusal(answer)) == outcome
    assert holdings(store) == before


@every_row(DELETE)
def test_a_hostile_header_of_a_delete(store, name, value, outcome):
    version = store["kept"].put("cat.jpg", b"meow")
    before = holdings(store)
    answer = ask(store, "DELETE", f"/cat.jpg?versionId={version.version_id}", [(name, value)])
    if outcome is DONE:
        assert (answer.status, store["kept"].versions()) == (204, [])
    else:
        assert (refusal(answer), holdings(store)) == (outcome, before)


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE)
def test_hostile_values_of_a_version_id_change_nothing(store, value):
    store["kept"].put("cat.jpg", b"meow")
    before = holdings(store)
    quoted = "".join(f"%{byte:02x}" for byte in value.encode())
    for method, target in (("DELETE", "/cat.jpg?versionId="), ("GET", "/cat.jpg?acl&versionId=")):
        assert refusal(wire(store, method, "kept", target + quoted)) == BAD_ARGUMENT
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
