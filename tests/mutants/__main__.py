"""Mutants of the model and the operations: small changes of the source, each of which some test should notice.

    python -m tests.mutants [--sample N] [--seed N] [--workers N] [--patience S] [FILE ...]

The tests are run once to learn which of them run which line, and how long each takes. Then every mutant is put into
a copy of the tree and meets the tests that run its line, each file's quickest first, until one fails, and the mutant
is killed, or they, or the patience in seconds of their time, are used up, and it survives. Survivors are printed, to
be looked at; a second look at some, with more patience, is had by their lines: ``fakestore/model/acl.py:70``.
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
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from tests.mutants.finder import find

ROOT = Path(__file__).resolve().parent.parent.parent
MUTATED = ("fakestore/model", "fakestore/operations")
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
    "Makefile",
)

#: Of one run of tests, in bytes: a mutant may never stop collecting.
MOST_MEMORY = 6 * 1024**3


def copy_tree(to):
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, to / name, ignore=shutil.ignore_patterns("__pycache__", ".hypothesis"))
        elif source.exists():
            shutil.copy(source, to / name)


class Recorder:
    """A plugin of pytest that notes how long each test takes, and what failed."""

    def __init__(self):
        self.durations = {}
        self.failed = []

    # A clock that freezegun does not know: tests that freeze the others make nonsense of their own durations.
    def pytest_runtest_logstart(self, nodeid):
        self.durations[nodeid] = -time.clock_gettime(time.CLOCK_MONOTONIC)

    def pytest_runtest_logfinish(self, nodeid):
        self.durations[nodeid] += time.clock_gettime(time.CLOCK_MONOTONIC)

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed.append(report.nodeid)


def run_tests(tree, arguments, result):
    """In a process of its own: run pytest in a copy of the tree; the exit code and what was noted go to ``result``."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    os.chdir(tree)
    # The copy stands before the tree that is installed.
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
    """What :func:`run_tests` noted; ``None`` where it did not end in time, or ended without a word."""
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


def baseline(tree, tests):
    """How long each test takes, and for each file and line which tests run it."""
    import coverage

    data_file = tree / ".coverage.mutants"
    settings = tree / ".coveragerc.mutants"
    settings.write_text(f"[run]\ndata_file = {data_file}\nsource = {tree / 'fakestore'}\n")
    arguments = ["--cov", f"--cov-config={settings}", "--cov-context=test", "--cov-report="]
    noted = in_process(tree, [*arguments, "-W", "ignore::coverage.exceptions.CoverageWarning", *tests], 1800)
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
    good = {test: spent for test, spent in noted["durations"].items() if test not in noted["failed"]}
    return good, runs


def tests_for(mutant, tree, durations, runs, patience):
    """Those that run the mutant's lines, each file's quickest first, as many as the patience allows.

    What runs when the package is imported, or in no test at all, any test may notice; the first to be asked are those
    of files in which the text stands that was changed.
    """
    meeting = set().union(*(runs.get((mutant.file, line), set()) for line in mutant.lines)) & set(durations)
    naming = set()
    if not mutant.in_function or not meeting:
        meeting = set(durations)
        text = constant((tree / mutant.file).read_bytes()[mutant.start : mutant.end])
        files = {test.partition("::")[0] for test in meeting}
        naming = {file for file in files if text and text in (tree / file).read_text()}
    by_time = sorted(meeting, key=lambda test: (durations[test], test))
    first = [test for test in by_time if test.partition("::")[0] in naming]
    chosen, spent = [], 0.0
    for test in [*in_turn(first), *in_turn([test for test in by_time if test.partition("::")[0] not in naming])]:
        # One that takes long is passed over, not those behind it.
        if spent + durations[test] <= patience or not chosen:
            chosen.append(test)
            spent += durations[test]
    return chosen


def constant(source):
    """The text that a piece of source is; ``None`` where it is anything else."""
    try:
        value = ast.literal_eval(source.decode())
    except (SyntaxError, ValueError):
        return None
    return value if isinstance(value, str) else None


def judge(mutant, tree, durations, runs, patience):
    """``killed``, ``timeout`` (killed as well), or ``survived``."""
    chosen = tests_for(mutant, tree, durations, runs, patience)
    path = tree / mutant.file
    source = path.read_bytes()
    write(path, mutant.applied(source))
    try:
        # A few first: most mutants die young, and few test modules are quick to import.
        for part in (sorted(chosen[:30]), chosen):
            names = tree / ".tests"
            names.write_text("\n".join(part))
            allowed = 20 + 3 * sum(durations[test] for test in part)
            noted = in_process(tree, ["-x", f"@{names}"], allowed)
            if noted is None:
                return "timeout"
            if noted["code"] != 0:
                return "killed"
        return "survived"
    finally:
        write(path, source)


_dates = itertools.count(1_000_000_000)


def write(path, source):
    """Write a file with a date that it never had: compiled modules are known by date and size."""
    path.write_bytes(source)
    date = next(_dates)
    os.utime(path, (date, date))


def in_turn(tests):
    """One of each file in turn, each file's in the order given: what is close together notices the same."""
    by_file = {}
    for test in tests:
        by_file.setdefault(test.partition("::")[0], []).append(test)
    rounds = max(map(len, by_file.values()), default=0)
    return [group[place] for place in range(rounds) for group in by_file.values() if place < len(group)]


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="*", help="only of these files, or lines: fakestore/model/acl.py:70")
    parser.add_argument("--sample", type=int, help="of so many mutants, chosen by the seed; all by default")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--patience", type=float, default=60, help="seconds of tests for one mutant")
    parser.add_argument("--tests", nargs="*", default=["tests", "examples"], help="which tests")
    options = parser.parse_args()
    places = options.files or [
        str(path.relative_to(ROOT)) for folder in MUTATED for path in (ROOT / folder).glob("*.py")
    ]
    files = sorted({place.partition(":")[0] for place in places})
    # Imported once, here, and inherited by every process; the package itself is imported anew in each.
    import freezegun  # noqa: F401
    import hypothesis  # noqa: F401
    import lxml.etree  # noqa: F401
    import pytest  # noqa: F401
    import requests  # noqa: F401
    import responses  # noqa: F401

    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        trees = [Path(folder) / str(number) for number in range(options.workers)]
        trees[0].mkdir()
        copy_tree(trees[0])
        for tree in trees[1:]:
            shutil.copytree(trees[0], tree)
        mutants = find(trees[0], files)
        mutants = [mutant for mutant in mutants if {mutant.file, f"{mutant.file}:{mutant.line}"} & set(places)]
        print(f"{len(mutants)} mutants in {len(files)} files", flush=True)
        if options.sample is not None and options.sample < len(mutants):
            mutants = random.Random(options.seed).sample(mutants, options.sample)
            print(f"a sample of {options.sample}, by seed {options.seed}", flush=True)
        durations, runs = baseline(trees[0], options.tests)
        print(
            f"{len(durations)} tests of {sum(durations.values()):.0f} s; {time.monotonic() - started:.0f} s so far",
            flush=True,
        )
        outcomes = {}
        free = list(trees)

        def work(mutant):
            tree = free.pop()
            try:
                return judge(mutant, tree, durations, runs, options.patience)
            finally:
                free.append(tree)

        with ThreadPoolExecutor(options.workers) as pool:
            judged = {pool.submit(work, mutant): mutant for mutant in mutants}
            for number, each in enumerate(as_completed(judged), 1):
                mutant, outcome = judged[each], each.result()
                outcomes[mutant] = outcome
                if outcome == "survived":
                    print(f"survived: {mutant}", flush=True)
                if number % 25 == 0:
                    print(f"  {number} of {len(mutants)}; {time.monotonic() - started:.0f} s", flush=True)
    killed = sum(outcome in ("killed", "timeout") for outcome in outcomes.values())
    print(f"killed {killed} of {len(mutants)}: {100 * killed / max(1, len(mutants)):.1f} %")


if __name__ == "__main__":
    main()
