"""Execution: everything that the framework does for an operation, as its row declares it.

::

    [guards, lifecycle, authorize, parse, preconditions] -> read the body -> [the same checks, apply]

No other thread uses the store during the steps in brackets. An operation without a body is applied in the first of
them. The checks are not repeated if no other thread used the store while the body was read, because nothing has changed
then, unless they depend on the document that was read.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from fakestore.documents.error import render_error
from fakestore.documents.shape import parse
from fakestore.locks import Turns
from fakestore.messages import PLANNED_FAULT
from fakestore.model.accounts import ANONYMOUS
from fakestore.model.bucket import BucketRecord
from fakestore.model.content import pieces_of
from fakestore.model.errors import (
    ACCESS_DENIED,
    EXPECTATION_FAILED,
    UNEXPECTED_CONTENT,
    ErrorCode,
    ErrorResponse,
)
from fakestore.model.names import check_key
from fakestore.model.unsupported import UnsupportedRequest
from fakestore.operations.core.authorization import authorize
from fakestore.operations.core.body import (
    AnnouncedBody,
    ReceivedBody,
    check_length_is_not_empty,
    check_missing_body,
    has_body,
    read_body,
)
from fakestore.operations.core.condition_keys import awaits_document
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.parameters import Parameters, Preconditions, Source
from fakestore.operations.core.registry import Entry, Row
from fakestore.operations.core.resource import Resource
from fakestore.operations.core.result import Result
from fakestore.protocol.auth.payload import PLAIN

#: The methods whose body is ignored by an operation without a body. [unexpected-body]
_BODY_IS_IGNORED = ("GET", "HEAD")


class Outcome(NamedTuple):
    """The result of an operation.

    Args:
        result: What the operation returned, the service's error, or what reading the client's body raised.
        body: The body, if it was read.
        interim: The interim statuses that were sent before: ``(100,)`` or none.
    """

    result: Result | ErrorResponse | ClientError
    body: ReceivedBody | None = None
    interim: tuple[int, ...] = ()


class ClientError(NamedTuple):
    """Reading the client's body raised `exception`, so the request has no answer."""

    exception: Exception


class _Parsed(NamedTuple):
    """What the headers and the query of a request say."""

    parameters: Parameters | None
    preconditions: Preconditions | None
    source: Source | None


def perform(
    operation: Entry, context: RequestContext, turns: Turns, embedded_error: ErrorCode | None = None
) -> Outcome:
    """Perform an operation. An error of the service becomes the outcome.

    Args:
        operation: The operation.
        context: The request.
        turns: The turns in which threads use the store. Another thread can have one while the body is read.
        embedded_error: The error that a fault embeds in the reply; nothing is applied then.
    """
    row, body = operation.row, None
    checks_ignored_body = context.payload is not PLAIN and _ignores_body(row, context)
    # Fields in the body are read already, so a client that waits for 100 Continue got it.
    interim = _interim_statuses(context) if checks_ignored_body or row.body_kind.has_fields else ()
    try:
        if checks_ignored_body and (client_error := _check_ignored_body(context)) is not None:
            return Outcome(client_error, None, interim)
        with turns:
            parsed, inputs = _parse_and_check(operation, context)
            if not _reads_body(row, context):
                if row.body is not None:
                    check_missing_body(context, row.body_headers)
                    inputs["body"] = inputs["document"] = None
                return Outcome(_apply(operation, parsed, inputs, embedded_error), None, interim)
            turn = turns.number
        announced = AnnouncedBody.parse(context, row.body_kind, row.body_headers)
        interim = _interim_statuses(context)
        read = _read_body(row, context, announced)
        if isinstance(read, ClientError):
            return Outcome(read, None, interim)
        body = read  # before it is parsed, so that the exchange has a document that is malformed
        received = _parse_body(row, body, context.dialect.xml_namespace)
        if row.shape is not None:
            context = context._replace(document=received)
        with turns:
            if turns.number != turn + 1 or context.document is not None:
                inputs = _check(operation, context, _open_bucket(operation, context), parsed)
            inputs["body"] = inputs["document"] = received
            return Outcome(_apply(operation, parsed, inputs, embedded_error), body, interim)
    except ErrorResponse as error:
        # A traceback refers to the frames that hold the outcome, and a cycle would keep the body alive.
        return Outcome(error.with_traceback(None), body, interim)


def _interim_statuses(context: RequestContext) -> tuple[int, ...]:
    """Return the statuses that are sent before the body is read."""
    return (100,) if "expect" in context.headers else ()


def _read_body(row: Row, context: RequestContext, announced: AnnouncedBody) -> ReceivedBody | ClientError:
    """Read the body, and check that it is the announced one.

    Raises:
        ErrorResponse: As :func:`read_body`.
        UnsupportedRequest: As :func:`read_body`.
    """
    try:
        body = context.payload.decode(context.request.body)
        return read_body(body, announced, is_part=row.body_kind.is_part)
    except (ErrorResponse, UnsupportedRequest):
        raise
    except Exception as error:
        return ClientError(error)


def _check_ignored_body(context: RequestContext) -> ClientError | None:
    """Check a body that the operation ignores against the hash or the signatures in the request.

    Raises:
        ErrorResponse: If the body is malformed or not the one that was signed.
        UnsupportedRequest: If a hash that is not signed is wrong.
    """
    try:
        for _ in pieces_of(context.payload.decode(context.request.body)):
            pass
    except (ErrorResponse, UnsupportedRequest):
        raise
    except Exception as error:
        return ClientError(error)
    return None


def _parse_and_check(operation: Entry, context: RequestContext) -> tuple[_Parsed, dict[str, Any]]:
    """Return what the row declares of the request, and what the operation can ask for except the body.

    Raises:
        ErrorResponse: If the service refuses the request.
        UnsupportedRequest: If the fake does not support it.
    """
    bucket = _open_bucket(operation, context)
    parsed = _parse(operation.row, context)
    return parsed, _check(operation, context, bucket, parsed)


def _open_bucket(operation: Entry, context: RequestContext) -> BucketRecord | None:
    """Return the request's bucket, after its lifecycle rules have acted and the requester is authorized.

    Raises:
        ErrorResponse: NoSuchBucket, AccessDenied, and the errors of the guards.
    """
    row, guards = operation.row, operation.guards
    for guard in guards:
        guard.check_request(context)
    if not row.needs_bucket:
        if context.requester is ANONYMOUS and not row.is_public:
            raise ACCESS_DENIED.error(explanation=f"an anonymous requester may not {row.name}; sign the request")
        return None
    bucket = context.state.bucket(context.bucket_name)
    for guard in guards:
        guard.check_bucket(context, bucket)
    bucket.apply_lifecycle(context.now)
    if row.access is not None and not (bucket.policy.statements and _is_authorized_later(row, context, bucket)):
        authorize(row.access, context, bucket, Resource.of(context))
    return bucket


def _is_authorized_later(row: Row, context: RequestContext, bucket: BucketRecord) -> bool:
    """Return whether the policy of the bucket can only decide once the document was read.

    [policy-conditions-on-a-document]
    """
    if row.body is None:
        return False
    return awaits_document(context, row.body, bucket.policy)


def _parse(row: Row, context: RequestContext) -> _Parsed:
    """Read the query and the headers.

    Raises:
        ErrorResponse: If a value is invalid.
    """
    if context.address.key is not None:
        check_key(context.address.key)
    expectation = context.headers.get("expect")
    is_known = expectation is None or expectation.lower() == "100-continue"
    if not is_known and context.semantics.refuses_unknown_expectations:
        raise EXPECTATION_FAILED.error(explanation=f"Expect is {expectation!r}; only 100-continue is known")
    check_length_is_not_empty(context)
    if row.body is None and context.request.method not in _BODY_IS_IGNORED and has_body(context):
        raise UNEXPECTED_CONTENT.error(explanation=f"{row.name} has no body; send none")
    return _Parsed(
        None if row.parameters is None else row.parameters.parse(context),
        None if row.preconditions is None else row.preconditions.parse(context),
        None if row.source is None else row.source.parse(context),
    )


def _check(operation: Entry, context: RequestContext, bucket: BucketRecord | None, parsed: _Parsed) -> dict[str, Any]:
    """Check everything that can refuse the operation, and return what its function can ask for, without the body.

    Raises:
        ErrorResponse: If the requester lacks an access, a condition does not hold, or the source cannot be read.
    """
    row, source = operation.row, parsed.source
    inputs: dict[str, Any] = {"context": context, "bucket": bucket, "parameters": parsed.parameters}
    if parsed.parameters is not None and bucket is not None:
        for access in parsed.parameters.required_access:
            authorize(access, context, bucket, Resource.of(context))
    if source is not None:
        inputs["source"] = source.resolve(context)
    if row.check is not None:
        row.check(**{name: inputs[each] for name, each in operation.operation.check_arguments.items()})
    if source is not None:
        source.check(inputs["source"], context.now)
    if parsed.preconditions is not None and bucket is not None:
        parsed.preconditions.check(bucket, context.key)
    return inputs


def _ignores_body(row: Row, context: RequestContext) -> bool:
    """Return whether the request has a body that the operation ignores, as GET and HEAD do. [unexpected-body]"""
    return row.body is None and context.request.method in _BODY_IS_IGNORED and has_body(context)


def _reads_body(row: Row, context: RequestContext) -> bool:
    if row.body is None:
        return False
    return not row.body_is_optional or has_body(context)


def _parse_body(row: Row, body: ReceivedBody, xml_namespace: str | None) -> object:
    if row.shape is None:
        return row.body_kind.receive(body)
    return parse(row.shape, bytes(body.content), xml_namespace, row.hint)


def _apply(entry: Entry, parsed: _Parsed, inputs: dict[str, Any], embedded_error: ErrorCode | None) -> Result:
    context, bucket, operation = inputs["context"], inputs["bucket"], entry.operation
    buckets = [] if bucket is None else [bucket]
    if parsed.source is not None:
        buckets.append(parsed.source.bucket(context))
    headers: dict[str, str] = {}
    for guard in entry.guards:
        headers.update(guard.reply_headers(context, buckets))
    if embedded_error is None:
        result: Result = operation.run(**{name: inputs[each] for name, each in operation.arguments.items()})
        return result._replace(service_headers={**result.service_headers, **headers}) if headers else result
    # What the operation itself refuses is not embedded. It works on another bucket. [error-in-a-200-reply]
    scratch = {**inputs, "bucket": None if bucket is None else bucket.copy()}
    operation.run(**{name: scratch[each] for name, each in operation.arguments.items()})
    # The service sends blanks while it works, and then the result (specification, section 7).
    resource = context.address.resource if context.semantics.errors_name_resource else None
    document = render_error(embedded_error.error(), resource, context.ids, leading_blanks=8)
    return Result(service_headers=headers, body=document, chunked=True, explanation=PLANNED_FAULT)
