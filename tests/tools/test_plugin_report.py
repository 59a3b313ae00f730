"""The section in the report of a failure."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


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
    result = run(SHAPES[shape])
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
    result = run(SHAPES["module"])
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
        """
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
        """
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


def test_a_report_says_that_the_clock_was_moved(run):
    result = run(
        """
def test_it(fakestore):
    fakestore.travel(days=30, hours=1)
    fakestore.travel(days=-60)
    assert False
"""
    )
    result.stdout.fnmatch_lines(["exchanges:", "  none", "  clock: moved by store.travel(), 29 days, 23:00:00 back"])


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("with fake_store() as store:\n        store.travel(days=3)\n        assert False", True),
        ("with freeze_time('2030-01-01'):\n        fakestore.travel(days=3)\n    assert False", False),
        ("fakestore.travel(days=3)\n    fakestore.reset()\n    assert False", False),
    ],
    ids=["left", "of a freeze that has ended", "reset"],
)
def test_a_report_says_how_far_the_clock_was_moved_where_that_is_so(run, body, shown):
    result = run(
        f"""
from freezegun import freeze_time
from fakestore import fake_store

def test_it(fakestore):
    {body}
"""
    )
    assert ("moved by store.travel(), 3 days, 0:00:00 ahead" in result.stdout.str()) is shown


def test_an_error_on_leaving_has_the_section_too(run):
    result = run("def test_it(fakestore): swallow_a_refusal()")
    result.stdout.fnmatch_lines(["*- fakestore http://objects.test -*", "exchanges:", "  none", "  refused: GET *"])


def test_passing_tests_print_nothing(run):
    result = run(
        """
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
        """
@fake_store()
def test_before(store): ...

def test_it(): assert False
"""
    )
    result.stdout.no_fnmatch_line("*- fakestore http*")


def test_stored_content_in_an_assert_shows_a_difference(run):
    result = run(
        """
@fake_store(buckets=["photos"])
def test_it(store):
    put(store)
    assert store["photos"]["cat.jpg"].content == b"purr"
"""
    )
    result.stdout.fnmatch_lines(["E*b'meow' == b'purr'", "E*At index 0 diff: b'm' != b'p'"])


# -- the example that fails on purpose


@pytest.fixture
def failing_example(pytester, plain_runs):
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


def test_the_failing_example_is_not_collected_by_the_way(pytester, plain_runs):
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
