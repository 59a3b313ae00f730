"""The pytest plugin: the fixture ``fakestore``, its marker and options, and a section in the report of a failed test.

pytest loads it in every run in which this package is installed. So it imports the store only when a test uses one.
"""

from __future__ import annotations

import inspect
import re
from collections import deque
from collections.abc import Generator, Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import pytest

from fakestore.api import active_stores, default_options, on_enter

if TYPE_CHECKING:
    from fakestore.api.report import Baseline
    from fakestore.api.store import FakeStore

#: How many stores of a test are kept for its report. A test may enter thousands of stores.
_LAST_STORES = 5
#: The maximum number of characters of a test's parameters in the names of its pages.
_MOST_OF_PARAMETERS = 50

#: The values of the setting ``fakestore_serve``.
_SERVE: dict[str, bool | str] = {"false": False, "true": True, "process": "process"}


class _Stores(NamedTuple):
    """The stores of a test: the stores of a wider scope with their baselines, and the stores that it entered last."""

    wider: list[tuple[FakeStore, Baseline]]
    entered: deque[FakeStore]


_STORES = pytest.StashKey[_Stores]()
_FAILED = pytest.StashKey[bool]()
#: The default options before a run.
_DEFAULTS = pytest.StashKey[dict[str, Any]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("fakestore").addoption(
        "--fakestore-html",
        metavar="DIR",
        type=Path,
        help="write a page into this folder for each store that a failed test used",
    )

    parser.addini("fakestore_dialect", "the dialect of stores that name none: document or s3", default="document")
    parser.addini(
        "fakestore_serve", "the option 'serve' of the fixture 'fakestore': true, false or process", default="false"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "fakestore(**options): options of the fixture 'fakestore' for this test")
    if (dialect := config.getini("fakestore_dialect")) != "document":
        from fakestore.protocol.dialect import get_dialect

        try:
            get_dialect(dialect)
        except ValueError as unknown:
            raise pytest.UsageError(f"fakestore_dialect: {unknown}") from None
    config.stash[_DEFAULTS] = default_options.copy()
    default_options["dialect"] = dialect
    if (serve := config.getini("fakestore_serve")).lower() not in _SERVE:
        raise pytest.UsageError(f"fakestore_serve: invalid value {serve!r}; expected {', '.join(_SERVE)}")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Put back the options of an outer run, if a test runs pytest in its process."""
    saved = config.stash.get(_DEFAULTS, None)
    if saved is not None:
        default_options.clear()
        default_options.update(saved)


@pytest.fixture
def fakestore_options() -> dict[str, Any]:
    """Options of the fixture ``fakestore``. Override it with any scope. Options of a marker take precedence."""
    return {}


def _check_is_fixture(holder: object) -> None:
    """Check that the module, conftest or class does not define `fakestore_options` without making it a fixture."""
    options = vars(holder).get("fakestore_options")
    # Before pytest 8.4, a fixture is a function that wraps another one.
    if isinstance(options, dict) or (inspect.isfunction(options) and not hasattr(options, "__wrapped__")):
        raise pytest.UsageError(
            f"fakestore_options in {holder!r} has no effect, because it is not a fixture; write @pytest.fixture over"
            " def fakestore_options(): return {...}"
        )


def pytest_plugin_registered(plugin: object) -> None:
    if isinstance(plugin, ModuleType):  # also a conftest
        _check_is_fixture(plugin)


@pytest.fixture
def fakestore(request: pytest.FixtureRequest, fakestore_options: dict[str, Any]) -> Iterator[FakeStore]:
    """An active FakeStore for one test."""
    from fakestore.api.activation import Activation

    __tracebackhide__ = True
    for parent in request.node.iter_parents():
        if isinstance(parent, pytest.Module | pytest.Class):
            _check_is_fixture(parent.obj)
    if hasattr(request, "param"):
        raise pytest.UsageError(
            f"the fixture fakestore got the parameter {request.param!r}, which it does not read; parametrize"
            " 'fakestore_options', without indirect"
        )
    if not isinstance(fakestore_options, dict):
        raise pytest.UsageError(
            f"the fixture fakestore_options returned {fakestore_options!r}; expected a dict of options, such as"
            ' {"dialect": "s3"}'
        )
    options = {"serve": _SERVE[request.config.getini("fakestore_serve").lower()], **fakestore_options}
    for marker in reversed(list(request.node.iter_markers("fakestore"))):
        if marker.args:
            raise pytest.UsageError(f"@pytest.mark.fakestore takes keyword arguments only, not {marker.args!r}")
        options.update(marker.kwargs)
    activation = Activation(options)  # type: ignore[arg-type]  # the names are checked inside
    try:
        yield activation.store
    finally:
        activation.leave(failing=request.node.stash.get(_FAILED, False))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Refuse the marker on a test that does not use the fixture.

    Only the test's own marker counts. The marker of a class or module is for its tests that use the fixture.
    """
    if any(marker.name == "fakestore" for marker in item.own_markers) and (
        "fakestore" not in getattr(item, "fixturenames", ())
    ):
        pytest.fail(
            f"@pytest.mark.fakestore has no effect on {item.name}, which does not use the fixture 'fakestore'; add it"
            ' as a parameter, or put @pytest.mark.usefixtures("fakestore") over the test',
            pytrace=False,
        )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Record the stores that the test enters, and the stores of a wider scope."""
    wider = [(store, store._baseline()) for store in active_stores]
    item.stash[_STORES] = stores = _Stores(wider, deque(maxlen=_LAST_STORES))
    on_enter.append(stores.entered.append)
    try:
        return (yield)
    finally:
        on_enter.remove(stores.entered.append)
        del item.stash[_STORES]  # items live until the session ends, but stores need not


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    # An expected failure counts too, although its report has not failed. A test that is run again starts anew.
    failed_before = call.when != "setup" and item.stash.get(_FAILED, False)
    item.stash[_FAILED] = failed_before or call.excinfo is not None
    if call.excinfo is not None and isinstance(call.excinfo.value, pytest.FixtureLookupError):
        report.sections += [("fakestore", advice) for advice in _advise_on_fixture(item, call.excinfo.value)]
    stores = item.stash.get(_STORES, None)
    if report.failed and stores is not None:
        used = [(store, baseline) for store, baseline in stores.wider if _is_used(store, baseline, item)]
        for number, (store, baseline) in enumerate([*used, *((store, None) for store in stores.entered)]):
            text = store._failure_report(baseline, call.excinfo and call.excinfo.value)
            text += _write_page(store, item, number)
            report.sections.append((f"fakestore {store.base_url}", text))
    return report


def _advise_on_fixture(item: pytest.Item, error: pytest.FixtureLookupError) -> Iterator[str]:
    """Yield how a test gets the store, if the unknown fixture is probably meant to be the store."""
    name = error.argname
    # The parameter that the decorator @fake_store() fills: None if there is none, empty without the decorator.
    filled = getattr(getattr(item, "function", None), "fakestore_parameter", "")
    if filled is None:
        yield (
            "@fake_store() passes the store as the parameter 'store', or as the first parameter that is annotated with"
            f" FakeStore; write {name}: FakeStore if {name!r} is the store"
        )
    elif not filled and name in ("store", "fake_store"):
        yield (
            f"the fixture of fakestore is called 'fakestore'; only under the decorator @fake_store(), {name!r} can be a"
            " parameter for the store"
        )


def _write_page(store: FakeStore, item: pytest.Item, number: int) -> str:
    """Write the page about a store if the option ``--fakestore-html`` is set, and return a line that names the file."""
    folder: Path | None = item.config.getoption("fakestore_html")
    if folder is None:
        return ""
    path = folder / f"{_page_name(item)}{f'-{number + 1}' if number else ''}.html"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        store.to_html(path)
    except OSError as error:  # it would end the whole run
        return f"\npage: not written: {error!r}"
    return f"\npage: {path}"


def _page_name(item: pytest.Item) -> str:
    """Return the id of a test as a name of a file. A checksum distinguishes parameters such as ``a/b`` and ``a:b``."""
    test, _, parameters = item.nodeid.partition("[")
    name = re.sub(r"[^\w.-]+", "-", f"{test}-{parameters[:_MOST_OF_PARAMETERS]}").strip("-")
    return f"{name}-{crc32(parameters.encode()):08x}" if parameters else name


def _is_used(store: FakeStore, baseline: Baseline, item: pytest.Item) -> bool:
    """Return whether a test has a store of a wider scope among its fixtures, or has sent it a request."""
    return any(each is store for each in getattr(item, "funcargs", {}).values()) or store._baseline() != baseline
