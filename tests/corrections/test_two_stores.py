"""Two stores with different base URLs share neither version ids nor credentials."""

from __future__ import annotations

import pytest

from fakestore import FakeStore
from tests.corrections.arrange import ask, outcome, stack

FIRST, SECOND = "http://first.test", "http://second.test"


def store_at(base_url, **options):
    return FakeStore(base_url=base_url, buckets={"photos": "enabled"}, **options)


@pytest.mark.decision("ids-and-keys-of-a-store")
def test_a_version_id_of_another_store_deletes_nothing():
    first, second = store_at(FIRST), store_at(SECOND)
    issued = [store["photos"].put("cat.jpg", b"meow").version_id for store in (first, second)]
    assert issued[0] != issued[1]

    url = second.url("photos", "cat.jpg", versionId=issued[0])
    assert outcome(second, "DELETE", url) == (400, "InvalidArgument")
    assert stack(second, "photos", "cat.jpg") == [b"meow"]


@pytest.mark.decision("ids-and-keys-of-a-store")
def test_a_client_with_the_keys_of_another_store_is_refused():
    first, second = store_at(FIRST), store_at(SECOND)
    strangers = [first.default_account, first.create_account("bob")]
    own = [second.default_account, second.create_account("bob")]

    url = second.url("photos", list_type=2)
    assert [outcome(second, "GET", url, account=account) for account in strangers] == [(403, "InvalidAccessKeyId")] * 2
    assert {account.secret_key for account in strangers}.isdisjoint(account.secret_key for account in own)
    # Keys that a test chooses are the chosen ones, whatever the base URL.
    chosen = {"access_key_id": "AKCHOSEN", "secret_key": "chosen"}
    assert store_at(FIRST, **chosen).default_account.access_key_id == "AKCHOSEN"
    assert store_at(SECOND, **chosen).default_account.secret_key == "chosen"


@pytest.mark.decision("ids-and-keys-of-a-store")
def test_stores_with_the_same_options_issue_the_same_ids_and_keys():
    def issued(base_url, seed=0):
        store = store_at(base_url, seed=seed)
        account = store.default_account
        version = ask(store, "PUT", store.url("photos", "cat.jpg"), [("Content-Length", "4")], b"meow")
        return account.access_key_id, account.secret_key, version.headers["x-svc-version-id"]

    assert issued(FIRST) == issued(FIRST) == issued(f"{FIRST}/")
    assert issued(FIRST)[2] != issued(FIRST, seed=1)[2]
