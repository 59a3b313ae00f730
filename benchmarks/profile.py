"""Profiles requests: ``python -m benchmarks.profile [PUT | GET | HEAD | "GET acl" | copy | DELETE]``."""

from __future__ import annotations

import argparse
import cProfile
import pstats
import time
from collections.abc import Callable
from pathlib import Path

import requests

import fakestore
from benchmarks.contenders import FAKESTORE, REQUESTS

ROUNDS = 500


def main() -> None:
    """Print, for each request, the share of each module of fakestore and the functions that take most time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("request", nargs="?", choices=REQUESTS, help="the request to profile (default: all)")
    parser.add_argument("--lines", type=int, default=15, help="how many functions to show (default: 15)")
    arguments = parser.parse_args()
    with FAKESTORE.active(), FAKESTORE.session() as session:
        calls = FAKESTORE.calls(session, "key")
        calls["PUT"]().raise_for_status()
        for name in REQUESTS if arguments.request is None else [arguments.request]:
            _profile(name, calls[name], arguments.lines)


def _profile(name: str, call: Callable[[], requests.Response], lines: int) -> None:
    start = time.perf_counter()
    for _ in range(ROUNDS):
        call().raise_for_status()
    microseconds = (time.perf_counter() - start) / ROUNDS * 1e6
    profile = cProfile.Profile()
    profile.enable()
    for _ in range(ROUNDS):
        call()
    profile.disable()
    rows = list(pstats.Stats(profile).stats.items())  # type: ignore[attr-defined]  # documented, but untyped
    own = [(*row, module) for row in rows if (module := _module(row[0][0])) is not None]
    total = sum(row[1][2] for row in rows)
    print(f"\n{name}: {microseconds:,.0f} us per request without the profiler; with it:")
    modules: dict[str, float] = {}
    for _, (_, _, seconds, _, _), module in own:
        modules[module] = modules.get(module, 0) + seconds
    for module, seconds in sorted(modules.items(), key=lambda item: -item[1]):
        print(f"  {seconds / total:6.1%}  fakestore/{module}")
    print(f"  {1 - sum(modules.values()) / total:6.1%}  requests, urllib3 and the standard library")
    print("  calls   own us   with callees   function")
    for (_, line, function), (_, calls, seconds, cumulative, _), module in sorted(own, key=lambda row: -row[1][2])[
        :lines
    ]:
        print(
            f"  {calls / ROUNDS:5.0f} {seconds / ROUNDS * 1e6:8.1f} {cumulative / ROUNDS * 1e6:14.1f}   "
            f"{function} (fakestore/{module}:{line})"
        )


def _module(filename: str) -> str | None:
    """Return the path below the package, or None for other code."""
    package = Path(fakestore.__file__).parent
    path = Path(filename)
    return str(path.relative_to(package)) if path.is_relative_to(package) else None


if __name__ == "__main__":
    main()
