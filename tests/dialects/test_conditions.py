"""Conditions that the specification does not have: of a DELETE, and If-Range."""

from __future__ import annotations

from datetime import datetime
from itertools import product

import pytest

from tests.support.cases import each
from tests.support.wire import elements, outcome


@pytest.mark.decision("conditional-requests")
def test_delete_removes_only_what_matches(s3):
    photos = s3.store["photos"]
    photos.versioning = "enabled"
    old, new = photos.put("cat.jpg", b"old"), photos.put("cat.jpg", b"new")
    for key, tag, status in [("/none.jpg", "*", 404), ("/none.jpg", old.etag, 404), ("/cat.jpg", old.etag, 412)]:
        assert s3.send("DELETE", key, headers={"If-Match": tag}).status == status
        assert photos.versions() == [new, old]
    for tag in (new.etag, "*"):
        photos.put("cat.jpg", b"new")
        assert s3.send("DELETE", "/cat.jpg", headers={"If-Match": tag}).status == 204
        assert "cat.jpg" not in photos


@pytest.mark.decision("conditional-requests")
def test_delete_of_a_version_has_no_condition(client):
    photos = client.store["photos"]
    null = photos.put("cat.jpg", b"old")
    photos.versioning = "enabled"
    named = photos.put("cat.jpg", b"new")
    for case in each(*product((null, named), (null.etag, named.etag, "*"))):
        with case as (version, tag):
            reply = client.send("DELETE", "/cat.jpg", headers={"If-Match": tag}, versionId=version.version_id)
            assert outcome(reply) == (501, "NotImplemented")
            assert elements(reply)["Header"] == "If-Match"
            assert photos.versions() == [named, null]


@pytest.mark.decision("range")
@pytest.mark.parametrize(
    ("condition", "status"),
    [("tag", 206), ("date", 206), ("weak", 200), ('"other"', 200), ("Sun, 06 Nov 1994 08:49:37 GMT", 200)],
)
def test_if_range_sends_all_of_an_object_that_changed(s3, condition, status):
    s3.store["photos"].put("cat.jpg", b"meow")
    head = s3.send("HEAD", "/cat.jpg").headers
    condition = {"tag": head["ETag"], "weak": f"W/{head['ETag']}", "date": head["Last-Modified"]}.get(
        condition, condition
    )
    reply = s3.send("GET", "/cat.jpg", headers={"Range": "bytes=0-1", "If-Range": condition})
    assert (reply.status, reply.body) == (status, b"me" if status == 206 else b"meow")


@pytest.mark.decision("dates-before-1970")
@pytest.mark.parametrize("dialect", ["document", "s3"])
def test_date_before_1970_is_a_date_like_any_other(client_with, s3, dialect):
    client = s3 if dialect == "s3" else client_with()
    photos = client.store["photos"]
    photos.put("cat.jpg", b"meow")
    for case in each(
        *product(
            ("Wed, 31 Dec 1969 23:59:59 GMT", "Mon, 01 Jan 1601 00:00:00 GMT"), (("modified", 200), ("unmodified", 412))
        )
    ):
        with case as (day, (condition, status)):
            read = {f"If-{condition}-Since": day}
            copy = {"copy-source": "/photos/cat.jpg", f"copy-source-if-{condition}-since": day}
            assert client.send("GET", "/cat.jpg", headers=read).status == status
            assert client.send("PUT", "/copy", headers=copy).status == status
    photos.expire(rule_id="old", date=datetime(1969, 12, 31))
    assert sorted(photos) == ["cat.jpg", "copy"]
    client.store.travel(days=1)
    assert list(photos) == []
