"""Fixtures of these tests: a clock that stands still, and a store that verifies signatures."""

from __future__ import annotations

import pytest
from freezegun import freeze_time

from .arrange import NOW, new_store


@pytest.fixture(autouse=True, scope="module")
def frozen_clock():
    with freeze_time(NOW):
        yield


@pytest.fixture
def store():
    return new_store()
