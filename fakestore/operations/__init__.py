"""The operations: one row and one small function each, and the table of them all."""

from fakestore.operations.acl import get_bucket_acl, get_object_acl, put_bucket_acl, put_object_acl
from fakestore.operations.attributes import get_object_attributes
from fakestore.operations.bucket import delete_bucket, get_bucket_location, head_bucket, put_bucket
from fakestore.operations.condition_keys import CONDITION_KEYS
from fakestore.operations.configurations import (
    ACCELERATE,
    ANALYTICS,
    INTELLIGENT_TIERING,
    INVENTORY,
    LOGGING,
    METRICS,
    NOTIFICATION,
    REPLICATION,
    WEBSITE,
)
from fakestore.operations.copy import put_object_copy
from fakestore.operations.cors import CORS, PREFLIGHTS, CrossOriginSharing
from fakestore.operations.deletion import post_bucket_delete
from fakestore.operations.encryption import ENCRYPTION
from fakestore.operations.expected_owner import ExpectedOwner
from fakestore.operations.form import post_object
from fakestore.operations.framework.table import Operations
from fakestore.operations.lifecycle import LIFECYCLE
from fakestore.operations.list_buckets import get_service
from fakestore.operations.listing import get_bucket, get_bucket_object_versions, get_bucket_version_2
from fakestore.operations.mfa import MfaTransport
from fakestore.operations.multipart.completion import complete_multipart_upload
from fakestore.operations.multipart.listing import list_multipart_uploads, list_parts
from fakestore.operations.multipart.part import upload_part, upload_part_copy
from fakestore.operations.multipart.upload import abort_multipart_upload, initiate_multipart_upload
from fakestore.operations.object import delete_object, get_object, head_object, put_object
from fakestore.operations.object_lock import (
    OBJECT_LOCK,
    get_object_legal_hold,
    get_object_retention,
    put_object_legal_hold,
    put_object_retention,
)
from fakestore.operations.ownership import OWNERSHIP_CONTROLS
from fakestore.operations.policy import (
    delete_bucket_policy,
    get_bucket_policy,
    get_bucket_policy_status,
    put_bucket_policy,
)
from fakestore.operations.public_access_block import PUBLIC_ACCESS_BLOCK
from fakestore.operations.regions import SignatureVersion
from fakestore.operations.request_payment import REQUEST_PAYMENT, RequestPayer
from fakestore.operations.restore import post_object_restore
from fakestore.operations.tagging import TAGGING, delete_object_tagging, get_object_tagging, put_object_tagging
from fakestore.operations.versioning import VERSIONING

#: The checks of every request, in this order.
GUARDS = (CrossOriginSharing, MfaTransport, ExpectedOwner, SignatureVersion, RequestPayer)

#: All operations. Messages name them in this order.
OPERATIONS = Operations(
    [
        get_bucket_acl,
        put_bucket_acl,
        put_bucket,
        head_bucket,
        delete_bucket,
        get_bucket,
        get_bucket_version_2,
        get_bucket_object_versions,
        *ACCELERATE.operations(),
        *LOGGING.operations(),
        *NOTIFICATION.operations(),
        *REPLICATION.operations(),
        *WEBSITE.operations(),
        *ANALYTICS.operations(),
        *INTELLIGENT_TIERING.operations(),
        *INVENTORY.operations(),
        *METRICS.operations(),
        post_bucket_delete,
        *LIFECYCLE.operations(),
        get_bucket_location,
        get_bucket_policy,
        put_bucket_policy,
        delete_bucket_policy,
        get_bucket_policy_status,
        *CORS.operations(),
        *ENCRYPTION.operations(),
        *OBJECT_LOCK.operations(),
        *OWNERSHIP_CONTROLS.operations(),
        *PUBLIC_ACCESS_BLOCK.operations(),
        *REQUEST_PAYMENT.operations(),
        *TAGGING.operations(),
        *VERSIONING.operations(),
        initiate_multipart_upload,
        abort_multipart_upload,
        complete_multipart_upload,
        list_parts,
        list_multipart_uploads,
        upload_part,
        upload_part_copy,
        get_object_acl,
        put_object_acl,
        get_object_attributes,
        put_object_copy,
        put_object,
        get_object,
        head_object,
        delete_object,
        post_object,
        get_object_legal_hold,
        put_object_legal_hold,
        post_object_restore,
        get_object_retention,
        put_object_retention,
        get_object_tagging,
        put_object_tagging,
        delete_object_tagging,
        *PREFLIGHTS,
        get_service,
    ],
    guards=GUARDS,
    condition_keys=CONDITION_KEYS,
)
