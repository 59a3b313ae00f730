"""Acceptance: the names of query parameters, headers and fields that a request for an operation may carry.

The fake never ignores a name that could mean something. It refuses each one that the operation does not know.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, NoReturn, Self

from fakestore.errors import HEADER_SECTION_TOO_LARGE, UnsupportedRequest, invalid_argument
from fakestore.http.message import Headers, Request
from fakestore.model.names import is_header_name
from fakestore.model.semantics import Limits
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.operation import Operation
from fakestore.protocol.dialect import Dialect
from fakestore.protocol.unsupported import (
    describe_foreign_headers,
    feature_of_field,
    feature_of_header,
    feature_of_parameter,
    is_unknown_parameter,
    prefixed_headers,
)


def check_header_section(request: Request, limits: Limits) -> None:
    """Check the size of the header section, with the Host header. [header-section]"""
    size, limit = request.headers.size, limits.header_section
    if "host" not in request.headers.by_name:
        size += len(f"host: {request.host}\r\n")
    if size > limit:
        raise HEADER_SECTION_TOO_LARGE.error(
            explanation=f"the headers have {size:,} bytes together, more than the {limit:,} that are accepted",
            MaxSizeAllowed=str(limit),
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

#: Standard headers that only an object keeps. A body that is not the content of an object cannot have them.
#: [object-headers-without-an-object]
OBJECT_HEADERS = frozenset({"content-disposition", "content-language", "expires"})

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

#: Headers of the dialect for an aws-chunked body.
_CHUNK_HEADERS = frozenset({"decoded-content-length", "trailer"})

#: Headers of the dialect that are refused after authentication, which may refuse them with an error of its own.
_REFUSED_LATER = _CHUNK_HEADERS | {"expires"}


class MisplacedHeader(NamedTuple):
    """A header of the dialect that the service refuses in a request for an operation that does not read it.

    Args:
        message: The message of the error, with ``{}`` for the name of the header; None for the message of the table.
        advice: The end of the explanation.
    """

    message: str | None
    advice: str


class Acceptance(NamedTuple):
    """The names that a request for an operation may carry.

    Args:
        service_headers: The headers of the dialect, without its prefix, except those that the dialect accepts with
            every operation. ``meta-*`` stands for every header of user metadata.
        body_fields: The fields in the body that are headers of the dialect, with ``meta-*`` in the same way.
        misplaced_headers: Headers of the dialect that are an error of the service.
        standard_headers: The standard headers that only some operations accept.
        refused_headers: The standard headers that the operation does not accept.
    """

    operation: Operation
    query: frozenset[str]
    service_headers: frozenset[str]
    body_fields: frozenset[str]
    misplaced_headers: Mapping[str, MisplacedHeader]
    standard_headers: frozenset[str]
    refused_headers: frozenset[str]

    @classmethod
    def of(cls, operation: Operation, of_guards: frozenset[str], misplaced: Mapping[str, MisplacedHeader]) -> Self:
        """Return the names for an operation.

        Args:
            of_guards: The headers that its guards read.
            misplaced: The headers that the service refuses, if the operation does not read them.
        """
        route = operation.route
        of_body = operation.body.header_names if operation.body is not None and operation.body_has_checksum else ()
        own = frozenset(of_body).union(*(each.header_names for each in operation.inputs))
        has_fields = operation.body_fields is not None
        declared = {name for each in operation.inputs for name in each.standard_header_names}
        standard_headers = SELECTIVE_HEADERS & declared
        return cls(
            operation,
            query=route.parameters.union(route.optional_parameters, *(each.query_names for each in operation.inputs)),
            service_headers=of_guards if has_fields else own | of_guards,
            body_fields=own if has_fields else frozenset(),
            misplaced_headers={name: each for name, each in misplaced.items() if name not in own},
            standard_headers=standard_headers,
            refused_headers=_refused_headers(operation, standard_headers),
        )

    @property
    def _may_be_chunked(self) -> bool:
        """Whether the body may be sent with ``Content-Encoding: aws-chunked``, if the dialect has that."""
        return self.operation.body is not None and self.operation.body_fields is None

    def reads(self, parameters: frozenset[str]) -> bool:
        """Return whether the operation reads these query parameters."""
        return self.operation.route.any_query or parameters <= self.query

    def check_request(self, call: Call, foreign: list[str]) -> tuple[str, ...]:
        """Check that the operation knows everything that the request carries.

        A preflight may carry anything: its query belongs to the request that follows it. [preflights]

        Args:
            foreign: The names of headers of other services.

        Returns:
            The query parameters that are ignored. [unknown-query-parameters]
        """
        if self.operation.route.any_query:
            return ()
        unknown = [name for name in call.query if name not in self.query]
        if len(unknown) > _MOST_UNKNOWN_PARAMETERS:
            raise UnsupportedRequest(
                f"{self.operation.name}: {len(unknown):,} unknown query parameters are not supported, because each is"
                f" compared with the known ones; send at most {_MOST_UNKNOWN_PARAMETERS:,}"
            )
        ignored = []
        for name in unknown:
            if _is_ignored(name, call):
                ignored.append(name)
            else:
                self._check_sdk_parameter(name, call)
        for name in call.service_headers:
            if name not in call.dialect.common_headers and not _is_listed(name, self.service_headers):
                self._check_unlisted_header(name, call)
        if foreign:
            raise self._unsupported_foreign_headers(foreign, call.request.headers, call.dialect)
        refused = self.refused_headers.intersection(call.headers)
        has_only_md5 = refused == {"content-md5"} and call.headers["content-md5"] == _MD5_OF_NOTHING
        if refused and (self.operation.body is not None or not has_only_md5):
            raise self._unsupported_standard_header(min(refused))
        return tuple(ignored)

    def check_payload(self, call: Call) -> None:
        """Check the headers that are refused after the requester is authenticated."""
        misplaced = next((name for name in self.misplaced_headers if name in call.service_headers), None)
        if misplaced is None and _REFUSED_LATER.isdisjoint(call.service_headers):
            return
        if "expires" in call.service_headers:
            self._raise_refused("expires", "belongs in the query of a presigned URL", call.dialect)
        if misplaced is not None:
            header, (message, advice) = call.dialect.header(misplaced), self.misplaced_headers[misplaced]
            raise invalid_argument(
                header,
                call.service_headers[misplaced],
                None if message is None else message.format(header),
                explanation=f"{header} does not belong to {self.operation.name}; {advice}",
            )
        if call.sender.payload.decoded_length is None and not _CHUNK_HEADERS.isdisjoint(call.service_headers):
            name = min(_CHUNK_HEADERS.intersection(call.service_headers))
            self._raise_refused(name, "is only supported with Content-Encoding: aws-chunked", call.dialect)

    def _raise_refused(self, name: str, why: str, dialect: Dialect) -> NoReturn:
        raise UnsupportedRequest(f"{self.operation.name}: the header {dialect.header(name)!r} {why}")

    def check_fields(self, fields: Mapping[str, str], dialect: Dialect) -> None:
        """Check that the operation knows the fields at the beginning of the body that mean something.

        Args:
            fields: The fields that are not credentials, by lower-case name.
        """
        for name in fields:
            feature = feature_of_field(name)
            if feature is not None:
                raise UnsupportedRequest(f"{self.operation.name}: the field {name!r} belongs to {feature}")
            bare = name.removeprefix(dialect.header_prefix)
            is_own = bare != name
            if is_own and not is_header_name(bare):
                raise UnsupportedRequest(f"{self.operation.name}: the field {name!r} cannot be the name of a header")
            if name in SELECTIVE_HEADERS or (is_own and not _is_listed(bare, self.body_fields)):
                known = [dialect.header(each) for each in sorted(self.body_fields)]
                raise self._unsupported("field", name, known, f". {self.operation.hint}")
        headers = Headers(fields)
        _, foreign = prefixed_headers(headers, dialect.header_prefix)
        if foreign:
            raise self._unsupported_foreign_headers(foreign, headers, dialect)

    def _check_sdk_parameter(self, name: str, call: Call) -> None:
        """Check that a parameter that the operation does not read names the operation or the version of the interface.

        SDKs send such names. [x-id-and-api-version]
        """
        value, api_version = call.query[name], call.dialect.api_version
        if name not in ("x-id", "Version") or api_version is None:
            raise self._unsupported_parameter(name, call)
        if name == "Version":
            self._check_api_version(f"query parameter {name!r}", value, api_version)
        elif value != self.operation.api_name:
            raise UnsupportedRequest(
                f"{self.operation.name}: the query parameter 'x-id' names another operation, {value!r}; leave it out"
            )

    def _check_unlisted_header(self, bare: str, call: Call) -> None:
        dialect = call.dialect
        if bare in self.misplaced_headers:
            return  # refused by check_payload
        if bare in _CHUNK_HEADERS and self._may_be_chunked and dialect.aws_chunked:
            return
        if bare != "api-version" or dialect.api_version is None:
            raise self._unsupported_header(bare, dialect)
        version = call.service_headers[bare]
        self._check_api_version(f"header {dialect.header(bare)!r}", version, dialect.api_version)

    def _check_api_version(self, place: str, value: str, supported: str) -> None:
        if value != supported:
            raise UnsupportedRequest(
                f"{self.operation.name}: the {place} names version {value!r} of the interface; supported: {supported!r}"
            )

    def _unsupported_foreign_headers(self, names: list[str], headers: Headers, dialect: Dialect) -> UnsupportedRequest:
        return UnsupportedRequest(f"{self.operation.name}: {describe_foreign_headers(names, headers, dialect)}")

    def _unsupported_parameter(self, name: str, call: Call) -> UnsupportedRequest:
        feature = feature_of_parameter(name, call.query)
        if feature is not None:
            return UnsupportedRequest(f"{self.operation.name}: the query parameter {name!r} belongs to {feature}")
        subresources = call.operations.describe_subresources(call.address.scope)
        return self._unsupported("query parameter", name, sorted(self.query), f". {subresources}")

    def _unsupported_header(self, bare: str, dialect: Dialect) -> UnsupportedRequest:
        feature, name = feature_of_header(bare, dialect), dialect.header(bare)
        if feature is not None:
            return UnsupportedRequest(f"{self.operation.name}: the header {name!r} belongs to {feature}")
        more = f". {self.operation.hint}" if self.operation.hint else ""
        if bare == "meta-":
            return self._unsupported_because(name, "user metadata needs a name after it", more)
        if bare.startswith("meta-"):
            return self._unsupported_because(name, _NOT_STORED, more)
        supported = (self.service_headers | dialect.common_headers) - {"expires"}  # refused by check_payload
        known = [dialect.header(each) for each in sorted(supported)]
        return self._unsupported("header", name, known, more)

    def _unsupported_standard_header(self, name: str) -> UnsupportedRequest:
        more = f". {self.operation.hint}" if self.operation.hint else ""
        if name in _REASONS:
            return self._unsupported_because(name, _REASONS[name], more)
        return self._unsupported("condition", name, sorted(self.standard_headers), more)

    def _unsupported_because(self, header: str, reason: str, more: str) -> UnsupportedRequest:
        return UnsupportedRequest(
            f"{self.operation.name}: the header {header!r} is not supported, because {reason}; leave it out{more}"
        )

    def _unsupported(self, kind: str, name: str, known: list[str], more: str) -> UnsupportedRequest:
        supported = f"supported: {', '.join(known)}" if known else f"this operation supports no {kind}s"
        return UnsupportedRequest(f"{self.operation.name}: the {kind} {name!r} is not supported; {supported}{more}")


def _refused_headers(operation: Operation, listed: frozenset[str]) -> frozenset[str]:
    """Return the standard headers that an operation does not accept."""
    refused, kind = SELECTIVE_HEADERS - listed, operation.body
    if kind is None or kind.fields is not None:
        refused |= {"content-md5"}
    # Without a body, these headers are used by the operation or mean nothing.
    if kind is not None and not kind.stores_headers:
        refused |= OBJECT_HEADERS
    return refused


def _is_ignored(name: str, call: Call) -> bool:
    """Return whether the service ignores a query parameter that the operation does not read."""
    if name.lower().startswith(call.dialect.header_prefix) or not call.semantics.ignores_unknown_parameters:
        return False
    return is_unknown_parameter(name, call.operations.query_parameters)


def _is_listed(name: str, listed: frozenset[str]) -> bool:
    return name in listed or (name.startswith("meta-") and name != "meta-" and "meta-*" in listed)
