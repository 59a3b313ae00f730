"""fake_store over TestCase classes: as unittest itself tells the outcome."""

from __future__ import annotations

import functools
import unittest

import pytest
import requests
from requests.adapters import HTTPAdapter

from fakestore import FakeStore, UnexpectedRequest, fake_store

REAL_SEND = HTTPAdapter.send


class BodyError(Exception):
    """What a failing body raises."""


def put_cat(store):
    return requests.put(store.url("photos", "cat.jpg"), data=b"meow", auth=store.auth()).status_code


def swallow_a_refusal():
    with pytest.raises(requests.ConnectionError):
        requests.get("http://elsewhere.test/")


def run(case_class):
    """Run its tests by unittest; the result."""
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case_class).run(result)
    return result


def outcome(case_class):
    """How many tests ran, failed and so on, and with which exceptions; and whether nothing stays patched."""
    result = run(case_class)
    last_lines = [text.strip().splitlines()[-1] for _, text in result.errors + result.failures]
    raised = [line.partition(":")[0].rpartition(".")[2] for line in last_lines]
    told = {
        "ran": result.testsRun,
        "raised": raised,
        "skipped": len(result.skipped),
        "expected": len(result.expectedFailures),
        "unexpected": len(result.unexpectedSuccesses),
    }
    assert HTTPAdapter.send is REAL_SEND
    return {name: value for name, value in told.items() if value}


def case_of(base, body, **others):
    """A decorated class with one test."""
    return fake_store(buckets=["photos"])(type("Case", (base,), {"test": body, **others}))


def raises_body_error(*_):
    raise BodyError


async def raises_body_error_later(*_):
    raise BodyError


every_base = pytest.mark.parametrize(
    "case_class",
    [functools.partial(case_of, unittest.TestCase), functools.partial(case_of, unittest.IsolatedAsyncioTestCase)],
    ids=["TestCase", "IsolatedAsyncioTestCase"],
)


@every_base
def test_the_body_runs_inside_the_store_that_it_finds_as_self_store(case_class):
    seen = []

    def body(case):
        seen.append((isinstance(case.store, FakeStore), put_cat(case.store), list(case.store["photos"])))

    assert (outcome(case_class(body)), seen) == ({"ran": 1}, [(True, 200, ["cat.jpg"])])


def test_a_coroutine_test_is_run_to_its_end_inside_the_store():
    seen = []

    async def body(case):
        seen.append(put_cat(case.store))

    assert (outcome(case_of(unittest.IsolatedAsyncioTestCase, body)), seen) == ({"ran": 1}, [200])


@every_base
def test_a_failing_body_fails_once(case_class):
    assert outcome(case_class(raises_body_error)) == {"ran": 1, "raised": ["BodyError"]}


def test_a_failing_coroutine_test_fails_once():
    case_class = case_of(unittest.IsolatedAsyncioTestCase, raises_body_error_later)
    assert outcome(case_class) == {"ran": 1, "raised": ["BodyError"]}


@every_base
def test_the_store_is_there_in_set_up_and_tear_down_and_cleanups(case_class):
    seen = []

    def set_up(case):
        case.addCleanup(lambda: seen.append(put_cat(case.store)))
        seen.append(put_cat(case.store))

    def tear_down(case):
        seen.append(put_cat(case.store))

    told = outcome(case_class(lambda case: None, setUp=set_up, tearDown=tear_down))
    assert (told, seen) == ({"ran": 1}, [200, 200, 200])


def test_the_store_is_there_in_async_set_up():
    seen = []

    async def set_up(case):
        seen.append(put_cat(case.store))

    told = outcome(case_of(unittest.IsolatedAsyncioTestCase, lambda case: None, asyncSetUp=set_up))
    assert (told, seen) == ({"ran": 1}, [200])


def raised_by(case_class):
    """The names of the exceptions that its tests ended with."""
    return outcome(case_class)["raised"]


@every_base
def test_a_failing_set_up_is_told_once_and_leaves_nothing_patched(case_class):
    assert raised_by(case_class(lambda case: None, setUp=raises_body_error)) == ["BodyError"]


def test_a_failing_async_set_up_is_told_once_and_leaves_nothing_patched():
    case_class = case_of(unittest.IsolatedAsyncioTestCase, lambda case: None, asyncSetUp=raises_body_error_later)
    assert raised_by(case_class) == ["BodyError"]


@every_base
def test_a_failing_tear_down_is_told_once_and_leaves_nothing_patched(case_class):
    assert raised_by(case_class(lambda case: None, tearDown=raises_body_error)) == ["BodyError"]


@every_base
def test_a_test_that_passes_but_swallowed_a_refusal_is_an_error(case_class):
    assert raised_by(case_class(lambda case: swallow_a_refusal())) == ["UnexpectedRequest"]


@every_base
def test_a_test_whose_fault_never_fired_fails(case_class):
    from fakestore import faults

    def body(case):
        case.store.fail("PUT Object", faults.ConnectionReset())

    assert raised_by(case_class(body)) == ["AssertionError"]


@every_base
@pytest.mark.parametrize("place", ["test", "setUp", "tearDown"])
def test_a_failing_test_that_swallowed_a_refusal_is_not_failed_once_more(case_class, place):
    def failing(case):
        swallow_a_refusal()
        raise BodyError

    parts = {"setUp": lambda case: None, "tearDown": lambda case: None, "test": lambda case: None} | {place: failing}
    assert raised_by(case_class(parts.pop("test"), **parts)) == ["BodyError"]


@every_base
def test_a_refusal_taken_off_was_meant(case_class):
    def body(case):
        swallow_a_refusal()
        case.store.unhandled_requests.clear()

    assert outcome(case_class(body)) == {"ran": 1}


@every_base
@pytest.mark.parametrize("place", ["test", "setUp"])
def test_a_skipped_test_is_skipped_whatever_it_swallowed(case_class, place):
    def skipping(case):
        swallow_a_refusal()
        case.skipTest("not today")

    parts = {"test": lambda case: None} | {place: skipping}
    assert outcome(case_class(parts.pop("test"), **parts)) == {"ran": 1, "skipped": 1}


@every_base
def test_an_expected_failure_is_one_also_by_a_refusal(case_class):
    @unittest.expectedFailure
    def body(case):
        requests.get("http://elsewhere.test/")

    assert outcome(case_class(body)) == {"ran": 1, "expected": 1}


@every_base
def test_an_expected_failure_that_passes_is_an_unexpected_success(case_class):
    @unittest.expectedFailure
    def body(case):
        put_cat(case.store)

    assert outcome(case_class(body)) == {"ran": 1, "unexpected": 1}


@every_base
def test_a_failing_subtest_is_told_once_and_the_others_run(case_class):
    seen = []

    def body(case):
        for number in range(3):
            with case.subTest(number=number):
                swallow_a_refusal()
                seen.append(put_cat(case.store))
                case.assertNotEqual(number, 1)

    assert (raised_by(case_class(body)), seen) == (["AssertionError"], [200, 200, 200])


@every_base
def test_subtests_that_pass_but_swallowed_a_refusal_are_an_error(case_class):
    def body(case):
        with case.subTest():
            swallow_a_refusal()

    assert raised_by(case_class(body)) == ["UnexpectedRequest"]


def test_every_test_has_a_store_of_its_own():
    class Case(unittest.TestCase):
        def test_one(self):
            self.assertEqual([put_cat(self.store), list(self.store["photos"])], [200, ["cat.jpg"]])

        def test_two(self):
            self.assertEqual(list(self.store["photos"]), [])

    assert outcome(fake_store(buckets=["photos"])(Case)) == {"ran": 2}


def test_nothing_is_patched_in_set_up_class():
    seen = []

    class Case(unittest.TestCase):
        @classmethod
        def setUpClass(cls):
            seen.append(HTTPAdapter.send is REAL_SEND)

        def test(self):
            seen.append(HTTPAdapter.send is REAL_SEND)

        @classmethod
        def tearDownClass(cls):
            seen.append(HTTPAdapter.send is REAL_SEND)

    assert (outcome(fake_store()(Case)), seen) == ({"ran": 1}, [True, False, True])


def test_a_failing_set_up_class_is_told_once_and_leaves_nothing_patched():
    case_class = case_of(unittest.TestCase, lambda case: None, setUpClass=classmethod(raises_body_error))
    assert outcome(case_class) == {"raised": ["BodyError"]}


def test_a_class_that_is_skipped_enters_no_store():
    case_class = unittest.skip("not today")(case_of(unittest.TestCase, raises_body_error))
    assert outcome(case_class) == {"ran": 1, "skipped": 1}


def test_a_subclass_of_a_decorated_class_has_its_store():
    @fake_store(buckets=["photos"])
    class Base(unittest.TestCase):
        pass

    class Case(Base):
        def setUp(self):
            super().setUp()
            put_cat(self.store)

        def test(self):
            self.assertEqual(list(self.store["photos"]), ["cat.jpg"])

    assert outcome(Case) == {"ran": 1}


def test_a_subclass_that_is_decorated_too_has_its_own_store_in_the_place_of_its_bases():
    seen = []

    @fake_store(buckets=["photos"])
    class Base(unittest.TestCase):
        def setUp(self):
            seen.append(list(self.store.buckets))

    @fake_store(buckets=["films"])
    class Case(Base):
        def test(self):
            seen.append(list(self.store.buckets))

    assert (outcome(Case), seen) == ({"ran": 1}, [["films"], ["films"]])


def test_a_class_decorated_twice_finds_the_store_nearest_to_it_and_both_answer():
    seen = []

    @fake_store(base_url="http://outer.test", buckets=["photos"])
    @fake_store(base_url="http://inner.test", buckets=["photos"])
    class Case(unittest.TestCase):
        def test(self):
            outer = requests.get("http://photos.outer.test/cat.jpg").status_code
            seen.append((self.store.base_url, put_cat(self.store), outer))

    assert (outcome(Case), seen) == ({"ran": 1}, [("http://inner.test", 200, 403)])


def test_the_decorator_gives_back_the_class_itself():
    class Case(unittest.TestCase):
        pass

    assert fake_store()(Case) is Case


def test_a_method_of_a_test_case_may_be_decorated_alone():
    seen = []

    class Case(unittest.TestCase):
        @fake_store(buckets=["photos"])
        def test(self, store):
            seen.append(put_cat(store))

    assert (outcome(Case), seen) == ({"ran": 1}, [200])


def test_an_async_method_of_a_test_case_may_be_decorated_alone():
    seen = []

    class Case(unittest.IsolatedAsyncioTestCase):
        @fake_store(buckets=["photos"])
        async def test(self, store):
            seen.append(put_cat(store))

    assert (outcome(Case), seen) == ({"ran": 1}, [200])


def test_a_test_case_run_by_debug_raises_what_it_swallowed():
    case = case_of(unittest.TestCase, lambda case: swallow_a_refusal())("test")
    with pytest.raises(UnexpectedRequest):
        case.debug()
    assert HTTPAdapter.send is REAL_SEND


@fake_store(buckets=["photos"])
class TestUnderPytest(unittest.TestCase):
    def test_the_store_is_found_as_self_store(self):
        self.assertEqual([put_cat(self.store), list(self.store["photos"])], [200, ["cat.jpg"]])


@fake_store(buckets=["photos"])
class TestAsyncUnderPytest(unittest.IsolatedAsyncioTestCase):
    async def test_the_store_is_found_as_self_store(self):
        self.assertEqual([put_cat(self.store), list(self.store["photos"])], [200, ["cat.jpg"]])


# -- where there is no store yet


def test_set_up_class_is_told_that_the_store_is_of_each_test():
    seen = []

    @fake_store()
    class Case(unittest.TestCase):
        @classmethod
        def setUpClass(cls):
            with pytest.raises(AttributeError) as missing:
                _ = cls.store
            seen.append(str(missing.value))

        def test(self):
            seen.append(isinstance(self.store, FakeStore))

    assert outcome(Case) == {"ran": 1}
    assert seen == [
        "Case.store: each test has a store of its own, made before its setUp, so there is none in setUpClass;"
        " one for the whole class is entered there by cls.enterClassContext(fake_store(...))",
        True,
    ]


def test_a_set_up_that_does_not_call_the_decorated_one_is_told_to():
    @fake_store()
    class Base(unittest.TestCase): ...

    class Case(Base):
        def setUp(self):
            _ = self.store

        def test(self): ...

    ((_, told),) = run(Case).errors
    assert told.splitlines()[-1] == (
        "AttributeError: Case.store: it is made in setUp; a class below the decorated one that has a setUp of its own"
        " calls super().setUp() in it"
    )


def test_a_class_has_no_store_and_an_instance_has_none_before_its_set_up():
    @fake_store()
    class Case(unittest.TestCase):
        def test(self): ...

    assert (hasattr(Case, "store"), hasattr(Case("test"), "store")) == (False, False)


def test_a_store_that_the_class_keeps_for_itself_stays():
    @fake_store()
    class Case(unittest.TestCase):
        store = None

        def test(self):
            self.assertIsInstance(self.store, FakeStore)

    assert (Case.store, outcome(Case)) == (None, {"ran": 1})


def test_a_store_for_the_whole_class_is_entered_in_set_up_class():
    seen = []

    class Case(unittest.TestCase):
        @classmethod
        def setUpClass(cls):
            cls.shared = cls.enterClassContext(fake_store(buckets=["photos"]))

        def test_one(self):
            seen.append(put_cat(self.shared))

        def test_two(self):
            seen.append(put_cat(self.shared))

    assert (outcome(Case), seen) == ({"ran": 2}, [200, 200])


def test_of_two_decorators_of_a_class_the_nearest_one_gives_self_store():
    seen = []

    @fake_store(base_url="http://outer.test")
    @fake_store(base_url="http://inner.test")
    class Case(unittest.TestCase):
        def test(self):
            seen.append(self.store.base_url)

    assert (outcome(Case), seen) == ({"ran": 1}, ["http://inner.test"])
