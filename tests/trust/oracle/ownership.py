"""What the oracle expects of object ownership and of the public access block."""

from __future__ import annotations

from tests.trust.oracle.objects import Objects
from tests.trust.oracle.values import Answer, denied


class Ownership(Objects):
    def put_ownership(self, who, name, ownership):
        """`ownership` is None to remove the ownership controls. To disable ACLs, that of the bucket must be private."""
        if not self.may_configure(who, "s3:PutBucketOwnershipControls", name):
            return denied()
        self.buckets[name].ownership = ownership
        return Answer(204 if ownership is None else 200)

    def put_block(self, who, name, switches):
        """`switches` are the names of those that are on, or None to remove the block."""
        if not self.may_configure(who, "s3:PutBucketPublicAccessBlock", name):
            return denied()
        self.buckets[name].block = frozenset(switches or ())
        return Answer(204 if switches is None else 200)
