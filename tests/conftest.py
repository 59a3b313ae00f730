"""What every test of the project may use."""

from __future__ import annotations

import gc

import pytest
from freezegun import freeze_time

from tests.support.profile import load_profile

pytest_plugins = ["pytester"]

load_profile()


def pytest_collection_finish() -> None:
    """Exempt what was imported and collected from garbage collection. Otherwise each collection visits all of it."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def noon():
    """A clock that stands at 2026-11-21 12:00:00 until the test moves it."""
    with freeze_time("2026-11-21 12:00:00") as clock:
        yield clock
