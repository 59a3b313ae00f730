"""The operations that most tests do not use. Without them, the import of fakestore takes about 30 % less time.

A request for one of them must have another method or query parameter than the requests for all operations that
`fakestore/operations/__init__.py` imports.
"""
# ruff: noqa: F401 -- the imports register the operations

import fakestore.operations.bucket.accelerate
import fakestore.operations.bucket.acl
import fakestore.operations.bucket.cors
import fakestore.operations.bucket.delete_objects
import fakestore.operations.bucket.encryption
import fakestore.operations.bucket.lifecycle
import fakestore.operations.bucket.location
import fakestore.operations.bucket.logging
import fakestore.operations.bucket.notification
import fakestore.operations.bucket.object_lock
import fakestore.operations.bucket.ownership
import fakestore.operations.bucket.policy
import fakestore.operations.bucket.policy_status
import fakestore.operations.bucket.public_access_block
import fakestore.operations.bucket.replication
import fakestore.operations.bucket.request_payment
import fakestore.operations.bucket.tagging
import fakestore.operations.bucket.versioning
import fakestore.operations.bucket.website
import fakestore.operations.multipart.completion
import fakestore.operations.multipart.listing
import fakestore.operations.multipart.part
import fakestore.operations.multipart.upload
import fakestore.operations.object.acl
import fakestore.operations.object.attributes
import fakestore.operations.object.form
import fakestore.operations.object.legal_hold
import fakestore.operations.object.restore
import fakestore.operations.object.retention
import fakestore.operations.object.tagging
import fakestore.operations.preflight
import fakestore.operations.service
from fakestore.operations.core.registry import publish_operations

publish_operations()
