"""Replication of a bucket. Its rules are stored; the fake replicates nothing."""

from __future__ import annotations

from fakestore.documents.replication import ReplicationConfiguration
from fakestore.documents.shape import changed
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import INVALID_REQUEST, NO_REPLICATION
from fakestore.model.versioning import Versioning
from fakestore.operations.bucket.stored_configuration import Actions, StoredConfiguration, new_ids
from fakestore.operations.core.context import RequestContext


def _check_versioning(context: RequestContext, bucket: BucketRecord) -> None:
    """Refuse a bucket without versioning.

    Raises:
        ErrorResponse: InvalidRequest.
    """
    if bucket.versioning is not Versioning.ENABLED:
        raise INVALID_REQUEST.error(
            "Versioning must be 'Enabled' on the bucket to apply a replication configuration",
            explanation=f"the versioning of bucket {bucket.name!r} is {bucket.versioning.value!r}; enable it first",
        )


def _check_destinations(
    context: RequestContext, bucket: BucketRecord, configuration: ReplicationConfiguration
) -> ReplicationConfiguration:
    """Check the buckets of the replicas, and give ids to rules without one.

    Raises:
        ErrorResponse: InvalidRequest.
    """
    for rule in configuration.rules:
        name = rule.destination.name
        destination = context.state.buckets.get(name)
        if destination is None or destination.versioning is not Versioning.ENABLED:
            state = "it does not exist" if destination is None else f"its versioning is {destination.versioning}"
            raise INVALID_REQUEST.error(
                "Destination bucket must have versioning enabled.",
                explanation=f"the destination is the bucket {name!r}, and {state}",
            )
    ids = new_ids(context)
    return changed(configuration, rules=tuple(changed(rule, id=rule.id or next(ids)) for rule in configuration.rules))


StoredConfiguration(
    "replication",
    ReplicationConfiguration,
    Actions("s3:GetReplicationConfiguration", "s3:PutReplicationConfiguration", "s3:PutReplicationConfiguration"),
    missing=NO_REPLICATION,
    check=_check_versioning,
    prepare=_check_destinations,
).register()
