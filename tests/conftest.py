"""What every test of the project may use."""

from __future__ import annotations

import datetime
import gc

import freezegun
import pytest
from freezegun import freeze_time

from fakestore import fake_store
from tests.support.profile import load_profile

pytest_plugins = ["pytester"]

load_profile()

# A store that is entered imports further modules. pytester forgets those that a run of it imported first; some of them
# would then be imported twice, and not know of each other.
with fake_store(dialect="s3"):
    pass

freezegun.configure(
    extend_ignore_list=[
        "_pytest.timing",  # else pytest measures the duration of a test on the clock that the test moves
        *("Crypto", "numpy", "pandas", "polars", "rasterio", "rich"),  # a freeze searches all other modules, in 24 ms
    ]
)

# Collect garbage less often: with the default threshold of 700, it takes a sixth of the time of the random tests.
gc.set_threshold(10_000)

LONGEST = ("test_store_agrees_with_the_oracle", "test_every_example_runs")
#: In a tuple, because freezegun replaces names of modules.
REAL_DATETIME = (datetime.datetime,)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Begin with the longest tests. If one of them began last, the other workers would wait for its end."""
    items.sort(key=lambda item: item.name.partition("[")[0] not in LONGEST)


def pytest_collection_finish() -> None:
    """Exempt what was imported and collected from garbage collection. Otherwise each collection visits all of it."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="module")
def no_test_leaves_the_clock_moved():
    """Check that no test of the module leaves the clock moved, which would make tests of other modules fail."""
    yield
    assert datetime.datetime is REAL_DATETIME[0]


@pytest.fixture(scope="module")
def frozen_clock():
    """A clock that stands still for a whole module, because a freeze takes 20 ms. A test moves it to its own time."""
    with freeze_time() as clock:
        yield clock


@pytest.fixture
def plain_runs(monkeypatch):
    """Let runs of pytest load only the plugins that they name. To load all that are installed takes half a second."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


@pytest.fixture
def noon():
    """A clock that stands at 2026-11-21 12:00:00 until the test moves it."""
    with freeze_time("2026-11-21 12:00:00") as clock:
        yield clock
