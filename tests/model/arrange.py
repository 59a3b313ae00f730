"""Helpers for tests of the model: an account, a moment, a bucket, and an object in it."""

from __future__ import annotations

from datetime import UTC, datetime

from fakestore.model.accounts import Accounts
from fakestore.model.acl import PRIVATE
from fakestore.model.bucket import BucketRecord
from fakestore.model.object_version import NewObject, ObjectVersion
from fakestore.model.semantics import DOCUMENT_SEMANTICS, Semantics
from fakestore.model.versioning import VersionIds

ALICE = Accounts().create("alice")
NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


class Observer:
    """Notes nothing."""

    def note_effect(self, effect): ...

    def note_changes(self, bucket, kind, changes, at): ...


def empty_bucket(kind: type[BucketRecord] = BucketRecord, semantics: Semantics = DOCUMENT_SEMANTICS) -> BucketRecord:
    acl, ids = PRIVATE.expand(ALICE, ALICE), VersionIds(0)
    return kind("photos", acl=acl, created=NOON, ids=ids, semantics=semantics, observer=Observer())


def put(bucket: BucketRecord, content: bytes = b"", key: str = "k", now: datetime = NOON) -> ObjectVersion:
    return bucket.put(key, NewObject(content), owner=ALICE, now=now)
