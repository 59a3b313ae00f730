"""Accounts: how they are created, and how they differ."""

from __future__ import annotations

import dataclasses
import re

import pytest

from fakestore import Account, FakeStore, fake_store
from tests.support.cases import each


@pytest.fixture
def store():
    return FakeStore()


def test_account_needs_only_a_name(store):
    bob = store.create_account("bob")
    assert (bob.display_name, bob.email) == ("bob", None)
    assert re.fullmatch("[0-9a-f]{64}", bob.id)
    assert re.fullmatch("AK[0-9A-F]{18}", bob.access_key_id)
    assert re.fullmatch("[0-9a-f]{40}", bob.secret_key)


def test_account_has_the_credentials_it_is_created_with(store):
    bob = store.create_account("bob", email="Bob@example.test", access_key_id="AKBOB", secret_key="s3cret/+")
    assert (bob.email, bob.access_key_id, bob.secret_key) == ("Bob@example.test", "AKBOB", "s3cret/+")
    default = FakeStore(access_key_id="AKMINE", secret_key="mine").default_account
    assert (default.access_key_id, default.secret_key) == ("AKMINE", "mine")


def test_two_accounts_share_no_generated_value(store):
    bob, eve = map(dataclasses.asdict, (store.create_account("bob"), store.create_account("eve")))
    assert [name for name in bob if bob[name] == eve[name]] == ["email"]


def test_bucket_and_object_belong_to_the_default_account_by_default(store):
    bob = store.create_account("bob")
    bucket = store.create_bucket("photos")
    assert (bucket.owner, bucket.put("cat.jpg").owner) == (store.default_account, store.default_account)
    assert store.create_bucket("films", owner=bob).put("cat.avi").owner == bob


def test_account_cannot_be_changed(store):
    with pytest.raises(dataclasses.FrozenInstanceError):
        store.default_account.display_name = "other"


def test_secret_key_is_never_written_out():
    with fake_store(secret_key="s3cret", signatures="verify", buckets=["photos"]) as store:
        account = store.default_account
        store.session().get(store.url("photos"))
        store.session(Account("0" * 64, "eve", None, account.access_key_id, "other")).get(store.base_url)
        written = [
            repr(store),
            store.describe(),
            repr(store.exchanges),
            repr(store["photos"]),
            f"{account} {account!r}",
        ]
    assert [text for text in written if "s3cret" in text] == []


# Unique, or not


def test_access_key_is_unique_and_a_refused_account_does_not_exist(store):
    store.create_account("bob", access_key_id="AKBOB")
    with pytest.raises(ValueError, match=r"AKBOB.*bob"):
        store.create_account("eve", email="eve@example.test", access_key_id="AKBOB")
    assert store.create_account("eve", email="eve@example.test").display_name == "eve"


def test_account_may_have_an_id_that_no_other_account_has(store):
    assert store.create_account("bob", id="a" * 64).id == "a" * 64
    for case in each({"name": "bob"}, {"name": "eve", "id": "a" * 64}, {"name": "eve", "id": "short"}):
        with case as arguments:
            with pytest.raises(ValueError, match=r"already|64"):
                store.create_account(**arguments)


def test_account_names_and_secrets_may_be_in_any_script():
    with fake_store(signatures="verify") as store:
        zoe = store.create_account("Zo\xeb \u732b", secret_key="Schl\xfcssel \u732b")
        answer = store.session(zoe).get(store.base_url)
    assert (answer.status_code, store.exchanges[-1].account) == (200, zoe)
    assert "<DisplayName>Zo\xeb \u732b</DisplayName>" in answer.content.decode()


@pytest.mark.parametrize("option", ["access_key_id", "secret_key"])
def test_empty_keys_are_refused(option):
    with pytest.raises(ValueError, match="key must"):
        FakeStore(**{option: ""})
    with pytest.raises(ValueError, match="key must"):
        FakeStore().create_account("bob", **{option: ""})
