"""The operations: one row and one small function each. Importing this package registers those that most tests use.

The operations in `fakestore/operations/rare.py` are registered when a request, or something else, needs one of them.
"""
# ruff: noqa: F401 -- the imports register the operations

import fakestore.operations.bucket.bucket
import fakestore.operations.bucket.listing
import fakestore.operations.object.copy
import fakestore.operations.object.object
from fakestore.operations.core.registry import publish_operations

publish_operations()
