"""What lifecycle rules did, in the journal."""

from __future__ import annotations

import boto3
import pytest
from freezegun import freeze_time

from fakestore import EntryId, Exchange, LifecycleEffect, StorageClass, fake_store

MIDNIGHT = "2026-11-24 00:00:00"


def effects(store):
    return [entry for entry in store.journal if isinstance(entry, LifecycleEffect)]


@pytest.fixture(autouse=True)
def clock():
    with freeze_time("2026-11-22 10:00:00") as frozen:
        yield frozen


def test_removal_by_a_rule_is_in_the_journal_between_the_requests(fakestore, clock):
    fakestore.create_bucket("photos")
    session, url = fakestore.session(), fakestore.url("photos", "cat.jpg")
    fakestore["photos"].expire(rule_id="old", days=1)
    session.put(url, data=b"meow")
    clock.move_to("2026-11-25 12:00:00")
    session.get(url)
    put, effect, get = fakestore.journal
    assert [put, get] == fakestore.exchanges
    assert (effect.bucket, effect.key, effect.rule_id, f"{effect.due:%F %T}") == ("photos", "cat.jpg", "old", MIDNIGHT)
    assert (effect.created, effect.removed, effect.moved) == ((), (EntryId("cat.jpg", "null"),), ())
    assert str(effect) == f"lifecycle rule 'old', due {MIDNIGHT}: photos/cat.jpg, removed version null"
    fakestore.reset()
    assert fakestore.journal == []


def test_marker_of_an_expired_object_and_removed_versions_are_in_the_journal(fakestore, clock):
    photos = fakestore.create_bucket("photos", versioning="enabled")
    photos.expire(rule_id="old", days=1, noncurrent_days=1)
    first = photos.put("cat.jpg", b"meow")
    clock.move_to("2026-11-24 12:00:00")
    (marker,) = photos.versions("cat.jpg")[:1]
    clock.move_to("2026-11-26 12:00:00")
    assert "cat.jpg" not in photos
    expired, removed, *_ = effects(fakestore)
    assert (expired.created, expired.removed) == ((EntryId.of(marker),), ())
    assert str(expired).endswith(f"photos/cat.jpg, created {marker.version_id[:8]}... (delete marker)")
    assert (removed.created, removed.removed) == ((), (EntryId.of(first),))


def test_marker_is_due_when_the_last_version_below_it_was_removed(fakestore, clock):
    photos = fakestore.create_bucket("photos", versioning="enabled")
    photos.expire(rule_id="old", noncurrent_days=10, expired_marker=True)
    photos.put("cat.jpg", b"meow")
    photos.delete("cat.jpg")
    clock.move_to("2026-12-24 12:00:00")
    assert photos.versions() == []
    assert [f"{each.due:%F}" for each in effects(fakestore)] == ["2026-12-03", "2026-12-03"]


def test_transitions_and_aborted_uploads_are_in_the_journal(clock):
    with fake_store(dialect="s3", buckets={"photos": "enabled"}) as store:
        s3 = boto3.client("s3")
        rule = {
            "ID": "archive",
            "Status": "Enabled",
            "Filter": {},
            "Transitions": [{"Days": 1, "StorageClass": "GLACIER"}],
            "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 1},
        }
        s3.put_bucket_lifecycle_configuration(Bucket="photos", LifecycleConfiguration={"Rules": [rule]})
        upload_id = s3.create_multipart_upload(Bucket="photos", Key="film")["UploadId"]
        photo = store["photos"].put("cat.jpg", bytes(200_000))
        clock.move_to("2026-11-25 12:00:00")
        assert store["photos"]["cat.jpg"].storage_class is StorageClass.GLACIER
        aborted, moved = effects(store)
    assert (aborted.key, aborted.upload_id, aborted.removed) == ("film", upload_id, ())
    assert str(aborted).endswith(f"photos/film, aborted upload {upload_id[:8]}...")
    assert (moved.moved, moved.storage_class) == ((EntryId.of(photo),), StorageClass.GLACIER)
    assert str(moved).endswith(f"photos/cat.jpg, moved {photo.version_id[:8]}... to GLACIER")


def test_journal_keeps_as_many_effects_as_exchanges(clock):
    with fake_store(buckets=["photos"], journal_size=3) as store:
        store["photos"].expire(rule_id="old", days=1)
        for number in range(5):
            store["photos"].put(f"{number}.jpg")
        store.session().get(store.url("photos"))
        clock.move_to("2026-11-25 12:00:00")
        assert list(store["photos"]) == []
        assert [type(entry) for entry in store.journal] == [Exchange, *[LifecycleEffect] * 3]
        assert [effect.key for effect in effects(store)] == ["2.jpg", "3.jpg", "4.jpg"]


def test_an_effect_keeps_its_place_after_exchanges_were_dropped(clock):
    with fake_store(buckets=["photos"], journal_size=2) as store:
        store["photos"].expire(rule_id="old", days=1)
        store["photos"].put("cat.jpg")
        for _ in range(4):
            store.session().get(store.url("photos"))
        clock.move_to("2026-11-25 12:00:00")
        assert list(store["photos"]) == []
        assert [type(entry) for entry in store.journal] == [Exchange, Exchange, LifecycleEffect]
        store.session().get(store.url("photos"))
        assert [type(entry) for entry in store.journal] == [Exchange, LifecycleEffect, Exchange]


def test_effects_after_a_snapshot_was_restored_are_in_the_journal(fakestore, clock):
    fakestore.create_bucket("photos").put("cat.jpg")
    fakestore["photos"].expire(rule_id="old", days=1)
    before = fakestore.snapshot()
    for _ in range(2):
        fakestore.restore(before)
        clock.move_to("2026-11-25 12:00:00")
        assert list(fakestore["photos"]) == []
    assert [effect.key for effect in effects(fakestore)] == ["cat.jpg", "cat.jpg"]
