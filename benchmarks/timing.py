"""How long calls take beside each other on a machine that does other things as well."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence


def typical(batches: Sequence[float]) -> float:
    """The median of what each batch took at least, which is all that is kept of a batch.

    The least of a batch is what it costs where nobody interrupts: what else the machine does only adds. The median
    over batches leaves out those that were interrupted throughout, and those that met a faster moment.
    """
    return statistics.median(batches)


def by_turns(calls: Mapping[str, Callable[[], object]], *, rounds: int, batch: int) -> dict[str, float]:
    """Seconds of one call of each, as :func:`typical` has it; who begins a round changes."""
    names = list(calls)
    least: dict[str, list[float]] = {name: [] for name in names}
    for number in range(rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            least[name].append(min(map(_seconds, [calls[name]] * batch)))
    return {name: typical(batches) for name, batches in least.items()}


def _seconds(call: Callable[[], object]) -> float:
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun
