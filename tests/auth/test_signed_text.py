"""The text that is signed, written out: what the store signs and expects is compared with it, not with itself."""

from __future__ import annotations

import base64
import hashlib
import hmac

import pytest

from tests.support.wire import send

NOON = "Sat, 21 Nov 2026 12:00:00 GMT"
MD5 = "SkvkDJasYxTpHZPzgEOmNA=="

#: For each kind of request: method, bucket, target, header fields, body, and the text that is signed.
SIGNED = {
    "list buckets": ("GET", None, "/", [], b"", f"GET\n\n\n{NOON}\n/"),
    "list": ("GET", "photos", "/?prefix=a&max-keys=5", [], b"", f"GET\n\n\n{NOON}\n/photos/"),
    "list, version 2": ("GET", "photos", "/?list-type=2&delimiter=%2F", [], b"", f"GET\n\n\n{NOON}\n/photos/"),
    "list versions": ("GET", "photos", "/?versions&prefix=a", [], b"", f"GET\n\n\n{NOON}\n/photos/?versions"),
    "location": ("GET", "photos", "/?location", [], b"", f"GET\n\n\n{NOON}\n/photos/?location"),
    "versioning": ("GET", "photos", "/?versioning", [], b"", f"GET\n\n\n{NOON}\n/photos/?versioning"),
    "policy": ("DELETE", "photos", "/?policy", [], b"", f"DELETE\n\n\n{NOON}\n/photos/?policy"),
    "lifecycle": ("DELETE", "photos", "/?lifecycle", [], b"", f"DELETE\n\n\n{NOON}\n/photos/?lifecycle"),
    "bucket acl": ("GET", "photos", "/?acl", [], b"", f"GET\n\n\n{NOON}\n/photos/?acl"),
    "delete many": (
        "POST",
        "photos",
        "/?delete",
        [("Content-Type", "text/xml"), ("Content-Length", "51")],
        b"<Delete><Object><Key>no.jpg</Key></Object></Delete>",
        f"POST\n\ntext/xml\n{NOON}\n/photos/?delete",
    ),
    "put": (
        "PUT",
        "photos",
        "/a%20~b/%C3%BC.jpg",
        [
            ("Content-Length", "4"),
            ("Content-MD5", MD5),
            ("Content-Type", "image/jpeg"),
            ("Cache-Control", "no-store"),
            ("X-Svc-Meta-B", "second  "),
            ("x-svc-meta-a", "1  2"),
            ("x-svc-acl", "private"),
        ],
        b"meow",
        f"PUT\n{MD5}\nimage/jpeg\n{NOON}\nx-svc-acl:private\nx-svc-meta-a:1  2\nx-svc-meta-b:second\n"
        "/photos/a%20~b/%C3%BC.jpg",
    ),
    "copy": (
        "PUT",
        "photos",
        "/copy.jpg",
        [("x-svc-copy-source", "/photos/cat.jpg")],
        b"",
        f"PUT\n\n\n{NOON}\nx-svc-copy-source:/photos/cat.jpg\n/photos/copy.jpg",
    ),
    "get": ("GET", "photos", "/cat.jpg", [("Range", "bytes=0-1")], b"", f"GET\n\n\n{NOON}\n/photos/cat.jpg"),
    "get a version": (
        "GET",
        "photos",
        "/cat.jpg?versionId=null",
        [],
        b"",
        f"GET\n\n\n{NOON}\n/photos/cat.jpg?versionId=null",
    ),
    "acl of a version": (
        "GET",
        "photos",
        "/cat.jpg?versionId=null&acl",
        [],
        b"",
        f"GET\n\n\n{NOON}\n/photos/cat.jpg?acl&versionId=null",
    ),
    "head": ("HEAD", "photos", "/cat.jpg", [], b"", f"HEAD\n\n\n{NOON}\n/photos/cat.jpg"),
    "delete": ("DELETE", "photos", "/cat.jpg", [], b"", f"DELETE\n\n\n{NOON}\n/photos/cat.jpg"),
    "dated by the service's own header": (
        "GET",
        "photos",
        "/cat.jpg",
        [("x-svc-date", NOON)],
        b"",
        f"GET\n\n\n\nx-svc-date:{NOON}\n/photos/cat.jpg",
    ),
}


@pytest.fixture
def fakestore_options():
    return {"signatures": "verify", "buckets": ["photos"]}


@pytest.fixture
def store(fakestore):
    return fakestore


def signature(secret_key: str, text: str) -> str:
    """Return the base64 of HMAC-SHA1."""
    return base64.b64encode(hmac.new(secret_key.encode(), text.encode(), hashlib.sha1).digest()).decode()


@pytest.mark.decision("signature")
def test_signature_is_over_the_documented_text(store, noon):
    account = store.default_account
    store["photos"].put("cat.jpg", b"meow")
    beginning, wrong = store.snapshot(), []
    for kind, (method, bucket, target, fields, body, text) in SIGNED.items():

        def error_code(signed, method=method, bucket=bucket, target=target, fields=fields, body=body):
            authorization = f"SVC {account.access_key_id}:{signature(account.secret_key, signed)}"
            send(store, method, bucket, target, [*fields, ("Date", NOON), ("Authorization", authorization)], body)
            return store.exchanges[-1].error_code

        host = "objects.test" if bucket is None else f"{bucket}.objects.test"
        store.restore(beginning)
        with store.session() as session:
            sent = session.request(method, f"http://{host}{target}", headers=dict(fields), data=body).request
        if sent.headers["Authorization"].rpartition(":")[2] != signature(account.secret_key, text):
            wrong.append(f"{kind}: the store signed another text")
        store.restore(beginning)
        if error_code(text + "\n") != "SignatureDoesNotMatch":
            wrong.append(f"{kind}: another text was accepted")
        if error_code(text) == "SignatureDoesNotMatch":
            wrong.append(f"{kind}: the documented text was refused")
    assert not wrong, "\n".join(wrong)
