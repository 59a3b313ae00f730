"""Writes the times in the README from benchmarks/RESULTS.md."""

from __future__ import annotations

from collections.abc import Iterator

_HEADINGS = {"`requests`": "## One request\n", "boto3": "## One request of boto3\n"}
_CONTENDERS = ("fakestore", "moto", "bare callback")


def times_table(results: str) -> str:
    """Return a table of the times of a PUT and a GET, from the text of the results."""
    rows = [
        f"| {method} with {client} | {' | '.join(row.get(each, '') for each in _CONTENDERS)} |"
        for client, heading in _HEADINGS.items()
        for row in _rows(results.partition(heading)[2])
        if (method := row["request"]) in ("PUT", "GET")
    ]
    head = ["| Microseconds | fakestore | moto | bare `responses` callback |", "|---|---:|---:|---:|"]
    return "\n".join([*head, *rows, ""])


def _rows(text: str) -> Iterator[dict[str, str]]:
    """Yield the rows of the first table in a text, by the names in its head."""
    table = text[text.index("\n|") + 1 :].partition("\n\n")[0]
    head, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines())
    for row in rows:
        yield dict(zip(head, row, strict=True))
