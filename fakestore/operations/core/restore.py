"""Archived objects: the check that one can be read, and what is said about its restoration."""

from __future__ import annotations

from datetime import datetime

from fakestore.http.dates import http_date
from fakestore.model.errors import INVALID_OBJECT_STATE
from fakestore.model.object_version import ObjectVersion
from fakestore.model.restore import Restoration


def check_is_readable(version: ObjectVersion, now: datetime, message: str | None = None) -> None:
    """Check that the content of a version can be read.

    Args:
        version: The version.
        now: The present time.
        message: The message of the error; by default, the message in the table of codes.

    Raises:
        ErrorResponse: InvalidObjectState, if it is archived and not restored.
    """
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
    """Return the dialect's header about the restoration of a version, if one is requested and has not expired."""
    restoration = current_restoration(version, now)
    if restoration is None:
        return {}
    if now < restoration.ready:
        return {"restore": 'ongoing-request="true"'}
    return {"restore": f'ongoing-request="false", expiry-date="{http_date(restoration.expires)}"'}
