"""Rows, tables of operations and guards: what the framework does with what an operation declares."""

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
from fakestore.operations import OPERATIONS
from fakestore.operations.bucket import get_service, head_bucket
from fakestore.operations.framework.access import BUCKET_READ, Access
from fakestore.operations.framework.body import CONTENT, DOCUMENT, ReceivedBody
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.fields import header, query
from fakestore.operations.framework.parameters import Guard, Parameters
from fakestore.operations.framework.result import Result
from fakestore.operations.framework.row import Operation, operation
from fakestore.operations.framework.setting import Actions, Setting
from fakestore.operations.framework.table import Operations
from fakestore.protocol.routing import Route
from fakestore.xml.declarations import child, document, optional, unread_element
from tests.support.cases import each

NOW = datetime.datetime(2026, 11, 21, tzinfo=datetime.UTC)


class ColorQuery(Parameters):
    """The query of the operation of these tests."""

    color: str | None = query("color")


def color_row(**declared):
    return operation("GET Bucket color", Route("GET", "bucket", "paint"), api_name=None, access=None, **declared)


@color_row(is_public=True, parameters=ColorQuery)
def get_bucket_color(bucket, parameters: ColorQuery):
    return Result(body=f"{bucket.name}: {parameters.color}".encode())


@document("Sharing")
class Sharing:
    status: str = child("Status")


class NeverOnSunday(Guard):
    """A guard that reads a header, and adds one to the reply."""

    day: str | None = header("day")

    def check_bucket(self, call, bucket):
        if self.day == "sunday":
            raise ACCESS_DENIED.error(explanation=f"{bucket.name} is closed")

    def reply_headers(self, call, buckets):
        return {"open": " ".join(each.name for each in buckets)}


def service_with(*operations, guards=()):
    """Return a service that has only these operations, and the bucket photos."""
    service = Options.from_kwargs({"dialect": "s3"}).new_service()
    service.operations = Operations(operations, guards)
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
    known = {row.name for row in OPERATIONS.rows}
    for name in (module.name for module in iter_modules(fakestore.operations.__path__) if not module.ispkg):
        for value in vars(import_module(f"fakestore.operations.{name}")).values():
            defined = value.operations() if isinstance(value, Setting) else [value]
            rows = [one.row.name for one in defined if isinstance(one, Operation)]
            assert known.issuperset(rows), name


def test_table_refuses_two_operations_with_one_name_or_route():
    other = operation("GET Bucket paint", Route("GET", "bucket", "paint"), api_name=None, access=None)
    with pytest.raises(ValueError, match="'GET Bucket color' is already in the table"):
        Operations([get_bucket_color, get_bucket_color])
    with pytest.raises(ValueError, match="already registered"):
        Operations([get_bucket_color, other(lambda bucket: Result())])


def test_table_refuses_a_route_that_is_listed_as_unsupported():
    for case in each(
        Route("GET", "object", "torrent"),
        Route("POST", "object", "restore", query=frozenset({"select-type"})),
        Route("GET", "object", query=frozenset({"annotationName"})),
    ):
        with case as route:
            row = operation("GET Object part", route, api_name=None, access=None)
            with pytest.raises(ValueError, match=r"'GET Object part' has .* fakestore/protocol/unsupported.py lists"):
                Operations([row(lambda: Result())])


def test_row_refuses_a_function_that_asks_for_what_it_does_not_declare():
    def asks(call, bucket, source):
        return Result()

    with pytest.raises(TypeError, match=r"'GET Bucket color': .*asks asks for source, .* only bucket, call"):
        color_row()(asks)
    with pytest.raises(TypeError, match=r"asks for bucket"):
        color_row(needs_bucket=False)(asks)


def test_check_of_a_row_cannot_ask_for_the_body():
    with pytest.raises(TypeError, match=r"asks for body, .* only bucket, call"):
        color_row(body=CONTENT, check=lambda body: None)(lambda body: Result())


def has_types(**types):
    """Return a function whose annotations are these classes, as in a module without postponed annotations."""

    def function(call, bucket, parameters, body):
        return Result()

    function.__annotations__ = types
    return function


def test_classes_are_accepted_as_annotations():
    row = color_row(parameters=ColorQuery, body=CONTENT)
    fitting = has_types(call=Call, bucket=BucketRecord, parameters=Parameters, body=ReceivedBody | None)
    assert row(fitting).run is fitting


@pytest.mark.parametrize(
    "wrong", [{"call": int}, {"bucket": "str"}, {"parameters": Access}, {"body": bytes}, {"body": "bytes | None"}]
)
def test_row_refuses_a_function_whose_types_are_wrong(wrong):
    (name,) = wrong
    row = color_row(parameters=ColorQuery, body=CONTENT)
    with pytest.raises(TypeError, match=f"asks for {name}: .*, and receives a value of [A-Z][A-Za-z]+$"):
        row(has_types(**wrong))


def test_argument_for_an_optional_document_must_accept_none():
    row = color_row(body=DOCUMENT, body_is_optional=True)

    def needs(document: bytes):
        return Result()

    with pytest.raises(TypeError, match="asks for document: 'bytes', and receives a value of bytes or NoneType"):
        row(needs)


class OtherQuery(ColorQuery):
    """The query of an operation that would accept ``color`` by accident."""


def test_table_refuses_a_class_that_inherits_the_fields_of_another_operation():
    row = operation("GET Bucket b", Route("GET", "bucket", "b"), api_name=None, access=None, parameters=OtherQuery)
    with pytest.raises(ValueError, match="OtherQuery of 'GET Bucket b' would inherit the fields of ColorQuery of 'GET"):
        Operations([row(lambda bucket: Result()), get_bucket_color])


class NeverOnMonday(NeverOnSunday):
    """A guard that would accept the header of the other guard by accident."""


def test_table_refuses_a_guard_that_inherits_the_fields_of_another_guard():
    row = operation("GET Bucket b", Route("GET", "bucket", "b"), api_name=None, access=None, guards=(NeverOnMonday,))
    with pytest.raises(ValueError, match="NeverOnMonday of 'GET Bucket b' would inherit the fields of NeverOnSunday"):
        Operations([row(lambda bucket: Result()), get_bucket_color], guards=(NeverOnSunday,))


def test_operations_can_share_the_class_of_their_parameters():
    row = operation("GET Bucket b", Route("GET", "bucket", "b"), api_name=None, access=None, parameters=ColorQuery)
    assert len(Operations([row(lambda bucket: Result()), get_bucket_color]).rows) == 2


def test_rows_inherit_the_guards_of_the_table():
    header = {"x-amz-day": "sunday"}
    unguarded, guarded = service_with(get_bucket_color), service_with(get_bucket_color, guards=(NeverOnSunday,))
    with pytest.raises(UnsupportedRequest, match="'x-amz-day'"):
        send(unguarded, "/photos?paint", header)
    reply, exchange = send(guarded, "/photos?paint", header)
    assert (reply.status, exchange.explanation) == (403, "photos is closed")
    reply, _ = send(guarded, "/photos?paint", {"x-amz-day": "monday"})
    assert (reply.status, reply.headers["x-amz-open"]) == (200, "photos")


def test_row_may_declare_guards_of_its_own():
    free = color_row(is_public=True, guards=())(lambda bucket: Result())
    service = service_with(free, guards=(NeverOnSunday,))
    assert "x-amz-open" not in send(service, "/photos?paint")[0].headers


def test_action_of_a_row_is_known_to_the_policies_of_its_table():
    row = operation("GET Bucket a", Route("GET", "bucket", "a"), api_name=None, access=Access("s3:A", BUCKET_READ))
    assert Operations([row(lambda bucket: Result())]).actions["bucket"] == {"s3:A"}


class PaintQuery(Parameters):
    """The query of an operation that needs further permissions."""

    further_access = (Access("s3:B", BUCKET_READ),)


def test_further_actions_of_a_row_are_known_to_the_policies_of_its_table():
    row = color_row(
        parameters=PaintQuery, checks_itself=(Access("s3:C", BUCKET_READ, version=Access("s3:CVersion", BUCKET_READ)),)
    )
    assert Operations([row(lambda bucket: Result())]).actions["object"] == {"s3:B", "s3:C", "s3:CVersion"}


def test_request_needs_only_accesses_that_its_parameters_declare():
    class Undeclared(PaintQuery):
        required_access = (Access("s3:D", BUCKET_READ),)

    service = service_with(color_row(is_public=True, parameters=Undeclared)(lambda bucket: Result()))
    with pytest.raises(AssertionError, match="s3:D"):
        send(service, "/photos?paint")


def test_unread_element_with_two_values_of_one_name_is_refused():
    with pytest.raises(ValueError, match="two fields have the name Destination"):
        unread_element(optional("Bucket", inside="Destination"), optional("Account", inside="Destination"))
