"""Mutants: small changes of the source, each of which some test should notice.

    python -m tests.mutants [--paths PATH ...] [--sample N] [--seed N] [--workers N] [--patience S]

A path is a folder, a file, or one line of a file: `fakestore/model/acl.py:70`. The default is `fakestore/model` and
`fakestore/operations`; the second sample of docs/trust.md is over `fakestore/http`, `fakestore/protocol`,
`fakestore/service` and `fakestore/clients`.

The tests run once under coverage, to learn which tests run which line and how long each takes. Then each mutant is
written into a copy of the tree and meets the tests that run its line: those that killed other mutants first, then the
quick ones, one of each file in turn. The first failure kills it. If all of them pass, or if they have used up the
patience (in seconds of their own time), it survives. Survivors are printed, for a person to look at, and so are
mutants that were stopped by a timeout: on a busy machine, they have to run again.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import itertools
import json
import multiprocessing
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from tests.mutants.finder import find

ROOT = Path(__file__).resolve().parent.parent.parent
MUTATED = ("fakestore/model", "fakestore/operations")
TESTS = ("tests", "examples")
#: What a copy of the tree needs for its tests.
COPIED = (
    "fakestore",
    "tests",
    "examples",
    "benchmarks",
    "docs",
    "pyproject.toml",
    "README.md",
    "CHANGELOG.md",
    "LICENSE",
    "Makefile",
)

#: Of one run of tests, in bytes: a mutant may never stop collecting.
MOST_MEMORY = 6 * 1024**3


def copy_tree(to, names=COPIED):
    for name in names:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, to / name, ignore=shutil.ignore_patterns("__pycache__", ".hypothesis"))
        else:
            shutil.copy(source, to / name)


class Recorder:
    """A plugin of pytest that records how long each test takes and which tests fail."""

    def __init__(self):
        self.durations = {}
        self.failed = []

    # A clock that freezegun does not replace: tests that freeze time would get wrong durations.
    def pytest_runtest_logstart(self, nodeid):
        self.durations[nodeid] = -time.clock_gettime(time.CLOCK_MONOTONIC)

    def pytest_runtest_logfinish(self, nodeid):
        self.durations[nodeid] += time.clock_gettime(time.CLOCK_MONOTONIC)

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed.append(report.nodeid)


def run_tests(tree, arguments, result):
    """Run pytest in a copy of the tree and write what was recorded to `result`. Called in a process of its own."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    os.chdir(tree)
    # The copy is imported instead of the installed tree.
    sys.path[:] = [str(tree), *(path for path in sys.path if path not in ("", str(ROOT)))]
    sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in repr(finder).lower()]
    for name in [name for name in sys.modules if name.partition(".")[0] in ("fakestore", "tests", "examples")]:
        del sys.modules[name]
    os.environ["PYTHONPATH"] = str(tree)
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    import pytest

    recorder = Recorder()
    always = ["-q", "-p", "no:cacheprovider", "-p", "no:randomly", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    code = pytest.main([*always, *arguments], plugins=[recorder])
    import fakestore

    inside = Path(fakestore.__file__).is_relative_to(tree)
    found = {"code": int(code), "durations": recorder.durations, "failed": recorder.failed, "inside": inside}
    Path(result).write_text(json.dumps(found))
    os._exit(0)


def in_process(tree, arguments, timeout):
    """Return what `run_tests` recorded, or None if it did not end in time or crashed."""
    result = tree / ".result.json"
    result.unlink(missing_ok=True)
    process = multiprocessing.get_context("fork").Process(target=run_tests, args=(tree, arguments, str(result)))
    process.start()
    process.join(timeout)
    if process.is_alive():
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.join()
    return json.loads(result.read_text()) if result.exists() else None


def baseline(tree):
    """Return how long each test takes, and for each file and line the tests that run it."""
    import coverage

    data_file = tree / ".coverage.mutants"
    settings = tree / ".coveragerc.mutants"
    settings.write_text(f"[run]\ndata_file = {data_file}\nsource = {tree / 'fakestore'}\n")
    arguments = ["--cov", f"--cov-config={settings}", "--cov-context=test", "--cov-report="]
    noted = in_process(tree, [*arguments, "-W", "ignore::coverage.exceptions.CoverageWarning", *TESTS], 1800)
    if noted is None or not noted["inside"]:
        sys.exit("the tests could not be run in a copy of the tree")
    if noted["failed"]:
        print(f"{len(noted['failed'])} tests fail without any mutant, and are left out: {', '.join(noted['failed'])}")
    data = coverage.CoverageData(str(data_file))
    data.read()
    runs = {}
    for file in data.measured_files():
        name = str(Path(file).relative_to(tree))
        for line, contexts in data.contexts_by_lineno(file).items():
            runs[name, line] = {context.rpartition("|")[0] for context in contexts} - {""}
    # Measured once more without coverage, which slows down some tests far more than others.
    measured = in_process(tree, TESTS, 1800)
    if measured is None:
        sys.exit("the tests could not be run without coverage")
    failed = {*noted["failed"], *measured["failed"]}
    good = {test: spent for test, spent in measured["durations"].items() if test not in failed}
    return good, runs


def tests_for(mutant, tree, durations, runs, patience, kills):
    """Return the tests for a mutant in the order in which they run, as many as the patience allows.

    A line that runs at import, or in no test, can be noticed by any test. Then the tests come first whose file contains
    the text that was changed.
    """
    meeting = set().union(*(runs.get((mutant.file, line), set()) for line in mutant.lines)) & set(durations)
    naming = set()
    if not mutant.in_function or not meeting:
        meeting = set(durations)
        text = constant((tree / mutant.file).read_bytes()[mutant.start : mutant.end])
        files = {test.partition("::")[0] for test in meeting}
        naming = {file for file in files if text and text in (tree / file).read_text()}
    by_time = sorted(meeting, key=lambda test: (durations[test], test))
    killers = sorted((test for test in meeting if kills[test]), key=lambda test: (-kills[test], durations[test]))
    named = in_turn([test for test in by_time if test.partition("::")[0] in naming])
    chosen, spent = {}, 0.0
    for test in [*named[:10], *killers[:15], *named, *in_turn(by_time)]:
        # A slow test is skipped, but not the tests after it.
        if test not in chosen and (spent + durations[test] <= patience or not chosen):
            chosen[test] = None
            spent += durations[test]
    return list(chosen)


def constant(source):
    """Return the text that a piece of source is a literal of, or None."""
    try:
        value = ast.literal_eval(source.decode())
    except (SyntaxError, ValueError):
        return None
    return value if isinstance(value, str) else None


def judge(mutant, tree, durations, runs, patience, kills):
    """Return "killed", "timeout" (which counts as killed) or "survived"; count the killing test in `kills`."""
    chosen = tests_for(mutant, tree, durations, runs, patience, kills)
    path = tree / mutant.file
    source = path.read_bytes()
    write(path, mutant.applied(source))
    try:
        # A few tests first: most mutants are killed by them, and importing few test modules is quick.
        for part in (chosen[:30], chosen[30:]):
            if not part:
                continue
            names = tree / ".tests"
            names.write_text("\n".join(part))
            result = in_process(tree, ["-x", f"@{names}"], 20 + 3 * sum(durations[test] for test in part))
            if result is None:
                return "timeout"
            if result["code"] != 0:
                kills.update(result["failed"][:1])
                return "killed"
        return "survived"
    finally:
        write(path, source)


_dates = itertools.count(1_000_000_000)


def write(path, source):
    """Write a file with a new date: Python recognises compiled modules by date and size."""
    path.write_bytes(source)
    date = next(_dates)
    os.utime(path, (date, date))


def in_turn(tests):
    """Return the tests with those of each file in turn: tests of one file tend to notice the same mutants."""
    by_file = {}
    for test in tests:
        by_file.setdefault(test.partition("::")[0], []).append(test)
    rounds = max(map(len, by_file.values()), default=0)
    return [group[place] for place in range(rounds) for group in by_file.values() if place < len(group)]


def files_of(path):
    """Return the Python files of a folder, or the path itself if it is a file or a line of one.

    Raises:
        SystemExit: If the path does not exist.
    """
    place = ROOT / path.partition(":")[0]
    if not place.exists():
        sys.exit(f"{path}: there is no such file or folder in {ROOT}")
    return [path] if place.is_file() else sorted(str(each.relative_to(ROOT)) for each in place.rglob("*.py"))


def parse_options():
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__.partition("\n")[0])
    parser.add_argument("--paths", nargs="+", default=list(MUTATED), help="folders, files, or lines: file.py:70")
    parser.add_argument("--sample", type=int, help="how many mutants, chosen by the seed (default: all)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--patience", type=float, default=20, help="seconds of tests for one mutant (default: 20)")
    return parser.parse_args()


def choose(tree, options):
    """Return the mutants that the options select."""
    places = [place for path in options.paths for place in files_of(path)]
    files = sorted({place.partition(":")[0] for place in places})
    mutants = [each for each in find(tree, files) if {each.file, f"{each.file}:{each.line}"} & set(places)]
    print(f"{len(mutants)} mutants in {len(files)} files", flush=True)
    if options.sample is not None and options.sample < len(mutants):
        mutants = random.Random(options.seed).sample(mutants, options.sample)
        print(f"a sample of {options.sample} by seed {options.seed}", flush=True)
    return mutants


def judge_all(mutants, trees, durations, runs, patience):
    """Judge each mutant in one of the trees, print it unless it was killed, and return how often each outcome was."""
    started, kills, outcomes = time.monotonic(), Counter(), Counter()
    free = list(trees)

    def work(mutant):
        tree = free.pop()
        try:
            return judge(mutant, tree, durations, runs, patience, kills)
        finally:
            free.append(tree)

    with ThreadPoolExecutor(len(trees)) as pool:
        judged = {pool.submit(work, mutant): mutant for mutant in mutants}
        for number, each in enumerate(as_completed(judged), 1):
            outcomes[each.result()] += 1
            if each.result() != "killed":
                print(f"{each.result()}: {judged[each]}", flush=True)
            if number % 25 == 0:
                print(f"  {number} of {len(mutants)}; {time.monotonic() - started:.0f} s", flush=True)
    return outcomes


def main():
    options = parse_options()
    # Imported once, here, and inherited by every process. Each process imports the package itself.
    import freezegun  # noqa: F401
    import hypothesis  # noqa: F401
    import lxml.etree  # noqa: F401
    import pytest  # noqa: F401
    import requests  # noqa: F401
    import responses  # noqa: F401

    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        trees = [Path(folder) / str(number) for number in range(options.workers)]
        trees[0].mkdir()
        copy_tree(trees[0])
        for tree in trees[1:]:
            shutil.copytree(trees[0], tree)
        mutants = choose(trees[0], options)
        durations, runs = baseline(trees[0])
        print(f"{len(durations)} tests of {sum(durations.values()):.0f} s", flush=True)
        outcomes = judge_all(mutants, trees, durations, runs, options.patience)
    killed, late = outcomes["killed"] + outcomes["timeout"], outcomes["timeout"]
    percent = 100 * killed / max(1, len(mutants))
    print(f"killed {killed} of {len(mutants)}: {percent:.1f} %; {late} of them by a timeout")


if __name__ == "__main__":
    main()
