"""Faults: what goes wrong with a request. ``store.fail(operation, fault)`` plans a fault.

If a fault does not fire for a request, it stays planned for the next matching request. Faults are immutable.

Example:
    >>> from fakestore import FakeStore, faults
    >>> store = FakeStore(buckets=["photos"])
    >>> store.fail("PUT Object", faults.ServiceError("SlowDown", retry_after=2), times=3)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from threading import TIMEOUT_MAX
from typing import ClassVar

from fakestore.errors import ERRORS, ErrorCode, ErrorResponse, UnsupportedRequest, find_code
from fakestore.http.message import ConnectionFailure, Delivery, Reply
from fakestore.messages import PLANNED_FAULT, check_types
from fakestore.model.content import SPARSE_MD5_LIMIT, sparse_size
from fakestore.service.fault_plan import DeliveryFault, Fault

__all__ = [
    "AfterCommit",
    "ConnectTimeout",
    "ConnectionReset",
    "CorruptedBody",
    "DuplicateEvent",
    "EmbeddedError",
    "Fault",
    "LateEvent",
    "Latency",
    "LostEvent",
    "ReadTimeout",
    "ServiceError",
    "TruncatedBody",
]


_OWN_CODES = " For a code of your own, use ServiceError with a status."


@dataclass(frozen=True, slots=True, repr=False)
class ServiceError(Fault):
    """The service answers with an error, and the operation is not performed.

    Example:
        >>> ServiceError("SlowDown", retry_after=2)
        ServiceError('SlowDown', retry_after=2)

    Args:
        code: The code, for example ``"SlowDown"``.
        status: The HTTP status, from 400 to 599. By default, the status that belongs to the code: 503 for ``SlowDown``.
        message: The message. By default, the message that belongs to the code, or the code itself if it is unknown.
        retry_after: The value of the header Retry-After in seconds. By default, the header is not sent.

    Raises:
        ValueError: If the code is unknown and `status` is missing, if `status` is not from 400 to 599, or if
            `retry_after` is negative.
    """

    code: str
    status: int | None = None
    message: str | None = None
    retry_after: int | None = None

    def __post_init__(self) -> None:
        if self.status is None or not isinstance(self.code, str):
            find_code(self.code, _OWN_CODES)
        check_types(self, ServiceError)
        if self.status is not None and not 400 <= self.status <= 599:
            raise ValueError(f"invalid status {self.status} of an error: use a number from 400 to 599")
        if self.retry_after is not None and self.retry_after < 0:
            raise ValueError(f"invalid retry_after {self.retry_after}: use 0 seconds or more")

    def respond(self) -> ErrorResponse:
        error = ERRORS.get(self.code) or ErrorCode(self.code, self.code)
        return ErrorResponse(
            error, self.message, explanation=PLANNED_FAULT, status=self.status, retry_after=self.retry_after
        )

    def __repr__(self) -> str:
        optional = {"status": self.status, "message": self.message, "retry_after": self.retry_after}
        others = "".join(f", {name}={value!r}" for name, value in optional.items() if value is not None)
        return f"ServiceError({self.code!r}{others})"


@dataclass(frozen=True, slots=True)
class EmbeddedError(Fault):
    """The reply has status 200 and an error in its body, and nothing is stored.

    Only "PUT Object Copy", "Upload Part Copy" and "Complete Multipart Upload" can have such a reply. If the store
    refuses the request, the fault does not fire.

    Example:
        >>> EmbeddedError("SlowDown")
        EmbeddedError(code='SlowDown', message=None)

    Args:
        code: The code of the error in the body.
        message: The message. By default, the message that belongs to the code.

    Raises:
        ValueError: If the code is unknown.
    """

    code: str = "InternalError"
    message: str | None = None

    def __post_init__(self) -> None:
        find_code(self.code, _OWN_CODES)
        check_types(self, EmbeddedError)

    @property
    def embedded_error(self) -> ErrorCode:
        return ERRORS[self.code] if self.message is None else ErrorCode(self.code, self.message)

    def applies_to(self, reply: Reply) -> bool:
        """Return whether the operation had begun."""
        return reply.status == 200


@dataclass(frozen=True, slots=True)
class _ConnectionFault(Fault):
    """The connection fails, and the operation is not performed."""

    _failure: ClassVar[ConnectionFailure]

    def respond(self) -> ConnectionFailure:
        return self._failure


class ConnectionReset(_ConnectionFault):
    """The request is sent, but not performed. The connection is reset before the reply."""

    __slots__ = ()
    _failure = ConnectionFailure.RESET


class ConnectTimeout(_ConnectionFault):
    """The connection is not made in time. Nothing of the request is sent.

    With ``store.serve()``, the client gets a read timeout instead, because it is already connected.
    """

    __slots__ = ()
    _failure = ConnectionFailure.CONNECT_TIMEOUT


class ReadTimeout(_ConnectionFault):
    """The request is sent, but not performed. The client gets a read timeout.

    An intercepted client gets the timeout even if the client has set none. A server of ``store.serve()`` closes the
    connection after 60 seconds, even if its ``timeout`` is longer or shorter.
    """

    __slots__ = ()
    _failure = ConnectionFailure.READ_TIMEOUT


@dataclass(frozen=True, slots=True)
class TruncatedBody(Fault):
    """The connection is lost after some bytes of the reply's body.

    If the body has at most `nbytes` bytes, the fault does not fire.

    Args:
        nbytes: The number of bytes that arrive.

    Raises:
        ValueError: If `nbytes` is negative.
    """

    nbytes: int

    def __post_init__(self) -> None:
        check_types(self, TruncatedBody)
        if self.nbytes < 0:
            raise ValueError(f"invalid nbytes {self.nbytes}: use 0 or more")

    def applies_to(self, reply: Reply) -> bool:
        """Return whether the body has more than `nbytes` bytes."""
        return len(reply.body) > self.nbytes

    def alter(self, reply: Reply) -> Delivery:
        """Return the reply and where its delivery ends."""
        return Delivery(reply, truncate_at=self.nbytes)


@dataclass(frozen=True, slots=True)
class CorruptedBody(Fault):
    """The first byte of the reply's body is changed. The headers, the length and the entity tag stay the same.

    If the reply has no body, the fault does not fire. If the body is sparse content that is too large for the memory,
    UnsupportedRequest is raised.
    """

    def applies_to(self, reply: Reply) -> bool:
        """Return whether the reply has a body."""
        return bool(reply.body)

    def alter(self, reply: Reply) -> Delivery:
        """Return the reply with its first byte changed.

        Raises:
            UnsupportedRequest: If the body is sparse content that is too large for the memory.
        """
        if sparse_size(reply.body) > SPARSE_MD5_LIMIT:
            raise UnsupportedRequest(
                f"CorruptedBody of {reply.body!r} would hold the body in memory; use at most {SPARSE_MD5_LIMIT:,} bytes"
            )
        body = bytes(reply.body)
        return Delivery(replace(reply, body=bytes([body[0] ^ 0xFF]) + body[1:]))


@dataclass(frozen=True, slots=True)
class Latency(Fault):
    """The operation is performed, and the reply is delayed. If the client's read timeout is shorter than the delay, the
    client gets a read timeout instead of the reply.

    The delay takes real time. To prevent this, use the option `sleep` of :func:`fakestore.fake_store`.

    ``store.exchanges`` has the reply even if the client got a read timeout.

    Args:
        seconds: The delay before the first byte of the reply, at most ``threading.TIMEOUT_MAX``.

    Raises:
        ValueError: If `seconds` is negative, too large, or not a number.
    """

    seconds: float

    def __post_init__(self) -> None:
        if not isinstance(self.seconds, int | float) or not 0 <= self.seconds <= TIMEOUT_MAX:
            raise ValueError(f"invalid latency {self.seconds!r}: use 0 to {TIMEOUT_MAX:,.0f} seconds")

    def alter(self, reply: Reply) -> Delivery:
        """Return the reply and its delay."""
        return Delivery(reply, delay=self.seconds)


@dataclass(frozen=True, slots=True)
class AfterCommit(Fault):
    """The operation is performed and its result is stored. Then the client gets `fault` instead of the reply.

    If the store refuses the request, the fault does not fire.

    Example:
        >>> AfterCommit(ConnectionReset())
        AfterCommit(fault=ConnectionReset())

    Args:
        fault: A ServiceError, ConnectionReset, ConnectTimeout or ReadTimeout.

    Raises:
        ValueError: If `fault` is of another class.
    """

    fault: ServiceError | ConnectionReset | ConnectTimeout | ReadTimeout

    def __post_init__(self) -> None:
        if not isinstance(self.fault, ServiceError | _ConnectionFault):
            raise ValueError(
                f"invalid fault {self.fault!r}: AfterCommit takes ServiceError, ConnectionReset, ConnectTimeout or"
                " ReadTimeout"
            )

    def applies_to(self, reply: Reply) -> bool:
        """Return whether the operation was performed."""
        return reply.status < 400

    def alter(self, reply: Reply) -> ErrorResponse | ConnectionFailure:
        """Return what the client sees instead of the reply."""
        return self.fault.respond()


class DuplicateEvent(DeliveryFault):
    """An event arrives twice. The service may do this, too.

    Example:
        >>> from fakestore import FakeStore, faults
        >>> store = FakeStore(buckets=["photos"])
        >>> store["photos"].on_event(lambda event: print(event["Records"][0]["eventName"]))
        >>> store.fail("delivery", faults.DuplicateEvent(), bucket="photos")
        >>> _ = store["photos"].put("cat.jpg", b"meow", notify=True)
        ObjectCreated:Put
        ObjectCreated:Put
    """

    __slots__ = ()
    copies = 2
    outcome = "delivered"

    def __repr__(self) -> str:
        return "DuplicateEvent()"


class LostEvent(DeliveryFault):
    """An event never arrives."""

    __slots__ = ()
    copies = 0
    outcome = "lost"

    def __repr__(self) -> str:
        return "LostEvent()"


class LateEvent(DeliveryFault):
    """An event arrives after the next event to the same destination, or when the store is left.

    The service promises no order.
    """

    __slots__ = ()
    is_late = True
    outcome = "not delivered yet"

    def __repr__(self) -> str:
        return "LateEvent()"
