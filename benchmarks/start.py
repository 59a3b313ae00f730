"""What it costs to begin: entering and leaving a store, and importing the package."""

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

from benchmarks.figures import Figure
from benchmarks.timing import by_turns
from fakestore import fake_store


def activation(progress: Callable[[str], None]) -> tuple[list[Figure], dict[str, float]]:
    """Entering and leaving, in milliseconds; with what the others take, for comparison."""
    progress("activation: entering and leaving")
    entered: dict[str, Callable[[], AbstractContextManager[object]]] = {
        "fakestore": fake_store,
        "RequestsMock": RequestsMock,
        "mock_aws": mock_aws,
    }

    def enter_and_leave(make: Callable[[], AbstractContextManager[object]]) -> None:
        with make():
            pass

    # Many in a batch, so that none begins with the caches that another has emptied.
    taken = by_turns({name: partial(enter_and_leave, make) for name, make in entered.items()}, rounds=21, batch=20)
    milliseconds = {name: seconds * 1000 for name, seconds in taken.items()}
    figure = Figure(
        topic="Beginning", name="entering and leaving a store", value=milliseconds["fakestore"], unit="ms", most=0.25
    )
    return [figure], milliseconds


_IMPORTS = {
    "fakestore": "from fakestore import fake_store; fake_store()",
    "moto": "from moto import mock_aws\nwith mock_aws(): import moto.s3.responses",
}


def importing(progress: Callable[[str], None], rounds: int = 12) -> tuple[list[Figure], dict[str, float]]:
    """Importing on top of ``responses``, in milliseconds, each time in a process of its own, its bytecode compiled.

    The least of all rounds: an import does the same every time, and what the machine does besides only adds.
    """
    taken: dict[str, list[float]] = {name: [] for name in _IMPORTS}
    with tempfile.TemporaryDirectory() as compiled:
        for number in range(rounds + 1):
            progress(f"import: round {number} of {rounds}")
            for name, statement in _IMPORTS.items():
                milliseconds = _import(statement, compiled)
                # The first time compiles.
                if number:
                    taken[name].append(milliseconds)
    least = {name: min(each) for name, each in taken.items()}
    figure = Figure(topic="Beginning", name="import, on top of responses", value=least["fakestore"], unit="ms", most=40)
    return [figure], least


def _import(statement: str, compiled: str) -> float:
    code = f"import responses, time\nbegun = time.perf_counter()\n{statement}\nprint(time.perf_counter() - begun)"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = compiled
    printed = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return float(printed.stdout) * 1000
