"""fake_store over functions of every kind, and as a context manager."""

from __future__ import annotations

import asyncio
import functools
import inspect
import os
from unittest import mock

import pytest
import requests
from requests.adapters import HTTPAdapter

import fakestore
from fakestore import FakeStore, UnexpectedRequest, fake_store
from tests.support.decorated import REAL_SEND, BodyError, put_cat, swallow


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
def test_each_call_runs_inside_a_new_store(shape):
    seen = []
    call = shape([lambda store: seen.append((list(store["photos"]), put_cat(store), list(store["photos"])))])
    call()
    call()
    assert (seen, HTTPAdapter.send) == ([([], 200, ["cat.jpg"])] * 2, REAL_SEND)


@every_shape
def test_a_failing_body_fails_as_it_does_and_leaves(shape):
    def fail(store):
        swallow()
        raise BodyError

    with pytest.raises(BodyError):
        shape([put_cat, fail])()
    assert HTTPAdapter.send is REAL_SEND


@every_shape
def test_a_swallowed_request_is_raised_on_leaving(shape):
    with pytest.raises(UnexpectedRequest):
        shape([lambda store: swallow()])()
    assert HTTPAdapter.send is REAL_SEND


def test_a_decorated_function_keeps_its_kind_and_name():
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


# -- generators


def test_nothing_is_entered_before_a_generator_starts():
    @fake_store()
    def body():
        yield

    not_started = body()
    assert HTTPAdapter.send is REAL_SEND
    not_started.close()


@pytest.mark.decision("decorated-generators")
def test_a_generator_closed_early_runs_its_finally_and_raises_nothing():
    seen = []

    @fake_store(buckets=["photos"])
    def body(store):
        try:
            swallow()
            yield put_cat(store)
        finally:
            seen.append(put_cat(store))

    started = body()
    seen.append(next(started))
    started.close()
    assert (seen, HTTPAdapter.send) == ([200, 200], REAL_SEND)


def test_a_generator_receives_values_and_errors_and_returns():
    @fake_store()
    def body():
        received = yield "first"
        try:
            yield received
        except BodyError:
            yield "caught"
        return "returned"

    started = body()
    assert (next(started), started.send("sent"), started.throw(BodyError())) == ("first", "sent", "caught")
    with pytest.raises(StopIteration) as stop:
        next(started)
    assert stop.value.value == "returned"


def test_an_async_generator_receives_values_and_errors_and_runs_its_finally():
    seen = []

    @fake_store(buckets=["photos"])
    async def body(store):
        received = yield "first"
        try:
            yield received
        except BodyError:
            try:
                yield "caught"
            finally:
                seen.append(put_cat(store))

    async def drive():
        started = body()
        received = [await anext(started), await started.asend("sent"), await started.athrow(BodyError())]
        await started.aclose()
        return received

    assert asyncio.run(drive()) == ["first", "sent", "caught"]
    assert (seen, HTTPAdapter.send) == ([200], REAL_SEND)


# -- functions whose kind another decorator hides


def hide(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


@hide
async def hidden_coroutine(store): ...


@hide
def hidden_generator(store):
    yield


@hide
async def hidden_async_generator(store):
    yield


class Callable:
    async def __call__(self, store): ...


@pytest.mark.parametrize("body", [hidden_coroutine, hidden_generator, hidden_async_generator, Callable()])
def test_a_function_of_hidden_kind_is_refused_when_called(body):
    decorated = fake_store()(body)
    with pytest.raises(TypeError, match=r"put @fake_store\(\) next to the function"):
        decorated()
    assert HTTPAdapter.send is REAL_SEND


def test_a_wrapper_that_runs_the_coroutine_itself_is_accepted():
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


# -- arguments


@pytest.fixture
def animal():
    return "cat"


@pytest.mark.parametrize("size", [1, 2])
@fake_store(buckets=["photos"])
def test_the_store_is_passed_beside_fixtures_and_parameters(animal, store, size, tmp_path):
    store["photos"].put(animal, b"x" * size)
    assert (store["photos"]["cat"].size, tmp_path.exists()) == (size, True)


@fake_store(buckets=["photos"])
@mock.patch("os.getppid", return_value=8)
@mock.patch("os.getpid", return_value=7)
def test_the_store_follows_the_arguments_of_mock_patch(getpid, getppid, animal, store):
    assert (os.getpid(), getppid(), animal, len(store["photos"])) == (7, 8, "cat", 0)


@mock.patch("os.getpid", return_value=7)
@fake_store(buckets=["photos"])
def test_mock_patch_may_be_above_fake_store(getpid, store):
    assert (os.getpid(), len(store["photos"])) == (7, 0)


def test_a_store_before_the_arguments_of_mock_patch_is_pythons_error():
    @fake_store()
    @mock.patch("os.getpid")
    def body(store, getpid): ...

    with pytest.raises(TypeError, match="multiple values for argument 'store'"):
        body()
    assert HTTPAdapter.send is REAL_SEND


def test_an_annotated_parameter_gets_the_store():
    def alias(bucket: fakestore.FakeStore): ...

    def annotated(bucket: FakeStore): ...

    annotated.__annotations__["bucket"] = FakeStore

    def both(first: FakeStore, store): ...

    def two(first: FakeStore, second: FakeStore): ...

    def rest(*stores: FakeStore, **others: FakeStore): ...

    for function, left in [(alias, []), (annotated, []), (both, ["first"]), (two, ["second"])]:
        assert list(inspect.signature(fake_store()(function)).parameters) == left
        fake_store()(function)(**dict.fromkeys(left))
    assert fake_store()(rest)() is None
    with pytest.raises(TypeError, match="omit the argument 'bucket'"):
        fake_store()(annotated)(bucket=FakeStore())


def test_two_decorators_pass_their_stores_to_two_annotated_parameters():
    @fake_store(base_url="http://outer.test")
    @fake_store(base_url="http://inner.test")
    def body(inner: FakeStore, outer: FakeStore):
        return inner.base_url, outer.base_url

    assert body() == ("http://inner.test", "http://outer.test")


def test_a_store_that_a_caller_passes_is_refused():
    @fake_store()
    def body(store): ...

    with pytest.raises(TypeError, match=r"body: @fake_store\(\) passes its own store; omit the argument 'store'"):
        body(store=FakeStore())
    assert HTTPAdapter.send is REAL_SEND


def test_the_wrapper_passes_arguments_and_the_result():
    @fake_store()
    def body(first, store, *, last):
        return first, isinstance(store, FakeStore), last

    @fake_store()
    def other(*args, **kwargs):
        return args, kwargs

    assert body("first", last="last") == ("first", True, "last")
    assert other(1, two=2) == ((1,), {"two": 2})


@pytest.mark.decision("decorated-twice")
def test_of_two_decorators_the_nearest_gives_the_store():
    @fake_store(base_url="http://outer.test", buckets=["photos"])
    @fake_store(base_url="http://inner.test", buckets=["photos"])
    def body(store):
        outer = requests.get("http://photos.outer.test/cat.jpg").status_code
        return store.base_url, put_cat(store), outer

    assert (body(), HTTPAdapter.send) == (("http://inner.test", 200, 403), REAL_SEND)


def test_static_and_class_methods_get_the_store():
    class Case:
        @fake_store(buckets=["photos"])
        @staticmethod
        def static(store):
            return put_cat(store)

        @fake_store(buckets=["photos"])
        @classmethod
        def of_class(cls, store):
            return cls, put_cat(store)

    assert (Case.static(), Case().static(), Case.of_class(), Case().of_class()) == (200, 200, (Case, 200), (Case, 200))


@fake_store(base_url="http://outer.test")
@fake_store(base_url="http://inner.test")
def test_the_store_is_passed_beside_the_fixture(fakestore, store):
    assert (fakestore.base_url, store.base_url) == ("http://objects.test", "http://inner.test")


@pytest.mark.parametrize(
    ("decorate", "sentence"),
    [
        (lambda: fake_store()(lambda store, /: None), "must not be positional-only"),
        (lambda: fake_store()(lambda fakestore: None), "'fakestore' is pytest's fixture.* call it 'store'"),
        (lambda: fake_store(lambda: None), r"write @fake_store\(\) with parentheses"),
        (lambda: fake_store("http://objects.test"), "options are passed by keyword"),
        (lambda: fake_store()(BodyError), r'BodyError is not one.*usefixtures\("fakestore"\)'),
        (lambda: fake_store()(7), "decorates functions and TestCase classes, not 7"),
        (fake_store()(lambda s3: None), "missing a required argument: 's3'.* 'store', .* annotated with FakeStore"),
    ],
)
def test_a_misuse_of_the_decorator_says_what_to_write(decorate, sentence):
    with pytest.raises(TypeError, match=sentence):
        decorate()
