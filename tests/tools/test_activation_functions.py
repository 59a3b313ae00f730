"""fake_store over functions of every kind: the body runs inside, its failure counts, nothing stays patched."""

from __future__ import annotations

import asyncio
import functools
import gc
import inspect

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


# -- functions whose kind only their result tells


def plain(function):
    """Another decorator, whose wrapper is a plain function."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


def wrapped_coroutine():
    @fake_store(buckets=["photos"])
    @plain
    async def body(store):
        await asyncio.sleep(0)
        return put_cat(store)

    return body, asyncio.run


def wrapped_generator():
    @fake_store(buckets=["photos"])
    @plain
    def body(store):
        yield put_cat(store)

    return body, next


def wrapped_async_generator():
    @fake_store(buckets=["photos"])
    @plain
    async def body(store):
        yield put_cat(store)

    return body, lambda begun: asyncio.run(anext(begun))


def callable_object():
    class Body:
        async def __call__(self, store):
            return put_cat(store)

    return fake_store(buckets=["photos"])(Body()), asyncio.run


hidden_kind = pytest.mark.parametrize(
    "shape",
    [wrapped_coroutine, wrapped_generator, wrapped_async_generator, callable_object],
    ids=lambda shape: shape.__name__,
)


@hidden_kind
def test_a_body_behind_a_plain_function_runs_inside_of_the_store(shape):
    body, run = shape()
    assert run(body()) == 200


@hidden_kind
def test_nothing_stays_patched_after_a_body_behind_a_plain_function(shape):
    body, run = shape()
    run(body())
    gc.collect()
    assert HTTPAdapter.send is REAL_SEND


@hidden_kind
@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")
def test_nothing_is_patched_by_a_body_behind_a_plain_function_that_is_never_begun(shape):
    body, _ = shape()
    not_begun = body()
    assert HTTPAdapter.send is REAL_SEND
    del not_begun
    gc.collect()


def test_a_failing_body_behind_a_plain_function_fails_and_leaves():
    @fake_store()
    @plain
    async def body():
        raise BodyError

    with pytest.raises(BodyError):
        asyncio.run(body())
    assert HTTPAdapter.send is REAL_SEND


def test_a_refusal_swallowed_by_a_body_behind_a_plain_function_comes_back():
    @fake_store()
    @plain
    async def body():
        swallow_a_refusal()

    with pytest.raises(UnexpectedRequest):
        asyncio.run(body())


def test_a_body_behind_a_plain_function_is_handed_the_store_nearest_to_it():
    @fake_store(base_url="http://outer.test", buckets=["photos"])
    @fake_store(base_url="http://inner.test", buckets=["photos"])
    @plain
    async def body(store):
        outer = requests.get("http://photos.outer.test/cat.jpg").status_code
        return store.base_url, put_cat(store), outer

    assert asyncio.run(body()) == ("http://inner.test", 200, 403)
    assert HTTPAdapter.send is REAL_SEND


def test_a_wrapper_that_runs_the_coroutine_itself_returns_its_result():
    def runs(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return asyncio.run(function(*args, **kwargs))

        return wrapper

    @fake_store(buckets=["photos"])
    @runs
    async def body(store):
        return put_cat(store)

    assert body() == 200


def test_a_callable_object_that_takes_the_store_before_mocked_arguments_is_named_by_its_repr():
    class Body:
        def __call__(self, store, mocked): ...

        def __repr__(self):
            return "<the body>"

    with pytest.raises(TypeError, match=r"<the body>: 'store' stands before"):
        fake_store()(Body())(None)


# -- methods


@pytest.mark.parametrize("called_on", [lambda case: case, lambda case: case()], ids=["class", "instance"])
def test_static_and_class_methods_are_handed_the_store(called_on):
    class Case:
        @fake_store(buckets=["photos"])
        @staticmethod
        def static(store):
            return put_cat(store)

        @fake_store(buckets=["photos"])
        @classmethod
        def of_class(cls, store):
            return cls, put_cat(store)

    on = called_on(Case)
    assert (on.static(), on.of_class()) == (200, (Case, 200))
