"""The headers of a reply about an object."""

from __future__ import annotations

import re
from datetime import datetime
from urllib.parse import quote

from fakestore.http.dates import http_date
from fakestore.model.bucket import BucketRecord
from fakestore.model.object_version import ObjectVersion
from fakestore.model.semantics import Semantics
from fakestore.model.storage_class import StorageClass
from fakestore.model.version_ids import NULL
from fakestore.model.versioning import Versioning
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.encryption import encryption_headers
from fakestore.operations.core.restore import restore_headers
from fakestore.operations.object.metadata import metadata_headers

#: What a quoted string in a header cannot have: quotation marks, backslashes, and all that is no printable ISO-8859-1.
_UNQUOTABLE = re.compile(r"[^\x20-\x7e\xa0-\xff]|[\"\\]")


def rule_id_in_header(rule_id: str, semantics: Semantics) -> str:
    """Return the id of a lifecycle rule as a header shows it. [rule-id-is-encoded]"""
    if semantics.rule_ids_are_encoded:
        return quote(rule_id, safe="")
    return _UNQUOTABLE.sub(lambda character: quote(character[0], safe=""), rule_id)


def expiration_headers(bucket: BucketRecord, version: ObjectVersion, semantics: Semantics) -> dict[str, str]:
    """Return the expiration header, if a lifecycle rule applies to the current object `version`."""
    expiry = bucket.get_expiry(version)
    if expiry is None:
        return {}
    rule_id = rule_id_in_header(expiry.rule_id, semantics)
    return {"expiration": f'expiry-date="{http_date(expiry.date)}", rule-id="{rule_id}"'}


def version_headers(context: RequestContext, bucket: BucketRecord, version: ObjectVersion) -> dict[str, str]:
    """Return the version id header for a version that is read or changed, unless versioning was never enabled."""
    if bucket.versioning is Versioning.NEVER:
        return requested_version_headers(context, version)
    return {"version-id": version.version_id}


def requested_version_headers(context: RequestContext, version: ObjectVersion) -> dict[str, str]:
    """Return the version id header if the request names the version. [requested-version]"""
    is_named = context.version_id is not None and context.semantics.names_requested_version
    return {"version-id": version.version_id} if is_named else {}


def put_reply_headers(bucket: BucketRecord, version: ObjectVersion, semantics: Semantics) -> dict[str, str]:
    """Return the dialect's headers for a version that was just written. A null version has no version id header."""
    headers = expiration_headers(bucket, version, semantics)
    if version.version_id != NULL:
        headers["version-id"] = version.version_id
    return headers | encryption_headers(version.server_side_encryption)


def get_reply_headers(
    version: ObjectVersion, semantics: Semantics, now: datetime
) -> tuple[dict[str, str], dict[str, str]]:
    """Return everything that was stored with the object: standard headers, and those of the dialect."""
    standard, service = metadata_headers(version.all_metadata, semantics)
    service |= encryption_headers(version.server_side_encryption)
    if version.tags:
        service["tagging-count"] = str(len(version.tags))
    if version.redirect is not None:
        service["website-redirect-location"] = version.redirect
    # The public service omits the default class. [storage-classes]
    if version.storage_class is not StorageClass.STANDARD:
        service["storage-class"] = version.storage_class
    if version.restoration is not None:
        service |= restore_headers(version, now)
    return {"Accept-Ranges": "bytes", **standard}, service
