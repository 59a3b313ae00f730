"""fake_store: one recipe for a store, and every way to use it. Each use is a new store."""

from __future__ import annotations

import functools
import inspect
import unittest
import warnings
from collections.abc import Callable
from contextvars import ContextVar
from types import TracebackType
from typing import Any, TypeVar, Unpack, cast
from unittest.mock import DEFAULT
from weakref import ref

from fakestore.api import active_stores as entering
from fakestore.api.options import Options, StoreOptions
from fakestore.api.store import FakeStore
from fakestore.clients.requests.patch import Patch

_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])


class ActiveStore:
    """A store that is patched in, until it is left."""

    def __init__(self, options: StoreOptions) -> None:
        self.store = FakeStore(**options)
        self._paused = False
        self._patch_in()
        for tell in entering.told:
            tell(self.store)

    def _patch_in(self) -> None:
        self._patch = Patch(self.store._service, allow_network=self.store._options.allow_network)
        self._patch.start()
        entering.active.append(self.store)

    def _take_out(self) -> None:
        self._patch.stop()
        entering.active.remove(self.store)

    def pause(self) -> None:
        """Put back what was there, until the store is entered by ``with`` once more."""
        self._take_out()
        self._paused = True

    def __enter__(self) -> None:
        if self._paused:
            self._patch_in()
            self._paused = False

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if not self._paused:
            self.leave(failing=kind is not None, error=error)

    def leave(self, *, failing: bool, error: BaseException | None = None) -> None:
        """Put back what was there.

        Args:
            failing: the test fails already, so that nothing more is raised.
            error: what it fails by, where that is at hand; a clock that could not be put back becomes a note of it,
                and else a warning.

        Raises:
            AssertionError, requests.ConnectionError, RuntimeError: what the test should not end without hearing;
                not where it is failing already, so that the exception that is leaving is never replaced.
        """
        self._take_out()
        try:
            self.store.close()
        except RuntimeError as unended:
            if not failing:
                raise
            if error is None:
                warnings.warn(str(unended), RuntimeWarning, stacklevel=2)
            else:
                error.add_note(str(unended))
        finally:
            if not failing:
                self.store.check()


#: Given a call's arguments, positional and by name: a store that is patched in, handed in where it is asked for.
_Activate = Callable[[tuple[Any, ...], dict[str, Any]], ActiveStore]

#: The stores entered by ``with`` in this thread or task, innermost last. Weak, for one that is left in another thread
#: stays among them until the next is entered here.
_entered: ContextVar[tuple[ref[ActiveStore], ...]] = ContextVar("_entered", default=())


def _entered_here() -> list[ActiveStore]:
    return [active for each in _entered.get() if (active := each()) is not None]


class Recipe:
    """What :func:`fake_store` makes: a context manager and a decorator."""

    def __init__(self, options: StoreOptions) -> None:
        Options.of(options)
        self._options = options
        self._open: list[ActiveStore] = []

    def __enter__(self) -> FakeStore:
        active = ActiveStore(self._options)
        self._open.append(active)
        _entered.set(tuple(map(ref, (*_entered_here(), active))))
        return active.store

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        entered = _entered_here()
        # The last of this thread or task; an exit stack may also be closed by another than the one that filled it.
        active = ([each for each in entered if each in self._open] or self._open)[-1]
        self._open.remove(active)
        _entered.set(tuple(ref(each) for each in entered if each is not active))
        active.leave(failing=kind is not None, error=error)

    def __call__(self, decorated: _Decorated) -> _Decorated:
        """Decorate a function, coroutine, generator or async generator function, or a ``TestCase`` class.

        Where a plain function, as another decorator makes one, returns a coroutine or a generator, that is run inside
        of the store as well.

        A function that has a parameter ``store`` is handed the store by keyword; a class finds it as ``self.store``.
        Of several decorators all stores are entered, and the one nearest to the function or class is ``store``.

        Raises:
            TypeError: another class, or a ``store`` that other decorators' positional arguments would fill.
        """
        if inspect.isclass(decorated):
            return cast(_Decorated, self._decorate_class(decorated))
        if isinstance(decorated, staticmethod | classmethod):
            return cast(_Decorated, type(decorated)(self._decorate_function(decorated.__func__)))
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

        def activate(args: tuple[Any, ...], given: dict[str, Any]) -> ActiveStore:
            if hands_in:
                _check_behind(function, signature, len(args))
            active = ActiveStore(self._options)
            if hands_in:
                given["store"] = active.store
            return active

        wrap = next((wrap for is_one, _, wrap in _KINDS if is_one(function)), _plain)
        wrapper = wrap(function, activate)
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
        base_url: where the service answers; the default is the dialect's own, such as ``http://objects.test``.
        access_key_id: of the default account.
        secret_key: of the default account.
        auth_scheme: the first word of Authorization, ``SVC`` by default.
        buckets: names of buckets to begin with, or names with "never", "enabled" or "suspended".
        dialect: which service is imitated: ``"document"`` (the default), ``"s3"``, or a :class:`fakestore.Dialect`.
        limits: sizes that a test may lower.
        signatures: ``"accept"`` (the default), ``"verify"``, or a :class:`fakestore.Verifier`.
        max_clock_skew: how far Date may be off, 15 minutes by default; a timedelta or seconds, ``None`` unchecked.
        region: the region of the store, which signatures must name; by default us-east-1, and any region in a
            signature.
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
        raise TypeError(f"{_name(function)}: 'store' is handed in by keyword, so it cannot be positional-only")
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
            f"{_name(function)}: 'store' stands before the arguments of mock.patch, which are handed in by position;"
            " put it behind them"
        )


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", None) or repr(function)


# The wrappers of each kind of function. The store is entered when the body begins, not when the function is called.


def _async_generator(function: Callable[..., Any], activate: _Activate) -> Callable[..., Any]:
    async def async_generator(*args: Any, **kwargs: Any) -> Any:
        with activate(args, kwargs):
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


def _coroutine(function: Callable[..., Any], activate: _Activate) -> Callable[..., Any]:
    async def coroutine(*args: Any, **kwargs: Any) -> Any:
        with activate(args, kwargs):
            return await function(*args, **kwargs)

    return coroutine


def _generator(function: Callable[..., Any], activate: _Activate) -> Callable[..., Any]:
    def generator(*args: Any, **kwargs: Any) -> Any:
        with activate(args, kwargs):
            return (yield from function(*args, **kwargs))

    return generator


def _plain(function: Callable[..., Any], activate: _Activate) -> Callable[..., Any]:
    """What only its result tells from a coroutine or generator function: a callable object, or one in a wrapper."""

    def plain(*args: Any, **kwargs: Any) -> Any:
        active = activate(args, kwargs)
        with active:
            returned = function(*args, **kwargs)
            for _, is_unfinished, wrap in _KINDS:
                if is_unfinished(returned):
                    # Until its body begins nothing is entered, for it may never be.
                    active.pause()
                    return wrap(lambda: returned, lambda args, given: active)()
            return returned

    return plain


#: Kinds of functions, what each returns before its body has begun, and its wrapper.
_KINDS: tuple[tuple[Callable[[Any], bool], Callable[[Any], bool], Callable[..., Callable[..., Any]]], ...] = (
    (inspect.isasyncgenfunction, inspect.isasyncgen, _async_generator),
    (inspect.iscoroutinefunction, inspect.iscoroutine, _coroutine),
    (inspect.isgeneratorfunction, inspect.isgenerator, _generator),
)


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
