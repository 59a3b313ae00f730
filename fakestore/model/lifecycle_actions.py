"""What lifecycle rules do to the versions of a key, and what they did."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from fakestore.messages import counted, escaped, shortened
from fakestore.model.object_version import EntryId
from fakestore.model.storage_class import StorageClass
from fakestore.model.version_ids import VersionId


class ExpireCurrent(NamedTuple):
    """The action that expires the current object. A delete marker that results from it has ``at`` as its time."""

    at: datetime
    rule_id: str


class RemoveVersions(NamedTuple):
    """The action that permanently removes noncurrent versions, oldest first, or a delete marker that is alone.

    Versions that one rule removes at one time are in one action, so that a long history is examined only a few times.
    """

    at: datetime
    version_ids: tuple[VersionId, ...]
    rule_id: str


class MoveVersions(NamedTuple):
    """The action that moves versions to another storage class, oldest first."""

    at: datetime
    version_ids: tuple[VersionId, ...]
    storage_class: StorageClass
    rule_id: str


Action = ExpireCurrent | RemoveVersions | MoveVersions


class LifecycleEffect(NamedTuple):
    """What a lifecycle rule did to a key.

    Attributes:
        bucket: The name of the bucket.
        key: The key.
        rule_id: The id of the rule.
        due: When the rule was due, in UTC. The store may have applied it later, at the next look at the bucket.
        created: The delete marker that an expired object got, if any.
        removed: The versions and delete markers that the rule removed permanently.
        moved: The versions that the rule moved to :attr:`storage_class`.
        storage_class: The new storage class of the versions that were moved, or None.
        upload_id: The id of the multipart upload that the rule aborted, or None.
    """

    bucket: str
    key: str
    rule_id: str
    due: datetime
    created: tuple[EntryId, ...] = ()
    removed: tuple[EntryId, ...] = ()
    moved: tuple[EntryId, ...] = ()
    storage_class: StorageClass | None = None
    upload_id: str | None = None

    @property
    def changes(self) -> list[str]:
        """What was changed, in words."""
        changes = [f"created {shortened(marker.version_id)} (delete marker)" for marker in self.created]
        if self.removed:
            changes.append(f"removed {describe_versions(self.removed)}")
        if self.storage_class is not None:
            changes.append(f"moved {describe_versions(self.moved)} to {self.storage_class.value}")
        if self.upload_id is not None:
            changes.append(f"aborted upload {shortened(self.upload_id)}")
        return changes

    @property
    def rule(self) -> str:
        """The rule and when it was due, in words."""
        return f"lifecycle rule {self.rule_id!r}, due {self.due:%Y-%m-%d %H:%M:%S}"

    def __str__(self) -> str:
        return escaped(", ".join([f"{self.rule}: {self.bucket}/{self.key}", *self.changes]))


def describe_versions(entries: tuple[EntryId, ...]) -> str:
    """Return the shortened id of a version, or the number of several versions."""
    return shortened(entries[0].version_id) if len(entries) == 1 else counted(len(entries), "version")
