"""The contents of a store: its accounts and buckets, and the KMS keys."""

from __future__ import annotations

import copy
from datetime import datetime

from fakestore.errors import BUCKET_ALREADY_EXISTS, BUCKET_ALREADY_OWNED, NO_SUCH_BUCKET
from fakestore.model.accounts import Accounts
from fakestore.model.acl import Acl
from fakestore.model.bucket import BucketRecord, Observer
from fakestore.model.encryption import KmsKeys
from fakestore.model.names import check_bucket_name
from fakestore.model.semantics import DOCUMENT_SEMANTICS, Semantics
from fakestore.model.versioning import VersionIds


class State:
    """The accounts and buckets of a store. A copy of it is a snapshot.

    Args:
        ids: Issues the version ids of all buckets. Copies share it. By default, it begins at the first id.
        origin: The base URL of the store.
        observer: Sees what buckets do by themselves. Copies share it.
    """

    def __init__(
        self,
        ids: VersionIds | None = None,
        semantics: Semantics = DOCUMENT_SEMANTICS,
        *,
        origin: str = "",
        observer: Observer | None = None,
    ) -> None:
        self.accounts = Accounts(origin)
        self.buckets: dict[str, BucketRecord] = {}
        self.kms_keys = KmsKeys()
        self._ids = ids or VersionIds()
        self.semantics = semantics
        self._observer = observer or Observer()

    def bucket(self, name: str) -> BucketRecord:
        bucket = self.buckets.get(name)
        if bucket is None:
            known = ", ".join(sorted(self.buckets)) or "none"
            raise NO_SUCH_BUCKET.error(
                explanation=f"bucket {name!r} does not exist; known buckets: {known}", BucketName=name
            )
        return bucket

    def create_bucket(self, name: str, *, acl: Acl, now: datetime) -> BucketRecord:
        """Create a bucket. The owner of the ACL owns it."""
        check_bucket_name(name, reserves_names=self.semantics.reserves_bucket_names)
        if name in self.buckets:
            existing_owner = self.buckets[name].owner
            row = BUCKET_ALREADY_OWNED if existing_owner.id == acl.owner.id else BUCKET_ALREADY_EXISTS
            raise row.error(
                explanation=f"bucket {name!r} already exists; it belongs to {existing_owner}", BucketName=name
            )
        bucket = BucketRecord(
            name, acl=acl, created=now, ids=self._ids, semantics=self.semantics, observer=self._observer
        )
        self.buckets[name] = bucket
        return bucket

    def delete_bucket(self, name: str) -> None:
        self.bucket(name).check_empty()
        del self.buckets[name]

    def replace_with(self, other: State) -> None:
        """Replace the contents in place, so that requests in progress see the new contents."""
        self.accounts, self.buckets, self.kms_keys = other.accounts, other.buckets, other.kms_keys

    def copy(self) -> State:
        """Return an independent copy with the same accounts and buckets. Content is shared."""
        other = copy.copy(self)
        other.accounts = self.accounts.copy()
        other.kms_keys = KmsKeys(self.kms_keys)
        other.buckets = {name: bucket.copy() for name, bucket in self.buckets.items()}
        return other
