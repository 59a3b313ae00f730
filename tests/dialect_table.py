"""Writes what each dialect decides: a table with one row for each field of ``Semantics``."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields
from enum import Enum

from fakestore import DOCUMENT, S3, Semantics

DIALECTS = {"`DOCUMENT`": DOCUMENT, "`S3`": S3}
_INTRODUCTION = """\
## What each dialect decides

`fakestore.Semantics` has a field for each case in which services differ. The name of a field links to its decision.
`tests/dialects/test_semantics.py` tests several values of each field."""
#: The description of a field in the docstring of the class: its name, and the indented lines that follow.
_DESCRIPTION = re.compile(r"^    (?P<name>\w+): (?P<text>.*(?:\n {8}.*)*)", re.MULTILINE)


def render_dialects(decisions: str) -> str:
    """Return the section with the table. ``decisions`` is the text of docs/semantics.md."""
    described = _descriptions()
    rows = [
        [
            f"[`{field.name}`](semantics.md#{_decision_about(field.name, decisions)})",
            described[field.name],
            *(_shown(getattr(each.semantics, field.name)) for each in DIALECTS.values()),
        ]
        for field in fields(Semantics)
    ]
    head = ["Field", "Meaning", *DIALECTS]
    lines = [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]
    return "\n".join([_INTRODUCTION, "", *lines, ""])


def _decision_about(field: str, decisions: str) -> str:
    """Return the name of the first decision that names a field of ``Semantics``.

    Raises:
        SystemExit: If no decision names it.
    """
    for entry in re.split(r"^#{2,3} ", decisions, flags=re.MULTILINE)[1:]:
        if f"`Semantics.{field}`" in entry:
            return entry.partition("\n")[0]
    raise SystemExit(f"no decision of docs/semantics.md names `Semantics.{field}`")


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
