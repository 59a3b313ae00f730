"""The fixture `fakestore`, its marker and its options, as a run of pytest shows them."""

from __future__ import annotations

import pytest


def test_the_fixture_is_an_active_store_of_each_tests_own(run):
    run(
        """
def test_one(fakestore):
    fakestore.create_bucket("photos")
    assert put(fakestore) == 200

def test_two(fakestore):
    assert list(fakestore.buckets) == []
"""
    ).assert_outcomes(passed=2)


def test_nothing_stays_patched_after_a_test_that_used_the_fixture(run):
    run(
        """
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
        """
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
    result.stdout.fnmatch_lines(["*TypeError: there is no option 'bucket'; there are * Did you mean 'buckets'?"])


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
        """
@pytest.mark.usefixtures("fakestore")
@pytest.mark.fakestore(buckets=["photos"])
class TestIt:
    def test_it(self):
        assert requests.get("http://photos.objects.test/cat.jpg").status_code == 403
"""
    ).assert_outcomes(passed=1)


def test_the_fixture_serves_coroutine_tests(run):
    run(
        """
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
        """
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


# -- the marker without the fixture


def test_the_marker_on_a_test_that_does_not_use_the_fixture_is_an_error_that_says_what_to_do(run):
    result = run(
        """
@pytest.mark.fakestore(buckets=["photos"])
def test_it(): ...
"""
    )
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [
            "*@pytest.mark.fakestore is over test_it, which does not use the fixture 'fakestore', so nothing is"
            ' patched; name the fixture as a parameter, or write @pytest.mark.usefixtures("fakestore") over the test*'
        ]
    )


def test_the_marker_of_one_set_of_parameters_needs_the_fixture_too(run):
    run(
        """
@pytest.mark.parametrize("number", [1, pytest.param(2, marks=pytest.mark.fakestore(seed=2))])
def test_it(number): ...
"""
    ).assert_outcomes(passed=1, errors=1)


def test_the_marker_reaches_a_fixture_that_another_fixture_asks_for(run):
    run(
        """
@pytest.fixture
def photos(fakestore):
    return fakestore["photos"]

@pytest.mark.fakestore(buckets=["photos"])
def test_it(photos):
    assert list(photos) == []
"""
    ).assert_outcomes(passed=1)


@pytest.mark.parametrize("over", ["pytestmark = {}\n", "class TestIt:\n    pytestmark = {}\n"])
def test_the_marker_of_a_class_or_module_is_for_those_of_its_tests_that_use_the_fixture(run, over):
    indent = "    " if "class" in over else ""
    argument = "self, " if "class" in over else ""
    run(
        over.format('pytest.mark.fakestore(buckets=["photos"])')
        + f"{indent}def test_one({argument}fakestore): assert list(fakestore) == ['photos']\n"
        + f"{indent}def test_other({argument.rstrip(', ')}): ...\n"
    ).assert_outcomes(passed=2)


def test_a_skipped_test_is_skipped_whatever_its_markers(run):
    run(
        """
@pytest.mark.skip(reason="its markers are not looked at then")
@pytest.mark.fakestore(seed=1)
def test_it(): ...
"""
    ).assert_outcomes(skipped=1)
