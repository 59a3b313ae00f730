"""Checks that each statement of the specification, and each decision of ``docs/semantics.md``, has a test.

``python -m tests.conformance`` fails if a statement or a decision has no test, or if a marker names an unknown one.
With ``--write`` it also writes the page of the site that lists them, ``docs/conformance.md``.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tests.dialect_table import render_dialects
from tests.spec.statements import SECTIONS, STATEMENTS, section_of

ROOT = Path(__file__).resolve().parent.parent
CONFORMANCE = ROOT / "docs" / "conformance.md"
SEMANTICS = ROOT / "docs" / "semantics.md"

HEAD = """\
# Conformance

The specification of fakestore is the document *Object Storage Service: Object Operations Interface*. This page lists,
in our own words, its statements that a test can check, with the tests of each. The statements hold in the dialect
`DOCUMENT`. Some of them do not hold in `S3`: [What each dialect decides](#what-each-dialect-decides) shows where the
two differ. [Tests of decisions](#tests-of-decisions) lists the tests of each decision in
[semantics.md](semantics.md).

Sections without such statements are left out. The id of a statement begins with its section.
[`tests/spec/statements.py`](../tests/spec/statements.py) contains the statements. A test names its statements with a
marker, for example `@pytest.mark.statement("4.1-07")`. The names of tests are without `test_` here: the test
`test_copy_with_a_body_is_refused` in `tests/spec/test_copy.py` is `copy::copy_with_a_body_is_refused`.

`make docs` writes this page. `make test` fails if a statement or a decision has no test.
"""

#: The heading of an entry of docs/semantics.md, the name of its decision.
DECISION = re.compile(r"^### ([a-z0-9-]+)$", re.MULTILINE)

#: The tests that carry a marker, by the marker's argument.
Tests = Mapping[str, Iterable[str]]


def read_markers() -> dict[str, dict[str, set[str]]]:
    """Return the tests of each argument of each marker. The files are not imported, which would take many seconds."""
    tests: dict[str, dict[str, set[str]]] = {"statement": {}, "decision": {}}
    for path in (path for folder in ("tests", "examples") for path in (ROOT / folder).rglob("test_*.py")):
        for test, kind, name in _markers_of(ast.parse(path.read_bytes())):
            if kind in tests:
                tests[kind].setdefault(name, set()).add(f"{path.relative_to(ROOT).as_posix()}::{test}")
    return tests


def _markers_of(module: ast.Module) -> Iterator[tuple[str, str, str]]:
    """Yield the test, the name and an argument of each marker: also of a marker with another name, or of one case."""
    marks_of_all: list[ast.expr] = []
    renamed = {}
    for assignment in module.body:
        match assignment:
            case ast.Assign([ast.Name("pytestmark")], mark):
                marks_of_all.append(mark)
            case ast.Assign([ast.Name(name)], ast.Attribute(ast.Attribute(ast.Name("pytest"), "mark"), kind)):
                renamed[name] = kind
    for test in ast.walk(module):
        if isinstance(test, ast.FunctionDef | ast.AsyncFunctionDef) and test.name.startswith("test_"):
            for node in (node for mark in (*marks_of_all, *test.decorator_list) for node in ast.walk(mark)):
                match node:
                    case ast.Call(ast.Attribute(ast.Attribute(ast.Name("pytest"), "mark"), kind), arguments):
                        pass
                    case ast.Call(ast.Name(name), arguments) if name in renamed:
                        kind = renamed[name]
                    case _:
                        continue
                yield from ((test.name, kind, each.value) for each in arguments if isinstance(each, ast.Constant))


def render_conformance(statements: Tests, decisions: Tests, names: Iterable[str]) -> str:
    """Return the tables of statements, by section, and of decisions. The tests are in the order of file and name."""
    count = len({test for each in statements.values() for test in each})
    parts = [HEAD, f"There are {len(STATEMENTS)} statements, and {count} tests name at least one of them."]
    for section, title in SECTIONS.items():
        rows = [
            [statement, _escaped(sentence), _links(statements.get(statement, ()))]
            for statement, sentence in STATEMENTS.items()
            if section_of(statement) == section
        ]
        parts += [f"## {section} {title}", _table("Id", "Statement", "Tests", rows=rows)]
    rows = [[f"[{name}](semantics.md#{name})", _links(decisions.get(name, ()))] for name in names]
    parts += ["## Tests of decisions", _table("Decision", "Tests", rows=rows)]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _table(*head: str, rows: Iterable[list[str]]) -> str:
    return "\n".join([f"| {' | '.join(head)} |", "|---" * len(head) + "|", *(f"| {' | '.join(row)} |" for row in rows)])


def _escaped(sentence: str) -> str:
    """Escape a placeholder such as <id>, which is not markup."""
    return sentence.replace("<", "&lt;").replace(">", "&gt;")


def _links(tests: Iterable[str]) -> str:
    links = []
    for test in sorted(tests):
        path, _, name = test.partition("::")
        links.append(f"[`{Path(path).stem.removeprefix('test_')}::{name.removeprefix('test_')}`](../{path})")
    return "<br>".join(links)


def problems(kind: str, names: Iterable[str], tests: Tests) -> list[str]:
    """Return a sentence for each name without a test, and for each marker that names nothing."""
    known = set(names)
    found = [f"{kind} {name} has no test" for name in known if not tests.get(name)]
    found += [f"unknown {kind} {name!r}: {', '.join(tests[name])}" for name in tests.keys() - known]
    return sorted(found)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the page")
    write = parser.parse_args().write
    statements, decisions = read_markers().values()
    semantics = SEMANTICS.read_text(encoding="utf-8")
    names = DECISION.findall(semantics)
    found = problems("statement", STATEMENTS, statements) + problems("decision", names, decisions)
    text = f"{render_conformance(statements, decisions, names)}\n{render_dialects(semantics)}"
    if write:
        CONFORMANCE.write_text(text, encoding="utf-8")
    for problem in found:
        print(problem, file=sys.stderr)
    if not found:
        print(f"{len(STATEMENTS)} statements and {len(names)} decisions, each with a test")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
