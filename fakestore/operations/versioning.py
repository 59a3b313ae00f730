"""The versioning of a bucket, and the version that a request names."""

from __future__ import annotations

from fakestore.model.bucket import BucketRecord
from fakestore.model.object_version import Change, MarkerError, ObjectVersion
from fakestore.model.versioning import NULL, Versioning, VersioningConfiguration
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.result import Result
from fakestore.operations.framework.setting import Actions, Setting
from fakestore.operations.mfa import check_may_switch, check_mfa


def _read_versioning(bucket: BucketRecord) -> VersioningConfiguration:
    return VersioningConfiguration(
        status=None if bucket.versioning is Versioning.NEVER else bucket.versioning,
        mfa_delete=None if bucket.mfa_device is None else bucket.mfa_delete,
    )


VERSIONING = Setting(
    "versioning",
    "BucketVersioning",
    VersioningConfiguration,
    Actions("s3:GetBucketVersioning", "s3:PutBucketVersioning"),
    read=_read_versioning,
)


@VERSIONING.put
def put_bucket_versioning(call: Call, bucket: BucketRecord, document: VersioningConfiguration) -> Result:
    # Some clients always send MfaDelete, so MFA is required only if it changes, or if it is on.
    changes = document.mfa_delete not in (None, bucket.mfa_delete)
    if changes:
        check_may_switch(call, bucket)
    if changes or bucket.mfa_delete:
        check_mfa(call, bucket)
    assert document.status is not None, "the document requires it"
    bucket.change_versioning(document.status)
    if document.mfa_delete is not None:
        bucket.mfa_delete = document.mfa_delete
    return Result()


def get_version_refusing_markers(call: Call, bucket: BucketRecord) -> ObjectVersion:
    """Return the version that the request names, or the current one.

    A current delete marker is refused like one that is named by its id. [put-acl-of-a-marker] [tags-of-a-marker]
    """
    try:
        return bucket.get_object_or_version(call.key, call.version_id)
    except MarkerError as error:
        raise MarkerError.refusing(error.marker, error.explanation) from None


# -- the version that a reply names. Each rule returns headers of the dialect.


def requested_version_headers(call: Call) -> dict[str, str]:
    """Name the version if the request does. [requested-version]"""
    if call.version_id is None or not call.semantics.names_requested_version:
        return {}
    return {"version-id": call.version_id}


def version_headers(call: Call, bucket: BucketRecord, version: ObjectVersion) -> dict[str, str]:
    """Name a version that is read or changed, unless versioning was never enabled."""
    if bucket.versioning is Versioning.NEVER:
        return requested_version_headers(call)
    return {"version-id": version.version_id}


def acl_version_headers(call: Call, bucket: BucketRecord, version: ObjectVersion) -> dict[str, str]:
    """Name a version whose ACL is read. [requested-version]"""
    is_named = call.semantics.names_requested_version
    return {"version-id": version.version_id} if is_named else version_headers(call, bucket, version)


def new_version_headers(version: ObjectVersion) -> dict[str, str]:
    """Name a version that was added, but not a null version. [suspended-put]"""
    return {"version-id": version.version_id} if version.version_id != NULL else {}


def copy_source_headers(call: Call, source: ObjectVersion) -> dict[str, str]:
    """Name the version that was copied. [suspended-put]"""
    is_named = source.version_id != NULL or call.semantics.copy_names_null_source
    return {"copy-source-version-id": source.version_id} if is_named else {}


def deletion_headers(call: Call, deletion: Change) -> dict[str, str]:
    """Name the version that was deleted or the delete marker that was added, and say whether it is a marker."""
    headers, marker = {}, deletion.marker
    if marker is not None or call.semantics.delete_always_names_marker:
        headers["delete-marker"] = "false" if marker is None else "true"
    version_id = call.version_id if marker is None else marker.version_id
    return headers if version_id is None else headers | {"version-id": version_id}


OPERATIONS = (*VERSIONING.operations(put_bucket_versioning),)
