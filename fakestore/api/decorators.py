"""The decorators: a store for each call of a function, and for each test of a `TestCase`."""

from __future__ import annotations

import functools
import inspect
import unittest
from collections.abc import Callable
from typing import Any, NoReturn

from fakestore.api.activation import Activation
from fakestore.api.store import FakeStore

#: What a function must have to get the store.
HOW_TO_GET_STORE = (
    "@fake_store() passes the store as the parameter 'store', or as the first parameter that is annotated with"
    " FakeStore; this function has neither"
)
#: Starts a store for a call with these arguments. If the function has a parameter for the store, the store is added to
#: the keyword arguments.
_Activate = Callable[[tuple[Any, ...], dict[str, Any]], Activation]


def decorate_function(function: Callable[..., Any], enter: Callable[[], Activation]) -> Callable[..., Any]:
    """Return a function of the same kind. Each call runs inside a new store, which `enter` makes."""
    signature = inspect.signature(function)
    parameter = _find_store_parameter(signature)
    name = None if parameter is None else parameter.name
    if parameter is not None and parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
        raise TypeError(f"{_name(function)}: the store is passed by keyword, so {name!r} must not be positional-only")
    # A decorator below may have filled a parameter, too.
    filled = name or getattr(function, "fakestore_parameter", None)
    fixture = signature.parameters.get("fakestore")
    if filled is None and fixture is not None and fixture.default is inspect.Parameter.empty:
        raise TypeError(
            f"{_name(function)}: the parameter 'fakestore' is pytest's fixture, which is another store; call it 'store'"
            " or annotate it with FakeStore to get the store of @fake_store(), or remove the decorator"
        )
    # A function that another decorator wraps may get arguments from it, for example from mock.patch.
    is_plain = not hasattr(function, "__wrapped__")

    def activate(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Activation:
        if is_plain and name is None:
            try:
                signature.bind(*args, **kwargs)
            except TypeError as error:
                raise TypeError(f"{_name(function)}: {error}; {HOW_TO_GET_STORE}") from None
        if name in kwargs:
            raise TypeError(f"{_name(function)}: @fake_store() passes its own store; omit the argument {name!r}")
        activation = enter()
        activation.store._test_name = _name(function)
        if name is not None:
            kwargs[name] = activation.store
        return activation

    wrapper = _wrapper_for(function)(function, activate)
    functools.update_wrapper(wrapper, function)
    wrapper.fakestore_parameter = filled  # type: ignore[attr-defined]  # the pytest plugin reads it
    if name is not None:
        # Without the store: pytest would look for a fixture of that name.
        parameters = [each for each in signature.parameters.values() if each.name != name]
        wrapper.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return wrapper


def _find_store_parameter(signature: inspect.Signature) -> inspect.Parameter | None:
    """Return the parameter ``store``, or else the first one that is annotated with `FakeStore`."""
    annotated = (each for each in signature.parameters.values() if _is_for_store(each))
    return signature.parameters.get("store") or next(annotated, None)


def _is_for_store(parameter: inspect.Parameter) -> bool:
    """Return whether the annotation is `FakeStore`, or its name: ``from __future__ import annotations`` keeps texts."""
    if parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
        return False
    annotation = parameter.annotation
    return annotation is FakeStore or (isinstance(annotation, str) and annotation.rpartition(".")[2] == "FakeStore")


def decorate_class(case_class: type, enter: Callable[[], Activation]) -> None:
    """Give each test of a `TestCase` class a new store, from before its ``setUp`` until after its other cleanups."""
    if not issubclass(case_class, unittest.TestCase):
        raise TypeError(
            f"fake_store(...) decorates unittest.TestCase classes, and {case_class.__name__} is not one. Use"
            ' @pytest.mark.usefixtures("fakestore") instead, with options in @pytest.mark.fakestore(...), or decorate'
            " its methods"
        )
    own_set_up = vars(case_class).get("setUp")
    if (outer := getattr(own_set_up, "fakestore_stores", None)) is not None:
        outer.insert(0, enter)  # if decorated twice, the decorator nearest to the class sets `self.store`
        return
    stores = [enter]
    set_up = case_class.setUp

    @functools.wraps(set_up)
    def set_up_with_store(case: Any) -> None:
        if "store" not in vars(case):  # otherwise a decorated subclass has already entered its store
            case.addCleanup(vars(case).pop, "store")
            for enter_store in stores:
                activation = enter_store()
                case.store = activation.store
                case.store._test_name = case.id()
                case.addCleanup(activation.leave)
        set_up(case)

    set_up_with_store.fakestore_stores = stores  # type: ignore[attr-defined]
    case_class.setUp = set_up_with_store  # type: ignore[assignment,method-assign]
    if not hasattr(case_class, "store"):
        case_class.store = _StoreBeforeSetUp()  # type: ignore[attr-defined]


class _StoreBeforeSetUp:
    """The attribute ``store`` of a `TestCase` class. An instance has an attribute of its own during its test."""

    def __get__(self, case: object | None, owner: type) -> NoReturn:
        if case is None:
            problem = (
                "is the store of one test, so the class has none, for example in setUpClass; there, write"
                " cls.enterClassContext(fake_store(...)), which returns a store for all tests of the class"
            )
        else:
            problem = "exists from setUp on, until the cleanups are done; call super().setUp() first in setUp"
        raise AttributeError(f"{owner.__name__}: the attribute 'store' {problem}")


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", None) or repr(function)


# The wrappers enter the store when the body begins, not when the function is called.


def _wrapper_for(function: Callable[..., Any]) -> Callable[[Callable[..., Any], _Activate], Callable[..., Any]]:
    if inspect.isasyncgenfunction(function):
        return _async_generator
    if inspect.iscoroutinefunction(function):
        return _coroutine
    return _generator if inspect.isgeneratorfunction(function) else _function


def _async_generator(function: Callable[..., Any], activate: _Activate) -> Callable[..., Any]:
    async def async_generator(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
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
        __tracebackhide__ = True
        with activate(args, kwargs):
            return await function(*args, **kwargs)

    return coroutine


def _generator(function: Callable[..., Any], activate: _Activate) -> Callable[..., Any]:
    def generator(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        with activate(args, kwargs):
            return (yield from function(*args, **kwargs))

    return generator


def _function(function: Callable[..., Any], activate: _Activate) -> Callable[..., Any]:
    def plain(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        with activate(args, kwargs):
            result = function(*args, **kwargs)
            if inspect.iscoroutine(result) or inspect.isgenerator(result):
                result.close()  # never started
            elif not inspect.isasyncgen(result):
                return result
            raise TypeError(
                f"{_name(function)} returned {type(result).__name__.replace('_', ' ')!r}, whose body would run after"
                " the store is left. Another decorator hides what kind of function it is: put @fake_store() next to"
                " the function, below the other decorators"
            )

    return plain
