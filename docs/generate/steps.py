"""The steps of a request: the functions that answer an operation, in their order.

They are the steps of the pipeline, each with what the framework calls in it because an operation, or the table of
operations, declares it.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from docs.generate.operations import describe_requirement
from fakestore.model.bucket import BucketRecord
from fakestore.model.content import pieces_of
from fakestore.model.state import State
from fakestore.operations import TABLE
from fakestore.operations.framework import inputs, pipeline
from fakestore.operations.framework.access import Access, authorize
from fakestore.operations.framework.allowed_names import AllowedNames
from fakestore.operations.framework.body import read_body
from fakestore.operations.framework.credentials import Credentials
from fakestore.operations.framework.operation import Operation
from fakestore.operations.framework.setting import Setting
from fakestore.operations.refusals import misplaced_headers
from fakestore.protocol.addressing import parse_address
from fakestore.protocol.auth.authenticator import Authenticator
from fakestore.protocol.dialect import DOCUMENT
from fakestore.service.events import Outbox
from fakestore.service.fault_plan import FaultPlan
from fakestore.service.journal import Journal, exchange_of
from fakestore.service.rendering import render
from fakestore.service.service import Service
from fakestore.xml.document import parse as parse_document

#: The maximum number of names that are shown for a field.
_MOST_NAMES = 3


class Step(NamedTuple):
    """A function or a class with a note, or only a note, and what the framework calls in it, in this order."""

    function: Callable[..., object] | None
    note: str = ""
    calls: tuple[Step, ...] = ()


def place_of(function: Callable[..., object]) -> str:
    """Return the file and the line where a definition or its decorators begin, as editors open them."""
    path = Path(inspect.getfile(function)).relative_to(Path(__file__).parents[2])
    return f"{path}:{inspect.getsourcelines(function)[1]}"


def steps_of(operation: Operation) -> Iterator[Step]:
    """Yield the steps of a request for an operation, in their order."""
    steps = _Steps(operation)
    yield Step(Service.answer, "calls everything below")
    yield from steps.run(pipeline.FIRST_STEPS)
    yield Step(FaultPlan.meet, "a planned fault may replace the next steps, or change their reply")
    yield from steps.run(pipeline.OPERATION_STEPS)
    yield Step(render, "makes the reply")
    yield Step(exchange_of, "makes the record of request and reply")
    yield Step(Journal.add, "keeps the record")
    yield Step(Outbox.deliver, "delivers the events")


class _Steps:
    """What the steps of the pipeline call for an operation. Each method has the name of its step."""

    def __init__(self, operation: Operation) -> None:
        self._operation = operation
        self._guards = [each for each in TABLE.guards if operation.needs_bucket or not each.needs_bucket]

    def run(self, functions: Iterable[Callable[..., object]]) -> Iterator[Step]:
        """Yield the steps with their summaries, without a step that does nothing for this operation."""
        for each in functions:
            calls = tuple(getattr(self, each.__name__)())
            if calls:
                summary = (each.__doc__ or "").partition("\n")[0]
                yield Step(each, calls=(Step(None, summary), *calls))

    def read_address(self) -> Iterator[Step]:
        yield Step(parse_address)

    def strip_credentials(self) -> Iterator[Step]:
        yield Step(Authenticator.without_credentials)

    def find_operation(self) -> Iterator[Step]:
        yield Step(TABLE.find, f"by the route {self._operation.route}")

    def check_names(self) -> Iterator[Step]:
        names = TABLE.allowed_names[self._operation.name]
        accepted = map(DOCUMENT.header, names.headers | DOCUMENT.common_headers)
        listed = (
            f"Query parameters: {', '.join(sorted(names.query)) or 'none'}",
            f"Headers of the dialect: {', '.join(sorted(accepted))}",
            f"Standard headers that are refused: {', '.join(sorted(names.refused_headers))}",
        )
        shown = ("Every name is accepted.",) if self._operation.route.any_query else listed
        yield Step(AllowedNames.check, calls=tuple(Step(None, each) for each in shown))

    def add_reply_headers(self) -> Iterator[Step]:
        yield from map(Step, TABLE.headers_of_every_reply)

    def read_fields(self) -> Iterator[Step]:
        if self._operation.credentials.headers_in_fields:
            yield Step(self._operation.credentials.read_fields)

    def authenticate(self) -> Iterator[Step]:
        if self._operation.needs_bucket:
            yield Step(TABLE.check_host, "if the bucket exists")
        credentials = self._operation.credentials
        checked = (Step(Authenticator.authenticate),) if credentials is Credentials else ()
        yield Step(credentials.authenticate, calls=checked)

    def refuse_late_headers(self) -> Iterator[Step]:
        if self._operation.route.any_query:  # every name is accepted
            return
        listed = f"{misplaced_headers.__name__} ({place_of(misplaced_headers)})"
        late = (DOCUMENT.header(each.name) for each in TABLE.allowed_names[self._operation.name].late)
        yield Step(None, f"They are, in this order and if the dialect has them: {', '.join(late)}")
        yield Step(None, f"AllowedNames.of collects them, most from {listed}.")

    def check_ignored_body(self) -> Iterator[Step]:
        if self._operation.body is None and self._operation.route.method in ("GET", "HEAD"):
            yield Step(pieces_of, "if the request has a body and its hash")

    def take_turns(self) -> Iterator[Step]:
        yield Step(None, "Take the lock of the store.")
        yield from self.run(pipeline.CHECKS)
        if self._operation.body is not None:
            yield Step(None, "Release the lock.")
            yield from self.run([pipeline.receive_body])
            yield Step(None, "Take the lock.")
            repeated = ", ".join(each.function.__name__ for each in self.run(pipeline.REPEATED_CHECKS) if each.function)
            when = "" if self._operation.shape is None else "the request has a document, or "
            yield Step(None, f"If {when}another thread used the store meanwhile, repeat {repeated}.")
        else:
            yield Step(None, "The operation reads no body, so it is applied in the same turn.")
        yield from self.run([pipeline.apply])
        yield Step(None, "Release the lock.")

    def receive_body(self) -> Iterator[Step]:
        operation, when = self._operation, ", if it is sent" if self._operation.body_is_optional else ""
        yield Step(read_body, calls=(Step(operation.body, f"the class of the body{when}"),))
        if operation.shape is not None:
            yield Step(parse_document, calls=(Step(operation.shape, f"the shape of the document{when}"),))
        if operation.needs_checksum:
            yield Step(None, "In some dialects, refuse a request without an MD5 or a checksum.")

    def read_guards(self) -> Iterator[Step]:
        for guard in self._guards:
            yield from _parse(guard)

    def open_bucket(self) -> Iterator[Step]:
        if self._operation.needs_bucket:
            yield from _admit(self._guards)
        elif self._operation.access is not None:
            yield Step(None, "Refuse an anonymous requester.")

    def authorize_requester(self) -> Iterator[Step]:
        operation = self._operation
        if operation.anonymous_error:
            yield Step(None, "Refuse an anonymous requester.")
        if operation.access is not None and operation.needs_bucket:
            if operation.shape is not None:
                when = "if so, authorize is called after the document is read"
                yield Step(TABLE.condition_keys.awaits_document, when)
            yield _authorize(operation.access)

    def check_request(self) -> Iterator[Step]:
        yield Step(
            None, "They are the key, Expect, an empty Content-Length, and a body that the operation does not have."
        )

    def parse_inputs(self) -> Iterator[Step]:
        for each in (self._operation.parameters, self._operation.preconditions, self._operation.source):
            if each is not None:
                yield from _parse(each)

    def authorize_parameters(self) -> Iterator[Step]:
        parameters = self._operation.parameters
        if parameters is not None and parameters.further_access:
            yield from _own(parameters, "required_access", "returns which of the next permissions the request needs")
            yield from map(_authorize, parameters.further_access)

    def find_source(self) -> Iterator[Step]:
        source = self._operation.source
        if source is not None:
            for guard in source.guards:
                yield from _parse(guard)
            yield from _own(source, "bucket_name")
            yield from _admit(source.guards)
            yield from _own(source, "find", calls=map(_authorize, source.accesses))

    def check_inputs(self) -> Iterator[Step]:
        for each in (self._operation.parameters, self._operation.source, self._operation.preconditions):
            if each is not None and self._operation.needs_bucket:
                yield from _own(each, "check_state")

    def apply(self) -> Iterator[Step]:
        operation = self._operation
        note = "; without it, the function refuses or omits what needs it"
        own = (_authorize(each, note) for each in operation.checks_itself)
        yield Step(operation.run, "the function of the operation", (*_of_setting(operation), *own))
        method, scope = operation.route.method, operation.route.scope
        if method == "POST" or (method in ("PUT", "DELETE") and scope == "object"):
            yield Step(Service.note_changes, "notes the events, if an object was changed")


def _authorize(access: Access, note: str = "") -> Step:
    both = [each for each in (access, access.version) if each is not None]
    own = [each.requirement.find_refusal for each in both if each.requirement.find_refusal is not None]
    required = describe_requirement(access)
    actions = " or, with a version, ".join(each.action for each in both)
    return Step(
        authorize, f"{actions}: {required}{note}", tuple(Step(each, "decides instead of an ACL") for each in own)
    )


def _parse(declared: Any) -> Iterator[Step]:
    """Yield the reading of inputs, if anything is read or checked."""
    fields = [_read(each) for each in dataclasses.fields(declared) if each.metadata]
    calls = (*_own(declared, "check_raw"), *fields, *_own(declared, "check_parsed"))
    if calls:
        yield Step(declared, calls=calls)


def _read(field: dataclasses.Field[Any]) -> Step:
    """Return the reading of a field, with its names in a request, and its parser unless the framework defines it."""
    declared: inputs.Field = field.metadata["field"]
    headers = (*map(DOCUMENT.header, declared.service_headers), *declared.standard_headers)
    names = [*(f"?{name}" for name in declared.query), *headers]
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    note = f"field {field.name}" + (f": {', '.join(names[:_MOST_NAMES])}{more}" if names else "")
    parse: Callable[..., object] = declared.read
    if parse.__module__ == inputs.__name__:  # it calls the parser with which the field is declared
        variables = inspect.getclosurevars(parse).nonlocals
        parse = variables.get("parse") or variables.get("read") or inputs.text
    return Step(None if parse.__module__ == inputs.__name__ else parse, note)


def _own(declared: type[inputs.Inputs], name: str, note: str = "", calls: Iterable[Step] = ()) -> Iterator[Step]:
    """Yield a method or property of a class of inputs, unless it is inherited from the framework."""
    attribute = getattr(declared, name)
    function = attribute.fget if isinstance(attribute, property) else attribute
    if function.__module__ != inputs.__name__:
        yield Step(function, note, tuple(calls))


def _admit(guards: Iterable[type[inputs.Guard]]) -> Iterator[Step]:
    yield Step(State.bucket)
    for guard in guards:
        yield from _own(guard, "check_bucket")
    yield Step(BucketRecord.apply_lifecycle)


def _of_setting(operation: Operation) -> Iterator[Step]:
    """Yield what the function of an operation calls, reads and sets for its setting, if it belongs to one."""
    setting, method = getattr(operation.run, "__self__", None), operation.route.method
    if isinstance(setting, Setting):
        use, verb = (setting.read, "Read") if method == "GET" else (None, "Set")
        yield Step(use, "" if use else f"{verb} bucket.{setting.attribute or 'configurations'}.")
        if method == "GET" and setting.reply_headers.__module__ != Setting.__module__:
            yield Step(setting.reply_headers)
