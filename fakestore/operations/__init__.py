"""The operations: one small function each, in one registry. Importing this package fills it."""

from fakestore.operations import acls, buckets, configuration, copying, listings, objects
from fakestore.operations.registry import OPERATION_NAMES, Operation, check_operation_name, find_operation

__all__ = [
    "OPERATION_NAMES",
    "Operation",
    "acls",
    "buckets",
    "check_operation_name",
    "configuration",
    "copying",
    "find_operation",
    "listings",
    "objects",
]
