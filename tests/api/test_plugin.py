"""The pytest plugin: its fixture, marker and options, and the checks after a test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import fakestore

PACKAGE = Path(fakestore.__file__).resolve().parent
#: A line of a traceback of pytest.
LINE_OF_A_FILE = re.compile(r"(\S.*\.py):\d+: ")


def test_the_fixture_is_an_active_store_of_each_test(run):
    run(
        """
from requests.adapters import HTTPAdapter
REAL_SEND = HTTPAdapter.send

def test_one(fakestore):
    fakestore.create_bucket("photos")
    assert put(fakestore) == 200

def test_two(fakestore):
    assert list(fakestore.buckets) == []
    raise ZeroDivisionError

def test_three():
    assert HTTPAdapter.send is REAL_SEND
"""
    ).assert_outcomes(passed=2, failed=1)


def test_markers_merge_and_the_nearest_wins(run):
    run(
        """
pytestmark = pytest.mark.fakestore(buckets=["of-the-module"], seed=1)

@pytest.mark.fakestore(buckets=["photos"], base_url="http://class.test")
class TestIt:
    @pytest.mark.fakestore(base_url="https://method.test:9000")
    def test_it(self, fakestore):
        assert (list(fakestore), fakestore.base_url, put(fakestore)) == (["photos"], "https://method.test:9000", 200)

def test_other_test_of_the_module():
    pass
""",
        "--strict-markers",
    ).assert_outcomes(passed=2)


@pytest.mark.parametrize("scope", ["function", "module", "session"])
def test_the_options_fixture_may_be_overridden_at_any_scope(run, pytester, scope):
    pytester.makeconftest(
        f"""
import pytest

@pytest.fixture(scope={scope!r})
def fakestore_options():
    return {{"buckets": ["photos"], "base_url": "http://conftest.test"}}
"""
    )
    run(
        """
@pytest.fixture
def fakestore_options(fakestore_options):
    return fakestore_options | {"buckets": ["films"]}

def test_it(fakestore, fakestore_options):
    assert (list(fakestore), fakestore.base_url) == (["films"], "http://conftest.test")

@pytest.mark.fakestore(base_url="http://marker.test")
def test_marked(fakestore):
    assert (list(fakestore), fakestore.base_url) == (["films"], "http://marker.test")
"""
    ).assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ('bucket="photos"', "*unknown option 'bucket'*Did you mean 'buckets'?"),
        ('["photos"]', "*keyword arguments only*"),
    ],
)
def test_invalid_options_of_the_marker_are_refused(run, arguments, message):
    result = run(f"@pytest.mark.fakestore({arguments})\ndef test_it(fakestore): ...")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([message])


def test_options_can_be_parametrized_but_not_the_fixture(run):
    result = run(
        """
BOTH = [{"dialect": "s3"}, {"dialect": "document"}]

@pytest.mark.parametrize("fakestore_options", BOTH)
def test_options(fakestore, fakestore_options):
    assert fakestore.dialect.name == fakestore_options["dialect"]

@pytest.mark.parametrize("fakestore", BOTH, indirect=True)
def test_fixture(fakestore): ...
"""
    )
    result.assert_outcomes(passed=2, errors=2)
    result.stdout.fnmatch_lines(["*parametrize 'fakestore_options', without indirect*"])


def test_the_marker_without_the_fixture_is_an_error(run):
    result = run(
        """
@pytest.mark.fakestore(buckets=["photos"])
def test_it(): ...

@pytest.mark.parametrize("number", [1, pytest.param(2, marks=pytest.mark.fakestore(seed=2))])
def test_parameter(number): ...

@pytest.mark.skip(reason="markers of a skipped test do not matter")
@pytest.mark.fakestore(seed=1)
def test_skipped(): ...
"""
    )
    result.assert_outcomes(errors=2, passed=1, skipped=1)
    result.stdout.fnmatch_lines(['*has no effect on test_it*@pytest.mark.usefixtures("fakestore")*'])


def test_the_fixture_may_be_used_through_another_one_or_by_name(run):
    run(
        """
@pytest.fixture
def photos(fakestore):
    return fakestore["photos"]

@pytest.mark.fakestore(buckets=["photos"])
def test_it(photos):
    assert list(photos) == []

@pytest.mark.usefixtures("fakestore")
@pytest.mark.fakestore(buckets=["photos"])
class TestIt:
    def test_it(self):
        assert requests.get("http://photos.objects.test/cat.jpg").status_code == 403
"""
    ).assert_outcomes(passed=2)


def test_coroutine_tests_and_fixtures_have_their_store(run):
    run(
        """
import pytest_asyncio

@pytest_asyncio.fixture
async def store():
    with fake_store(buckets=["photos"]) as store:
        yield store

@pytest.mark.asyncio
async def test_fixture(store):
    assert (put(store), list(store["photos"])) == (200, ["cat.jpg"])

@pytest.mark.asyncio
@pytest.mark.fakestore(buckets=["photos"])
async def test_marked(fakestore):
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
    ).assert_outcomes(passed=3)


# -- the checks after a test


@pytest.mark.decision("swallowed-unhandled-requests")
def test_a_passing_test_that_swallowed_a_request_gets_an_error(run):
    result = run("def test_it(fakestore): swallow()")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*UnexpectedRequest: GET http://elsewhere.test/: 'elsewhere.test' is not a host*"])


def test_an_expected_request_says_how_to_acknowledge_it(run):
    result = run(
        """
def test_it(fakestore):
    with pytest.raises(UnexpectedRequest):
        requests.get("http://elsewhere.test/")
"""
    )
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["E*raised again because it is still in store.unhandled_requests.*.clear()"])


@pytest.mark.decision("swallowed-unhandled-requests")
def test_a_test_that_does_not_pass_gets_no_further_error(run):
    run(
        """
def test_failing(fakestore):
    swallow()
    assert False

def test_skipped(fakestore):
    swallow()
    pytest.skip("not today")

def test_expected(fakestore):
    swallow()
    pytest.xfail("known")

def test_acknowledged(fakestore):
    swallow()
    fakestore.unhandled_requests.clear()
"""
    ).assert_outcomes(failed=1, skipped=1, xfailed=1, passed=1)


def test_a_failing_set_up_and_an_expected_failure_get_no_further_error(run):
    run(
        """
@pytest.fixture
def failing(fakestore):
    swallow()
    raise ZeroDivisionError

def test_set_up(failing): ...

@pytest.mark.xfail(reason="expected", strict=True)
def test_expected(fakestore):
    requests.get("http://elsewhere.test/")
"""
    ).assert_outcomes(errors=1, xfailed=1)


def test_a_test_that_is_run_again_is_checked_again(run, pytester):
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
        """
attempts = []

def test_it(fakestore):
    attempts.append(1)
    swallow()
    assert len(attempts) > 1
"""
    ).assert_outcomes(failed=1, passed=1, errors=1)


# -- tracebacks


def test_a_traceback_shows_the_test_and_no_line_of_fakestore(run, pytester):
    failing = [
        "requests.get('http://elsewhere.test/')",
        "requests.get(fakestore.url('photos', 'cat.jpg', torrent=None))",
        "requests.patch(fakestore.url('photos', 'cat.jpg'))",
        "fakestore['photos']",
        "fakestore.create_bucket('photos')['cat.jpg']",
        "swallow()",
    ]
    tests = [f"def test_{number}(fakestore):\n    {line}\n" for number, line in enumerate(failing)]
    shown = run("\n".join(tests)).stdout
    lines = {line[1:].strip() for line in shown.lines if line.startswith(">")}
    assert {*failing[:-1], 'requests.get("http://elsewhere.test/")'} <= lines, "the last one is in swallow"
    places = [Path(pytester.path, found[1]).resolve() for line in shown.lines if (found := LINE_OF_A_FILE.match(line))]
    assert len(places) >= len(failing)
    assert not [place for place in places if place.is_relative_to(PACKAGE)]


def test_a_full_traceback_shows_all_lines(run):
    result = run("def test_it(fakestore): requests.get('http://elsewhere.test/')", "--full-trace")
    result.stdout.fnmatch_lines(["*fakestore/clients/requests.py:*"])


# -- the plugin beside others, and without users


def test_each_worker_of_xdist_has_its_own_stores(run):
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
        ["*- fakestore http://objects.test -*", "exchanges:", "  PUT Object (PutObject) photos/*"]
    )


def test_without_the_plugin_decorators_work_and_no_report_is_made(pytester, plain_runs):
    pytester.makepyfile(
        """
from fakestore import fake_store

def test_fixture(fakestore): ...

@fake_store(buckets=["photos"])
def test_decorated(store):
    assert list(store) == ["photos"]

@fake_store()
def test_failing(store):
    assert False
"""
    )
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=1, failed=1, errors=1)
    result.stdout.no_fnmatch_line("*- fakestore http*")


def test_no_store_is_kept_when_its_test_is_over(pytester, plain_runs):
    pytester.makepyfile(
        """
import gc
import weakref

from fakestore import fake_store

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
    # In a process of its own: this test would keep the stores for its own report.
    pytester.runpytest_subprocess("-p", "fakestore.pytest_plugin").assert_outcomes(passed=3)


def test_a_run_without_stores_imports_no_part_of_one(pytester, plain_runs):
    pytester.makeconftest(
        """
import sys

def pytest_unconfigure(config):
    roots = {"fakestore", "lxml", "requests", "responses", "urllib3"}
    print("imported:", sorted(name for name in sys.modules if name.partition(".")[0] in roots))
"""
    )
    pytester.makepyfile("def test_one(): ...\ndef test_two(): assert False")
    result = pytester.runpytest_subprocess("-p", "fakestore.pytest_plugin")
    expected = ["fakestore", "fakestore.api", "fakestore.pytest_plugin"]
    assert result.stdout.lines[-1] == f"imported: {expected}"


def test_dialect_of_the_fixture_is_set_in_the_ini_file(run, pytester, plain_runs):
    pytester.makeini("[pytest]\nfakestore_dialect = s3")
    run(
        """
def test_ini_file(fakestore):
    assert fakestore.dialect.name == "s3"

@pytest.mark.fakestore(dialect="document")
def test_marker_wins(fakestore):
    assert fakestore.dialect.name == "document"
"""
    ).assert_outcomes(passed=2)
    pytester.makeini("[pytest]\nfakestore_dialect = s4")
    result = pytester.runpytest("-p", "fakestore.pytest_plugin")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*fakestore_dialect: unknown dialect 's4': expected 'document', 's3'*"])


def test_server_of_the_fixture_is_set_in_the_ini_file(run, pytester, plain_runs):
    pytester.makepyprojecttoml("[tool.pytest.ini_options]\nfakestore_serve = true")  # pytest makes "True" of it
    run(
        """
import socket

def test_ini_file(fakestore):
    host, port = fakestore.server_url.removeprefix("http://").split(":")
    socket.create_connection((host, int(port))).close()

@pytest.mark.fakestore(serve=False)
def test_marker_wins(fakestore):
    with pytest.raises(RuntimeError, match="serve=True"):
        fakestore.server_url
"""
    ).assert_outcomes(passed=2)
    pytester.makepyprojecttoml("[tool.pytest.ini_options]\nfakestore_serve = 'always'")
    result = pytester.runpytest("-p", "fakestore.pytest_plugin")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*fakestore_serve: invalid value 'always'; expected false, true, process"])


@pytest.mark.parametrize("file", ["module", "class", "conftest"])
@pytest.mark.parametrize("options", ['def fakestore_options({self}): return {{"seed": 1}}', "fakestore_options = {{}}"])
def test_options_that_are_not_a_fixture_are_refused(run, pytester, file, options):
    options = options.format(self="self" if file == "class" else "")
    if file == "conftest":
        pytester.makeconftest(options)
    code = options if file == "module" else ""
    code += "\nclass Test:\n    "
    code += f"{options if file == 'class' else ''}\n    def test_it(self, fakestore): ..."
    result = run(code)
    shown = result.stderr if file == "conftest" else result.stdout
    shown.fnmatch_lines(["*fakestore_options in * has no effect, because it is not a fixture; write @pytest.fixture*"])


def test_options_fixture_that_returns_no_dict_is_refused(run):
    result = run("@pytest.fixture\ndef fakestore_options(): ...\n\ndef test_it(fakestore): ...")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*the fixture fakestore_options returned None; expected a dict of options*"])


def test_dialect_of_the_ini_file_counts_for_every_store_of_the_run(run, pytester):
    pytester.makeini("[pytest]\nfakestore_dialect = s3")
    run(
        """
def test_recipe():
    with fake_store() as store, fake_store(dialect="document") as other:
        assert (store.dialect.name, other.dialect.name, FakeStore().dialect.name) == ("s3", "document", "s3")

@fake_store()
def test_decorator(store):
    assert store.dialect.name == "s3"
"""
    ).assert_outcomes(passed=2)
    assert fakestore.FakeStore().dialect.name == "document"


def test_unknown_fixture_that_should_be_the_store_is_explained(run):
    result = run(
        """
@fake_store()
def test_decorated(s3store): ...

def test_plain(store): ...

@fake_store()
def test_store_and_typo(store, tmp_pth): ...

def test_typo(tmp_pth): ...
"""
    )
    result.assert_outcomes(errors=4)
    shown = [line for line in result.stdout.lines if "the parameter" in line or "the fixture of" in line]
    assert len(shown) == 2
    assert shown[0].endswith("write s3store: FakeStore if 's3store' is the store")
    assert shown[1].startswith("the fixture of fakestore is called 'fakestore'; only under the decorator")
