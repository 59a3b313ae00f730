"""Faults on demand: what goes wrong instead of, or after, an operation.

Given to ``store.fail(operation, fault)``; every fault is a frozen value.
"""

from __future__ import annotations

from dataclasses import dataclass

from fakestore.fault_plan import Fault
from fakestore.model.content import SPARSE_MD5_LIMIT, SparseContent
from fakestore.model.errors import ERRORS, ErrorCode, UnsupportedRequest
from fakestore.wire.messages import Break, Reply
from fakestore.wording import did_you_mean


def _row(code: str, status: int | None, message: str | None) -> ErrorCode:
    known = ERRORS.get(code)
    if known is None and status is None:
        there = f"the table has {', '.join(ERRORS)}.{did_you_mean(code, ERRORS)}"
        raise ValueError(f"{code!r} is not in the error table, so it needs a status; {there}")
    if known is None:
        return ErrorCode(code, status or 0, code if message is None else message)
    return ErrorCode(code, known.status if status is None else status, known.message if message is None else message)


@dataclass(frozen=True, slots=True, repr=False)
class ServiceError(Fault):
    """The service answers with an error, and does nothing; ``retry_after`` seconds stand in Retry-After.

    Raises:
        ValueError: the code is not in the error table and no status is given.
    """

    code: str
    status: int | None = None
    message: str | None = None
    retry_after: int | None = None

    def __post_init__(self) -> None:
        _row(self.code, self.status, self.message)

    def instead(self) -> Reply | None:
        refusal = _row(self.code, self.status, self.message)(explanation="a fault that the test asked for")
        refusal.retry_after = self.retry_after
        raise refusal

    def __repr__(self) -> str:
        """The call that makes it, without what was left out."""
        given = {name: getattr(self, name) for name in ("status", "message", "retry_after")}
        others = "".join(f", {name}={value!r}" for name, value in given.items() if value is not None)
        return f"ServiceError({self.code!r}{others})"


@dataclass(frozen=True, slots=True)
class EmbeddedError(Fault):
    """A copy fails half-way: its 200 holds an error, and nothing is stored. For "PUT Object Copy" alone."""

    code: str = "InternalError"
    message: str | None = None

    @property
    def interrupts(self) -> ErrorCode:
        return _row(self.code, 500, self.message)


class _Broken(Fault):
    __slots__ = ()

    def instead(self) -> Reply | None:
        return Reply(0, broken=_BREAKS[type(self)])


class ConnectionReset(_Broken):
    """The request is sent, and the connection is reset before an answer."""

    __slots__ = ()


class ConnectTimeout(_Broken):
    """No connection is made; nothing of the request is sent."""

    __slots__ = ()


class ReadTimeout(_Broken):
    """The request is sent, and no answer comes in time; also where the client set no timeout."""

    __slots__ = ()


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


class CorruptedBody(Fault):
    """The reply's body arrives with its first byte changed; headers, length and entity tag stay."""

    __slots__ = ()

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
