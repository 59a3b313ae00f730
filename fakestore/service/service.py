"""The service: :meth:`Service.answer` turns a request into a reply.

A request travels one way::

    FIRST_STEPS -> OPERATION_STEPS -> render -> exchange

Each step fills in the call. An error of the service is an exception until `go_through` renders it. A planned fault acts
instead of the steps after FIRST_STEPS, or on their reply. The exchange is made from the call at the end.
"""

from __future__ import annotations

import datetime
import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import InitVar, dataclass, field, replace
from functools import partial
from itertools import count
from typing import NoReturn
from urllib.parse import quote, urlencode

from fakestore.errors import NO_SUCH_BUCKET, NOT_IMPLEMENTED, ErrorCode, ErrorResponse, UnsupportedRequest
from fakestore.http.message import ConnectionFailure, Delivery, Reply, Request
from fakestore.locks import Turns
from fakestore.model.accounts import ANONYMOUS, Account, Requester
from fakestore.model.bucket import BucketRecord
from fakestore.model.event import Cause, render_test_event
from fakestore.model.object_version import Change, ObjectVersion
from fakestore.model.semantics import Limits
from fakestore.model.state import State
from fakestore.model.versioning import VersionIds
from fakestore.operations.framework.call import Call, ReplyIds
from fakestore.operations.framework.pipeline import FIRST_STEPS, OPERATION_STEPS, PipelineCall
from fakestore.operations.framework.result import Result
from fakestore.operations.framework.table import OperationTable
from fakestore.protocol.addressing import Address, Endpoint, parse_address
from fakestore.protocol.auth.authenticator import Authenticator
from fakestore.protocol.auth.scheme import SigningContext
from fakestore.protocol.dialect import Dialect
from fakestore.service.events import Outbox
from fakestore.service.fault_plan import Fault, FaultPlan, PlannedFault
from fakestore.service.journal import Exchange, Journal, KeptErrors, exchange_of
from fakestore.service.rendering import embed, refuse, render, standard_headers

#: The steps that a planned fault can replace.
_STEPS_TO_REPLY = (*OPERATION_STEPS, render)

CANNOT_BE_PICKLED = (
    "a store, and what belongs to it, cannot be pickled or copied; another process reaches it through its server: with"
    " store.serve() as url; store.snapshot() keeps its contents"
)


def current_time() -> datetime.datetime:
    """Return the current time in UTC, with fractions of a second. Dates of objects have whole seconds.

    `datetime.now(UTC)` would be wrong inside `freeze_time(tz_offset=...)`, which shifts it.
    """
    return datetime.datetime.fromtimestamp(time.time(), datetime.UTC)


class RequestIds:
    """Issues the ids that every reply carries. The same arguments give the same ids in the same order."""

    def __init__(self, seed: int, origin: str) -> None:
        source = b"request ids of seed %d at %s" % (seed, origin.encode())
        self._secret = hashlib.blake2b(source, digest_size=32).digest()
        self._numbers = count(1)  # its next() is atomic

    def issue(self) -> ReplyIds:
        return self.of(next(self._numbers))

    def of(self, number: int) -> ReplyIds:
        digits = hashlib.blake2b(b"%d" % number, digest_size=40, key=self._secret).hexdigest().upper()
        return ReplyIds(digits[:16], digits[16:])


@dataclass(slots=True, eq=False, repr=False)
class Service:
    """A store that answers requests, whichever client sends them.

    Args:
        seed: The number from which version ids and request ids are derived.
        origin: The base URL. Ids and default keys depend on it.
        source_ip: The IP address that replaces the address of every client, or None.
        journal_size: How many exchanges the journal keeps.
    """

    endpoint: Endpoint
    operations: OperationTable
    dialect: Dialect
    limits: Limits
    home_region: str
    authenticator: Authenticator
    seed: int
    origin: str
    source_ip: str | None
    journal_size: InitVar[int]
    #: The turns in which threads read and change `state`; bodies are read and hashed between them. They are created
    #: first, because the locks of the journal and of the faults are acquired during a turn.
    turns: Turns = field(default_factory=Turns)
    journal: Journal = field(init=False)
    faults: FaultPlan = field(default_factory=FaultPlan)
    unhandled_requests: KeptErrors[Exception] = field(default_factory=KeptErrors)
    outbox: Outbox = field(init=False)
    #: Returns the services of the active stores that were entered before this one.
    outer_services: Callable[[], Sequence[Service]] = tuple
    version_ids: VersionIds = field(init=False)
    request_ids: RequestIds = field(init=False)
    state: State = field(init=False)

    def __post_init__(self, journal_size: int) -> None:
        self.journal = Journal(journal_size)
        self.version_ids = VersionIds(self.seed, self.origin)
        self.request_ids = RequestIds(self.seed, self.origin)
        self.outbox = Outbox(
            self.home_region,
            add_note=self.journal.add_note,
            make_ids=self._make_event_ids(),
            faults=self.faults,
            errors=KeptErrors[BaseException](),
        )
        self.state = self.new_state()

    def __reduce__(self) -> NoReturn:
        raise TypeError(CANNOT_BE_PICKLED)

    def _make_event_ids(self) -> Callable[[int], dict[str, str]]:
        """Return a function that returns the ids of the event with a number, by the names of their headers.

        It does not refer to the service, whose memory would be freed only by the garbage collector.
        """
        ids, dialect = RequestIds(self.seed, f"events of {self.origin}"), self.dialect
        return lambda number: ids.of(number).headers(dialect)

    def new_state(self) -> State:
        """Return an empty state whose version ids this service issues."""
        return State(self.version_ids, self.dialect.semantics, origin=self.origin, observer=self.outbox)

    def reset(self, state: State) -> None:
        """Reset to `state`: clear journal, faults and unhandled requests, and restart the ids."""
        self.version_ids.restart()
        self.request_ids = RequestIds(self.seed, self.origin)
        self.state.replace_with(state)
        self.journal.clear()
        self.faults.clear()
        self.unhandled_requests.clear()
        self.outbox.clear()

    @contextmanager
    def turn(self) -> Iterator[State]:
        """Take a turn without a request, and deliver the events that it causes."""
        try:
            with self.turns:
                yield self.state
        finally:
            self.outbox.deliver()

    def note_changes(self, call: Call, bucket: BucketRecord, changes: Sequence[Change]) -> None:
        """Note the events of an operation, during its turn."""
        if not self.outbox.may_want(bucket):
            return
        cause = self._cause(call.requester, call.ids, call.received.source_ip)
        self.outbox.note_changes(bucket, changes, call.now, cause)

    def find_problem(self, destination: str) -> str | None:
        """Return why a destination cannot receive events, or None."""
        return self.outbox.find_problem(destination)

    def send_test_event(self, destination: str, call: Call, bucket: BucketRecord) -> str | None:
        """Send the test event to a queue or topic, and return why that failed, or None."""
        return self.outbox.find_problem(destination, render_test_event(bucket.name, call.now, *call.ids))

    def note_put(self, bucket: BucketRecord, version: ObjectVersion, writer: Account) -> None:
        """Note the event of an object that a test stores without a request, as if a request of the writer stored it."""
        cause = self._cause(writer, self.request_ids.issue(), "127.0.0.1")._replace(is_arranged=True)
        self.outbox.note_changes(bucket, [Change("ObjectCreated:Put", version)], version.last_modified, cause)

    def _cause(self, requester: Requester, ids: ReplyIds, source_ip: str) -> Cause:
        names = ("Anonymous", "anonymous") if requester is ANONYMOUS else (requester.id, requester.number)
        return Cause(ids.headers(self.dialect), *names, source_ip)

    def answer(self, request: Request, *, delivers: bool = True) -> tuple[Delivery | ConnectionFailure, Exchange]:
        """Answer a request. The clock is read once, and every date of the reply agrees with it.

        Args:
            delivers: Whether to deliver the events. Otherwise the caller delivers them, in the same thread.

        Returns:
            The reply and how it is delivered, or how the connection fails instead; and the exchange.
        """
        __tracebackhide__ = True
        call, fault, exchange = self._begin(request), None, None
        try:
            if go_through(FIRST_STEPS, call):
                planned = self.faults.meet(call.operation.name, call.address.bucket, call.address.key)
                if planned is None:
                    go_through(_STEPS_TO_REPLY, call)
                else:
                    fault = self._act(planned, call)
        except UnsupportedRequest as unsupported:
            self.unhandled_requests.append(unsupported)
            raise unsupported.with_traceback(None) from None  # pytest then shows the line that sent the request
        finally:
            if call.delivery is not None or call.client_error is not None:
                exchange = exchange_of(call, self._explain(call), fault)
                self.journal.add(exchange)
            if delivers:
                self.outbox.deliver()
        assert call.delivery is not None
        assert exchange is not None
        return call.delivery, exchange

    def _begin(self, request: Request) -> PipelineCall:
        received = request if self.source_ip is None else replace(request, source_ip=self.source_ip)
        return PipelineCall(
            service=self,
            dialect=self.dialect,
            semantics=self.dialect.semantics,
            limits=self.limits,
            state=self.state,
            operations=self.operations,
            received=received,
            request=received,
            headers=received.headers.by_name,
            now=current_time(),
            ids=self.request_ids.issue(),
        )

    def _act(self, planned: PlannedFault, call: PipelineCall) -> Fault | None:
        """Replace the operation by a fault, or perform it and let the fault change its reply. Return it if it acts."""
        fault, acts = planned.fault, False
        try:
            outcome: ErrorResponse | Delivery | ConnectionFailure | None = fault.respond()
            if outcome is None:
                if fault.embedded_error is not None:
                    perform = partial(_perform_on_copy, call.operation.perform, fault.embedded_error)
                    call.operation = replace(call.operation, perform=perform)
                go_through(_STEPS_TO_REPLY, call)
                assert isinstance(call.delivery, Delivery)
                reply = call.delivery.reply
                if not fault.applies_to(reply):
                    return None
                acts, call.delivery = True, None  # if the fault cannot alter it, the client gets no reply
                outcome = fault.alter(reply)
            acts = True
        finally:
            self.faults.settle(planned, acts=acts)
        if isinstance(outcome, ErrorResponse):
            refuse(call, outcome)
        else:
            call.delivery = outcome
        return fault

    def _explain(self, call: PipelineCall) -> str | None:
        """Return why the request or a part of it was refused, had no effect or no answer, for the author of a test."""
        if call.client_error is not None:
            return f"no answer: sending the request raised {call.client_error}"
        if call.error is None:
            return call.result.explanation
        explanation = call.error.explanation
        if call.error.code == NO_SUCH_BUCKET.code:
            return f"{explanation}{self.hint_at_outer_store(call.error.elements.get('BucketName'))}"
        return explanation

    def hint_at_outer_store(self, bucket: str | None) -> str:
        """Return the end of a sentence that names an earlier active store with the bucket, or an empty text."""
        for outer in self.outer_services():
            if bucket in outer.state.buckets:
                return f"; the store at {outer.origin!r} that was entered earlier has it"
        return ""

    def render_unsupported(self, request: Request, message: str) -> Reply:
        """Return the reply to a request that the fake does not support, for a client in another process.

        It is an error of the service, so that every client of the service shows the message.
        """
        call = self._begin(request)
        refuse(call, NOT_IMPLEMENTED.error(message))
        assert isinstance(call.delivery, Delivery)
        return call.delivery.reply

    def standard_headers(self) -> dict[str, str]:
        """Return the headers that every reply carries, for a reply to a request that did not reach the store."""
        return standard_headers(self.dialect, self.request_ids.issue(), current_time())

    def find_region(self, host: str, bucket_name: str | None) -> str | None:
        """Return the region that answers at a host for a bucket, or None if the host has no regions. [regions]"""
        if not self.dialect.semantics.has_regions:
            return None
        bucket = None if bucket_name is None else self.state.buckets.get(bucket_name)
        return self.endpoint.find_region(host, None if bucket is None else bucket.region(self.home_region))

    def _signing_context(self, request: Request, address: Address, account: Account) -> SigningContext:
        creates_bucket = request.method == "PUT" and address.key is None and not address.query
        region = self.find_region(request.host, None if creates_bucket else address.bucket) or self.home_region
        return SigningContext(account, current_time(), self.authenticator.settings, region)

    def sign(self, request: Request, address: Address, account: Account) -> dict[str, str]:
        """Return the headers that sign `request` as `account`, in the form that the dialect prefers."""
        context = self._signing_context(request, address, account)
        return self.dialect.header_scheme.sign(request, address, context)

    def presign(self, request: Request, account: Account, expires_in: datetime.timedelta) -> str:
        scheme = self.dialect.query_scheme
        if scheme is None:
            raise ValueError(f"the dialect {self.dialect.name!r} has no presigned URLs; use dialect='s3'")
        address = parse_address(request, self.endpoint)
        context = self._signing_context(request, address, account)
        parameters = scheme.presign(request, address, context, expires_in)
        query = urlencode(parameters, errors="surrogatepass", quote_via=quote)
        return f"{request.url}{'&' if '?' in request.target else '?'}{query}"


def go_through(steps: Iterable[Callable[[PipelineCall], None]], call: PipelineCall) -> bool:
    """Take a request through some steps, and return whether it goes on. If a step refuses it, render the error."""
    try:
        for step in steps:
            step(call)
    except ErrorResponse as error:
        refuse(call, error)
    return call.error is None


def _perform_on_copy(perform: Callable[[Call], Result], error: ErrorCode, call: PipelineCall) -> Result:
    """Perform the operation on a copy of the bucket, and return a reply with an embedded error.

    An error of the operation itself is not embedded. It answers the request.
    """
    if call.bucket is not None:
        call.bucket = call.bucket.copy()
    perform(call)
    return embed(call, error)
