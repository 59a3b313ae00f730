"""fake_store over TestCase classes, and the outcome that unittest reports."""

from __future__ import annotations

import functools
import unittest

import pytest
import requests
from requests.adapters import HTTPAdapter

from fakestore import FakeStore, fake_store, faults
from tests.support.decorated import REAL_SEND, BodyError, put_cat, swallow


def outcome(case_class):
    """Return how many tests ran, failed and so on, and the exceptions; nothing stays patched."""
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case_class).run(result)
    names = ("BodyError", "UnexpectedRequest", "AssertionError", "AttributeError")
    raised = [next(name for name in names if name in text) for _, text in result.failures + result.errors]
    counts = {
        "ran": result.testsRun,
        "raised": raised,
        "skipped": len(result.skipped),
        "expected": len(result.expectedFailures),
        "unexpected": len(result.unexpectedSuccesses),
    }
    assert HTTPAdapter.send is REAL_SEND
    return {name: value for name, value in counts.items() if value}


def case_of(base, body, **others):
    """Return a decorated class with one test."""
    return fake_store(buckets=["photos"])(type("Case", (base,), {"test": body, **others}))


def raise_body_error(*_):
    raise BodyError


async def raise_body_error_later(*_):
    raise BodyError


def nothing(case): ...


every_base = pytest.mark.parametrize(
    "make_case",
    [functools.partial(case_of, unittest.TestCase), functools.partial(case_of, unittest.IsolatedAsyncioTestCase)],
    ids=["TestCase", "IsolatedAsyncioTestCase"],
)


@every_base
def test_the_store_is_there_from_set_up_to_cleanups(make_case):
    seen = []

    def put(case):
        seen.append((isinstance(case.store, FakeStore), put_cat(case.store)))

    def set_up(case):
        case.addCleanup(put, case)
        put(case)

    assert outcome(make_case(put, setUp=set_up, tearDown=put)) == {"ran": 1}
    assert seen == [(True, 200)] * 4


@every_base
@pytest.mark.parametrize("place", ["test", "setUp", "tearDown"])
def test_a_failure_anywhere_leaves_nothing_patched(make_case, place):
    parts = {"test": nothing} | {place: raise_body_error}
    assert outcome(make_case(parts.pop("test"), **parts))["raised"] == ["BodyError"]


def test_a_failure_in_a_coroutine_leaves_nothing_patched():
    base = unittest.IsolatedAsyncioTestCase
    for case_class in (
        case_of(base, raise_body_error_later),
        case_of(base, nothing, asyncSetUp=raise_body_error_later),
    ):
        assert outcome(case_class)["raised"] == ["BodyError"]


@every_base
def test_a_swallowed_request_and_an_unfired_fault_are_reported(make_case):
    def plan(case):
        case.store.fail("PUT Object", faults.ConnectionReset())

    assert outcome(make_case(lambda case: swallow()))["raised"] == ["UnexpectedRequest"]
    assert outcome(make_case(plan))["raised"] == ["AssertionError"]


@every_base
def test_a_failing_test_keeps_its_own_error_beside_a_swallowed_request(make_case):
    def failing(case):
        swallow()
        raise BodyError

    assert sorted(outcome(make_case(failing))["raised"]) == ["BodyError", "UnexpectedRequest"]


@every_base
def test_an_acknowledged_request_is_not_reported(make_case):
    def body(case):
        swallow()
        case.store.unhandled_requests.clear()

    assert outcome(make_case(body)) == {"ran": 1}


@every_base
def test_skips_and_expected_failures_stay_what_they_are(make_case):
    skipped = make_case(lambda case: case.skipTest("not today"))
    expected = make_case(unittest.expectedFailure(lambda case: raise_body_error()))
    unexpected = make_case(unittest.expectedFailure(lambda case: None))
    seen = [outcome(each) for each in (skipped, expected, unexpected)]
    assert seen == [{"ran": 1, name: 1} for name in ("skipped", "expected", "unexpected")]


def test_each_test_has_its_own_store_and_set_up_class_has_none():
    seen = []

    class Case(unittest.TestCase):
        @classmethod
        def setUpClass(cls):
            seen.append(HTTPAdapter.send is REAL_SEND)

        def test_one(self):
            self.assertEqual([put_cat(self.store), list(self.store["photos"])], [200, ["cat.jpg"]])

        def test_two(self):
            self.assertEqual(list(self.store["photos"]), [])

        @classmethod
        def tearDownClass(cls):
            seen.append(HTTPAdapter.send is REAL_SEND)

    assert fake_store(buckets=["photos"])(Case) is Case
    assert (outcome(Case), seen, hasattr(Case, "store")) == ({"ran": 2}, [True, True], False)


def test_a_subclass_of_a_decorated_class_has_its_store():
    @fake_store(buckets=["photos"])
    class Base(unittest.TestCase): ...

    class Case(Base):
        def setUp(self):
            super().setUp()
            put_cat(self.store)

        def test(self):
            self.assertEqual(list(self.store["photos"]), ["cat.jpg"])

    assert outcome(Case) == {"ran": 1}


def test_a_set_up_that_does_not_call_super_has_no_store():
    @fake_store()
    class Base(unittest.TestCase): ...

    class Case(Base):
        def setUp(self):
            _ = self.store

        def test(self): ...

    assert outcome(Case)["raised"] == ["AttributeError"]


@pytest.mark.parametrize("own_set_up", [False, True])
def test_a_decorated_subclass_has_its_own_store(own_set_up):
    seen = []

    @fake_store(buckets=["photos"])
    class Base(unittest.TestCase):
        def setUp(self):
            seen.append(list(self.store.buckets))

    class Case(Base):
        if own_set_up:

            def setUp(self):
                super().setUp()

        def test(self):
            seen.append(list(self.store.buckets))

    assert (outcome(fake_store(buckets=["films"])(Case)), seen) == ({"ran": 1}, [["films"], ["films"]])


@pytest.mark.decision("decorated-twice")
def test_of_two_decorators_of_a_class_the_nearest_gives_self_store():
    seen = []

    @fake_store(base_url="http://outer.test", buckets=["photos"])
    @fake_store(base_url="http://inner.test", buckets=["photos"])
    class Case(unittest.TestCase):
        def test(self):
            outer = requests.get("http://photos.outer.test/cat.jpg").status_code
            seen.append((self.store.base_url, put_cat(self.store), outer))

    assert (outcome(Case), seen) == ({"ran": 1}, [("http://inner.test", 200, 403)])


@fake_store(buckets=["photos"])
class TestUnderPytest(unittest.IsolatedAsyncioTestCase):
    def test_a_function_finds_self_store(self):
        self.assertEqual([put_cat(self.store), list(self.store["photos"])], [200, ["cat.jpg"]])

    async def test_a_coroutine_finds_self_store(self):
        self.assertEqual([put_cat(self.store), list(self.store["photos"])], [200, ["cat.jpg"]])


def test_the_store_of_a_class_says_where_it_exists():
    @fake_store()
    class Case(unittest.TestCase):
        def runTest(self): ...

    with pytest.raises(AttributeError, match=r"Case: .* in setUpClass; there, write cls\.enterClassContext"):
        _ = Case.store
    with pytest.raises(AttributeError, match=r"Case: .* call super\(\)\.setUp\(\) first"):
        _ = Case().store
    assert not hasattr(Case, "store")
