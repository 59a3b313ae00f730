"""The versioning of a bucket, and the version that a request names."""

from __future__ import annotations

from fakestore.model.bucket import BucketRecord
from fakestore.model.object_version import MarkerError, ObjectVersion
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


def get_version_refusing_markers(call: Call, bucket: BucketRecord) -> ObjectVersion:
    """Return the version that the request names, or the current one.

    A current delete marker is refused like one that is named by its id. [put-acl-of-a-marker] [tags-of-a-marker]
    """
    try:
        return bucket.get_object_or_version(call.key, call.version_id)
    except MarkerError as error:
        raise MarkerError.refusing(error.marker, error.explanation) from None


def version_headers(call: Call, bucket: BucketRecord, version: ObjectVersion) -> dict[str, str]:
    """Return the version id header of a read or changed version, unless versioning was never enabled."""
    if bucket.versioning is Versioning.NEVER:
        return call.requested_version_headers
    return {"version-id": version.version_id}


OPERATIONS = (*VERSIONING.operations(),)
