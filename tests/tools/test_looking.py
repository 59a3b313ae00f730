"""What is shown to a person: the tree, and reprs."""

from __future__ import annotations

import datetime as dt

import pytest

from fakestore import FakeStore, MfaDevice, SparseContent, fake_store

WHEN = dt.datetime(2026, 11, 21, 12, tzinfo=dt.UTC)


@pytest.fixture
def store():
    return FakeStore()


def test_a_store_without_buckets(store):
    assert store.describe() == "no buckets"


def test_an_empty_bucket(store):
    store.create_bucket("photos")
    assert store.describe() == "photos  (of default, versioning never)\n└── (empty)"


def test_a_bucket_never_versioned_shows_no_version_ids(store):
    photos = store.create_bucket("photos")
    photos.put("cat.jpg", b"meow", content_type="image/jpeg", last_modified=WHEN)
    photos.put("dog.jpg", b"x" * 1234, last_modified=WHEN)
    assert store.describe() == (
        "photos  (of default, versioning never)\n"
        "├── cat.jpg  4 bytes  image/jpeg  2026-11-21 12:00:00\n"
        "└── dog.jpg  1,234 bytes  binary/octet-stream  2026-11-21 12:00:00"
    )


def test_a_versioned_bucket_shows_its_stacks_newest_first(store):
    photos = store.create_bucket("photos", versioning="enabled")
    first = photos.put("cat.jpg", b"meow", last_modified=WHEN)
    marker = photos.delete("cat.jpg", last_modified=WHEN)
    assert store.describe() == (
        "photos  (of default, versioning enabled)\n"
        "└── cat.jpg\n"
        f"    ├── {marker.version_id}  delete marker  2026-11-21 12:00:00  (latest)\n"
        f"    └── {first.version_id}  4 bytes  binary/octet-stream  2026-11-21 12:00:00"
    )


def test_buckets_stand_by_name(store):
    for name in ("photos", "films"):
        store.create_bucket(name)
    assert [line.split()[0] for line in store.describe().splitlines()] == ["films", "└──", "photos", "└──"]


def test_settings_of_a_bucket_stand_beside_its_name(store):
    alice = store.create_account("alice")
    photos = store.create_bucket("photos", owner=alice)
    photos.set_versioning("enabled", mfa_device=MfaDevice("20899872", "301749"))
    photos.expire(rule_id="soon", days=1)
    photos.deny(alice, "s3:GetObject")
    assert store.describe().splitlines()[0] == (
        "photos  (of alice, versioning enabled, MFA Delete, 1 lifecycle rule, 1 policy statement)"
    )


def test_grants_to_others_stand_behind_an_object(store):
    store.create_bucket("photos").put("cat.jpg", b"meow", acl="public-read", last_modified=WHEN)
    assert store.describe().splitlines()[1].endswith("12:00:00  grants AllUsers:READ")


@pytest.mark.parametrize("key", ["line\nbreak", " blank", "tab\t", "\x00"])
def test_a_key_that_cannot_be_seen_is_quoted(store, key):
    store.create_bucket("photos").put(key, last_modified=WHEN)
    assert store.describe().splitlines()[1].startswith(f"└── {key!r}  0 bytes")


def test_many_keys_are_cut(store):
    photos = store.create_bucket("photos")
    for number in range(1205):
        photos.put(f"{number:04}", last_modified=WHEN)
    lines = store.describe().splitlines()
    assert (len(lines), lines[-1]) == (202, "└── ... and 1,005 more keys")


def test_many_versions_of_a_key_are_cut(store):
    photos = store.create_bucket("photos", versioning="enabled")
    for _ in range(25):
        photos.put("cat.jpg", last_modified=WHEN)
    lines = store.describe().splitlines()
    assert (len(lines), lines[-1]) == (23, "    └── ... and 5 older versions")


def test_the_repr_of_a_store(store):
    assert repr(store) == "<FakeStore http://objects.test: buckets none; 0 exchanges>"


def test_the_repr_of_a_store_that_was_used():
    with fake_store(base_url="https://s3.internal:9000", buckets=["photos", "films"]) as store:
        store.session().get(store.url("photos", "none"))
        assert repr(store) == "<FakeStore https://s3.internal:9000: buckets films, photos; 1 exchange>"


def test_the_repr_of_a_bucket(store):
    photos = store.create_bucket("photos", versioning="enabled")
    photos.put("cat.jpg", last_modified=WHEN)
    assert repr(photos) == "<Bucket 'photos' of default, versioning enabled, 1 key>"


def test_the_repr_of_a_version(store):
    version = store.create_bucket("photos").put("cat.jpg", b"meow", last_modified=WHEN)
    assert repr(version) == (
        "<ObjectVersion 'cat.jpg' null: 4 bytes, binary/octet-stream, 2026-11-21 12:00:00, of default>"
    )


def test_the_repr_of_a_delete_marker(store):
    marker = store.create_bucket("photos", versioning="enabled").delete("cat.jpg", last_modified=WHEN)
    assert repr(marker) == f"<DeleteMarker 'cat.jpg' {marker.version_id}: 2026-11-21 12:00:00, of default>"


def test_the_repr_of_an_account_keeps_its_secret(store):
    alice = store.create_account("alice", secret_key="hush")
    assert ("alice" in repr(alice), "hush" in repr(alice)) == (True, False)


def test_the_repr_of_sparse_content():
    assert repr(SparseContent(5)) == "SparseContent(size=5)"


def test_a_missing_bucket_is_a_key_error_that_names_those_there_are(store):
    store.create_bucket("photos")
    with pytest.raises(KeyError, match="there is no bucket 'films'; buckets: 'photos'"):
        store["films"]


# -- a store as the mapping of its buckets


@pytest.mark.parametrize(("name", "there"), [("photos", True), ("films", False), ("", False), (7, False)])
def test_a_store_contains_its_buckets_by_name(store, name, there):
    store.create_bucket("photos")
    assert (name in store) is there


def test_a_store_iterates_over_the_names_of_its_buckets_in_order(store):
    store.create_bucket("photos")
    store.create_bucket("films")
    assert list(store) == list(store.buckets) == ["films", "photos"]


def test_the_length_of_a_store_is_how_many_buckets_it_has(store):
    lengths = [len(store)]
    store.create_bucket("photos")
    assert [*lengths, len(store)] == [0, 1]


def test_a_store_without_buckets_is_true_all_the_same(store):
    assert bool(store)
