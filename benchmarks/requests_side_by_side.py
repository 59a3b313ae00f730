"""The time of one request. fakestore, the bare callback and moto are measured in turns, in one process."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from benchmarks.contenders import BARE, CONTENDERS, FAKESTORE, MOTO, REQUESTS, Contender
from benchmarks.counting import steps, traced
from benchmarks.figure import Figure
from benchmarks.timing import typical

#: How many keys a round has, and how many of them are not measured because caches are still cold.
KEYS, WARM_UP = 30, 5
#: The requests whose time is compared with that of moto.
COMPARED_WITH_MOTO = ("PUT", "GET", "copy", "DELETE")


@dataclass(slots=True)
class Times:
    """The minimum of each round in microseconds, by contender and request; see :mod:`benchmarks.timing`."""

    least: dict[tuple[str, str], list[float]] = field(default_factory=dict)

    def of(self, contender: Contender, request: str) -> float:
        """Return the median of the minima of the rounds."""
        return typical(self.least[contender.name, request])

    def ratio(self, contender: Contender, to: Contender, request: str) -> float:
        return self.of(contender, request) / self.of(to, request)


class Counted(NamedTuple):
    """Counts of one request: calls of Python functions, of fakestore's own, MD5s, and peak bytes."""

    calls: int
    own: int
    memory: int
    md5s: int


def measure(rounds: int, progress: Callable[[str], None]) -> Times:
    """Let each contender answer every request in each round. Another contender begins each time."""
    times = Times()
    for number in range(rounds):
        progress(f"requests: round {number + 1} of {rounds}")
        order = CONTENDERS[number % len(CONTENDERS) :] + CONTENDERS[: number % len(CONTENDERS)]
        for contender in order:
            # So that no contender pays for the garbage of another.
            gc.collect()
            for request, microseconds in _round(contender).items():
                times.least.setdefault((contender.name, request), []).append(min(microseconds))
    return times


def _round(contender: Contender) -> dict[str, list[float]]:
    microseconds: dict[str, list[float]] = {}
    with contender.active(), contender.session() as session:
        for number in range(KEYS):
            for request, call in contender.calls(session, f"key-{number}").items():
                start = time.perf_counter_ns()
                response = call()
                nanoseconds = time.perf_counter_ns() - start
                response.raise_for_status()
                if number >= WARM_UP:
                    microseconds.setdefault(request, []).append(nanoseconds / 1000)
    return microseconds


def figures(times: Times) -> list[Figure]:
    ratios = [
        Figure(
            topic="Per request",
            name=f"{request}: fakestore to the bare callback",
            value=times.ratio(FAKESTORE, BARE, request),
            unit="times",
            most=1.5,
        )
        for request in REQUESTS
    ]
    ratios += [
        Figure(
            topic="Per request",
            name=f"{request}: moto to fakestore",
            value=times.ratio(MOTO, FAKESTORE, request),
            unit="times",
            least=2.5,
        )
        for request in COMPARED_WITH_MOTO
    ]
    return ratios


def count(contender: Contender) -> dict[str, Counted]:
    """Count the calls and bytes of each request when caches are warm."""
    with contender.active(), contender.session() as session:
        session.trust_env = False  # the environment's variables would add calls to every contender
        for call in contender.calls(session, "warm").values():
            call().raise_for_status()
        calls = {request: steps(call) for request, call in contender.calls(session, "calls").items()}
        memory = {}
        for request, call in contender.calls(session, "memory").items():
            with traced() as traced_memory:
                call()
            memory[request] = traced_memory.peak
    return {
        request: Counted(each["python"], each["own"], memory[request], each["md5"]) for request, each in calls.items()
    }
