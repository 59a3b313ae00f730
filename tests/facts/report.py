"""Writes ``docs/facts.md`` for the site: how many of the recorded facts are replayed, and why the others are not."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.facts import replay

PAGE = Path(__file__).parents[2] / "docs" / "facts.md"
#: Why a fact is not replayed, and how the page describes these facts.
KINDS = {
    "not supported": "facts that this dialect does not support",
    "contradicts the specification": "facts that contradict the specification",
}
TITLES = {"document": "`DOCUMENT`", "s3": "`S3`"}

_HEAD = """\
# The recorded facts

A fact is a request to Amazon S3, the *public service*, and its recorded answer. The LocalStack project recorded most
facts in 2026, and a few in 2023. From its snapshots, which are under the Apache License 2.0, we used only the requests
and answers. `tests/facts/` contains the facts as data, and `make test` replays them in each
[dialect](how-to/set-up.md#dialects): it sends the recorded requests to a store and compares the answers. The docstring
of `tests/facts/replay.py` describes the data.

The dialect `S3` answers as recorded, except that its new buckets [refuse customer
keys](semantics.md#blocked-encryption), as the service does since April 2026. If the [specification](semantics.md)
contradicts a fact, the dialect `DOCUMENT` follows the specification. If the specification is silent, `DOCUMENT` answers
as recorded, too.

`make docs` writes this page.
"""

_BETWEEN = """\
The first two lists below name the facts that are not replayed in `DOCUMENT`. A test also sends {requests} requests like
those of the first list, and checks that `DOCUMENT` raises `UnsupportedRequest` for each.

In the other lists, each line begins with a part of replayed facts that is not compared. For example, `ETag` is an
element of a document, `etag` is a header, and `CopyObject` is a request of the recording. `Elements of Contents` means
the names of the elements in `Contents`. In `DOCUMENT`, {partly} facts have a part that contradicts the specification.

In all lists, a name such as put_object-002 is the id of a fact. A number such as 4.1 is a section of the specification.
The first sentence after the number says what this section states.

The client of the recordings added checksums and `encoding-type` to its requests. The data contain them only if the fact
is about them. The recorded answers about objects also name the default encryption. The data do not repeat it. Instead,
the replay in `S3` expects it in every answer that describes an object.
"""


def page() -> str:
    """Return the text of the page."""
    requests = sum("request" in group for dialect in replay.DIALECTS for group in replay.left_out(dialect))
    parts = [fact.get("but", {}) for fact in replay.replayed("document")]
    partly = sum(any(why.startswith("contradicts") for why in but.values()) for but in parts)
    between = _BETWEEN.format(requests=requests, partly=partly)
    sections = [line for dialect in replay.DIALECTS for line in (*_reasons(dialect), *_parts(dialect))]
    return "\n".join([_HEAD, *_table(), "", between, *sections])


def write() -> None:
    PAGE.write_text(page())


def _table() -> list[str]:
    recorded = replay.load_counts()
    columns = [column for dialect in replay.DIALECTS for column in _columns(dialect)]
    rows = [[topic, count, *(column.get(topic, 0) for _, column in columns)] for topic, count in recorded.items()]
    sums = ["all", *(sum(row[place] for row in rows) for place in range(1, len(columns) + 2))]
    head = ["Topic", "Recorded", *(title for title, _ in columns)]
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows, sums]
    return [f"| {' | '.join(map(str, line))} |" for line in lines]


def _columns(dialect: str) -> list[tuple[str, Counter[str]]]:
    """Return the columns of a dialect, each with its number for each topic."""
    title = TITLES[dialect]
    columns = [(f"{title}: replayed", Counter(_topic(fact["id"]) for fact in replay.replayed(dialect)))]
    for kind in KINDS:
        groups = [group for group in replay.left_out(dialect) if group["kind"] == kind]
        if groups:
            columns.append(
                (f"{title}: {KINDS[kind]}", Counter(_topic(each) for group in groups for each in group["ids"]))
            )
    return columns


def _topic(fact_id: str) -> str:
    return fact_id.rpartition("-")[0]


def _reasons(dialect: str) -> list[str]:
    lines = []
    for kind, heading in KINDS.items():
        by_reason: dict[str, list[str]] = {}
        for group in replay.left_out(dialect):
            if group["kind"] == kind:
                by_reason.setdefault(group["reason"], []).extend(group["ids"])
        if by_reason:
            lines += [f"## {TITLES[dialect]}: {heading}", ""]
            lines += [f"- {reason} ({_shortened(ids)})" for reason, ids in sorted(by_reason.items())]
            lines.append("")
    return lines


def _parts(dialect: str) -> list[str]:
    parts: dict[tuple[str, str], list[str]] = {}
    for fact in replay.replayed(dialect):
        for name, why in fact.get("but", {}).items():
            parts.setdefault((name, why), []).append(fact["id"])
    lines = [f"- `{name}`: {why} ({_shortened(ids)})" for (name, why), ids in sorted(parts.items())]
    return [f"## {TITLES[dialect]}: parts of replayed facts that are not compared", "", *lines, ""]


def _shortened(ids: list[str]) -> str:
    """Return the ids with commas; three or more in a row are shortened to the first and the last number."""
    places = {each: place for place, each in enumerate(replay.recorded_ids())}
    runs: list[list[str]] = []
    for each in sorted(ids, key=places.__getitem__):
        last = runs[-1][-1] if runs else ""
        follows = runs and places[each] == places[last] + 1 and each.rpartition("-")[0] == last.rpartition("-")[0]
        if follows:
            runs[-1].append(each)
        else:
            runs.append([each])
    return ", ".join(f"{run[0]} to {run[-1][-3:]}" if len(run) > 2 else ", ".join(run) for run in runs)


if __name__ == "__main__":
    write()
