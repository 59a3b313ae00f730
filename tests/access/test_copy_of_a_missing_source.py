"""A copy reveals a missing source only to requesters who may list its bucket, as a GET does."""

from __future__ import annotations

import pytest

from tests.support.access import DENIED, ask


@pytest.mark.decision("missing-keys")
@pytest.mark.decision("order-in-a-copy")
def test_copy_of_a_missing_source_answers_as_a_get_of_it(fakestore, ann, bob):
    photos = fakestore.create_bucket("photos", owner=ann, versioning="enabled")
    fakestore.create_bucket("drop", acl="public-read-write")
    photos.put("gone.jpg", b"")
    deleted = photos.delete("gone.jpg").version_id
    sources = ["dog.jpg", "gone.jpg", "dog.jpg?versionId=null", f"gone.jpg?versionId={deleted}"]

    def answers(account):
        headers = [{"x-svc-copy-source": f"/photos/{source}"} for source in sources]
        return [ask(fakestore, account, "PUT", "drop", "copy.jpg", headers=each) for each in headers]

    assert answers(bob) == [DENIED] * 4
    photos.allow(bob, "s3:ListBucket")
    revealed = [(404, "NoSuchKey"), (404, "NoSuchKey"), (404, "NoSuchVersion"), (400, "InvalidRequest")]
    assert answers(bob) == answers(ann) == revealed
    missing = {"x-svc-copy-source": "/nowhere/dog.jpg"}
    assert ask(fakestore, bob, "PUT", "drop", "copy.jpg", headers=missing) == (404, "NoSuchBucket")
