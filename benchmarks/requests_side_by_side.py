"""The time of one request: fakestore, the bare callback and moto in one process, taking turns."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from benchmarks.contenders import BARE, CONTENDERS, FAKESTORE, MOTO, REQUESTS, Contender
from benchmarks.figures import Figure
from benchmarks.measures import steps, traced
from benchmarks.timing import typical

#: How many keys a contender is asked for in a round, and how many of them only to warm up.
KEYS, WARM_UP = 30, 5
#: The four requests by which moto is compared.
COMPARED_WITH_MOTO = ("PUT", "GET", "copy", "DELETE")
_MOST = {"PUT": 1.25, "GET": 1.25, "HEAD": 1.25, "DELETE": 1.25, "GET acl": 1.6, "copy": 1.6}


@dataclass(slots=True)
class Times:
    """What each round took at least, in microseconds, by contender and request; see :mod:`benchmarks.timing`."""

    least: dict[tuple[str, str], list[float]] = field(default_factory=dict)

    def of(self, contender: Contender, request: str) -> float:
        """The median of the rounds' minima, for every contender alike."""
        return typical(self.least[contender.name, request])

    def ratio(self, contender: Contender, to: Contender, request: str) -> float:
        return self.of(contender, request) / self.of(to, request)


class Counted(NamedTuple):
    """Of one request: calls of Python functions, those of fakestore's own, and the bytes taken at most meanwhile."""

    calls: int
    own: int
    memory: int


def measure(rounds: int, progress: Callable[[str], None]) -> Times:
    """Let each contender answer every request, round by round; who begins changes."""
    times = Times()
    for number in range(rounds):
        progress(f"requests: round {number + 1} of {rounds}")
        order = CONTENDERS[number % len(CONTENDERS) :] + CONTENDERS[: number % len(CONTENDERS)]
        for contender in order:
            # What one leaves behind is not swept up at another's expense.
            gc.collect()
            for request, microseconds in _round(contender).items():
                times.least.setdefault((contender.name, request), []).append(min(microseconds))
    return times


def _round(contender: Contender) -> dict[str, list[float]]:
    taken: dict[str, list[float]] = {}
    with contender.active(), contender.session() as session:
        for number in range(KEYS):
            for request, call in contender.calls(session, f"key-{number}").items():
                begun = time.perf_counter_ns()
                response = call()
                nanoseconds = time.perf_counter_ns() - begun
                response.raise_for_status()
                if number >= WARM_UP:
                    taken.setdefault(request, []).append(nanoseconds / 1000)
    return taken


def figures(times: Times) -> list[Figure]:
    found = [
        Figure(
            topic="Per request",
            name=f"{request}, to the bare callback",
            value=times.ratio(FAKESTORE, BARE, request),
            unit="times",
            most=_MOST[request],
            wish=1.15 if _MOST[request] == 1.25 else None,
        )
        for request in REQUESTS
    ]
    found += [
        Figure(
            topic="Per request",
            name=f"{request}, moto to fakestore",
            value=times.ratio(MOTO, FAKESTORE, request),
            unit="times",
            least=3,
        )
        for request in COMPARED_WITH_MOTO
    ]
    return found


def count(contender: Contender) -> dict[str, Counted]:
    """What one request of each kind takes that can be counted, once every cache is warm."""
    with contender.active(), contender.session() as session:
        for call in contender.calls(session, "warm").values():
            call().raise_for_status()
        called = {request: steps(call) for request, call in contender.calls(session, "calls").items()}
        memory = {}
        for request, call in contender.calls(session, "memory").items():
            with traced() as taken:
                call()
            memory[request] = taken.peak
    return {request: Counted(called[request]["python"], called[request]["own"], memory[request]) for request in called}
