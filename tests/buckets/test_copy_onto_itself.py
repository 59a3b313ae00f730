"""A copy of the current version onto itself is refused only if the source names no version."""

from __future__ import annotations

import pytest

from tests.support.wire import outcome, request


@pytest.fixture
def cat(photos):
    photos.set_versioning("enabled")
    return photos.put("cat.jpg", b"meow", metadata={"name": "Felix"})


def copy(store, source):
    return request(store, "PUT", "photos", "cat.jpg", headers={"x-svc-copy-source": source})


@pytest.mark.decision("copy-onto-itself")
def test_copy_onto_itself_that_names_the_current_version_is_made(store, photos, cat):
    reply = copy(store, f"/photos/cat.jpg?versionId={cat.version_id}")
    assert outcome(reply) == (200, None)
    assert reply.headers["x-svc-version-id"] not in ("null", cat.version_id)
    newer, older = photos.versions("cat.jpg")
    assert (newer.content, dict(newer.metadata), older) == (b"meow", {"name": "Felix"}, cat)


@pytest.mark.decision("copy-onto-itself")
def test_copy_onto_itself_that_names_no_version_is_refused(store, photos, cat):
    assert outcome(copy(store, "/photos/cat.jpg")) == (400, "InvalidRequest")
    assert photos.versions() == [cat]
