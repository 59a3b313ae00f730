"""Faults: what a test lets go wrong, instead of an operation or after it.

Each fault is an immutable value, and :meth:`fakestore.FakeStore.fail` plans when it happens.

Example:
    >>> from fakestore import FakeStore, faults
    >>> store = FakeStore(buckets=["photos"])
    >>> store.fail("GET Object", faults.TruncatedBody(100), key="cat.jpg")
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import TIMEOUT_MAX

from fakestore.http.messages import ConnectionFailure, Reply
from fakestore.messages import ASKED_FOR, did_you_mean
from fakestore.model.content import SPARSE_MD5_LIMIT, SparseContent
from fakestore.model.errors import ERRORS, ErrorCode, UnsupportedRequest
from fakestore.service.fault_plan import Fault


def _error_row(code: str, status: int | None, message: str | None) -> ErrorCode:
    """Return the row of the error table, with the given status and message in place of its own.

    Raises:
        ValueError: If the code is not in the table and no status is given, or the status is not 400 to 599.
    """
    if status is not None and not 400 <= status <= 599:
        raise ValueError(f"invalid status {status}: an error has a status from 400 to 599")
    known = ERRORS.get(code)
    if known is None and status is None:
        expected = f"expected one of {', '.join(ERRORS)}, or a status."
        raise ValueError(f"unknown error code {code!r}: {expected}{did_you_mean(code, ERRORS)}")
    if known is None:
        return ErrorCode(code, status or 0, code if message is None else message)
    return ErrorCode(code, known.status if status is None else status, known.message if message is None else message)


@dataclass(frozen=True, slots=True, repr=False)
class ServiceError(Fault):
    """The service answers with an error, and does nothing.

    Example:
        >>> ServiceError("SlowDown", retry_after=1)
        ServiceError('SlowDown', retry_after=1)

    Args:
        code: The error code.
        status: The status, 400 to 599. Unless given, it is that of the code.
        message: The message. Unless given, it is that of the code.
        retry_after: If given, the header Retry-After is sent with this number of seconds.

    Raises:
        ValueError: If the code is unknown and no status is given, or the status or `retry_after` is invalid.
    """

    code: str
    status: int | None = None
    message: str | None = None
    retry_after: int | None = None

    def __post_init__(self) -> None:
        _error_row(self.code, self.status, self.message)
        if self.retry_after is not None and self.retry_after < 0:
            raise ValueError(f"invalid retry_after {self.retry_after}: expected 0 seconds or more")

    def instead(self) -> Reply | None:
        refusal = _error_row(self.code, self.status, self.message)(explanation=ASKED_FOR)
        refusal.retry_after = self.retry_after
        raise refusal

    def __repr__(self) -> str:
        """Return the call that makes the fault, without defaults."""
        options = {name: getattr(self, name) for name in ("status", "message", "retry_after")}
        others = "".join(f", {name}={value!r}" for name, value in options.items() if value is not None)
        return f"ServiceError({self.code!r}{others})"


@dataclass(frozen=True, slots=True)
class EmbeddedError(Fault):
    """A copy fails after it has begun: the status is 200, the body is an error, and nothing is stored.

    It is for "PUT Object Copy" only. A copy that is refused before it begins does not count.

    Example:
        >>> from fakestore import FakeStore
        >>> FakeStore().fail("PUT Object Copy", EmbeddedError())

    Args:
        code: The error code, one of the error table.
        message: The message. Unless given, it is that of the code.

    Raises:
        ValueError: If the code is unknown.
    """

    code: str = "InternalError"
    message: str | None = None

    def __post_init__(self) -> None:
        _error_row(self.code, None, self.message)

    @property
    def interrupts(self) -> ErrorCode:
        return _error_row(self.code, None, self.message)

    def misses(self, reply: Reply, *, with_body: bool) -> bool:
        return reply.status != 200


class _NoResponse(Fault):
    __slots__ = ()

    def instead(self) -> Reply | None:
        return Reply(0, broken=_FAILURES[type(self)])


class ConnectionReset(_NoResponse):
    """The request is sent, and the connection is reset before the response."""

    __slots__ = ()


class ConnectTimeout(_NoResponse):
    """The client cannot connect within its timeout. Nothing of the request is sent, and nothing is done."""

    __slots__ = ()


class ReadTimeout(_NoResponse):
    """The request is sent, and no response comes in time, even if the client has set no timeout."""

    __slots__ = ()


_FAILURES: dict[type, ConnectionFailure] = {
    ConnectionReset: ConnectionFailure.RESET,
    ConnectTimeout: ConnectionFailure.CONNECT_TIMEOUT,
    ReadTimeout: ConnectionFailure.READ_TIMEOUT,
}


@dataclass(frozen=True, slots=True)
class TruncatedBody(Fault):
    """The connection is lost after some bytes of the response's body.

    A response whose body is not longer arrives complete and does not count.

    Args:
        nbytes: How many bytes arrive.

    Raises:
        ValueError: If `nbytes` is negative.
    """

    nbytes: int

    def __post_init__(self) -> None:
        if self.nbytes < 0:
            raise ValueError(f"invalid nbytes {self.nbytes}: expected 0 or more")

    def misses(self, reply: Reply, *, with_body: bool) -> bool:
        return not with_body or len(reply.body) <= self.nbytes

    def after(self, reply: Reply) -> Reply:
        reply.cut = self.nbytes
        return reply


class CorruptedBody(Fault):
    """The response's body arrives with its first byte changed. Headers, length and entity tag are not changed.

    A response without a body does not count.
    """

    __slots__ = ()

    def misses(self, reply: Reply, *, with_body: bool) -> bool:
        return not with_body or not reply.body

    def after(self, reply: Reply) -> Reply:
        if isinstance(reply.body, SparseContent) and reply.body.size > SPARSE_MD5_LIMIT:
            raise UnsupportedRequest(f"CorruptedBody of {reply.body}: sparse content is never held in memory")
        body = bytes(reply.body)
        reply.body = bytes([body[0] ^ 0xFF]) + body[1:]
        return reply


@dataclass(frozen=True, slots=True)
class Latency(Fault):
    """The operation is done, and the response takes some time. If the client's read timeout is shorter, it times out.

    The exchange is recorded with its response, even if that came too late. The option `sleep` of
    :func:`fakestore.fake_store` waits.

    Args:
        seconds: How long the response takes.

    Raises:
        ValueError: If `seconds` is negative, or more than a thread can wait.
    """

    seconds: float

    def __post_init__(self) -> None:
        if not 0 <= self.seconds <= TIMEOUT_MAX:
            raise ValueError(f"invalid latency {self.seconds}: expected 0 to {TIMEOUT_MAX:,.0f} seconds")

    def after(self, reply: Reply) -> Reply:
        reply.delay = self.seconds
        return reply


@dataclass(frozen=True, slots=True)
class AfterCommit(Fault):
    """The operation is done, and then the client sees another fault in place of the response.

    A request that the service refuses does not count, because nothing was done.

    Example:
        >>> AfterCommit(ReadTimeout()).fault
        ReadTimeout()

    Args:
        fault: A ServiceError, ConnectionReset, ConnectTimeout or ReadTimeout.

    Raises:
        ValueError: If `fault` is another fault.
    """

    fault: Fault

    def __post_init__(self) -> None:
        if not isinstance(self.fault, ServiceError | _NoResponse):
            raise ValueError(
                f"invalid fault {self.fault!r}: AfterCommit takes a ServiceError, ConnectionReset, ConnectTimeout or"
                " ReadTimeout"
            )

    def misses(self, reply: Reply, *, with_body: bool) -> bool:
        return reply.status >= 400

    def after(self, reply: Reply) -> Reply:
        return self.fault.instead() or reply
