"""Fixtures of these tests: one bucket, in each dialect, and parts of four bytes that are not too small."""

from __future__ import annotations

import pytest

from fakestore import DOCUMENT, S3, FakeStore, Limits
from tests.multipart.arrange import Client
from tests.support.access import open_bucket


@pytest.fixture(params=[DOCUMENT, S3], ids=lambda dialect: dialect.name)
def store(request):
    with_small_parts = FakeStore(dialect=request.param, buckets=["photos"], limits=Limits(min_part_size=4))
    open_bucket(with_small_parts)
    yield with_small_parts
    with_small_parts.close()


@pytest.fixture
def client(store):
    return Client(store)
