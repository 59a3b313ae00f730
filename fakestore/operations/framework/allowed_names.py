"""The names of query parameters and headers that a request for an operation may carry.

The fake never ignores a name that could mean something. It refuses each one that the operation does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, Self

from fakestore.errors import ErrorResponse, UnsupportedRequest, invalid_argument
from fakestore.operations.framework.body import OBJECT_HEADERS
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.operation import Operation
from fakestore.protocol.auth.payload import ChunkedPayload
from fakestore.protocol.dialect import Dialect
from fakestore.protocol.unsupported import (
    describe_foreign_headers,
    feature_of_header,
    feature_of_parameter,
    is_unknown_parameter,
)

#: Standard headers that an operation must list before it accepts them: conditions; Content-Range, which makes a body a
#: part of an object; digests other than Content-MD5, and HTTP trailers, which nothing here would check.
SELECTIVE_HEADERS = frozenset(
    {
        "if-match",
        "if-none-match",
        "if-modified-since",
        "if-unmodified-since",
        "if-range",
        "content-range",
        "digest",
        "content-digest",
        "repr-digest",
        "trailer",
    }
)

_NOT_STORED = "this operation would not store it"

#: Why no operation, or not this one, supports a standard header that is not a condition.
_REASONS = {
    **dict.fromkeys(("content-md5", "digest", "content-digest", "repr-digest"), "nothing would check it"),
    **dict.fromkeys(OBJECT_HEADERS, _NOT_STORED),
    "content-range": "no operation writes a range of an object",
    "trailer": "trailing headers are read only in a body with aws-chunked",
}

#: The Content-MD5 of an empty body. It is right for every request without a body.
_MD5_OF_NOTHING = "1B2M2Y8AsgTpgAmY7PhCfg=="

#: The maximum number of unknown query parameters of a request. Each is compared with all known names, which takes time.
_MOST_UNKNOWN_PARAMETERS = 1000


class LateRefusal(NamedTuple):
    """A header of the dialect that is refused after authentication, because a wrong signature is refused first.

    Args:
        name: The name without the prefix of the dialect.
        error: Returns the error of a request with a header of this name; None if the header is accepted.
        when: Returns whether the dialect has the header. Otherwise it is refused at once, like any unknown header.
    """

    name: str
    error: Callable[[Call, str], ErrorResponse | UnsupportedRequest | None]
    when: Callable[[Dialect], bool] = lambda dialect: True


def _refuse_expires(call: Call, name: str) -> UnsupportedRequest:
    return unsupported(call, f"the header {call.dialect.header(name)!r} belongs in the query of a presigned URL")


def _refuse_without_chunks(call: Call, name: str) -> UnsupportedRequest | None:
    payload = call.payload
    if isinstance(payload, ChunkedPayload) or payload.decoded_length is not None:
        return None
    header = call.dialect.header(name)
    return unsupported(call, f"the header {header!r} is only supported with Content-Encoding: aws-chunked")


_EXPIRES = LateRefusal("expires", _refuse_expires, when=lambda dialect: dialect.query_scheme is not None)

_OF_CHUNKS = tuple(
    LateRefusal(name, _refuse_without_chunks, when=lambda dialect: dialect.aws_chunked)
    for name in ("decoded-content-length", "trailer")
)


class AllowedNames(NamedTuple):
    """The names that a request for an operation of a table may carry.

    Args:
        headers: The headers of the dialect, without its prefix, except those that the dialect accepts with every
            operation. ``meta-*`` stands for every header of user metadata.
        late: The headers of the dialect that are refused after authentication, in the order of their errors.
        refused_headers: The standard headers that the operation does not accept.
    """

    operation: Operation
    query: frozenset[str]
    headers: frozenset[str]
    late: tuple[LateRefusal, ...]
    refused_headers: frozenset[str]

    @classmethod
    def of(cls, operation: Operation, of_guards: frozenset[str], misplaced: Iterable[LateRefusal]) -> Self:
        """Return the names for an operation.

        Args:
            of_guards: The headers that its guards read.
            misplaced: The headers that the service refuses, if the operation does not read them.
        """
        route, inputs, body = operation.route, operation.inputs, operation.body
        of_body = body.header_names if body is not None and operation.body_has_checksum else ()
        own = frozenset(of_body).union(*(each.header_names for each in inputs))
        of_chunks = _OF_CHUNKS if body is not None and body.has_length else ()
        # Without a body, the headers of an object are used by the operation or mean nothing.
        described = OBJECT_HEADERS if body is None else body.standard_header_names
        return cls(
            operation,
            query=route.parameters.union(route.optional_parameters, *(each.query_names for each in inputs)),
            headers=of_guards if operation.credentials.headers_in_fields else own | of_guards,
            late=tuple(each for each in (_EXPIRES, *misplaced, *of_chunks) if each.name not in own),
            refused_headers=SELECTIVE_HEADERS.union(OBJECT_HEADERS, ["content-md5"]).difference(
                described, *(each.standard_header_names for each in inputs)
            ),
        )

    def check(self, call: Call, foreign: list[str]) -> list[LateRefusal]:
        """Check that the operation knows everything that the request carries, and return what is refused later.

        A preflight may carry anything: its query belongs to the request that follows it. [preflights]

        Args:
            foreign: The names of headers of other services.
        """
        if call.operation.route.any_query:
            return []
        if not call.query.keys() <= self.query:
            call.ignored = self._check_parameters(call)
        late = [each for each in self.late if each.name in call.service_headers and each.when(call.dialect)]
        known = self.headers.union(call.dialect.common_headers, [each.name for each in late])
        for name in call.service_headers:
            if not is_listed(name, known):
                self._check_unknown_header(name, call)
        if foreign:
            raise unsupported(call, describe_foreign_headers(foreign, call.request.headers, call.dialect))
        refused = self.refused_headers.intersection(call.headers)
        has_only_md5 = refused == {"content-md5"} and call.headers["content-md5"] == _MD5_OF_NOTHING
        if refused and (call.operation.body is not None or not has_only_md5):
            name = min(refused)
            if name in _REASONS:
                raise _unsupported_header(call, name, _REASONS[name])
            raise unsupported_name(call, "condition", name, SELECTIVE_HEADERS - self.refused_headers)
        return late

    def _check_parameters(self, call: Call) -> tuple[str, ...]:
        """Return the query parameters that are ignored. [unknown-query-parameters]"""
        unknown = [name for name in call.query if name not in self.query]
        if len(unknown) > _MOST_UNKNOWN_PARAMETERS:
            raise unsupported(
                call,
                f"{len(unknown):,} unknown query parameters are not supported, because each is compared with the known"
                f" ones; send at most {_MOST_UNKNOWN_PARAMETERS:,}",
            )
        return tuple(name for name in unknown if self._ignores(name, call))

    def _ignores(self, name: str, call: Call) -> bool:
        """Return whether the service ignores a query parameter that the operation does not read.

        SDKs also name the operation and the version of the interface. [x-id-and-api-version]
        """
        is_own = name.lower().startswith(call.dialect.header_prefix)
        may_ignore = call.semantics.ignores_unknown_parameters and not is_own
        if may_ignore and is_unknown_parameter(name, call.operations.query_parameters, call.dialect):
            return True
        value, has_version = call.query[name], call.dialect.api_version is not None
        if name == "Version" and has_version:
            _check_api_version(call, f"query parameter {name!r}", value)
        elif name == "x-id" and has_version:
            if value != call.operation.api_name:
                raise unsupported(call, f"the query parameter 'x-id' names another operation, {value!r}; leave it out")
        elif name == "versionId" and call.semantics.refuses_requests_without_an_operation:
            raise invalid_argument(
                name,
                value,
                "This operation does not accept a version-id.",
                explanation=f"{call.operation.name} is not for one version of an object; leave versionId out",
            )
        elif (feature := feature_of_parameter(name, call.query, call.dialect)) is not None:
            raise unsupported(call, f"the query parameter {name!r} belongs to {feature}")
        else:
            subresources = call.operations.describe_subresources(call.address.scope)
            raise unsupported_name(call, "query parameter", name, self.query, f". {subresources}")
        return False

    def _check_unknown_header(self, name: str, call: Call) -> None:
        """Check a header of the dialect that the operation does not read. The first rule for its name decides."""
        dialect, header = call.dialect, call.dialect.header(name)
        if name == "api-version" and dialect.api_version is not None:
            _check_api_version(call, f"header {header!r}", call.service_headers[name])
        elif (feature := feature_of_header(name, dialect)) is not None:
            raise unsupported(call, f"the header {header!r} belongs to {feature}")
        elif name == "meta-":
            raise _unsupported_header(call, header, "user metadata needs a name after it")
        elif name.startswith("meta-"):
            raise _unsupported_header(call, header, _NOT_STORED)
        else:
            raise unsupported_name(call, "header", header, map(dialect.header, self.headers | dialect.common_headers))


def _check_api_version(call: Call, place: str, value: str) -> None:
    supported = call.dialect.api_version
    if value != supported:
        raise unsupported(call, f"the {place} names version {value!r} of the interface; supported: {supported!r}")


def unsupported(call: Call, problem: str) -> UnsupportedRequest:
    """Return the error for a part of a request that the operation does not know."""
    return UnsupportedRequest(f"{call.operation.name}: {problem}")


def unsupported_name(call: Call, what: str, name: str, known: Iterable[str], hint: str = "") -> UnsupportedRequest:
    """Return the error for a name that is not one of the known names."""
    names = ", ".join(sorted(known))
    supported = f"supported: {names}" if names else f"this operation supports no {what}s"
    return unsupported(call, f"the {what} {name!r} is not supported; {supported}{hint or _hint(call)}")


def _unsupported_header(call: Call, header: str, reason: str) -> UnsupportedRequest:
    return unsupported(call, f"the header {header!r} is not supported, because {reason}; leave it out{_hint(call)}")


def _hint(call: Call) -> str:
    return f". {call.operation.hint}" if call.operation.hint else ""


def is_listed(name: str, listed: frozenset[str]) -> bool:
    """Return whether a header of the dialect is in a list of names, in which ``meta-*`` stands for user metadata."""
    return name in listed or (name.startswith("meta-") and name != "meta-" and "meta-*" in listed)
