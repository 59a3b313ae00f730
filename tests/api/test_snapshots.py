"""Rolling back: snapshot, restore and reset."""

from __future__ import annotations

import pytest
import requests
from freezegun import freeze_time

from fakestore import FakeStore, MfaDevice, Snapshot, fake_store, faults


@pytest.fixture
def photos(fakestore):
    bucket = fakestore.create_bucket("photos", versioning="enabled")
    bucket.put("cat.jpg", b"meow")
    return bucket


def test_a_restore_undoes_all_that_was_written(fakestore, photos):
    snapshot = fakestore.snapshot()
    assert isinstance(snapshot, Snapshot)
    before, versions = fakestore.describe(), photos.versions()
    for _ in range(3):
        session = fakestore.session()
        session.put(fakestore.url("photos", "dog.jpg"), data=b"woof")
        session.put(fakestore.url("photos", "cat.jpg"), data=b"purr")
        session.delete(fakestore.url("photos", "cat.jpg"))
        photos.delete_version("cat.jpg", versions[0].version_id)
        fakestore.restore(snapshot)
        assert (fakestore.describe(), photos.versions()) == (before, versions)


def test_snapshots_may_be_restored_in_any_order(fakestore, photos):
    first = fakestore.snapshot()
    photos.put("cat.jpg", b"purr")
    second = fakestore.snapshot()
    photos.put("cat.jpg", b"hiss")
    seen = []
    for snapshot in (second, first, second, first):
        fakestore.restore(snapshot)
        seen.append(photos["cat.jpg"].content)
    assert seen == [b"purr", b"meow"] * 2


def test_a_snapshot_copies_no_content(fakestore, photos):
    content = bytes(100_000)
    photos.put("big", content)
    fakestore.restore(fakestore.snapshot())
    assert photos["big"].content is content


def test_a_restore_puts_back_the_settings_of_buckets(fakestore, photos):
    films = fakestore.create_bucket("films")
    acls = (photos.acl, photos["cat.jpg"].acl)
    snapshot = fakestore.snapshot()
    films.versioning = "enabled"
    photos.versioning = "suspended"
    photos.enable_mfa_delete(MfaDevice("20899872", "301749"))
    photos.acl = "public-read"
    session, url = fakestore.session(), fakestore.url("photos", "cat.jpg")
    session.put(fakestore.url("photos", "cat.jpg", acl=None), headers={"x-svc-acl": "public-read"})
    photos.expire(rule_id="soon", days=1)
    photos.deny(fakestore.default_account, "s3:GetObject")
    fakestore.restore(snapshot)
    assert (films.versioning, photos.versioning, (photos.acl, photos["cat.jpg"].acl)) == ("never", "enabled", acls)
    answer = session.get(url)
    assert (answer.status_code, "x-svc-expiration" in answer.headers) == (200, False)
    version_id = photos["cat.jpg"].version_id
    assert session.delete(fakestore.url("photos", "cat.jpg", versionId=version_id)).status_code == 204


def test_a_restore_undoes_what_lifecycle_did(fakestore, photos):
    photos.expire(rule_id="soon", days=1)
    snapshot = fakestore.snapshot()
    fakestore.travel(days=3)
    expired = list(photos)
    fakestore.travel(days=-3)
    fakestore.restore(snapshot)
    assert (expired, list(photos)) == ([], ["cat.jpg"])


def test_a_restore_puts_back_accounts_and_their_addresses(fakestore, photos):
    bob = fakestore.create_account("bob", email="bob@example.com")
    snapshot = fakestore.snapshot()
    alice = fakestore.create_account("alice")
    fakestore.restore(snapshot)
    fakestore.session(alice).get(fakestore.url("photos", "cat.jpg"))
    assert fakestore.exchanges[-1].error_code == "InvalidAccessKeyId"
    assert fakestore.create_account("alice") == alice
    headers = {"x-svc-grant-read": 'emailAddress="bob@example.com"'}
    fakestore.session().put(fakestore.url("photos", "shared"), data=b"meow", headers=headers)
    assert fakestore.session(bob).get(fakestore.url("photos", "shared")).content == b"meow"


def test_journal_faults_and_ids_go_on_after_a_restore(fakestore, photos):
    snapshot = fakestore.snapshot()
    version_ids, request_ids = set(), set()
    fakestore.fail("GET Object", faults.ServiceError("SlowDown"), times=None)
    for _ in range(3):
        version_ids.add(photos.put("dog.jpg").version_id)
        answer = fakestore.session().get(fakestore.url("photos", "cat.jpg"))
        request_ids.add(answer.headers["x-svc-request-id"])
        fakestore.restore(snapshot)
        assert answer.status_code == 503
    assert (len(version_ids), len(request_ids), len(fakestore.exchanges)) == (3, 3, 3)


def test_a_snapshot_of_another_store_is_refused(fakestore, photos):
    with pytest.raises(ValueError, match="another store"):
        fakestore.restore(FakeStore().snapshot())
    with pytest.raises(TypeError, match="expected a snapshot"):
        fakestore.restore(None)
    assert list(photos) == ["cat.jpg"]


def test_after_a_reset_and_a_restore_no_version_id_is_issued_twice():
    store = FakeStore(buckets={"photos": "enabled"})
    store["photos"].put("cat.jpg")
    snapshot = store.snapshot()
    store.reset()
    store.restore(snapshot)
    store["photos"].put("dog.jpg")
    assert len({version.version_id for version in store["photos"].versions()}) == 2


# -- reset


def test_a_reset_starts_again_with_what_the_options_name():
    store = FakeStore(buckets={"photos": "enabled"})
    account, first = store.default_account, store["photos"].put("cat.jpg").version_id
    alice = store.create_account("alice")
    store.create_bucket("films")
    store["photos"].versioning = "suspended"
    store.reset()
    assert [(name, each.versioning, len(each)) for name, each in store.buckets.items()] == [("photos", "enabled", 0)]
    assert (store.default_account, store.create_account("alice")) == (account, alice)
    assert store["photos"].put("cat.jpg").version_id == first


def test_a_reset_forgets_unhandled_requests():
    with fake_store() as store:
        with pytest.raises(requests.ConnectionError):
            requests.get("http://elsewhere.test/")
        store.reset()
        assert store.unhandled_requests == []


def test_a_request_in_progress_writes_to_the_store_after_the_reset():
    with fake_store(buckets=["photos"]) as store:

        def body():
            yield b"me"
            store.reset()
            yield b"ow"

        url = store.url("photos", "cat.jpg")
        answer = store.session().put(url, data=body(), headers={"Content-Length": "4"})
        assert (answer.status_code, store["photos"]["cat.jpg"].content) == (200, b"meow")


# -- determinism


def answers_of(store):
    """Return all that a client of the store sees, in a few requests."""
    session = store.session()
    session.mount("http://", store.adapter())
    answers = [
        session.put(store.url("photos", "cat.jpg"), data=b"meow"),
        session.put(store.url("photos", "copy"), headers={"x-svc-copy-source": "/photos/cat.jpg"}),
        session.get(store.url("photos", "none")),
        session.delete(store.url("photos", "cat.jpg")),
        session.get(store.url("photos", versions=None)),
    ]
    return [(answer.status_code, dict(answer.headers), answer.text) for answer in answers]


@freeze_time("2026-11-21 12:00:00")
def test_the_same_seed_and_calls_give_the_same_answers():
    stores = [FakeStore(buckets={"photos": "enabled"}, seed=seed) for seed in (7, 7, 8)]
    first, second, other = map(answers_of, stores)
    assert (first == second, first == other) == (True, False)
    stores[0].reset()
    assert answers_of(stores[0]) == first
