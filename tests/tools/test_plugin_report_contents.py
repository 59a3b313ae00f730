"""What the section in the report of a failure says of faults, other mocks and other tests, and what it leaves out."""

from __future__ import annotations

import pytest

# -- what is left out


def test_a_report_draws_the_begin_of_a_large_tree_and_counts_the_rest(run):
    result = run(
        """
@pytest.mark.fakestore(buckets=["photos"])
def test_it(fakestore):
    for number in range(100):
        fakestore["photos"].put(f"{number:02}")
    assert False
"""
    )
    drawn = result.stdout.lines[result.stdout.lines.index("holds:") + 1 :]
    assert [line[:8] for line in drawn[38:40]] == ["  ├── 37", "  ├── 38"]
    assert drawn[40] == "  ... and 61 more lines; store.describe() has them all"


def test_a_report_has_one_line_for_refusals_that_are_the_same(run):
    result = run(
        """
def test_it(fakestore):
    for _ in range(3):
        swallow_a_refusal()
    assert False
"""
    )
    refused = [line for line in result.stdout.lines if line.startswith("  refused")]
    assert [(line[:30], line[-11:]) for line in refused] == [("  refused 3 times: GET http://", "twork=True)")]


WIDER = """
@pytest.fixture(scope="module")
def store():
    with fake_store(buckets=["photos"]) as store:
        yield store

def test_before(store):
    put(store, "before")
    swallow_a_refusal()

def test_it(store):
    MORE
    assert False

def test_last(store):
    store.unhandled_requests.clear()
"""


def section(result):
    """The lines of the only section there is, up to the tree."""
    lines = result.stdout.lines
    (begin,) = (place for place, line in enumerate(lines) if "- fakestore http" in line)
    return lines[begin + 1 : lines.index("holds:")]


def test_a_report_leaves_out_what_a_store_of_a_wider_scope_was_asked_by_other_tests(run):
    result = run(WIDER.replace("MORE", "put(store)"), "-p", "no:randomly")
    assert section(result) == ["exchanges of this test:", "  PUT photos.objects.test/cat.jpg -> 200 (as default)"]


def test_a_report_says_that_a_test_asked_a_store_of_a_wider_scope_for_nothing(run):
    result = run(WIDER.replace("MORE", ""), "-p", "no:randomly")
    assert section(result) == ["exchanges of this test:", "  none"]


def test_a_report_shows_all_that_a_store_of_a_wider_scope_was_asked_since_its_reset(run):
    result = run(WIDER.replace("MORE", "store.reset(); put(store)"), "-p", "no:randomly")
    assert section(result) == ["exchanges:", "  PUT photos.objects.test/cat.jpg -> 200 (as default)"]


# -- faults


def test_a_report_shows_the_faults_that_still_wait(run):
    result = run(
        """
from fakestore import faults

@pytest.mark.fakestore(buckets=["photos"])
def test_it(fakestore):
    fakestore.fail("PUT Object", faults.ServiceError("SlowDown"))
    fakestore.fail("PUT Object", faults.ServiceError("SlowDown"), key="dog.jpg", times=2)
    fakestore.fail("PUT Object", faults.ConnectionReset(), after=1, times=None)
    put(fakestore)
    put(fakestore)
    assert False
"""
    )
    armed = [line for line in result.stdout.lines if line.startswith("  armed")]
    assert armed == [
        "  armed: fail('PUT Object', ServiceError('SlowDown'), key='dog.jpg', times=2):"
        " no request named key 'dog.jpg'; there are 'cat.jpg'",
        "  armed: fail('PUT Object', ConnectionReset(), times=None, after=1):"
        " 1 request matched, and after=1 let it pass",
    ]


# -- mocks that hide the store

HIDDEN = """
import requests_mock
import responses

@responses.activate
def test_responses(fakestore):
    put(fakestore)

def test_mocker(fakestore):
    with requests_mock.Mocker():
        put(fakestore)

@responses.activate
def test_wrapped(fakestore):
    try:
        put(fakestore)
    except requests.ConnectionError as error:
        raise RuntimeError("no upload") from error

@responses.activate
def test_elsewhere(fakestore):
    requests.get("http://elsewhere.test/")

@responses.activate
@fake_store()
def test_right(store):
    assert put(store) == 200
"""


@pytest.mark.parametrize("name", ["responses", "mocker", "wrapped"])
def test_a_report_says_that_a_mock_hid_the_store(run, name):
    result = run(HIDDEN, "-k", f"test_{name}")
    assert section(result) == [
        "exchanges:",
        "  none",
        "  hidden: another mock, begun inside of this store, refused http://photos.objects.test/cat.jpg, for the"
        " innermost answers. Begin the store inside of it: @fake_store() under @responses.activate;"
        " requests_mock.Mocker(real_http=True)",
    ]


def test_a_report_says_nothing_of_mocks_that_refused_what_is_not_the_stores(run):
    result = run(HIDDEN, "-k", "test_elsewhere")
    assert section(result) == ["exchanges:", "  none"]
