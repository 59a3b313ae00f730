"""Events: what happened to an object, and what the service says about it.

Source: the public S3 documentation. A record has the *event message structure*: ``eventVersion`` 2.1, or 2.3 for
lifecycle rules, tags, ACLs, retentions and ``ObjectRestore:Delete``. A document for EventBridge has version 0.
[event-records]
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import quote_plus
from uuid import UUID

from fakestore.messages import iso_date
from fakestore.model.accounts import Account
from fakestore.model.names import ARN_PREFIX
from fakestore.model.object_version import Change, Entry, ObjectVersion

#: What the service names as the sender of a request that it makes by itself.
_SERVICE = "s3.amazonaws.com"


class Cause(NamedTuple):
    """Who caused an event, and the ids of the reply.

    Args:
        principal: The id of the requester.
        requester: The number of the account of the requester.
        source_ip: The address of the client.
        ids: The ids by the names of their headers; the first is the id of the request.
        is_arranged: Whether a test stored the object without a request.
    """

    ids: dict[str, str]
    principal: str = _SERVICE
    requester: str = _SERVICE
    source_ip: str = _SERVICE
    is_arranged: bool = False


class _Kind(NamedTuple):
    """What events of one kind say.

    Args:
        version: The version of the structure of a record.
        fields: What is said about the object, by its names in a record, in addition to the key and the version.
        detail_type: The name of the event for EventBridge; None if it gets no such event.
        reason: The reason for EventBridge; None if the event has none.
    """

    version: str
    fields: tuple[str, ...]
    detail_type: str | None
    reason: str | None = None


_WRITTEN = ("size", "eTag", "sequencer")
_STORED = ("size", "eTag")

#: The kinds by the name of the event. A deletion has several names.
_KINDS = {
    "ObjectCreated:Put": _Kind("2.1", _WRITTEN, "Object Created", "PutObject"),
    "ObjectCreated:Post": _Kind("2.1", _WRITTEN, "Object Created", "POST Object"),
    "ObjectCreated:Copy": _Kind("2.1", _WRITTEN, "Object Created", "CopyObject"),
    "ObjectCreated:CompleteMultipartUpload": _Kind("2.1", _WRITTEN, "Object Created", "CompleteMultipartUpload"),
    "ObjectRemoved": _Kind("2.1", ("sequencer",), "Object Deleted", "DeleteObject"),
    "LifecycleExpiration": _Kind("2.3", ("sequencer",), "Object Deleted", "Lifecycle Expiration"),
    "LifecycleTransition": _Kind("2.3", _STORED, "Object Storage Class Changed"),
    "ObjectAcl:Put": _Kind("2.3", ("eTag",), "Object ACL Updated"),
    "ObjectRetention:Put": _Kind("2.3", ("eTag",), None),
    "ObjectTagging:Put": _Kind("2.3", ("eTag",), "Object Tags Added"),
    "ObjectTagging:Delete": _Kind("2.3", ("eTag",), "Object Tags Deleted"),
    "ObjectRestore:Post": _Kind("2.1", _STORED, "Object Restore Initiated"),
    "ObjectRestore:Completed": _Kind("2.1", _STORED, "Object Restore Completed"),
    "ObjectRestore:Delete": _Kind("2.3", _STORED, "Object Restore Expired"),
}

#: The kinds whose name ends in what was done, with the word of EventBridge for it.
_DELETIONS = {"Delete": "Permanently Deleted", "DeleteMarkerCreated": "Delete Marker Created"}


def event_name(change: Change) -> str:
    """Return the name of the event of a change.

    Example:
        >>> event_name(Change("ObjectRemoved")), event_name(Change("ObjectCreated:Put"))
        ('ObjectRemoved:Delete', 'ObjectCreated:Put')
    """
    kind = change.kind
    if kind not in ("ObjectRemoved", "LifecycleExpiration"):
        return kind
    return f"{kind}:{'Delete' if change.created is None else 'DeleteMarkerCreated'}"


class ObjectEvent(NamedTuple):
    """Something that happened to an object.

    Args:
        name: The name, for example ``ObjectCreated:Put``.
        time: When it happened, or when it was due.
        owner: The owner of the bucket.
        entry: The version or delete marker, after the change; or the removed one.
        is_versioned: Whether the bucket has had versioning.
        number: How many events the store had until this one.
    """

    name: str
    time: datetime
    bucket: str
    owner: Account
    region: str
    entry: Entry
    is_versioned: bool
    number: int
    cause: Cause

    @property
    def _kind(self) -> _Kind:
        return _KINDS.get(self.name) or _KINDS[self.name.partition(":")[0]]

    @property
    def _about_object(self) -> dict[str, Any]:
        """What the event says about the object, by the names in a record."""
        entry, known = self.entry, {}
        if isinstance(entry, ObjectVersion):
            known = {"size": entry.size, "eTag": entry.etag.unquoted}
        if self.is_versioned:
            known["versionId"] = entry.version_id
        known["sequencer"] = f"{self.number:018X}"
        return {name: value for name, value in known.items() if name in ("versionId", *self._kind.fields)}

    def record(self, configuration_id: str) -> dict[str, Any]:
        """Return the record of the event. The id names the configuration that wants it."""
        entry, about = self.entry, self._about_object
        record: dict[str, Any] = {
            "eventVersion": self._kind.version,
            "eventSource": "aws:s3",
            "awsRegion": self.region,
            "eventTime": iso_date(self.time, "milliseconds"),
            "eventName": self.name,
            "userIdentity": {"principalId": self.cause.principal},
            "requestParameters": {"sourceIPAddress": self.cause.source_ip},
            "responseElements": dict(self.cause.ids),
            "s3": {
                "s3SchemaVersion": "1.0",
                "configurationId": configuration_id,
                "bucket": {
                    "name": self.bucket,
                    "ownerIdentity": {"principalId": self.owner.id},
                    "arn": ARN_PREFIX + self.bucket,
                },
                "object": {"key": quote_plus(entry.key, safe="/"), **about},
            },
        }
        if isinstance(entry, ObjectVersion):
            storage_class = entry.storage_class.value
            if self.name == "LifecycleTransition":
                record["lifecycleEventData"] = {"transitionEventData": {"destinationStorageClass": storage_class}}
            if self.name == "ObjectRestore:Completed" and entry.restoration is not None:
                record["glacierEventData"] = {
                    "restoreEventData": {
                        "lifecycleRestorationExpiryTime": iso_date(entry.restoration.expires, "milliseconds"),
                        "lifecycleRestoreStorageClass": storage_class,
                    }
                }
        return record

    def bridge_document(self) -> dict[str, Any] | None:
        """Return the document of the event for EventBridge, or None if it gets none. Its key is not encoded."""
        kind, about = self._kind, self._about_object
        if kind.detail_type is None:
            return None
        names = {"versionId": "version-id", "eTag": "etag"}
        request_id = next(iter(self.cause.ids.values()))
        detail: dict[str, Any] = {
            "version": "0",
            "bucket": {"name": self.bucket},
            "object": {"key": self.entry.key} | {names.get(name, name): value for name, value in about.items()},
            "request-id": request_id,
            "requester": self.cause.requester,
            "source-ip-address": self.cause.source_ip,
        }
        if self.cause.source_ip == _SERVICE:
            del detail["source-ip-address"]
        if kind.reason is not None:
            detail["reason"] = kind.reason
        if kind.detail_type == "Object Deleted":
            detail["deletion-type"] = _DELETIONS[self.name.rpartition(":")[2]]
        if isinstance(self.entry, ObjectVersion):
            storage_class = self.entry.storage_class.value
            if self.name == "LifecycleTransition":
                detail["destination-storage-class"] = storage_class
            if self.name in ("ObjectRestore:Post", "ObjectRestore:Completed"):
                detail["source-storage-class"] = storage_class
            if self.name == "ObjectRestore:Completed" and self.entry.restoration is not None:
                detail["restore-expiry-time"] = iso_date(self.entry.restoration.expires)
        digest = hashlib.md5(f"{request_id} {self.number}".encode(), usedforsecurity=False).digest()
        return {
            "version": "0",
            "id": str(UUID(bytes=digest, version=4)),
            "detail-type": kind.detail_type,
            "source": "aws.s3",
            "account": self.owner.number,
            "time": iso_date(self.time),
            "region": self.region,
            "resources": [ARN_PREFIX + self.bucket],
            "detail": detail,
        }


def render_test_event(bucket: str, now: datetime, request_id: str, host_id: str) -> dict[str, Any]:
    """Return the document that a queue or topic gets when it is configured."""
    return {
        "Service": "Amazon S3",
        "Event": "s3:TestEvent",
        "Time": iso_date(now, "milliseconds"),
        "Bucket": bucket,
        "RequestId": request_id,
        "HostId": host_id,
    }
