"""The PublicAccessBlockConfiguration document."""

from __future__ import annotations

from fakestore.documents.shape import child, document
from fakestore.model.public_access_block import PublicAccessBlock


@document("PublicAccessBlockConfiguration")
class PublicAccessBlockConfiguration:
    """The switches of a public access block. One that a request does not name is off."""

    block_public_acls: bool = child("BlockPublicAcls", default=False)
    ignore_public_acls: bool = child("IgnorePublicAcls", default=False)
    block_public_policy: bool = child("BlockPublicPolicy", default=False)
    restrict_public_buckets: bool = child("RestrictPublicBuckets", default=False)

    @classmethod
    def from_block(cls, block: PublicAccessBlock) -> PublicAccessBlockConfiguration:
        """Return the document of a public access block."""
        return cls(**block._asdict())

    def to_block(self) -> PublicAccessBlock:
        """Return the public access block."""
        return PublicAccessBlock(
            self.block_public_acls, self.ignore_public_acls, self.block_public_policy, self.restrict_public_buckets
        )
