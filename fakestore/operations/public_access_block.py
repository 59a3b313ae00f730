"""The public access block of a bucket."""

from __future__ import annotations

from fakestore.errors import NO_SUCH_PUBLIC_ACCESS_BLOCK
from fakestore.model.public_access_block import PublicAccessBlock
from fakestore.operations.framework.setting import Actions, Setting

PUBLIC_ACCESS_BLOCK = Setting(
    "publicAccessBlock",
    "PublicAccessBlock",
    PublicAccessBlock,
    Actions("s3:GetBucketPublicAccessBlock", "s3:PutBucketPublicAccessBlock", "s3:PutBucketPublicAccessBlock"),
    attribute="public_access_block",
    missing=NO_SUCH_PUBLIC_ACCESS_BLOCK,
    title="public access block",
)
