"""fake_store: one recipe for a store, and every way to use it. Each use is a new store."""

from __future__ import annotations

import functools
import inspect
import unittest
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Any, TypeVar, Unpack, cast
from unittest.mock import DEFAULT

from fakestore import entering
from fakestore.adapters.patching import Patch
from fakestore.options import Options, StoreOptions
from fakestore.store import FakeStore

_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])
#: Given a call's arguments, positional and by name: a block inside of which there is a store, handed in where asked.
_Entered = Callable[[tuple[Any, ...], dict[str, Any]], AbstractContextManager[None]]


class ActiveStore:
    """A store that is patched in, until it is left."""

    def __init__(self, options: StoreOptions) -> None:
        self.store = FakeStore(**options)
        self._patch = Patch(self.store._service, allow_network=self.store._options.allow_network)
        self._patch.start()
        entering.active.append(self.store)
        for tell in entering.told:
            tell(self.store)

    def leave(self, *, failing: bool) -> None:
        """Put back what was there.

        Raises:
            AssertionError, requests.ConnectionError, RuntimeError: what the test should not end without hearing;
                not where it is failing already, so that the exception that is leaving is never replaced.
        """
        self._patch.stop()
        entering.active.remove(self.store)
        try:
            self.store.close()
        except RuntimeError:
            if not failing:
                raise
        if not failing:
            self.store.check()


#: The stores entered by ``with`` in this thread or task, innermost last.
_entered: ContextVar[tuple[ActiveStore, ...]] = ContextVar("_entered", default=())


class Recipe:
    """What :func:`fake_store` makes: a context manager and a decorator."""

    def __init__(self, options: StoreOptions) -> None:
        Options.of(options)
        self._options = options
        self._open: list[ActiveStore] = []

    def __enter__(self) -> FakeStore:
        active = ActiveStore(self._options)
        self._open.append(active)
        _entered.set((*_entered.get(), active))
        return active.store

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        entered = _entered.get()
        # The last of this thread or task; an exit stack may also be closed by another than the one that filled it.
        active = ([each for each in entered if each in self._open] or self._open)[-1]
        self._open.remove(active)
        _entered.set(tuple(each for each in entered if each is not active))
        active.leave(failing=kind is not None)

    def __call__(self, decorated: _Decorated) -> _Decorated:
        """Decorate a function, coroutine, generator or async generator function, or a ``TestCase`` class.

        A function that has a parameter ``store`` is handed the store by keyword; a class finds it as ``self.store``.
        Of several decorators all stores are entered, and the one nearest to the function or class is ``store``.

        Raises:
            TypeError: another class, or a ``store`` that other decorators' positional arguments would fill.
        """
        if inspect.isclass(decorated):
            return cast(_Decorated, self._decorate_class(decorated))
        if not callable(decorated):
            raise TypeError(f"fake_store(...) decorates functions and TestCase classes, not {decorated!r}")
        return cast(_Decorated, self._decorate_function(decorated))

    def _decorate_class(self, decorated: type) -> type:
        if not issubclass(decorated, unittest.TestCase):
            raise TypeError(
                f"fake_store(...) decorates unittest.TestCase classes, and {decorated.__name__} is none;"
                ' write @pytest.mark.usefixtures("fakestore") over it, with options @pytest.mark.fakestore(...) as'
                " well, or decorate its methods"
            )
        inner: tuple[Recipe, ...] = vars(decorated).get(_RECIPES, ())
        setattr(decorated, _RECIPES, (self, *inner))
        if not inner:
            _enter_in_set_up(decorated)
        if not hasattr(decorated, "store"):
            decorated.store = _NoStoreYet()  # type: ignore[attr-defined]  # what the class itself does not declare
        return decorated

    def _decorate_function(self, function: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(function)
        hands_in = _hands_in(function, signature)

        @contextmanager
        def entered(args: tuple[Any, ...], given: dict[str, Any]) -> Iterator[None]:
            if hands_in:
                _check_behind(function, signature, len(args))
            active = ActiveStore(self._options)
            if hands_in:
                given["store"] = active.store
            try:
                yield
            except BaseException:
                active.leave(failing=True)
                raise
            active.leave(failing=False)

        wrapper = _wrapped(function, entered)
        functools.update_wrapper(wrapper, function)
        if hands_in:
            # Without ``store``, or pytest would look for a fixture of that name.
            remaining = [each for each in signature.parameters.values() if each.name != "store"]
            wrapper.__signature__ = signature.replace(parameters=remaining)  # type: ignore[attr-defined]
        return wrapper

    def __repr__(self) -> str:
        return f"fake_store({', '.join(f'{name}={value!r}' for name, value in self._options.items())})"


def fake_store(*args: Any, **options: Unpack[StoreOptions]) -> Recipe:
    """A recipe for a store: ``with fake_store() as store:`` or ``@fake_store()`` over a test.

    Args:
        base_url: where the service answers, ``http://objects.test`` by default; buckets are hosts under it.
        access_key_id: of the default account.
        secret_key: of the default account.
        auth_scheme: the first word of Authorization, ``SVC`` by default.
        buckets: names of buckets to begin with, or names with "never", "enabled" or "suspended".
        dialect: what the service's own names are, :data:`fakestore.DOCUMENT` by default.
        limits: sizes that a test may lower.
        signatures: ``"accept"`` (the default), ``"verify"``, or a :class:`fakestore.Verifier`.
        max_clock_skew: how far Date may be off, 15 minutes by default; a timedelta or seconds, ``None`` unchecked.
        allow_network: let requests to other hosts go to the network; they are refused by default.
        seed: of version ids and request ids, 0 by default.

    Raises:
        TypeError: an option that there is not, or a bare ``@fake_store`` without parentheses.
        ValueError: a value that cannot be.
    """
    if args:
        hint = "write @fake_store() with parentheses" if callable(args[0]) else "options are given by keyword"
        raise TypeError(f"fake_store takes no positional argument: {hint}")
    return Recipe(options)


def _hands_in(function: Callable[..., Any], signature: inspect.Signature) -> bool:
    """Whether the function asks for the store by name.

    Raises:
        TypeError: it does, before arguments that other decorators hand in by position.
    """
    names = list(signature.parameters)
    if "store" not in names:
        return False
    if signature.parameters["store"].kind is inspect.Parameter.POSITIONAL_ONLY:
        raise TypeError(f"{function.__name__}: 'store' is handed in by keyword, so it cannot be positional-only")
    patchings = getattr(function, "patchings", ())
    patched = sum(1 for each in patchings if each.attribute_name is None and each.new is DEFAULT)
    _check_behind(function, signature, patched + (names[0] in ("self", "cls")))
    return True


def _check_behind(function: Callable[..., Any], signature: inspect.Signature, given: int) -> None:
    """Refuse a ``store`` among the first ``given`` parameters, which are filled by position.

    Raises:
        TypeError: it is; a mock.patch over fake_store is met only when the function is called.
    """
    filled = list(signature.parameters.values())[:given]
    if any(each.name == "store" and each.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD for each in filled):
        raise TypeError(
            f"{function.__name__}: 'store' stands before the arguments of mock.patch, which are handed in by position;"
            " put it behind them"
        )


def _wrapped(function: Callable[..., Any], entered: _Entered) -> Callable[..., Any]:
    """The wrapper of the function's own kind; the store is entered when its body begins, not when it is called."""
    if inspect.isasyncgenfunction(function):

        async def async_generator(*args: Any, **kwargs: Any) -> Any:
            with entered(args, kwargs):
                inner = function(*args, **kwargs)
                step = inner.asend(None)
                try:
                    while True:
                        try:
                            item = await step
                        except StopAsyncIteration:
                            return
                        try:
                            step = inner.asend((yield item))
                        except GeneratorExit:
                            raise
                        except BaseException as error:
                            step = inner.athrow(error)
                finally:
                    await inner.aclose()

        return async_generator
    if inspect.iscoroutinefunction(function):

        async def coroutine(*args: Any, **kwargs: Any) -> Any:
            with entered(args, kwargs):
                return await function(*args, **kwargs)

        return coroutine
    if inspect.isgeneratorfunction(function):

        def generator(*args: Any, **kwargs: Any) -> Any:
            with entered(args, kwargs):
                return (yield from function(*args, **kwargs))

        return generator

    def plain(*args: Any, **kwargs: Any) -> Any:
        with entered(args, kwargs):
            return function(*args, **kwargs)

    return plain


class _NoStoreYet:
    """Stands on a decorated class where an instance will have its store, and says why there is none."""

    def __get__(self, case: object, case_class: type) -> FakeStore:
        if case is not None:
            raise AttributeError(
                f"{case_class.__name__}.store: it is made in setUp; a class below the decorated one that has a setUp"
                " of its own calls super().setUp() in it"
            )
        raise AttributeError(
            f"{case_class.__name__}.store: each test has a store of its own, made before its setUp, so there is none in"
            " setUpClass; one for the whole class is entered there by cls.enterClassContext(fake_store(...))"
        )


#: Where a decorated class keeps its recipes, outermost first; a class below it that is decorated too has its own.
_RECIPES = "_fakestore_recipes"


def _enter_in_set_up(decorated: type[unittest.TestCase]) -> None:
    """Let ``setUp`` enter the stores before what it does itself, and cleanups leave them after all others."""
    set_up = decorated.setUp
    do_cleanups = decorated.doCleanups

    @functools.wraps(set_up)
    def entering(case: Any) -> None:
        if getattr(case, _RECIPES) is vars(decorated)[_RECIPES]:
            for recipe in vars(decorated)[_RECIPES]:
                active = ActiveStore(recipe._options)
                case.store = active.store
                case.addCleanup(_leave_case, active, case)
        set_up(case)

    @functools.wraps(do_cleanups)
    def noting_failure(case: Any) -> Any:
        # Here, because unittest hides the outcome so far from each cleanup while it runs.
        outcome = case._outcome
        case._fakestore_failing = outcome is not None and (not outcome.success or outcome.expectedFailure is not None)
        return do_cleanups(case)

    decorated.setUp = entering  # type: ignore[assignment,method-assign]
    decorated.doCleanups = noting_failure  # type: ignore[assignment,method-assign]


def _leave_case(active: ActiveStore, case: Any) -> None:
    """After the test and its own tearDown; a test that has failed already is not failed once more."""
    active.leave(failing=getattr(case, "_fakestore_failing", False))
