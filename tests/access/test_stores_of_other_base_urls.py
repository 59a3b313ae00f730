"""Two stores with different base URLs share neither version ids nor generated credentials."""

from __future__ import annotations

import dataclasses

import pytest

from fakestore import FakeStore
from tests.support.wire import outcome, request


@pytest.fixture
def stores():
    return [FakeStore(base_url=f"http://{name}.test", buckets={"photos": "enabled"}) for name in ("one", "two")]


def test_version_id_of_another_base_url_was_never_issued(stores):
    one, two = stores
    kept = one["photos"].put("cat.jpg", b"kept")
    foreign = two["photos"].put("cat.jpg", b"other")
    reply = request(one, "DELETE", "photos", "cat.jpg", versionId=foreign.version_id)
    assert outcome(reply) == (400, "InvalidArgument")
    assert one["photos"].versions() == [kept]


def test_generated_credentials_differ_between_base_urls(stores):
    for name in ("default", "bob"):
        accounts = [store.default_account if name == "default" else store.create_account(name) for store in stores]
        one, two = map(dataclasses.asdict, accounts)
        shared = {field for field in one if one[field] == two[field]}
        assert shared.isdisjoint({"access_key_id", "secret_key"})
    one, two = stores
    assert outcome(request(one, "GET", account=two.default_account)) == (403, "InvalidAccessKeyId")


def test_ids_and_credentials_are_the_same_in_every_run(stores):
    again = FakeStore(base_url="http://one.test", buckets={"photos": "enabled"})
    assert again.default_account == stores[0].default_account
    assert again.create_account("bob") == stores[0].create_account("bob")
    assert again["photos"].put("k").version_id == stores[0]["photos"].put("k").version_id
