"""The time of entering and leaving a store, and of importing the package."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial

from moto import mock_aws
from responses import RequestsMock

from benchmarks.figure import Figure
from benchmarks.timing import by_turns
from fakestore import fake_store


def activation(progress: Callable[[str], None]) -> tuple[list[Figure], dict[str, float]]:
    """Measure entering and leaving in milliseconds, also of the other fakes for comparison."""
    progress("activation: entering and leaving")
    contexts: dict[str, Callable[[], AbstractContextManager[object]]] = {
        "fakestore": fake_store,
        "RequestsMock": RequestsMock,
        "mock_aws": mock_aws,
    }

    def enter_and_leave(make: Callable[[], AbstractContextManager[object]]) -> None:
        with make():
            pass

    # A batch has many calls, because the first ones find caches that another contender has emptied.
    times = by_turns({name: partial(enter_and_leave, make) for name, make in contexts.items()}, rounds=21, batch=20)
    milliseconds = {name: seconds * 1000 for name, seconds in times.items()}
    figure = Figure(
        topic="Start-up", name="entering and leaving a store", value=milliseconds["fakestore"], unit="ms", most=0.5
    )
    return [figure], milliseconds


#: How many rounds of imports are measured.
_ROUNDS = 12
_IMPORTS = {
    "fakestore": "from fakestore import fake_store; fake_store()",
    "moto": "from moto import mock_aws\nwith mock_aws(): import moto.s3.responses",
}


def importing(progress: Callable[[str], None]) -> tuple[list[Figure], dict[str, float]]:
    """Measure the import in milliseconds, in addition to ``responses``, in a new process with compiled bytecode.

    The result is the minimum of all rounds, because other work of the machine can only add to the time.
    """
    times: dict[str, list[float]] = {name: [] for name in _IMPORTS}
    with tempfile.TemporaryDirectory() as compiled:
        for number in range(_ROUNDS + 1):
            progress(f"import: round {number} of {_ROUNDS}")
            for name, statement in _IMPORTS.items():
                milliseconds = _import(statement, compiled)
                # The first round compiles.
                if number:
                    times[name].append(milliseconds)
    least = {name: min(each) for name, each in times.items()}
    figure = Figure(
        topic="Start-up", name="import, in addition to responses", value=least["fakestore"], unit="ms", most=80
    )
    return [figure], least


def _import(statement: str, compiled: str) -> float:
    code = f"import responses, time\nstart = time.perf_counter()\n{statement}\nprint(time.perf_counter() - start)"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = compiled
    printed = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return float(printed.stdout) * 1000
