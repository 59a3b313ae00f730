"""Many threads, few keys, one store."""

import hashlib

import pytest
import requests

from fakestore import FakeStore, faults
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
