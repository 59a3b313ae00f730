"""All that a store holds: its accounts and its buckets."""

from __future__ import annotations

from datetime import datetime

from fakestore.model.accounts import Account, Accounts
from fakestore.model.acl import RequestedAcl
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import BUCKET_ALREADY_EXISTS, BUCKET_ALREADY_OWNED, NO_SUCH_BUCKET
from fakestore.model.history import VersionIds
from fakestore.model.names import check_bucket_name
from fakestore.model.semantics import DOCUMENT_SEMANTICS, Semantics


class State:
    """Accounts and buckets; :meth:`copy` is a snapshot of them, whatever is written later."""

    def __init__(self, ids: VersionIds, semantics: Semantics = DOCUMENT_SEMANTICS) -> None:
        self.accounts = Accounts()
        self.buckets: dict[str, BucketRecord] = {}
        self._ids = ids
        self._semantics = semantics

    def bucket(self, name: str) -> BucketRecord:
        """The bucket of that name.

        Raises:
            ErrorResponse: NoSuchBucket.
        """
        bucket = self.buckets.get(name)
        if bucket is None:
            there = ", ".join(sorted(self.buckets)) or "none"
            raise NO_SUCH_BUCKET(explanation=f"there is no bucket {name!r}; buckets: {there}", BucketName=name)
        return bucket

    def create_bucket(self, name: str, *, owner: Account, requested_acl: RequestedAcl, now: datetime) -> BucketRecord:
        """A new bucket, never versioned.

        Raises:
            ErrorResponse: InvalidBucketName; BucketAlreadyOwnedByYou or BucketAlreadyExists, by who owns it.
        """
        check_bucket_name(name)
        if name in self.buckets:
            other = self.buckets[name].owner
            error = BUCKET_ALREADY_OWNED if other.id == owner.id else BUCKET_ALREADY_EXISTS
            raise error(explanation=f"there is a bucket {name!r} already, of {other}", BucketName=name)
        bucket = BucketRecord(
            name, acl=requested_acl.expand(owner, owner), created=now, ids=self._ids, semantics=self._semantics
        )
        self.buckets[name] = bucket
        return bucket

    def delete_bucket(self, name: str) -> None:
        """Remove an empty bucket.

        Raises:
            ErrorResponse: NoSuchBucket, or BucketNotEmpty while a version or delete marker is left.
        """
        self.bucket(name).check_empty()
        del self.buckets[name]

    def replace_with(self, other: State) -> None:
        """Hold what ``other`` holds. In place, so that a request under way goes on with what is there now."""
        self.accounts, self.buckets = other.accounts, other.buckets

    def copy(self) -> State:
        """The same accounts and buckets, independent of later changes here; content is shared, never copied."""
        other = State(self._ids, self._semantics)
        other.accounts = self.accounts.copy()
        other.buckets = {name: bucket.copy() for name, bucket in self.buckets.items()}
        return other
