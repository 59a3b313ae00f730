"""The operations: one row and one small function each. Importing this package fills the registry."""

from fakestore.operations import service
from fakestore.operations.bucket import acl as bucket_acl
from fakestore.operations.bucket import (
    bucket,
    delete_objects,
    lifecycle,
    listings,
    location,
    policy,
    request_payment,
    versioning,
)
from fakestore.operations.bucket import tagging as bucket_tagging
from fakestore.operations.core.registry import complete_registry
from fakestore.operations.multipart import listings as multipart_listings
from fakestore.operations.multipart import part as multipart_part
from fakestore.operations.multipart import upload as multipart_upload
from fakestore.operations.object import acl as object_acl
from fakestore.operations.object import attributes, copy, object, restore
from fakestore.operations.object import tagging as object_tagging

__all__ = [
    "attributes",
    "bucket",
    "bucket_acl",
    "bucket_tagging",
    "copy",
    "delete_objects",
    "lifecycle",
    "listings",
    "location",
    "multipart_listings",
    "multipart_part",
    "multipart_upload",
    "object",
    "object_acl",
    "object_tagging",
    "policy",
    "request_payment",
    "restore",
    "service",
    "versioning",
]

complete_registry()
