"""How long an answer says that it is."""

from __future__ import annotations

import pytest
from freezegun import freeze_time

from tests.spec.arrange import etag_of, whole, wire


@pytest.fixture
def fakestore_options():
    return {"buckets": ["photos"]}


@freeze_time("2026-11-21 12:00:00")
@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize(
    "condition", [("If-None-Match", etag_of(b"meow")), ("If-Modified-Since", "Sat, 21 Nov 2026 12:00:00 GMT")]
)
def test_a_304_has_neither_a_body_nor_a_length(fakestore, method, condition):
    fakestore["photos"].put("cat.jpg", b"meow")
    assert whole(wire(fakestore, method, "photos", "/cat.jpg", [condition])) == (
        304,
        {"etag": etag_of(b"meow"), "last-modified": "Sat, 21 Nov 2026 12:00:00 GMT"},
        b"",
    )


@pytest.mark.parametrize(
    ("method", "target", "length"),
    [
        ("GET", "/cat.jpg", "4"),
        ("HEAD", "/cat.jpg", "4"),
        ("PUT", "/?acl", "0"),
        ("DELETE", "/?policy", None),
        ("DELETE", "/cat.jpg", "0"),
    ],
)
def test_an_answer_says_how_long_its_body_is(fakestore, method, target, length):
    fakestore["photos"].put("cat.jpg", b"meow")
    answer = wire(fakestore, method, "photos", target, [("x-svc-acl", "private")] if target == "/?acl" else [])
    assert answer.headers.get("Content-Length") == length
