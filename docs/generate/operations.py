"""Writes the tables of operations from the rows of the registry."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

import fakestore.operations  # noqa: F401  (fills the registry)
from fakestore.operations.core.authorization import Holder
from fakestore.operations.core.registry import Row, rows

_SCOPES = {"service": "The service", "bucket": "Buckets", "object": "Objects and uploads"}

_PAGE = """# Operations

This table is written by `python -m docs.generate` from the code that answers the requests.

- The *name* is what `store.fail` and `store.calls` take.
- The *action* is what a bucket policy names. Without a policy that decides, the requester needs what the column
  *required* says.

"""


def operations_page() -> str:
    """Return the page of the reference with all operations."""
    tables = (f"## {_SCOPES[scope]}\n\n{_table(rows)}" for scope, rows in _by_scope())
    return _PAGE + "\n".join(tables)


def summary_table() -> str:
    """Return a table with the names of all operations, for the README."""
    lines = [f"| {_SCOPES[scope]} | {_summary(rows)} |\n" for scope, rows in _by_scope()]
    return "| | Operations |\n|---|---|\n" + "".join(lines)


def _summary(rows: Iterable[Row]) -> str:
    """Return the names of operations. Those of one subject are joined, as in ``Object ACL (GET, PUT)``."""
    methods: dict[str, list[str]] = {}
    for row in rows:
        method, _, subject = row.name.partition(" ")
        if method == row.route.method:
            methods.setdefault(subject, []).append(method)
        else:
            methods[row.name] = []
    return ", ".join(
        f"{subject} ({', '.join(sorted(methods[subject]))})" if methods[subject] else subject
        for subject in sorted(methods)
    )


def _by_scope() -> list[tuple[str, list[Row]]]:
    by_scope = sorted(rows(), key=lambda row: list(_SCOPES).index(row.route.scope))
    return [(scope, list(group)) for scope, group in groupby(by_scope, key=lambda row: row.route.scope)]


def _table(rows: Iterable[Row]) -> str:
    lines = [f"| {row.name} | `{row.route}` | {_actions(row)} | {_required(row)} |\n" for row in rows]
    return "| Name | Request | Action | Required |\n|---|---|---|---|\n" + "".join(lines)


def _actions(row: Row) -> str:
    access = row.access
    if access is None:
        return "none" if row.is_public else "of each object"
    names = [access.action] if access.version is None else [access.action, access.version.action]
    return ", ".join(f"`{name}`" for name in names)


def _required(row: Row) -> str:
    access = row.access
    if access is None:
        return "nothing, not even credentials" if row.is_public else "of each object"
    requirement = access.requirement
    if requirement.holder is None:
        return "nothing"
    if requirement.permission is not None:
        return f"{requirement.permission.value} on the {requirement.holder.value}"
    return "owner of the bucket" if requirement.holder is Holder.BUCKET else "initiator of the upload"
