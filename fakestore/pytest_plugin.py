"""The pytest plugin: the fixture ``fakestore``, its marker and options, and a section in the report of a failure."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from fakestore.store import FakeStore

_STORES = pytest.StashKey[list["FakeStore"]]()
_FAILED = pytest.StashKey[bool]()
_LAST_EXCHANGES = 20


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "fakestore(**options): options of the fixture 'fakestore' for this test")


@pytest.fixture
def fakestore_options() -> dict[str, Any]:
    """Options of the fixture ``fakestore``; override it at any scope. The marker's options go over them."""
    return {}


@pytest.fixture
def fakestore(request: pytest.FixtureRequest, fakestore_options: dict[str, Any]) -> Iterator[FakeStore]:
    """An active FakeStore of this test's own."""
    from fakestore.activation import ActiveStore  # here, so that a run that uses no store does not pay for it

    options = dict(fakestore_options)
    for marker in reversed(list(request.node.iter_markers("fakestore"))):
        if marker.args:
            raise pytest.UsageError(f"@pytest.mark.fakestore takes options by keyword, not {marker.args!r}")
        options.update(marker.kwargs)
    active = ActiveStore(options)  # type: ignore[arg-type]  # checked by name and value inside
    request.node.stash.setdefault(_STORES, []).append(active.store)
    try:
        yield active.store
    finally:
        active.leave(failing=request.node.stash.get(_FAILED, False))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        item.stash[_FAILED] = True
        for store in item.stash.get(_STORES, []):
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
