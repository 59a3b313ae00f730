"""The pipeline: the steps of a request, from its address to the result of its operation.

A step gets the request, fills in its results, and raises an error of the service if it refuses the request. The lists
of steps are at the end of the module.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from fakestore.errors import (
    ACCESS_DENIED,
    BAD_REQUEST,
    EXPECTATION_FAILED,
    INVALID_REQUEST,
    UNEXPECTED_CONTENT,
    ErrorResponse,
)
from fakestore.http.message import ConnectionFailure, Delivery, Request, check_header_section
from fakestore.http.values import parse_expect
from fakestore.model.accounts import ANONYMOUS
from fakestore.model.bucket import BucketRecord
from fakestore.model.content import pieces_of
from fakestore.model.names import check_key, is_header_name, is_header_value
from fakestore.operations.framework.access import NO_CREDENTIALS, authorize
from fakestore.operations.framework.allowed_names import AllowedNames, LateRefusal
from fakestore.operations.framework.body import (
    BodyHeaders,
    MissingBody,
    ReceivedBody,
    client_body,
    has_body,
    invalid_length,
    read_body,
    sends_checksum,
)
from fakestore.operations.framework.call import Call, Resource
from fakestore.operations.framework.inputs import Guard, Parameters, Preconditions, Source
from fakestore.operations.framework.result import OK, Result
from fakestore.protocol.addressing import parse_address
from fakestore.protocol.auth.payload import ChunkedPayload
from fakestore.protocol.auth.scheme import PLAIN
from fakestore.protocol.unsupported import prefixed_headers, refuse_other_services
from fakestore.xml.document import parse as parse_document

#: The methods whose body is ignored by an operation without a body. [unexpected-body]
_BODY_IS_IGNORED = ("GET", "HEAD")


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class PipelineCall(Call):
    """A call with everything that the steps pass on to each other, until the reply.

    Args:
        foreign_headers: The names of headers of other services.
        allowed_names: The names of headers and query parameters that the request may carry.
        late_refusals: What may be refused after authentication.
        reply_headers: Standard headers that the reply has, whether or not the request is refused.
        guards: The guards, with the headers that they read.
        guard_headers: The headers of the dialect that the guards add to a success.
        delivery: The reply and how it is delivered, or how the connection fails; None until then.
    """

    foreign_headers: list[str] = field(init=False)
    allowed_names: AllowedNames = field(init=False)
    late_refusals: Sequence[LateRefusal] = ()
    reply_headers: dict[str, str] = field(default_factory=dict)
    guards: Sequence[Guard] = ()
    guard_headers: dict[str, str] = field(default_factory=dict)
    bucket: BucketRecord | None = None
    parameters: Parameters | None = None
    preconditions: Preconditions | None = None
    source: Source | None = None
    body: ReceivedBody | None = None
    result: Result = OK
    error: ErrorResponse | None = None
    delivery: Delivery | ConnectionFailure | None = None


# -- the operation


def read_address(call: PipelineCall) -> None:
    """Find out what the request names."""
    _check_headers(call.received)
    call.received_address = parse_address(call.received, call.service.endpoint)


def _check_headers(request: Request) -> None:
    """Check that each header has a name and a value that a header can have. [invalid-headers]"""
    headers = request.headers.by_name
    for name in headers:
        if not is_header_name(name):
            raise BAD_REQUEST.error(explanation=f"{name!r} cannot be the name of a header; it is not a token of HTTP")
    if not is_header_value("".join(headers.values())):
        name = next(name for name, value in headers.items() if not is_header_value(value))
        raise BAD_REQUEST.error(explanation=f"the value of the header {name} has a control character; remove it")


def strip_credentials(call: PipelineCall) -> None:
    """Set the request that the operation sees, without the credentials of a presigned URL."""
    request, address = call.service.authenticator.without_credentials(call.received, call.received_address)
    call.replace_request(request, address)
    call.service_headers, call.foreign_headers = prefixed_headers(request.headers, call.dialect.header_prefix)


def find_operation(call: PipelineCall) -> None:
    """Refuse a request for another service, and find the operation."""
    refuse_other_services(call.received, call.dialect.header_prefix)
    try:
        call.allowed_names = call.operations.find(call)
    except ErrorResponse as error:
        authenticator, accounts = call.service.authenticator, call.state.accounts
        raise authenticator.explain(error, call.received, call.received_address, accounts) from None
    call.operation = call.allowed_names.operation


def check_names(call: PipelineCall) -> None:
    """Check that the operation knows every header and query parameter. Some headers are refused later."""
    call.late_refusals = call.allowed_names.check(call, call.foreign_headers)


def add_reply_headers(call: PipelineCall) -> None:
    """Add the headers that the reply has, even if a later step refuses the request."""
    for headers in call.operations.headers_of_every_reply:
        call.reply_headers |= headers(call)


def read_fields(call: PipelineCall) -> None:
    """Read the fields at the beginning of the body, if the operation has them."""
    call.operation.credentials.read_fields(call)


# -- the requester


def authenticate(call: PipelineCall) -> None:
    """Find out who sent the request, if its host leads to its bucket."""
    if call.semantics.limits_every_header_section:
        check_header_section(call.received, call.limits.header_section)
    bucket_name = call.bucket_name if call.operation.needs_bucket else ""
    bucket = call.state.buckets.get(bucket_name)
    if bucket is not None:
        call.operations.check_host(call, bucket)
    region = call.service.find_region(call.received.host, bucket_name)
    if call.bucket_name:  # at a host without regions, the service itself belongs to no region
        region = region or call.service.authenticator.settings.region
    call.requester, call.payload, call.signature = call.operation.credentials.authenticate(call, region)


def refuse_late_headers(call: PipelineCall) -> None:
    """Refuse known headers in the wrong request, after a wrong signature. [headers-in-the-wrong-request]"""
    for refusal in call.late_refusals:
        error = refusal.error(call, refusal.name)
        if error is not None:
            raise error


def check_ignored_body(call: PipelineCall) -> None:
    """Check a body that the operation ignores against the hash in the request. [unexpected-body]"""
    payload = call.payload
    is_ignored = call.operation.body is None and call.request.method in _BODY_IS_IGNORED
    is_checked = payload is not PLAIN and not isinstance(payload, ChunkedPayload)
    if is_ignored and is_checked and has_body(call):
        deque(pieces_of(payload.decode(client_body(call))), maxlen=0)


# -- the turns, and the body between them


def take_turns(call: PipelineCall) -> None:
    """Check the request in one turn, read its body, and apply the operation in another turn.

    No other thread uses the store during a turn. An operation that has no body is applied in the first turn. The second
    turn repeats the checks if another thread used the store while the body was read. It repeats them after every XML
    document, because the policy may have conditions on it.
    """
    operation, turns = call.operation, call.service.turns
    with turns:
        for step in CHECKS:
            step(call)
        if operation.body is None:
            apply(call)
            return
        first_turn = turns.number
    receive_body(call, operation.body)
    with turns:
        if turns.had_others_since(first_turn) or call.document is not None:
            for step in REPEATED_CHECKS:
                step(call)
        apply(call)


def receive_body(call: PipelineCall, body_type: type[ReceivedBody]) -> None:
    """Read the body, check it against its headers, and parse a document. A missing body is checked as an empty one."""
    operation = call.operation
    is_missing = operation.body_is_optional and not has_body(call)
    if is_missing:
        body_type = MissingBody
    headers = BodyHeaders.parse(call, body_type, has_checksum=operation.body_has_checksum)
    sent = b"" if is_missing else client_body(call)
    body = read_body(body_type, call.payload.decode(sent), headers)
    if is_missing:
        return
    call.body = body  # before it is parsed, so that the exchange has a document that is malformed
    if operation.shape is not None:
        content = bytes(body.content)
        call.document = parse_document(operation.shape, content, call.dialect.xml_namespace, operation.hint)
    if operation.needs_checksum and call.semantics.documents_need_checksum and not sends_checksum(call):
        header = call.dialect.header("checksum-*")
        raise INVALID_REQUEST.error(
            f"Missing required header for this request: Content-MD5 OR {header}",
            explanation=f"{operation.name} needs the MD5 or a checksum of its body; send Content-MD5, or a header such"
            f" as {call.dialect.header('checksum-crc32')}",
        )


# -- the steps of a turn


def read_guards(call: PipelineCall) -> None:
    """Read the headers of the guards, if the request has some of them."""
    table, needs_bucket = call.operations, call.operation.needs_bucket
    call.guards = table.guards_without_headers
    if not table.guard_headers.isdisjoint(call.service_headers):
        call.guards = [guard.parse(call) for guard in table.guards if needs_bucket or not guard.needs_bucket]


def open_bucket(call: PipelineCall) -> None:
    """Find the bucket, let the guards check the request, and let its lifecycle rules act."""
    operation = call.operation
    if not operation.needs_bucket:
        if call.requester is ANONYMOUS and operation.access is not None:
            raise ACCESS_DENIED.error(explanation=f"anonymous may not {operation.name}: {NO_CREDENTIALS}")
        return
    call.bucket, call.guard_headers = call.state.bucket(call.bucket_name), {}
    _admit(call, call.bucket, call.guards)


def _admit(call: PipelineCall, bucket: BucketRecord, guards: Iterable[Guard]) -> None:
    """Let guards check the request for a bucket, and let the lifecycle rules of the bucket act."""
    for guard in guards:
        call.guard_headers |= guard.check_bucket(call, bucket)
    bucket.apply_lifecycle(call.now)


def authorize_requester(call: PipelineCall) -> None:
    """Check that the requester has the access that the operation declares."""
    operation, bucket = call.operation, call.bucket
    if operation.anonymous_error and call.requester is ANONYMOUS:
        raise ACCESS_DENIED.error(
            operation.anonymous_error,
            explanation=f"anonymous may not {operation.name}, whatever policy and ACL say: {NO_CREDENTIALS}",
        )
    if operation.access is None or bucket is None:
        return
    # Some policies can decide only after the document was read. [policy-conditions-on-a-document]
    awaits_document = call.operations.condition_keys.awaits_document
    if operation.shape is None or not awaits_document(call, operation.shape, bucket.policy):
        authorize(operation.access, call, bucket, Resource(call.key, call.version_id))


def check_request(call: PipelineCall) -> None:
    """Check the parts of the request that are not inputs of the operation."""
    operation = call.operation
    if call.key:
        check_key(call.key)
    if "expect" in call.headers and call.semantics.refuses_unknown_expectations:
        unknown = parse_expect(call.headers["expect"]) - {"100-continue"}
        if unknown:
            raise EXPECTATION_FAILED.error(explanation=f"Expect has {min(unknown)!r}; only 100-continue is known")
    if call.request.method == "PUT" and call.headers.get("content-length") == "":
        raise invalid_length("")  # [content-length]
    if operation.body is None and call.request.method not in _BODY_IS_IGNORED and has_body(call):
        raise UNEXPECTED_CONTENT.error(explanation=f"{operation.name} has no body; send none")


def parse_inputs(call: PipelineCall) -> None:
    """Read the query and the headers."""
    operation = call.operation
    call.parameters = None if operation.parameters is None else operation.parameters.parse(call)
    call.preconditions = None if operation.preconditions is None else operation.preconditions.parse(call)
    call.source = None if operation.source is None else operation.source.parse(call)


def authorize_parameters(call: PipelineCall) -> None:
    """Check that the requester has the accesses that the query and the headers need."""
    if call.parameters is not None and call.bucket is not None:
        for access in call.parameters.required_access:
            assert access in call.parameters.further_access, access
            authorize(access, call, call.bucket, Resource(call.key, call.version_id))


def find_source(call: PipelineCall) -> None:
    """Find the second resource, if the operation reads one."""
    source = call.source
    if source is not None:
        guards = [guard.parse(call) for guard in source.guards]
        source_bucket = call.state.bucket(source.bucket_name)
        _admit(call, source_bucket, guards)
        call.source = source.find(call, source_bucket)


def check_inputs(call: PipelineCall) -> None:
    """Check the headers, the conditions on the source, and then the conditions on the object that would be changed."""
    for each in (call.parameters, call.source, call.preconditions):
        if each is not None and call.bucket is not None:
            each.check_state(call, call.bucket)


def apply(call: PipelineCall) -> None:
    """Call the function of the operation."""
    result = call.operation.perform(call)
    if result.changes and call.bucket is not None:
        call.service.note_changes(call, call.bucket, result.changes)
    if call.guard_headers:
        result = result._replace(service_headers={**result.service_headers, **call.guard_headers})
    call.result = result


#: FIRST_STEPS run before a planned fault. The fault can replace OPERATION_STEPS.
FIRST_STEPS = (
    read_address,
    strip_credentials,
    find_operation,
    check_names,
    add_reply_headers,
    read_fields,
)

OPERATION_STEPS = (authenticate, refuse_late_headers, check_ignored_body, take_turns)

#: The checks of the first turn, and those that the second turn repeats.
CHECKS = (
    read_guards,
    open_bucket,
    authorize_requester,
    check_request,
    parse_inputs,
    authorize_parameters,
    find_source,
    check_inputs,
)

REPEATED_CHECKS = (open_bucket, authorize_requester, authorize_parameters, find_source, check_inputs)
