"""An account is what ``create_account`` returns; its name alone is refused, wherever an account is asked for."""

from __future__ import annotations

import pytest

from fakestore import FakeStore

ASKING = {
    "auth": lambda store, account: store.auth(account),
    "session": lambda store, account: store.session(account),
    "create_bucket": lambda store, account: store.create_bucket("films", owner=account),
    "put": lambda store, account: store["photos"].put("cat.jpg", account=account),
    "delete": lambda store, account: store["photos"].delete("cat.jpg", account=account),
    "allow": lambda store, account: store["photos"].allow(account, "s3:GetObject"),
    "deny": lambda store, account: store["photos"].deny(account, "s3:GetObject"),
}

asking = pytest.mark.parametrize("ask", ASKING.values(), ids=ASKING)


@pytest.fixture
def store():
    store = FakeStore(buckets=["photos"])
    store.create_account("bob")
    return store


@asking
@pytest.mark.parametrize("given", ["bob", "", 0])
def test_what_is_no_account_is_refused_with_those_there_are(store, ask, given):
    with pytest.raises(TypeError) as refused:
        ask(store, given)
    assert str(refused.value) == (
        f"an account is what store.create_account() gives, not {given!r}; there are 'default', 'bob'"
    )


@pytest.mark.parametrize("name", [name for name in ASKING if name not in ("auth", "session")])
def test_an_account_of_another_store_is_refused(store, name):
    with pytest.raises(ValueError, match=r"'eve' is no account of this store, .*; there are 'default', 'bob'"):
        ASKING[name](store, FakeStore().create_account("eve"))


def test_an_account_that_was_made_after_the_snapshot_that_was_restored_is_refused(store):
    snapshot = store.snapshot()
    dave = store.create_account("dave")
    store.restore(snapshot)
    with pytest.raises(ValueError, match="'dave' is no account of this store"):
        store["photos"].put("cat.jpg", account=dave)


def test_a_bucket_of_what_is_no_account_is_not_made(store):
    with pytest.raises(TypeError):
        store.create_bucket("films", owner="bob")
    assert list(store) == ["photos"]


@pytest.mark.parametrize("name", ["allow", "deny"])
def test_a_statement_is_about_somebody(store, name):
    with pytest.raises(TypeError, match=r"an account is what store\.create_account\(\) gives, not None"):
        getattr(store["photos"], name)(None, "s3:GetObject")


@asking
def test_an_account_of_the_store_is_taken(store, ask):
    ask(store, store.default_account)
