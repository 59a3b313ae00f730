"""Fixtures of these tests: a store with one bucket."""

from __future__ import annotations

import pytest


@pytest.fixture
def fakestore_options():
    return {"buckets": ["photos"]}


@pytest.fixture
def store(fakestore):
    return fakestore
