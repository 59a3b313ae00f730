"""The operations: one small function each, in one registry. Importing this package fills it."""

from fakestore.operations import acls
from fakestore.operations.bucket import bucket, configuration, listings
from fakestore.operations.core.registry import OPERATION_NAMES, Operation, check_operation_name, find_operation
from fakestore.operations.object import copy, object

__all__ = [
    "OPERATION_NAMES",
    "Operation",
    "acls",
    "bucket",
    "check_operation_name",
    "configuration",
    "copy",
    "find_operation",
    "listings",
    "object",
]
