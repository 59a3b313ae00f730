"""Fixtures of these tests: a store with one bucket, and a clock that stands still."""

from __future__ import annotations

import pytest
from freezegun import freeze_time


@pytest.fixture
def fakestore_options():
    return {"buckets": ["photos"]}


@pytest.fixture
def store(fakestore):
    return fakestore


@pytest.fixture
def noon():
    """A clock that stands at 2026-11-21 12:00:00 until the test moves it."""
    with freeze_time("2026-11-21 12:00:00") as clock:
        yield clock
