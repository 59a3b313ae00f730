"""The rows of operations: everything that the framework does for an operation. A table of them is a value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cached_property, partial
from inspect import Parameter, signature
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Generic, NamedTuple, NoReturn, TypeVar, get_args, get_type_hints

from fakestore.errors import UnsupportedRequest
from fakestore.http.request import Request
from fakestore.http.secrets import hide_parameters
from fakestore.messages import escaped
from fakestore.model.bucket import BucketRecord
from fakestore.model.policy import KnownActions
from fakestore.operations.framework.acceptance import OBJECT_HEADERS, SELECTIVE_HEADERS, Acceptance
from fakestore.operations.framework.access import NO_CONDITION_KEYS, Access, ConditionKeys
from fakestore.operations.framework.body import DOCUMENT, BodyFields, BodyKind, ReceivedBody
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.checksums import BodyHeaders
from fakestore.operations.framework.parameters import Guard, Parameters, Preconditions, Source
from fakestore.operations.framework.result import Result
from fakestore.protocol.addressing import Address, Scope
from fakestore.protocol.routing import Route, Router
from fakestore.protocol.unsupported import feature_of_parameter

#: The function of an operation.
Run = TypeVar("Run", bound=Callable[..., Result])

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Row:
    """What an operation declares. As a decorator, it returns the operation that the function performs.

    Example::

        @operation(
            "GET Bucket location",
            Route("GET", "bucket", "location"),
            api_name="GetBucketLocation",
            access=GET_LOCATION,
        )
        def get_bucket_location(call: Call, bucket: BucketRecord) -> Result: ...

    Args:
        name: The name as the author of a test writes it, for example ``PUT Object``.
        route: What a request for this operation looks like.
        api_name: The name in the S3 API, which boto3 has, for example ``PutObject``; None if it has none.
        access: The action, and what it requires if no policy decides; None if the function authorizes each object.
        parameters: What the operation reads from query and headers. A request may carry the names of its fields, and
            those of the body, the source and the guards.
        preconditions: What the framework checks before the body is read, and again before the function is called.
        body: The shape of the document that the request carries, or the kind of another body.
        body_is_optional: Whether the request may come without a body; the function then receives None.
        checks_body: Whether the headers about checksums are about the body. The operation then accepts them.
        source: A second resource that the operation reads.
        guards: What the framework checks before the requester is authorized; by default, the guards of the table.
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
    source: type[Source] | None = None
    guards: tuple[Guard, ...] | None = None
    checks_itself: tuple[Access, ...] = ()
    check: Callable[..., None] | None = None
    can_embed_error: bool = False
    needs_bucket: bool = True
    is_public: bool = False
    hint: str = ""

    def __call__(self, run: Run) -> Operation[Run]:
        """Return the operation that `run` performs."""
        for fields in (self.parameters, self.preconditions, self.source):
            if fields is not None and fields.are_shared:
                raise ValueError(f"operation {self.name!r} names {fields.__name__}, which has not @parameters")
        check = None if self.check is None else self.bind(self.check, "body", "document")
        return Operation(self, run, self.bind(run), check)

    @property
    def inputs(self) -> dict[str, tuple[type, ...]]:
        """What the functions of the operation can ask for, each with the classes of its values."""
        inputs: dict[str, tuple[type, ...]] = {"call": (Call,)}
        if self.needs_bucket:
            inputs["bucket"] = (BucketRecord,)
        if self.parameters is not None:
            inputs["parameters"] = (self.parameters,)
        if self.source is not None:
            inputs["source"] = (get_type_hints(self.source.resolve)["return"],)
        if self.body is not None:
            is_document = self.body_kind is DOCUMENT
            value = self.shape or (bytes if is_document else ReceivedBody)
            inputs["document" if is_document else "body"] = (value, NoneType) if self.body_is_optional else (value,)
        return inputs

    def bind(self, function: Callable[..., _Value], *unknown: str) -> Callable[[Call], _Value]:
        """Return a function of a call that passes to `function` the inputs that its arguments ask for.

        An argument has the name of an input, or the type of one. An argument with a default value is left out if the
        row does not declare it.

        Args:
            function: The function.
            unknown: Inputs that are not known when it is called.
        """
        inputs = {name: classes for name, classes in self.inputs.items() if name not in unknown}
        hints, getters = get_type_hints(function), {}
        for name, argument in signature(function).parameters.items():
            hint = hints.get(name, Any)
            of_type = (each for each, (cls, *_) in inputs.items() if hint in cls.__mro__[:-1])
            chosen = name if name in inputs else next(of_type, None)
            if chosen is not None:
                if not _accepts(hint, inputs[chosen]):
                    classes = " or ".join(each.__name__ for each in inputs[chosen])
                    raise self._misfit(function, argument, f"receives a value of {classes}")
                getters[name] = _itself if chosen == "call" else attrgetter(chosen)
            elif argument.default is Parameter.empty:
                raise self._misfit(function, argument, f"the row declares only {', '.join(sorted(inputs))}")
        return lambda call: function(**{name: get(call) for name, get in getters.items()})

    def _misfit(self, function: Callable[..., object], argument: Parameter, problem: str) -> TypeError:
        return TypeError(f"operation {self.name!r}: {function.__qualname__} asks for {argument}, and {problem}")

    @property
    def body_kind(self) -> BodyKind | None:
        """The kind of the body; None if the row has none."""
        return self.body if self.body is None or isinstance(self.body, BodyKind) else DOCUMENT

    @property
    def body_fields(self) -> BodyFields | None:
        """How fields at the beginning of the body are read; None if it has none."""
        return self.body.fields if isinstance(self.body, BodyKind) else None

    @property
    def shape(self) -> type | None:
        """The shape of the document that the body is; None if the row declares another body, or none."""
        return None if isinstance(self.body, BodyKind) else self.body

    @property
    def actions_scope(self) -> Scope:
        """The kind of resource of the actions of the row. Fields in the body name an object."""
        return "object" if self.body_fields is not None else self.route.scope

    @property
    def body_headers(self) -> type[BodyHeaders] | None:
        """The headers about the checksum of the body, if there are any. Each body is checked like Content-MD5."""
        kind = self.body_kind
        return None if kind is None or not self.checks_body else kind.headers


operation = Row


def _itself(call: Call) -> Call:
    return call


def _accepts(hint: Any, classes: tuple[type, ...]) -> bool:
    """Return whether an argument with a type accepts the instances of all these classes."""
    members = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    return hint is Any or all(issubclass(each, tuple(members)) for each in classes)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Operation(Generic[Run]):
    """An operation: its row and the function that performs it.

    Args:
        row: What the operation declares.
        run: The function. It runs while no other thread uses the store.
        perform: Calls the function with its arguments.
        check: Calls the function that checks a request with its arguments; None if the row has none.
    """

    row: Row
    run: Run
    perform: Callable[[Call], Result]
    check: Callable[[Call], None] | None


class Entry(NamedTuple):
    """An operation in a table.

    Args:
        row: What the operation declares.
        operation: The operation.
        guards: The guards of the operation.
        guard_headers: The headers of the dialect that the guards read, without the prefix.
        acceptance: The names that a request may carry.
    """

    row: Row
    operation: Operation[Callable[..., Result]]
    guards: tuple[Guard, ...]
    guard_headers: frozenset[str]
    acceptance: Acceptance


class Operations:
    """A table of operations, as a service has it. A module that defines an operation does not add it to any table.

    Args:
        operations: The operations. Messages name them in this order.
        guards: The guards of the operations that declare no guards of their own.
        condition_keys: What the conditions of policies can ask about a request.
    """

    def __init__(
        self,
        operations: Iterable[Operation[Any]],
        guards: tuple[Guard, ...] = (),
        condition_keys: ConditionKeys = NO_CONDITION_KEYS,
    ) -> None:
        self.condition_keys = condition_keys
        self._by_name: dict[str, Entry] = {}
        self._router: Router[Entry] = Router()
        for each in operations:
            row = each.row
            if row.name in self._by_name:
                raise ValueError(f"operation {row.name!r} is already in the table")
            chosen = guards if row.guards is None else row.guards
            own = tuple(guard for guard in chosen if row.needs_bucket or not guard.needs_bucket)
            fields = [field for guard in own for field in guard.fields.values()]
            headers = frozenset(name for field in fields for name in field.service_headers)
            entry = Entry(row, each, own, headers, self._acceptance_of(row, headers))
            self._by_name[row.name] = entry
            self._router.add(row.route, entry)
        self._router.check_unambiguous()

    @property
    def rows(self) -> list[Row]:
        """The rows of all operations, in the order of the table."""
        return [each.row for each in self._by_name.values()]

    @cached_property
    def actions(self) -> KnownActions:
        """The actions of the policy language that the rows name."""
        return KnownActions(self._actions("object"), self._actions("bucket"), self._actions("service"))

    def _actions(self, scope: Scope) -> frozenset[str]:
        return frozenset(
            access.action
            for row in self.rows
            if row.actions_scope == scope
            for access in (row.access, row.access and row.access.version, *row.checks_itself)
            if access is not None
        )

    def find_name(self, name: str) -> str | None:
        """Return the name of the operation with this name or API name, or None if no operation has it."""
        if name in self._by_name:
            return name
        return next((row.name for row in self.rows if name == row.api_name), None)

    def names_that_can_embed_error(self) -> list[str]:
        """Return the names of the operations that can embed an error in a reply with status 200."""
        return [row.name for row in self.rows if row.can_embed_error]

    def find(self, request: Request, address: Address, service_headers: Mapping[str, str]) -> Entry:
        """Return the operation that a request is for."""
        entry = self._router.find(request.method, address, service_headers)
        return self._raise_unsupported(request, address) if entry is None else entry

    def _raise_unsupported(self, request: Request, address: Address) -> NoReturn:
        sent = escaped(f"{request.method} {hide_parameters(request.target)}")
        for parameter in address.query:
            feature = feature_of_parameter(parameter, address.query)
            if feature is not None:
                raise UnsupportedRequest(f"{sent}: the query parameter {parameter!r} belongs to {feature}")
        of_scope = [each.row for each in self._router.targets(address.scope)]
        of_method = [row for row in of_scope if row.route.method == request.method]
        operations = f"{address.scope} operations" + (f" with {request.method}" if of_method else "")
        known = ", ".join(row.name for row in of_method or of_scope)
        raise UnsupportedRequest(
            f"{sent} is not supported; supported {operations}: {known}. {self._subresources(address.scope)}"
        )

    def _subresources(self, scope: Scope) -> str:
        return f"{scope.capitalize()} subresources: {', '.join(self._router.subresources(scope)) or 'none'}"

    def _all_parameters(self) -> frozenset[str]:
        return frozenset().union(*(each.acceptance.query for each in self._by_name.values()))

    def _acceptance_of(self, row: Row, of_guards: frozenset[str]) -> Acceptance:
        """Return the names that a request for the operation of a row may carry."""
        readers = (row.parameters, row.preconditions, row.body_headers, row.source)
        fields = [field for each in readers if each is not None for field in each.fields.values()]
        own = frozenset(name for each in fields for name in each.service_headers)
        kind, has_fields = row.body_kind, row.body_fields is not None
        standard_headers = SELECTIVE_HEADERS.intersection(name for each in fields for name in each.standard_headers)
        return Acceptance(
            row.name,
            row.api_name,
            row.hint,
            partial(self._subresources, row.route.scope),
            self._all_parameters,
            any_query=row.route.any_query,
            query=row.route.parameters.union(row.route.optional_parameters, *(each.query for each in fields)),
            service_headers=of_guards if has_fields else own | of_guards,
            body_fields=own if has_fields else frozenset(),
            standard_headers=standard_headers,
            refused_headers=_refused_headers(row, standard_headers),
            has_body=row.body is not None,
            stores_nothing_encrypted=row.route.method in ("GET", "HEAD") or (kind is not None and kind.is_part),
            may_be_chunked=kind is not None and not has_fields,
        )


def _refused_headers(row: Row, listed: frozenset[str]) -> frozenset[str]:
    """Return the standard headers that an operation does not accept."""
    refused, kind = SELECTIVE_HEADERS - listed, row.body_kind
    if kind is None or kind.fields is not None:
        refused |= {"content-md5"}
    # Without a body, these headers are used by the operation or mean nothing.
    if kind is not None and not kind.stores_headers:
        refused |= OBJECT_HEADERS
    return refused
