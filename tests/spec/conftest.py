from __future__ import annotations

import pytest
from freezegun import freeze_time


@pytest.fixture
def fakestore_options():
    """A bucket of each versioning state."""
    return {"buckets": {"photos": "never", "kept": "enabled", "paused": "suspended"}}


@pytest.fixture
def store(fakestore):
    return fakestore


@pytest.fixture
def session(store):
    """Signs as the owner of the buckets."""
    return store.session()


@pytest.fixture
def alice(store):
    return store.create_account("alice", email="alice@example.test")


@pytest.fixture
def noon():
    """The clock stands at 2026-11-21 12:00:00 until the test moves it."""
    with freeze_time("2026-11-21 12:00:00") as clock:
        yield clock
