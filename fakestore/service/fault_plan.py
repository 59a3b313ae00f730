"""The fault plan: which fault, if any, applies to a request."""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass

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
        """The error that is embedded in the reply of a copy, before the copy is applied; None for other faults."""
        return None

    def applies_to(self, reply: Reply) -> bool:
        """Return whether the fault can affect the reply. If not, it stays pending."""
        return True

    def alter(self, reply: Reply) -> ErrorResponse | tuple[Reply, Delivery]:
        """Return what becomes of the reply after the operation was performed."""
        return reply, Delivery()


@dataclass(slots=True, eq=False)
class PlannedFault:
    """A fault that waits for its requests.

    Args:
        operation: The name of the operation; None for every one.
        fault: The fault.
        bucket: The bucket that a request must name; None for every one.
        key: The key that a request must name; None for every one.
        times: How many requests meet the fault; None for all.
        after: How many matching requests pass before.
        passed: How many have passed.
        fired: How many have met the fault.
        missed: How many matched, but had nothing that the fault could affect.
        position: The place in the plan.
    """

    operation: str | None
    fault: Fault
    bucket: str | None
    key: str | None
    times: int | None
    after: int
    passed: int = 0
    fired: int = 0
    missed: int = 0
    position: int = 0

    def matches(self, operation: str, bucket: str | None, key: str | None) -> bool:
        """Return whether a request may meet the fault."""
        return (
            self.operation in (None, operation)
            and self.bucket in (None, bucket)
            and self.key in (None, key)
            and self.is_pending
        )

    @property
    def is_pending(self) -> bool:
        """Whether the fault may still fire."""
        return self.times is None or self.fired < self.times

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


class FaultPlan:
    """The planned faults, in order. The first one that matches and has let its first requests pass fires."""

    def __init__(self) -> None:
        self._pending: list[PlannedFault] = []
        self._lock = new_lock()
        self._added = 0

    def add(self, planned: PlannedFault) -> None:
        """Add a fault at the end of the plan."""
        with self._lock:
            self._added += 1
            planned.position = self._added
            self._pending.append(planned)

    def next_fault(self, operation: str, bucket: str | None, key: str | None) -> PlannedFault | None:
        """Return the fault that this request meets, and count it as fired."""
        if not self._pending:
            return None
        with self._lock:
            for planned in self._pending:
                if not planned.matches(operation, bucket, key):
                    continue
                if planned.passed < planned.after:
                    planned.passed += 1
                    continue
                planned.fired += 1
                if not planned.is_pending:
                    self._pending.remove(planned)
                return planned
        return None

    def put_back(self, planned: PlannedFault) -> None:
        """Return a fault to the plan, because it could not affect the request that met it."""
        with self._lock:
            if not planned.is_pending:
                insort(self._pending, planned, key=lambda each: each.position)
            planned.fired -= 1
            planned.missed += 1

    def pending(self) -> list[PlannedFault]:
        """Return the faults that may still fire."""
        with self._lock:
            return list(self._pending)

    def unfired(self) -> list[PlannedFault]:
        """Return the faults that never fired, except those with ``times=None``."""
        return [planned for planned in self.pending() if not planned.fired and planned.times is not None]

    def clear(self) -> None:
        """Remove all faults."""
        with self._lock:
            self._pending.clear()
