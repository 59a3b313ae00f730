"""Helpers for tests of the model: an account, a moment, a bucket, and an object in it."""

from __future__ import annotations

from datetime import UTC, datetime

from fakestore.model.accounts import Accounts
from fakestore.model.acl import PRIVATE
from fakestore.model.bucket import BucketRecord
from fakestore.model.object_version import NewObject, ObjectVersion
from fakestore.model.state import State

ALICE = Accounts().create("alice")
NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


def empty_bucket() -> BucketRecord:
    return State().create_bucket("photos", acl=PRIVATE.expand(ALICE, ALICE), now=NOON)


def put(bucket: BucketRecord, content: bytes = b"", key: str = "k", now: datetime = NOON) -> ObjectVersion:
    return bucket.put(key, NewObject(content=content), writer=ALICE, now=now)
