"""Faults on demand: what goes wrong instead of, or after, an operation.

Given to ``store.fail(operation, fault)``; every fault is a frozen value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from threading import Lock

from fakestore.model.content import SPARSE_MD5_LIMIT, SparseContent
from fakestore.model.errors import ERRORS, ErrorCode, UnsupportedRequest
from fakestore.wire.messages import Break, Reply


class Fault:
    """Something that goes wrong with one request."""

    def instead(self) -> Reply | None:
        """What is answered in the operation's place, which then is not done; ``None`` lets it be done.

        Raises:
            Refusal: where the service refuses.
        """
        return None

    def after(self, reply: Reply) -> Reply:
        """What becomes of the reply, once the operation was done.

        Raises:
            Refusal: as :meth:`instead`.
        """
        return reply

    @property
    def interrupts(self) -> ErrorCode | None:
        """The error that a copy meets half-way, where this fault is one."""
        return None


def _row(code: str, status: int | None, message: str | None) -> ErrorCode:
    known = ERRORS.get(code)
    if known is None and status is None:
        raise ValueError(f"{code!r} is not in the error table, so it needs a status; the table has {', '.join(ERRORS)}")
    if known is None:
        return ErrorCode(code, status or 0, code if message is None else message)
    return ErrorCode(code, known.status if status is None else status, known.message if message is None else message)


@dataclass(frozen=True, slots=True)
class ServiceError(Fault):
    """The service answers with an error, and does nothing.

    Raises:
        ValueError: the code is not in the error table and no status is given.
    """

    code: str
    status: int | None = None
    message: str | None = None

    def __post_init__(self) -> None:
        _row(self.code, self.status, self.message)

    def instead(self) -> Reply | None:
        raise _row(self.code, self.status, self.message)(explanation=f"a fault that the test asked for: {self}")


@dataclass(frozen=True, slots=True)
class EmbeddedError(Fault):
    """A copy fails half-way: its 200 holds an error, and nothing is stored. For "PUT Object Copy" alone."""

    code: str = "InternalError"
    message: str | None = None

    @property
    def interrupts(self) -> ErrorCode:
        return _row(self.code, 500, self.message)


@dataclass(frozen=True, slots=True)
class _Broken(Fault):
    def instead(self) -> Reply | None:
        return Reply(0, broken=_BREAKS[type(self)])


@dataclass(frozen=True, slots=True)
class ConnectionReset(_Broken):
    """The request is sent, and the connection is reset before an answer."""


@dataclass(frozen=True, slots=True)
class ConnectTimeout(_Broken):
    """No connection is made; nothing of the request is sent."""


@dataclass(frozen=True, slots=True)
class ReadTimeout(_Broken):
    """The request is sent, and no answer comes in time; also where the client set no timeout."""


_BREAKS: dict[type, Break] = {
    ConnectionReset: Break.RESET,
    ConnectTimeout: Break.CONNECT_TIMEOUT,
    ReadTimeout: Break.READ_TIMEOUT,
}


@dataclass(frozen=True, slots=True)
class TruncatedBody(Fault):
    """The connection is lost after ``nbytes`` of the reply's body; a body no longer than that arrives whole.

    Raises:
        ValueError: ``nbytes`` is negative.
    """

    nbytes: int

    def __post_init__(self) -> None:
        if self.nbytes < 0:
            raise ValueError(f"a body is cut after 0 bytes or more, not {self.nbytes}")

    def after(self, reply: Reply) -> Reply:
        reply.cut = self.nbytes if self.nbytes < len(reply.body) else None
        return reply


@dataclass(frozen=True, slots=True)
class CorruptedBody(Fault):
    """The reply's body arrives with its first byte changed; headers, length and entity tag stay."""

    def after(self, reply: Reply) -> Reply:
        if isinstance(reply.body, SparseContent) and reply.body.size > SPARSE_MD5_LIMIT:
            raise UnsupportedRequest(f"CorruptedBody of {reply.body}: it would have to be held in memory")
        body = bytes(reply.body)
        reply.body = bytes([body[0] ^ 0xFF]) + body[1:] if body else b""
        return reply


@dataclass(frozen=True, slots=True)
class Latency(Fault):
    """The operation is done, and the answer takes ``seconds``; reaching the read timeout it becomes ReadTimeout.

    Raises:
        ValueError: ``seconds`` is negative.
    """

    seconds: float

    def __post_init__(self) -> None:
        if self.seconds < 0:
            raise ValueError(f"a latency is 0 seconds or more, not {self.seconds}")

    def after(self, reply: Reply) -> Reply:
        reply.delay = self.seconds
        return reply


@dataclass(frozen=True, slots=True)
class AfterCommit(Fault):
    """The operation is done, and then the client sees ``fault`` all the same.

    Raises:
        ValueError: ``fault`` is none that stands in a reply's place.
    """

    fault: Fault

    def __post_init__(self) -> None:
        if not isinstance(self.fault, ServiceError | _Broken):
            raise ValueError(
                f"{self.fault!r} lets the operation be done anyway; AfterCommit takes ServiceError, ConnectionReset,"
                " ConnectTimeout or ReadTimeout"
            )

    def after(self, reply: Reply) -> Reply:
        return self.fault.instead() or reply


@dataclass(slots=True)
class Planned:
    """A fault that waits for its requests."""

    operation: str | None
    fault: Fault
    bucket: str | None
    key: str | None
    times: int | None
    after: int
    fired: int = 0

    def matches(self, operation: str, bucket: str | None, key: str | None) -> bool:
        return (
            self.operation in (None, operation)
            and self.bucket in (None, bucket)
            and self.key in (None, key)
            and (self.times is None or self.fired < self.times)
        )

    def __str__(self) -> str:
        where = "".join(f", {name}={value!r}" for name, value in (("bucket", self.bucket), ("key", self.key)) if value)
        return f"fail({self.operation!r}, {self.fault!r}{where})"


class FaultPlan:
    """The faults asked for, in order; the first that matches and has let its first requests pass fires."""

    def __init__(self) -> None:
        self._planned: list[Planned] = []
        self._lock = Lock()

    def add(self, planned: Planned) -> None:
        with self._lock:
            self._planned.append(planned)

    def take(self, operation: str, bucket: str | None, key: str | None) -> Fault | None:
        """The fault that this request meets; counted."""
        if not self._planned:
            return None
        with self._lock:
            for planned in self._planned:
                if not planned.matches(operation, bucket, key):
                    continue
                if planned.after:
                    planned.after -= 1
                    continue
                planned.fired += 1
                return planned.fault
        return None

    def unfired(self) -> Iterator[Planned]:
        """Those that fired not once, but for those that were meant to stand by until the end."""
        return (planned for planned in self._planned if not planned.fired and planned.times is not None)

    def clear(self) -> None:
        self._planned.clear()
