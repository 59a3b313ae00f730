"""Writes into docs/semantics.md what each dialect decides: one row for each field of ``Semantics``."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields
from enum import Enum

from fakestore import DOCUMENT, S3, Semantics

DIALECTS = {"`DOCUMENT`": DOCUMENT, "`S3`": S3}
TITLE = "## What each dialect decides"
_INTRODUCTION = """\
`fakestore.Semantics` has a field for each case in which services differ. The name of a field links to its decision.
`make conformance` writes this table. `tests/dialects/test_semantics.py` tests several values of each field."""
_ENTRY = re.compile(r"^### (.+)$", re.MULTILINE)
#: The description of a field in the docstring of the class: its name, and the indented lines that follow.
_DESCRIPTION = re.compile(r"^    (?P<name>\w+): (?P<text>.*(?:\n {8}.*)*)", re.MULTILINE)


def render_dialects(document: str) -> str:
    """Return docs/semantics.md with the current table in its last section."""
    described = _descriptions()
    entries = document.partition(f"\n{TITLE}\n")[0].rstrip("\n")
    rows = [
        [
            f"[`{field.name}`](#{_decision_about(field.name, entries)})",
            described[field.name],
            *(_shown(getattr(each.semantics, field.name)) for each in DIALECTS.values()),
        ]
        for field in fields(Semantics)
    ]
    head = ["Field", "Meaning", *DIALECTS]
    lines = [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]
    return "\n".join([entries, "", TITLE, "", _INTRODUCTION, "", *lines, ""])


def _decision_about(field: str, entries: str) -> str:
    """Return the name of the first entry that names a field of ``Semantics``.

    Raises:
        SystemExit: If no entry names it.
    """
    before, found, _ = entries.partition(f"`Semantics.{field}`")
    if not found:
        raise SystemExit(f"no entry of docs/semantics.md names `Semantics.{field}`")
    return _ENTRY.findall(before)[-1]


def _descriptions() -> dict[str, str]:
    """Return what is said about each field in the docstring of ``Semantics``."""
    arguments = inspect.getdoc(Semantics).partition("Args:\n")[2]
    return {
        found["name"]: re.sub(r"\s+", " ", found["text"]).replace("``", "`")
        for found in _DESCRIPTION.finditer(arguments)
    }


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, frozenset):
        return ", ".join(sorted(map(str, value)))
    return "none" if value is None else str(value)
