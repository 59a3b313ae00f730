"""Public access block: four switches that keep a bucket from being public."""

from __future__ import annotations

from fakestore.xml.declarations import child, document


@document("PublicAccessBlockConfiguration")
class PublicAccessBlock:
    """Which kinds of public access a bucket blocks.

    An ACL is public if it has a grant to every requester or to every account. A policy is public if it allows something
    to every requester, and no condition limits this. [policy-status]

    Example:
        >>> PublicAccessBlock(block_public_acls=True).ignore_public_acls
        False

    Args:
        block_public_acls: Whether a request that sets a public ACL is refused.
        ignore_public_acls: Whether grants to every requester or to every account have no effect.
        block_public_policy: Whether a request that sets a public policy is refused.
        restrict_public_buckets: Whether only the owner has access to a bucket that has a public policy.
    """

    block_public_acls: bool = child("BlockPublicAcls", default=False)
    ignore_public_acls: bool = child("IgnorePublicAcls", default=False)
    block_public_policy: bool = child("BlockPublicPolicy", default=False)
    restrict_public_buckets: bool = child("RestrictPublicBuckets", default=False)

    def __str__(self) -> str:
        return ", ".join(name.replace("_", " ") for name, is_on in vars(self).items() if is_on) or "nothing"


ALL_BLOCKED = PublicAccessBlock(
    block_public_acls=True, ignore_public_acls=True, block_public_policy=True, restrict_public_buckets=True
)
