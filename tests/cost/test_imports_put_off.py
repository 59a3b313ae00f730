"""What importing costs: the modules that a test may never need are imported when they are needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

PUT_OFF = ("freezegun", "lxml", "moto", "pytest")

#: Modules that making a store imports on top of responses: fakestore's own, and few of the standard library's.
MODULES = 100

IMPORTING = "import fakestore"
MAKING = "from fakestore import FakeStore, fake_store, faults; fake_store()"
USING = """
import requests
from fakestore import fake_store
with fake_store(buckets={"photos": "enabled"}) as store:
    requests.put(store.url("photos", "cat"), data=b"meow", auth=store.auth()).raise_for_status()
    requests.get(store.url("photos", "cat", acl=None), auth=store.auth()).raise_for_status()
    requests.get(store.url("photos"), auth=store.auth()).raise_for_status()
"""


def imported_by(code: str, names: tuple[str, ...]) -> list[str]:
    """Those of the modules that a fresh process has once it has run ``code``."""
    asking = f"{code}\nimport sys\nprint(*(name for name in {names!r} if name in sys.modules))"
    return subprocess.run([sys.executable, "-c", asking], capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.parametrize("code", [IMPORTING, MAKING, USING], ids=["importing", "making", "using"])
def test_a_store_that_parses_no_document_and_moves_no_clock_imports_nothing_for_it(code):
    assert imported_by(code, PUT_OFF) == []


def test_importing_the_package_alone_imports_none_of_its_parts():
    assert imported_by(IMPORTING, ("requests", "responses", "sortedcontainers", "fakestore.api.store")) == []


def test_importing_what_a_test_uses_adds_one_package_of_others_to_responses():
    code = f"import responses, sys\nbefore = set(sys.modules)\n{MAKING}\nprint(*set(sys.modules) - before)"
    added = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    packages = {name.partition(".")[0] for name in added} - sys.stdlib_module_names
    assert packages == {"fakestore", "sortedcontainers"}
    assert len(added) <= MODULES
