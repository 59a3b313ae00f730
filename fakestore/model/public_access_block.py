"""Public access block: four switches that keep a bucket from being public."""

from __future__ import annotations

from typing import NamedTuple


class PublicAccessBlock(NamedTuple):
    """What a bucket does not allow the public.

    An ACL is public if it has a grant to all requesters or to all accounts, and a policy if it allows something to
    requesters that it does not name.

    Example:
        >>> PublicAccessBlock(block_public_acls=True).ignore_public_acls
        False

    Args:
        block_public_acls: Whether requests that state a public ACL are refused.
        ignore_public_acls: Whether public grants have no effect.
        block_public_policy: Whether a public policy is refused.
        restrict_public_buckets: Whether a bucket with a public policy is only for the account of its owner.
    """

    block_public_acls: bool = False
    ignore_public_acls: bool = False
    block_public_policy: bool = False
    restrict_public_buckets: bool = False

    def __str__(self) -> str:
        return ", ".join(name.replace("_", " ") for name, is_on in self._asdict().items() if is_on) or "nothing"


ALL_BLOCKED = PublicAccessBlock(
    block_public_acls=True, ignore_public_acls=True, block_public_policy=True, restrict_public_buckets=True
)
