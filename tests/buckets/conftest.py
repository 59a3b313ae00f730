"""What these tests share: a store with the bucket "photos". A module that needs another store defines `store`."""

from __future__ import annotations

import pytest

from fakestore import fake_store


@pytest.fixture
def store():
    with fake_store(buckets=["photos"]) as store:
        yield store


@pytest.fixture
def photos(store):
    return store["photos"]
