"""Operations, tables of operations and guards: what the framework does with what an operation declares and reads."""

from __future__ import annotations

import datetime
from email.utils import formatdate
from importlib import import_module
from pkgutil import iter_modules

import pytest

import fakestore.operations
from fakestore import Request, UnsupportedRequest
from fakestore.api.options import Options
from fakestore.errors import ACCESS_DENIED
from fakestore.model.acl import PRIVATE
from fakestore.model.bucket import BucketRecord
from fakestore.operations import TABLE
from fakestore.operations.bucket import get_service, head_bucket
from fakestore.operations.framework.access import BUCKET_READ, Access
from fakestore.operations.framework.body import ObjectContent
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.inputs import Guard, Parameters, header, query
from fakestore.operations.framework.operation import Operation, operation
from fakestore.operations.framework.result import Result
from fakestore.operations.framework.setting import Actions, Setting, SettingWithId
from fakestore.operations.framework.table import OperationTable
from fakestore.protocol.dialect import S3
from fakestore.protocol.routing import Route
from fakestore.protocol.unsupported import OTHER_ACTIONS, feature_of_header
from fakestore.xml.declarations import child, document, optional, unread_element
from tests.support.cases import each

NOW = datetime.datetime(2026, 11, 21, tzinfo=datetime.UTC)


class ColorQuery(Parameters):
    """The query of the operation of these tests."""

    color: str | None = query("color")


def declare(name="GET Bucket color", subresource="paint", access=None, **declared):
    return operation(name, Route("GET", "bucket", subresource), api_name=None, access=access, **declared)


@declare()
def get_bucket_color(bucket: BucketRecord, parameters: ColorQuery):
    return Result(body=f"{bucket.name}: {parameters.color}".encode())


def succeed(bucket: BucketRecord):
    return Result()


@document("Sharing")
class Sharing:
    status: str = child("Status")


class NeverOnSunday(Guard):
    """A guard that reads a header, and adds one to the reply."""

    day: str | None = header("day")

    def check_bucket(self, call, bucket):
        if self.day == "sunday":
            raise ACCESS_DENIED.error(explanation=f"{bucket.name} is closed")
        return {"open": bucket.name}


def service_with(*operations, guards=()):
    """Return a service that has only these operations, and the bucket photos."""
    service = Options.from_kwargs({"dialect": "s3"}).new_service()
    service.operations = OperationTable(operations, guards)
    owner = service.state.accounts.create("owner")
    service.state.create_bucket("photos", acl=PRIVATE.expand(owner, owner), now=NOW)
    return service


def send(service, target, headers=(), method="GET", body=b""):
    """Return the reply to a request without credentials, and its exchange."""
    delivery, exchange = service.answer(Request.to_url(method, service.origin + target, headers, body))
    return delivery.reply, exchange


def test_bucket_returns_the_initial_document_until_another_is_put():
    actions = Actions("s3:GetSharing", "s3:PutSharing", "s3:PutSharing")
    setting = Setting("sharing", "Sharing", Sharing, actions, initial=Sharing(status="Disabled"))
    service = service_with(*setting.operations())
    access_key = service.state.buckets["photos"].owner.access_key_id
    signed = {"Authorization": f"AWS {access_key}:signature", "Date": formatdate(usegmt=True)}
    for method, body, expected in (
        ("GET", b"", b"<Status>Disabled</Status>"),
        ("PUT", b"<Sharing><Status>Enabled</Status></Sharing>", b""),
        ("GET", b"", b"<Status>Enabled</Status>"),
        ("DELETE", b"", b""),
        ("GET", b"", b"<Status>Disabled</Status>"),
    ):
        reply, exchange = send(service, "/photos?sharing", signed, method, body)
        assert exchange.error_code is None
        assert expected in reply.body


def test_service_has_only_the_operations_of_its_table():
    service = service_with(get_bucket_color, head_bucket, get_service)
    assert service.operations.actions["bucket"] == {"s3:ListBucket"}
    assert send(service, "/photos?paint&color=red")[0].body == b"photos: red"
    with pytest.raises(UnsupportedRequest, match="supported bucket operations with GET: GET Bucket color"):
        send(service, "/photos")
    with pytest.raises(UnsupportedRequest, match="supported object operations: "):
        send(service, "/photos/cat.jpg")


def test_each_module_lists_all_of_its_operations():
    operations = set(TABLE)
    known = {each.name for each in operations}
    for name in (module.name for module in iter_modules(fakestore.operations.__path__) if not module.ispkg):
        for value in vars(import_module(f"fakestore.operations.{name}")).values():
            if isinstance(value, Setting | SettingWithId):
                assert {each.name for each in value.operations()} <= known, f"{name}.OPERATIONS"
            if isinstance(value, Operation):  # also the PUT of a setting, which replaces another
                assert value in operations, f"{name}.OPERATIONS: {value.name}"


def test_no_operation_has_what_is_listed_as_unsupported():
    read = {name for each in TABLE for inputs in each.inputs for name in inputs.header_names}
    assert not [name for name in read if feature_of_header(name, S3) is not None]
    actions = {action.removeprefix("s3:") for of_scope in TABLE.actions.values() for action in of_scope}
    assert not actions.intersection(OTHER_ACTIONS)


def test_table_refuses_two_operations_with_one_name_or_route():
    with pytest.raises(ValueError, match="'GET Bucket color' is already in the table"):
        OperationTable([get_bucket_color, get_bucket_color])
    with pytest.raises(ValueError, match="already registered"):
        OperationTable([get_bucket_color, declare("GET Bucket paint")(succeed)])


def test_table_refuses_a_route_that_is_listed_as_unsupported():
    for case in each(
        Route("GET", "object", "torrent"),
        Route("POST", "object", "restore", query=frozenset({"select-type"})),
        Route("GET", "object", query=frozenset({"annotationName"})),
    ):
        with case as route:
            part = operation("GET Object part", route, api_name=None, access=None)(succeed)
            with pytest.raises(ValueError, match=r"'GET Object part' has .* fakestore/protocol/unsupported.py lists"):
                OperationTable([part])


@document("Shade")
class Shade:
    name: str = child("Name")


def test_signature_of_a_function_says_what_an_operation_reads():
    def paint(call: Call, bucket: BucketRecord, query: ColorQuery, shade: Shade | None) -> Result:
        return Result()

    painted = declare()(paint)
    assert (painted.parameters, painted.shape, painted.body_is_optional) == (ColorQuery, Shade, True)
    assert (painted.needs_bucket, painted.source) == (True, None)

    def store(call: Call, content: ObjectContent) -> Result:
        return Result()

    stored = declare()(store)
    assert (stored.body, stored.shape, stored.body_is_optional) == (ObjectContent, None, False)
    assert not stored.needs_bucket


def test_argument_whose_type_is_no_input_is_refused():
    for kind in each(int, str, Access, bytes | None, ColorQuery | Shade, None):
        with kind as annotation:

            def function(argument):
                return Result()

            function.__annotations__ = {} if annotation is None else {"argument": annotation}
            with pytest.raises(TypeError, match=r"the argument 'argument' is a .*; expected a call, a bucket"):
                declare()(function)


def test_operations_can_share_the_class_of_their_parameters():
    def get_bucket_b(bucket: BucketRecord, query: ColorQuery) -> Result:
        return Result()

    assert len([*OperationTable([declare("GET Bucket b", "b")(get_bucket_b), get_bucket_color])]) == 2


def test_operations_inherit_the_guards_of_the_table():
    header = {"x-amz-day": "sunday"}
    unguarded, guarded = service_with(get_bucket_color), service_with(get_bucket_color, guards=(NeverOnSunday,))
    with pytest.raises(UnsupportedRequest, match="'x-amz-day'"):
        send(unguarded, "/photos?paint", header)
    reply, exchange = send(guarded, "/photos?paint", header)
    assert (reply.status, exchange.explanation) == (403, "photos is closed")
    reply, _ = send(guarded, "/photos?paint", {"x-amz-day": "monday"})
    assert (reply.status, reply.headers["x-amz-open"]) == (200, "photos")


def test_action_of_an_operation_is_known_to_the_policies_of_its_table():
    declared = declare(access=Access("s3:A", BUCKET_READ))
    assert OperationTable([declared(succeed)]).actions["bucket"] == {"s3:A"}


class PaintQuery(Parameters):
    """The query of an operation that needs further permissions."""

    further_access = (Access("s3:B", BUCKET_READ),)


def test_further_actions_of_an_operation_are_known_to_the_policies_of_its_table():
    def paint(bucket: BucketRecord, query: PaintQuery) -> Result:
        return Result()

    declared = declare(checks_itself=(Access("s3:C", BUCKET_READ, version=Access("s3:CVersion", BUCKET_READ)),))
    assert OperationTable([declared(paint)]).actions["bucket"] == {"s3:B", "s3:C", "s3:CVersion"}


def test_request_needs_only_accesses_that_its_parameters_declare():
    def paint(bucket, query):
        return Result()

    class Undeclared(PaintQuery):
        required_access = (Access("s3:D", BUCKET_READ),)

    paint.__annotations__ = {"bucket": BucketRecord, "query": Undeclared}  # a local class
    service = service_with(declare()(paint))
    with pytest.raises(AssertionError, match="s3:D"):
        send(service, "/photos?paint")


def test_unread_element_with_two_values_of_one_name_is_refused():
    with pytest.raises(ValueError, match="two fields have the name Destination"):
        unread_element(optional("Bucket", inside="Destination"), optional("Account", inside="Destination"))
