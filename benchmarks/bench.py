"""Measure fakestore beside a bare callback and moto, and say which targets hold: ``python -m benchmarks.bench``."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from benchmarks import growth, memory, requests_side_by_side, results, start
from benchmarks.contenders import BARE, FAKESTORE
from benchmarks.figures import Figure
from benchmarks.measures import MIB

HERE = Path(__file__).parent


#: The sizes of a quick run: bytes of a large body, PUTs of 1 MiB to one key, keys of a large bucket, versions of a key.
QUICK = 8 * MIB, 100, 20_000, 2_000


def main() -> None:
    """Measure everything, print each figure as it is known, and write ``RESULTS.md`` and ``chart.svg``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=60, help="rounds of requests side by side (60)")
    parser.add_argument("--quick", action="store_true", help="see that it works: small sizes, and nothing is written")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    if (warned := results.warning(load)) is not None:
        print(warned, flush=True)
    begun = time.monotonic()
    figures: list[Figure] = []
    size, puts, keys, versions = QUICK if options.quick else (memory.LARGE, memory.PUTS, growth.MANY, growth.LONG)

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
    times = requests_side_by_side.measure(options.rounds, progress)
    show(requests_side_by_side.figures(times))
    counted, floor_counted = (requests_side_by_side.count(contender) for contender in (FAKESTORE, BARE))
    show(memory.throughput(progress, size))
    show(growth.snapshots(progress))
    show(growth.histories(progress, versions))
    show(memory.bodies(progress, size, puts))
    show(growth.listings(progress, keys))
    page = results.page(figures, times, counted, floor_counted, activation, imports, load)
    if options.quick:
        print(f"\n{page}")
        return
    (HERE / "RESULTS.md").write_text(page, encoding="utf-8")
    (HERE / "chart.svg").write_text(results.chart(times), encoding="utf-8")
    aimed = [figure for figure in figures if figure.has_target]
    print(f"{sum(figure.holds for figure in aimed)} of {len(aimed)} figures hold; see {HERE / 'RESULTS.md'}")


if __name__ == "__main__":
    main()
