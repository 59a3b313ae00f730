"""What the public service refuses: a request without an operation, and a header in the wrong operation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from fakestore.errors import INVALID_REQUEST, METHOD_NOT_ALLOWED, ErrorResponse, invalid_argument
from fakestore.operations.copy_source import CopySource, ExpectedSourceOwner
from fakestore.operations.encryption import METHOD_HEADERS
from fakestore.operations.framework.allowed_names import LateRefusal, unsupported
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.operation import Operation
from fakestore.protocol.addressing import Address
from fakestore.protocol.routing import Route

#: The methods in the order of the service's Allow header. Every resource answers OPTIONS, and the header leaves it out.
_METHODS = ("HEAD", "DELETE", "POST", "GET", "PUT")

#: The names of resources that are not like their query parameters. The access logs of the service have them.
_TYPES = {
    "delete": "MULTI_OBJECT_DELETE",
    "logging": "LOGGING_STATUS",
    "policy": "BUCKETPOLICY",
    "uploadId": "UPLOAD",
    "versions": "BUCKETVERSIONS",
}


def refuse(method: str, address: Address, routes: Iterable[Route]) -> None:
    """Refuse a request as the public service does, if no operation takes its method or its query parameters.

    [requests-without-an-operation] [part-number-without-an-upload]

    Args:
        routes: The routes of all operations.
    """
    scope = address.scope
    by_resource: dict[str | None, list[Route]] = {name: [] for name in (*address.query, "")}
    for route in routes:
        if (
            route.method in _METHODS
            and (name := _resource(route, address.query)) in by_resource
            and (name or route.scope == scope)
        ):
            by_resource[name].append(route)
    resource = next((name for name in address.query if by_resource[name]), "")
    same = by_resource[resource]
    allowed = [each for each in _METHODS if each in {route.method for route in same}]
    if method not in allowed:
        kind = _TYPES.get(resource) or re.sub("-|(?=[A-Z])", "_", resource or scope).upper()
        allow = ", ".join(allowed)
        raise ErrorResponse(
            METHOD_NOT_ALLOWED,
            explanation=f"{method} is not a method of {resource or scope!r}; it allows {allow}",
            elements={"ResourceType": kind},
            allow=allow,
        )
    if scope == "object" and "partNumber" in address.query and "uploadId" not in address.query:
        raise invalid_argument(
            "partNumber",
            address.query["partNumber"],
            "This operation does not accept partNumber without uploadId",
            explanation="to upload a part, send the uploadId, too; to store an object, omit partNumber",
        )
    if scope == "service" or any(route.scope == scope and route.method == method for route in same):
        return
    if scope == "bucket":
        raise INVALID_REQUEST.error(
            "A key must be specified", explanation=f"{method} with ?{resource} is for an object; name its key"
        )
    is_of_keys = any(route.scope == "object" for route in same)
    raise INVALID_REQUEST.error(
        f"Key is not expected for the {method} method ?{resource} subresource"
        if is_of_keys
        else f"There is no such thing as the ?{resource} sub-resource for a key",
        explanation=f"{method} with ?{resource} is for a bucket; omit the key",
    )


def _resource(route: Route, query: Mapping[str, str]) -> str | None:
    """Return what a route is for: a subresource, an upload, nothing but its scope (empty), or a part (None).

    A part counts as its upload if the query names both.
    """
    if route.subresource is not None:
        return route.subresource
    if route.value is not None:
        return ""
    if len(route.query) < 2:
        return next(iter(route.query), "")
    return "uploadId" if route.query <= query.keys() else None


def _misplaced(name: str, advice: str, message: str | None = None) -> LateRefusal:
    """Return the refusal of a header in another operation. The message may have ``{}`` for the name of the header."""

    def error(call: Call, name: str) -> ErrorResponse:
        header = call.dialect.header(name)
        return invalid_argument(
            header,
            call.service_headers[name],
            None if message is None else message.format(header),
            explanation=f"{header} does not belong to {call.operation.name}; {advice}",
        )

    return LateRefusal(name, error)


_OF_SOURCES = tuple(
    _misplaced(
        name,
        "only copies have it, and their path names a key",
        "You can only specify a copy source header for copy requests.",
    )
    for name in (*CopySource.header_names, *ExpectedSourceOwner.header_names, "copy-source-range")
)

_DIRECTIVES = tuple(_misplaced(name, "only copies have it") for name in ("metadata-directive", "tagging-directive"))

#: The answer of the service is not known.
_RANGE_OF_A_COPY = LateRefusal(
    "copy-source-range",
    lambda call, name: unsupported(
        call,
        f"the header {call.dialect.header(name)!r} is not supported, because a copy has the whole source; only Upload"
        " Part Copy has a range",
    ),
)

_OF_NEW_OBJECTS = tuple(
    _misplaced(
        name,
        "send it with the request that stores the object or begins the upload",
        "{} header is not supported for this operation.",
    )
    for name in METHOD_HEADERS
)


def misplaced_headers(operation: Operation) -> tuple[LateRefusal, ...]:
    """Return the headers that the service refuses, unless the operation reads them.

    [headers-of-copies] [encryption-header-of-a-read]
    """
    route = operation.route
    is_of_new_object = route.method not in ("GET", "HEAD") and "partNumber" not in route.parameters
    of_sources = _OF_SOURCES if operation.source is None else (_RANGE_OF_A_COPY,)
    return of_sources + _DIRECTIVES + (() if is_of_new_object else _OF_NEW_OBJECTS)
