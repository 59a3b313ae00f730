"""The fault plan: which fault, if any, applies to a request."""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass
from typing import NamedTuple

from fakestore.errors import ErrorCode, ErrorResponse
from fakestore.http.message import ConnectionFailure, Delivery, Reply
from fakestore.locks import new_lock


class Fault:
    """The base class of all faults. Pass an instance of a subclass to ``store.fail``."""

    __slots__ = ()

    def respond(self) -> ErrorResponse | ConnectionFailure | None:
        """Return the outcome that replaces the operation, or None if the operation is performed."""
        return None

    @property
    def embedded_error(self) -> ErrorCode | None:
        """The error that is embedded in the reply, so that nothing is applied; None for other faults."""
        return None

    def applies_to(self, reply: Reply) -> bool:
        """Return whether the fault can affect the reply. If not, it stays pending."""
        return True

    def alter(self, reply: Reply) -> ErrorResponse | Delivery | ConnectionFailure:
        """Return how the reply is delivered after the operation was performed, or what replaces it."""
        return Delivery(reply)


class PlannedFault(NamedTuple):
    """A fault, and the requests that it is planned for.

    Args:
        operation: The name of the operation; None for every operation.
        bucket: The bucket that a request must name; None for any request.
        key: The key that a request must name; None for any request.
        times: How many requests meet the fault; None for all.
        after: How many matching requests pass before the fault fires.
    """

    operation: str | None
    fault: Fault
    bucket: str | None
    key: str | None
    times: int | None
    after: int

    def matches(self, operation: str, bucket: str | None, key: str | None) -> bool:
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


@dataclass(slots=True, eq=False, repr=False)
class PendingFault:
    """A place in the plan, and what has happened to its fault until now.

    Args:
        passed: How many matching requests have passed before it.
        fired: How many requests have met it.
        missed: How many requests matched, but could not be affected.
    """

    planned: PlannedFault
    position: int
    passed: int = 0
    fired: int = 0
    missed: int = 0

    @property
    def may_fire(self) -> bool:
        return self.planned.times is None or self.fired < self.planned.times


class FaultPlan:
    """The planned faults, in order.

    A request meets the first fault that matches it, if ``after`` matching requests have already passed that fault.
    Otherwise the request passes that fault, and the next fault is examined.
    """

    def __init__(self) -> None:
        self._pending: list[PendingFault] = []
        self._lock = new_lock()
        self._added = 0
        self._cleared = 0

    def add(self, planned: PlannedFault) -> None:
        with self._lock:
            self._added += 1
            self._pending.append(PendingFault(planned, self._added))

    def next_fault(self, operation: str, bucket: str | None, key: str | None) -> PendingFault | None:
        """Return the fault that this request meets, and count it as fired."""
        if not self._pending:
            return None
        with self._lock:
            for pending in self._pending:
                planned = pending.planned
                if not planned.matches(operation, bucket, key):
                    continue
                if pending.passed < planned.after:
                    pending.passed += 1
                    continue
                pending.fired += 1
                if not pending.may_fire:
                    self._pending.remove(pending)
                return pending
        return None

    def put_back(self, pending: PendingFault) -> None:
        """Return a fault to its place in the plan, because it could not affect the request that met it.

        If the plan was cleared meanwhile, the fault stays removed.
        """
        with self._lock:
            if not pending.may_fire and pending.position > self._cleared:
                insort(self._pending, pending, key=lambda each: each.position)
            pending.fired -= 1
            pending.missed += 1

    def pending(self) -> list[PendingFault]:
        """Return the faults that may still fire."""
        with self._lock:
            return list(self._pending)

    def unfired(self) -> list[PendingFault]:
        """Return the faults that never fired, except those with ``times=None``."""
        return [each for each in self.pending() if not each.fired and each.planned.times is not None]

    def clear(self) -> None:
        with self._lock:
            self._pending.clear()
            self._cleared = self._added
