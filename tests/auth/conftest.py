"""Fixtures of these tests: a clock that stands still, and a store that verifies signatures."""

from __future__ import annotations

import pytest

from .arrange import NOW, new_store


@pytest.fixture(autouse=True, scope="module")
def now(frozen_clock):
    frozen_clock.move_to(NOW)


@pytest.fixture
def store():
    return new_store()
