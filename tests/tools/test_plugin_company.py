"""The plugin beside others, a run without it, and what it costs those who do not use it."""

from __future__ import annotations

import subprocess
import sys


def test_under_xdist_stores_are_each_workers_own_and_reports_arrive_whole(run):
    result = run(
        """
@pytest.mark.parametrize("number", range(6))
@pytest.mark.fakestore(buckets=["photos"])
def test_it(fakestore, number):
    put(fakestore)
    assert number != 3
""",
        "-p",
        "xdist",
        "-n",
        "2",
    )
    result.assert_outcomes(passed=5, failed=1)
    result.stdout.fnmatch_lines(
        ["*- fakestore http://objects.test -*", "exchanges:", "  PUT photos.objects.test/cat.jpg -> 200 (as default)"]
    )


def test_without_the_plugin_there_is_no_fixture_and_no_crash(pytester, plain_runs, monkeypatch):
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    pytester.makepyfile(
        """
import requests
from fakestore import fake_store

def test_fixture(fakestore): ...

@fake_store(buckets=["photos"])
def test_decorated(store):
    assert requests.put(store.url("photos", "cat.jpg"), data=b"meow", auth=store.auth()).status_code == 200

@fake_store()
def test_failing(store):
    assert False
"""
    )
    result = pytester.runpytest_subprocess("-p", "no:fakestore", "-p", "no:randomly", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=1, errors=1)
    result.stdout.fnmatch_lines(["*fixture 'fakestore' not found"])
    result.stdout.no_fnmatch_line("*- fakestore http*")


def test_no_store_is_kept_when_its_test_is_over(pytester, plain_runs):
    pytester.makepyfile(
        """
import gc
import weakref
from fakestore import FakeStore, fake_store

seen = []

@fake_store()
def test_decorated(store):
    seen.append(weakref.ref(store))

def test_fixture(fakestore):
    seen.append(weakref.ref(fakestore))

def test_they_are_gone():
    gc.collect()
    assert [each() for each in seen] == [None, None]
"""
    )
    # In a process of its own: this very test would keep them, for its own report.
    pytester.runpytest_subprocess("-p", "fakestore.pytest_plugin").assert_outcomes(passed=3)


# -- what it costs those who use no store

TELLS_IMPORTS = """
import sys

HEAVY = ["requests", "responses", "urllib3", "lxml", "freezegun", "fakestore.api.fake_store", "fakestore.api.store"]

def pytest_unconfigure(config):
    print("imported:", [name for name in HEAVY if name in sys.modules])
"""


def test_loading_the_plugin_imports_nothing_of_what_a_store_is_made_of():
    code = "import sys, pytest; had = {*sys.modules}; import fakestore.pytest_plugin; print(*{*sys.modules} - had)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert sorted(loaded.split()) == [
        "fakestore",
        "fakestore.api",
        "fakestore.api.active_stores",
        "fakestore.pytest_plugin",
    ]


def test_a_run_whose_tests_use_no_store_imports_nothing_of_what_a_store_is_made_of(pytester, plain_runs):
    pytester.makeconftest(TELLS_IMPORTS)
    pytester.makepyfile("def test_one(): ...\ndef test_two(): assert False")
    result = pytester.runpytest_subprocess("-p", "fakestore.pytest_plugin")
    result.assert_outcomes(passed=1, failed=1)
    assert result.stdout.lines[-1] == "imported: []"


def test_a_store_whose_modules_are_imported_by_the_failing_test_itself_is_in_its_report(pytester, plain_runs):
    pytester.makepyfile(
        """
def test_it():
    from fakestore import fake_store
    with fake_store():
        assert False
"""
    )
    result = pytester.runpytest_subprocess("-p", "fakestore.pytest_plugin")
    result.stdout.fnmatch_lines(["*- fakestore http://objects.test -*"])
