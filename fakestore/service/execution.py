"""Execution: everything that the framework does for an operation, as its row declares it.

::

    [lock: lifecycle, authorize, parse, preconditions] -> read the body -> [lock: the same checks, apply]

An operation without a body is applied in the first step. The checks are not repeated if no other thread had the lock
while the body was read, because nothing has changed then, unless they depend on the document that was read.
"""

from __future__ import annotations

from typing import NamedTuple

from fakestore.documents.error import render_error
from fakestore.documents.shape import parse
from fakestore.documents.xml import LONGEST_DOCUMENT
from fakestore.locks import StoreLock
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
from fakestore.operations.core.bucket_headers import BucketHeaders
from fakestore.operations.core.condition_keys import awaits_document
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.copy_source import CopySourceHeaders, resolve_copy_source
from fakestore.operations.core.expected_owner import check_expected_owner
from fakestore.operations.core.parameters import Parameters, Preconditions
from fakestore.operations.core.regions import check_signature_version
from fakestore.operations.core.registry import BodyKind, Operation, Row
from fakestore.operations.core.request_payment import REQUEST_PAYER_HEADER, charge_headers, check_request_payer
from fakestore.operations.core.resource import Resource
from fakestore.operations.core.result import Result
from fakestore.protocol.auth.payload import PLAIN

#: The methods whose body is ignored by an operation without a body. [unexpected-body]
_BODY_IS_IGNORED = ("GET", "HEAD")
#: Bodies that are the content of an object.
_OBJECTS = (BodyKind.CONTENT, BodyKind.FORM)
#: Bodies that are not documents.
_CONTENTS = (*_OBJECTS, BodyKind.PART)


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
    source: CopySourceHeaders | None


def perform(
    operation: Operation, context: RequestContext, lock: StoreLock, embedded_error: ErrorCode | None = None
) -> Outcome:
    """Perform an operation. An error of the service becomes the outcome.

    Args:
        operation: The operation.
        context: The request.
        lock: The lock of the store. It is not held while the body is read.
        embedded_error: The error that a fault embeds in the reply; nothing is applied then.
    """
    row, body = operation.row, None
    checks_ignored_body = context.payload is not PLAIN and _ignores_body(row, context)
    # The fields of a form are read already, so a client that waits for 100 Continue got it.
    interim = _interim_statuses(context) if checks_ignored_body or context.form is not None else ()
    try:
        if checks_ignored_body and (client_error := _check_ignored_body(context)) is not None:
            return Outcome(client_error, None, interim)
        with lock:
            parsed, arguments = _parse_and_check(row, context)
            if not _reads_body(row, context):
                if row.body is not None:
                    check_missing_body(context, row.body_headers)
                    arguments.append(None)
                return Outcome(_apply(operation, context, parsed, arguments, embedded_error), None, interim)
            turn = lock.turn
        announced = _parse_announced_body(row, context)
        interim = _interim_statuses(context)
        read = _read_body(row, context, announced)
        if isinstance(read, ClientError):
            return Outcome(read, None, interim)
        body = read  # before it is parsed, so that the exchange has a document that is malformed
        received = _parse_body(row, body, context.dialect.xml_namespace)
        if not isinstance(row.body, BodyKind):
            context = context._replace(document=received)
        with lock:
            if lock.turn != turn + 1 or context.document is not None:
                arguments = _check(row, context, _open_bucket(row, context), parsed)
            return Outcome(_apply(operation, context, parsed, [*arguments, received], embedded_error), body, interim)
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
        return read_body(body, announced, is_part=row.body is BodyKind.PART)
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


def _parse_and_check(row: Row, context: RequestContext) -> tuple[_Parsed, list[object]]:
    """Return what the row declares of the request, and the arguments of the operation without the body.

    Raises:
        ErrorResponse: If the service refuses the request.
        UnsupportedRequest: If the fake does not support it.
    """
    if context.service_headers:
        _check_mfa_transport(context)
    bucket = _open_bucket(row, context)
    parsed = _parse(row, context)
    return parsed, _check(row, context, bucket, parsed)


def _check_mfa_transport(context: RequestContext) -> None:
    """Check that an MFA code came over https.

    Raises:
        ErrorResponse: AccessDenied.
    """
    if "mfa" in context.service_headers and context.request.scheme != "https":
        raise ACCESS_DENIED.error(
            explanation=f"{context.dialect.header('mfa')} was sent over {context.request.scheme}; use https"
        )


def _open_bucket(row: Row, context: RequestContext) -> BucketRecord | None:
    """Return the request's bucket, after its lifecycle rules have acted and the requester is authorized.

    Raises:
        ErrorResponse: InvalidBucketOwnerAWSAccountID, NoSuchBucket, InvalidRequest or AccessDenied.
    """
    if not row.needs_bucket:
        if context.requester is ANONYMOUS and not row.is_public:
            raise ACCESS_DENIED.error(explanation=f"an anonymous requester may not {row.name}; sign the request")
        return None
    sent = BucketHeaders.parse(context)
    bucket = context.state.bucket(context.bucket_name)
    check_expected_owner(sent.expected_owner, bucket)
    check_signature_version(context, bucket)
    check_request_payer(context, bucket, sent.payer)
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
        CopySourceHeaders.parse(context) if row.copies else None,
    )


def _check(row: Row, context: RequestContext, bucket: BucketRecord | None, parsed: _Parsed) -> list[object]:
    """Check everything that can refuse the operation, and return the arguments of its function, without the body.

    Raises:
        ErrorResponse: If the requester lacks an access, a condition does not hold, or the source cannot be copied.
    """
    arguments: list[object] = [context]
    if bucket is not None:
        arguments.append(bucket)
    if parsed.parameters is not None:
        arguments.append(parsed.parameters)
        for access in parsed.parameters.required_access if bucket is not None else ():
            authorize(access, context, bucket, Resource.of(context))  # type: ignore[arg-type]
    source = None if parsed.source is None else resolve_copy_source(context, parsed.source)
    if source is not None:
        arguments.append(source)
    if row.check is not None:
        row.check(*arguments)
    conditions = None if parsed.source is None else parsed.source.conditions
    if source is not None and conditions is not None:
        failure = conditions.first_failure(source, context.now)
        if failure is not None:
            raise failure.error()
    if parsed.preconditions is not None and bucket is not None:
        parsed.preconditions.check(bucket, context.key)
    return arguments


def _ignores_body(row: Row, context: RequestContext) -> bool:
    """Return whether the request has a body that the operation ignores, as GET and HEAD do. [unexpected-body]"""
    return row.body is None and context.request.method in _BODY_IS_IGNORED and has_body(context)


def _reads_body(row: Row, context: RequestContext) -> bool:
    if row.body is None:
        return False
    return not row.body_is_optional or has_body(context)


def _parse_announced_body(row: Row, context: RequestContext) -> AnnouncedBody:
    """Return what the headers say about the body.

    Raises:
        ErrorResponse: As :meth:`AnnouncedBody.parse`.
    """
    most, default_checksum = LONGEST_DOCUMENT, None
    if row.body in _OBJECTS:
        limit, semantics = context.limits.object_size, context.semantics
        most = limit if semantics.largest_upload is None else min(limit, semantics.largest_upload)
        default_checksum = semantics.default_checksum
    elif row.body is BodyKind.PART:
        most = context.limits.part_size
    return AnnouncedBody.parse(context, most, default_checksum, row.body_headers)


def _parse_body(row: Row, body: ReceivedBody, xml_namespace: str | None) -> object:
    if row.body in _CONTENTS:
        return body
    content = bytes(body.content)
    shape = row.body
    if shape is None or isinstance(shape, BodyKind):
        return content
    return parse(shape, content, xml_namespace, row.hint)


def _apply(
    operation: Operation,
    context: RequestContext,
    parsed: _Parsed,
    arguments: list[object],
    embedded_error: ErrorCode | None,
) -> Result:
    # A requester who pays has sent this header; otherwise the request was refused before.
    charge = _charge_headers(context, parsed, arguments) if REQUEST_PAYER_HEADER in context.service_headers else {}
    if embedded_error is None:
        result = operation.run(*arguments)
        return result._replace(service_headers={**result.service_headers, **charge}) if charge else result
    # What the operation itself refuses is not embedded. It works on a copy of the bucket. [error-in-a-200-reply]
    operation.run(*(each.copy() if isinstance(each, BucketRecord) else each for each in arguments))
    # The service sends blanks while it works, and then the result (specification, section 7).
    resource = context.address.resource if context.semantics.errors_name_resource else None
    document = render_error(embedded_error.error(), resource, context.ids, leading_blanks=8)
    return Result(service_headers=charge, body=document, chunked=True, explanation=PLANNED_FAULT)


def _charge_headers(context: RequestContext, parsed: _Parsed, arguments: list[object]) -> dict[str, str]:
    """Return the header that says that the requester pays, if that is so for the bucket or for that of the source."""
    buckets = [each for each in arguments if isinstance(each, BucketRecord)]
    if parsed.source is not None:
        buckets.append(context.state.bucket(parsed.source.source.bucket))
    return charge_headers(context, buckets)
