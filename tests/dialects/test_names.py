"""A dialect of which every name differs behaves as the dialect that it was copied from."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import fields, replace

import pytest

from fakestore import S3, Addressing, ClientEnvironment, Dialect, FakeStore, Request, UnsupportedRequest
from tests.facts import replay
from tests.support.forms import FORM_TYPE, form_body

RENAMED = replace(
    replay.DIALECTS["s3"],
    name="renamed",
    header_prefix="x-zed-",
    auth_scheme="ZED",
    xml_namespace="urn:zed",
    xml_content_type="text/xml; charset=zed",
    default_base_url="https://s3.zed.test",
    public_hosts=re.compile(r"(?:(?P<bucket>.+)\.)?s3\.(?P<region>[a-z0-9-]+)\.zed\.test"),
    api_version="1999-12-31",
    environment=ClientEnvironment(access_key_id=("ZED_KEY",), secret_key=("ZED_SECRET",)),
)
KEY = "AKIDEXAMPLE"
#: The fields whose values are not names.
NOT_NAMES = {"addressing", "auth", "form_auth", "common_headers", "semantics"}
#: The names of S3 that the renamed dialect does not have.
NAMES_OF_S3 = re.compile(rf"x-(amz|svc)-|{re.escape(S3.xml_namespace)}|\bAWS \w+:|<AWS", re.IGNORECASE)


def renamed(value):
    """Return a value of JSON with the names of the renamed dialect in place of those of S3."""
    text = json.dumps(value)
    for old, new in (
        ("x-amz-", "x-zed-"),
        ("X-Amz-", "X-Zed-"),
        *((f"AWS {word}", f"ZED {word}") for word in (KEY, "nothing", "authentication", "<access key>")),
        ("'AWS'", "'ZED'"),
        ("AWSAccessKeyId>", "ZEDAccessKeyId>"),
        ('"AWSAccessKeyId":', '"ZEDAccessKeyId":'),
        (S3.xml_namespace, RENAMED.xml_namespace),
        (S3.xml_content_type, RENAMED.xml_content_type),
        ("s3.amazonaws.com", "s3.zed.test"),
        (S3.api_version, RENAMED.api_version),
    ):
        text = text.replace(old, new)
    return json.loads(text)


def test_every_name_differs():
    assert [
        field.name
        for field in fields(Dialect)
        if field.name not in NOT_NAMES and getattr(RENAMED, field.name) == getattr(S3, field.name)
    ] == []
    assert Addressing.PATH in RENAMED.addressing


@pytest.mark.parametrize("topic", [topic for topic in replay.topics() if topic not in ("presigned", "post_object")])
def test_recorded_facts_hold_under_other_names(topic, frozen_clock, monkeypatch):
    # botocore presigns with its own names
    facts = [
        fact
        for fact in replay.replayed("s3")
        if fact["id"].startswith(f"{topic}-") and not {"presign", "form"} & fact["request"].keys()
    ]
    monkeypatch.setitem(replay.DIALECTS, "s3", RENAMED)
    monkeypatch.setitem(replay.ON_EVERY_OBJECT, "s3", renamed(replay.ON_EVERY_OBJECT["s3"]))
    wrong = []
    for fact in map(renamed, facts):
        value = fact.get("for", [""])[0]
        with replay.Replay(frozen_clock, "s3", value, fact.get("options")) as store:
            for step in fact.get("given", []):
                store.arrange(step)
            if store.answer(store.send(fact["request"]), fact) != replay.expected(fact, "s3", value):
                wrong.append(fact["id"])
            for exchange in store.store.exchanges:
                shown = f"{exchange.reply} {exchange.reply.body if exchange.reply else ''} {exchange.explanation}"
                wrong += [f"{fact['id']} {found[0]}" for found in NAMES_OF_S3.finditer(shown)]
    assert wrong == []


V2 = {"Authorization": f"AWS {KEY}:signature", "x-amz-date": "Sat, 21 Nov 2026 12:00:00 GMT"}
SCOPE = f"{KEY}/20261121/us-east-1/s3/aws4_request"
V4 = {
    "Authorization": f"AWS4-HMAC-SHA256 Credential={SCOPE}, SignedHeaders=host;x-amz-date, Signature=0",
    "x-amz-date": "20261121T120000Z",
    "x-amz-content-sha256": hashlib.sha256(b"").hexdigest(),
}
V4_QUERY = (
    f"X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential={SCOPE}&X-Amz-Date=20261121T120000Z&X-Amz-Expires=60"
    "&X-Amz-SignedHeaders=host&X-Amz-Signature=0"
)
CHUNKS = b"4\r\nmeow\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n"
HASHED = re.compile("[0-9a-f]{64}|([0-9a-f]{2} ){20,}[0-9a-f]{2}")
CHUNKED = {"Content-Encoding": "aws-chunked", "x-amz-content-sha256": "STREAMING-UNSIGNED-PAYLOAD-TRAILER"}
POLICY = {
    "Effect": "Deny",
    "Principal": "*",
    "Action": "s3:PutObject",
    "Resource": "arn:aws:s3:::photos/*",
    "Condition": {"StringEquals": {"s3:x-amz-acl": "private"}},
}
FORM = {"key": "a.jpg", "policy": "e30="}
FORM_V4 = FORM | {"X-Amz-Algorithm": "AWS4-HMAC-SHA256", "X-Amz-Credential": SCOPE, "X-Amz-Signature": "0"}
#: Method, target, headers and body of requests whose answer or message depends on names of the dialect.
REQUESTS = [
    ("GET", "/photos/cat.jpg", V2, ""),
    ("GET", "/photos/cat.jpg?x-id=GetObject&Version=2006-03-01", V2 | {"x-amz-api-version": "2006-03-01"}, ""),
    ("GET", "/photos/cat.jpg?x-id=PutObject", V2, ""),
    ("GET", "/photos/cat.jpg?Version=1", V2, ""),
    ("GET", "/photos/cat.jpg", V2 | {"x-amz-api-version": "1"}, ""),
    ("GET", "/photos/cat.jpg", V2 | {"x-amz-date": "now"}, ""),
    ("GET", "/photos/cat.jpg", {"Authorization": V2["Authorization"]}, ""),
    ("GET", "/photos/cat.jpg", {"Authorization": "AWS nothing"}, ""),
    ("GET", "/photos/cat.jpg", {"Authorization": "ABC nothing"}, ""),
    ("GET", "/photos/cat.jpg", V4, ""),
    ("GET", "/photos/cat.jpg", V4 | {"x-amz-date": "now"}, ""),
    ("GET", "/photos/cat.jpg", V4 | {"x-amz-content-sha256": "0"}, ""),
    ("PUT", "/photos/dog.jpg", V4, "meow"),
    ("PUT", "/photos/dog.jpg", V2 | {"x-amz-content-sha256": "0" * 64}, "meow"),
    ("PUT", "/photos/dog.jpg", V2 | {"x-amz-content-sha256": "0"}, "meow"),
    ("GET", f"/photos/cat.jpg?{V4_QUERY}", {}, ""),
    ("GET", f"/photos/cat.jpg?{V4_QUERY}", V2, ""),
    ("GET", f"/photos/cat.jpg?{V4_QUERY}&x-amz-meta-a=1", {}, ""),
    ("PUT", f"/photos/dog.jpg?{V4_QUERY}&x-amz-meta-a=1", {}, "meow"),
    *(
        ("GET", f"/photos/cat.jpg?{V4_QUERY.replace(old, new)}", {}, "")
        for old, new in [
            ("Algorithm=AWS4-HMAC-SHA256", "Algorithm=MD5"),
            ("X-Amz-Algorithm", "X-Other"),
            ("aws4_request", ""),
            ("Expires=60", "Expires=x"),
            ("Expires=60", "Expires=604801"),
            ("Expires=60", "Expires=-1"),
            ("Expires=60", "Expires=0"),
            ("Date=20261121T120000Z", "Date=now"),
            ("Date=20261121T120000Z", "Date=20261120T120000Z"),
        ]
    ),
    ("PUT", "/photos/dog.jpg", V2 | CHUNKED, CHUNKS.decode()),
    ("PUT", "/photos/dog.jpg", V2 | CHUNKED | {"x-amz-decoded-content-length": "4"}, CHUNKS.decode()),
    (
        "PUT",
        "/photos/dog.jpg",
        V2 | CHUNKED | {"x-amz-decoded-content-length": "4", "x-amz-trailer": "x-amz-checksum-crc32"},
        CHUNKS.decode(),
    ),
    ("PUT", "/photos/dog.jpg", V2 | {"x-amz-checksum-crc32": "x"}, "meow"),
    ("PUT", "/photos/dog.jpg", V2 | {"x-amz-sdk-checksum-algorithm": "SHA1"}, "meow"),
    ("PUT", "/photos/dog.jpg", V2 | {"x-amz-meta-a": "=?UTF-8?Q?=C3=A9?=", "x-amz-tagging": "a=1"}, "meow"),
    ("GET", "/photos/dog.jpg", V2 | {"x-amz-checksum-mode": "ENABLED"}, ""),
    *(
        ("PUT", "/photos/dog.jpg", V2 | {f"x-amz-{name}": "wrong", "x-amz-security-token": "t"}, "meow")
        for name in [
            "acl",
            "grant-read",
            "mfa",
            "storage-class",
            "tagging",
            "server-side-encryption",
            "unknown",
            "expires",
            "server-side-encryption-aws-kms-key-id",
            "server-side-encryption-context",
            "server-side-encryption-bucket-key-enabled",
            "server-side-encryption-customer-key",
            "server-side-encryption-customer-algorithm",
            "expected-bucket-owner",
            "request-payer",
            "object-lock-mode",
            "object-lock-retain-until-date",
            "object-lock-legal-hold",
            "trailer",
            "website-redirect-location",
            "checksum-algorithm",
            "copy-source",
            "write-offset-bytes",
        ]
    ),
    *(
        ("PUT", "/photos/dog.jpg", V2 | {"x-amz-copy-source": "photos/cat.jpg", f"x-amz-{name}": "wrong"}, "")
        for name in [
            "metadata-directive",
            "tagging-directive",
            "copy-source-if-match",
            "copy-source-if-modified-since",
            "copy-source-range",
            "source-expected-bucket-owner",
            "copy-source-server-side-encryption-customer-key",
        ]
    ),
    ("GET", "/photos/cat.jpg", V2 | {"x-amz-object-attributes": "wrong"}, ""),
    ("GET", "/photos/cat.jpg?attributes", V2, ""),
    ("GET", "/photos/cat.jpg?attributes", V2 | {"x-amz-object-attributes": "wrong"}, ""),
    ("POST", "/photos/big?uploads", V2 | {"x-amz-checksum-type": "wrong"}, ""),
    ("PUT", "/new", V2 | {"x-amz-object-ownership": "wrong"}, ""),
    ("PUT", "/new", V2 | {"x-amz-bucket-object-lock-enabled": "wrong"}, ""),
    ("DELETE", "/photos/cat.jpg", V2 | {"x-amz-bypass-governance-retention": "wrong"}, ""),
    ("DELETE", "/photos/cat.jpg", V2 | {"x-amz-if-match-size": "wrong"}, ""),
    ("POST", "/photos?delete", V2, "<Delete xmlns='http://s3.amazonaws.com/doc/2006-03-01/'><Object/></Delete>"),
    ("PUT", "/photos?acl", V2 | {"x-amz-acl": "private"}, "<x/>"),
    ("PUT", "/photos?policy", V2, json.dumps({"Statement": [POLICY]})),
    ("PUT", "/photos/dog.jpg", V2 | {"x-amz-acl": "private"}, "meow"),
    ("GET", "/photos?policy", V2, ""),
    ("POST", "/photos", {"Content-Type": FORM_TYPE}, form_body(FORM).decode()),
    ("POST", "/photos", {"Content-Type": FORM_TYPE}, form_body(FORM_V4).decode()),
    ("POST", "/photos", {"Content-Type": FORM_TYPE}, form_body(FORM_V4 | {"X-Amz-Date": "now"}).decode()),
    ("POST", "/photos", {"Content-Type": FORM_TYPE}, form_body(FORM | {"x-amz-unknown": "1"}).decode()),
    ("GET", "/photos?nothing", V2, ""),
]


@pytest.mark.parametrize("signatures", ["accept", "verify"])
def test_answers_differ_only_in_names(signatures, frozen_clock):
    frozen_clock.move_to("2026-11-21 12:00:00")
    differences = []
    stores = [
        FakeStore(
            dialect=dialect,
            base_url="http://objects.test",
            access_key_id=KEY,
            secret_key="secret",
            signatures=signatures,
            buckets=["photos"],
        )
        for dialect in (S3, RENAMED)
    ]
    for store in stores:
        store["photos"].put("cat.jpg", b"meow", tags={"a": "1"}, metadata={"a": "1"})
    for request in REQUESTS:
        expected = renamed(answer(stores[0], *request))
        found = answer(stores[1], *renamed(request))
        differences += [
            (request[:3], name, expected.get(name), found.get(name))
            for name in sorted(expected.keys() | found.keys())
            if expected.get(name) != found.get(name)
        ]
        shown = NAMES_OF_S3.search(json.dumps(found))
        differences += [(request[:3], shown)] if shown else []
    assert differences == []


def test_error_of_a_wrong_hash_names_the_header_of_the_dialect():
    store = FakeStore(dialect=RENAMED, signatures="verify", buckets=["photos"])
    with store.session() as session:
        session.mount("https://", store.adapter())
        reply = session.put(store.url("photos", "cat.jpg"), b"meow", headers={"x-zed-content-sha256": "0" * 64})
    assert "The provided 'x-zed-content-sha256' header does not match" in reply.text
    assert "x-amz-" not in reply.text


def answer(store, method, target, headers, body):
    """Return the reply and what is said about it, without hashes of texts that are signed."""
    content = body.encode()
    length = {"Content-Length": str(len(content))} if method in ("PUT", "POST") else {}
    try:
        reply = store.handle(Request.to_url(method, f"http://objects.test{target}", {**headers, **length}, content))
    except UnsupportedRequest as unsupported:
        store.unhandled_requests.clear()
        return {"unsupported": str(unsupported)}
    return {
        "status": reply.status,
        **{name.lower(): value for name, value in reply.headers.items() if name.lower() != "content-length"},
        "body": HASHED.sub("(hash)", bytes(reply.body).decode()),
        "explanation": HASHED.sub("(hash)", store.exchanges[-1].explanation or ""),
    }
