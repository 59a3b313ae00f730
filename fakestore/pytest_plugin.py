"""The pytest plugin: the fixture ``fakestore``, its marker and options, and a section in the report of a failure."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator
from itertools import chain
from typing import Any

import pytest

from fakestore import activation
from fakestore.activation import ActiveStore
from fakestore.store import FakeStore

_STORES = pytest.StashKey[tuple[list[FakeStore], deque[FakeStore]]]()
_FAILED = pytest.StashKey[bool]()
_LAST_EXCHANGES = 20
#: How many of the stores that one test enters are kept for its report: a test may enter thousands.
_LAST_STORES = 5


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "fakestore(**options): options of the fixture 'fakestore' for this test")


@pytest.fixture
def fakestore_options() -> dict[str, Any]:
    """Options of the fixture ``fakestore``; override it at any scope. The marker's options go over them."""
    return {}


@pytest.fixture
def fakestore(request: pytest.FixtureRequest, fakestore_options: dict[str, Any]) -> Iterator[FakeStore]:
    """An active FakeStore of this test's own."""
    options = dict(fakestore_options)
    for marker in reversed(list(request.node.iter_markers("fakestore"))):
        if marker.args:
            raise pytest.UsageError(f"@pytest.mark.fakestore takes options by keyword, not {marker.args!r}")
        options.update(marker.kwargs)
    active = ActiveStore(options)  # type: ignore[arg-type]  # checked by name and value inside
    try:
        yield active.store
    finally:
        active.leave(failing=request.node.stash.get(_FAILED, False))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Note the stores that the test uses, in whatever way they are entered, also those of a wider scope."""
    wider = [active.store for active in activation.active_stores]
    entered: deque[FakeStore] = deque(maxlen=_LAST_STORES)
    item.stash[_STORES] = (wider, entered)
    activation.on_entering.append(entered.append)
    try:
        return (yield)
    finally:
        activation.on_entering.remove(entered.append)
        del item.stash[_STORES]  # items live until the session ends; stores need not


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    # Also an expected failure, whose report has not failed; a test that is run again begins anew.
    failed_before = call.when != "setup" and item.stash.get(_FAILED, False)
    item.stash[_FAILED] = failed_before or call.excinfo is not None
    if report.failed:
        for store in chain(*item.stash.get(_STORES, ())):
            report.sections.append((f"fakestore {store.base_url}", _section(store)))
    return report


def _section(store: FakeStore) -> str:
    exchanges = store.exchanges
    shown = exchanges[-_LAST_EXCHANGES:]
    older = len(exchanges) - len(shown) + exchanges.dropped
    lines = [f"last exchanges ({older} older ones not shown):" if older else "exchanges:"]
    lines += [f"  {exchange}" for exchange in shown] or ["  none"]
    lines += [f"  refused: {refusal}" for refusal in store.refusals]
    return "\n".join([*lines, "holds:", *(f"  {line}" for line in store.describe().splitlines())])
