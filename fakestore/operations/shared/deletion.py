"""The deletion of one key, which DELETE Object and the DELETE of many objects share."""

from __future__ import annotations

from fakestore.model.bucket import BucketRecord
from fakestore.model.deletion import Deletion
from fakestore.model.object_version import ObjectVersion
from fakestore.operations.core.context import RequestContext
from fakestore.operations.shared.mfa import has_valid_mfa
from fakestore.operations.shared.object_lock import check_is_unlocked


def delete_key(context: RequestContext, bucket: BucketRecord, key: str, version_id: str | None) -> Deletion:
    """Delete an object, or one version of it permanently. The caller must check an MFA code first, if one is needed.

    Raises:
        ErrorResponse: InvalidArgument, if the store never issued the version id; AccessDenied, if it is locked.
    """
    if version_id is None:
        # Without a valid code, the null version is not removed.
        return bucket.delete(
            key, owner=context.owner, now=context.now, keep_null_version=not has_valid_mfa(context, bucket)
        )
    entry = bucket.find_entry(key, version_id)
    if isinstance(entry, ObjectVersion):
        check_is_unlocked(context, bucket, entry)
    return Deletion(removed=bucket.delete_version(key, version_id))
