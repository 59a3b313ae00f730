"""Notifications of a bucket: which change sends which event, and what the record and the EventBridge document say."""

from __future__ import annotations

import pytest
import requests
from botocore.exceptions import ClientError

from fakestore import fake_store
from tests.support.aws import KEYS, client_with_keys
from tests.support.documents import lifecycle, rule
from tests.support.wire import request

BUS = "arn:aws:events:us-east-1:111111111111:event-bus/default"
QUEUE = "arn:aws:sqs:us-east-1:111111111111:queue"


@pytest.fixture
def clock(frozen_clock):
    frozen_clock.move_to("2030-01-01 12:00:00.250")
    return frozen_clock


@pytest.fixture
def store(clock):
    buckets = {"photos": "never", "versions": "enabled", "suspended": "suspended"}
    with fake_store(dialect="s3", buckets=buckets, max_clock_skew=None, acls=True, **KEYS) as store:
        store.destinations[BUS] = lambda document: None
        for bucket in store.buckets.values():
            bucket.on_event(lambda event: None)
        yield store


@pytest.fixture
def client(store):
    return client_with_keys()


def upload_in_parts(client, bucket):
    upload = client.create_multipart_upload(Bucket=bucket, Key="k")["UploadId"]
    part = client.upload_part(Bucket=bucket, Key="k", UploadId=upload, PartNumber=1, Body=b"meow")
    parts = [{"ETag": part["ETag"], "PartNumber": 1}]
    client.complete_multipart_upload(Bucket=bucket, Key="k", UploadId=upload, MultipartUpload={"Parts": parts})
    client.complete_multipart_upload(Bucket=bucket, Key="k", UploadId=upload, MultipartUpload={"Parts": parts})


def post_form(client, bucket):
    form = client.generate_presigned_post(bucket, "k")
    requests.post(form["url"], data=form["fields"], files={"file": b"meow"}, timeout=10).raise_for_status()


def put_acl_twice(client, bucket):
    for _ in range(2):
        client.put_object_acl(Bucket=bucket, Key="old", ACL="public-read")


def put_with_condition(client, bucket):
    with pytest.raises(ClientError, match="PreconditionFailed"):
        client.put_object(Bucket=bucket, Key="old", IfNoneMatch="*")


TAGS = {"TagSet": [{"Key": "a", "Value": "b"}]}
TWO_KEYS = {"Objects": [{"Key": "old"}, {"Key": "missing"}]}
#: What is done to a bucket with the objects "old" and "archived", and the events that are sent if the bucket was never
#: versioned.
REQUESTS = {
    "PUT": (lambda client, bucket: client.put_object(Bucket=bucket, Key="k", Tagging="a=b"), ["ObjectCreated:Put"]),
    "form": (post_form, ["ObjectCreated:Post"]),
    "copy": (
        lambda client, bucket: client.copy_object(Bucket=bucket, Key="k", CopySource=f"{bucket}/old"),
        ["ObjectCreated:Copy"],
    ),
    "upload in parts, completed twice": (upload_in_parts, ["ObjectCreated:CompleteMultipartUpload"]),
    "DELETE": (lambda client, bucket: client.delete_object(Bucket=bucket, Key="old"), ["ObjectRemoved:Delete"]),
    "DELETE of a missing key": (lambda client, bucket: client.delete_object(Bucket=bucket, Key="missing"), []),
    "many": (lambda client, bucket: client.delete_objects(Bucket=bucket, Delete=TWO_KEYS), ["ObjectRemoved:Delete"]),
    "tags": (
        lambda client, bucket: client.put_object_tagging(Bucket=bucket, Key="old", Tagging=TAGS),
        ["ObjectTagging:Put"],
    ),
    "no tags": (
        lambda client, bucket: client.delete_object_tagging(Bucket=bucket, Key="old"),
        ["ObjectTagging:Delete"],
    ),
    "the same ACL twice": (put_acl_twice, ["ObjectAcl:Put"]),
    "restore": (
        lambda client, bucket: client.restore_object(Bucket=bucket, Key="archived", RestoreRequest={"Days": 1}),
        ["ObjectRestore:Post"],
    ),
    "GET": (lambda client, bucket: client.get_object(Bucket=bucket, Key="old"), []),
    "refused PUT": (put_with_condition, []),
    "bucket tags": (lambda client, bucket: client.put_bucket_tagging(Bucket=bucket, Tagging=TAGS), []),
}


@pytest.mark.decision("events-of-requests")
@pytest.mark.parametrize(("act", "expected"), REQUESTS.values(), ids=REQUESTS)
def test_events_of_a_request(store, client, act, expected):
    store["photos"].put("old", b"meow", acl="private")
    store["photos"].put("archived", storage_class="GLACIER")
    act(client, "photos")
    assert [event.name for event in store.events] == expected


@pytest.mark.decision("events-of-requests")
@pytest.mark.parametrize("bucket", ["versions", "suspended"])
def test_deletion_with_versioning_creates_a_marker(store, client, bucket):
    old = store[bucket].put("old").version_id
    client.delete_object(Bucket=bucket, Key="old")
    marker = store[bucket].versions("old")[0].version_id
    client.delete_object(Bucket=bucket, Key="old", VersionId=marker)
    store[bucket].put("old")
    client.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": "old", "VersionId": old}, {"Key": "old"}]})
    names = [(event.name, event.version_id) for event in store.events]
    assert names == [
        ("ObjectRemoved:DeleteMarkerCreated", marker),
        ("ObjectRemoved:Delete", marker),
        ("ObjectRemoved:Delete", old),
        ("ObjectRemoved:DeleteMarkerCreated", store[bucket].versions("old")[0].version_id),
    ]


@pytest.mark.decision("events-of-requests")
def test_retention_is_an_event_without_a_document_for_eventbridge(store, client):
    configuration = {
        "QueueConfigurations": [{"QueueArn": QUEUE, "Events": ["s3:ObjectRetention:Put"]}],
        "EventBridgeConfiguration": {},
    }
    sent = []
    store.destinations[QUEUE] = sent.append
    store.destinations[BUS] = lambda document: sent.append(document["detail-type"])
    client.put_bucket_notification_configuration(Bucket="versions", NotificationConfiguration=configuration)
    version = store["versions"].put("old", b"meow")
    del sent[:]
    client.put_object_lock_configuration(Bucket="versions", ObjectLockConfiguration={"ObjectLockEnabled": "Enabled"})
    retention = {"Mode": "GOVERNANCE", "RetainUntilDate": "2031-01-01"}
    client.put_object_retention(Bucket="versions", Key="old", Retention=retention)
    ((record,),) = (document["Records"] for document in sent)
    assert (record["eventName"], record["eventVersion"]) == ("ObjectRetention:Put", "2.3")
    assert record["s3"]["object"] == {"key": "old", "eTag": version.etag.strip('"'), "versionId": version.version_id}


def test_every_event_of_the_service_is_accepted(store, client):
    store.destinations[QUEUE] = lambda document: None
    for name in client.meta.service_model.shape_for("Event").enum:
        configuration = {"QueueConfigurations": [{"QueueArn": QUEUE, "Events": [name]}]}
        client.put_bucket_notification_configuration(Bucket="photos", NotificationConfiguration=configuration)
        store["photos"].on_event(lambda event: None, events=[name])


@pytest.mark.decision("event-records")
def test_record_of_an_upload(store, client, clock):
    reply = client.put_object(Bucket="versions", Key="in/a cat+1.jpg", Body=b"meow")
    (event,) = store.events
    owner, ids = store["versions"].owner, reply["ResponseMetadata"]
    sequencer = event.record["s3"]["object"]["sequencer"]
    assert event.record == {
        "eventVersion": "2.1",
        "eventSource": "aws:s3",
        "awsRegion": "us-east-1",
        "eventTime": "2030-01-01T12:00:00.250Z",
        "eventName": "ObjectCreated:Put",
        "userIdentity": {"principalId": owner.id},
        "requestParameters": {"sourceIPAddress": "127.0.0.1"},
        "responseElements": {"x-amz-request-id": ids["RequestId"], "x-amz-id-2": ids["HostId"]},
        "s3": {
            "s3SchemaVersion": "1.0",
            "configurationId": "<lambda>",
            "bucket": {
                "name": "versions",
                "ownerIdentity": {"principalId": owner.id},
                "arn": "arn:aws:s3:::versions",
            },
            "object": {
                "key": "in/a+cat%2B1.jpg",
                "size": 4,
                "eTag": reply["ETag"].strip('"'),
                "versionId": reply["VersionId"],
                "sequencer": sequencer,
            },
        },
    }
    client.put_object(Bucket="versions", Key="in/a cat+1.jpg", Body=b"meow")
    assert store.events[1].record["s3"]["object"]["sequencer"] > sequencer


#: What the record of each event says about the object, beside the key, and the version of its structure.
FIELDS = {
    "PUT": ("2.1", {"size", "eTag", "sequencer"}),
    "DELETE": ("2.1", {"sequencer"}),
    "tags": ("2.3", {"eTag"}),
    "no tags": ("2.3", {"eTag"}),
    "the same ACL twice": ("2.3", {"eTag"}),
    "restore": ("2.1", {"size", "eTag"}),
}


@pytest.mark.decision("event-records")
@pytest.mark.parametrize(("name", "version", "fields"), [(name, *expected) for name, expected in FIELDS.items()])
def test_what_a_record_says_about_the_object(store, client, name, version, fields):
    for bucket, extra in (("photos", set()), ("versions", {"versionId"})):
        store[bucket].put("old", b"meow")
        store[bucket].put("archived", storage_class="GLACIER")
        REQUESTS[name][0](client, bucket)
        record = store.events[-1].record
        expected = fields - {"size", "eTag"} if name == "DELETE" else fields
        assert (record["eventVersion"], record["s3"]["object"].keys() - {"key"}) == (version, expected | extra)


@pytest.mark.decision("event-records")
def test_record_names_an_anonymous_requester(store):
    store["photos"].acl = "public-read-write"
    requests.put(store.url("photos", "k"), data=b"meow", timeout=10).raise_for_status()
    assert store.events[0].record["userIdentity"] == {"principalId": "Anonymous"}


@pytest.mark.decision("event-records")
def test_record_names_the_region_of_the_bucket(store, client):
    client.create_bucket(Bucket="west", CreateBucketConfiguration={"LocationConstraint": "EU"})
    store["west"].on_event(lambda event: None)
    client.put_object(Bucket="west", Key="k")
    assert store.events[0].record["awsRegion"] == "eu-west-1"


@pytest.mark.decision("notification-destinations")
def test_fifo_queue_cannot_be_a_destination(store, client):
    queues = [{"QueueArn": f"{QUEUE}.fifo", "Events": ["s3:ObjectCreated:*"]}]
    arguments = {"Bucket": "photos", "NotificationConfiguration": {"QueueConfigurations": queues}}
    for skips in (False, True):
        with pytest.raises(ClientError, match=r"InvalidArgument.*Unable to validate the following destination"):
            client.put_bucket_notification_configuration(**arguments, SkipDestinationValidation=skips)
        assert "no events to FIFO queues" in store.exchanges[-1].explanation


@pytest.mark.decision("event-records")
def test_document_for_eventbridge(store, client):
    client.put_bucket_notification_configuration(
        Bucket="versions", NotificationConfiguration={"EventBridgeConfiguration": {}}
    )
    reply = client.put_object(Bucket="versions", Key="in/a cat.jpg", Body=b"meow")
    destination = store.events[0].destinations[1]
    document, owner = destination.document, store["versions"].owner
    assert (destination.name, destination.outcome) == (BUS.replace("111111111111", owner.number), "delivered")
    sequencer = document["detail"]["object"]["sequencer"]
    assert document == {
        "version": "0",
        "id": document["id"],
        "detail-type": "Object Created",
        "source": "aws.s3",
        "account": owner.number,
        "time": "2030-01-01T12:00:00Z",
        "region": "us-east-1",
        "resources": ["arn:aws:s3:::versions"],
        "detail": {
            "version": "0",
            "bucket": {"name": "versions"},
            "object": {
                "key": "in/a cat.jpg",
                "size": 4,
                "etag": reply["ETag"].strip('"'),
                "version-id": reply["VersionId"],
                "sequencer": sequencer,
            },
            "request-id": reply["ResponseMetadata"]["RequestId"],
            "requester": owner.number,
            "source-ip-address": "127.0.0.1",
            "reason": "PutObject",
        },
    }
    client.delete_object(Bucket="versions", Key="in/a cat.jpg")
    deleted = store.events[1].destinations[1].document
    details = deleted["detail-type"], deleted["detail"]["reason"], deleted["detail"]["deletion-type"]
    assert details == ("Object Deleted", "DeleteObject", "Delete Marker Created")
    assert deleted["id"] != document["id"]


def send_to_bus(client, bucket):
    client.put_bucket_notification_configuration(
        Bucket=bucket, NotificationConfiguration={"EventBridgeConfiguration": {}}
    )


@pytest.mark.decision("events-of-lifecycle-rules")
def test_events_of_lifecycle_rules_have_the_time_at_which_they_were_due(store, client, clock):
    for bucket in ("photos", "versions"):
        rules = lifecycle(
            rule(
                "<Transition><Days>30</Days><StorageClass>GLACIER</StorageClass></Transition>"
                "<Expiration><Days>60</Days></Expiration>"
                "<NoncurrentVersionExpiration><NoncurrentDays>1</NoncurrentDays></NoncurrentVersionExpiration>"
            )
        )
        assert request(store, "PUT", bucket, body=rules, lifecycle=None).status == 200
        send_to_bus(client, bucket)
        client.put_object(Bucket=bucket, Key="k", Body=b"x" * 200_000)
    before = len(store.events)
    clock.move_to("2030-06-01")
    assert list(store["photos"]) == list(store["versions"]) == []
    events = store.events[before:]
    assert [(event.bucket, event.name, f"{event.time:%m-%d}") for event in events] == [
        ("photos", "LifecycleTransition", "02-01"),
        ("photos", "LifecycleExpiration:Delete", "03-03"),
        ("versions", "LifecycleTransition", "02-01"),
        ("versions", "LifecycleExpiration:DeleteMarkerCreated", "03-03"),
        ("versions", "LifecycleExpiration:Delete", "03-04"),
        ("versions", "LifecycleExpiration:Delete", "05-02"),
    ]
    transition, deletion = (event.destinations[-1].document for event in events[:2])
    assert transition["detail"]["destination-storage-class"] == "GLACIER"
    assert (deletion["detail"]["reason"], deletion["detail"]["requester"]) == (
        "Lifecycle Expiration",
        "s3.amazonaws.com",
    )
    assert "source-ip-address" not in deletion["detail"]
    moved, expired = events[0].record, events[1].record
    assert moved["lifecycleEventData"] == {"transitionEventData": {"destinationStorageClass": "GLACIER"}}
    assert moved["s3"]["object"].keys() == {"key", "size", "eTag"}
    assert expired["eventTime"] == "2030-03-03T00:00:00.000Z"
    assert expired["userIdentity"] == {"principalId": "s3.amazonaws.com"}
    assert expired["responseElements"].keys() == {"x-amz-request-id", "x-amz-id-2"}
    assert {each["eventVersion"] for each in (moved, expired)} == {"2.3"}


@pytest.mark.decision("events-of-lifecycle-rules")
def test_events_of_a_restoration(store, client, clock):
    store["photos"].put("archived", b"meow", storage_class="GLACIER")
    send_to_bus(client, "photos")
    client.restore_object(Bucket="photos", Key="archived", RestoreRequest={"Days": 1})
    before = store.snapshot()
    clock.move_to("2030-01-01 18:00")
    client.restore_object(Bucket="photos", Key="archived", RestoreRequest={"Days": 2})
    clock.move_to("2030-02-01")
    assert client.head_object(Bucket="photos", Key="archived")["StorageClass"] == "GLACIER"
    names = [(event.name, f"{event.time:%m-%d %H:%M}") for event in store.events]
    assert names == [
        ("ObjectRestore:Post", "01-01 12:00"),
        ("ObjectRestore:Completed", "01-01 17:00"),
        ("ObjectRestore:Delete", "01-04 00:00"),
    ]
    completed = store.events[1].record
    assert completed["glacierEventData"] == {
        "restoreEventData": {
            "lifecycleRestorationExpiryTime": "2030-01-03T00:00:00.000Z",
            "lifecycleRestoreStorageClass": "GLACIER",
        }
    }
    initiated, finished = (event.destinations[-1].document for event in store.events[:2])
    assert (initiated["detail-type"], finished["detail-type"]) == (
        "Object Restore Initiated",
        "Object Restore Completed",
    )
    assert initiated["detail"]["source-storage-class"] == finished["detail"]["source-storage-class"] == "GLACIER"
    assert finished["detail"]["restore-expiry-time"] == "2030-01-03T00:00:00Z"
    store.restore(before)
    client.put_object(Bucket="photos", Key="archived")
    client.head_object(Bucket="photos", Key="archived")
    assert [event.name for event in store.events[3:]] == [
        "ObjectRestore:Completed",
        "ObjectRestore:Delete",
        "ObjectCreated:Put",
    ]


@pytest.mark.decision("restore-takes-time")
def test_restoration_is_completed_at_the_moment_at_which_it_can_be_read(store, client, clock):
    clock.move_to("2030-01-01 12:00:00")
    store["photos"].put("archived", b"meow", storage_class="GLACIER")
    client.restore_object(Bucket="photos", Key="archived", RestoreRequest={"Days": 1})
    for moment, names in (("16:59:59", []), ("17:00:00", ["ObjectRestore:Completed"])):
        clock.move_to(f"2030-01-01 {moment}")
        client.head_object(Bucket="photos", Key="archived")
        assert [event.name for event in store.events[1:]] == names


@pytest.mark.decision("event-records")
def test_every_dialect_has_events():
    with fake_store(buckets=["photos"]) as store:
        store["photos"].on_event(lambda event: None)
        store.session().put(store.url("photos", "cat.jpg"), data=b"meow").raise_for_status()
        (event,) = store.events
        assert event.record["responseElements"].keys() == {"x-svc-request-id", "x-svc-id-2"}
