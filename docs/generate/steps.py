"""The steps of a request, each with what it calls for one operation. A step that does nothing for it is left out."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import Any, NamedTuple, get_type_hints

from docs.generate.operations import describe_requirement
from fakestore.model.bucket import BucketRecord
from fakestore.model.content import pieces_of
from fakestore.model.multipart_upload import UploadIndex
from fakestore.model.state import State
from fakestore.operations import TABLE
from fakestore.operations.condition_keys import condition_keys
from fakestore.operations.framework import inputs, pipeline
from fakestore.operations.framework.access import Access, authorize
from fakestore.operations.framework.allowed_names import AllowedNames
from fakestore.operations.framework.body import BodyHeaders, MissingBody, read_body
from fakestore.operations.framework.credentials import Credentials
from fakestore.operations.framework.inputs import Guard, Inputs
from fakestore.operations.framework.operation import Operation
from fakestore.operations.framework.setting import Setting
from fakestore.operations.framework.table import OperationTable
from fakestore.protocol.addressing import parse_address
from fakestore.protocol.auth.authenticator import Authenticator
from fakestore.protocol.dialect import DOCUMENT
from fakestore.service.fault_plan import FaultPlan
from fakestore.service.journal import exchange_of
from fakestore.service.rendering import render
from fakestore.service.service import Service
from fakestore.xml.document import parse as parse_document

_ROOT = Path(__file__).parents[2]

#: A function, or a class.
Function = Callable[..., object]


class Step(NamedTuple):
    """A step of a request, or something that it calls.

    Args:
        function: The function or class; None if there is only a note.
        note: What it reads, checks or changes, or when it is called.
        calls: What it calls for the operation, in this order. A request may need only some of them.
    """

    function: Function | None
    note: str = ""
    calls: tuple[Step, ...] = ()

    @property
    def name(self) -> str:
        return "" if self.function is None else self.function.__qualname__.replace("<locals>.", "")


@cache
def place_of(function: Function) -> str:
    """Return the file and the line of a definition, as editors open them."""
    lines, number = inspect.getsourcelines(function)
    if function.__name__ != "<lambda>":  # decorators come first
        number += next(index for index, line in enumerate(lines) if re.match(r" *(def|class) ", line))
    return f"{Path(inspect.getfile(function)).relative_to(_ROOT)}:{number}"


def steps_of(operation: Operation) -> Iterator[Step]:
    """Yield the steps of a request for an operation, in their order."""
    steps = _Steps(operation)
    yield Step(Service.answer)
    yield from steps.run(pipeline.FIRST_STEPS)
    yield Step(FaultPlan.meet)
    yield from steps.run(pipeline.OPERATION_STEPS)
    yield Step(render)
    yield Step(exchange_of)


class _Steps:
    """What the steps of the pipeline call for an operation. Each method has the name of its step."""

    def __init__(self, operation: Operation) -> None:
        self._operation = operation
        self._guards = [each for each in TABLE.guards if operation.needs_bucket or not each.needs_bucket]

    def run(self, functions: Iterable[Function]) -> Iterator[Step]:
        """Yield those of the steps that do something."""
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
        if self._operation.credentials.in_fields:
            yield Step(self._operation.credentials.open)

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
        yield from self.run(pipeline.CHECKS)
        if self._operation.body is not None:
            yield from self.run([pipeline.receive_body])
            repeated = ", ".join(each.name for each in self.run(pipeline.REPEATED_CHECKS))
            when = "if another thread had a turn" if self._operation.shape is None else "because of the document"
            yield Step(None, f"again, {when}: {repeated}")
        yield from self.run([pipeline.apply])

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
            yield _authorize(operation.access)

    def parse(self) -> Iterator[Step]:
        yield Step(None, "checks the key, Expect, and whether a body may be sent")
        for each in (self._operation.parameters, self._operation.preconditions, self._operation.source):
            if each is not None:
                yield _parse(each)

    def authorize_parameters(self) -> Iterator[Step]:
        parameters = self._operation.parameters
        if parameters is not None and parameters.further_access:
            yield from _own(parameters, "required_access")
            yield from map(_authorize, parameters.further_access)

    def find_source(self) -> Iterator[Step]:
        source = self._operation.source
        if source is not None:
            yield from map(_parse, source.guards)
            yield from _own(source, "bucket_name")
            yield from _admit(source.guards)
            (find,) = _own(source, "find")
            yield find._replace(calls=tuple(map(_authorize, source.accesses)))

    def check_inputs(self) -> Iterator[Step]:
        for each in (self._operation.parameters, self._operation.source, self._operation.preconditions):
            if each is not None and self._operation.needs_bucket:
                yield from _own(each, "check_state")

    def apply(self) -> Iterator[Step]:
        run = self._operation.run
        uses = _uses_in(run)
        notes_changes = uses.pop(_NOTE_CHANGES, False)
        yield Step(run, calls=(*_of_setting(self._operation.route.method, run), *uses))
        if notes_changes:
            yield _NOTE_CHANGES


def _parse(declared: Any) -> Step:
    """Return the reading of inputs, with the parsers of its fields."""
    fields = [(each.name, each.metadata["field"]) for each in dataclasses.fields(declared) if each.metadata]
    parsers = [Step(_parser_of(field.read), name) for name, field in fields]
    own = [each for each in parsers if each.function is not inputs.text]
    return Step(declared, calls=(*_own(declared, "check_raw"), *own, *_own(declared, "check_parsed")))


def _parser_of(read: Any) -> Function:
    """Return the function with which a field is declared. Most are called in a function of the framework."""
    variables = inspect.getclosurevars(read).nonlocals if read.__module__ == inputs.__name__ else {}
    function: Function = variables.get("parse") or variables.get("read") or read
    return function


def _own(declared: type[Inputs], name: str) -> Iterator[Step]:
    """Yield a method or property of a class of inputs, unless it is inherited from the framework."""
    attribute = getattr(declared, name)
    function = attribute.fget if isinstance(attribute, property) else attribute
    if function.__module__ != inputs.__name__:
        yield Step(function)


def _admit(guards: Iterable[type[Guard]]) -> Iterator[Step]:
    yield Step(State.bucket)
    for guard in guards:
        yield from _own(guard, "check_bucket")
    yield Step(BucketRecord.apply_lifecycle)


def _authorize(access: Access) -> Step:
    both = [each for each in (access, access.version) if each is not None]
    actions = [each.action for each in both]
    keys = condition_keys(DOCUMENT.header_prefix).values()
    names = [key.name for key in keys if key.actions is not None and any(map(key.applies_to, actions))]
    values = Step(TABLE.condition_keys.values, "if the policy has statements", (Step(None, ", ".join(names)),))
    refusals = [Step(each.requirement.find_refusal) for each in both if each.requirement.find_refusal is not None]
    note = f"{' or, with a version, '.join(actions)}: {describe_requirement(access)}"
    return Step(authorize, note, (values, *refusals))


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
            yield Step(each, calls=tuple(_uses_in(each)))


#: The records that operations change, by the names that functions give to them.
_RECORDS: dict[str, type] = {
    "bucket": BucketRecord,
    "existing": BucketRecord,
    "bucket.uploads": UploadIndex,
    "call.state": State,
}

#: What is called if the result of an operation has changes.
_NOTE_CHANGES = Step(Service.note_changes)


def _uses_in(function: Any, owner: type | None = None) -> dict[Step, bool]:
    """Return what a function authorizes, and what it calls and sets of records, itself or in functions of nouns."""
    uses: dict[Step, bool] = {}
    types, names = {**get_type_hints(function), "self": owner, **_RECORDS}, function.__globals__
    nodes = ast.walk(ast.parse(dedent(inspect.getsource(function))))
    for node in sorted(nodes, key=lambda each: getattr(each, "lineno", 0)):
        receiver, called = None, None
        match node:
            case ast.Assign([ast.Attribute(ast.Name(record), name)]) if types.get(record) is BucketRecord:
                uses[Step(None, f"sets bucket.{name}")] = True
            case ast.keyword("changes"):
                uses[_NOTE_CHANGES] = True
            case ast.Call(ast.Name("authorize" | "is_authorized"), [ast.Name(access), *_]):
                uses[_authorize(names[access])] = True
            case ast.Call(ast.Name(name)):
                called = names.get(name)
            case ast.Call(ast.Attribute(value, name)):
                receiver = types.get(ast.unparse(value))
                called = getattr(receiver, name, None)
        if receiver in _RECORDS.values():
            uses[Step(called)] = True
        elif inspect.isfunction(called) and re.match(r"fakestore\.operations\.\w+$", called.__module__):
            uses |= _uses_in(called, receiver)
    return uses
