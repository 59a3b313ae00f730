"""What the tests of access control share: accounts beside the default one."""

from __future__ import annotations

import pytest


@pytest.fixture
def ann(fakestore):
    return fakestore.create_account("ann")


@pytest.fixture
def bob(fakestore):
    return fakestore.create_account("bob", email="bob@example.test")
