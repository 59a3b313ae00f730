"""The fault plan: which fault, if any, applies to a request."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from fakestore.http.reply import Delivery, Reply
from fakestore.model.errors import ErrorCode, ErrorResponse
from fakestore.service.locks import new_lock


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that goes wrong with one request. The service applies it at one of three points."""

    def respond(self) -> ErrorResponse | Delivery | None:
        """Return what happens instead of the operation, or None if the operation is performed."""
        return None

    @property
    def embedded_error(self) -> ErrorCode | None:
        """The error that is embedded in the reply, so that nothing is applied; None for other faults."""
        return None

    def applies_to(self, reply: Reply) -> bool:
        """Return whether the fault can affect the reply. If not, it stays pending."""
        return True

    def alter(self, reply: Reply) -> ErrorResponse | tuple[Reply, Delivery]:
        """Return the altered reply after the operation was performed, or the error that replaces it."""
        return reply, Delivery()


@dataclass(frozen=True, slots=True)
class PlannedFault:
    """A fault, and the requests that it is planned for.

    Args:
        operation: The name of the operation; None for every one.
        fault: The fault.
        bucket: The bucket that a request must name; None for every one.
        key: The key that a request must name; None for every one.
        times: How many requests meet the fault; None for all.
        after: How many matching requests pass before.
    """

    operation: str | None
    fault: Fault
    bucket: str | None
    key: str | None
    times: int | None
    after: int

    def matches(self, operation: str, bucket: str | None, key: str | None) -> bool:
        """Return whether a request is one of those that the fault is planned for."""
        return self.operation in (None, operation) and self.bucket in (None, bucket) and self.key in (None, key)

    def __str__(self) -> str:
        """Return the call of ``store.fail`` that planned the fault, without default arguments."""
        arguments = (
            ("bucket", self.bucket, None),
            ("key", self.key, None),
            ("times", self.times, 1),
            ("after", self.after, 0),
        )
        others = "".join(f", {name}={value!r}" for name, value, default in arguments if value != default)
        return f"fail({self.operation!r}, {self.fault!r}{others})"


@dataclass(frozen=True, slots=True)
class PendingFault:
    """A planned fault that may still fire, and what has happened to it until now.

    Args:
        planned: The fault.
        passed: How many matching requests have passed before it.
        fired: How many requests have met it.
        missed: How many requests matched, but had nothing that it could affect.
    """

    planned: PlannedFault
    passed: int
    fired: int
    missed: int


@dataclass(frozen=True, slots=True)
class FiredFault:
    """A fault that a request has met.

    Args:
        fault: The fault.
        put_back: Returns the fault to its place in the plan, because it could not affect the request.
    """

    fault: Fault
    put_back: Callable[[], None]


@dataclass(slots=True, eq=False)
class _Entry:
    """A place in the plan, with the counters of :class:`PendingFault`."""

    planned: PlannedFault
    position: int
    passed: int = 0
    fired: int = 0
    missed: int = 0

    @property
    def is_pending(self) -> bool:
        return self.planned.times is None or self.fired < self.planned.times


class FaultPlan:
    """The planned faults, in order. The first one that matches and has let its first requests pass fires."""

    def __init__(self) -> None:
        self._entries: list[_Entry] = []
        self._lock = new_lock()
        self._added = 0

    def add(self, planned: PlannedFault) -> None:
        """Add a fault at the end of the plan."""
        with self._lock:
            self._added += 1
            self._entries.append(_Entry(planned, self._added))

    def next_fault(self, operation: str, bucket: str | None, key: str | None) -> FiredFault | None:
        """Return the fault that this request meets, and count it as fired."""
        if not self._entries:
            return None
        with self._lock:
            for entry in self._entries:
                planned = entry.planned
                if not planned.matches(operation, bucket, key):
                    continue
                if entry.passed < planned.after:
                    entry.passed += 1
                    continue
                entry.fired += 1
                if not entry.is_pending:
                    self._entries.remove(entry)
                return FiredFault(planned.fault, partial(self._put_back, entry))
        return None

    def _put_back(self, entry: _Entry) -> None:
        with self._lock:
            if not entry.is_pending:
                insort(self._entries, entry, key=lambda each: each.position)
            entry.fired -= 1
            entry.missed += 1

    def pending(self) -> list[PendingFault]:
        """Return the faults that may still fire."""
        with self._lock:
            return [PendingFault(each.planned, each.passed, each.fired, each.missed) for each in self._entries]

    def unfired(self) -> list[PendingFault]:
        """Return the faults that never fired, except those with ``times=None``."""
        return [each for each in self.pending() if not each.fired and each.planned.times is not None]

    def clear(self) -> None:
        """Remove all faults."""
        with self._lock:
            self._entries.clear()
