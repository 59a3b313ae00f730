"""The expiration header (specification, sections 3, 4.1 and 4.2), and what an expiration rule removes."""

from __future__ import annotations

import pytest

from fakestore import DeleteMarker
from tests.support.state import stack
from tests.support.wire import outcome, send

statement = pytest.mark.statement
decision = pytest.mark.decision

EXPIRATION = 'expiry-date="Mon, 23 Nov 2026 00:00:00 GMT", rule-id="old-photos"'


@statement("3-06", "4.1-40", "4.1-42", "4.1-43", "4.2-44")
@decision("expiration-header")
def test_replies_about_the_current_object_say_when_it_expires(store, noon):
    for rule_id, days in {"later": 2, "old-photos": 1, "of the same day": 1}.items():
        store["kept"].expire(rule_id=rule_id, days=days)
    answers = [
        send(store, "PUT", "kept", "/cat.jpg", body=b"meow"),
        send(store, "PUT", "kept", "/copy.jpg", {"x-svc-copy-source": "/kept/cat.jpg"}),
        send(store, "GET", "kept", "/cat.jpg"),
        send(store, "HEAD", "kept", "/cat.jpg"),
        send(store, "GET", "kept", "/cat.jpg", {"Range": "bytes=0-1"}),
        send(store, "GET", "kept", "/cat.jpg", {"If-Modified-Since": "Sat, 21 Nov 2026 12:00:00 GMT"}),
    ]
    assert [answer.status for answer in answers] == [200, 200, 200, 200, 206, 304]
    assert [answer.headers.get("x-svc-expiration") for answer in answers] == [EXPIRATION] * 6


@decision("expiration-header")
def test_other_replies_do_not_say_when_the_object_expires(store, noon):
    store["kept"].expire(rule_id="old-photos", days=1)
    version = store["kept"].put("cat.jpg", b"meow").version_id
    answers = [
        send(store, "GET", "kept", f"/cat.jpg?versionId={version}"),
        send(store, "HEAD", "kept", f"/cat.jpg?versionId={version}"),
        send(store, "GET", "kept", "/cat.jpg?acl"),
        send(store, "DELETE", "kept", "/cat.jpg"),
        send(store, "GET", "kept", "/cat.jpg"),
    ]
    assert [answer.status for answer in answers] == [200, 200, 200, 204, 404]
    assert [answer.headers.get("x-svc-expiration") for answer in answers] == [None] * 5


@statement("4.1-41")
def test_put_outside_of_a_rule_has_no_expiration_header(store):
    store["photos"].expire(rule_id="old-photos", prefix="2026/", days=3)
    assert "x-svc-expiration" not in send(store, "PUT", "photos", "/2025/cat.jpg").headers
    assert "x-svc-expiration" in send(store, "PUT", "photos", "/2026/cat.jpg").headers


@statement("4.1-43")
@decision("rule-id-is-encoded")
@pytest.mark.parametrize(
    ("rule_id", "encoded"),
    [
        ("Az09_.-~", "Az09_.-~"),
        ("old photos/50%, +1; c=d", "old photos/50%, +1; c=d"),
        ("für \xff", "für \xff"),
        ('"a"\\b', "%22a%22%5Cb"),
        ("a\nb\x7fc\x85", "a%0Ab%7Fc%C2%85"),
        ("猫\N{GRINNING FACE}", "%E7%8C%AB%F0%9F%98%80"),
    ],
)
def test_header_shows_the_rule_id_as_it_was_given(store, noon, rule_id, encoded):
    store["photos"].expire(rule_id=rule_id, days=1)
    answer = send(store, "PUT", "photos", "/cat.jpg")
    assert answer.headers["x-svc-expiration"] == EXPIRATION.replace("old-photos", encoded)


@statement("3-29")
@decision("expiration")
@pytest.mark.parametrize(
    ("bucket", "left"), [("photos", []), ("kept", [DeleteMarker, b"meow"]), ("paused", [DeleteMarker])]
)
def test_expiration_rule_removes_the_object_when_it_is_due(store, noon, bucket, left):
    store[bucket].put("cat.jpg", b"meow")
    store[bucket].put("other.jpg", b"meow")
    store[bucket].expire(rule_id="old", prefix="cat", days=1)
    noon.move_to("2026-11-22 23:59:59")
    assert stack(store, bucket, "cat.jpg") == [b"meow"]
    noon.tick(1)
    assert outcome(send(store, "GET", bucket, "/cat.jpg")) == (404, "NoSuchKey")
    assert stack(store, bucket, "cat.jpg") == left
    assert stack(store, bucket, "other.jpg") == [b"meow"]
