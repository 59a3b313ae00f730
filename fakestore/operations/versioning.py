"""The versioning of a bucket."""

from __future__ import annotations

from fakestore.model.bucket import BucketRecord
from fakestore.model.versioning import Versioning, VersioningConfiguration
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.setting import Actions, Setting
from fakestore.operations.mfa import check_may_switch, check_mfa


def _read_versioning(bucket: BucketRecord) -> VersioningConfiguration:
    return VersioningConfiguration(
        status=None if bucket.versioning is Versioning.NEVER else bucket.versioning,
        mfa_delete=None if bucket.mfa_device is None else bucket.mfa_delete,
    )


def _check_versioning(call: Call, bucket: BucketRecord, document: VersioningConfiguration) -> VersioningConfiguration:
    """Check the MFA code. Some clients always send MfaDelete, so MFA is required only if it changes, or if it is on."""
    changes = document.mfa_delete not in (None, bucket.mfa_delete)
    if changes:
        check_may_switch(call, bucket)
    if changes or bucket.mfa_delete:
        check_mfa(call, bucket)
    return document


def _store_versioning(bucket: BucketRecord, document: VersioningConfiguration) -> None:
    assert document.status is not None, "the document requires it"
    bucket.change_versioning(document.status)
    if document.mfa_delete is not None:
        bucket.mfa_delete = document.mfa_delete


VERSIONING = Setting(
    "versioning",
    "BucketVersioning",
    VersioningConfiguration,
    Actions("s3:GetBucketVersioning", "s3:PutBucketVersioning"),
    read=_read_versioning,
    prepare=_check_versioning,
    store=_store_versioning,
)
