"""Profiles requests: ``python -m benchmarks.profile [PUT | GET | HEAD | acl | copy | DELETE]``."""

from __future__ import annotations

import argparse
import cProfile
import pstats
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.utils import formatdate
from pathlib import Path

import requests

import fakestore
from fakestore import FakeStore, fake_store

ROUNDS = 500


def requests_of(store: FakeStore) -> dict[str, Callable[[requests.Session], requests.Response]]:
    url = store.url("bench", "key")
    return {
        "PUT": lambda session: session.put(url, data=bytes(1024)),
        "GET": lambda session: session.get(url),
        "HEAD": lambda session: session.head(url),
        "acl": lambda session: session.get(f"{url}?acl"),
        "copy": lambda session: session.put(f"{url}-copy", headers={"x-svc-copy-source": "/bench/key"}),
        "DELETE": lambda session: session.delete(f"{url}-copy"),
    }


@contextmanager
def _session() -> Iterator[requests.Session]:
    with requests.Session() as session:
        session.headers["Authorization"] = "SVC bench:c2lnbmF0dXJl"
        session.headers["Date"] = formatdate(usegmt=True)
        yield session


def main() -> None:
    """Print, for each request, the share of each module of fakestore and the functions that take most time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("request", nargs="?", help="the request to profile (default: all)")
    parser.add_argument("--lines", type=int, default=15, help="how many functions to show (default: 15)")
    arguments = parser.parse_args()
    with fake_store(access_key_id="bench", buckets=["bench"]) as store, _session() as session:
        calls = requests_of(store)
        if arguments.request is not None and arguments.request not in calls:
            parser.error(f"unknown request {arguments.request!r}: expected {', '.join(calls)}")
        calls["PUT"](session).raise_for_status()
        for name in calls if arguments.request is None else [arguments.request]:
            _profile(name, calls[name], session, arguments.lines)


def _profile(
    name: str, call: Callable[[requests.Session], requests.Response], session: requests.Session, lines: int
) -> None:
    start = time.perf_counter()
    for _ in range(ROUNDS):
        call(session).raise_for_status()
    microseconds = (time.perf_counter() - start) / ROUNDS * 1e6
    profile = cProfile.Profile()
    profile.enable()
    for _ in range(ROUNDS):
        call(session)
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
