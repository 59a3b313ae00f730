"""Operations: what the decorator of a function declares, and what the signature of the function reads.

Example::

    @operation("PUT Object", Route("PUT", "object"), api_name="PutObject", access=Access("s3:PutObject", BUCKET_WRITE))
    def put_object(call: Call, bucket: BucketRecord, headers: PutHeaders, body: ObjectContent) -> Result: ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import KW_ONLY, dataclass, fields
from inspect import signature
from operator import attrgetter
from types import NoneType
from typing import Any, NamedTuple, get_args, get_type_hints

from fakestore.model.bucket import BucketRecord
from fakestore.operations.framework.access import Access
from fakestore.operations.framework.body import ReceivedBody
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.checksums import VALUE_HEADERS
from fakestore.operations.framework.credentials import Credentials
from fakestore.operations.framework.inputs import Inputs, Parameters, Preconditions, Source
from fakestore.operations.framework.result import Result
from fakestore.protocol.routing import Route


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Declaration:
    """What an operation declares beside the signature of its function.

    Args:
        name: The name as the author of a test writes it, for example ``PUT Object``.
        route: The requests that are for this operation.
        api_name: The name in the S3 API, which boto3 has, for example ``PutObject``; None if it has none.
        access: The action, and its requirement if no policy decides; None if the function authorizes each object, or
            everybody has access.
        checks_itself: Accesses that the function checks with `authorize` or `is_authorized`, because only some requests
            need them. Declaring them makes their actions known to policies, and lists them in the reference.
        preconditions: The conditions on the object that the operation writes, which the framework checks.
        can_embed_error: Whether the service may answer 200 before it is done, and embed an error in that reply.
        credentials: Where a request has its credentials.
        anonymous_error: The message that refuses an anonymous requester, even if the policy of the bucket allows
            everything; empty if policies and ACLs decide. [anonymous-operations]
        needs_checksum: Whether the service requires an MD5 or a checksum of the document. [content-md5]
        hint: What the message adds if the request carries something that belongs to another operation.
    """

    name: str
    route: Route
    _: KW_ONLY
    api_name: str | None
    access: Access | None
    checks_itself: tuple[Access, ...] = ()
    preconditions: type[Preconditions] | None = None
    can_embed_error: bool = False
    credentials: type[Credentials] = Credentials
    anonymous_error: str = ""
    needs_checksum: bool = False
    hint: str = ""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Operation(Declaration):
    """An operation: its declaration, the function that performs it, and what the signature of the function reads.

    Args:
        run: The function. It runs while no other thread uses the store.
        perform: Calls the function with the inputs of a call.
        needs_bucket: Whether the function receives the bucket of the request, which must exist. Otherwise the framework
            applies no lifecycle rule, and calls neither the guards of buckets nor `check_state` nor `authorize`;
            `access` then refuses only anonymous requesters.
        inputs: The classes of inputs whose names a request may carry. The body and the guards have further names.
        parameters: What the operation reads from query and headers.
        source: A second resource that the request names and the operation reads.
        body: The class of the body; None if the request has none. A document is a body.
        shape: The shape of the XML document that the request carries; None if it carries none.
        body_is_optional: Whether the request may come without a body; the function then receives None.
        body_has_checksum: Whether checksum headers describe the body. If they are parameters of the operation, they
            describe something else.
    """

    run: Callable[..., Result]
    perform: Callable[[Call], Result]
    needs_bucket: bool
    inputs: tuple[type[Inputs], ...]
    parameters: type[Parameters] | None
    source: type[Source] | None
    body: type[ReceivedBody] | None
    shape: type | None
    body_is_optional: bool
    body_has_checksum: bool

    @property
    def further_access(self) -> tuple[Access, ...]:
        """What some requests need in addition to `access`."""
        return self.checks_itself + (() if self.parameters is None else self.parameters.further_access)


class OperationDecorator(Declaration):
    """The decorator `@operation(...)`, which turns a function into an operation."""

    def __call__(self, run: Callable[..., Result], shape: type | None = None) -> Operation:
        """Return the operation that `run` performs.

        Args:
            shape: The type of the argument `document`, if the signature does not have it.

        Raises:
            TypeError: If an argument has a type that is not the type of an input.
        """
        arguments = {each.slot: each for each in _arguments_of(run, shape)}
        types = {slot: each.type for slot, each in arguments.items()}
        content = arguments.get("document") or arguments.get("body")
        body = None if content is None else types.get("body", ReceivedBody)
        source = types.get("source")
        inputs = [each for each in (types.get("parameters"), self.preconditions, source) if each is not None]
        inputs += [] if source is None else source.guards
        header_names = {name for each in inputs for name in each.header_names}
        declared: dict[str, Any] = {each.name: getattr(self, each.name) for each in fields(Declaration)}
        return Operation(
            **declared,
            run=run,
            perform=_bind(run, arguments.values()),
            needs_bucket="bucket" in arguments,
            inputs=tuple(inputs),
            parameters=types.get("parameters"),
            source=source,
            body=body,
            shape=types.get("document"),
            body_is_optional=content is not None and content.is_optional,
            body_has_checksum=body is not None and header_names.isdisjoint(VALUE_HEADERS),
        )


operation = OperationDecorator


class Argument(NamedTuple):
    """An argument of a function.

    Args:
        name: The name of the argument.
        slot: The attribute of a call that has the input; empty for the call itself.
        type: The class of the input.
        is_optional: Whether the argument may be None.
    """

    name: str
    slot: str
    type: Any
    is_optional: bool


#: The attribute of a call that has the inputs of a class and its subclasses. The input of a shape is the document.
_SLOTS: dict[type, str] = {
    Call: "",
    BucketRecord: "bucket",
    Parameters: "parameters",
    Source: "source",
    ReceivedBody: "body",
}


def _arguments_of(function: Callable[..., object], shape: type | None) -> Iterator[Argument]:
    """Yield the arguments of a function with the inputs that they have by their types."""
    hints = get_type_hints(function)
    if shape is not None:
        hints["document"] = shape
    for name in signature(function).parameters:
        members = get_args(hints.get(name)) or (hints.get(name),)
        (input_type, *others) = [each for each in members if each is not NoneType]
        slot = "document" if hasattr(input_type, "__shape__") else None
        if slot is None and isinstance(input_type, type):
            slot = next((slot for base, slot in _SLOTS.items() if issubclass(input_type, base)), None)
        if slot is None or others:
            raise TypeError(
                f"{function.__qualname__}: the argument {name!r} is a {hints.get(name)}; expected a call, a bucket, or"
                " a class of parameters, a source, a body or a document"
            )
        yield Argument(name, slot, input_type, NoneType in members)


def _bind(function: Callable[..., Result], arguments: Iterable[Argument]) -> Callable[[Call], Result]:
    """Return a function of a call that passes the inputs of these arguments to `function`."""
    getters = {each.name: attrgetter(each.slot) if each.slot else _itself for each in arguments}
    return lambda call: function(**{name: get(call) for name, get in getters.items()})


def _itself(call: Call) -> Call:
    return call
