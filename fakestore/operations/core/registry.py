"""The registry: one row for each operation, with everything that the framework does for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from enum import Enum
from importlib import import_module
from typing import NamedTuple, NoReturn

from fakestore.http.headers import Headers, is_header_name
from fakestore.http.request import Request
from fakestore.http.secrets import hide_parameters
from fakestore.messages import escaped
from fakestore.model.policy import KnownActions
from fakestore.model.unsupported import UnsupportedRequest
from fakestore.operations.core.authorization import Access
from fakestore.operations.core.checksums import CHECKSUM_HEADERS, OBJECT_CHECKSUM_HEADERS
from fakestore.operations.core.copy_source import COPY_SOURCE_HEADERS
from fakestore.operations.core.expected_owner import EXPECTED_OWNER_HEADER
from fakestore.operations.core.parameters import Parameters, Preconditions
from fakestore.operations.core.request_payment import REQUEST_PAYER_HEADER
from fakestore.operations.core.result import Result
from fakestore.protocol.addressing import Address, Scope
from fakestore.protocol.auth.payload import Payload
from fakestore.protocol.dialect import Dialect
from fakestore.protocol.routing import Route, Router
from fakestore.protocol.unsupported import (
    describe_foreign_headers,
    feature_of_field,
    feature_of_header,
    feature_of_parameter,
    foreign_prefixes,
)

#: Standard headers that an operation must list before it accepts them: conditions; Content-Range, which makes a body a
#: part of an object; digests other than Content-MD5, and HTTP trailers, which nothing here would check.
_SELECTIVE_HEADERS = frozenset(
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
_OBJECT_HEADERS = frozenset({"content-disposition", "content-language", "expires"})
#: Content-MD5 of no bytes, which is right for every request without a body.
_MD5_OF_NOTHING = "1B2M2Y8AsgTpgAmY7PhCfg=="
#: Headers of the dialect about an aws-chunked body.
_CHUNK_HEADERS = frozenset({"decoded-content-length", "trailer"})
#: Headers of the dialect that are refused after authentication, which may refuse them with an error of its own.
_REFUSED_LATER = _CHUNK_HEADERS | {"expires"}


class BodyKind(Enum):
    """Bodies that are not documents with a declared shape."""

    #: The content of an object. The function receives a `ReceivedBody`.
    CONTENT = "content"
    #: The content of a part of an object. The function receives a `ReceivedBody`.
    PART = "part"
    #: A browser form. Its fields are the headers of the request, and the function receives its file as a
    #: `ReceivedBody`.
    FORM = "form"
    #: A document that the function parses itself. It receives `bytes`.
    BYTES = "bytes"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Row:
    """What an operation declares. As a decorator, it registers the function that performs the operation.

    Example::

        @operation("GET Bucket location", Route("GET", "bucket", "location"), access=GET_LOCATION)
        def get_bucket_location(context: RequestContext, bucket: BucketRecord) -> Result: ...

    Args:
        name: The name as the author of a test writes it, for example ``PUT Object``.
        route: What a request for this operation looks like.
        access: The action, and what it requires if no policy decides; None if the function authorizes each object.
        parameters: What the operation reads from query and headers.
        preconditions: What the framework checks before the body is read, and again before the function is called.
        body: The shape of the document that the request carries, or the kind of another body.
        body_is_optional: Whether the request may come without a body; the function then receives None.
        checks_body: Whether the headers about checksums are about the body, and accepted for that reason.
        query: The query parameters that are neither in `route` nor in `parameters`.
        service_headers: The headers of the dialect, without its prefix, that neither `parameters` nor `preconditions`
            list. ``meta-*`` stands for every header of user metadata. The headers about checksums, the source of a copy
            and the bucket are added if the row declares a body, `copies` or a bucket. If the body is a form, these are
            fields of the form.
        copies: Whether the operation reads a second object, the source of a copy.
        checks_itself: Accesses that the function checks itself, because only some requests need them.
        check: Refuses what cannot be done, before the body is read. It is called like the function, without the body.
        can_embed_error: Whether the service may answer 200 before it is done, and embed an error in that reply.
        needs_bucket: Whether the bucket must exist.
        is_public: Whether a request needs no credentials. If it has some, they are not checked.
        hint: What the message adds if the request carries something that belongs to another operation.
    """

    name: str
    route: Route
    _: KW_ONLY
    access: Access | None
    parameters: type[Parameters] | None = None
    preconditions: type[Preconditions] | None = None
    body: type | BodyKind | None = None
    body_is_optional: bool = False
    checks_body: bool = True
    query: tuple[str, ...] = ()
    service_headers: tuple[str, ...] = ()
    copies: bool = False
    checks_itself: tuple[Access, ...] = ()
    check: Callable[..., None] | None = None
    can_embed_error: bool = False
    needs_bucket: bool = True
    is_public: bool = False
    hint: str = ""

    def __call__(self, run: Callable[..., Result]) -> Callable[..., Result]:
        """Register `run` as the function of the operation, and return it.

        Raises:
            ValueError: If the name is already registered.
        """
        if self.name in _by_name:
            raise ValueError(f"operation {self.name!r} is already registered")
        _by_name[self.name] = Operation.from_row(self, run)
        return run

    @property
    def actions_scope(self) -> Scope:
        """The kind of resource of the actions of the row. A form is sent to a bucket, and makes an object."""
        return "object" if self.body is BodyKind.FORM else self.route.scope


operation = Row


class Operation(NamedTuple):
    """An operation: its row, its function, and the names that a request for it may carry.

    Args:
        row: What the operation declares.
        run: The function. It receives the context; the bucket, if `needs_bucket`; the parameters, the body and the
            source, each if the row declares it. It runs while the store is locked.
        needs_bucket: Whether the bucket must exist. It never must for an operation on the service.
        query: The query parameters.
        service_headers: The headers of the dialect, without its prefix, except those that the dialect accepts with
            every operation. ``meta-*`` stands for every header of user metadata.
        form_fields: The fields of a form that are headers of the dialect, in the same form.
        standard_headers: The standard headers that only some operations accept.
        refused_headers: The standard headers that the operation does not accept.
        may_be_chunked: Whether the body may be sent with ``Content-Encoding: aws-chunked``, if the dialect has that.
    """

    row: Row
    run: Callable[..., Result]
    needs_bucket: bool
    query: frozenset[str]
    service_headers: frozenset[str]
    form_fields: frozenset[str]
    standard_headers: frozenset[str]
    refused_headers: frozenset[str]
    may_be_chunked: bool

    @classmethod
    def from_row(cls, row: Row, run: Callable[..., Result]) -> Operation:
        """Return the operation of a row and its function."""
        needs_bucket = row.needs_bucket and row.route.scope != "service"
        readers = [each for each in (row.parameters, row.preconditions) if each is not None]
        listed = [name for each in readers for name in each.service_headers]
        # Every body may have a checksum, and it is checked like Content-MD5.
        about_body = CHECKSUM_HEADERS if row.body is not None and row.checks_body else ()
        about_source = COPY_SOURCE_HEADERS if row.copies else ()
        about_object = frozenset((*row.service_headers, *listed, *about_body, *about_source))
        about_bucket = frozenset((EXPECTED_OWNER_HEADER, REQUEST_PAYER_HEADER) if needs_bucket else ())
        about_object |= frozenset(OBJECT_CHECKSUM_HEADERS if row.body in (BodyKind.CONTENT, BodyKind.FORM) else ())
        is_form = row.body is BodyKind.FORM
        standard_headers = frozenset(name for each in readers for name in each.standard_headers)
        return cls(
            row,
            run,
            needs_bucket,
            query=row.route.parameters.union(row.query, () if row.parameters is None else row.parameters.query),
            service_headers=about_bucket if is_form else about_object | about_bucket,
            form_fields=about_object if is_form else frozenset(),
            standard_headers=standard_headers,
            refused_headers=_refused_headers(row, standard_headers),
            may_be_chunked=row.body is not None and not is_form,
        )

    def accept(self, request: Request, address: Address, dialect: Dialect, service_headers: dict[str, str]) -> None:
        """Check that the operation knows everything that the request carries.

        A preflight may carry anything: its query belongs to the request that follows it. [preflights]

        Raises:
            UnsupportedRequest: If a query parameter, a header of the dialect, or a header that must be listed is
                unknown here, or a header has the prefix of another service.
        """
        if self.row.route.any_query:
            return
        for parameter, value in address.query.items():
            if parameter not in self.query:
                self._check_sdk_parameter(parameter, value, dialect)
        for name, value in service_headers.items():
            if name not in dialect.common_headers and not _is_listed(name, self.service_headers):
                self._check_unlisted_header(name, value, dialect)
        self._refuse_foreign_headers(request.headers, dialect)
        refused = self.refused_headers.intersection(request.headers.by_name)
        if refused and not (self.row.body is None and _has_only_md5_of_nothing(refused, request.headers)):
            raise self._unsupported_standard_header(min(refused))

    def accept_payload(self, payload: Payload, service_headers: Mapping[str, str], dialect: Dialect) -> None:
        """Check the headers about a body in chunks, which need such a body, once the requester is authenticated.

        Args:
            payload: How the body is decoded.
            service_headers: The headers of the dialect, without its prefix.
            dialect: The dialect of the store.

        Raises:
            UnsupportedRequest: If a header is about a body in chunks, or belongs in the query of a presigned URL.
        """
        if _REFUSED_LATER.isdisjoint(service_headers):
            return
        if "expires" in service_headers:
            self._raise_refused("expires", "belongs in the query of a presigned URL", dialect)
        if payload.decoded_length is None:
            name = min(_CHUNK_HEADERS.intersection(service_headers))
            self._raise_refused(name, "is only supported with Content-Encoding: aws-chunked", dialect)

    def _raise_refused(self, name: str, why: str, dialect: Dialect) -> NoReturn:
        raise UnsupportedRequest(f"{self.row.name}: the header {dialect.header(name)!r} {why}")

    def accept_fields(self, fields: Mapping[str, str], dialect: Dialect) -> None:
        """Check that the operation knows the fields of a form that mean something. [unknown-fields-of-a-form]

        Args:
            fields: The fields that are not credentials, by lower-case name.
            dialect: The dialect of the store.

        Raises:
            UnsupportedRequest: If a field has the prefix of the dialect or of another service and is unknown here, if
                it is a header that must be listed, or if it belongs to a signature.
        """
        for name in fields:
            feature = feature_of_field(name)
            if feature is not None:
                raise UnsupportedRequest(f"{self.row.name}: the field {name!r} belongs to {feature}")
            bare = name.removeprefix(dialect.header_prefix)
            is_own = bare != name
            if is_own and not is_header_name(bare):
                raise UnsupportedRequest(f"{self.row.name}: the field {name!r} cannot be the name of a header")
            if name in _SELECTIVE_HEADERS or (is_own and not _is_listed(bare, self.form_fields)):
                known = [dialect.header(each) for each in sorted(self.form_fields)]
                raise self._unsupported("field", name, known, f". {self.row.hint}")
        self._refuse_foreign_headers(Headers(fields), dialect)

    def _check_sdk_parameter(self, name: str, value: str, dialect: Dialect) -> None:
        """Check that a parameter that the operation does not read names the operation or the version of the interface.

        SDKs send such names. [x-id-and-api-version]
        """
        if name == "Version" and dialect.api_version is not None:
            self._check_api_version(f"query parameter {name!r}", value, dialect.api_version)
        elif name != "x-id" or not dialect.operation_ids:
            raise self._unsupported_parameter(name)
        elif (self.row.name, value) not in dialect.operation_ids:
            raise UnsupportedRequest(
                f"{self.row.name}: the query parameter 'x-id' names another operation, {value!r}; leave it out"
            )

    def _check_unlisted_header(self, bare: str, value: str, dialect: Dialect) -> None:
        if bare in _CHUNK_HEADERS and self.may_be_chunked and dialect.aws_chunked:
            return
        if bare != "api-version" or dialect.api_version is None:
            raise self._unsupported_header(bare, dialect)
        self._check_api_version(f"header {dialect.header(bare)!r}", value, dialect.api_version)

    def _check_api_version(self, place: str, value: str, supported: str) -> None:
        if value != supported:
            raise UnsupportedRequest(
                f"{self.row.name}: the {place} names version {value!r} of the interface; supported: {supported!r}"
            )

    def _refuse_foreign_headers(self, headers: Headers, dialect: Dialect) -> None:
        prefixes = foreign_prefixes(dialect.header_prefix)
        foreign = [name for name in headers.by_name if name.startswith(prefixes)]
        if foreign:
            raise UnsupportedRequest(f"{self.row.name}: {describe_foreign_headers(foreign, headers, dialect)}")

    def _unsupported_parameter(self, name: str) -> UnsupportedRequest:
        feature = feature_of_parameter(name)
        if feature is not None:
            return UnsupportedRequest(f"{self.row.name}: the query parameter {name!r} belongs to {feature}")
        return self._unsupported(
            "query parameter", name, sorted(self.query), f". {_subresources(self.row.route.scope)}"
        )

    def _unsupported_header(self, bare: str, dialect: Dialect) -> UnsupportedRequest:
        feature, name = feature_of_header(bare), dialect.header(bare)
        if feature is not None:
            return UnsupportedRequest(f"{self.row.name}: the header {name!r} belongs to {feature}")
        known = [dialect.header(each) for each in sorted(self.service_headers | dialect.common_headers)]
        return self._unsupported("header", name, known, f". {self.row.hint}" if self.row.hint else "")

    def _unsupported_standard_header(self, name: str) -> UnsupportedRequest:
        if name == "content-md5":
            return UnsupportedRequest(
                f"{self.row.name}: the header {name!r} is not supported, because nothing would check it; leave it out"
            )
        more = f". {self.row.hint}" if self.row.hint else ""
        return self._unsupported("header", name, sorted(self.standard_headers), more)

    def _unsupported(self, kind: str, name: str, known: list[str], more: str) -> UnsupportedRequest:
        supported = f"supported: {', '.join(known)}" if known else f"this operation supports no such {kind}"
        return UnsupportedRequest(f"{self.row.name}: the {kind} {name!r} is not supported; {supported}{more}")


def _refused_headers(row: Row, listed: frozenset[str]) -> frozenset[str]:
    """Return the standard headers that an operation does not accept."""
    refused = _SELECTIVE_HEADERS - listed
    # A form has many parts, and only the file is checked against digests, which are fields.
    if row.body in (None, BodyKind.FORM):
        refused |= {"content-md5"}
    # Without a body, these headers are used by the operation or mean nothing.
    if row.body not in (None, BodyKind.CONTENT):
        refused |= _OBJECT_HEADERS
    return refused


def _has_only_md5_of_nothing(refused: frozenset[str], headers: Headers) -> bool:
    return refused == {"content-md5"} and headers["content-md5"] == _MD5_OF_NOTHING


def _is_listed(name: str, listed: frozenset[str]) -> bool:
    return name in listed or (name.startswith("meta-") and "meta-*" in listed)


_router: Router[Operation] = Router()
_by_name: dict[str, Operation] = {}


def publish_operations() -> None:
    """Let requests find all operations that are registered.

    The router is replaced, so that no other thread sees a router with some of the new operations only.

    Raises:
        ValueError: If two routes are the same or ambiguous.
    """
    global _router
    router: Router[Operation] = Router()
    for each in _by_name.values():
        router.add(each.row.route, each)
    router.check_unambiguous()
    _router = router


def _register_rare_operations() -> None:
    import_module("fakestore.operations.rare")


def rows() -> list[Row]:
    """Return the rows of all operations, in the order of their registration."""
    _register_rare_operations()
    return [each.row for each in _by_name.values()]


def names_that_can_embed_error() -> list[str]:
    """Return the names of the operations that can embed an error in a reply with status 200."""
    return [row.name for row in rows() if row.can_embed_error]


def known_actions() -> KnownActions:
    """Return the actions of the policy language that the rows name."""
    return KnownActions(_actions("object"), _actions("bucket"), _actions("service"))


def _actions(scope: Scope) -> frozenset[str]:
    return frozenset(
        access.action
        for row in rows()
        if row.actions_scope == scope
        for access in (row.access, row.access and row.access.version, *row.checks_itself)
        if access is not None
    )


def find_operation(request: Request, address: Address, service_headers: dict[str, str]) -> Operation:
    """Return the operation that a request is for.

    Raises:
        UnsupportedRequest: If no operation has this route. The message names those that exist for the same scope.
    """
    target = _router.find(request.method, address, service_headers)
    if target is None or not address.query.keys() <= target.query:
        _register_rare_operations()
        target = _router.find(request.method, address, service_headers)
    return _raise_unsupported(request, address) if target is None else target


def _raise_unsupported(request: Request, address: Address) -> NoReturn:
    sent = escaped(f"{request.method} {hide_parameters(request.target)}")
    for parameter in address.query:
        feature = feature_of_parameter(parameter)
        if feature is not None:
            raise UnsupportedRequest(f"{sent}: the query parameter {parameter!r} belongs to {feature}")
    known = ", ".join(each.row.name for each in _router.targets(address.scope))
    raise UnsupportedRequest(
        f"{sent} is not supported; supported {address.scope} operations: {known}. {_subresources(address.scope)}"
    )


def _subresources(scope: Scope) -> str:
    return f"{scope.capitalize()} subresources: {', '.join(_router.subresources(scope)) or 'none'}"
