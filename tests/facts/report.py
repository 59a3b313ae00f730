"""Writes ``docs/facts.md``: how many of the recorded facts are replayed, and why the others are not.

Run it as ``python -m tests.facts.report``. A test fails if the page is out of date.
"""

from __future__ import annotations

from pathlib import Path

from tests.facts import replay

PAGE = Path(__file__).parents[2] / "docs" / "facts.md"
KINDS = ("not supported", "contradicts the specification")

_HEAD = """\
# The recorded facts, and how many of them are replayed

Written by `python -m tests.facts.report`; a test fails if this page is out of date.

If the specification is silent, fakestore answers as the best known real service of this kind was recorded to answer:
in 2026 (a few in 2023), by the LocalStack project, whose snapshots are under the Apache License 2.0. Only facts were
used. `tests/facts/` holds the facts of these topics as data and replays them; `tests/facts/replay.py` describes the
form of an entry.
"""

_BETWEEN = """\
A fact is left out if the specification contradicts it, because the specification wins, or if fakestore does not
support its subject. For most of the latter, one request stands for all facts with the same subject and must raise
`UnsupportedRequest`: {requests} requests for {facts} of the facts that are not supported. {partly} replayed facts
contradict the specification in a part, which is listed at the end.

Checksums, default encryption and the client's `encoding-type` belong to the recording account or its client, and are
left out everywhere. If a part of a replayed fact is not compared, its entry says so under `but`.
"""


def page() -> str:
    """Return the text of the page."""
    sizes = [len(group["ids"]) for group in replay.load("left_out") if "request" in group]
    parts = [fact.get("but", {}) for topic in replay.topics() for fact in replay.load(topic)]
    partly = sum(any(why.startswith("contradicts") for why in but.values()) for but in parts)
    between = _BETWEEN.format(requests=len(sizes), facts=sum(sizes), partly=partly)
    return "\n".join([_HEAD, *_table(), "", between, *_reasons(), *_parts()])


def write() -> None:
    PAGE.write_text(page())


def _table() -> list[str]:
    left_out = [(each, group["kind"]) for group in replay.load("left_out") for each in group["ids"]]
    rows = []
    for topic in replay.topics():
        of_topic = [kind for each, kind in left_out if each.rpartition("-")[0] == topic]
        replayed = len(replay.load(topic))
        rows.append([topic, replayed + len(of_topic), replayed, *(of_topic.count(kind) for kind in KINDS)])
    sums = ["all", *(sum(row[column] for row in rows) for column in range(1, len(rows[0])))]
    head = ["topic", "recorded", "replayed", *KINDS]
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows, sums]
    return [f"| {' | '.join(map(str, line))} |" for line in lines]


def _reasons() -> list[str]:
    lines = []
    for kind in KINDS:
        by_reason: dict[str, list[str]] = {}
        for group in replay.load("left_out"):
            if group["kind"] == kind:
                by_reason.setdefault(group["reason"], []).extend(group["ids"])
        if by_reason:
            lines += [f"## Left out: {kind}", ""]
            lines += [f"- {reason} ({_shortened(ids)})" for reason, ids in sorted(by_reason.items())]
            lines.append("")
    return lines


def _parts() -> list[str]:
    parts: dict[tuple[str, str], list[str]] = {}
    for topic in replay.topics():
        for fact in replay.load(topic):
            for name, why in fact.get("but", {}).items():
                parts.setdefault((name, why), []).append(fact["id"])
    lines = [f"- {name}: {why} ({_shortened(ids)})" for (name, why), ids in sorted(parts.items())]
    return ["## Not compared in facts that are replayed", "", *lines, ""]


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
