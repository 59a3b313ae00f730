"""What was asked and answered, in order, in a bounded amount of memory."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterable
from datetime import datetime
from threading import Lock
from typing import NamedTuple

from fakestore.http.messages import Headers, Request
from fakestore.messages import counted
from fakestore.model.accounts import Account
from fakestore.model.content import Content, SparseContent
from fakestore.service.fault_plan import Fault

#: How many exchanges are kept; older ones are dropped and counted.
KEPT = 2000
#: Bodies up to this many bytes are kept whole, larger ones by size and MD5.
KEPT_BODY = 2048


class BodyDigest(NamedTuple):
    """What is kept of a large body: its size in bytes, and its MD5 as hex, or its multipart-style tag.

    Of a part of sparse content neither is computed, and ``md5`` is empty.
    """

    size: int
    md5: str


Recorded = bytes | BodyDigest


def recorded(body: Content, digest: str | None = None) -> Recorded:
    """What is kept of a body; ``digest`` where it is known already."""
    if isinstance(body, bytes) and len(body) <= KEPT_BODY:
        return body
    if digest is None:
        digest = "" if isinstance(body, SparseContent) else hashlib.md5(body, usedforsecurity=False).hexdigest()
    return BodyDigest(len(body), digest)


class SentRequest(NamedTuple):
    """A request as it was sent.

    ``body`` is ``None`` where the store did not come to read it.
    """

    method: str
    url: str
    headers: Headers
    body: Recorded | None


class SentReply(NamedTuple):
    """A reply as it was sent; names of headers are in lower case."""

    status: int
    headers: Headers
    body: Recorded


class Exchange:
    """One request and what came of it.

    ``operation`` is ``None`` where the request was refused before it was known, ``account`` where nobody was
    authenticated. ``version_id`` is the version that was written, read or deleted. ``status`` and ``reply`` are
    ``None`` where the connection failed. ``explanation`` says in plain words why the service refused; it is never
    sent. ``interim`` holds the interim statuses sent before: ``(100,)`` or nothing.
    """

    __slots__ = (
        "_reply",
        "_request",
        "_request_body",
        "account",
        "bucket",
        "error_code",
        "explanation",
        "fault",
        "interim",
        "key",
        "operation",
        "time",
        "version_id",
    )

    def __init__(self, request: Request, time: datetime) -> None:
        self._request = (request.method, request.scheme, request.host, request.target, request.headers)
        self._request_body: Recorded | None = None
        self.time = time
        self.operation: str | None = None
        self.account: Account | None = None
        self.bucket: str | None = None
        self.key: str | None = None
        self.version_id: str | None = None
        self.error_code: str | None = None
        self.explanation: str | None = None
        self.fault: Fault | None = None
        self.interim: tuple[int, ...] = ()
        self._reply: tuple[int, dict[str, str], Recorded] | None = None

    def keep_body(self, body: Recorded) -> None:
        """Note the request's body, once the store has read it."""
        self._request_body = body

    def keep_reply(self, status: int, headers: dict[str, str], body: Recorded) -> None:
        """Note the reply, once it is complete."""
        self._reply = status, headers, body

    @property
    def request(self) -> SentRequest:
        method, scheme, host, target, headers = self._request
        return SentRequest(method, f"{scheme}://{host}{target}", headers, self._request_body)

    @property
    def reply(self) -> SentReply | None:
        if self._reply is None:
            return None
        status, headers, body = self._reply
        return SentReply(status, Headers(headers.items()), body)

    @property
    def status(self) -> int | None:
        return self._reply[0] if self._reply else None

    def __str__(self) -> str:
        method, _, host, target, _ = self._request
        answer = str(self.status) if self._reply else "no answer"
        line = f"{method} {host}{target} -> {answer}"
        if self.error_code:
            line += f" {self.error_code}"
        if self.account is not None:
            line += f" (as {self.account})"
        if self.fault is not None:
            line += f" [{self.fault!r}]"
        return f"{line}: {self.explanation}" if self.explanation else line

    def __repr__(self) -> str:
        return f"<Exchange {self}>"


class Exchanges(tuple[Exchange, ...]):
    """Exchanges in order of their answers; equal to a tuple or a list of the same.

    ``dropped`` is how many older ones of the store were not kept.
    """

    dropped: int

    def __new__(cls, exchanges: Iterable[Exchange], dropped: int) -> Exchanges:
        made = super().__new__(cls, exchanges)
        made.dropped = dropped
        return made

    def __eq__(self, other: object) -> bool:
        return super().__eq__(tuple(other) if isinstance(other, list) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = tuple.__hash__

    def __repr__(self) -> str:
        lines = "".join(f"\n  {exchange}" for exchange in self)
        older = f" ({self.dropped} older ones dropped)" if self.dropped else ""
        return f"<{counted(len(self), 'exchange')}{older}{lines}>"


class Journal:
    """The latest exchanges of a store."""

    def __init__(self) -> None:
        self._kept: deque[Exchange] = deque(maxlen=KEPT)
        self._seen = 0
        self._lock = Lock()

    def add(self, exchange: Exchange) -> None:
        with self._lock:
            self._kept.append(exchange)
            self._seen += 1

    def exchanges(self, operation: str | None = None, bucket: str | None = None, key: str | None = None) -> Exchanges:
        """Those that match every criterion given."""
        with self._lock:
            kept, seen = tuple(self._kept), self._seen
        return Exchanges(
            (
                exchange
                for exchange in kept
                if operation in (None, exchange.operation)
                and bucket in (None, exchange.bucket)
                and key in (None, exchange.key)
            ),
            dropped=seen - len(kept),
        )

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()
            self._seen = 0
