"""What the service knows of faults: what one may do to a request, and which requests meet which."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fakestore.http.messages import Reply
from fakestore.model.errors import ErrorCode
from fakestore.service.locks import new_lock


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that goes wrong with one request."""

    def instead(self) -> Reply | None:
        """What is answered in the operation's place, which then is not done; ``None`` lets it be done.

        Raises:
            ErrorResponse: where the service refuses.
        """
        return None

    def misses(self, reply: Reply, *, with_body: bool) -> bool:
        """Whether there is nothing in the reply that the fault could harm, so that it waits for another request.

        ``with_body`` is false of a reply whose body is not sent.
        """
        return False

    def after(self, reply: Reply) -> Reply:
        """What becomes of the reply, once the operation was done.

        Raises:
            ErrorResponse: as :meth:`instead`.
        """
        return reply

    @property
    def interrupts(self) -> ErrorCode | None:
        """The error that a copy meets half-way, where this fault is one."""
        return None


@dataclass(slots=True, eq=False)
class Planned:
    """A fault that waits for its requests."""

    operation: str | None
    fault: Fault
    bucket: str | None
    key: str | None
    times: int | None
    after: int
    passed: int = 0
    fired: int = 0
    missed: int = 0

    def matches(self, operation: str, bucket: str | None, key: str | None) -> bool:
        return (
            self.operation in (None, operation)
            and self.bucket in (None, bucket)
            and self.key in (None, key)
            and (self.times is None or self.fired < self.times)
        )

    def __str__(self) -> str:
        """The call that planned it, without what was left out."""
        named = (
            ("bucket", self.bucket, None),
            ("key", self.key, None),
            ("times", self.times, 1),
            ("after", self.after, 0),
        )
        others = "".join(f", {name}={value!r}" for name, value, default in named if value != default)
        return f"fail({self.operation!r}, {self.fault!r}{others})"


class FaultPlan:
    """The faults asked for, in order; the first that matches and has let its first requests pass fires.

    The lock is held where counts are compared and changed; the list itself only grows, one step at a time.
    """

    def __init__(self) -> None:
        self._planned: list[Planned] = []
        self._lock = new_lock()

    def add(self, planned: Planned) -> None:
        self._planned.append(planned)

    def take(self, operation: str, bucket: str | None, key: str | None) -> Planned | None:
        """The fault that this request meets; counted."""
        if not self._planned:
            return None
        with self._lock:
            for planned in self._planned:
                if not planned.matches(operation, bucket, key):
                    continue
                if planned.passed < planned.after:
                    planned.passed += 1
                    continue
                planned.fired += 1
                return planned
        return None

    def give_back(self, planned: Planned) -> None:
        """Count one that was taken as not fired, for there was nothing that it could do."""
        with self._lock:
            planned.fired -= 1
            planned.missed += 1

    def armed(self) -> Iterator[Planned]:
        """Those that may still fire."""
        return (planned for planned in self._planned if planned.times is None or planned.fired < planned.times)

    def unfired(self) -> Iterator[Planned]:
        """Those that fired not once, but for those that were meant to stand by until the end."""
        return (planned for planned in self._planned if not planned.fired and planned.times is not None)

    def clear(self) -> None:
        self._planned.clear()
