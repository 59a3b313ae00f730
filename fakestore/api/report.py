"""The section of a store in the report of a failed test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import timedelta
from itertools import chain, islice
from typing import NamedTuple

from fakestore.messages import counted, escaped
from fakestore.service.fault_plan import PendingFault
from fakestore.service.journal import Exchange
from fakestore.service.service import Service

#: The most exchanges, lines of the tree, and names that the report of a failed test shows.
_LAST_EXCHANGES = 20
_MOST_LINES = 40
_MOST_NAMES = 8


class Baseline(NamedTuple):
    """The last exchange and the unhandled requests of a store when a test began."""

    last: Exchange | None
    unhandled_requests: tuple[Exception, ...]


def failure_report(service: Service, tree: str, moved: timedelta, baseline: Baseline | None) -> str:
    """Return the section of a store in the report of a failed test.

    Args:
        service: The service of the store.
        tree: What the store holds.
        moved: How far the store has moved the clock.
        baseline: What was there before the test and is left out, or None.
    """
    lines = _exchanges(service, None if baseline is None else baseline.last)
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


def _exchanges(service: Service, last: Exchange | None) -> list[str]:
    """Return the lines of the last exchanges, of those after `last` if it is still kept."""
    exchanges = service.journal.exchanges()
    index = next((index for index, exchange in enumerate(exchanges, 1) if exchange is last), None)
    since = exchanges[index:]
    of_test = "" if index is None else " of this test"
    shown = since[-_LAST_EXCHANGES:]
    older = len(since) - len(shown) + (exchanges.dropped if index is None else 0)
    title = f"last exchanges{of_test} ({older} older ones not shown):" if older else f"exchanges{of_test}:"
    has_threads = len({exchange.thread for exchange in shown}) > 1
    lines = [f"  [{escaped(each.thread)}] {each}" if has_threads else f"  {each}" for each in shown]
    return [title, *(lines or ["  none"])]


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
    """Return some of the names that were requested, and of those that are stored."""
    names = list(islice(dict.fromkeys(chain(sorted(filter(None, requested)), stored)), _MOST_NAMES + 1))
    shown = ", ".join(map(repr, names[:_MOST_NAMES])) or "none"
    return shown + (" and more" if len(names) > _MOST_NAMES else "")
