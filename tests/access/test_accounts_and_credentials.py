"""Accounts: how they are made, found and told apart."""

from __future__ import annotations

import dataclasses
import re

import pytest

from fakestore import Account, FakeStore, fake_store


@pytest.fixture
def store():
    return FakeStore()


def test_an_account_needs_a_name_alone(store):
    bob = store.create_account("bob")
    assert (bob.display_name, bob.email) == ("bob", None)
    assert re.fullmatch("[0-9a-f]{64}", bob.id)
    assert re.fullmatch("AK[0-9A-F]{18}", bob.access_key_id)
    assert re.fullmatch("[0-9a-f]{40}", bob.secret_key)


def test_what_is_given_is_kept(store):
    bob = store.create_account("bob", email="Bob@example.test", access_key_id="AKBOB", secret_key="s3cret/+")
    assert (bob.email, bob.access_key_id, bob.secret_key) == ("Bob@example.test", "AKBOB", "s3cret/+")


def test_what_is_not_given_is_the_same_in_every_run():
    assert FakeStore().create_account("bob") == FakeStore().create_account("bob")


def test_two_accounts_differ_in_all_that_was_not_given(store):
    bob, eve = store.create_account("bob"), store.create_account("eve")
    shared = [
        field.name for field in dataclasses.fields(Account) if getattr(bob, field.name) == getattr(eve, field.name)
    ]
    assert shared == ["email"]


def test_the_default_account_is_the_applications_own(store):
    store = FakeStore(access_key_id="AKMINE", secret_key="mine")
    assert (store.default_account.access_key_id, store.default_account.secret_key) == ("AKMINE", "mine")


def test_the_default_account_owns_what_is_created_without_an_owner(store):
    bucket = store.create_bucket("photos")
    assert (bucket.owner, bucket.put("cat.jpg").owner) == (store.default_account, store.default_account)


def test_what_is_put_without_an_account_is_the_buckets_owners(store):
    bob = store.create_account("bob")
    assert store.create_bucket("photos", owner=bob).put("cat.jpg").owner == bob


def test_an_account_cannot_be_changed(store):
    with pytest.raises(dataclasses.FrozenInstanceError):
        store.default_account.display_name = "other"


@pytest.mark.parametrize("written", [repr, str])
def test_the_secret_is_not_written_out(written):
    assert "s3cret" not in written(FakeStore(secret_key="s3cret").default_account)


def test_neither_store_nor_report_nor_exchange_writes_the_secret_out():
    with fake_store(secret_key="s3cret", signatures="verify", buckets=["photos"]) as store:
        store.session().get(store.url("photos"))
        store.session(Account("0" * 64, "eve", None, store.default_account.access_key_id, "other")).get(store.base_url)
        written = [repr(store), store.describe(), repr(store.exchanges), repr(store["photos"])]
    assert [text for text in written if "s3cret" in text] == []


# Unique, or not


@pytest.mark.parametrize("name", ["bob", "default"])
def test_a_name_is_taken_once(store, name):
    store.create_account("bob")
    with pytest.raises(ValueError, match=f"account '{name}' already exists; existing accounts: 'default', 'bob'"):
        store.create_account(name, access_key_id="AKOTHER")


def test_an_access_key_is_taken_once(store):
    store.create_account("bob", access_key_id="AKBOB")
    with pytest.raises(ValueError, match="access key 'AKBOB' already belongs to account 'bob'"):
        store.create_account("eve", access_key_id="AKBOB")


def test_an_account_that_was_refused_is_not_there(store):
    store.create_account("bob", access_key_id="AKBOB")
    with pytest.raises(ValueError, match="belongs to"):
        store.create_account("eve", email="eve@example.test", access_key_id="AKBOB")
    assert store.create_account("eve", email="eve@example.test").display_name == "eve"


@pytest.mark.parametrize("key", ["", "with blank", "with:colon", "caf\xe9", "line\nbreak", "\x7f"])
def test_an_access_key_that_cannot_stand_in_the_header_is_an_error(store, key):
    with pytest.raises(ValueError, match="an access key must be printable ASCII without blanks and colons"):
        store.create_account("bob", access_key_id=key)


def test_a_name_is_not_empty(store):
    with pytest.raises(ValueError, match="the name of an account must not be empty"):
        store.create_account("")


def test_two_accounts_may_share_an_address_and_a_grant_by_it_is_then_ambiguous():
    with fake_store(buckets=["photos"]) as store:
        first = store.create_account("bob", email="team@example.test")
        url, headers = store.url("photos", "cat.jpg"), {"x-svc-grant-read": "emailAddress=TEAM@example.test"}
        store.session().put(url, data=b"meow", headers=headers)
        unique = str(store["photos"]["cat.jpg"].acl)
        store.create_account("eve", email="Team@example.test")
        answer = store.session().put(url, data=b"purr", headers=headers)
        explanation = store.exchanges[-1].explanation or ""
    assert (unique, answer.status_code) == ("bob:READ", 400)
    assert explanation.startswith("2 accounts have the address 'TEAM@example.test'; accounts: default (id ")
    assert first.id in explanation


# Snapshots


def test_an_account_made_after_a_snapshot_is_gone_when_it_is_restored(store):
    snapshot = store.snapshot()
    bob = store.create_account("bob", email="bob@example.test")
    store.restore(snapshot)
    assert store.create_account("bob", email="bob@example.test") == bob


def test_a_reset_leaves_the_default_account_alone(store):
    default = store.default_account
    store.create_account("bob")
    store.reset()
    assert (store.default_account, store.create_account("bob").display_name) == (default, "bob")


def test_names_in_any_script_can_sign():
    with fake_store(signatures="verify") as store:
        zoe = store.create_account("Zo\xeb \u732b", secret_key="Schl\xfcssel \u732b")
        answer = store.session(zoe).get(store.base_url)
    assert (answer.status_code, store.exchanges[-1].account) == (200, zoe)
    assert "<DisplayName>Zo\xeb \u732b</DisplayName>" in answer.content.decode()
