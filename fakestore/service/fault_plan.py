"""The fault plan: which fault applies to a request, and when it acts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from fakestore.errors import ErrorCode, ErrorResponse
from fakestore.http.message import ConnectionFailure, Delivery, Reply
from fakestore.locks import new_lock
from fakestore.operations.framework.pipeline import PipelineCall
from fakestore.operations.framework.result import Result
from fakestore.service.rendering import Steps, embed, go_through, refuse


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


@dataclass(slots=True, eq=False, repr=False)
class PlannedFault:
    """A fault, the requests that it is planned for, and what has happened to it until now.

    An operation, a bucket or a key of None matches every request. The fault fires for `times` requests, or for all if
    it is None, when `after` matching requests have passed.
    """

    operation: str | None
    fault: Fault
    bucket: str | None
    key: str | None
    times: int | None
    after: int
    #: How many matching requests have passed before it.
    passed: int = 0
    #: How many requests have met it.
    fired: int = 0
    #: How many of these requests are not answered yet.
    under_way: int = 0
    #: How many requests matched, but could not be affected.
    missed: int = 0

    @property
    def may_fire(self) -> bool:
        return self.times is None or self.fired < self.times

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


class FaultPlan:
    """The planned faults, in order.

    A request meets the first fault that matches it, if ``after`` matching requests have already passed that fault.
    Otherwise the request passes that fault, and the next fault is examined.
    """

    def __init__(self) -> None:
        self._planned: list[PlannedFault] = []
        self._lock = new_lock()

    def add(self, planned: PlannedFault) -> None:
        with self._lock:
            self._planned.append(planned)

    def go_through_with_fault(self, steps: Steps, call: PipelineCall) -> Fault | None:
        """Take a request through the steps up to its reply, with the fault that it meets. Return the fault if it acts.

        A fault acts instead of the steps, or on their reply.
        """
        planned = self._next_fault(call.row.name, call.address.bucket, call.address.key)
        if planned is None:
            go_through(steps, call)
            return None
        fault = planned.fault
        replacement = fault.respond()
        if replacement is not None:
            self._settle(planned, acts=True)
            _deliver(call, replacement)
            return fault
        acts = False
        try:
            reply = _perform(fault, steps, call)
            acts = fault.applies_to(reply)
        finally:
            self._settle(planned, acts=acts)
        if not acts:
            return None
        _deliver(call, fault.alter(reply))
        return fault

    def _next_fault(self, operation: str, bucket: str | None, key: str | None) -> PlannedFault | None:
        with self._lock:
            for planned in self._planned:
                if not planned.may_fire or not planned.matches(operation, bucket, key):
                    continue
                if planned.passed < planned.after:
                    planned.passed += 1
                    continue
                planned.fired += 1
                planned.under_way += 1
                return planned
        return None

    def _settle(self, planned: PlannedFault, *, acts: bool) -> None:
        """Note whether a fault acts on a request that met it. If not, it may fire for another request."""
        with self._lock:
            planned.under_way -= 1
            if not acts:
                planned.fired -= 1
                planned.missed += 1
            self._planned = [each for each in self._planned if each.may_fire or each.under_way]

    def pending(self) -> list[PlannedFault]:
        """Return the faults that may still fire."""
        with self._lock:
            return [each for each in self._planned if each.may_fire]

    def unfired(self) -> list[PlannedFault]:
        """Return the faults that never fired, except those with ``times=None``."""
        return [each for each in self.pending() if not each.fired and each.times is not None]

    def clear(self) -> None:
        with self._lock:
            self._planned.clear()


def _deliver(call: PipelineCall, outcome: ErrorResponse | Delivery | ConnectionFailure) -> None:
    if isinstance(outcome, ErrorResponse):
        refuse(call, outcome)
    else:
        call.delivery = outcome


def _perform(fault: Fault, steps: Steps, call: PipelineCall) -> Reply:
    if fault.embedded_error is not None:
        call.perform = partial(_perform_on_copy, error=fault.embedded_error)
    go_through(steps, call)
    assert isinstance(call.delivery, Delivery)
    return call.delivery.reply


def _perform_on_copy(call: PipelineCall, error: ErrorCode) -> Result:
    """Perform the operation on a copy of the bucket, and return a reply with an embedded error.

    An error of the operation itself is not embedded. It answers the request.
    """
    if call.bucket is not None:
        call.bucket = call.bucket.copy()
    call.entry.operation.perform(call)
    return embed(call, error)
