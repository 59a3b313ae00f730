"""The operations: one row and one small function each. `OPERATIONS` is the table of all operations."""

from fakestore.operations import (
    acl,
    bucket,
    condition_keys,
    configurations,
    configurations_with_id,
    copy,
    cors,
    deletion,
    encryption,
    form,
    lifecycle,
    listing,
    mfa,
    multipart_upload,
    object,
    object_lock,
    policy,
    regions,
    request_payment,
    restore,
    tagging,
    versioning,
)
from fakestore.operations.framework.table import Operations, operations_of

#: The checks of every request, in this order.
GUARDS = (
    cors.CrossOriginSharing,
    mfa.MfaTransport,
    bucket.ExpectedOwner,
    regions.SignatureVersion,
    request_payment.RequestPayer,
)

OPERATIONS = Operations(
    operations_of(
        acl,
        bucket,
        configurations,
        configurations_with_id,
        copy,
        cors,
        deletion,
        encryption,
        form,
        lifecycle,
        listing,
        multipart_upload,
        object,
        object_lock,
        policy,
        request_payment,
        restore,
        tagging,
        versioning,
    ),
    guards=GUARDS,
    condition_keys=condition_keys.CONDITION_KEYS,
)
