"""The pytest plugin, as a run of pytest shows it."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def plain_runs(monkeypatch):
    """Runs with this plugin alone, whatever else is installed here."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


@pytest.fixture
def run(pytester):
    """Write a test file and run it."""

    def run(source, *arguments):
        pytester.makepyfile(source)
        return pytester.runpytest("-p", "fakestore.pytest_plugin", *arguments)

    return run


PUT = """
import pytest
import requests
from fakestore import FakeStore, fake_store

def put(store, key="cat.jpg"):
    return requests.put(store.url("photos", key), data=b"meow", auth=store.auth()).status_code

def swallow_a_refusal():
    try:
        requests.get("http://elsewhere.test/")
    except requests.ConnectionError:
        pass
"""


# -- the fixture, its marker and its options


def test_the_fixture_is_an_active_store_of_each_tests_own(run):
    run(
        PUT
        + """
def test_one(fakestore):
    fakestore.create_bucket("photos")
    assert put(fakestore) == 200

def test_two(fakestore):
    assert list(fakestore.buckets) == []
"""
    ).assert_outcomes(passed=2)


def test_nothing_stays_patched_after_a_test_that_used_the_fixture(run):
    run(
        PUT
        + """
from requests.adapters import HTTPAdapter
REAL_SEND = HTTPAdapter.send

def test_one(fakestore):
    assert HTTPAdapter.send is not REAL_SEND
    raise ZeroDivisionError

def test_two():
    assert HTTPAdapter.send is REAL_SEND
"""
    ).assert_outcomes(failed=1, passed=1)


def test_the_marker_gives_options(run):
    run(
        PUT
        + """
@pytest.mark.fakestore(base_url="https://s3.internal:9000", buckets=["photos"])
def test_it(fakestore):
    assert (fakestore.base_url, put(fakestore)) == ("https://s3.internal:9000", 200)
"""
    ).assert_outcomes(passed=1)


def test_markers_merge_and_the_nearest_wins(run):
    run(
        """
import pytest
pytestmark = pytest.mark.fakestore(buckets=["of module"[:2] + "module"], seed=1)

@pytest.mark.fakestore(buckets=["photos"], base_url="http://class.test")
class TestIt:
    @pytest.mark.fakestore(base_url="http://method.test")
    def test_it(self, fakestore):
        assert list(fakestore.buckets) == ["photos"]
        assert fakestore.base_url == "http://method.test"
"""
    ).assert_outcomes(passed=1)


@pytest.mark.parametrize("scope", ["function", "module", "session"])
def test_the_options_fixture_may_be_overridden_at_any_scope(run, scope):
    run(
        f"""
import pytest

@pytest.fixture(scope={scope!r})
def fakestore_options():
    return {{"buckets": ["photos"], "base_url": "http://options.test"}}

def test_it(fakestore):
    assert (list(fakestore.buckets), fakestore.base_url) == (["photos"], "http://options.test")
"""
    ).assert_outcomes(passed=1)


def test_the_options_fixture_of_a_conftest_may_be_taken_further(run, pytester):
    pytester.makeconftest(
        """
import pytest

@pytest.fixture
def fakestore_options():
    return {"buckets": ["photos"], "base_url": "http://conftest.test"}
"""
    )
    run(
        """
import pytest

@pytest.fixture
def fakestore_options(fakestore_options):
    return fakestore_options | {"buckets": ["films"]}

def test_it(fakestore):
    assert (list(fakestore.buckets), fakestore.base_url) == (["films"], "http://conftest.test")
"""
    ).assert_outcomes(passed=1)


def test_the_markers_options_go_over_those_of_the_fixture(run):
    run(
        """
import pytest

@pytest.fixture
def fakestore_options():
    return {"buckets": ["photos"], "base_url": "http://options.test"}

@pytest.mark.fakestore(base_url="http://marker.test")
def test_it(fakestore):
    assert (list(fakestore.buckets), fakestore.base_url) == (["photos"], "http://marker.test")

def test_the_options_stay_as_they_are(fakestore, fakestore_options):
    assert fakestore.base_url == fakestore_options["base_url"] == "http://options.test"
"""
    ).assert_outcomes(passed=2)


def test_an_unknown_option_of_the_marker_is_refused_by_name(run):
    result = run(
        """
import pytest

@pytest.mark.fakestore(bucket="photos")
def test_it(fakestore): ...
"""
    )
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*TypeError: there is no option 'bucket'; did you mean 'buckets'? Options: base_url*"])


def test_a_positional_option_of_the_marker_is_refused(run):
    result = run(
        """
import pytest

@pytest.mark.fakestore(["photos"])
def test_it(fakestore): ...
"""
    )
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*@pytest.mark.fakestore takes options by keyword, not ([[]'photos'],)*"])


def test_the_marker_is_registered(run):
    run(
        """
import pytest

@pytest.mark.fakestore(seed=1)
def test_it(fakestore): ...
""",
        "--strict-markers",
    ).assert_outcomes(passed=1)


def test_the_fixture_may_be_used_by_name_over_a_plain_class(run):
    run(
        PUT
        + """
@pytest.mark.usefixtures("fakestore")
@pytest.mark.fakestore(buckets=["photos"])
class TestIt:
    def test_it(self):
        assert requests.get("http://photos.objects.test/cat.jpg").status_code == 403
"""
    ).assert_outcomes(passed=1)


def test_the_fixture_serves_coroutine_tests(run):
    run(
        PUT
        + """
@pytest.mark.asyncio
@pytest.mark.fakestore(buckets=["photos"])
async def test_it(fakestore):
    assert put(fakestore) == 200

@pytest.mark.asyncio
@fake_store(buckets=["photos"])
async def test_decorated(store):
    assert put(store) == 200
""",
        "-p",
        "pytest_asyncio.plugin",
        "-o",
        "asyncio_default_fixture_loop_scope=function",
    ).assert_outcomes(passed=2)


def test_a_with_block_in_an_async_fixture_is_left_in_its_place(run):
    run(
        PUT
        + """
import pytest_asyncio

@pytest_asyncio.fixture
async def store():
    with fake_store(buckets=["photos"]) as store:
        yield store

@pytest.mark.asyncio
async def test_it(store):
    assert put(store) == 200

@pytest.mark.asyncio
async def test_again(store):
    assert list(store["photos"]) == []
""",
        "-p",
        "pytest_asyncio.plugin",
        "-o",
        "asyncio_default_fixture_loop_scope=function",
    ).assert_outcomes(passed=2)


# -- on leaving


def test_a_passing_test_that_swallowed_a_refusal_gets_an_error(run):
    result = run(PUT + "def test_it(fakestore): swallow_a_refusal()")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*UnexpectedRequest: GET http://elsewhere.test/: 'elsewhere.test' is not a host*"])


def test_a_failing_test_that_swallowed_a_refusal_gets_no_further_error(run):
    run(
        PUT
        + """
def test_it(fakestore):
    swallow_a_refusal()
    assert False
"""
    ).assert_outcomes(failed=1)


def test_a_test_whose_setup_fails_after_a_swallowed_refusal_gets_one_error(run):
    run(
        PUT
        + """
@pytest.fixture
def failing(fakestore):
    swallow_a_refusal()
    raise ZeroDivisionError

def test_it(failing): ...
"""
    ).assert_outcomes(errors=1)


@pytest.mark.parametrize(
    ("body", "outcomes"),
    [("pytest.skip('not today')", {"skipped": 1}), ("pytest.xfail('known')", {"xfailed": 1})],
)
def test_a_test_that_ends_itself_after_a_swallowed_refusal_gets_no_error(run, body, outcomes):
    run(
        PUT
        + f"""
def test_it(fakestore):
    swallow_a_refusal()
    {body}
"""
    ).assert_outcomes(**outcomes)


def test_an_expected_failure_by_a_refusal_is_one(run):
    run(
        PUT
        + """
@pytest.mark.xfail(strict=True)
def test_it(fakestore):
    requests.get("http://elsewhere.test/")
"""
    ).assert_outcomes(xfailed=1)


def test_a_test_that_is_run_again_after_a_failure_hears_of_its_refusals_again(run, pytester):
    pytester.makeconftest(
        """
from _pytest.runner import runtestprotocol

def pytest_runtest_protocol(item, nextitem):
    for _ in range(2):
        for report in runtestprotocol(item, nextitem=nextitem, log=False):
            item.ihook.pytest_runtest_logreport(report=report)
    return True
"""
    )
    run(
        PUT
        + """
attempts = []

def test_it(fakestore):
    attempts.append(1)
    swallow_a_refusal()
    assert len(attempts) > 1
"""
    ).assert_outcomes(failed=1, passed=1, errors=1)


# -- the report of a failure

SHAPES = {
    "fixture": """
@pytest.mark.fakestore(buckets=["photos"])
def test_it(fakestore):
    put(fakestore)
    assert False
""",
    "function": """
@fake_store(buckets=["photos"])
def test_it(store):
    put(store)
    assert False
""",
    "with": """
def test_it():
    with fake_store(buckets=["photos"]) as store:
        put(store)
        assert False
""",
    "after": """
def test_it():
    with fake_store(buckets=["photos"]) as store:
        put(store)
    assert False
""",
    "TestCase": """
import unittest

@fake_store(buckets=["photos"])
class Test(unittest.TestCase):
    def test_it(self):
        put(self.store)
        self.fail()
""",
    "module": """
@pytest.fixture(scope="module")
def store():
    with fake_store(buckets=["photos"]) as store:
        yield store

def test_before(store): ...

def test_it(store):
    put(store)
    assert False
""",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_report_of_a_failure_shows_what_was_asked_and_what_is_held(run, shape):
    result = run(PUT + SHAPES[shape])
    result.stdout.fnmatch_lines(
        [
            "*- fakestore http://objects.test -*",
            "exchanges:",
            "  PUT photos.objects.test/cat.jpg -> 200 (as default)",
            "holds:",
            "  photos  (of default, versioning never)",
            "  └── cat.jpg  4 bytes  binary/octet-stream  *",
        ],
        consecutive=True,
    )


def test_a_report_shows_a_store_once(run):
    result = run(PUT + SHAPES["module"])
    assert result.stdout.str().count("- fakestore http://objects.test -") == 1


def test_a_report_shows_every_store_of_the_test(run):
    result = run(
        """
from fakestore import fake_store

def test_it():
    with fake_store(base_url="http://one.test"), fake_store(base_url="http://two.test"):
        assert False
"""
    )
    result.stdout.fnmatch_lines(["*- fakestore http://one.test -*", "*- fakestore http://two.test -*"])


def test_a_report_explains_refusals_of_the_service_and_names_those_of_the_fake(run):
    result = run(
        PUT
        + """
@pytest.mark.fakestore(buckets=["photos"])
def test_it(fakestore):
    alice = fakestore.create_account("alice")
    fakestore.session(alice).get(fakestore.url("photos", "cat.jpg"))
    swallow_a_refusal()
    assert False
"""
    )
    result.stdout.fnmatch_lines(
        [
            "  GET photos.objects.test/cat.jpg -> 403 AccessDenied (as alice): *",
            "  refused: GET http://elsewhere.test/: 'elsewhere.test' is not a host of this store.*",
        ]
    )


def test_a_report_shows_the_last_exchanges_and_counts_the_older_ones(run):
    result = run(
        PUT
        + """
@pytest.mark.fakestore(buckets=["photos"])
def test_it(fakestore):
    for number in range(25):
        put(fakestore, f"{number:02}")
    assert False
"""
    )
    result.stdout.fnmatch_lines(
        ["last exchanges (5 older ones not shown):", "  PUT photos.objects.test/05 -> 200 (as default)"],
        consecutive=True,
    )


def test_an_error_on_leaving_has_the_section_too(run):
    result = run(PUT + "def test_it(fakestore): swallow_a_refusal()")
    result.stdout.fnmatch_lines(["*- fakestore http://objects.test -*", "exchanges:", "  none", "  refused: GET *"])


def test_passing_tests_print_nothing(run):
    result = run(
        PUT
        + """
@pytest.mark.fakestore(buckets=["photos"])
def test_it(fakestore):
    put(fakestore)

@fake_store(buckets=["photos"])
def test_decorated(store):
    put(store)
""",
        "-rA",
        "-v",
    )
    result.assert_outcomes(passed=2)
    result.stdout.no_fnmatch_line("*- fakestore http*")


def test_a_failing_test_that_used_no_store_has_no_section(run):
    result = run(
        PUT
        + """
@fake_store()
def test_before(store): ...

def test_it(): assert False
"""
    )
    result.stdout.no_fnmatch_line("*- fakestore http*")


def test_stored_content_in_an_assert_shows_a_difference(run):
    result = run(
        PUT
        + """
@fake_store(buckets=["photos"])
def test_it(store):
    put(store)
    assert store["photos"]["cat.jpg"].content == b"purr"
"""
    )
    result.stdout.fnmatch_lines(["E*b'meow' == b'purr'", "E*At index 0 diff: b'm' != b'p'"])


# -- beside other plugins, and without this one


def test_under_xdist_stores_are_each_workers_own_and_reports_arrive_whole(run):
    result = run(
        PUT
        + """
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


def test_without_the_plugin_there_is_no_fixture_and_no_crash(pytester, monkeypatch):
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    pytester.makepyfile(
        PUT
        + """
def test_fixture(fakestore): ...

@fake_store(buckets=["photos"])
def test_decorated(store):
    assert put(store) == 200

@fake_store()
def test_failing(store):
    assert False
"""
    )
    result = pytester.runpytest_subprocess("-p", "no:fakestore", "-p", "no:randomly", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=1, errors=1)
    result.stdout.fnmatch_lines(["*fixture 'fakestore' not found"])
    result.stdout.no_fnmatch_line("*- fakestore http*")


def test_no_store_is_kept_when_its_test_is_over(pytester):
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


# -- the example that fails on purpose


@pytest.fixture
def failing_example(pytester):
    """The report of the example, its version ids left out."""
    pytester.copy_example(str(ROOT / "examples" / "failing" / "test_mistake.py"))
    return pytester.runpytest("-p", "fakestore.pytest_plugin")


def test_the_failing_example_fails(failing_example):
    failing_example.assert_outcomes(failed=1)


def test_the_report_of_the_failing_example_tells_its_mistakes(failing_example):
    failing_example.stdout.fnmatch_lines(
        [
            "exchanges:",
            "  PUT documents.objects.test/letter.txt -> 200 (as default)",
            "  PUT documents.objects.test/letter.txt -> 403 AccessDenied (as editor): *WRITE on bucket 'documents'*",
            "  GET documents.objects.test/letter.txt?versionId=null -> 404 NoSuchVersion (as default):"
            " key 'letter.txt' has no version null; its versions, newest first: *",
            "holds:",
            "  documents  (of default, versioning enabled)",
            "  └── letter.txt",
            "      └── *  8 bytes  binary/octet-stream  *  (latest)",
        ],
        consecutive=True,
    )


def test_the_failing_example_is_not_collected_by_the_way(pytester):
    result = pytester.runpytest_subprocess(
        str(ROOT / "examples"),
        "--rootdir",
        str(ROOT),
        "-c",
        str(ROOT / "pyproject.toml"),
        "--collect-only",
        "-q",
        "-p",
        "no:cacheprovider",
    )
    result.stdout.no_fnmatch_line("*test_mistake*")
