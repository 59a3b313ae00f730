"""A store with the bucket "photos", and a client in both dialects. A module with another store defines `store`."""

from __future__ import annotations

import pytest

from fakestore import fake_store
from tests.support.client import client  # noqa: F401  (a fixture)


@pytest.fixture
def store():
    with fake_store(buckets=["photos"]) as store:
        yield store


@pytest.fixture
def photos(store):
    return store["photos"]
