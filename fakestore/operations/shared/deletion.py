"""The deletion of one key, which DELETE Object and the DELETE of many objects share."""

from __future__ import annotations

from fakestore.model.bucket import BucketRecord
from fakestore.model.deletion import Deletion
from fakestore.model.object_version import ObjectVersion
from fakestore.operations.core.context import RequestContext
from fakestore.operations.shared.object_lock import BypassParameters, check_is_unlocked


def delete_key(
    context: RequestContext,
    bucket: BucketRecord,
    key: str,
    version_id: str | None,
    bypass: BypassParameters,
    *,
    keep_null_version: bool,
) -> Deletion:
    """Delete an object, or one version of it permanently. The caller must check an MFA code first, if one is needed.

    Args:
        version_id: The version; None for the object.
        bypass: Whether the request asks to bypass a retention.
        keep_null_version: Whether the deletion of an object must keep the null version, because the request has no
            valid MFA code.

    Raises:
        ErrorResponse: InvalidArgument, if the store never issued the version id; AccessDenied, if it is locked.
    """
    if version_id is None:
        return bucket.delete(key, owner=context.owner, now=context.now, keep_null_version=keep_null_version)
    entry = bucket.find_entry(key, version_id)
    if isinstance(entry, ObjectVersion):
        check_is_unlocked(context, bucket, entry, bypass)
    return Deletion(removed=bucket.delete_version(key, version_id))
