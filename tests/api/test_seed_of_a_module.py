"""Expensive set-up: built once for a module, and rolled back after each test."""

from __future__ import annotations

import pytest
import requests

from fakestore import fake_store


@pytest.fixture(scope="module")
def archive_of_module():
    with fake_store(buckets={"archive": "enabled"}) as store:
        for number in range(100):
            store["archive"].put(f"{number:03}", b"x" * 1000)
        yield store, store.snapshot()


@pytest.mark.parametrize("key", ["000", "001"])
def test_a_seed_of_the_module_is_complete_for_each_test(archive_of_module, key):
    store, snapshot = archive_of_module
    before = len(store["archive"])
    requests.delete(store.url("archive", key), auth=store.auth())
    after = len(store["archive"])
    store.restore(snapshot)
    assert (before, after) == (100, 99)
