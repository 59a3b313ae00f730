"""The one seam: :meth:`Service.handle` turns a request into a reply.

A request travels one way: route, authenticate, authorize, operation, model, reply. No step looks back.
"""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import RLock

from fakestore.documents.error import error_reply
from fakestore.http.fields import RequestIds, http_date
from fakestore.http.messages import Reply, Request
from fakestore.model.content import SparseContent
from fakestore.model.errors import (
    ACCESS_DENIED,
    EXPECTATION_FAILED,
    UNEXPECTED_CONTENT,
    ErrorResponse,
    UnsupportedRequest,
)
from fakestore.model.history import VersionIds
from fakestore.model.limits import Limits
from fakestore.model.names import check_key
from fakestore.model.state import State
from fakestore.operations import Operation, find_operation
from fakestore.operations.core.authorization import Right, authorize
from fakestore.operations.core.context import Call
from fakestore.protocol.authentication import Authenticator
from fakestore.protocol.dialect import Dialect
from fakestore.protocol.routing import Address, Endpoint, address_of, route_of
from fakestore.service.fault_plan import Fault, FaultPlan
from fakestore.service.journal import Exchange, Journal, UnhandledRequests, record_body
from fakestore.service.locks import new_lock


def system_clock() -> datetime.datetime:
    """Return the current time in UTC, to the second.

    `datetime.now(UTC)` would be wrong inside `freeze_time(tz_offset=...)`, which shifts it.
    """
    return datetime.datetime.fromtimestamp(int(time.time()), datetime.UTC)


@dataclass(slots=True, eq=False)
class Service:
    """A store that answers requests, whatever carries them.

    ``lock`` is held around every read-modify-write of ``state``; bodies are read and hashed outside of it.
    ``refusals`` are the requests that the fake does not model, or that were not meant for it.
    """

    endpoint: Endpoint
    dialect: Dialect
    limits: Limits
    authenticator: Authenticator
    seed: int
    clock: Callable[[], datetime.datetime] = system_clock
    lock: RLock = field(default_factory=new_lock)
    journal: Journal = field(default_factory=Journal)
    faults: FaultPlan = field(default_factory=FaultPlan)
    unhandled_requests: UnhandledRequests = field(default_factory=UnhandledRequests)
    version_ids: VersionIds = field(init=False)
    request_ids: RequestIds = field(init=False)
    state: State = field(init=False)

    def __post_init__(self) -> None:
        self.version_ids = VersionIds(self.seed)
        self.request_ids = RequestIds(self.seed)
        self.state = State(self.version_ids, self.dialect.semantics)

    def reset(self, state: State) -> None:
        """Hold ``state``, with nothing asked, and the first ids again; a request under way goes on with it."""
        self.version_ids.restart()
        self.request_ids = RequestIds(self.seed)
        self.state.replace_with(state)
        self.journal.clear()
        self.faults.clear()
        self.unhandled_requests.clear()

    def handle(self, request: Request) -> Reply:
        """Answer ``request``. The clock is read once, and every date of the answer agrees with it.

        Raises:
            UnsupportedRequest: the fake does not model what was asked; also noted in ``refusals``.
            Exception: what the client's own body raises while it is read; the exchange is noted without a reply.
        """
        __tracebackhide__ = True
        now = self.clock()
        ids = self.request_ids.next()
        exchange = Exchange(request, now)
        try:
            reply = self._answer(request, exchange, now, ids)
        except ErrorResponse as refusal:
            reply = self._refuse(refusal, request, exchange, ids)
        except UnsupportedRequest as unsupported:
            self.unhandled_requests.append(unsupported)
            raise unsupported.with_traceback(None) from None  # pytest then shows the line that sent the request
        except Exception as error:
            exchange.explanation = f"there is no answer, for {error!r} was raised while the request was sent"
            self.journal.add(exchange)
            raise
        if reply.broken is None:
            self._complete(reply, request, ids, now)
            if request.method == "HEAD":
                reply.body = b""
            sent = reply.body if reply.cut is None else reply.body[: reply.cut]
            # A fault may have changed what the entity tag tells of; sparse content it can only cut.
            whole = exchange.fault is None or (isinstance(sent, SparseContent) and reply.cut is None)
            exchange.keep_reply(reply.status, reply.headers, record_body(sent, _digest_of(reply) if whole else None))
        self.journal.add(exchange)
        return reply

    def _answer(self, request: Request, exchange: Exchange, now: datetime.datetime, ids: tuple[str, str]) -> Reply:
        address = address_of(request, self.endpoint)
        exchange.bucket, exchange.key = address.bucket, address.key
        exchange.version_id = address.query.get("versionId")
        operation = find_operation(route_of(request, address, self.dialect), request, address)
        exchange.operation = operation.name
        own_headers = operation.check(request, address, self.dialect)
        planned = self.faults.take(operation.name, address.bucket, address.key)
        if planned is None:
            return self._run(operation, request, address, own_headers, exchange, now, ids, None)
        exchange.fault = fault = planned.fault
        instead = fault.instead()
        if instead is not None:
            return instead
        met = False
        try:
            try:
                reply = self._run(operation, request, address, own_headers, exchange, now, ids, fault)
            except ErrorResponse as refusal:
                reply = self._refuse(refusal, request, exchange, ids)
            met = not fault.misses(reply, with_body=request.method != "HEAD")
        finally:
            if not met:
                self.faults.give_back(planned)
                exchange.fault = None
        if not met:
            return reply
        if fault.interrupts is not None:
            exchange.error_code = fault.interrupts.code
        return fault.after(reply)

    def _run(
        self,
        operation: Operation,
        request: Request,
        address: Address,
        own_headers: dict[str, str],
        exchange: Exchange,
        now: datetime.datetime,
        ids: tuple[str, str],
        fault: Fault | None,
    ) -> Reply:
        account = self.authenticator.account_of(request, address, self.state.accounts, now)
        exchange.account = account
        call = Call(request, address, account, now, self.state, self.lock, self.limits, self.dialect, ids, own_headers)
        if fault is not None:
            call.interrupted = fault.interrupts
        try:
            with self.lock:
                self._authorize(operation, call)
                _check_expectations(call)
                if not operation.takes_body:
                    _check_no_body(operation, call)
                    return operation.run(call)
            return operation.run(call)
        finally:
            exchange.version_id = call.version_id or exchange.version_id
            exchange.explanation = "; ".join(call.explanations) or None
            if call.continued:
                exchange.interim = (100,)
            if call.received is not None:
                exchange.keep_body(record_body(*call.received))

    def _authorize(self, operation: Operation, call: Call) -> None:
        named = call.named_version
        access = operation.access if named is None else operation.version_access or operation.access
        if "mfa" in call.own_headers and call.request.scheme != "https":
            raise ACCESS_DENIED(
                explanation=f"{self.dialect.header_prefix}mfa was sent over {call.request.scheme}; it must use https"
            )
        if access.right is not Right.ANY_ACCOUNT:
            with call.bucket() as bucket:
                authorize(access, call.account, bucket, call.address.key, named)

    def _refuse(self, refusal: ErrorResponse, request: Request, exchange: Exchange, ids: tuple[str, str]) -> Reply:
        exchange.error_code = refusal.error.code
        exchange.explanation = refusal.explanation
        path = request.target.partition("?")[0]
        resource = path if exchange.bucket is None else f"/{exchange.bucket}{path}"
        return error_reply(refusal, resource, ids, self.dialect, request.method)

    def _complete(self, reply: Reply, request: Request, ids: tuple[str, str], now: datetime.datetime) -> None:
        """Add what every reply carries, and how long the body is."""
        headers = reply.headers
        if reply.chunked:
            if request.http_version != "1.0":
                headers["Transfer-Encoding"] = "chunked"
        elif reply.status not in (204, 304):
            headers["Content-Length"] = str(len(reply.body))
        if reply.body and "Content-Type" not in headers:
            headers["Content-Type"] = "text/xml; charset=utf-8"
        headers[f"{self.dialect.header_prefix}request-id"], headers[f"{self.dialect.header_prefix}id-2"] = ids
        headers["Date"] = http_date(now)
        headers["Connection"] = "close"
        headers["Server"] = "fakestore"


def _check_expectations(call: Call) -> None:
    """What is asked of the headers of every operation, before its own."""
    if call.address.key is not None:
        check_key(call.address.key)
    expectation = call.request.headers.get("expect")
    if expectation is not None and expectation.lower() != "100-continue":
        raise EXPECTATION_FAILED(explanation=f"Expect is {expectation!r}; only 100-continue is known")


def _check_no_body(operation: Operation, call: Call) -> None:
    """Refuse a body where none belongs; that of a GET or a HEAD is ignored. [unexpected-body]"""
    if call.request.method not in ("GET", "HEAD") and call.sends_body():
        raise UNEXPECTED_CONTENT(explanation=f"{operation.name} takes no body")


def _digest_of(reply: Reply) -> str | None:
    """The MD5 of a whole object that is answered, which its entity tag tells without another reading."""
    return reply.headers.get("ETag", "").strip('"') or None if reply.status == 200 else None
