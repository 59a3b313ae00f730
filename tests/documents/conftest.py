"""What the tests of documents share: a store with one bucket."""

from __future__ import annotations

import pytest

from fakestore import FakeStore


@pytest.fixture
def store():
    return FakeStore(buckets=["photos"])
