"""Hostile values of every header of the four operations.

A hostile value is answered by the documented error and changes nothing, or the object is whole and returns what
was sent.
"""

from __future__ import annotations

import pytest

from tests.support.state import stack, state_of
from tests.support.wire import etag_of, md5_base64, outcome, own_headers, send

decision = pytest.mark.decision

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

#: The expected outcome if a value is accepted.
DONE = None
INVALID = (400, "InvalidArgument")
DENIED = (403, "AccessDenied")
FAILED = (412, "PreconditionFailed")
UNMET = (417, "ExpectationFailed")
#: PUT Object and copy limit the header section, after authentication and Expect.
TOO_LONG = {"too long": (400, "RequestHeaderSectionTooLarge")}

#: Headers that are returned when the object is read.
KEPT = ["Cache-Control", "Content-Disposition", "Content-Encoding", "Content-Language", "Content-Type", "x-svc-meta-a"]

#: For each header: the outcome of every hostile value, and the exceptions.
PUT = {
    "Content-Length": (INVALID, TOO_LONG | {"long number": (400, "EntityTooLarge")}),
    "Content-MD5": ((400, "InvalidDigest"), TOO_LONG),
    **dict.fromkeys(KEPT, (DONE, TOO_LONG)),
    "x-svc-meta-a": (DONE, TOO_LONG | {"long": (400, "MetadataTooLarge")}),
    "Expires": (INVALID, TOO_LONG),
    "If-Match": (FAILED, TOO_LONG),
    "If-None-Match": ((501, "NotImplemented"), TOO_LONG),
    "x-svc-acl": (INVALID, TOO_LONG),
    "x-svc-grant-read": (INVALID, TOO_LONG),
    "x-svc-grant-full-control": (INVALID, TOO_LONG),
    "x-svc-server-side-encryption": (INVALID, TOO_LONG),
    "x-svc-storage-class": ((400, "InvalidStorageClass"), TOO_LONG),
    "Expect": (UNMET, {}),
    "x-svc-mfa": (DENIED, {}),
    "x-svc-date": (DENIED, {}),
}
COPY = {
    "x-svc-copy-source": (INVALID, TOO_LONG | {"markup": (404, "NoSuchBucket")}),
    "x-svc-metadata-directive": (INVALID, TOO_LONG),
    "x-svc-copy-source-if-match": (FAILED, TOO_LONG),
    "x-svc-copy-source-if-none-match": (DONE, TOO_LONG),
    "x-svc-copy-source-if-unmodified-since": (INVALID, TOO_LONG),
    "x-svc-copy-source-if-modified-since": (INVALID, TOO_LONG),
    "x-svc-grant-write": (INVALID, TOO_LONG),
    "x-svc-grant-read-acp": (INVALID, TOO_LONG),
    "x-svc-grant-write-acp": (INVALID, TOO_LONG),
    **{name: row for name, row in PUT.items() if name not in ("Content-Length", "Content-MD5")},
}
COMMON = {
    "Authorization": (DENIED, {}),
    "Date": (DENIED, {}),
    "x-svc-date": (DENIED, {}),
    "x-svc-mfa": (DENIED, {}),
    "Expect": (UNMET, {}),
    "Range": (DONE, {}),
}
ACL = COMMON | {"Content-Length": (DONE, {})}
DELETE = COMMON | {"Content-Length": ((400, "UnexpectedContent"), {"empty": DONE, "blank": DONE})}


def outcomes(table, name):
    """Return the hostile values of a header, each with the expected outcome."""
    usual, exceptions = table[name]
    return [(value, exceptions.get(kind, usual)) for kind, value in HOSTILE.items()]


def expect(store, answer, expected, before, key, name, value):
    """Check that the request was refused without a change, or that the object is whole."""
    if expected is not DONE:
        assert (name, value, outcome(answer), state_of(store) == before) == (name, value, expected, True)
        return
    assert (name, value, answer.status) == (name, value, 200)
    assert stack(store, "kept", key)[0] == b"meow"
    value = value.strip(" \t")
    described = {"content-type": "binary/octet-stream"}
    if name in KEPT:
        described[name.lower()] = value or described.get(name.lower(), "")
    headers = own_headers(send(store, "GET", "kept", f"/{key}"))
    assert headers == described | {
        "accept-ranges": "bytes",
        "content-length": "4",
        "etag": etag_of(b"meow"),
        "last-modified": headers["last-modified"],
        "x-svc-version-id": store["kept"][key].version_id,
    }


@decision("expect", "blanks-around-values")
def test_hostile_values_of_a_header_of_put(store):
    for name in PUT:
        for value, expected in outcomes(PUT, name):
            store["kept"].put("cat.jpg", b"older")
            before = state_of(store)
            answer = send(store, "PUT", "kept", "/cat.jpg", {name: value}, b"meow")
            expect(store, answer, expected, before, "cat.jpg", name, value)


def test_hostile_values_of_a_header_of_copy(store):
    for name in COPY:
        store["kept"].put("cat.jpg", b"meow", metadata={"by": "ada"}, headers={"Cache-Control": "no-store"})
        for value, expected in outcomes(COPY, name):
            store["kept"].put("copy.jpg", b"older")
            before = state_of(store)
            headers = {"x-svc-copy-source": "/kept/cat.jpg", "x-svc-metadata-directive": "REPLACE", name: value}
            answer = send(store, "PUT", "kept", "/copy.jpg", headers)
            expect(store, answer, expected, before, "copy.jpg", name, value)


def test_hostile_values_of_a_header_of_get_acl(store):
    for name in ACL:
        version = store["kept"].put("cat.jpg", b"meow").version_id
        before = state_of(store)
        for value, expected in outcomes(ACL, name):
            for target in ("/cat.jpg?acl", f"/cat.jpg?acl&versionId={version}"):
                answer = send(store, "GET", "kept", target, {name: value})
                assert (name, value, None if answer.status == 200 else outcome(answer)) == (name, value, expected)
        assert state_of(store) == before


def test_hostile_values_of_a_header_of_delete(store):
    for name in DELETE:
        for value, expected in outcomes(DELETE, name):
            version = store["kept"].put("cat.jpg", b"meow")
            answer = send(store, "DELETE", "kept", f"/cat.jpg?versionId={version.version_id}", {name: value})
            assert (name, value, None if answer.status == 204 else outcome(answer)) == (name, value, expected)
            assert (version in store["kept"].versions()) is (expected is not DONE)


#: For each header of a PUT: a valid value, and the outcome if it is sent twice.
TWICE = {
    "Content-Length": ("4", INVALID),
    "Content-MD5": (md5_base64(b"meow"), (400, "InvalidDigest")),
    "Expires": ("1", INVALID),
    "If-Match": (etag_of(b"older"), DONE),
    "If-None-Match": ("*", (501, "NotImplemented")),
    "x-svc-acl": ("private", INVALID),
    "x-svc-server-side-encryption": ("AES256", INVALID),
    "x-svc-storage-class": ("STANDARD", (400, "InvalidStorageClass")),
    "Expect": ("100-continue", UNMET),
    **dict.fromkeys(KEPT, ("a", DONE)),
}


@decision("doubled-headers")
def test_header_of_put_sent_twice(store):
    for name in TWICE:
        store["kept"].put("cat.jpg", b"older")
        before = state_of(store)
        value, expected = TWICE[name]
        answer = send(store, "PUT", "kept", "/cat.jpg", [(name, value), (name, value)], b"meow")
        expect(store, answer, expected, before, "cat.jpg", name, f"{value},{value}")
