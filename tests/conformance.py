"""Writes ``docs/conformance.md``: every statement of the specification, and the tests that hold it.

``python -m tests.conformance`` writes the document; with ``--check`` it is compared instead, and the command fails
where a statement has no test, a test names a statement that there is not, or the document is out of date.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from tests.spec.statements import SECTIONS, STATEMENTS, section_of

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests" / "spec"
DOCUMENT = ROOT / "docs" / "conformance.md"

HEAD = """\
# Conformance

Every statement of the specification that can be checked, in our own words, and the tests that hold it. A test says
what it holds by `@pytest.mark.statement("4.1-07")`; the statements stand in
[`tests/spec/statements.py`](../tests/spec/statements.py). `make conformance` writes this page, and `make test` fails
where a statement has no test or the page is out of date.
"""

#: The tests that hold a statement, by its id: node ids from the project's root, without parameters.
Held = Mapping[str, Iterable[str]]


class Markers:
    """A pytest plugin that notes which test holds what, in the order of collection."""

    def __init__(self) -> None:
        self.held: dict[str, list[str]] = {}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            path = item.path.relative_to(ROOT).as_posix()
            test = f"{path}::{getattr(item, 'originalname', item.name)}"
            for marker in item.iter_markers("statement"):
                for statement in marker.args:
                    tests = self.held.setdefault(statement, [])
                    if test not in tests:
                        tests.append(test)


def collect() -> Held:
    """What the tests under ``tests/spec`` say that they hold.

    Raises:
        SystemExit: they cannot be collected; pytest's own words go with it.
    """
    markers = Markers()
    said = io.StringIO()
    options = ["--collect-only", "-qq", "-p", "no:cacheprovider", "-p", "no:randomly", "--rootdir", str(ROOT)]
    with contextlib.redirect_stdout(said):
        outcome = pytest.main([str(TESTS), *options], plugins=[markers])
    if outcome != pytest.ExitCode.OK:
        raise SystemExit(f"{said.getvalue()}the tests of the specification cannot be collected")
    return markers.held


def render(held: Held) -> str:
    """The document: sections in order, statements in order, tests by file and name."""
    tests = {test for each in held.values() for test in each}
    parts = [HEAD, f"{len(STATEMENTS)} statements, {len(tests)} tests."]
    for section, title in SECTIONS.items():
        rows = [
            f"| {statement} | {_cell(sentence)} | {_links(held.get(statement, ()))} |"
            for statement, sentence in STATEMENTS.items()
            if section_of(statement) == section
        ]
        parts.append("\n".join([f"## {section} {title}\n", "| | Statement | Held by |", "|---|---|---|", *rows]))
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _cell(sentence: str) -> str:
    """A placeholder such as <id> is no markup."""
    return sentence.replace("<", "&lt;").replace(">", "&gt;")


def _links(tests: Iterable[str]) -> str:
    linked = []
    for test in sorted(tests):
        path, _, name = test.partition("::")
        linked.append(f"[`{Path(path).stem.removeprefix('test_spec_')}::{name.removeprefix('test_')}`](../{path})")
    return "<br>".join(linked)


def problems(held: Held, written: str | None) -> list[str]:
    """What is wrong, a sentence each; ``written`` is the document as it is, ``None`` where it is not compared."""
    found = [f"statement {each} has no test: {STATEMENTS[each]}" for each in STATEMENTS if not held.get(each)]
    found += [
        f"statement {each!r} is marked, and there is none: {', '.join(held[each])}"
        for each in held.keys() - STATEMENTS.keys()
    ]
    found += [f"statement {each} belongs to no section" for each in STATEMENTS if section_of(each) not in SECTIONS]
    if written is not None and written != render(held):
        found.append(f"{DOCUMENT.relative_to(ROOT)} is out of date; write it with: make conformance")
    return sorted(found)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare the document instead of writing it")
    check = parser.parse_args(arguments).check
    held = collect()
    if not check:
        DOCUMENT.parent.mkdir(exist_ok=True)
        DOCUMENT.write_text(render(held), encoding="utf-8")
    written = DOCUMENT.read_text(encoding="utf-8") if DOCUMENT.exists() else ""
    found = problems(held, written)
    for problem in found:
        print(problem, file=sys.stderr)
    if not found:
        print(f"{len(STATEMENTS)} statements, each with a test; {DOCUMENT.relative_to(ROOT)} says which")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
