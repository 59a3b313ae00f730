"""Mutants of the model and the operations: small changes of the source, each of which some test should notice.

    python -m tests.mutants [--sample N] [--seed N] [--workers N] [--patience S] [FILE ...]

The tests are run once to learn which of them run which line, and how long each takes. Then every mutant is put into
a copy of the tree and meets the tests that run its line, each file's quickest first, until one fails, and the mutant
is killed, or they, or the patience in seconds of their time, are used up, and it survives. Survivors are printed, to
be looked at; a second look at some, with more patience, is had by their lines: ``fakestore/model/acl.py:70``.

Left alone are words for people (docstrings, explanations, messages of Python's own errors, ``__repr__``, ``__str__``
and formatted text), annotations, and ``assert``.
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
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
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

COMPARISONS = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}
ARITHMETIC = {ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.FloorDiv: "*", ast.Mod: "*"}


@dataclass(frozen=True)
class Mutant:
    """One change: ``start`` to ``end`` of a file's bytes become ``text``."""

    file: str
    line: int
    #: The lines of the statement it is in: a test that runs one of them meets it.
    lines: range
    start: int
    end: int
    text: str
    what: str
    in_function: bool

    def __str__(self):
        return f"{self.file}:{self.line}: {self.what}"

    def applied(self, source):
        return source[: self.start] + self.text.encode() + source[self.end :]


class Finder(ast.NodeVisitor):
    """Finds the mutants of one file."""

    def __init__(self, file, source):
        self.file, self.source = file, source
        self.offsets = [0]
        for line in source.splitlines(keepends=True):
            self.offsets.append(self.offsets[-1] + len(line))
        self.found = []
        self.statement = None
        self.depth = 0
        self.visit(ast.parse(source))

    def _span(self, node):
        return (
            self.offsets[node.lineno - 1] + node.col_offset,
            self.offsets[node.end_lineno - 1] + node.end_col_offset,
        )

    def _text(self, node):
        start, end = self._span(node)
        return self.source[start:end].decode()

    def _add(self, node, text, within=None):
        """``within`` is the expression to show, where ``node`` is but a part of it."""
        start, end = self._span(node)
        before, after = self._text(node), text
        if within is not None:
            first, last = self._span(within)
            before = self.source[first:last].decode()
            after = (self.source[first:start] + text.encode() + self.source[end:last]).decode()
        shown = [re.sub(r"\s+", " ", each)[:90] for each in (before, after)]
        scope = self.statement or node
        lines = range(scope.lineno, scope.end_lineno + 1)
        what = f"{shown[0]}  ->  {shown[1]}"
        self.found.append(Mutant(self.file, node.lineno, lines, start, end, text, what, self.depth > 0))

    # -- what is left alone, and what is gone into

    def visit_FunctionDef(self, node):
        if node.name in ("__repr__", "__str__"):
            return
        for default in [*node.args.defaults, *filter(None, node.args.kw_defaults), *node.decorator_list]:
            self.visit(default)
        self.depth += 1
        self._body(node)
        self.depth -= 1

    def visit_ClassDef(self, node):
        for decorator in node.decorator_list:
            if "dataclass" not in self._text(decorator):
                self.visit(decorator)
        self._body(node)

    def visit_Module(self, node):
        self._body(node)

    def _body(self, node):
        for statement in node.body:
            if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
                self.visit(statement)

    def visit_AnnAssign(self, node):
        if node.value is not None:
            self.statement = node
            self.visit(node.value)
            self.statement = None

    def visit_Import(self, node):
        return

    visit_ImportFrom = visit_Assert = visit_JoinedStr = visit_Import

    def visit_Call(self, node):
        if isinstance(node.func, ast.Name) and node.func.id in (
            "ValueError",
            "TypeError",
            "KeyError",
            "TypeVar",
            "NewType",
        ):
            return
        if isinstance(node.func, ast.Name) and node.func.id in ("UnsupportedRequest", "_denied", "_bad_source"):
            return
        for part in [node.func, *node.args, *node.keywords]:
            if not (isinstance(part, ast.keyword) and part.arg in ("explanation", "maxsize")):
                self.visit(part)

    # -- statements

    def visit(self, node):
        if isinstance(node, ast.stmt) and not isinstance(
            node, (ast.FunctionDef, ast.ClassDef, ast.If, ast.For, ast.While, ast.With, ast.Try)
        ):
            self.statement = node
            super().visit(node)
            self.statement = None
        else:
            super().visit(node)

    def visit_Expr(self, node):
        if self.depth:
            self._add(node, "pass")
        self.generic_visit(node)

    def visit_Assign(self, node):
        if isinstance(node.targets[0], ast.Name) and node.targets[0].id in ("__all__", "__slots__"):
            return
        if self.depth and not isinstance(node.targets[0], (ast.Name, ast.Tuple)):
            self._add(node, "pass")
        self.generic_visit(node)

    def visit_AugAssign(self, node):
        self._add(node, "pass")
        self.generic_visit(node)

    def visit_Raise(self, node):
        self._add(node, "pass")
        self.generic_visit(node)

    def visit_Delete(self, node):
        self._add(node, "pass")

    def visit_Continue(self, node):
        self._add(node, "break")

    def visit_Break(self, node):
        self._add(node, "continue")

    def visit_Return(self, node):
        if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
            self._add(node, "return None")
        self.generic_visit(node)

    def visit_Yield(self, node):
        self.generic_visit(node)

    # -- conditions

    def visit_If(self, node):
        if self._text(node.test) != "TYPE_CHECKING":
            self._negate(node.test)
            self.generic_visit(node)

    def visit_While(self, node):
        self._negate(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node):
        self._negate(node.test)
        self.generic_visit(node)

    def visit_comprehension(self, node):
        for test in node.ifs:
            self._negate(test)
        self.generic_visit(node)

    def _negate(self, test):
        # A comparison and a `not` have their own.
        if not isinstance(test, (ast.Compare, ast.UnaryOp)):
            self._add(test, f"(not ({self._text(test)}))")

    def visit_Compare(self, node):
        left = node.left
        for operator, right in zip(node.ops, node.comparators, strict=True):
            gap = ast.Constant(None)
            gap.lineno, gap.col_offset = left.end_lineno, left.end_col_offset
            gap.end_lineno, gap.end_col_offset = right.lineno, right.col_offset
            before = self._text(gap)
            # Brackets around an operand stand in the gap too.
            symbol = re.sub(r"[()\s]+", " ", before).strip()
            self._add(gap, before.replace(symbol, f" {COMPARISONS[type(operator)]} ", 1), node)
            left = right
        self.generic_visit(node)

    def visit_BoolOp(self, node):
        symbol, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in zip(node.values, node.values[1:], strict=False):
            gap = ast.Constant(None)
            gap.lineno, gap.col_offset = left.end_lineno, left.end_col_offset
            gap.end_lineno, gap.end_col_offset = right.lineno, right.col_offset
            self._add(gap, re.sub(rf"\b{symbol}\b", other, self._text(gap), count=1), node)
        self.generic_visit(node)

    def visit_UnaryOp(self, node):
        if isinstance(node.op, ast.Not):
            self._add(node, f"({self._text(node.operand)})")
        elif isinstance(node.op, ast.USub):
            self._add(node, f"(+{self._text(node.operand)})")
        self.generic_visit(node)

    # -- values

    def visit_BinOp(self, node):
        if type(node.op) in ARITHMETIC and not isinstance(node.left, (ast.Constant, ast.JoinedStr)):
            left, right = self._text(node.left), self._text(node.right)
            self._add(node, f"({left} {ARITHMETIC[type(node.op)]} {right})")
        self.generic_visit(node)

    def visit_Constant(self, node):
        value = node.value
        if isinstance(value, bool):
            self._add(node, repr(not value))
        elif isinstance(value, (int, float)):
            self._add(node, repr(value + 1))
        elif isinstance(value, str) and value:
            self._add(node, repr(f"{value}X" if "X" not in value else value[1:]))
        elif isinstance(value, (str, bytes)):
            self._add(node, repr(value + (b"X" if isinstance(value, bytes) else "X")))


def find(tree, files):
    """Every mutant of a copy of the tree that is Python."""
    mutants = []
    for file in files:
        source = (tree / file).read_bytes()
        for mutant in Finder(file, source).found:
            try:
                compile(mutant.applied(source), file, "exec")
            except SyntaxError:
                continue
            mutants.append(mutant)
    return mutants


# -- running tests in a copy of the tree


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


def tests_for(mutant, durations, runs, patience):
    """Those that run the mutant's lines, each file's quickest first, as many as the patience allows.

    What runs when the package is imported, or in no test at all, any test may notice.
    """
    meeting = set().union(*(runs.get((mutant.file, line), set()) for line in mutant.lines)) & set(durations)
    if not mutant.in_function or not meeting:
        meeting = set(durations)
    chosen, spent = [], 0.0
    for test in in_turn(sorted(meeting, key=lambda test: (durations[test], test))):
        spent += durations[test]
        if spent > patience and chosen:
            break
        chosen.append(test)
    return chosen


def judge(mutant, tree, durations, runs, patience):
    """``killed``, ``timeout`` (killed as well), or ``survived``."""
    chosen = tests_for(mutant, durations, runs, patience)
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
    rounds = max(map(len, by_file.values()))
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
