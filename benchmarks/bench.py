"""Compares fakestore with a bare callback and moto, and checks the targets: ``python -m benchmarks.bench``."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from benchmarks import (
    boto3_side_by_side,
    call_counts,
    growth,
    memory,
    multipart,
    requests_side_by_side,
    results_page,
    start,
    whole_test,
)
from benchmarks.contenders import BARE, FAKESTORE
from benchmarks.counting import MIB
from benchmarks.figure import Figure

HERE = Path(__file__).parent


#: The sizes of a quick run: bytes of a large body, PUTs of 1 MiB to one key, keys of a large bucket, versions of a key,
#: parts of an upload, unfinished uploads.
QUICK = 8 * MIB, 100, 20_000, 2_000, 2_000, 2_000
FULL = memory.LARGE, memory.PUTS, growth.MANY, growth.LONG, multipart.MOST_PARTS, multipart.MANY_UPLOADS


def main() -> None:
    """Measure everything, print each figure as soon as it is known, and write ``RESULTS.md`` and ``chart.svg``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=60, help="how many rounds of requests to measure (default: 60)")
    parser.add_argument("--quick", action="store_true", help="measure small sizes, and write no file")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    if (warning := results_page.load_warning(load)) is not None:
        print(warning, flush=True)
    started = time.monotonic()
    figures: list[Figure] = []
    size, puts, keys, versions, parts, uploads = QUICK if options.quick else FULL

    def progress(text: str) -> None:
        print(f"[{time.monotonic() - started:5.0f} s] {text}", file=sys.stderr, flush=True)

    def show(measured: list[Figure]) -> None:
        figures.extend(measured)
        for figure in measured:
            print(figure, flush=True)

    import_figures, imports = start.importing(progress)
    show(import_figures)
    activation_figures, activation = start.activation(progress)
    show(activation_figures)
    times = requests_side_by_side.measure(options.rounds, progress)
    show(requests_side_by_side.figures(times))
    boto3_times = boto3_side_by_side.measure(max(1, options.rounds // 3), progress)
    show(boto3_side_by_side.figures(boto3_times))
    test_times = whole_test.measure(max(1, options.rounds // 10), progress)
    show(whole_test.figures(test_times))
    own_counts, bare_counts = (requests_side_by_side.count(contender) for contender in (FAKESTORE, BARE))
    show(call_counts.requests(own_counts))
    show(call_counts.growth(progress))
    show(memory.throughput(progress, size))
    show(growth.snapshots(progress))
    show(growth.histories(progress, versions))
    show(memory.bodies(progress, size, puts))
    show(boto3_side_by_side.upload(progress))
    show(multipart.upload(progress, size))
    show(multipart.listings(progress, parts, uploads))
    show(growth.listings(progress, keys))
    page = results_page.page(
        figures, times, boto3_times, test_times, own_counts, bare_counts, activation, imports, load
    )
    if options.quick:
        print(f"\n{page}")
        return
    (HERE / "RESULTS.md").write_text(page, encoding="utf-8")
    (HERE / "chart.svg").write_text(results_page.chart(times), encoding="utf-8")
    with_target = [figure for figure in figures if figure.has_target]
    met = sum(figure.is_met for figure in with_target)
    print(f"{met} of {len(with_target)} targets are met; see {HERE / 'RESULTS.md'}")


if __name__ == "__main__":
    main()
