"""The hypothesis profile of all random tests."""

from __future__ import annotations

from hypothesis import settings


def load_profile() -> None:
    """Load the profile of the project. It has no deadline, because the load of the machine must fail no test."""
    settings.register_profile("fakestore", deadline=None)
    settings.load_profile("fakestore")
