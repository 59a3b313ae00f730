"""Configurations of which a bucket can have several, each with an id. They are stored and returned."""

from __future__ import annotations

from itertools import chain
from typing import Any, NamedTuple

import boto3
import pytest
from botocore.exceptions import ClientError

from fakestore import FakeStore, UnsupportedRequest, fake_store
from tests.support.cases import each
from tests.support.wire import outcome, send

pytestmark = pytest.mark.decision("configurations-with-an-id")

TAG = {"Key": "colour", "Value": "red"}
AND = {"Prefix": "a/", "Tags": [TAG, {"Key": "size", "Value": "big"}]}


class Kind(NamedTuple):
    """A kind of configuration.

    Args:
        name: Its name in the methods of boto3.
        query: Its name in the query.
        contents: Configurations without their id.
    """

    name: str
    query: str
    contents: list[dict[str, Any]]


EXPORT = {
    "OutputSchemaVersion": "V_1",
    "Destination": {"S3BucketDestination": {"Format": "CSV", "Bucket": "arn:aws:s3:::reports", "Prefix": "a/"}},
}
INVENTORY = {
    "Destination": {"S3BucketDestination": {"Bucket": "arn:aws:s3:::reports", "Format": "CSV"}},
    "IsEnabled": True,
    "IncludedObjectVersions": "Current",
    "Schedule": {"Frequency": "Weekly"},
}
ENCRYPTED = {
    "AccountId": "111111111111",
    "Bucket": "arn:aws:s3:::reports",
    "Format": "Parquet",
    "Prefix": "lists",
    "Encryption": {"SSEKMS": {"KeyId": "key"}},
}
TIERING = {"Status": "Enabled", "Tierings": [{"Days": 90, "AccessTier": "ARCHIVE_ACCESS"}]}
KINDS = [
    Kind(
        "Inventory",
        "inventory",
        [
            INVENTORY,
            {
                **INVENTORY,
                "Destination": {"S3BucketDestination": ENCRYPTED},
                "Filter": {"Prefix": "a/"},
                "OptionalFields": ["Size", "ETag"],
            },
        ],
    ),
    Kind(
        "Analytics",
        "analytics",
        [
            {"StorageClassAnalysis": {}},
            {"Filter": {"And": AND}, "StorageClassAnalysis": {"DataExport": EXPORT}},
        ],
    ),
    Kind("Metrics", "metrics", [{}, {"Filter": {"AccessPointArn": "arn:aws:s3:us-east-1:111111111111:accesspoint/a"}}]),
    Kind(
        "IntelligentTiering",
        "intelligent-tiering",
        [TIERING, {**TIERING, "Filter": {"Tag": TAG}}],
    ),
]


@pytest.fixture
def s3():
    with fake_store(dialect="s3", buckets=["photos"]) as store:
        client = boto3.client("s3")
        client.store = store
        yield client


def call(s3, method: str, kind: Kind, **arguments: object) -> dict[str, Any]:
    plural = "Configurations" if method == "List" else "Configuration"
    operation = f"{method}Bucket{kind.name}{plural}"
    name = s3.meta.method_to_api_mapping
    python_name = next(each for each in name if name[each] == operation)
    return getattr(s3, python_name)(Bucket="photos", **arguments)


def put(s3, kind: Kind, id_: str, content: dict[str, Any], *, inner: str | None = None) -> None:
    configuration = {"Id": id_ if inner is None else inner, **content}
    call(s3, "Put", kind, Id=id_, **{f"{kind.name}Configuration": configuration})


def fill(store: FakeStore, count: int) -> None:
    """Put metrics with the ids 000, 001 and so on."""
    for number in range(count):
        body = f"<MetricsConfiguration><Id>{number:03}</Id></MetricsConfiguration>".encode()
        assert send(store, "PUT", "photos", f"/?metrics&id={number:03}", body=body).status == 200


def code_of(ask, *arguments: object, **named: object) -> str:
    with pytest.raises(ClientError) as raised:
        ask(*arguments, **named)
    return raised.value.response["Error"]["Code"]


def listed(s3, kind: Kind) -> list[dict[str, Any]]:
    return call(s3, "List", kind).get(f"{kind.name}ConfigurationList", [])


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.query)
def test_configurations_with_an_id_are_stored_listed_and_removed(s3, kind):
    assert listed(s3, kind) == []
    assert code_of(call, s3, "Get", kind, Id="b") == "NoSuchConfiguration"
    before = s3.store.snapshot()
    for id_, content in zip("ba", kind.contents, strict=True):
        put(s3, kind, id_, content)
        got = call(s3, "Get", kind, Id=id_)[f"{kind.name}Configuration"]
        assert got == {"Id": id_, **content}
    put(s3, kind, "b", kind.contents[1])
    assert listed(s3, kind) == [{"Id": each, **kind.contents[1]} for each in "ab"]
    assert f"{kind.query} configuration 'a', {kind.query} configuration 'b'" in s3.store.describe()
    call(s3, "Delete", kind, Id="a")
    assert [each["Id"] for each in listed(s3, kind)] == ["b"]
    assert code_of(call, s3, "Delete", kind, Id="a") == "NoSuchConfiguration"
    s3.store.restore(before)
    assert listed(s3, kind) == []
    operations = {exchange.operation for exchange in s3.store.exchanges}
    assert operations == {f"{method} Bucket {kind.query}" for method in ("GET", "PUT", "DELETE", "List")}


def test_configurations_are_listed_in_pages_of_a_hundred(s3):
    metrics = KINDS[2]
    fill(s3.store, 201)
    pages, token = [], {}
    while True:
        page = call(s3, "List", metrics, **token)
        pages.append([each["Id"] for each in page["MetricsConfigurationList"]])
        assert page.get("ContinuationToken") == token.get("ContinuationToken")
        assert s3.store.exchanges[-1].truncated_after == (100 if page["IsTruncated"] else None)
        if not page["IsTruncated"]:
            break
        token = {"ContinuationToken": page["NextContinuationToken"]}
    assert [len(each) for each in pages] == [100, 100, 1]
    assert [*chain(*pages)] == [f"{number:03}" for number in range(201)]
    assert code_of(call, s3, "List", metrics, ContinuationToken="x") == "InvalidArgument"


def test_a_bucket_has_at_most_a_thousand_configurations_of_a_kind(s3):
    metrics = KINDS[2]
    fill(s3.store, 1000)
    put(s3, metrics, "000", {"Filter": {"Prefix": "a"}})
    assert code_of(put, s3, metrics, "1000", {}) == "TooManyConfigurations"
    put(s3, KINDS[3], "a", TIERING)


def test_the_id_of_the_query_is_that_of_the_document(s3):
    assert code_of(put, s3, KINDS[2], "a", {}, inner="b") == "InvalidArgument"
    for case in each("a b", "a/b", "x" * 65, ""):
        with case as id_:
            assert code_of(put, s3, KINDS[2], id_, {}) == "InvalidArgument"
    put(s3, KINDS[2], "A-b_c.9" + "x" * 57, {})
    with pytest.raises(UnsupportedRequest, match="PUT Bucket metrics"):
        s3.store.session().put(s3.store.url("photos", metrics=None), data=b"<MetricsConfiguration/>")
    s3.store.unhandled_requests.clear()


#: Documents without their id, and the codes of their errors.
INVALID = [
    (0, {**INVENTORY, "Schedule": {"Frequency": "Hourly"}}, "MalformedXML"),
    (0, {**INVENTORY, "IncludedObjectVersions": "Some"}, "MalformedXML"),
    (0, {**INVENTORY, "OptionalFields": ["Colour"]}, "MalformedXML"),
    (
        0,
        {**INVENTORY, "Destination": {"S3BucketDestination": {"Bucket": "reports", "Format": "CSV"}}},
        "InvalidArgument",
    ),
    (0, {**INVENTORY, "Destination": {"S3BucketDestination": {**ENCRYPTED, "Format": "JSON"}}}, "MalformedXML"),
    (
        0,
        {
            **INVENTORY,
            "Destination": {
                "S3BucketDestination": {**ENCRYPTED, "Encryption": {"SSES3": {}, "SSEKMS": {"KeyId": "k"}}},
            },
        },
        "MalformedXML",
    ),
    (1, {"StorageClassAnalysis": {"DataExport": {**EXPORT, "OutputSchemaVersion": "V_2"}}}, "MalformedXML"),
    (1, {"StorageClassAnalysis": {}, "Filter": {"Prefix": "a", "Tag": TAG}}, "MalformedXML"),
    (1, {"StorageClassAnalysis": {}, "Filter": {}}, "MalformedXML"),
    (2, {"Filter": {"And": {"Prefix": "a"}}}, "MalformedXML"),
    (3, {**TIERING, "Tierings": []}, "MalformedXML"),
    (3, {**TIERING, "Tierings": [{"Days": 89, "AccessTier": "ARCHIVE_ACCESS"}]}, "InvalidArgument"),
    (3, {**TIERING, "Tierings": [{"Days": 179, "AccessTier": "DEEP_ARCHIVE_ACCESS"}]}, "InvalidArgument"),
    (3, {**TIERING, "Tierings": [{"Days": 731, "AccessTier": "ARCHIVE_ACCESS"}]}, "InvalidArgument"),
    (3, {**TIERING, "Tierings": [*TIERING["Tierings"], *TIERING["Tierings"]]}, "InvalidArgument"),
    (3, {**TIERING, "Tierings": [{"Days": 90, "AccessTier": "FROZEN"}]}, "MalformedXML"),
]


def test_invalid_configuration_with_an_id_is_refused(s3):
    for index, content, code in INVALID:
        assert (content, code_of(put, s3, KINDS[index], "a", content)) == (content, code)
        assert listed(s3, KINDS[index]) == []


def test_configurations_with_an_id_exist_in_both_dialects(client):
    body = b"<MetricsConfiguration><Id>a</Id></MetricsConfiguration>"
    assert outcome(client.send("PUT", "/?metrics&id=a", body=body)) == (200, None)
    reply = client.send("GET", "/?metrics")
    assert b"<IsTruncated>false</IsTruncated><MetricsConfiguration><Id>a</Id></MetricsConfiguration>" in reply.body
    assert outcome(client.send("DELETE", "/?metrics&id=a")) == (204, None)
