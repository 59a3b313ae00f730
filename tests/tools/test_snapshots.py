"""Rolling back: snapshots, restore, reset."""

from __future__ import annotations

import pytest
import requests
from freezegun import freeze_time

from fakestore import FakeStore, MfaDevice, fake_store, faults


@pytest.fixture
def photos(fakestore):
    bucket = fakestore.create_bucket("photos", versioning="enabled")
    bucket.put("cat.jpg", b"meow")
    return bucket


def test_a_restore_takes_back_what_was_written_since(fakestore, photos):
    before = fakestore.describe()
    snapshot = fakestore.snapshot()
    session = fakestore.session()
    session.put(fakestore.url("photos", "dog.jpg"), data=b"woof")
    session.put(fakestore.url("photos", "cat.jpg"), data=b"purr")
    session.delete(fakestore.url("photos", "cat.jpg"))
    fakestore.restore(snapshot)
    assert fakestore.describe() == before


def test_a_restore_brings_back_what_was_deleted_for_good(fakestore, photos):
    versions = photos.versions()
    snapshot = fakestore.snapshot()
    photos.delete_version("cat.jpg", versions[0].version_id)
    fakestore.restore(snapshot)
    assert photos.versions() == versions


def test_a_snapshot_may_be_restored_as_often_as_wanted(fakestore, photos):
    snapshot = fakestore.snapshot()
    seen = []
    for _ in range(3):
        photos.put("cat.jpg", b"purr")
        photos.put("dog.jpg", b"woof")
        fakestore.restore(snapshot)
        seen.append([version.content for version in photos.versions()])
    assert seen == [[b"meow"]] * 3


def test_snapshots_may_be_restored_in_any_order(fakestore, photos):
    first = fakestore.snapshot()
    photos.put("dog.jpg", b"woof")
    second = fakestore.snapshot()
    seen = []
    for snapshot in (first, second, first):
        fakestore.restore(snapshot)
        seen.append(list(photos))
    assert seen == [["cat.jpg"], ["cat.jpg", "dog.jpg"], ["cat.jpg"]]


def test_what_is_written_between_two_snapshots_of_one_key_stays_with_the_second(fakestore, photos):
    first = fakestore.snapshot()
    photos.put("cat.jpg", b"purr")
    second = fakestore.snapshot()
    photos.put("cat.jpg", b"hiss")
    fakestore.restore(second)
    of_second = photos["cat.jpg"].content
    fakestore.restore(first)
    assert (of_second, photos["cat.jpg"].content) == (b"purr", b"meow")


def test_a_snapshot_copies_no_content(fakestore, photos):
    content = bytes(100_000)
    photos.put("big", content)
    fakestore.restore(fakestore.snapshot())
    assert photos["big"].content is content


def test_a_handle_sees_the_state_after_a_restore(fakestore, photos):
    snapshot = fakestore.snapshot()
    fakestore.create_bucket("films")
    films = fakestore["films"]
    fakestore.restore(snapshot)
    with pytest.raises(KeyError, match=r"there is no bucket 'films' \(any more\); buckets: photos"):
        films.put("x")


def test_a_bucket_made_again_under_an_old_handle_is_that_handles(fakestore):
    empty = fakestore.snapshot()
    handle = fakestore.create_bucket("photos")
    fakestore.restore(empty)
    fakestore.create_bucket("photos").put("cat.jpg", b"meow")
    assert handle["cat.jpg"].content == b"meow"


def test_a_restore_puts_back_versioning_and_mfa_delete(fakestore, photos):
    snapshot = fakestore.snapshot()
    photos.set_versioning("suspended")
    photos.set_versioning("enabled", mfa_device=MfaDevice("20899872", "301749"))
    photos.set_versioning("suspended")
    fakestore.restore(snapshot)
    deleted = fakestore.session().delete(fakestore.url("photos", "cat.jpg", versionId=photos["cat.jpg"].version_id))
    assert (photos.versioning, deleted.status_code) == ("enabled", 204)


def test_a_restore_puts_back_a_bucket_that_was_never_versioned(fakestore):
    films = fakestore.create_bucket("films")
    snapshot = fakestore.snapshot()
    films.set_versioning("enabled")
    fakestore.restore(snapshot)
    assert films.versioning == "never"


def test_a_restore_puts_back_policies(fakestore, photos):
    snapshot = fakestore.snapshot()
    photos.deny(fakestore.default_account, "s3:GetObject")
    denied = fakestore.session().get(fakestore.url("photos", "cat.jpg")).status_code
    fakestore.restore(snapshot)
    assert (denied, fakestore.session().get(fakestore.url("photos", "cat.jpg")).status_code) == (403, 200)


def test_a_restore_puts_back_lifecycle(fakestore, photos):
    snapshot = fakestore.snapshot()
    photos.expire(rule_id="soon", days=1)
    fakestore.restore(snapshot)
    assert "x-svc-expiration" not in fakestore.session().head(fakestore.url("photos", "cat.jpg")).headers


def test_a_restore_undoes_what_lifecycle_did(fakestore, photos):
    photos.expire(rule_id="soon", days=1)
    snapshot = fakestore.snapshot()
    fakestore.travel(days=3)
    gone = list(photos)
    fakestore.travel(days=-3)
    fakestore.restore(snapshot)
    assert (gone, list(photos)) == ([], ["cat.jpg"])


def test_a_restore_puts_back_access_control_lists(fakestore, photos):
    snapshot = fakestore.snapshot()
    before = (photos.acl, photos["cat.jpg"].acl)
    photos.acl = "public-read"
    fakestore.session().put(fakestore.url("photos", "cat.jpg", acl=None), headers={"x-svc-acl": "public-read"})
    fakestore.restore(snapshot)
    assert (photos.acl, photos["cat.jpg"].acl) == before


def test_a_restore_forgets_accounts_made_since(fakestore, photos):
    snapshot = fakestore.snapshot()
    alice = fakestore.create_account("alice")
    fakestore.restore(snapshot)
    answer = fakestore.session(alice).get(fakestore.url("photos", "cat.jpg"))
    assert (answer.status_code, fakestore.exchanges[-1].error_code) == (403, "InvalidAccessKeyId")


def test_an_account_forgotten_by_a_restore_may_be_made_again(fakestore):
    snapshot = fakestore.snapshot()
    alice = fakestore.create_account("alice")
    fakestore.restore(snapshot)
    assert fakestore.create_account("alice") == alice


def test_the_journal_goes_on_over_a_restore(fakestore, photos):
    snapshot = fakestore.snapshot()
    fakestore.session().get(fakestore.url("photos", "cat.jpg"))
    fakestore.restore(snapshot)
    fakestore.session().get(fakestore.url("photos", "cat.jpg"))
    assert len(fakestore.exchanges) == 2


def test_version_ids_go_on_over_a_restore(fakestore, photos):
    snapshot = fakestore.snapshot()
    first = photos.put("dog.jpg").version_id
    fakestore.restore(snapshot)
    assert photos.put("dog.jpg").version_id != first


def test_request_ids_go_on_over_a_restore(fakestore, photos):
    snapshot = fakestore.snapshot()
    ids = set()
    for _ in range(3):
        ids.add(fakestore.session().get(fakestore.url("photos", "cat.jpg")).headers["x-svc-request-id"])
        fakestore.restore(snapshot)
    assert len(ids) == 3


def test_faults_go_on_over_a_restore(fakestore, photos):
    snapshot = fakestore.snapshot()
    fakestore.fail("GET Object", faults.ServiceError("SlowDown"))
    fakestore.restore(snapshot)
    assert fakestore.session().get(fakestore.url("photos", "cat.jpg")).status_code == 503


def test_the_repr_of_a_snapshot_says_how_much_it_holds(fakestore, photos):
    assert repr(fakestore.snapshot()) == "<Snapshot of 1 bucket>"


def test_what_is_no_snapshot_is_a_type_error(fakestore):
    with pytest.raises(TypeError, match=r"a snapshot is what store.snapshot\(\) gives, not 'x'"):
        fakestore.restore("x")


def test_a_snapshot_of_another_store_is_a_value_error_and_changes_nothing(fakestore, photos):
    with pytest.raises(ValueError, match="the snapshot is of another store"):
        fakestore.restore(FakeStore().snapshot())
    assert list(photos) == ["cat.jpg"]


def test_a_snapshot_from_before_a_reset_can_be_restored(fakestore, photos):
    snapshot = fakestore.snapshot()
    fakestore.reset()
    fakestore.restore(snapshot)
    assert [version.content for version in photos.versions()] == [b"meow"]


def test_after_a_reset_and_a_restore_no_version_id_is_given_twice():
    store = FakeStore(buckets={"photos": "enabled"})
    store["photos"].put("cat.jpg")
    snapshot = store.snapshot()
    store.reset()
    store.restore(snapshot)
    store["photos"].put("dog.jpg")
    assert len({version.version_id for version in store["photos"].versions()}) == 2


def test_accounts_are_found_by_their_address_after_a_restore(fakestore, photos):
    bob = fakestore.create_account("bob", email="bob@example.com")
    fakestore.restore(fakestore.snapshot())
    headers = {"x-svc-grant-read": 'emailAddress="bob@example.com"'}
    fakestore.session().put(fakestore.url("photos", "shared"), data=b"meow", headers=headers)
    assert fakestore.session(bob).get(fakestore.url("photos", "shared")).content == b"meow"


# -- reset


def test_a_reset_leaves_what_the_options_name(fakestore):
    store = FakeStore(buckets={"photos": "enabled"})
    store["photos"].put("cat.jpg")
    store.create_bucket("films")
    store["photos"].set_versioning("suspended")
    store.reset()
    assert [(name, bucket.versioning, len(bucket)) for name, bucket in store.buckets.items()] == [
        ("photos", "enabled", 0)
    ]


def test_a_request_under_way_goes_on_with_what_is_there_after_a_reset():
    with fake_store(buckets=["photos"]) as store:

        def body():
            yield b"me"
            store.reset()
            yield b"ow"

        url = store.url("photos", "cat.jpg")
        answer = store.session().put(url, data=body(), headers={"Content-Length": "4"})
        assert (answer.status_code, store["photos"]["cat.jpg"].content) == (200, b"meow")


def test_a_reset_begins_with_the_first_ids_again():
    store = FakeStore(buckets={"photos": "enabled"})
    first = store["photos"].put("cat.jpg").version_id
    store.reset()
    assert store["photos"].put("cat.jpg").version_id == first


def test_a_reset_forgets_accounts_but_the_default_one():
    store = FakeStore()
    before = store.default_account
    alice = store.create_account("alice")
    store.reset()
    assert (store.default_account, store.create_account("alice")) == (before, alice)


def test_a_reset_forgets_refusals():
    with fake_store() as store:
        with pytest.raises(requests.ConnectionError):
            requests.get("http://elsewhere.test/")
        store.reset()
        assert store.unhandled_requests == []


# -- determinism


def said_by(store):
    """All that a client of the store sees, in a few requests."""
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
def test_the_same_seed_and_calls_give_the_same_answers_under_a_frozen_clock():
    first, second = (said_by(FakeStore(buckets={"photos": "enabled"}, seed=7)) for _ in range(2))
    assert first == second


@freeze_time("2026-11-21 12:00:00")
def test_another_seed_gives_other_ids():
    first, second = (FakeStore(buckets={"photos": "enabled"}, seed=seed)["photos"].put("k") for seed in (7, 8))
    assert first.version_id != second.version_id


@freeze_time("2026-11-21 12:00:00")
def test_a_reset_gives_the_same_answers_again():
    store = FakeStore(buckets={"photos": "enabled"})
    first = said_by(store)
    store.reset()
    assert said_by(store) == first
