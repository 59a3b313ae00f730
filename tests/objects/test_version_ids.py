"""Version ids that name no version, in each operation that can name one."""

from __future__ import annotations

import pytest

from fakestore import DOCUMENT, S3, FakeStore
from tests.support.client import Client
from tests.support.operations import operations, service_model
from tests.support.wire import elements

LOCK = "<Retention><Mode>GOVERNANCE</Mode><RetainUntilDate>2100-01-01T00:00:00Z</RetainUntilDate></Retention>"
#: The headers and the body of a valid request for each operation, by the name of the operation.
REQUESTS = {
    "DeleteObject": ({}, ""),
    "DeleteObjectTagging": ({}, ""),
    "GetObject": ({}, ""),
    "GetObjectAcl": ({}, ""),
    "GetObjectAttributes": ({"object-attributes": "ETag"}, ""),
    "GetObjectLegalHold": ({}, ""),
    "GetObjectRetention": ({}, ""),
    "GetObjectTagging": ({}, ""),
    "HeadObject": ({}, ""),
    "PutObjectAcl": ({"acl": "bucket-owner-full-control"}, ""),
    "PutObjectLegalHold": ({}, "<LegalHold><Status>ON</Status></LegalHold>"),
    "PutObjectRetention": ({}, LOCK),
    "PutObjectTagging": ({}, "<Tagging><TagSet/></Tagging>"),
    "RestoreObject": ({}, "<RestoreRequest><Days>1</Days></RestoreRequest>"),
}


def names_version(api_name: str) -> bool:
    """Return whether a request for this operation can name a version in its query."""
    shape = service_model().operation_model(api_name).input_shape
    member = shape and shape.members.get("VersionId")
    return bool(member) and member.serialization.get("location") == "querystring"


@pytest.fixture(params=[DOCUMENT, S3], ids=lambda dialect: dialect.name)
def client(request):
    store = FakeStore(dialect=request.param)
    store.create_bucket("photos", object_lock=True).put("k")
    yield Client(store)
    store.close()


@pytest.mark.decision("version-ids")
@pytest.mark.parametrize("api_name", REQUESTS)
def test_empty_version_id_is_refused(client, api_name):
    operation = next(each for each in operations() if each.api_name == api_name)
    headers, body = REQUESTS[api_name]
    versions = client.store["photos"].versions()
    for version_id, message in (("", "Version id cannot be the empty string"), ("x", "Invalid version id specified")):
        reply = client.send(operation.method, "/k", headers, body.encode(), **operation.query, versionId=version_id)
        assert reply.status == 400
        if operation.method != "HEAD":
            assert (elements(reply)["Code"], elements(reply)["Message"]) == ("InvalidArgument", message)
    assert client.store["photos"].versions() == versions


@pytest.mark.decision("version-ids")
def test_empty_version_id_of_a_source_is_refused(client):
    upload = elements(client.send("POST", "/film?uploads"))["UploadId"]
    for query in ({}, {"uploadId": upload, "partNumber": 1}):
        reply = client.send("PUT", "/film", {"copy-source": "/photos/k?versionId="}, **query)
        assert (reply.status, elements(reply)["Message"]) == (400, "Version id cannot be the empty string")


def test_each_operation_that_can_name_a_version_is_tested():
    known = {each.api_name for each in operations()} & set(service_model().operation_names)
    assert {name for name in known if names_version(name)} == REQUESTS.keys()
