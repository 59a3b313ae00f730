"""Three programs that one bucket feeds: each is called for what is uploaded or deleted, or reads about it."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import unquote_plus

import boto3

#: The beginnings of the keys of photos and of films.
PHOTOS, FILMS = "photos/", "films/"
#: The events of an object that is new, and of one that is gone.
EVENTS = ["s3:ObjectCreated:*", "s3:ObjectRemoved:*", "s3:LifecycleExpiration:*"]


def make_thumbnail(event: dict[str, Any], context: Any) -> None:
    """Store a small picture for each new photo, and remove that of a deleted photo. This is a Lambda function."""
    s3 = boto3.client("s3")
    for record in event["Records"]:
        bucket, key = record["s3"]["bucket"]["name"], unquote_plus(record["s3"]["object"]["key"])
        thumbnail = f"thumbnails/{key.removeprefix(PHOTOS)}"
        if record["eventName"].startswith("ObjectCreated:"):
            photo = s3.get_object(Bucket=bucket, Key=key)["Body"].read()
            s3.put_object(Bucket=bucket, Key=thumbnail, Body=photo[:4])
        else:
            s3.delete_object(Bucket=bucket, Key=thumbnail)


class Catalogue:
    """The sizes of the films, which a worker reads from a queue.

    A message may arrive twice or late, so the catalogue remembers the number of the last change of each film.
    """

    def __init__(self, queue_url: str) -> None:
        self.sizes: dict[str, int] = {}
        self._sequencers: dict[str, str] = {}
        self._queue_url = queue_url

    def read_messages(self) -> None:
        """Read all messages that are in the queue."""
        sqs = boto3.client("sqs")
        while messages := sqs.receive_message(QueueUrl=self._queue_url, MaxNumberOfMessages=10).get("Messages", []):
            for message in messages:
                for record in json.loads(message["Body"]).get("Records", []):  # the test event of S3 has no records
                    self._note(record)
                sqs.delete_message(QueueUrl=self._queue_url, ReceiptHandle=message["ReceiptHandle"])

    def _note(self, record: dict[str, Any]) -> None:
        about = record["s3"]["object"]
        key, sequencer = unquote_plus(about["key"]), about["sequencer"]
        if sequencer <= self._sequencers.get(key, ""):
            return
        self._sequencers[key] = sequencer
        self.sizes.pop(key, None)
        if "size" in about:
            self.sizes[key] = about["size"]


def describe_deletion(event: dict[str, Any]) -> str:
    """Return a line for the log about an object that was deleted. A rule of EventBridge calls it."""
    detail = event["detail"]
    return f"{detail['object']['key']}: {detail['deletion-type']} ({detail['reason']})"


def configure(bucket: str, function_arn: str, queue_arn: str) -> None:
    """Let the bucket send its events to the function, to the queue, and to EventBridge."""
    photos, films = (
        {"Events": EVENTS, "Filter": {"Key": {"FilterRules": [{"Name": "prefix", "Value": prefix}]}}}
        for prefix in (PHOTOS, FILMS)
    )
    boto3.client("s3").put_bucket_notification_configuration(
        Bucket=bucket,
        NotificationConfiguration={
            "LambdaFunctionConfigurations": [{"LambdaFunctionArn": function_arn, **photos}],
            "QueueConfigurations": [{"QueueArn": queue_arn, **films}],
            "EventBridgeConfiguration": {},
        },
    )
