"""The section of a store in the report of a failed test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import timedelta
from itertools import chain, groupby, islice
from typing import NamedTuple

from fakestore.messages import counted, escaped
from fakestore.model.lifecycle import LifecycleEffect
from fakestore.service.fault_plan import PendingFault
from fakestore.service.journal import Exchange, JournalEntry, UninterceptedRequest
from fakestore.service.service import Service

#: The maximum number of exchanges, lines of the tree, and names in the report of a failed test.
_LAST_EXCHANGES = 20
_MOST_LINES = 40
_MOST_NAMES = 8


class Baseline(NamedTuple):
    """The last entry of the journal and the unhandled requests of a store when a test began."""

    last: JournalEntry | None
    unhandled_requests: tuple[Exception, ...]


def failure_report(service: Service, tree: str, moved: timedelta, baseline: Baseline | None) -> str:
    """Return the section of a store in the report of a failed test.

    Args:
        service: The service of the store.
        tree: The contents of the store.
        moved: How far the store has moved the clock.
        baseline: The state before the test, which is left out, or None.
    """
    lines = _journal(service, None if baseline is None else baseline.last)
    if moved:
        lines.append(f"  clock: moved by store.travel(), {_signed(moved)}")
    earlier = () if baseline is None else baseline.unhandled_requests
    unhandled = Counter(str(each) for each in service.unhandled_requests if not any(each is one for one in earlier))
    for error, count in unhandled.items():
        lines.append(f"  unhandled request{f' ({count} times)' if count > 1 else ''}: {escaped(error)}")
    lines += [f"  pending: {describe_pending(each, service)}" for each in service.faults.pending()]
    tree_lines = tree.splitlines()
    lines += ["contents:", *(f"  {line}" for line in tree_lines[:_MOST_LINES])]
    if len(tree_lines) > _MOST_LINES:
        lines.append(f"  ... and {counted(len(tree_lines) - _MOST_LINES, 'more line')}; see store.describe()")
    return "\n".join(lines)


def _signed(moved: timedelta) -> str:
    return f"{moved} ahead" if moved > timedelta() else f"{-moved} back"


def _journal(service: Service, last: JournalEntry | None) -> list[str]:
    """Return the lines of the last entries of the journal. If `last` is still kept, only later entries count."""
    entries = service.journal.entries()
    index = next((index for index, entry in enumerate(entries, 1) if entry is last), None)
    of_test = "" if index is None else " of this test"
    groups = [list(group) for _, group in groupby(entries[index:], key=_series)]
    shown = groups[-_LAST_EXCHANGES:]
    older = sum(map(len, groups[:-_LAST_EXCHANGES])) + (service.journal.exchanges().dropped if index is None else 0)
    title = f"last exchanges{of_test} ({older} older ones not shown):" if older else f"exchanges{of_test}:"
    has_threads = len({entry.thread for entry, *_ in shown if isinstance(entry, Exchange)}) > 1
    return [title, *(f"  {_line(group, has_threads=has_threads)}" for group in shown)] if shown else [title, "  none"]


def _series(entry: JournalEntry) -> object:
    """Return a value that all entries in one line of the report have in common."""
    if isinstance(entry, Exchange):
        return entry
    if isinstance(entry, UninterceptedRequest):
        return entry.explanation
    kinds = map(bool, (entry.created, entry.removed, entry.upload_id))
    return entry.bucket, entry.rule, entry.storage_class, *kinds


def _line(group: Sequence[JournalEntry], *, has_threads: bool) -> str:
    """Return the line of entries in one line of the report."""
    entry, *others = group
    if isinstance(entry, Exchange) and has_threads:
        return f"[{escaped(entry.thread)}] {entry}"
    if not others:
        return str(entry)
    if isinstance(entry, UninterceptedRequest):
        return str(entry).replace(":", f" ({len(group)} times):", 1)
    keys = [other.key for other in others if isinstance(other, LifecycleEffect)]
    return f"{entry}; and {len(others)} more: {_some_names(keys, ())}"


def describe_pending(pending: PendingFault, service: Service) -> str:
    """Return a planned fault, and how often it has fired or why it has not."""
    if not pending.fired:
        return f"{pending.planned}: {_explain_unfired(pending, service)}"
    times = pending.planned.times
    fired = counted(pending.fired, "time") if times is None else f"{pending.fired} of {times} times"
    return f"{pending.planned}: fired {fired}"


def _explain_unfired(pending: PendingFault, service: Service) -> str:
    if pending.missed:
        pronoun = "it" if pending.missed == 1 else "them"
        return (
            f"{counted(pending.missed, 'request')} matched, but the store refused {pronoun},"
            f" or the fault could not change the reply"
        )
    planned = pending.planned
    if pending.passed:
        pronoun = "it" if pending.passed == 1 else "them"
        return f"{counted(pending.passed, 'request')} matched, but after={planned.after} let {pronoun} pass"
    exchanges = service.journal.exchanges()
    matching = [exchange for exchange in exchanges if exchange.operation is not None]
    if not matching:
        return "the journal has dropped all requests" if exchanges.dropped else "the store got no request"
    buckets = service.state.buckets
    keys = chain.from_iterable(bucket for name, bucket in sorted(buckets.items()) if planned.bucket in (None, name))
    description = "recorded request" if exchanges.dropped else "request"
    for field, name, stored in (
        ("bucket", planned.bucket, sorted(buckets)),
        ("key", planned.key, keys),
        ("operation", planned.operation, ()),
    ):
        if name is not None:
            names = {getattr(exchange, field) for exchange in matching}
            matching = [exchange for exchange in matching if getattr(exchange, field) == name]
            if not matching:
                label = "requested" if field == "operation" else "known"
                return f"no {description} has {field} {name!r}; {label}: {_some_names(names, stored)}"
            description += f" with {field} {name!r}"
    return "every matching request came before store.fail(), or an earlier fault fired instead"


def _some_names(requested: Iterable[str | None], stored: Iterable[str]) -> str:
    """Return some of the requested names, and some of the stored names."""
    names = list(islice(dict.fromkeys(chain(sorted(filter(None, requested)), stored)), _MOST_NAMES + 1))
    shown = ", ".join(map(repr, names[:_MOST_NAMES])) or "none"
    return shown + (" and more" if len(names) > _MOST_NAMES else "")
