"""The rows of operations: everything that the framework does for an operation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from inspect import Parameter, signature
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_type_hints

from fakestore.model.bucket import BucketRecord
from fakestore.operations.framework.access import Access
from fakestore.operations.framework.body import DOCUMENT, BodyFields, BodyKind, ReceivedBody
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.parameters import Fields, Guard, Parameters, Preconditions, Source
from fakestore.operations.framework.result import Result
from fakestore.protocol.addressing import Scope
from fakestore.protocol.routing import Route

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
        route: The requests that are for this operation.
        api_name: The name in the S3 API, which boto3 has, for example ``PutObject``; None if it has none.
        access: The action, and its requirement if no policy decides; None if the function authorizes each object.
        parameters: What the operation reads from query and headers. A request may carry the names of its fields, and
            those of the body, the source and the guards.
        preconditions: What the framework checks before the body is read, and again before the function is called.
        body: The shape of the document that the request carries, or the kind of another body.
        body_is_optional: Whether the request may come without a body; the function then receives None.
        checks_body: Whether checksum headers describe the body. The operation then accepts them.
        source: A second resource that the request names and the operation reads, with the accesses that it needs.
        guards: What the framework checks before the requester is authorized; by default, the guards of the table.
        checks_itself: Accesses that the function checks with `authorize` or `is_authorized`, because only some requests
            need them. Declaring them makes their actions known to policies, and lists them in the reference.
        check: Raises an error if the operation is impossible. It gets the arguments of the function, except the body.
        can_embed_error: Whether the service may answer 200 before it is done, and embed an error in that reply.
        event: The kind of the events that its changes cause; empty if it changes nothing.
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
    guards: tuple[type[Guard], ...] | None = None
    checks_itself: tuple[Access, ...] = ()
    check: Callable[..., None] | None = None
    can_embed_error: bool = False
    event: str = ""
    needs_bucket: bool = True
    is_public: bool = False
    hint: str = ""

    def __call__(self, run: Callable[..., Result]) -> Operation:
        """Return the operation that `run` performs."""
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

        An argument has the name of an input. An argument with a default value is left out if the row does not declare
        it.

        Args:
            unknown: Inputs that are not known when it is called.
        """
        inputs = {name: classes for name, classes in self.inputs.items() if name not in unknown}
        hints, getters = get_type_hints(function), {}
        for name, argument in signature(function).parameters.items():
            if name in inputs:
                if not _accepts(hints.get(name, Any), inputs[name]):
                    classes = " or ".join(each.__name__ for each in inputs[name])
                    raise self._misfit(function, argument, f"receives a value of {classes}")
                getters[name] = _itself if name == "call" else attrgetter(name)
            elif argument.default is Parameter.empty:
                raise self._misfit(function, argument, f"the row declares only {', '.join(sorted(inputs))}")
        return lambda call: function(**{name: get(call) for name, get in getters.items()})

    def _misfit(self, function: Callable[..., object], argument: Parameter, problem: str) -> TypeError:
        return TypeError(f"operation {self.name!r}: {function.__qualname__} asks for {argument}, and {problem}")

    @property
    def readers(self) -> list[type[Fields]]:
        """The classes whose fields a request may carry."""
        return [each for each in (self.parameters, self.preconditions, self.source) if each is not None]

    @property
    def further_access(self) -> tuple[Access, ...]:
        """What some requests need in addition to `access`."""
        return self.checks_itself + (() if self.parameters is None else self.parameters.further_access)

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
        """The kind of resource of the actions of the row. Fields in the body or a document can name objects."""
        return "object" if self.body_fields is not None or self.access is None else self.route.scope


operation = Row


def _itself(call: Call) -> Call:
    return call


def _accepts(hint: Any, classes: tuple[type, ...]) -> bool:
    """Return whether an argument with a type accepts the instances of all these classes."""
    members = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    return hint is Any or all(issubclass(each, tuple(members)) for each in classes)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Operation:
    """An operation: its row and the function that performs it.

    Args:
        run: The function. It runs while no other thread uses the store.
        perform: Calls the function with its arguments.
        check: Calls the function that checks a request with its arguments; None if the row has none.
    """

    row: Row
    run: Callable[..., Result]
    perform: Callable[[Call], Result]
    check: Callable[[Call], None] | None
