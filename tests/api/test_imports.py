"""What a process pays for that imports fakestore, and for a store that it never uses."""

from __future__ import annotations

import subprocess
import sys


def test_libraries_that_are_not_needed_are_not_imported():
    """The pytest plugin imports the package in every run of pytest."""
    program = """
import sys
import fakestore
print(*sys.modules)
fakestore.FakeStore(buckets=["photos"])
print(*sys.modules)
"""
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    package, store = (set(line.split()) for line in printed.splitlines())
    assert {"fakestore.api", "fakestore.operations"}.isdisjoint(package)
    assert {"boto3", "freezegun", "lxml", "pytest", "requests", "responses"}.isdisjoint(store)
