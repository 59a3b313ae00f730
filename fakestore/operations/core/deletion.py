"""Deletion: what deleting one object does, alone or among many."""

from __future__ import annotations

from fakestore.model.bucket import BucketRecord
from fakestore.model.deletion import Deletion
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.mfa import has_valid_mfa


def delete_key(context: RequestContext, bucket: BucketRecord, key: str, version_id: str | None) -> Deletion:
    """Delete an object, or one version of it permanently. The caller has checked whether that needs an MFA code.

    Raises:
        ErrorResponse: If the bucket cannot have such a version.
    """
    if version_id is None:
        # Without a valid code, the null version is not removed.
        return bucket.delete(
            key, owner=context.owner, now=context.now, keep_null_version=not has_valid_mfa(context, bucket)
        )
    return Deletion(removed=bucket.delete_version(key, version_id))
