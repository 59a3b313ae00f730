"""Times fakestore beside other fakes, and writes ``RESULTS.md``: ``python -m benchmarks.bench``.

pyperf runs this program again for each case, in processes of their own. Its options are those of pyperf.
"""

from __future__ import annotations

import datetime
import os
import platform
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import pyperf

from benchmarks import growth, suites
from benchmarks.cases import CASES, COMMANDS, Call

_RESULTS = Path(__file__).with_name("RESULTS.md")
#: The highest load for each core at which times are reliable.
_MOST_LOAD = 0.5
#: How many whole tests are timed together. The garbage of moto is collected in every second test, and a collection
#: takes as long as a test. The median of single tests would contain a collection or not, by chance.
_WHOLE_TESTS = 8
#: What bodies may need beyond their content, in MiB: what the journal keeps, and the parts that are on their way.
_MOST_MIB = {"1,000 PUTs of 1 MiB to one key: left": 32, "boto3's upload of 256 MiB by 4 threads: peak": 40}
_PACKAGES = ("fakestore", "moto", "boto3", "requests", "responses", "urllib3", "aiobotocore", "httpx", "pyperf")

_PAGE = """\
# The cost of fakestore

`make bench` writes this page. {met} of {targets} targets are met.

- *bare* is a callback of `responses` with a dictionary and MD5. No fake of this kind can cost less.
- *boto3 alone* has a reply that is ready at once: it is the part of the time that no fake can change.
- A body has 1 KiB. A whole test enters the fake, makes a client and a bucket, sends 5 PUT, 5 GET and a listing, and
  leaves the fake.
- "A to B" is the time of A divided by that of B. Growth compares 20,000 entries with 200 by calls of functions (2,000
  with 20 for uploads and parts), and 200,000 keys with 1,000 by time.

{machine}

| figure | measured | target | met |
|---|---:|---:|---|
{rows}

Test suites of public projects that use moto, unchanged: how many tests pass, and the seconds of `pytest`. A suite
has a store instead of moto if `moto` is replaced by `benchmarks/store_for_moto.py`.

| suite | passed with moto | seconds | passed with fakestore | seconds |
|---|---:|---:|---:|---:|
{suites}

Medians of the times, in milliseconds:

| case | ms |
|---|---:|
{times}
"""


class Row(NamedTuple):
    """A figure with its target: at most `most`, or at least `least`. Without both, it has no target."""

    name: str
    value: float
    unit: str = "times"
    least: float | None = None
    most: float | None = None

    @property
    def is_met(self) -> bool | None:
        if self.least is None and self.most is None:
            return None
        return (self.least is None or self.value >= self.least) and (self.most is None or self.value <= self.most)

    def __str__(self) -> str:
        target = f"at least {self.least:g}" if self.least else "" if self.most is None else f"at most {self.most:g}"
        met = {None: "", True: "yes", False: "**no**"}[self.is_met]
        return f"| {self.name} | {self.value:,.2f} {self.unit} | {target} | {met} |"


def timed_rows(ms: dict[str, float]) -> Iterator[Row]:
    """Yield the figures that are computed from the times of the cases, in milliseconds."""

    def ratio(case: str, other: str, own: str = "fakestore", least: float | None = None) -> Row:
        return Row(f"{case}: {other} to {own}", ms[f"{case}, {other}"] / ms[f"{case}, {own}"], least=least)

    yield ratio("whole test, client", "moto", least=4)
    yield ratio("whole test, Session()", "moto", least=4)
    yield ratio("whole test, Session()", "alone", least=1)
    yield Row("enter and leave", ms["enter and leave"], "ms", most=0.5)
    yield Row("enter and leave, serve", ms["enter and leave, serve"], "ms", most=5)
    beyond = ms["import of fakestore"] - ms["import of the libraries"]
    yield Row("import beyond `requests` and `responses`", beyond, "ms", most=60)
    plugin = ms["pytest with the plugin"] - ms["pytest without the plugin"]
    yield Row("pytest with the plugin, in a suite that never uses it", plugin, "ms more", most=5)
    for case in ("PUT, requests", "GET, requests", "copy, requests", "DELETE, requests"):
        own, bare = (ms[f"{case}, {contender}"] for contender in ("fakestore", "bare"))
        yield Row(f"{case}: fakestore to bare", own / bare, most=1.5)
        yield ratio(case, "moto", least=2.5)
    for case in ("PUT, boto3", "GET, boto3", "copy, boto3", "list, boto3"):
        yield ratio(case, "moto")
        yield ratio(case, "alone", least=0.6)
    for client in ("aiobotocore", "httpx"):
        for request in ("PUT", "GET"):
            yield ratio(f"{request}, {client}", "moto_server", least=1)
    for case in ("PUT, one client", "GET, one client", "64 clients"):
        yield ratio(case, "moto_server", "fakestore server", least=3)
    yield ratio("PUT of 1 GiB, one client", "moto_server", "fakestore server", least=1)


def other_rows() -> Iterator[Row]:
    """Yield the figures of growth and of memory."""
    for name, value in growth.growth_of_calls().items():
        yield Row(f"growth of calls: {name}", value, most=1.02)
    for name, value in growth.growth_of_times().items():
        yield Row(f"growth of time: {name}", value, most=1.3)
    for name, value in growth.snapshots().items():
        yield Row(f"{name} of 100,000 objects", value, "ms", most=20)
    for name, value in growth.memory().items():
        yield Row(f"memory beyond the content: {name}", value, "MiB", most=_MOST_MIB.get(name, 1))


_entered = ExitStack()


@cache
def _enter(name: str) -> Call:
    """Prepare a case once in this process, although pyperf measures it several times, and fill its caches."""
    call = _entered.enter_context(CASES[name]())
    call()
    return call


def _time(loops: int, name: str, calls: int) -> float:
    call = _enter(name)
    begun = time.perf_counter()
    for _ in range(loops * calls):
        call()
    return time.perf_counter() - begun


def _machine(load: float) -> str:
    packages = ", ".join(f"{each} {version(each)}" for each in _PACKAGES)
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return (
        f"Measured on {datetime.date.today()} with {python} on {platform.system()} {platform.machine()},"
        f" {os.cpu_count()} cores, load {load:.1f} before the run: {packages}."
    )


def main() -> int:
    """Measure everything, and write the page. Refuse it on a busy machine."""
    runner = pyperf.Runner(processes=6, program_args=("-m", "benchmarks.bench"))
    runner.argparser.add_argument("--no-page", action="store_true", help="measure also on a busy machine; print only")
    options = runner.parse_args()
    load, most = os.getloadavg()[0], _MOST_LOAD * (os.cpu_count() or 1)
    if load > most and not options.worker and not options.no_page:
        print(f"The load is {load:.1f}, so times are not reliable: nothing is measured or written above {most:.1f}.")
        return 1
    # Suites need the network, so they come first: a failure does not waste the rest.
    of_suites = [] if options.worker else list(suites.rows())
    measured = {}
    with _entered:
        for name in CASES:
            calls = _WHOLE_TESTS if name.startswith("whole test") else 1
            measured[name] = runner.bench_time_func(name, _time, name, calls, inner_loops=calls)
        for name, command in COMMANDS.items():
            measured[name] = runner.bench_command(name, command)
    if options.worker:
        return 0
    ms = {name: benchmark.median() * 1000 for name, benchmark in measured.items()}
    rows = [*timed_rows(ms), *other_rows()]
    met = [row.is_met for row in rows if row.is_met is not None]
    page = _PAGE.format(
        met=sum(met),
        targets=len(met),
        machine=_machine(load),
        suites="\n".join(of_suites),
        rows="\n".join(map(str, rows)),
        times="\n".join(f"| {name} | {value:,.2f} |" for name, value in ms.items()),
    )
    print(page)
    if not options.no_page:
        _RESULTS.write_text(page, encoding="utf-8")
        print(f"see {_RESULTS}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
