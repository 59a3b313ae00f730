"""The service: :meth:`Service.answer` turns a request into a reply.

A request travels one way::

    address -> route -> accept -> authenticate -> perform -> render -> fault -> exchange

The fields of a form are read before the requester is authenticated, because they have the key and the credentials. From
then on the request is the upload that the form stands for.
"""

from __future__ import annotations

import datetime
import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import InitVar, dataclass, field, replace
from itertools import count
from threading import current_thread
from typing import NamedTuple

from fakestore.http.form import Form
from fakestore.http.reply import ConnectionFailure, Delivery, Reply
from fakestore.http.request import Request
from fakestore.locks import Turns
from fakestore.model.accounts import ANONYMOUS, Account, Requester
from fakestore.model.content import sparse_size
from fakestore.model.errors import NO_SUCH_BUCKET, NOT_IMPLEMENTED, ErrorResponse
from fakestore.model.limits import Limits
from fakestore.model.state import State
from fakestore.model.unsupported import UnsupportedRequest
from fakestore.model.version_ids import VersionIds
from fakestore.operations.core.context import ReplyIds, RequestContext
from fakestore.operations.core.cors import sharing_headers
from fakestore.operations.core.form import as_upload, ignored_fields, open_form
from fakestore.operations.core.header_section import check_header_section
from fakestore.operations.core.registry import Entry, Operations, Row
from fakestore.operations.core.result import OK, Result
from fakestore.protocol.addressing import Address, Endpoint, parse_address
from fakestore.protocol.auth.authenticator import Authenticator
from fakestore.protocol.auth.encoding import url_with_query
from fakestore.protocol.auth.payload import PLAIN
from fakestore.protocol.auth.scheme import Authentication, SigningContext
from fakestore.protocol.dialect import Dialect
from fakestore.protocol.unsupported import prefixed_headers
from fakestore.service.execution import ClientError, Outcome, perform
from fakestore.service.fault_plan import Fault, FaultPlan, PendingFault
from fakestore.service.journal import (
    Exchange,
    Journal,
    RecordedReply,
    RecordedRequest,
    UnhandledRequests,
    record_body,
)
from fakestore.service.rendering import Arrival


def current_time() -> datetime.datetime:
    """Return the current time in UTC, with fractions of a second. What is written is dated to the second.

    `datetime.now(UTC)` would be wrong inside `freeze_time(tz_offset=...)`, which shifts it.
    """
    return datetime.datetime.fromtimestamp(time.time(), datetime.UTC)


class RequestIds:
    """Issues the ids that every reply carries.

    The same ``seed`` and ``origin`` give the same ids in the same order.

    Args:
        seed: Any integer.
        origin: The base URL of the store.
    """

    def __init__(self, seed: int, origin: str) -> None:
        source = b"request ids of seed %d at %s" % (seed, origin.encode())
        self._secret = hashlib.blake2b(source, digest_size=32).digest()
        self._numbers = count(1)  # its next() is atomic

    def issue(self) -> ReplyIds:
        """Return the ids of the next reply."""
        number = next(self._numbers)
        digest = hashlib.blake2b(b"%d" % number, digest_size=40, key=self._secret).hexdigest().upper()
        return ReplyIds(digest[:16], digest[16:])


class _Routed(NamedTuple):
    """A request whose operation is known.

    `operation_request` and `operation_address` are without the credentials of a presigned URL. If the request carries a
    form, they are those of the upload that it stands for. `ignored` has the names of parameters and fields that the
    store ignores.
    """

    arrival: Arrival
    address: Address
    operation_request: Request
    operation_address: Address
    operation: Entry
    service_headers: dict[str, str]
    form: Form | None = None
    ignored: tuple[str, ...] = ()

    def refuse(self, error: ErrorResponse) -> Delivery:
        """Return the delivery of an error of the service."""
        return Delivery(self.arrival.render_error(error, self.address.resource))


#: Stands for an address that is invalid.
_NO_ADDRESS = Address(None, None, {}, "")
#: Stands for the outcome of an operation that was not performed.
_NOT_PERFORMED = Outcome(OK)


class _Answer(NamedTuple):
    """The answer to a request, with everything that its exchange records.

    `result` is the result of the operation. It is :data:`OK` if the operation was refused or not performed, so that
    nothing of a result is recorded.
    """

    delivery: Delivery | ConnectionFailure | ClientError
    row: Row | None = None
    address: Address = _NO_ADDRESS
    requester: Requester | None = None
    outcome: Outcome = _NOT_PERFORMED
    result: Result = OK
    error: ErrorResponse | None = None
    fault: Fault | None = None
    ignored: tuple[str, ...] = ()

    @property
    def error_code(self) -> str | None:
        """The code of the error that answers the request, or that is embedded in the reply; None for a success."""
        embedded = None if self.fault is None else self.fault.embedded_error
        row = embedded if self.error is None else self.error.error
        return None if row is None else row.code


@dataclass(slots=True, eq=False, repr=False)
class Service:
    """A store that answers requests, whichever client sends them.

    Args:
        endpoint: The hosts at which the store answers.
        operations: The operations of the service.
        dialect: How the service names things.
        limits: The sizes that the service accepts.
        authenticator: Finds the account that signed a request.
        seed: What version ids and request ids are derived from.
        origin: The base URL, which is mixed into ids and default keys.
        source_ip: The IP address that replaces that of every client; None if it does not.
        journal_size: How many exchanges the journal keeps.
    """

    endpoint: Endpoint
    operations: Operations
    dialect: Dialect
    limits: Limits
    authenticator: Authenticator
    seed: int
    origin: str
    source_ip: str | None
    journal_size: InitVar[int]
    #: Held while `state` is read and changed; bodies are read and hashed without it. It is created first, because the
    #: locks of the journal and of the faults are acquired while it is held.
    lock: Turns = field(default_factory=Turns)
    journal: Journal = field(init=False)
    faults: FaultPlan = field(default_factory=FaultPlan)
    #: Requests that the fake does not support, or that were not meant for it.
    unhandled_requests: UnhandledRequests = field(default_factory=UnhandledRequests)
    #: Returns the services of the active stores that were entered before this one.
    outer_services: Callable[[], Sequence[Service]] = tuple
    version_ids: VersionIds = field(init=False)
    request_ids: RequestIds = field(init=False)
    state: State = field(init=False)

    def __post_init__(self, journal_size: int) -> None:
        self.journal = Journal(journal_size)
        self.version_ids = VersionIds(self.seed, self.origin)
        self.request_ids = RequestIds(self.seed, self.origin)
        self.state = self.new_state()

    def new_state(self) -> State:
        """Return an empty state whose version ids this service issues."""
        return State(self.version_ids, self.dialect.semantics, origin=self.origin, note_effect=self.journal.add_note)

    def reset(self, state: State) -> None:
        """Reset to `state`: clear journal, faults and unhandled requests, and restart the ids."""
        self.version_ids.restart()
        self.request_ids = RequestIds(self.seed, self.origin)
        self.state.replace_with(state)
        self.journal.clear()
        self.faults.clear()
        self.unhandled_requests.clear()

    def answer(self, request: Request) -> tuple[Delivery | ConnectionFailure, Exchange]:
        """Answer a request. The clock is read once, and every date of the reply agrees with it.

        Returns:
            The reply and how it is delivered, or how the connection fails instead; and the exchange.

        Raises:
            UnsupportedRequest: If the fake does not support the request; it is also added to `unhandled_requests`.
            Exception: Whatever reading the client's body raises; the exchange is recorded without a reply.
        """
        __tracebackhide__ = True
        now, ids = current_time(), self.request_ids.issue()
        if self.source_ip is not None:
            request = replace(request, source_ip=self.source_ip)
        try:
            answer = self._answer(Arrival(request, now, ids, self.dialect))
        except UnsupportedRequest as unsupported:
            self.unhandled_requests.append(unsupported)
            raise unsupported.with_traceback(None) from None  # pytest then shows the line that sent the request
        exchange = _record(request, now, answer, self._explain(answer))
        self.journal.add(exchange)
        if isinstance(answer.delivery, ClientError):
            raise answer.delivery.exception
        return answer.delivery, exchange

    def _explain(self, answer: _Answer) -> str | None:
        """Return why the request or a part of it was refused, or why it has no answer, for the author of a test."""
        if isinstance(answer.delivery, ClientError):
            return f"no answer: sending the request raised {answer.delivery.exception!r}"
        if answer.error is None:
            return answer.result.explanation
        explanation = answer.error.explanation
        if answer.error.error is NO_SUCH_BUCKET:
            name = answer.error.elements.get("BucketName")
            for outer in self.outer_services():
                if name in outer.state.buckets:
                    return f"{explanation}; the store at {outer.origin!r} that was entered earlier has it"
        return explanation

    def render_unsupported(self, request: Request, message: str) -> Reply:
        """Return the reply to a request that the fake does not support, for a client in another process.

        It is an error of the service, so that every client of the service shows the message.
        """
        error = NOT_IMPLEMENTED.error(message)
        arrival = Arrival(request, current_time(), self.request_ids.issue(), self.dialect)
        return arrival.render_error(error, request.target.partition("?")[0])

    def sign(self, request: Request, address: Address, account: Account) -> dict[str, str]:
        """Return the headers that sign `request` as `account`, in the form that the dialect prefers."""
        context = SigningContext(account, current_time(), self.authenticator.rules)
        return self.dialect.header_scheme.sign(request, address, context)

    def presign(self, request: Request, account: Account, expires_in: datetime.timedelta) -> str:
        """Return a presigned URL for `request`.

        Raises:
            ValueError: If the dialect has no presigned URLs, or `expires_in` is out of bounds.
        """
        scheme = self.dialect.query_scheme
        if scheme is None:
            raise ValueError(f"the dialect {self.dialect.name!r} has no presigned URLs; use dialect='s3'")
        address = parse_address(request, self.endpoint)
        context = SigningContext(account, current_time(), self.authenticator.rules)
        return url_with_query(request, scheme.presign(request, address, context, expires_in))

    def _answer(self, arrival: Arrival) -> _Answer:
        request = arrival.request
        try:
            address = parse_address(request, self.endpoint)
        except ErrorResponse as error:
            resource = request.target.partition("?")[0]
            error.__traceback__ = None  # it refers to this frame, and a cycle would keep the request alive
            return _Answer(Delivery(arrival.render_error(error, resource)), error=error)
        routed = self._route(arrival, address)
        if "origin" not in request.headers.by_name:
            return self._answer_routed(routed)
        shared = sharing_headers(request, self.state.buckets.get(address.bucket or ""))
        answer = self._answer_routed(routed)
        delivery = answer.delivery
        if not shared or not isinstance(delivery, Delivery):
            return answer
        return answer._replace(delivery=delivery._replace(reply=delivery.reply.with_headers(shared)))

    def _answer_routed(self, routed: _Routed) -> _Answer:
        row = routed.operation.row
        if row.body_kind.has_fields:
            try:
                routed = self._open_form(routed)
            except UnsupportedRequest:
                raise
            except ErrorResponse as error:
                error.__traceback__ = None  # as above
                return _Answer(routed.refuse(error), row, routed.address, error=error)
            except Exception as error:
                return _Answer(ClientError(error), row, routed.address)
        address = routed.operation_address
        pending = self.faults.next_fault(row.name, address.bucket, address.key)
        answer = self._perform(routed) if pending is None else self._perform_with_fault(routed, pending)
        return answer._replace(ignored=routed.ignored) if routed.ignored else answer

    def _route(self, arrival: Arrival, address: Address) -> _Routed:
        request, operation_address = self.authenticator.without_credentials(arrival.request, address)
        service_headers, foreign = prefixed_headers(request.headers, self.dialect.header_prefix)
        operation = self.operations.find(request, operation_address, service_headers)
        ignored = operation.acceptance.check_request(request, operation_address, self.dialect, service_headers, foreign)
        return _Routed(arrival, address, request, operation_address, operation, service_headers, ignored=ignored)

    def _authenticate(self, routed: _Routed) -> Authentication:
        """Return who sent the request.

        Raises:
            ErrorResponse: As :func:`check_header_section`, :meth:`Authenticator.authenticate` and
                :meth:`Authenticator.authenticate_form`.
        """
        arrival, address, accounts = routed.arrival, routed.address, self.state.accounts
        if self.dialect.semantics.limits_every_header_section:
            check_header_section(arrival.request, self.limits)
        if routed.operation.row.is_public:
            return Authentication(ANONYMOUS, PLAIN)
        if routed.form is not None:
            fields = routed.form.fields
            return self.authenticator.authenticate_form(arrival.request, address, fields, accounts, arrival.now)
        return self.authenticator.authenticate(arrival.request, address, accounts, arrival.now)

    def _open_form(self, routed: _Routed) -> _Routed:
        """Read the fields of a form, and return the request that it stands for."""
        form = open_form(routed.operation_request, self.limits)
        fields = self.authenticator.without_form_credentials(form.fields)
        routed.operation.acceptance.check_fields(fields, self.dialect)
        request, address, headers = as_upload(
            routed.operation_request, routed.operation_address, form, fields, self.dialect
        )
        return routed._replace(
            operation_request=request,
            operation_address=address,
            service_headers=headers,
            form=form,
            ignored=(*routed.ignored, *ignored_fields(fields, self.dialect)),
        )

    def _perform(self, routed: _Routed, fault: Fault | None = None) -> _Answer:
        """Authenticate the request, perform its operation and render its result."""
        row, address = routed.operation.row, routed.operation_address
        try:
            sender = self._authenticate(routed)
            if routed.service_headers:
                routed.operation.acceptance.check_payload(sender.payload, routed.service_headers, self.dialect)
        except ErrorResponse as error:
            error.__traceback__ = None  # as above
            return _Answer(routed.refuse(error), row, address, error=error)
        embedded_error = None if fault is None else fault.embedded_error
        outcome = perform(routed.operation, self._context(routed, sender), self.lock, embedded_error)
        result, requester = outcome.result, sender.requester
        if isinstance(result, Result):
            return _Answer(Delivery(routed.arrival.render(result)), row, address, requester, outcome, result)
        if isinstance(result, ErrorResponse):
            return _Answer(routed.refuse(result), row, address, requester, outcome, error=result)
        return _Answer(result, row, address, requester, outcome)

    def _context(self, routed: _Routed, sender: Authentication) -> RequestContext:
        return RequestContext(
            request=routed.operation_request,
            address=routed.operation_address,
            headers=routed.operation_request.headers.by_name,
            service_headers=routed.service_headers,
            requester=sender.requester,
            payload=sender.payload,
            signature=sender.signature,
            now=routed.arrival.now,
            ids=routed.arrival.ids,
            dialect=self.dialect,
            limits=self.limits,
            state=self.state,
            fields=None if routed.form is None else routed.form.fields,
            endpoint=self.endpoint,
            home_region=self.authenticator.rules.home_region,
            actions=self.operations.actions,
        )

    def _perform_with_fault(self, routed: _Routed, pending: PendingFault) -> _Answer:
        """Apply a fault before the operation, before its result is committed, or after it."""
        fault, row, address = pending.planned.fault, routed.operation.row, routed.operation_address
        instead = fault.respond()
        if isinstance(instead, ErrorResponse):
            return _Answer(routed.refuse(instead), row, address, error=instead, fault=fault)
        if instead is not None:
            return _Answer(instead, row, address, fault=fault)
        applies = False
        try:
            answer = self._perform(routed, fault)
            delivery = answer.delivery
            applies = isinstance(delivery, Delivery) and fault.applies_to(delivery.reply)
        finally:
            if not applies:
                self.faults.put_back(pending)
        if not applies or not isinstance(delivery, Delivery):
            return answer
        altered = fault.alter(delivery.reply)
        if isinstance(altered, ErrorResponse):
            return answer._replace(fault=fault, delivery=routed.refuse(altered), error=altered)
        return answer._replace(fault=fault, delivery=altered)


def _record(request: Request, now: datetime.datetime, answer: _Answer, explanation: str | None) -> Exchange:
    """Return the exchange for a request that is over."""
    outcome, address, result, body = answer.outcome, answer.address, answer.result, answer.outcome.body
    sent = None if body is None else record_body(body.content, body.digest)
    return Exchange(
        request=RecordedRequest(request.method, request.url, request.headers, sent),
        reply=_record_reply(answer),
        time=now,
        operation=None if answer.row is None else answer.row.name,
        api_name=None if answer.row is None else answer.row.api_name,
        account=answer.requester if isinstance(answer.requester, Account) else None,
        bucket=address.bucket,
        key=address.key,
        version_id=result.version_id or address.version_id,
        created=result.created,
        removed=result.removed,
        error_code=answer.error_code,
        explanation=explanation,
        fault=answer.fault,
        ignored=answer.ignored,
        interim=outcome.interim,
        thread=current_thread().name,
    )


def _record_reply(answer: _Answer) -> RecordedReply | None:
    if not isinstance(answer.delivery, Delivery):
        return None
    reply, truncate_at = answer.delivery.reply, answer.delivery.truncate_at
    body = reply.body if truncate_at is None else reply.body[:truncate_at]
    # The digest is known of a body that is sent as it is stored. A fault can only truncate sparse content.
    unchanged = answer.fault is None or (sparse_size(body) > 0 and truncate_at is None)
    digest = answer.result.digest if unchanged and reply.body else None
    return RecordedReply(reply.status, reply.headers, record_body(body, digest))
