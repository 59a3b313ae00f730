"""fake_store over functions of every kind: the body runs inside, its failure counts, nothing stays patched."""

from __future__ import annotations

import asyncio
import inspect
import os
import threading
from contextlib import ExitStack
from unittest import mock

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


def function(steps):
    @fake_store(buckets=["photos"])
    def body(store):
        for step in steps:
            step(store)

    return body


def coroutine(steps):
    @fake_store(buckets=["photos"])
    async def body(store):
        for step in steps:
            await asyncio.sleep(0)
            step(store)

    return lambda: asyncio.run(body())


def generator(steps):
    @fake_store(buckets=["photos"])
    def body(store):
        for step in steps:
            yield step(store)

    return lambda: list(body())


def async_generator(steps):
    @fake_store(buckets=["photos"])
    async def body(store):
        for step in steps:
            yield step(store)

    async def exhaust():
        return [item async for item in body()]

    return lambda: asyncio.run(exhaust())


def method(steps):
    class Tests:
        @fake_store(buckets=["photos"])
        def body(self, store):
            assert isinstance(self, Tests)
            for step in steps:
                step(store)

    return Tests().body


def with_block(steps):
    def body():
        with fake_store(buckets=["photos"]) as store:
            for step in steps:
                step(store)

    return body


every_shape = pytest.mark.parametrize(
    "shape", [function, coroutine, generator, async_generator, method, with_block], ids=lambda shape: shape.__name__
)


@every_shape
def test_the_body_runs_inside_a_store_of_its_own(shape):
    seen = []
    call = shape([lambda store: seen.append((put_cat(store), store["photos"]["cat.jpg"].content))])

    call()
    call()

    assert seen == [(200, b"meow"), (200, b"meow")]


@every_shape
def test_each_call_is_given_a_new_store(shape):
    seen = []
    call = shape([lambda store: seen.append((list(store["photos"]), put_cat(store)))])

    call()
    call()

    assert seen == [([], 200), ([], 200)]


@every_shape
def test_nothing_stays_patched_after_success(shape):
    shape([put_cat])()
    assert HTTPAdapter.send is REAL_SEND


@every_shape
def test_a_failing_body_fails(shape):
    def fail(store):
        raise BodyError

    with pytest.raises(BodyError):
        shape([put_cat, fail])()


@every_shape
def test_nothing_stays_patched_after_a_failing_body(shape):
    def fail(store):
        raise BodyError

    with pytest.raises(BodyError):
        shape([fail])()
    assert HTTPAdapter.send is REAL_SEND


@every_shape
def test_a_refusal_that_was_swallowed_comes_back_on_leaving(shape):
    with pytest.raises(UnexpectedRequest):
        shape([lambda store: swallow_a_refusal()])()
    assert HTTPAdapter.send is REAL_SEND


@every_shape
def test_a_swallowed_refusal_never_replaces_the_failure_of_the_body(shape):
    def fail(store):
        swallow_a_refusal()
        raise BodyError

    with pytest.raises(BodyError):
        shape([fail])()


@pytest.mark.parametrize("shape", [function, coroutine, generator, async_generator, method], ids=lambda s: s.__name__)
def test_the_decorated_is_of_the_same_kind_and_bears_the_same_name(shape):
    def plain(store): ...

    async def async_plain(store): ...

    def yielding(store):
        yield

    async def async_yielding(store):
        yield

    kinds = (inspect.isgeneratorfunction, inspect.iscoroutinefunction, inspect.isasyncgenfunction)
    for each in (plain, async_plain, yielding, async_yielding):
        decorated = fake_store()(each)
        assert [kind(decorated) for kind in kinds] == [kind(each) for kind in kinds]
        assert decorated.__name__ == each.__name__


def test_nothing_is_entered_before_the_body_of_a_generator_begins():
    @fake_store()
    def body():
        yield

    not_begun = body()
    assert HTTPAdapter.send is REAL_SEND
    not_begun.close()


def test_a_generator_closed_early_puts_everything_back():
    @fake_store(buckets=["photos"])
    def body(store):
        yield put_cat(store)
        raise AssertionError("never reached")

    begun = body()
    assert next(begun) == 200
    begun.close()
    assert HTTPAdapter.send is REAL_SEND


def test_closing_a_generator_early_raises_nothing_for_what_it_swallowed():
    @fake_store()
    def body():
        swallow_a_refusal()
        yield

    begun = body()
    next(begun)
    begun.close()


def test_a_generator_runs_its_own_finally_inside_of_the_store():
    seen = []

    @fake_store(buckets=["photos"])
    def body(store):
        try:
            yield
        finally:
            seen.append(put_cat(store))

    begun = body()
    next(begun)
    begun.close()
    assert seen == [200]


def test_a_generator_is_sent_values_and_thrown_errors_and_returns():
    @fake_store()
    def body():
        received = yield "first"
        try:
            yield received
        except BodyError:
            yield "caught"
        return "returned"

    begun = body()
    assert (next(begun), begun.send("sent"), begun.throw(BodyError())) == ("first", "sent", "caught")
    with pytest.raises(StopIteration) as stop:
        next(begun)
    assert stop.value.value == "returned"


def test_an_async_generator_is_sent_values_and_thrown_errors():
    @fake_store()
    async def body():
        received = yield "first"
        try:
            yield received
        except BodyError:
            yield "caught"

    async def drive():
        begun = body()
        said = [await anext(begun), await begun.asend("sent"), await begun.athrow(BodyError())]
        with pytest.raises(StopAsyncIteration):
            await anext(begun)
        return said

    assert asyncio.run(drive()) == ["first", "sent", "caught"]


def test_an_async_generator_that_ends_on_a_thrown_error_ends():
    @fake_store()
    async def body():
        try:
            yield
        except BodyError:
            return

    async def drive():
        begun = body()
        await anext(begun)
        with pytest.raises(StopAsyncIteration):
            await begun.athrow(BodyError())

    asyncio.run(drive())


def test_an_async_generator_closed_early_puts_everything_back():
    closed = []

    @fake_store(buckets=["photos"])
    async def body(store):
        try:
            yield put_cat(store)
        finally:
            closed.append(put_cat(store))

    async def drive():
        begun = body()
        await anext(begun)
        await begun.aclose()

    asyncio.run(drive())
    assert closed == [200]
    assert HTTPAdapter.send is REAL_SEND


def test_what_a_function_returns_is_returned():
    assert fake_store()(lambda: "returned")() == "returned"


def test_a_function_that_does_not_ask_for_the_store_is_not_given_it():
    @fake_store(buckets=["photos"])
    def body(*args, **kwargs):
        return args, kwargs

    assert body(1, two=2) == ((1,), {"two": 2})


def test_the_store_is_handed_in_beside_other_arguments():
    @fake_store()
    def body(first, store, *, last):
        return first, isinstance(store, FakeStore), last

    assert body("first", last="last") == ("first", True, "last")


def test_a_function_decorated_twice_is_handed_the_store_nearest_to_it():
    @fake_store(base_url="http://outer.test", buckets=["photos"])
    @fake_store(base_url="http://inner.test", buckets=["photos"])
    def body(store):
        outer = requests.get("http://photos.outer.test/cat.jpg").status_code
        return store.base_url, put_cat(store), outer

    assert body() == ("http://inner.test", 200, 403)
    assert HTTPAdapter.send is REAL_SEND


# -- beside pytest and mock


@pytest.fixture
def animal():
    return "cat"


@pytest.mark.parametrize("size", [1, 2])
@fake_store(buckets=["photos"])
def test_the_store_stands_beside_fixtures_and_parameters(animal, store, size, tmp_path):
    store["photos"].put(animal, b"x" * size)
    assert (store["photos"]["cat"].size, tmp_path.exists()) == (size, True)


@fake_store(buckets=["photos"])
@mock.patch("os.getppid", return_value=8)
@mock.patch("os.getpid", return_value=7)
def test_the_store_stands_behind_the_arguments_of_mock_patch(getpid, getppid, animal, store):
    assert (os.getpid(), getppid(), animal, len(store["photos"])) == (7, 8, "cat", 0)


@mock.patch("os.getpid", return_value=7)
@fake_store(buckets=["photos"])
def test_mock_patch_may_stand_over_fake_store(getpid, store):
    assert (os.getpid(), len(store["photos"])) == (7, 0)


@fake_store()
@mock.patch("os.getpid", return_value=7)
@mock.patch("os.getcwd")
def test_a_store_by_keyword_alone_stands_wherever_it_likes(*mocks, store):
    assert (len(mocks), isinstance(store, FakeStore)) == (2, True)


@fake_store()
@mock.patch("os.getpid", new=None)
def test_a_mock_patch_that_hands_nothing_in_does_not_mind_the_store_in_front(store, animal):
    assert isinstance(store, FakeStore)


class TestMethodsOfAPlainClass:
    @fake_store(buckets=["photos"])
    def test_are_handed_the_store(self, store, animal):
        assert (list(store.buckets), animal) == (["photos"], "cat")

    @fake_store(buckets=["photos"])
    @mock.patch("os.getpid", return_value=7)
    def test_are_handed_the_store_behind_mocks(self, getpid, store):
        assert getpid() == 7


def test_a_store_before_the_arguments_of_mock_patch_is_refused_at_decoration():
    with pytest.raises(TypeError, match=r"test_it: 'store' stands before the arguments of mock\.patch.*put it behind"):

        @fake_store()
        @mock.patch("os.getpid")
        def test_it(store, getpid): ...


def test_a_store_before_the_arguments_of_mock_patch_is_refused_in_a_method_too():
    with pytest.raises(TypeError, match=r"test_it: 'store' stands before the arguments of mock\.patch"):

        class Tests:
            @fake_store()
            @mock.patch("os.getpid")
            def test_it(self, store, getpid): ...


def test_a_store_that_an_outer_mock_patch_fills_is_refused_when_it_is_called():
    @mock.patch("os.getpid")
    @fake_store()
    def test_it(store, getpid): ...

    with pytest.raises(TypeError, match=r"test_it: 'store' stands before the arguments of mock\.patch.*put it behind"):
        test_it()


def test_a_positional_only_store_is_refused_at_decoration():
    with pytest.raises(TypeError, match="'store' is handed in by keyword, so it cannot be positional-only"):

        @fake_store()
        def test_it(store, /): ...


def test_fake_store_without_parentheses_is_refused_with_the_sentence_that_helps():
    with pytest.raises(TypeError, match=r"write @fake_store\(\) with parentheses"):

        @fake_store
        def test_it(): ...


def test_a_positional_option_is_refused():
    with pytest.raises(TypeError, match="options are given by keyword"):
        fake_store("http://objects.test")


def test_a_class_that_is_no_test_case_is_refused_with_the_sentence_that_helps():
    with pytest.raises(TypeError, match=r'and Tests is none; write @pytest\.mark\.usefixtures\("fakestore"\) over it'):

        @fake_store()
        class Tests: ...


def test_what_cannot_be_called_is_refused():
    with pytest.raises(TypeError, match="decorates functions and TestCase classes, not 7"):
        fake_store()(7)


def test_an_unknown_option_is_refused_by_name_at_once():
    with pytest.raises(
        TypeError, match=r"there is no option 'bucket'; did you mean 'buckets'\? Options: base_url, .*seed"
    ):
        fake_store(bucket="photos")


def test_an_unknown_option_that_is_close_to_none_is_refused_by_name():
    with pytest.raises(TypeError, match=r"there is no option 'colour'\. Options: base_url"):
        fake_store(colour="red")


# -- one recipe, many uses


def test_a_recipe_nested_in_itself_gives_another_store_each_time():
    recipe = fake_store(buckets=["photos"])
    with recipe as outer:
        with recipe as inner:
            put_cat(inner)
        seen_inside = (list(outer["photos"]), list(inner["photos"]))
        put_cat(outer)

    assert (seen_inside, list(outer["photos"])) == (([], ["cat.jpg"]), ["cat.jpg"])
    assert HTTPAdapter.send is REAL_SEND


def test_a_recipe_may_be_entered_by_threads_at_once():
    recipe = fake_store(buckets=["photos"])
    barrier = threading.Barrier(8)
    found = []

    def use(name):
        with recipe as store:
            barrier.wait()
            store["photos"].put(name)
            barrier.wait()
            found.append((name, list(store["photos"])))
            barrier.wait()

    threads = [threading.Thread(target=use, args=(f"of {number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(found) == [(f"of {number}", [f"of {number}"]) for number in range(8)]
    assert HTTPAdapter.send is REAL_SEND


def test_a_recipe_may_be_entered_by_tasks_at_once_and_left_in_any_order():
    recipe = fake_store(buckets=["photos"])

    async def use(number):
        with recipe as store:
            store["photos"].put(f"of {number}")
            await asyncio.sleep(0.001 * (number * 7 % 5))
            return list(store["photos"])

    async def at_once():
        return await asyncio.gather(*map(use, range(8)))

    assert asyncio.run(at_once()) == [[f"of {number}"] for number in range(8)]
    assert HTTPAdapter.send is REAL_SEND


def test_threads_that_enter_and_leave_all_the_time_leave_nothing_behind():
    recipe = fake_store()

    def use():
        for _ in range(50):
            with recipe:
                pass

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert HTTPAdapter.send is REAL_SEND


def test_a_store_entered_in_one_thread_may_be_left_in_another():
    stack = ExitStack()
    stack.enter_context(fake_store())
    thread = threading.Thread(target=stack.close)
    thread.start()
    thread.join()
    assert HTTPAdapter.send is REAL_SEND


def test_a_task_begun_inside_of_a_store_leaves_its_own_store_and_not_its_parents():
    recipe = fake_store(buckets=["photos"])

    async def child():
        with recipe:
            await asyncio.sleep(0)

    async def parent():
        with recipe as store:
            await asyncio.create_task(child())
            return put_cat(store), list(store["photos"])

    assert asyncio.run(parent()) == (200, ["cat.jpg"])


def test_the_repr_of_a_recipe_is_the_call_that_makes_it():
    assert repr(fake_store(buckets=["photos"], seed=3)) == "fake_store(buckets=['photos'], seed=3)"
