"""Compares the times of calls on a machine that also does other work."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence


def typical(batches: Sequence[float]) -> float:
    """Return the median of the minima of batches.

    Other work of the machine can only add to a time, so the minimum of a batch is its cost without interruption. The
    median leaves out batches that were interrupted all the time, and those at a moment when the machine was faster.
    """
    return statistics.median(batches)


def by_turns(calls: Mapping[str, Callable[[], object]], *, rounds: int, batch: int) -> dict[str, float]:
    """Return the :func:`typical` seconds of each call. Each round begins with another call."""
    names = list(calls)
    least: dict[str, list[float]] = {name: [] for name in names}
    for number in range(rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            least[name].append(min(map(_seconds, [calls[name]] * batch)))
    return {name: typical(batches) for name, batches in least.items()}


def _seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start
