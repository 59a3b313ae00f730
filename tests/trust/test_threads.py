"""Many threads, few keys, one store."""

import hashlib

import pytest
import requests
from requests.adapters import HTTPAdapter

from fakestore import FakeStore, fake_store, faults
from fakestore.model.accounts import Accounts
from tests.trust.crowd import Crowd, together


def session_of(store):
    session = store.session()
    session.mount("http://", store.adapter())
    return session


@pytest.mark.parametrize("seed", range(2))
def test_32_threads_of_mixed_operations_lose_nothing_and_see_only_whole_writes(seed):
    crowd = Crowd(seed, steps=15)
    crowd.run()
    crowd.check()


def put_one_key(store, number):
    content = bytes([number]) * 50_000
    with session_of(store) as session:
        return session.put(store.url("photos", "k"), data=content)


def test_16_threads_that_write_one_key_of_a_bucket_never_versioned_leave_one_whole_object():
    store = FakeStore(buckets=["photos"])
    replies = together(16, lambda number: put_one_key(store, number))
    [left] = store["photos"].versions("k")
    wholes = [bytes([number]) * 50_000 for number in range(16)]
    assert [reply.status_code for reply in replies] == [200] * 16
    assert left.content in wholes
    assert left.etag == f'"{hashlib.md5(left.content).hexdigest()}"'


def test_16_threads_that_write_one_key_of_a_versioned_bucket_leave_16_versions():
    store = FakeStore(buckets={"photos": "enabled"})
    replies = together(16, lambda number: put_one_key(store, number))
    held = {entry.version_id: entry.content[0] for entry in store["photos"].versions("k")}
    assert held == {reply.headers["x-svc-version-id"]: number for number, reply in enumerate(replies)}


def test_16_threads_that_write_one_key_of_a_suspended_bucket_leave_one_null_version():
    store = FakeStore(buckets={"photos": "suspended"})
    together(16, lambda number: put_one_key(store, number))
    assert [(entry.version_id, len(entry.content)) for entry in store["photos"].versions("k")] == [("null", 50_000)]


def test_16_threads_that_write_only_if_there_is_nothing_let_one_of_them_win():
    store = FakeStore(buckets=["photos"])

    def put(number):
        with session_of(store) as session:
            headers = {"If-None-Match": "*"}
            return session.put(store.url("photos", "k"), data=bytes([number]), headers=headers).status_code

    assert sorted(together(16, put)) == [200] + [412] * 15


def test_a_fault_asked_for_five_times_meets_five_of_many_concurrent_requests():
    store = FakeStore(buckets=["photos"])
    store.fail("PUT Object", faults.ServiceError("SlowDown"), times=5)
    replies = together(32, lambda number: put_one_key(store, number))
    assert sorted(reply.status_code for reply in replies) == [200] * 27 + [503] * 5


def test_a_restore_while_others_write_leaves_whole_objects_alone():
    store = FakeStore(buckets={"photos": "enabled"})
    store["photos"].put("kept", b"first")
    snapshot = store.snapshot()

    def work(number):
        if number % 4 == 0:
            store.restore(snapshot)
        else:
            assert put_one_key(store, number).status_code == 200

    together(16, work)
    store.restore(snapshot)
    assert [(entry.key, entry.content) for entry in store["photos"].versions()] == [("kept", b"first")]


def test_a_snapshot_taken_while_others_write_is_of_one_moment():
    """What a thread writes goes into the first bucket and then into the last: no moment has more in the last."""
    names = [f"bucket-{number:02}" for number in range(20)]
    store = FakeStore(buckets=names)

    def work(number):
        if number % 2:
            return [store.snapshot() for _ in range(20)]
        for count in range(60):
            for name in (names[0], names[-1]):
                store[name].put(f"{number}.{count}")
        return []

    for snapshot in [snapshot for taken in together(8, work) for snapshot in taken]:
        store.restore(snapshot)
        first, last = (set(store[name]) for name in (names[0], names[-1]))
        assert last <= first
        assert len(first - last) <= 4


def test_a_snapshot_taken_while_others_write_has_what_it_lists_and_stays_as_it_is():
    store = FakeStore(buckets={"photos": "enabled"})

    def looked_at(snapshot):
        kept = snapshot._state.buckets["photos"]
        return {key: [entry.version_id for entry in kept.entries(key)] for key in kept}

    def work(number):
        if number % 2:
            return [(snapshot, looked_at(snapshot)) for snapshot in (store.snapshot() for _ in range(40))]
        for count in range(120):
            store["photos"].put(f"{number}.{count // 2}")
        return []

    for snapshot, first_look in [each for taken in together(8, work) for each in taken]:
        assert all(first_look.values())
        assert looked_at(snapshot) == first_look
        assert snapshot._state.buckets["photos"].object_count == len(first_look)


def test_stores_of_several_recipes_are_entered_and_left_by_threads_at_once():
    before = HTTPAdapter.send

    def work(number):
        recipe = fake_store(base_url=f"http://store-{number}.test", buckets=["photos"])
        answers = []
        for count in range(5):
            content = f"{number} {count}".encode()
            with recipe as store:
                url = store.url("photos", "k")
                requests.put(url, data=content, auth=store.auth()).raise_for_status()
                answers.append(requests.get(url, auth=store.auth()).content == content)
                answers.append((list(store["photos"]), len(store.exchanges)) == (["k"], 2))
        return answers

    assert together(16, work) == [[True] * 10] * 16
    assert HTTPAdapter.send is before


def test_one_recipe_is_a_store_of_its_own_in_each_thread():
    recipe = fake_store(buckets=["photos"])

    @recipe
    def work(number, store):
        store["photos"].put(f"k{number}")
        return list(store["photos"])

    assert together(16, lambda number: work(number)) == [[f"k{number}"] for number in range(16)]


def test_accounts_can_be_made_while_others_are_told_which_there_are():
    accounts = Accounts()
    anna = accounts.create("anna")
    listing = iter(accounts)
    accounts.create("ben")
    assert list(listing) == [anna]


def test_a_session_shared_by_threads_is_answered_each_its_own():
    store = FakeStore(buckets=["photos"])
    with session_of(store) as session:

        def work(number):
            url = store.url("photos", f"k{number}")
            session.put(url, data=bytes([number]))
            return session.get(url).content

        assert together(16, work) == [bytes([number]) for number in range(16)]
    assert isinstance(session, requests.Session)
