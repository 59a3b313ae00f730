"""The operations: one row and one small function each. Importing this package registers them."""
# ruff: noqa: F401 -- the imports register the operations

import fakestore.operations.bucket.acl
import fakestore.operations.bucket.bucket
import fakestore.operations.bucket.configurations
import fakestore.operations.bucket.delete_objects
import fakestore.operations.bucket.lifecycle
import fakestore.operations.bucket.listing
import fakestore.operations.bucket.location
import fakestore.operations.bucket.policy
import fakestore.operations.bucket.policy_status
import fakestore.operations.bucket.settings
import fakestore.operations.multipart.completion
import fakestore.operations.multipart.listing
import fakestore.operations.multipart.part
import fakestore.operations.multipart.upload
import fakestore.operations.object.acl
import fakestore.operations.object.attributes
import fakestore.operations.object.copy
import fakestore.operations.object.form
import fakestore.operations.object.legal_hold
import fakestore.operations.object.object
import fakestore.operations.object.restore
import fakestore.operations.object.retention
import fakestore.operations.object.tagging
import fakestore.operations.preflight
import fakestore.operations.service
from fakestore.operations.core.registry import publish_operations

publish_operations()
