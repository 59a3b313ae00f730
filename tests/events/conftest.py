"""What the tests of events share: a store with two buckets."""

from __future__ import annotations

import pytest

from fakestore import fake_store


@pytest.fixture
def store():
    with fake_store(dialect="s3", buckets=["photos", "thumbnails"]) as store:
        yield store


@pytest.fixture
def photos(store):
    return store["photos"]
