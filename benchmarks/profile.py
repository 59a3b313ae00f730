"""Profiles a case of `benchmarks.cases`: ``python -m benchmarks.profile "PUT, requests, fakestore"``."""

from __future__ import annotations

import argparse
import cProfile
import pstats

from benchmarks.cases import CASES

_ROUNDS = 500


def main() -> None:
    """Print the functions of fakestore in which the case spends most time."""
    parser = argparse.ArgumentParser(description=__doc__)
    own = [name for name in CASES if "server" not in name and "fakestore" in name]
    parser.add_argument("case", nargs="?", default="PUT, requests, fakestore", help=f"one of {'; '.join(own)}")
    parser.add_argument("--lines", type=int, default=30, help="how many functions to show (default: 30)")
    options = parser.parse_args()
    with CASES[options.case]() as call:
        call()
        profile = cProfile.Profile()
        profile.enable()
        for _ in range(_ROUNDS):
            call()
        profile.disable()
    print(f"{options.case}: {_ROUNDS} times")
    pstats.Stats(profile).sort_stats("tottime").print_stats(r"[/\\]fakestore[/\\]", options.lines)


if __name__ == "__main__":
    main()
