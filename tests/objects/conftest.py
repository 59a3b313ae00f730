"""Clients of stores of both dialects, and of one of S3."""

from __future__ import annotations

import pytest

from fakestore import S3, FakeStore
from tests.support.client import Client, client  # noqa: F401  (a fixture)


@pytest.fixture
def s3():
    """A client of a store that answers as the public service."""
    store = FakeStore(dialect=S3, base_url="https://objects.test", buckets=["photos"])
    yield Client(store)
    store.close()
