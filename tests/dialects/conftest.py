"""What the tests of dialects share: stores of S3, and stores whose dialect differs in one decision."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace

import pytest

from fakestore import DOCUMENT, FakeStore
from tests.support.client import Client, client, s3  # noqa: F401  (fixtures)


@pytest.fixture
def client_with():
    """Make a client of a store in DOCUMENT with some decisions replaced."""
    with ExitStack() as stores:

        def make(**decisions):
            dialect = replace(DOCUMENT, semantics=replace(DOCUMENT.semantics, **decisions))
            store = FakeStore(dialect=dialect, buckets=["photos"])
            stores.callback(store.close)
            return Client(store)

        yield make
