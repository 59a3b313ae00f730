"""The restoration of an archived object: POST Object restore, and what requests and replies say about it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from fakestore.errors import INVALID_OBJECT_STATE, RESTORE_IN_PROGRESS, UnsupportedRequest
from fakestore.http.values import http_date
from fakestore.model.bucket import BucketRecord
from fakestore.model.lifecycle_rule import MOST_DAYS, midnight_after
from fakestore.model.object_version import Change, ObjectVersion
from fakestore.model.storage_class import Restoration, StorageClass
from fakestore.operations.framework.access import BUCKET_OWNER, Access
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.operation import operation
from fakestore.operations.framework.result import Result
from fakestore.operations.versioning import requested_version_headers
from fakestore.protocol.routing import Route
from fakestore.xml.declarations import child, document, integer


class Tier(StrEnum):
    EXPEDITED = "Expedited"
    STANDARD = "Standard"
    BULK = "Bulk"


@document("RestoreRequest", unsupported=("Type", "SelectParameters", "OutputLocation", "Description"))
class RestoreRequest:
    """The number of days for which an archived object is restored, and the tier.

    The tier is in ``<GlacierJobParameters>``, or in a ``<Tier>`` of its own.
    """

    days: int = child("Days", kind=integer(1, MOST_DAYS))
    job_tier: Tier | None = child("Tier", inside="GlacierJobParameters", default=None)
    own_tier: Tier | None = child("Tier", default=None)

    def validate(self) -> None:
        """Refuse two tiers."""
        if self.job_tier is not None and self.own_tier is not None:
            raise UnsupportedRequest(
                "<RestoreRequest> with both <Tier> and <GlacierJobParameters> is not supported; send one of them"
            )

    @property
    def tier(self) -> Tier:
        return self.job_tier or self.own_tier or Tier.STANDARD


#: The longest documented time of each tier. [restore-takes-time]
_DURATIONS = {
    (StorageClass.GLACIER, Tier.EXPEDITED): timedelta(minutes=5),
    (StorageClass.GLACIER, Tier.STANDARD): timedelta(hours=5),
    (StorageClass.GLACIER, Tier.BULK): timedelta(hours=12),
    (StorageClass.DEEP_ARCHIVE, Tier.STANDARD): timedelta(hours=12),
    (StorageClass.DEEP_ARCHIVE, Tier.BULK): timedelta(hours=48),
}

#: The expiry date of a copy whose days end after Python's last date.
_NEVER = datetime.max.replace(microsecond=0, tzinfo=UTC)


@operation(
    "POST Object restore",
    Route("POST", "object", "restore", names_version=True),
    api_name="RestoreObject",
    access=Access("s3:RestoreObject", BUCKET_OWNER),
)
def post_object_restore(call: Call, bucket: BucketRecord, document: RestoreRequest) -> Result:
    """Restore an archived object for some days, or change the number of days of its restoration."""
    version = bucket.get_object_or_version(call.key, call.version_id)
    duration = _DURATIONS.get((version.storage_class, document.tier))
    if duration is None:
        is_archive = version.storage_class.is_archive
        problem = f"cannot be restored with the tier {document.tier}" if is_archive else "is not an archive"
        raise INVALID_OBJECT_STATE.error(
            "Restore is not allowed for the object's current storage class",
            explanation=f"{version.key!r} has the storage class {version.storage_class}, which {problem}",
        )
    current = version.restoration
    if current is not None and call.now < current.ready:
        raise RESTORE_IN_PROGRESS.error(explanation=f"{version.key!r} is being restored until {current.ready}")
    is_restored = version.is_readable(call.now)
    now = call.now.replace(microsecond=0)
    ready = now if is_restored else now + duration
    expires = midnight_after(ready, document.days) or _NEVER
    restored = replace(version, restoration=Restoration(ready, expires))
    bucket.replace_version(restored)
    return Result(
        status=200 if is_restored else 202,
        service_headers=requested_version_headers(call),
        version_id=version.version_id,
        changes=() if is_restored else (Change("ObjectRestore:Post", changed=restored),),  # [events-of-requests]
    )


def check_is_readable(version: ObjectVersion, now: datetime, message: str | None = None) -> None:
    """Check that the content of a version can be read. `message` replaces the message of the error."""
    if not version.is_readable(now):
        raise INVALID_OBJECT_STATE.error(
            message,
            explanation=f"{version.key!r} has the storage class {version.storage_class} and is not restored; restore"
            " it with POST Object restore",
            StorageClass=str(version.storage_class),
        )


def current_restoration(version: ObjectVersion, now: datetime) -> Restoration | None:
    """Return the restoration of a version, or None if it was not requested or has expired."""
    restoration = version.restoration
    return None if restoration is None or now >= restoration.expires else restoration


def restore_headers(version: ObjectVersion, now: datetime) -> dict[str, str]:
    """Return the dialect's header with the restoration of a version, if it was requested and has not expired."""
    restoration = current_restoration(version, now)
    if restoration is None:
        return {}
    if now < restoration.ready:
        return {"restore": 'ongoing-request="true"'}
    return {"restore": f'ongoing-request="false", expiry-date="{http_date(restoration.expires)}"'}


OPERATIONS = (post_object_restore,)
