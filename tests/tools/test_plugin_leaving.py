"""What a test that used the fixture hears when it is over."""

from __future__ import annotations

import pytest


def test_a_passing_test_that_swallowed_a_refusal_gets_an_error(run):
    result = run("def test_it(fakestore): swallow_a_refusal()")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*UnexpectedRequest: GET http://elsewhere.test/: 'elsewhere.test' is not a host*"])


def test_a_failing_test_that_swallowed_a_refusal_gets_no_further_error(run):
    run(
        """
def test_it(fakestore):
    swallow_a_refusal()
    assert False
"""
    ).assert_outcomes(failed=1)


def test_a_test_whose_setup_fails_after_a_swallowed_refusal_gets_one_error(run):
    run(
        """
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
        f"""
def test_it(fakestore):
    swallow_a_refusal()
    {body}
"""
    ).assert_outcomes(**outcomes)


def test_an_expected_failure_by_a_refusal_is_one(run):
    run(
        """
@pytest.mark.xfail(reason="the refusal is what is expected", strict=True)
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
        """
attempts = []

def test_it(fakestore):
    attempts.append(1)
    swallow_a_refusal()
    assert len(attempts) > 1
"""
    ).assert_outcomes(failed=1, passed=1, errors=1)


# -- what a traceback shows

RAISES = {
    "unexpected": "requests.get('http://elsewhere.test/')",
    "unsupported": "requests.get(fakestore.url('photos', 'cat.jpg', torrent=None))",
    "unsupported by the method": "requests.patch(fakestore.url('photos', 'cat.jpg'))",
    "unsupported by a mounted adapter": """session = requests.Session()
    session.mount("http://", FakeStore().adapter())
    session.get(fakestore.url('photos', 'cat.jpg', torrent=None))""",
}


@pytest.mark.parametrize("name", RAISES)
def test_a_traceback_shows_the_line_that_asked_and_none_of_ours(run, name):
    result = run(f"def test_it(fakestore):\n    {RAISES[name]}\n")
    (line,) = (line for line in result.stdout.lines if line.startswith(">   "))
    assert line[1:].strip() == RAISES[name].splitlines()[-1].strip()
    result.stdout.no_fnmatch_line("*fakestore/*.py:*")


def test_a_traceback_of_a_refusal_that_the_application_wraps_shows_none_of_ours(run):
    result = run(
        """
def test_it(fakestore):
    try:
        requests.get("http://elsewhere.test/")
    except requests.ConnectionError as error:
        raise RuntimeError("not there") from error
"""
    )
    result.stdout.fnmatch_lines(['>*requests.get("http://elsewhere.test/")', ">*raise RuntimeError*"])
    result.stdout.no_fnmatch_line("*fakestore/*.py:*")


def test_a_refusal_whose_traceback_was_cleared_fails_the_test_and_not_the_run(run):
    result = run(
        """
import unittest
from fakestore import UnexpectedRequest

@fake_store()
class Test(unittest.TestCase):
    def test_it(self):
        with self.assertRaises(UnexpectedRequest) as caught:
            requests.get("http://elsewhere.test/")
        self.store.unhandled_requests.clear()
        raise AssertionError("not there") from caught.exception

def test_another(): pass
"""
    )
    result.assert_outcomes(failed=1, passed=1)


def test_the_full_traceback_is_there_when_it_is_asked_for(run):
    result = run("def test_it(fakestore): requests.get('http://elsewhere.test/')", "--full-trace")
    result.stdout.fnmatch_lines(["*fakestore/clients/requests/patch.py:*"])


def test_a_traceback_of_a_swallowed_refusal_shows_the_line_that_asked_and_none_of_ours(run):
    result = run("def test_it(fakestore): swallow_a_refusal()")
    result.stdout.fnmatch_lines(['>*requests.get("http://elsewhere.test/")'])
    result.stdout.no_fnmatch_line("*fakestore/*.py:*")


IN_CASES = {
    "raised": """
        requests.get("http://elsewhere.test/")
""",
    "swallowed": """
        try:
            requests.get("http://elsewhere.test/")
        except requests.ConnectionError:
            pass
""",
    "raised in a subtest": """
        with self.subTest("one"):
            requests.get("http://elsewhere.test/")
""",
    "wrapped": """
        try:
            requests.get("http://elsewhere.test/")
        except requests.ConnectionError as error:
            raise RuntimeError("not there") from error
""",
}


@pytest.mark.parametrize("name", IN_CASES)
def test_a_traceback_in_a_test_case_shows_the_line_that_asked_and_none_of_ours(run, name):
    result = run(
        f"""
import unittest

@fake_store()
class Test(unittest.TestCase):
    def test_it(self):
{IN_CASES[name]}
"""
    )
    result.stdout.fnmatch_lines(['>*requests.get("http://elsewhere.test/")'])
    result.stdout.no_fnmatch_line("*fakestore/*.py:*")


def test_a_traceback_of_an_error_in_the_fake_itself_shows_where(run):
    result = run(
        """
def test_it(fakestore, monkeypatch):
    monkeypatch.setattr("fakestore.service.service.address_of", lambda *_: 1 / 0)
    put(fakestore)
"""
    )
    result.stdout.fnmatch_lines(["*fakestore/clients/requests/send.py:*", "*fakestore/service/service.py:*"])
