"""What a bucket policy may name: the actions, and the keys of conditions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from fakestore.model.policy_conditions import ConditionKey


class KnownActions(NamedTuple):
    """The actions that a policy may name, by what they act on.

    Args:
        on_objects: Their resource is ``bucket/key``.
        on_buckets: Their resource is ``bucket``.
        on_service: They concern no bucket, so no bucket policy applies to them.
    """

    on_objects: frozenset[str]
    on_buckets: frozenset[str]
    on_service: frozenset[str] = frozenset()

    @property
    def all(self) -> frozenset[str]:
        """Every action."""
        return self.on_objects | self.on_buckets | self.on_service


class Vocabulary(NamedTuple):
    """What a policy may name.

    Args:
        actions: The actions.
        condition_keys: The keys of conditions, by their names in lower case.
    """

    actions: KnownActions
    condition_keys: Mapping[str, ConditionKey]
