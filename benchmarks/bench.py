"""Measure fakestore beside a bare callback and moto, and say which targets hold: ``python -m benchmarks.bench``."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from benchmarks import growth, memory, requests_side_by_side, results, start
from benchmarks.contenders import BARE, FAKESTORE
from benchmarks.figures import Figure

HERE = Path(__file__).parent


def main() -> None:
    """Measure everything, print each figure as it is known, and write ``RESULTS.md`` and ``chart.svg``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=60, help="rounds of requests side by side (60)")
    rounds = parser.parse_args().rounds
    begun = time.monotonic()
    figures: list[Figure] = []

    def progress(text: str) -> None:
        print(f"[{time.monotonic() - begun:5.0f} s] {text}", file=sys.stderr, flush=True)

    def show(found: list[Figure]) -> None:
        figures.extend(found)
        for figure in found:
            print(figure, flush=True)

    found, imports = start.importing(progress)
    show(found)
    found, activation = start.activation(progress)
    show(found)
    times = requests_side_by_side.measure(rounds, progress)
    show(requests_side_by_side.figures(times))
    calls, floor_calls = (requests_side_by_side.count_calls(contender) for contender in (FAKESTORE, BARE))
    show(memory.throughput(progress))
    show(growth.snapshots(progress))
    show(growth.histories(progress))
    show(memory.bodies(progress))
    show(growth.listings(progress))
    (HERE / "RESULTS.md").write_text(
        results.page(figures, times, calls, floor_calls, activation, imports), encoding="utf-8"
    )
    (HERE / "chart.svg").write_text(results.chart(times), encoding="utf-8")
    print(f"{sum(figure.holds for figure in figures)} of {len(figures)} figures hold; see {HERE / 'RESULTS.md'}")


if __name__ == "__main__":
    main()
