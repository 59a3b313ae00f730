"""Faults on demand: what goes wrong instead of, or after, an operation.

Given to ``store.fail(operation, fault)``; every fault is a frozen value.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import TIMEOUT_MAX

from fakestore.http.messages import ConnectionFailure, Reply
from fakestore.messages import ASKED_FOR, did_you_mean
from fakestore.model.content import SPARSE_MD5_LIMIT, SparseContent
from fakestore.model.errors import ERRORS, ErrorCode
from fakestore.model.unsupported import UnsupportedRequest
from fakestore.service.fault_plan import Fault


def _row(code: str, status: int | None, message: str | None) -> ErrorCode:
    """The error as the table has it, but for what is given.

    Raises:
        ValueError: a code that is not in the table and has no status, or a status that is none of an error.
        TypeError: a code or message that is no text, or a status that is no whole number.
    """
    if not isinstance(code, str) or not isinstance(message, str | None):
        raise TypeError(f"the code and the message of an error are text, not {code!r} and {message!r}")
    if status is not None and type(status) is not int:
        raise TypeError(f"the status of an error is a whole number, not {status!r}")
    if status is not None and not 400 <= status <= 599:
        raise ValueError(f"the status of an error is a number from 400 to 599, not {status}")
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
        ValueError: the code is not in the error table and no status is given; a status that is none of an error, 400
            to 599; or ``retry_after`` is negative.
        TypeError: a value of another kind.
    """

    code: str
    status: int | None = None
    message: str | None = None
    retry_after: int | None = None

    def __post_init__(self) -> None:
        _row(self.code, self.status, self.message)
        if self.retry_after is not None and type(self.retry_after) is not int:
            raise TypeError(f"retry_after is a whole number of seconds, not {self.retry_after!r}")
        if self.retry_after is not None and self.retry_after < 0:
            raise ValueError(f"retry_after is 0 seconds or more, not {self.retry_after}")

    def instead(self) -> Reply | None:
        raise _row(self.code, self.status, self.message).error(explanation=ASKED_FOR, retry_after=self.retry_after)

    def __repr__(self) -> str:
        """The call that makes it, without what was left out."""
        given = {name: getattr(self, name) for name in ("status", "message", "retry_after")}
        others = "".join(f", {name}={value!r}" for name, value in given.items() if value is not None)
        return f"ServiceError({self.code!r}{others})"


@dataclass(frozen=True, slots=True)
class EmbeddedError(Fault):
    """A copy fails half-way: its 200 holds an error, and nothing is stored. For "PUT Object Copy" alone.

    A copy that is refused before it begins does not meet it.

    Raises:
        ValueError: the code is not in the error table.
        TypeError: a code or message that is no text.
    """

    code: str = "InternalError"
    message: str | None = None

    def __post_init__(self) -> None:
        _row(self.code, None, self.message)

    @property
    def interrupts(self) -> ErrorCode:
        return _row(self.code, None, self.message)

    def misses(self, reply: Reply, *, with_body: bool) -> bool:
        return reply.status != 200


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


_BREAKS: dict[type, ConnectionFailure] = {
    ConnectionReset: ConnectionFailure.RESET,
    ConnectTimeout: ConnectionFailure.CONNECT_TIMEOUT,
    ReadTimeout: ConnectionFailure.READ_TIMEOUT,
}


@dataclass(frozen=True, slots=True)
class TruncatedBody(Fault):
    """The connection is lost after ``nbytes`` of the reply's body.

    A body no longer than that arrives whole, and the fault waits for another.

    Raises:
        ValueError: ``nbytes`` is negative.
        TypeError: ``nbytes`` is no whole number.
    """

    nbytes: int

    def __post_init__(self) -> None:
        if type(self.nbytes) is not int:
            raise TypeError(f"a body is cut after a whole number of bytes, not {self.nbytes!r}")
        if self.nbytes < 0:
            raise ValueError(f"a body is cut after 0 bytes or more, not {self.nbytes}")

    def misses(self, reply: Reply, *, with_body: bool) -> bool:
        return not with_body or len(reply.body) <= self.nbytes

    def after(self, reply: Reply) -> Reply:
        reply.cut = self.nbytes
        return reply


class CorruptedBody(Fault):
    """The reply's body arrives with its first byte changed; headers, length and entity tag stay.

    Where a reply has no body the fault waits for another.
    """

    __slots__ = ()

    def misses(self, reply: Reply, *, with_body: bool) -> bool:
        return not with_body or not reply.body

    def after(self, reply: Reply) -> Reply:
        if isinstance(reply.body, SparseContent) and reply.body.size > SPARSE_MD5_LIMIT:
            raise UnsupportedRequest(f"CorruptedBody of {reply.body}: it would have to be held in memory")
        body = bytes(reply.body)
        reply.body = bytes([body[0] ^ 0xFF]) + body[1:]
        return reply


@dataclass(frozen=True, slots=True)
class Latency(Fault):
    """The operation is done, and the answer takes ``seconds``; reaching the read timeout it becomes ReadTimeout.

    The journal has the reply also where it came too late.

    Raises:
        ValueError: ``seconds`` is negative, no number, or more than can be waited.
        TypeError: ``seconds`` is of another kind.
    """

    seconds: float

    def __post_init__(self) -> None:
        if not isinstance(self.seconds, int | float) or isinstance(self.seconds, bool):
            raise TypeError(f"a latency is a number of seconds, not {self.seconds!r}")
        if not 0 <= self.seconds <= TIMEOUT_MAX:
            raise ValueError(f"a latency is 0 seconds or more, and at most {TIMEOUT_MAX:,.0f}, not {self.seconds}")

    def after(self, reply: Reply) -> Reply:
        reply.delay = self.seconds
        return reply


@dataclass(frozen=True, slots=True)
class AfterCommit(Fault):
    """The operation is done, and then the client sees ``fault`` all the same.

    A request that is answered with the status of an error, so that nothing was done, does not meet it.

    Raises:
        ValueError: ``fault`` is none that stands in a reply's place.
        TypeError: ``fault`` is no fault.
    """

    fault: Fault

    def __post_init__(self) -> None:
        if not isinstance(self.fault, Fault):
            raise TypeError(f"AfterCommit takes a fault, such as ConnectionReset(), not {self.fault!r}")
        if not isinstance(self.fault, ServiceError | _Broken):
            raise ValueError(
                f"{self.fault!r} lets the operation be done anyway; AfterCommit takes ServiceError, ConnectionReset,"
                " ConnectTimeout or ReadTimeout"
            )

    def misses(self, reply: Reply, *, with_body: bool) -> bool:
        return reply.status >= 400

    def after(self, reply: Reply) -> Reply:
        return self.fault.instead() or reply
