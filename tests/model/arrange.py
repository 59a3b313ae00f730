"""What tests of the model arrange: an account, a moment, a bucket, an object in it."""

from __future__ import annotations

from datetime import UTC, datetime

from fakestore.model.accounts import Accounts
from fakestore.model.acl import PRIVATE
from fakestore.model.buckets import BucketRecord
from fakestore.model.versions import Metadata, ObjectVersion, StorageClass, VersionIds

ALICE = Accounts().create("alice")
NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


def empty_bucket(kind: type[BucketRecord] = BucketRecord) -> BucketRecord:
    return kind("photos", acl=PRIVATE.expand(ALICE, ALICE), created=NOON, ids=VersionIds(0))


def put(bucket: BucketRecord, content: bytes = b"", key: str = "k", now: datetime = NOON) -> ObjectVersion:
    return bucket.put(
        key,
        content,
        '""',
        asked_acl=PRIVATE,
        owner=ALICE,
        metadata=Metadata(),
        storage_class=StorageClass.STANDARD,
        encryption=None,
        now=now,
    )
