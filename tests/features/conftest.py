"""Stores of both dialects."""

from __future__ import annotations

import pytest

from fakestore import DOCUMENT, S3, FakeStore
from tests.features.arrange import Client


@pytest.fixture(params=[DOCUMENT, S3], ids=["document", "s3"])
def client(request):
    """A client of a store with the bucket ``photos``, in each dialect."""
    store = FakeStore(dialect=request.param, base_url="https://objects.test", buckets=["photos"])
    yield Client(store)
    store.close()


@pytest.fixture
def s3():
    """A client of a store that answers as the recorded service."""
    store = FakeStore(dialect=S3, base_url="https://objects.test", buckets=["photos"])
    yield Client(store)
    store.close()
