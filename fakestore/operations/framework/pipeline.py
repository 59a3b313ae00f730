"""The pipeline: the steps of a request, from its address to the result of its operation.

A step gets the request, fills in what it finds out, and raises an error of the service if it refuses the request. The
lists of steps are at the end of the module. No other thread uses the store during the first turn and the second turn.
An operation without a body is applied in the first turn. The second turn repeats checks only if another thread used the
store while the body was read, or if they depend on the document that was read.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import TypeVar

from fakestore.errors import ACCESS_DENIED, EXPECTATION_FAILED, UNEXPECTED_CONTENT, ErrorResponse, UnsupportedRequest
from fakestore.http.request import Body
from fakestore.messages import PLANNED_FAULT
from fakestore.model.accounts import ANONYMOUS
from fakestore.model.content import pieces_of
from fakestore.model.names import check_key
from fakestore.operations.framework.acceptance import check_header_section
from fakestore.operations.framework.access import Resource, authorize
from fakestore.operations.framework.body import (
    AnnouncedBody,
    check_length_is_not_empty,
    check_missing_body,
    has_body,
    read_body,
)
from fakestore.operations.framework.call import RequestContext
from fakestore.operations.framework.result import Result, render_error
from fakestore.operations.framework.row import Entry
from fakestore.protocol.addressing import parse_address
from fakestore.protocol.auth.payload import PLAIN
from fakestore.protocol.auth.scheme import Authentication
from fakestore.protocol.unsupported import prefixed_headers
from fakestore.xml.document import parse as parse_document

#: The methods whose body is ignored by an operation without a body. [unexpected-body]
_BODY_IS_IGNORED = ("GET", "HEAD")

_Read = TypeVar("_Read")


# -- the operation


def read_address(context: RequestContext) -> None:
    """Find out what the request names."""
    context.named = parse_address(context.received, context.endpoint)


def find_operation(context: RequestContext) -> None:
    """Find the operation, and check that it knows everything that the request carries."""
    assert context.named is not None
    request, address = context.authenticator.without_credentials(context.received, context.named)
    service_headers, foreign = prefixed_headers(request.headers, context.dialect.header_prefix)
    entry: Entry = context.operations.find(request, address, service_headers)
    context.ignored = entry.acceptance.check_request(request, address, context.dialect, service_headers, foreign)
    context.request, context.address, context.entry = request, address, entry
    context.headers, context.service_headers = request.headers.by_name, service_headers
    for guard in entry.guards:
        headers = guard.headers_of_every_reply(context)
        if headers:
            context.reply_headers = {**(context.reply_headers or {}), **headers}


def open_body(context: RequestContext) -> None:
    """Read the fields at the beginning of the body, if the row declares some."""
    fields = context.entry.row.body_kind.fields
    if fields is not None:
        _read(context, lambda: fields.open(context))


# -- the requester


def authenticate(context: RequestContext) -> None:
    """Find out who sent the request."""
    entry: Entry = context.entry
    if context.semantics.limits_every_header_section:
        check_header_section(context.received, context.limits)
    sender = _find_sender(context, entry)
    if context.service_headers:
        entry.acceptance.check_payload(sender.payload, context.service_headers, context.dialect)
    context.requester, context.payload, context.signature = sender.requester, sender.payload, sender.signature


def _find_sender(context: RequestContext, entry: Entry) -> Authentication:
    row = entry.row
    if row.is_public:
        return Authentication(ANONYMOUS, PLAIN)
    if row.body_kind.fields is not None:
        return row.body_kind.fields.authenticate(context)
    assert context.named is not None
    accounts = context.state.accounts
    return context.authenticator.authenticate(context.received, context.named, accounts, context.now)


def check_ignored_body(context: RequestContext) -> None:
    """Check a body that the operation ignores against the hash or the signatures in the request. [unexpected-body]"""
    row = context.entry.row
    if row.body_kind.fields is not None:
        _note_continue(context)  # they are read already
        return
    is_ignored = row.body is None and context.request.method in _BODY_IS_IGNORED
    if is_ignored and context.payload is not PLAIN and has_body(context):
        _note_continue(context)
        _read(context, lambda: deque(pieces_of(_decode(context)), maxlen=0))


# -- the turns, and the body between them


def take_first_turn(context: RequestContext) -> None:
    """Check the request, and apply an operation that reads no body."""
    row = context.entry.row
    with context.turns:
        for step in CHECKS:
            step(context)
        if row.body is not None and (not row.body_is_optional or has_body(context)):
            context.first_turn = context.turns.number
            return
        if row.body is not None:
            check_missing_body(context, row.body_headers)
        apply(context)


def receive_body(context: RequestContext) -> None:
    """Read the body, check that it is the announced one, and parse a document."""
    if context.first_turn is None:
        return
    row = context.entry.row
    announced = AnnouncedBody.parse(context, row.body_kind, row.body_headers)
    _note_continue(context)
    # It is filled in before it is parsed, so that the exchange has a document that is malformed.
    context.body = _read(context, lambda: read_body(_decode(context), announced, is_part=row.body_kind.is_part))
    if row.shape is not None:
        content = bytes(context.body.content)
        context.document = parse_document(row.shape, content, context.dialect.xml_namespace, row.hint)
    elif row.body_kind.is_document:
        context.document = bytes(context.body.content)


def take_second_turn(context: RequestContext) -> None:
    """Repeat the checks whose result can be another one now, and apply an operation that has read its body."""
    if context.first_turn is None:
        return
    with context.turns:
        if not context.turns.were_free_since(context.first_turn) or context.entry.row.shape is not None:
            for step in REPEATED_CHECKS:
                step(context)
        apply(context)


# -- the steps of a turn


def open_bucket(context: RequestContext) -> None:
    """Find the bucket, let the guards check the request, and let its lifecycle rules act."""
    entry: Entry = context.entry
    row, guards = entry.row, entry.guards
    for guard in guards:
        guard.check_request(context)
    if not row.needs_bucket:
        if context.requester is ANONYMOUS and not row.is_public:
            raise ACCESS_DENIED.error(explanation=f"an anonymous requester may not {row.name}; sign the request")
        return
    bucket = context.bucket = context.state.bucket(context.bucket_name)
    for guard in guards:
        guard.check_bucket(context, bucket)
    bucket.apply_lifecycle(context.now)


def authorize_requester(context: RequestContext) -> None:
    """Check that the requester has the access that the row declares."""
    row, bucket = context.entry.row, context.bucket
    if row.access is None or bucket is None:
        return
    # The policy can perhaps only decide once the document was read. [policy-conditions-on-a-document]
    awaits_document = context.operations.condition_keys.awaits_document
    if not (bucket.policy.statements and row.body is not None and awaits_document(context, row.body, bucket.policy)):
        authorize(row.access, context, bucket, Resource.of(context))


def parse(context: RequestContext) -> None:
    """Read the query and the headers."""
    row = context.entry.row
    if context.address.key is not None:
        check_key(context.address.key)
    expectation = context.headers.get("expect")
    is_known = expectation is None or expectation.lower() == "100-continue"
    if not is_known and context.semantics.refuses_unknown_expectations:
        raise EXPECTATION_FAILED.error(explanation=f"Expect is {expectation!r}; only 100-continue is known")
    check_length_is_not_empty(context)
    if row.body is None and context.request.method not in _BODY_IS_IGNORED and has_body(context):
        raise UNEXPECTED_CONTENT.error(explanation=f"{row.name} has no body; send none")
    context.parameters = None if row.parameters is None else row.parameters.parse(context)
    context.preconditions = None if row.preconditions is None else row.preconditions.parse(context)
    context.source_headers = None if row.source is None else row.source.parse(context)


def authorize_parameters(context: RequestContext) -> None:
    """Check that the requester has the accesses that the query and the headers need."""
    if context.parameters is not None and context.bucket is not None:
        for access in context.parameters.required_access:
            authorize(access, context, context.bucket, Resource.of(context))


def find_source(context: RequestContext) -> None:
    """Find the second resource, if the row declares one."""
    if context.source_headers is not None:
        context.source = context.source_headers.resolve(context)


def check_operation(context: RequestContext) -> None:
    """Call the function of the row that refuses what cannot be done."""
    entry: Entry = context.entry
    if entry.row.check is not None:
        entry.row.check(**_inputs(context, entry.operation.check_arguments))


def check_conditions(context: RequestContext) -> None:
    """Check the conditions on the source, and then those on the object that would be changed."""
    if context.source_headers is not None:
        context.source_headers.check(context.source, context.now)
    if context.preconditions is not None and context.bucket is not None:
        context.preconditions.check(context.bucket, context.key)


def apply(context: RequestContext) -> None:
    """Call the function of the operation."""
    entry: Entry = context.entry
    buckets = [] if context.bucket is None else [context.bucket]
    if context.source_headers is not None:
        buckets.append(context.source_headers.bucket(context))
    headers: dict[str, str] = {}
    for guard in entry.guards:
        headers.update(guard.reply_headers(context, buckets))
    if context.embedded_error is not None and context.bucket is not None:
        # What the operation itself refuses is not embedded. It works on another bucket. [error-in-a-200-reply]
        context.bucket = context.bucket.copy()
    result = entry.operation.run(**_inputs(context, entry.operation.arguments))
    if context.embedded_error is not None:
        # The service sends blanks while it works, and then the result (specification, section 7).
        resource = context.address.resource if context.semantics.errors_name_resource else None
        document = render_error(context.embedded_error.error(), resource, context.ids, leading_blanks=8)
        result = Result(body=document, chunked=True, explanation=PLANNED_FAULT)
    context.result = result._replace(service_headers={**result.service_headers, **headers}) if headers else result


def _inputs(context: RequestContext, arguments: Mapping[str, str]) -> dict[str, object]:
    return {name: context if each == "context" else getattr(context, each) for name, each in arguments.items()}


# -- the body


def _note_continue(context: RequestContext) -> None:
    """Note the status that is sent before the body is read, if the client waits for it."""
    if "expect" in context.headers:
        context.interim = (100,)


def _decode(context: RequestContext) -> Body:
    return context.payload.decode(context.request.body)


def _read(context: RequestContext, read: Callable[[], _Read]) -> _Read:
    """Read the client's body, and note what it raises itself. The request has no answer then."""
    try:
        return read()
    except (ErrorResponse, UnsupportedRequest):
        raise
    except Exception as error:
        context.client_error = repr(error)
        raise


#: What is checked before the body is read, and what is checked again after it.
_CHECKS_OF_BUCKET = (open_bucket, authorize_requester)

_CHECKS_OF_OPERATION = (authorize_parameters, find_source, check_operation, check_conditions)

CHECKS = (*_CHECKS_OF_BUCKET, parse, *_CHECKS_OF_OPERATION)

REPEATED_CHECKS = (*_CHECKS_OF_BUCKET, *_CHECKS_OF_OPERATION)

#: The steps before a planned fault acts, and those that it can replace.
FIRST_STEPS = (read_address, find_operation, open_body)

OPERATION_STEPS = (authenticate, check_ignored_body, take_first_turn, receive_body, take_second_turn)
