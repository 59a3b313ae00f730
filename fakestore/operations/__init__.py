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
    notification,
    object,
    object_lock,
    policy,
    refusals,
    regions,
    request_payment,
    restore,
    tagging,
    versioning,
)
from fakestore.operations.framework.table import Operations

#: The checks of the bucket of every request, in this order.
GUARDS = (mfa.MfaTransport, bucket.ExpectedOwner, regions.SignatureVersion, request_payment.RequestPayer)

OPERATIONS = Operations(
    [
        *acl.OPERATIONS,
        *bucket.OPERATIONS,
        *configurations.OPERATIONS,
        *configurations_with_id.OPERATIONS,
        *copy.OPERATIONS,
        *cors.OPERATIONS,
        *deletion.OPERATIONS,
        *encryption.OPERATIONS,
        *form.OPERATIONS,
        *lifecycle.OPERATIONS,
        *listing.OPERATIONS,
        *multipart_upload.OPERATIONS,
        *notification.OPERATIONS,
        *object.OPERATIONS,
        *object_lock.OPERATIONS,
        *policy.OPERATIONS,
        *request_payment.OPERATIONS,
        *restore.OPERATIONS,
        *tagging.OPERATIONS,
        *versioning.OPERATIONS,
    ],
    guards=GUARDS,
    check_host=regions.check_host,
    headers_of_every_reply=(cors.sharing_headers, regions.headers_of_head_bucket),
    condition_keys=condition_keys.CONDITION_KEYS,
    misplaced_headers=refusals.misplaced_headers,
    refuse=refusals.refuse,
)
