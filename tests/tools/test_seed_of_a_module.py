"""A heavy seed, built once per module and rolled back per test."""

from __future__ import annotations

import pytest
import requests

from fakestore import fake_store


@pytest.fixture(scope="module")
def seeded():
    with fake_store(buckets={"archive": "enabled"}) as store:
        for number in range(100):
            store["archive"].put(f"{number:03}", b"x" * 1000)
        yield store, store.snapshot()


@pytest.fixture
def archive(seeded):
    store, snapshot = seeded
    yield store["archive"]
    store.restore(snapshot)


@pytest.mark.parametrize("key", ["000", "001"])
def test_a_seed_of_the_module_is_whole_for_every_test(seeded, archive, key):
    store, _ = seeded
    found = len(archive)
    requests.delete(store.url("archive", key), auth=store.auth())
    assert (found, len(archive)) == (100, 99)
