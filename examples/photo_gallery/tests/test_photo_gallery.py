"""Tests of the gallery: the store calls its function and fills its queue, which is moto's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from moto import mock_aws

from examples.photo_gallery.gallery import Catalogue, configure, describe_deletion, make_thumbnail
from fakestore import FakeStore, fake_store, faults

FUNCTION = "arn:aws:lambda:us-east-1:123456789012:function:thumbnails"
BUS = "arn:aws:events:us-east-1:123456789012:event-bus/default"


@pytest.fixture
def store() -> Iterator[FakeStore]:
    with fake_store(dialect="s3", buckets=["media"]) as store, mock_aws():
        yield store


@pytest.fixture
def deletions(store: FakeStore) -> list[str]:
    """The log of deletions."""
    lines: list[str] = []

    def log_deletion(event: dict[str, Any]) -> None:
        if event["detail-type"] == "Object Deleted":  # this is the pattern of the rule
            lines.append(describe_deletion(event))

    store.destinations[BUS] = log_deletion
    return lines


@pytest.fixture
def catalogue(store: FakeStore, deletions: list[str]) -> Catalogue:
    """The worker. The bucket is configured as in production."""
    store.destinations[FUNCTION] = make_thumbnail
    sqs = boto3.client("sqs")
    queue_url = sqs.create_queue(QueueName="films")["QueueUrl"]
    queue = sqs.get_queue_attributes(QueueUrl=queue_url, AttributeNames=["QueueArn"])
    configure("media", FUNCTION, queue["Attributes"]["QueueArn"])
    return Catalogue(queue_url)


@pytest.mark.usefixtures("catalogue")
def test_photo_has_a_thumbnail_until_it_is_deleted(store: FakeStore, deletions: list[str]) -> None:
    s3 = boto3.client("s3")
    s3.put_object(Bucket="media", Key="photos/my cat.jpg", Body=b"meow meow")
    s3.copy_object(Bucket="media", Key="photos/copy.jpg", CopySource="media/photos/my cat.jpg")
    assert store["media"]["thumbnails/my cat.jpg"].content == b"meow"
    s3.delete_object(Bucket="media", Key="photos/my cat.jpg")
    assert [key for key in store["media"] if key.startswith("thumbnails/")] == ["thumbnails/copy.jpg"]
    assert "photos/my cat.jpg: Permanently Deleted (DeleteObject)" in deletions


@pytest.mark.usefixtures("catalogue")
def test_thumbnail_of_an_expired_photo_is_deleted(store: FakeStore, deletions: list[str]) -> None:
    store["media"].expire(rule_id="old photos", prefix="photos/", days=30)
    boto3.client("s3").put_object(Bucket="media", Key="photos/cat.jpg", Body=b"meow meow")
    store.travel(days=31)
    assert "photos/cat.jpg" not in store["media"]
    assert list(store["media"]) == []
    assert "photos/cat.jpg: Permanently Deleted (Lifecycle Expiration)" in deletions


def test_worker_catalogues_films(store: FakeStore, catalogue: Catalogue) -> None:
    s3 = boto3.client("s3")
    for name in ("cats.mp4", "dogs.mp4"):
        upload = s3.create_multipart_upload(Bucket="media", Key=f"films/{name}")["UploadId"]
        named = {"Bucket": "media", "Key": f"films/{name}", "UploadId": upload}
        part = s3.upload_part(**named, PartNumber=1, Body=b"miaow")
        s3.complete_multipart_upload(**named, MultipartUpload={"Parts": [{"PartNumber": 1, "ETag": part["ETag"]}]})
    s3.delete_object(Bucket="media", Key="films/dogs.mp4")
    catalogue.read_messages()
    assert catalogue.sizes == {"films/cats.mp4": 5}
    assert [event.name for event in store.events if event.bucket == "media"] == [
        "ObjectCreated:CompleteMultipartUpload",
        "ObjectCreated:CompleteMultipartUpload",
        "ObjectRemoved:Delete",
    ]


@pytest.mark.parametrize("fault", [faults.DuplicateEvent(), faults.LateEvent()], ids=repr)
def test_catalogue_is_right_although_events_arrive_twice_or_late(
    store: FakeStore, catalogue: Catalogue, fault: faults.Fault
) -> None:
    s3 = boto3.client("s3")
    store.fail("delivery", fault)
    s3.put_object(Bucket="media", Key="films/cats.mp4", Body=b"miaow")
    s3.delete_object(Bucket="media", Key="films/cats.mp4")
    catalogue.read_messages()
    assert catalogue.sizes == {}
