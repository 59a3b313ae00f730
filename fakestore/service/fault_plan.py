"""The fault plan: which fault a request meets, and how often each fault may fire."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

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


#: The name that stands for the delivery of an event, in place of the name of an operation.
DELIVERY = "delivery"


class DeliveryFault(Fault):
    """The base class of the faults of a delivery.

    Attributes:
        copies: How often the event arrives.
        is_late: Whether the event arrives only after the next event to the same destination.
        outcome: What becomes of the event until then.
    """

    __slots__ = ()
    copies: ClassVar[int] = 1
    is_late: ClassVar[bool] = False
    outcome: ClassVar[str]


@dataclass(slots=True, eq=False, repr=False)
class PlannedFault:
    """A fault, the requests that it is planned for, and what has happened to it until now.

    An operation, a bucket or a key of None matches every request. Only the operation DELIVERY matches deliveries of
    events. The fault fires for `times` requests, or for all if it is None, when `after` matching requests have passed.
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
    #: The name of the operation as the test wrote it.
    written_name: str | None = None

    @property
    def may_fire(self) -> bool:
        return self.times is None or self.fired < self.times

    def matches(self, operation: str, bucket: str | None, key: str | None) -> bool:
        is_same = self.operation == operation or (self.operation is None and operation != DELIVERY)
        return is_same and self.bucket in (None, bucket) and self.key in (None, key)

    def __str__(self) -> str:
        """Return the call of ``store.fail`` that planned the fault, without default arguments."""
        arguments = (
            ("bucket", self.bucket, None),
            ("key", self.key, None),
            ("times", self.times, 1),
            ("after", self.after, 0),
        )
        others = "".join(f", {name}={value!r}" for name, value, default in arguments if value != default)
        return f"fail({(self.written_name or self.operation)!r}, {self.fault!r}{others})"


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

    def meet(self, operation: str, bucket: str | None, key: str | None) -> PlannedFault | None:
        """Return the fault that a request meets, or None. :meth:`settle` must follow."""
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

    def settle(self, planned: PlannedFault, *, acts: bool) -> None:
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
