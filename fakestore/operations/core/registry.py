"""The registry: one row for each operation, with everything that the framework does for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass
from enum import Enum
from functools import partial
from typing import NamedTuple, NoReturn

from fakestore.http.request import Request
from fakestore.http.secrets import hide_parameters
from fakestore.messages import escaped
from fakestore.model.policy_vocabulary import KnownActions
from fakestore.model.unsupported import UnsupportedRequest
from fakestore.operations.core.acceptance import OBJECT_HEADERS, SELECTIVE_HEADERS, Acceptance
from fakestore.operations.core.authorization import Access
from fakestore.operations.core.bucket_headers import BucketHeaders
from fakestore.operations.core.checksums import BodyHeaders, ContentHeaders, DocumentHeaders
from fakestore.operations.core.copy_source import CopySourceHeaders
from fakestore.operations.core.fields import Field
from fakestore.operations.core.parameters import Parameters, Preconditions
from fakestore.operations.core.result import Result
from fakestore.protocol.addressing import Address, Scope
from fakestore.protocol.routing import Route, Router
from fakestore.protocol.unsupported import feature_of_parameter


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

        @operation(
            "GET Bucket location",
            Route("GET", "bucket", "location"),
            api_name="GetBucketLocation",
            access=GET_LOCATION,
        )
        def get_bucket_location(context: RequestContext, bucket: BucketRecord) -> Result: ...

    Args:
        name: The name as the author of a test writes it, for example ``PUT Object``.
        route: What a request for this operation looks like.
        api_name: The name in the S3 API, which boto3 has, for example ``PutObject``; None if it has none.
        access: The action, and what it requires if no policy decides; None if the function authorizes each object.
        parameters: What the operation reads from query and headers. A request may carry the names of its fields, and
            those that the framework reads for a body, a source or a bucket. If the body is a form, headers of the
            dialect are fields of the form.
        preconditions: What the framework checks before the body is read, and again before the function is called.
        body: The shape of the document that the request carries, or the kind of another body.
        body_is_optional: Whether the request may come without a body; the function then receives None.
        checks_body: Whether the headers about checksums are about the body. The operation then accepts them.
        copies: Whether the operation reads a second object, the source of a copy.
        checks_itself: Accesses that the function checks itself, because only some requests need them. They are
            declared so that policies can name their actions.
        check: Refuses what cannot be done, before the body is read. It is called like the function, without the body.
        can_embed_error: Whether the service may answer 200 before it is done, and embed an error in that reply.
        needs_bucket: Whether the request must name a bucket that exists. The function then receives this bucket.
        is_public: Whether a request needs no credentials. If it has some, they are not checked.
        hint: What the message adds if the request carries something that belongs to another operation.
    """

    name: str
    route: Route
    _: KW_ONLY
    api_name: str | None
    access: Access | None
    parameters: type[Parameters] | None = None
    preconditions: type[Preconditions] | None = None
    body: type | BodyKind | None = None
    body_is_optional: bool = False
    checks_body: bool = True
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
            ValueError: If the name is already registered, or other classes can inherit the fields that the row names.
        """
        for fields in (self.parameters, self.preconditions):
            if fields is not None and fields.are_shared:
                raise ValueError(f"operation {self.name!r} names {fields.__name__}, which has not @parameters")
        if self.name in _by_name:
            raise ValueError(f"operation {self.name!r} is already registered")
        _by_name[self.name] = Operation.from_row(self, run)
        return run

    @property
    def actions_scope(self) -> Scope:
        """The kind of resource of the actions of the row. A form is sent to a bucket, and makes an object."""
        return "object" if self.body is BodyKind.FORM else self.route.scope

    @property
    def body_headers(self) -> type[BodyHeaders] | None:
        """The headers about the checksum of the body, if there are any. Each body is checked like Content-MD5."""
        if self.body is None or not self.checks_body:
            return None
        return ContentHeaders if self.body in (BodyKind.CONTENT, BodyKind.FORM) else DocumentHeaders


operation = Row


class Operation(NamedTuple):
    """An operation: its row, its function, and the names that a request for it may carry.

    Args:
        row: What the operation declares.
        run: The function. It receives the context; the bucket, the parameters, the source and the body, each if the
            row declares it. It runs while the store is locked.
        acceptance: The names that a request may carry.
    """

    row: Row
    run: Callable[..., Result]
    acceptance: Acceptance

    @classmethod
    def from_row(cls, row: Row, run: Callable[..., Result]) -> Operation:
        """Return the operation of a row and its function."""
        return cls(row, run, _acceptance_of(row))


def _acceptance_of(row: Row) -> Acceptance:
    """Return the names that a request for the operation of a row may carry."""
    source = CopySourceHeaders if row.copies else None
    readers = [each for each in (row.parameters, row.preconditions, row.body_headers, source) if each is not None]
    fields = [field for each in readers for field in each.fields.values()]
    about_bucket = _service_headers(BucketHeaders.fields.values() if row.needs_bucket else ())
    about_object = _service_headers(fields)
    is_form = row.body is BodyKind.FORM
    standard_headers = SELECTIVE_HEADERS.intersection(name for each in fields for name in each.standard_headers)
    return Acceptance(
        row.name,
        row.api_name,
        row.hint,
        partial(_subresources, row.route.scope),
        _all_parameters,
        any_query=row.route.any_query,
        query=row.route.parameters.union(row.route.optional_parameters, *(each.query for each in fields)),
        service_headers=about_bucket if is_form else about_object | about_bucket,
        form_fields=about_object if is_form else frozenset(),
        standard_headers=standard_headers,
        refused_headers=_refused_headers(row, standard_headers),
        has_body=row.body is not None,
        stores_nothing_encrypted=row.route.method in ("GET", "HEAD") or row.body is BodyKind.PART,
        may_be_chunked=row.body is not None and not is_form,
    )


def _service_headers(fields: Iterable[Field]) -> frozenset[str]:
    return frozenset(name for each in fields for name in each.service_headers)


def _refused_headers(row: Row, listed: frozenset[str]) -> frozenset[str]:
    """Return the standard headers that an operation does not accept."""
    refused = SELECTIVE_HEADERS - listed
    # A form has many parts, and only the file is checked against digests, which are fields.
    if row.body in (None, BodyKind.FORM):
        refused |= {"content-md5"}
    # Without a body, these headers are used by the operation or mean nothing.
    if row.body not in (None, BodyKind.CONTENT):
        refused |= OBJECT_HEADERS
    return refused


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


def rows() -> list[Row]:
    """Return the rows of all operations, in the order of their registration."""
    return [each.row for each in _by_name.values()]


def find_name(name: str) -> str | None:
    """Return the name of the operation with this name or API name, or None if no operation has it."""
    if name in _by_name:
        return name
    return next((row.name for row in rows() if name in (row.name, row.api_name)), None)


def _all_parameters() -> frozenset[str]:
    return frozenset().union(*(each.acceptance.query for each in _by_name.values()))


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
        UnsupportedRequest: If no operation has this route. The message names those with the same scope and method.
    """
    target = _router.find(request.method, address, service_headers)
    return _raise_unsupported(request, address) if target is None else target


def _raise_unsupported(request: Request, address: Address) -> NoReturn:
    sent = escaped(f"{request.method} {hide_parameters(request.target)}")
    for parameter in address.query:
        feature = feature_of_parameter(parameter, address.query)
        if feature is not None:
            raise UnsupportedRequest(f"{sent}: the query parameter {parameter!r} belongs to {feature}")
    of_scope = [each.row for each in _router.targets(address.scope)]
    of_method = [row for row in of_scope if row.route.method == request.method]
    operations = f"{address.scope} operations" + (f" with {request.method}" if of_method else "")
    known = ", ".join(row.name for row in of_method or of_scope)
    raise UnsupportedRequest(
        f"{sent} is not supported; supported {operations}: {known}. {_subresources(address.scope)}"
    )


def _subresources(scope: Scope) -> str:
    return f"{scope.capitalize()} subresources: {', '.join(_router.subresources(scope)) or 'none'}"
