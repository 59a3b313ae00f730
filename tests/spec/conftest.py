"""Fixtures of the specification's tests: a store with one bucket in each versioning state, and its accounts."""

from __future__ import annotations

import pytest


@pytest.fixture
def fakestore_options():
    return {"buckets": {"photos": "never", "kept": "enabled", "paused": "suspended"}}


@pytest.fixture
def store(fakestore):
    return fakestore


@pytest.fixture
def session(store):
    """A session that signs as the owner of the buckets."""
    return store.session()


@pytest.fixture
def alice(store):
    return store.create_account("alice", email="alice@example.test")
