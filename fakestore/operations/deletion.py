"""DELETE Object, and the deletion of many objects."""

from __future__ import annotations

from fakestore.errors import INVALID_ARGUMENT, MALFORMED_XML, NO_SUCH_VERSION, ErrorResponse
from fakestore.model.bucket import BucketRecord
from fakestore.model.names import check_key
from fakestore.model.object_version import Change, ObjectVersion
from fakestore.operations.framework.access import DELETE_OBJECT, authorize
from fakestore.operations.framework.call import Call, Resource
from fakestore.operations.framework.operation import operation
from fakestore.operations.framework.preconditions import DeleteConditions
from fakestore.operations.framework.result import Result
from fakestore.operations.mfa import check_mfa, has_valid_mfa
from fakestore.operations.object_lock import BYPASS_GOVERNANCE, BypassParameters, check_is_unlocked
from fakestore.operations.versioning import deletion_headers
from fakestore.protocol.routing import Route
from fakestore.xml.declarations import child, children, document, element


def _delete_current(call: Call, bucket: BucketRecord, key: str, *, keeps_null: bool) -> tuple[Change, str | None]:
    """Apply a simple DELETE, which names no version. Also return what is missing if nothing was removed, or None.

    Args:
        keeps_null: Whether the null entry stays, because the request has no valid MFA code.
    """
    latest = bucket.latest_entry(key)
    change = bucket.delete(key, writer=call.account, now=call.now, keeps_null=keeps_null)
    if isinstance(latest, ObjectVersion) or change.removed is not None:
        return change, None
    return change, bucket.describe_missing(key)


def _delete_version(
    call: Call, bucket: BucketRecord, key: str, version_id: str, bypass: BypassParameters
) -> tuple[Change, str | None]:
    """Delete a version permanently. Also return what is missing if nothing was removed, or None.

    The caller has checked the MFA code, if the bucket needs one.
    """
    entry = bucket.find_entry(key, version_id)
    if isinstance(entry, ObjectVersion):
        check_is_unlocked(call, bucket, entry, bypass)
    change = Change("ObjectRemoved", removed=bucket.delete_version(key, version_id))
    if change.removed is not None:
        return change, None
    return change, bucket.describe_missing(key, version_id)


@operation(
    "DELETE Object",
    Route("DELETE", "object", names_version=True),
    api_name="DeleteObject",
    access=DELETE_OBJECT,
    checks_itself=(BYPASS_GOVERNANCE,),
    preconditions=DeleteConditions,
)
def delete_object(call: Call, bucket: BucketRecord, bypass: BypassParameters) -> Result:
    """Delete an object, or one version of it permanently (specification, section 4.3)."""
    if call.version_id is None:
        keeps_null = not has_valid_mfa(call, bucket)
        deletion, missing = _delete_current(call, bucket, call.key, keeps_null=keeps_null)
    else:
        if bucket.mfa_delete:  # before the version id is examined [mfa-before-version-id]
            check_mfa(call, bucket)
        deletion, missing = _delete_version(call, bucket, call.key, call.version_id, bypass)
    service_headers = deletion_headers(call, deletion)
    return Result(
        status=204,
        headers={"Content-Length": "0"} if call.semantics.delete_sends_length else {},
        service_headers=service_headers,
        version_id=service_headers.get("version-id"),
        changes=(deletion,),
        explanation=None if missing is None else f"nothing was removed: {missing}",
    )


# -- many objects


#: The maximum number of keys that the explanation of a request shows.
_MOST_EXPLANATIONS = 10


@element(unsupported=("LastModifiedTime", "Size"))
class ObjectIdentifier:
    """An object, or one version of it. It is deleted only if it has the entity tag ``etag``, unless that is None."""

    key: str = child("Key")
    version_id: str | None = child("VersionId", default=None)
    etag: str | None = child("ETag", default=None)

    def validate(self) -> None:
        if not self.key:
            raise MALFORMED_XML.error(explanation="<Key> in <Object> is empty; expected the key of an object")


@document("Delete")
class Delete:
    """The objects to delete, in this order. If ``quiet`` is true, the reply contains only errors."""

    quiet: bool = child("Quiet", default=False)
    objects: tuple[ObjectIdentifier, ...] = children("Object", least=1, most=1000)


@element()
class Deleted:
    """An object that was deleted, and the delete marker that was added or removed."""

    key: str = child("Key")
    version_id: str | None = child("VersionId", default=None)
    delete_marker: bool | None = child("DeleteMarker", default=None)
    delete_marker_version_id: str | None = child("DeleteMarkerVersionId", default=None)


@element()
class DeleteError:
    key: str = child("Key")
    version_id: str | None = child("VersionId", default=None)
    code: str = child("Code")
    message: str = child("Message")


@document("DeleteResult")
class DeleteResult:
    """The result for each object, in the order of the request."""

    results: tuple[Deleted | DeleteError, ...] = children("Deleted", "Error")


@operation(
    "POST Bucket delete",
    Route("POST", "bucket", "delete"),
    api_name="DeleteObjects",
    access=None,
    checks_itself=(DELETE_OBJECT, BYPASS_GOVERNANCE),
    needs_checksum=True,
)
def post_bucket_delete(call: Call, bucket: BucketRecord, bypass: BypassParameters, document: Delete) -> Result:
    """Delete many objects. Each is authorized and deleted separately, so the others are deleted if one is refused.

    Only the MFA device confirms all of them or none. [delete-many-mfa]
    """
    names_versions = any(each.version_id is not None for each in document.objects)
    may_delete_versions = call.requester == bucket.owner
    has_code = "mfa" in call.service_headers
    if bucket.mfa_delete and ((names_versions and may_delete_versions) or has_code):
        check_mfa(call, bucket)
    keeps_null = bucket.mfa_delete and not has_code  # a wrong code was refused above
    results: list[Deleted | DeleteError] = []
    deletions: list[Change] = []
    explanations: dict[ObjectIdentifier, str] = {}
    for identifier in document.objects:
        try:
            deletion, missing = _delete(call, bucket, identifier, bypass, keeps_null=keeps_null)
        except ErrorResponse as error:
            explanations.setdefault(identifier, error.explanation)
            results.append(
                DeleteError(
                    key=identifier.key,
                    version_id=identifier.version_id,
                    code=error.code,
                    message=error.message,
                )
            )
        else:
            deletions.append(deletion)
            if missing is not None:
                explanations.setdefault(identifier, missing)
            if not document.quiet:
                marker = deletion.marker
                results.append(
                    Deleted(
                        key=identifier.key,
                        version_id=identifier.version_id,
                        delete_marker=None if marker is None else True,
                        delete_marker_version_id=None if marker is None else marker.version_id,
                    )
                )
    return Result(
        document=DeleteResult(results=tuple(results)),
        changes=tuple(deletions),
        explanation=_join(list(explanations.values())),
    )


def _delete(
    call: Call,
    bucket: BucketRecord,
    identifier: ObjectIdentifier,
    bypass: BypassParameters,
    *,
    keeps_null: bool,
) -> tuple[Change, str | None]:
    key, version_id = identifier.key, identifier.version_id
    check_key(key)
    authorize(DELETE_OBJECT, call, bucket, Resource(key, version_id))
    if identifier.etag is not None:
        DeleteConditions(match=identifier.etag).check_object(bucket, key, version_id)
    if version_id is None:
        return _delete_current(call, bucket, key, keeps_null=keeps_null)
    try:
        return _delete_version(call, bucket, key, version_id, bypass)
    except ErrorResponse as error:
        if error.code != INVALID_ARGUMENT.code or not version_id:
            raise
        # Among many, an id that was never issued is answered like a removed version. [delete-many-unknown-version]
        raise NO_SUCH_VERSION.error(explanation=error.explanation) from None


def _join(explanations: list[str]) -> str | None:
    """Return some explanations as one text, or None without any."""
    shown, further = explanations[:_MOST_EXPLANATIONS], len(explanations) - _MOST_EXPLANATIONS
    return "; ".join(shown if further <= 0 else [*shown, f"and {further} more"]) or None


OPERATIONS = (delete_object, post_bucket_delete)
