"""The time of one request: fakestore, the bare callback and moto in one process, taking turns."""

from __future__ import annotations

import gc
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

import fakestore
from benchmarks.contenders import BARE, CONTENDERS, FAKESTORE, MOTO, REQUESTS, Contender
from benchmarks.figures import Figure

#: How many keys a contender is asked for in a round, and how many of them only to warm up.
KEYS, WARM_UP = 30, 5
#: The four requests by which moto is compared.
COMPARED_WITH_MOTO = ("PUT", "GET", "copy", "DELETE")
_MOST = {"PUT": 1.25, "GET": 1.25, "HEAD": 1.25, "DELETE": 1.25, "GET acl": 1.6, "copy": 1.6}


@dataclass(slots=True)
class Times:
    """Medians of each round, in microseconds, by contender and request."""

    medians: dict[tuple[str, str], list[float]] = field(default_factory=dict)

    def of(self, contender: Contender, request: str) -> float:
        """The median over all rounds."""
        return statistics.median(self.medians[contender.name, request])

    def ratio(self, contender: Contender, to: Contender, request: str) -> float:
        """The median of the rounds' ratios, so that a slow moment of the machine counts on both sides."""
        return statistics.median(
            one / other
            for one, other in zip(self.medians[contender.name, request], self.medians[to.name, request], strict=True)
        )


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
                times.medians.setdefault((contender.name, request), []).append(statistics.median(microseconds))
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


def count_calls(contender: Contender) -> dict[str, tuple[int, int]]:
    """Python functions called for one request of each kind: all, and those of fakestore's own code."""
    own = str(Path(fakestore.__file__).parent)
    counts = {}
    with contender.active(), contender.session() as session:
        for number in range(3):
            for request, call in contender.calls(session, f"key-{number}").items():
                seen: Counter[bool] = Counter()

                def note(frame: FrameType, event: str, _: object, seen: Counter[bool] = seen) -> None:
                    if event == "call":
                        seen[frame.f_code.co_filename.startswith(own)] += 1

                sys.setprofile(note)
                try:
                    call()
                finally:
                    sys.setprofile(None)
                counts[request] = (seen.total(), seen[True])
    return counts
