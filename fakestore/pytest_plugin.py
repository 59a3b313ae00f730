"""The pytest plugin: the fixture ``fakestore``, its marker and options, and a section in the report of a failure.

pytest loads it in every run of everybody who has this package installed. What a store is made of is imported when the
first store is made.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Generator, Iterator
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from fakestore.api import active_stores as entering

if TYPE_CHECKING:
    from fakestore.api.report import Beginning
    from fakestore.api.store import FakeStore

#: The packages that carry a request from the line that sent it to the refusal.
_CARRYING = ("fakestore", "requests")
#: How many of the stores that one test enters are kept for its report: a test may enter thousands.
_LAST_STORES = 5


class _Stores(NamedTuple):
    """The stores that a test uses: those of a wider scope, as they were when it began, and the last it entered."""

    wider: list[tuple[FakeStore, Beginning]]
    entered: deque[FakeStore]


_STORES = pytest.StashKey[_Stores]()
_FAILED = pytest.StashKey[bool]()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "fakestore(**options): options of the fixture 'fakestore' for this test")


@pytest.fixture
def fakestore_options() -> dict[str, Any]:
    """Options of the fixture ``fakestore``; override it at any scope. The marker's options go over them."""
    return {}


@pytest.fixture
def fakestore(request: pytest.FixtureRequest, fakestore_options: dict[str, Any]) -> Iterator[FakeStore]:
    """An active FakeStore of this test's own."""
    from fakestore.api.fake_store import ActiveStore  # here, so that tests that use no store do not pay for it

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


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Refuse the marker over a test that does not use the fixture.

    Only the test's own marker: that of a class or module is for those of its tests that use the fixture.
    """
    if any(marker.name == "fakestore" for marker in item.own_markers) and (
        "fakestore" not in getattr(item, "fixturenames", ())
    ):
        pytest.fail(
            f"@pytest.mark.fakestore is over {item.name}, which does not use the fixture 'fakestore', so nothing is"
            ' patched; name the fixture as a parameter, or write @pytest.mark.usefixtures("fakestore") over the test',
            pytrace=False,
        )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Note the stores that the test uses, in whatever way they are entered, also those of a wider scope."""
    stores = _Stores([(store, store._beginning()) for store in entering.active], deque(maxlen=_LAST_STORES))
    item.stash[_STORES] = stores
    entering.told.append(stores.entered.append)
    try:
        return (yield)
    finally:
        entering.told.remove(stores.entered.append)
        del item.stash[_STORES]  # items live until the session ends; stores need not


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    # Also an expected failure, whose report has not failed; a test that is run again begins anew.
    failed_before = call.when != "setup" and item.stash.get(_FAILED, False)
    item.stash[_FAILED] = failed_before or call.excinfo is not None
    stores = item.stash.get(_STORES, None)
    if report.failed and stores is not None:
        error = None if call.excinfo is None else call.excinfo.value
        for store, beginning in [*stores.wider, *((store, None) for store in stores.entered)]:
            report.sections.append((f"fakestore {store.base_url}", store._section(error, beginning)))
    return report


@pytest.hookimpl(specname="pytest_runtest_makereport")
def pytest_leave_out_what_carried(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Let the traceback of a refusal end at the line that sent the request; that of any other error stays whole.

    No wrapper, for only within the hook, and first, pytest takes the error of a ``TestCase`` for ``call.excinfo``.
    """
    if call.excinfo is None or item.config.getoption("fulltrace") or "fakestore.api.store" not in sys.modules:
        return
    from fakestore import UnexpectedRequest, UnsupportedRequest
    from fakestore.api.report import with_causes

    for each in with_causes(call.excinfo.value):
        if isinstance(each, (UnexpectedRequest, UnsupportedRequest)):
            shown = [step for step in _steps(each.__traceback__) if _package(step.tb_frame) not in _CARRYING]
            for step, following in zip(shown, [*shown[1:], None], strict=False):  # none of an error that was cleared
                step.tb_next = following
            if each is call.excinfo.value:
                # Once more, for that of a TestCase has read the traceback already.
                call.excinfo = pytest.ExceptionInfo.from_exception(each)


def _steps(traceback: TracebackType | None) -> Iterator[TracebackType]:
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__")).partition(".")[0]
