"""The steps of a request, each with what it calls for one operation. A step that does nothing for it is left out."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterable, Iterator
from typing import Any

from docs.generate.calls import Function, Step, authorization, source_of, step_of
from fakestore.model.bucket import BucketRecord
from fakestore.model.content import pieces_of
from fakestore.model.state import State
from fakestore.operations import TABLE
from fakestore.operations.framework import inputs, pipeline
from fakestore.operations.framework.allowed_names import AllowedNames
from fakestore.operations.framework.body import BodyHeaders, MissingBody, read_body
from fakestore.operations.framework.credentials import Credentials
from fakestore.operations.framework.inputs import Guard, Inputs
from fakestore.operations.framework.operation import Operation
from fakestore.operations.framework.setting import Setting
from fakestore.operations.framework.table import OperationTable
from fakestore.protocol.addressing import parse_address
from fakestore.protocol.auth.authenticator import Authenticator
from fakestore.service.events import Outbox
from fakestore.service.fault_plan import FaultPlan
from fakestore.service.journal import Journal, exchange_of
from fakestore.service.rendering import render
from fakestore.service.service import Service
from fakestore.xml.document import parse as parse_document


def steps_of(operation: Operation) -> Iterator[Step]:
    """Yield the steps of a request for an operation, in their order."""
    steps = _Steps(operation)
    yield Step(Service.answer)
    yield from steps.run(pipeline.FIRST_STEPS)
    yield Step(FaultPlan.meet)
    yield from steps.run(pipeline.OPERATION_STEPS)
    yield Step(render)
    yield Step(exchange_of)
    yield Step(Journal.add)
    yield Step(Outbox.deliver)


class _Steps:
    """What the steps of the pipeline call for an operation. Each method has the name of its step."""

    def __init__(self, operation: Operation) -> None:
        self._operation = operation
        self._guards = [each for each in TABLE.guards if operation.needs_bucket or not each.needs_bucket]

    def run(self, functions: Iterable[Function]) -> Iterator[Step]:
        """Yield the steps, without a step that calls nothing for this operation."""
        for each in functions:
            calls = tuple(getattr(self, each.__name__)())
            if calls:
                yield Step(each, calls=calls)

    def read_address(self) -> Iterator[Step]:
        yield Step(parse_address)

    def find_operation(self) -> Iterator[Step]:
        yield Step(OperationTable.find, f"{self._operation.route}")
        yield Step(AllowedNames.check)
        for headers in TABLE.headers_of_every_reply:
            yield Step(headers)
        if self._operation.credentials.headers_in_fields:
            yield step_of(self._operation.credentials.read_fields)

    def authenticate(self) -> Iterator[Step]:
        if self._operation.needs_bucket:
            yield Step(TABLE.check_host)
        yield Step(self._operation.credentials.authenticate)
        if self._operation.credentials is Credentials:
            yield Step(Authenticator.authenticate)

    def check_ignored_body(self) -> Iterator[Step]:
        if self._operation.body is None and self._operation.route.method in ("GET", "HEAD"):
            yield Step(pieces_of, "if the request has a body and its hash")

    def take_turns(self) -> Iterator[Step]:
        yield Step(None, "takes the lock of the store")
        yield from self.run(pipeline.CHECKS)
        if self._operation.body is not None:
            yield Step(None, "releases the lock")
            yield from self.run([pipeline.receive_body])
            yield Step(None, "takes the lock")
            repeated = ", ".join(each.name for each in self.run(pipeline.REPEATED_CHECKS))
            when = "if another thread had a turn" if self._operation.shape is None else "because of the document"
            yield Step(None, f"again, {when}: {repeated}")
        yield from self.run([pipeline.apply])
        yield Step(None, "releases the lock")

    def receive_body(self) -> Iterator[Step]:
        body, shape = self._operation.body, self._operation.shape
        assert body is not None
        if self._operation.body_is_optional:
            yield Step(MissingBody, "if the request has no body")
        yield Step(BodyHeaders.parse, calls=(Step(body.max_length),))
        yield Step(read_body, calls=(Step(body),))
        if shape is not None:
            yield Step(parse_document, calls=(Step(shape),))

    def read_guards(self) -> Iterator[Step]:
        for guard in self._guards:
            if guard.header_names:
                yield _parse(guard)

    def open_bucket(self) -> Iterator[Step]:
        if self._operation.needs_bucket:
            yield from _admit(self._guards)
        elif self._operation.access is not None:
            yield Step(None, "refuses an anonymous requester")

    def authorize_requester(self) -> Iterator[Step]:
        operation = self._operation
        if operation.anonymous_error:
            yield Step(None, "refuses an anonymous requester")
        if operation.access is not None and operation.needs_bucket:
            if operation.shape is not None:
                yield Step(TABLE.condition_keys.awaits_document)
            yield authorization(operation.access)

    def parse(self) -> Iterator[Step]:
        yield Step(None, "checks the key, Expect, and whether a body may be sent")
        for each in (self._operation.parameters, self._operation.preconditions, self._operation.source):
            if each is not None:
                yield _parse(each)

    def authorize_parameters(self) -> Iterator[Step]:
        parameters = self._operation.parameters
        if parameters is not None and parameters.further_access:
            yield from _own(parameters, "required_access")
            yield from map(authorization, parameters.further_access)

    def find_source(self) -> Iterator[Step]:
        source = self._operation.source
        if source is not None:
            yield from map(_parse, source.guards)
            yield from _own(source, "bucket_name")
            yield from _admit(source.guards)
            (find,) = _own(source, "find", levels=3)
            yield find._replace(calls=(*map(authorization, source.accesses), *find.calls))

    def check_inputs(self) -> Iterator[Step]:
        for each in (self._operation.parameters, self._operation.source, self._operation.preconditions):
            if each is not None and self._operation.needs_bucket:
                yield from _own(each, "check_state", levels=3)

    def apply(self) -> Iterator[Step]:
        run = step_of(self._operation.run, levels=3)
        yield run._replace(calls=(*_of_setting(self._operation.route.method, run.function), *run.calls))
        if any("changes=" in source_of(each.function) for each in (run, *run.calls) if each.function is not None):
            yield Step(Service.note_changes)


def _parse(declared: Any) -> Step:
    """Return the reading of inputs, with the parsers of its fields."""
    fields = [(each.name, each.metadata["field"]) for each in dataclasses.fields(declared) if each.metadata]
    parsers = [step_of(_parser_of(field.read), name) for name, field in fields]
    own = [each for each in parsers if each.function is not inputs.text]
    return Step(declared, calls=(*_own(declared, "check_raw"), *own, *_own(declared, "check_parsed")))


def _parser_of(read: Any) -> Function:
    """Return the function with which a field is declared. Most are called in a function of the framework."""
    variables = inspect.getclosurevars(read).nonlocals if read.__module__ == inputs.__name__ else {}
    function: Function = variables.get("parse") or variables.get("read") or read
    return function


def _own(declared: type[Inputs], name: str, levels: int = 1) -> Iterator[Step]:
    """Yield a method or property of a class of inputs, unless it is inherited from the framework."""
    attribute = getattr(declared, name)
    function = attribute.fget if isinstance(attribute, property) else attribute
    if function.__module__ != inputs.__name__:
        yield step_of(function, owner=declared, levels=levels)


def _admit(guards: Iterable[type[Guard]]) -> Iterator[Step]:
    yield Step(State.bucket)
    for guard in guards:
        yield from _own(guard, "check_bucket")
    yield Step(BucketRecord.apply_lifecycle)


def _of_setting(method: str, run: Any) -> Iterator[Step]:
    """Yield what the function of an operation calls and sets for the setting to which the operation belongs, if any."""
    setting = getattr(run, "__self__", None) or inspect.getclosurevars(run).nonlocals.get("self")
    if not isinstance(setting, Setting):
        return
    prepare = setting.prepare if method == "PUT" else None
    use, name = (setting.read, "reads") if method == "GET" else (setting.store, "sets")
    reply_headers = None if method == "DELETE" else setting.reply_headers
    if use is None:
        yield Step(None, f"{name} bucket.{setting.attribute or 'configurations'}")
    for each in (prepare, use, reply_headers):
        if each is not None and each.__module__ != Setting.__module__:
            yield step_of(each, levels=3)
