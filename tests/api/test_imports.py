"""What a process pays for that imports fakestore, and for a store that it never uses."""

from __future__ import annotations

from tests.support.programs import run_program


def test_libraries_that_are_not_needed_are_not_imported():
    """The pytest plugin imports the package in every run of pytest."""
    program = """
import sys
import fakestore
print(*sys.modules)
fakestore.FakeStore(buckets=["photos"])
print(*sys.modules)
"""
    package, store = (set(line.split()) for line in run_program(program).splitlines())
    assert {"fakestore.api", "fakestore.operations"}.isdisjoint(package)
    assert {"boto3", "freezegun", "lxml", "pytest", "requests", "responses"}.isdisjoint(store)
