"""What lifecycle rules do to the versions of a key."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

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
