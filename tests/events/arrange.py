"""How the tests of events write an object, and what they read of an event and of its deliveries."""

from __future__ import annotations

from fakestore import FakeStore
from tests.support.aws import client


def put(key: str = "cat.jpg", bucket: str = "photos") -> None:
    client().put_object(Bucket=bucket, Key=key, Body=b"meow")


def key_of(event: dict) -> str:
    """Return the key in the document of an event."""
    (record,) = event["Records"]
    return record["s3"]["object"]["key"]


def outcomes(store: FakeStore) -> list[list[str]]:
    """Return the outcomes of the deliveries of each event."""
    return [[each.outcome for each in event.destinations] for event in store.events]
