"""The ownership controls of a bucket."""

from __future__ import annotations

from fakestore.errors import OWNERSHIP_CONTROLS_NOT_FOUND
from fakestore.model.bucket import BucketRecord
from fakestore.model.ownership import OwnershipControls
from fakestore.operations.framework.setting import Actions, Setting

OWNERSHIP_CONTROLS = Setting(
    "ownershipControls",
    "BucketOwnershipControls",
    OwnershipControls,
    Actions("s3:GetBucketOwnershipControls", "s3:PutBucketOwnershipControls", "s3:PutBucketOwnershipControls"),
    missing=OWNERSHIP_CONTROLS_NOT_FOUND,
    title="ownership controls",
    read=lambda bucket: None if bucket.object_ownership is None else OwnershipControls.of(bucket.object_ownership),
    prepare=lambda document: document.ownership,
    store=BucketRecord.change_ownership,
)
