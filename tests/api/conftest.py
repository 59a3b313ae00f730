"""What the tests of the API share: a bucket with an object, and runs of pytest."""

from __future__ import annotations

import pytest


@pytest.fixture
def photos(fakestore):
    """A bucket with an object of a hundred bytes."""
    bucket = fakestore.create_bucket("photos")
    bucket.put("cat.jpg", b"only this" + b"x" * 91)
    return bucket


#: What the test files of the runs begin with.
PREAMBLE = """
import unittest
import pytest
import requests
from fakestore import FakeStore, UnexpectedRequest, fake_store, faults

def put(store, key="cat.jpg"):
    return requests.put(store.url("photos", key), data=b"meow", auth=store.auth()).status_code

def swallow():
    try:
        requests.get("http://elsewhere.test/")
    except requests.ConnectionError:
        pass
"""


@pytest.fixture
def run(pytester, plain_runs):
    """Write a test file, which begins with the preamble, and run it."""

    def run(source, *arguments):
        pytester.makepyfile(PREAMBLE + source)
        return pytester.runpytest("-p", "fakestore.pytest_plugin", *arguments)

    return run
