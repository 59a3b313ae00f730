"""Copies: what a requester learns about a missing source, and copies of a named version onto itself."""

from __future__ import annotations

import pytest

from tests.corrections.arrange import outcome, stack

NEVER_ISSUED = "x" * 32


@pytest.fixture
def fakestore_options():
    return {"buckets": {"photos": "enabled", "drafts": "never"}}


@pytest.fixture
def bob(fakestore):
    account = fakestore.create_account("bob")
    fakestore.create_bucket("inbox", owner=account)
    return account


@pytest.fixture
def missing(fakestore):
    """Sources without an object: the query of their URLs by key."""
    photos = fakestore["photos"]
    gone = photos.put("gone.jpg", b"gone")
    photos.delete_version("gone.jpg", gone.version_id)
    photos.put("deleted.jpg", b"under a marker")
    marker = photos.delete("deleted.jpg")
    return [
        ("never.jpg", {}),
        ("deleted.jpg", {}),
        ("deleted.jpg", {"versionId": marker.version_id}),
        ("deleted.jpg", {"versionId": gone.version_id}),
        ("deleted.jpg", {"versionId": NEVER_ISSUED}),
    ]


def read(store, account, key, query):
    return outcome(store, "GET", store.url("photos", key, **query), account=account)


def copy(store, account, key, query):
    source = f"/photos/{key}" + "".join(f"?{name}={value}" for name, value in query.items())
    url = store.url("inbox", "copy.jpg")
    return outcome(store, "PUT", url, [("x-svc-copy-source", source)], account=account)


@pytest.mark.decision("missing-source-of-a-copy")
def test_a_copy_does_not_reveal_what_its_source_bucket_lacks(fakestore, bob, missing):
    reads = [read(fakestore, bob, key, query) for key, query in missing]
    copies = [copy(fakestore, bob, key, query) for key, query in missing]

    assert reads == [(403, "AccessDenied")] * len(missing)
    assert copies == reads
    assert stack(fakestore, "inbox", "copy.jpg") == []


@pytest.mark.decision("missing-source-of-a-copy")
def test_a_copy_reports_a_missing_source_to_who_may_list(fakestore, bob, missing):
    fakestore["photos"].acl = "public-read"
    assert [copy(fakestore, bob, key, query) for key, query in missing] == [
        (404, "NoSuchKey"),
        (404, "NoSuchKey"),
        (400, "InvalidRequest"),
        (404, "NoSuchVersion"),
        (400, "InvalidArgument"),
    ]


@pytest.mark.decision("named-version-copied-onto-itself")
@pytest.mark.parametrize(("bucket", "versions"), [("photos", [b"meow", b"meow"]), ("drafts", [b"meow"])])
def test_a_copy_onto_itself_is_made_if_it_names_a_version(fakestore, bucket, versions):
    current = fakestore[bucket].put("cat.jpg", b"meow")
    url = fakestore.url(bucket, "cat.jpg")

    unnamed = outcome(fakestore, "PUT", url, [("x-svc-copy-source", f"/{bucket}/cat.jpg")])
    source = f"/{bucket}/cat.jpg?versionId={current.version_id}"
    named = outcome(fakestore, "PUT", url, [("x-svc-copy-source", source)])

    assert unnamed == (400, "InvalidRequest")
    assert named == (200, None)
    assert stack(fakestore, bucket, "cat.jpg") == versions
