"""One recipe, used several times, and the options of a store."""

from __future__ import annotations

import asyncio
import inspect
import pydoc
import re
import threading
from contextlib import ExitStack
from functools import partial

import pytest
import requests
from requests.adapters import HTTPAdapter

from fakestore import FakeStore, StoreOptions, fake_store
from tests.support.cases import each
from tests.support.errors import text_of_error

REAL_SEND = HTTPAdapter.send


def in_thread(work):
    """Return what `work` returned or raised in another thread."""
    results = []

    def run():
        try:
            results.append(work())
        except Exception as error:
            results.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return results[0]


def test_a_nested_recipe_makes_another_store_each_time():
    recipe = fake_store(buckets=["photos"])
    with recipe as outer:
        with recipe as inner:
            inner.session().put(inner.url("photos", "inner"), data=b"")
        outer.session().put(outer.url("photos", "outer"), data=b"")
    assert (list(outer["photos"]), list(inner["photos"])) == (["outer"], ["inner"])
    assert HTTPAdapter.send is REAL_SEND


def test_async_with_is_refused_with_advice():
    async def use():
        async with fake_store():  # type: ignore[attr-defined]
            pass

    with pytest.raises(TypeError, match=r"with fake_store\(\) as store` without async"):
        asyncio.run(use())


def test_a_recipe_that_another_thread_has_entered_is_refused():
    recipe = fake_store()
    with recipe:
        error = in_thread(recipe.__enter__)
    assert isinstance(error, RuntimeError)
    assert "call fake_store() again" in str(error)
    with recipe:  # and it can be entered again
        pass
    assert HTTPAdapter.send is REAL_SEND


def test_a_recipe_that_another_task_has_entered_is_refused():
    recipe = fake_store(buckets=["photos"])

    async def use():
        with recipe as store:
            await asyncio.sleep(0)
            return list(store["photos"])

    async def at_once():
        return await asyncio.gather(use(), use(), return_exceptions=True)

    first, second = asyncio.run(at_once())
    assert (first, type(second), HTTPAdapter.send) == ([], RuntimeError, REAL_SEND)


def test_a_recipe_that_another_thread_is_entering_is_refused():
    is_entering, may_go_on = threading.Event(), threading.Event()

    class Slow(dict):
        def items(self):
            if threading.current_thread() is not threading.main_thread():
                is_entering.set()
                may_go_on.wait(10)
            return super().items()

    def enter():
        with recipe:
            pass

    recipe = fake_store(buckets=Slow(photos="never"))
    thread = threading.Thread(target=enter)
    thread.start()
    try:
        assert is_entering.wait(10)
        with pytest.raises(RuntimeError, match="another thread or task"):
            recipe.__enter__()
    finally:
        may_go_on.set()
        thread.join()
    with recipe as store:
        assert "photos" in store


def test_a_recipe_can_be_entered_after_an_error_on_entering(monkeypatch):
    recipe = fake_store(buckets=["photos"])
    with monkeypatch.context() as patched:
        patched.setattr("fakestore.api.fake_store.Activation", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            recipe.__enter__()
    entered = []

    def enter():
        with recipe as store:
            entered.append("photos" in store)

    in_thread(enter)
    assert entered == [True]


def test_a_store_may_be_left_in_another_thread():
    stack = ExitStack()
    stack.enter_context(fake_store())
    in_thread(stack.close)
    assert HTTPAdapter.send is REAL_SEND


async def enter_without_parentheses():
    async with fake_store:
        pass


def test_what_is_not_entered_says_how_to_enter_it():
    for name in ("url", "start"):
        with pytest.raises(AttributeError, match=r"not entered yet: with fake_store\(\.\.\.\) as store"):
            getattr(fake_store(), name)
    with pytest.raises(TypeError, match=r"write @pytest\.fixture above it"):
        fake_store()(pytest.fixture(lambda: None))
    with pytest.raises(AttributeError, match=r"no attribute 'colour'$"):
        _ = fake_store().colour
    with pytest.raises(TypeError, match=r"not entered yet: with fake_store\(\.\.\.\) as store"):
        _ = fake_store(buckets=["photos"])["photos"]
    for use in (lambda: fake_store.__enter__(), lambda: asyncio.run(enter_without_parentheses())):
        with pytest.raises(TypeError, match=r"write `with fake_store\(\) as store` with parentheses"):
            use()
    with pytest.raises(AttributeError, match=r"not entered yet: with fake_store\(\.\.\.\) as store"):
        _ = fake_store.create_bucket
    with pytest.raises(AttributeError, match=r"no attribute 'colour'$"):
        _ = fake_store.colour
    with pytest.raises(TypeError, match=r"not entered yet: with fake_store\(\.\.\.\) as store"):
        _ = fake_store["photos"]
    with pytest.raises(TypeError, match=r"use the function fake_store: with fake_store\(\) as store"):
        with FakeStore():
            pass


def test_a_recipe_that_is_not_entered_cannot_be_left():
    with pytest.raises(RuntimeError, match=r"not entered, so it cannot be left"):
        fake_store().__exit__(None, None, None)


# -- options


def test_an_invalid_value_is_refused_when_the_recipe_is_made():
    for case in each(
        ({"base_url": "objects.test"}, "http:// or https://"),
        ({"base_url": "ftp://objects.test"}, "http:// or https://"),
        ({"base_url": "http://"}, "'http://': .* a host"),
        ({"base_url": "http://a b"}, "not a URL"),
        ({"base_url": "http://objects\n.test"}, "not a URL"),
        ({"base_url": "http://a!b"}, "its host"),
        ({"base_url": "http://objects.test:0"}, "port 0"),
        ({"base_url": "http://objects.test:port"}, "not a URL"),
        ({"dialect": "S3"}, "'S3': expected 'document', 's3' or a Dialect. Did you mean 's3'?"),
        ({"base_url": "http://objects.test/path"}, "at most a port"),
        ({"base_url": "http://me@objects.test"}, "at most a port"),
        ({"base_url": "http://:secret@objects.test"}, "at most a port"),
        ({"base_url": "http://@objects.test"}, "at most a port"),
        ({"base_url": "http://objects.test?"}, "at most a port"),
        ({"base_url": "http://objects.test/#"}, "at most a port"),
        ({"base_url": "http://[::1]:9000/path", "dialect": "s3"}, "at most a port"),
        ({"base_url": "http://[fe80::1%25eth0]", "dialect": "s3"}, "without a zone"),
        ({"auth_scheme": "two words"}, "two words"),
        ({"signatures": "ignore"}, "'accept', 'verify' or a Verifier"),
        ({"max_clock_skew": -1}, "max_clock_skew -1"),
        ({"max_clock_skew": float("nan")}, "max_clock_skew nan"),
        ({"max_clock_skew": 10**30}, "max_clock_skew 1000"),
        ({"journal_size": -1}, "journal_size -1"),
        ({"buckets": ["Photos"]}, "Photos"),
        ({"buckets": {"photos": "on"}}, "'on': expected one of 'never', 'enabled', 'suspended'"),
    ):
        with case as (options, named):
            message = text_of_error(ValueError, partial(fake_store, **options))
            assert re.search(named, message), (options, message)


def test_a_value_of_a_wrong_type_is_refused_and_no_secret_is_shown():
    for options in [
        {"buckets": "photos"},
        {"buckets": iter(["photos"])},
        {"buckets": [1]},
        {"dialect": 5},
        {"signatures": object()},
        {"signatures": True},
        {"seed": "photos"},
        {"journal_size": None},
        {"limits": {"part_size": 5}},
        {"allow_network": "no"},
        {"max_clock_skew": "15"},
        {"source_ip": 3},
        {"secret_key": b"secret"},
        {"sleep": 0},
        {"sleep": asyncio.sleep},
    ]:
        message = text_of_error(TypeError, partial(fake_store, **options))
        assert re.match(f"invalid {next(iter(options))}.*: expected ", message), (options, message)
        assert ("expected 'accept', 'verify' or a Verifier" in message) is ("signatures" in options), message
        assert "secret'" not in message


@pytest.mark.parametrize("make", [fake_store, FakeStore])
def test_an_unknown_option_is_refused_with_the_known_ones(make):
    with pytest.raises(
        TypeError, match=r"^unknown option 'base_urls': expected base_url, .* Did you mean 'base_url'\?$"
    ):
        make(base_urls="http://objects.test")
    for name in ("host", "port", "timeout"):
        with pytest.raises(TypeError, match=rf"^unknown option '{name}': .* with store\.serve\({name}=1\) as url$"):
            fake_store(**{name: 1}, serve=True)
    with pytest.raises(TypeError, match=r"^unknown option 'endpoint_url': .* Did you mean 'base_url'\?$"):
        make(endpoint_url="http://objects.test")


def test_help_shows_the_options_and_their_defaults():
    assert pydoc.render_doc(fake_store, renderer=pydoc.plaintext).splitlines()[2].startswith("fake_store(*, base_url")
    parameters = inspect.signature(fake_store).parameters
    assert parameters.keys() == StoreOptions.__annotations__.keys()
    assert (parameters["seed"].default, parameters["base_url"].default) == (0, None)


def test_buckets_may_have_settings():
    store = FakeStore(
        dialect="s3",
        buckets={
            "photos": {"versioning": "suspended"},
            "invoices": {"object_lock": True},
            "site": {"acl": "public-read"},
        },
    )
    assert [bucket.versioning for bucket in store.buckets.values()] == ["enabled", "suspended", "never"]
    store["invoices"].put("a", legal_hold=True)
    with pytest.raises(ValueError, match="no Object Lock"):
        store["photos"].put("a", legal_hold=True)
    assert store["site"].object_ownership == "ObjectWriter"
    for settings, error, message in [
        ({"version": "enabled"}, TypeError, r"unknown setting 'version' of 'photos'; .* Did you mean 'versioning'\?"),
        ({"versioning": "on"}, ValueError, "'on': expected one of"),
        ({"object_lock": True, "versioning": "suspended"}, ValueError, "Object Lock needs 'enabled'"),
        ({"object_lock": "yes"}, TypeError, "'yes': expected True or False"),
        ({"acl": "open"}, ValueError, "'open'"),
    ]:
        with pytest.raises(error, match=message):
            fake_store(buckets={"photos": settings})


def test_a_base_url_may_have_a_slash_and_a_port():
    with fake_store(base_url="https://s3.internal:9000/", buckets=["photos"]) as store:
        assert store.url("photos", "k") == "https://photos.s3.internal:9000/k"
        assert requests.put(store.url("photos", "k"), data=b"meow", auth=store.auth()).status_code == 200


def test_reprs_are_calls_and_show_no_secret():
    assert repr(fake_store(buckets=["photos"], seed=3)) == "fake_store(buckets=['photos'], seed=3)"
    store = FakeStore(secret_key="hush")
    shown = [repr(fake_store(secret_key="hush")), repr(store), repr(vars(store)), repr(store.default_account)]
    assert not [text for text in shown if "hush" in text]
