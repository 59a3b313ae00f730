"""Settings of a bucket without effect. The fake checks, stores and returns them. [stored-configurations]"""

from __future__ import annotations

from fakestore.errors import (
    CROSS_LOCATION_LOGGING,
    INVALID_REQUEST,
    INVALID_TARGET_BUCKET,
    NO_REPLICATION,
    NO_SUCH_CONFIGURATION,
    NO_SUCH_WEBSITE,
    invalid_argument,
)
from fakestore.model.bucket import BucketRecord
from fakestore.model.configurations import (
    AccelerateConfiguration,
    AnalyticsConfiguration,
    AnalyticsConfigurations,
    BucketLoggingStatus,
    IntelligentTieringConfiguration,
    IntelligentTieringConfigurations,
    InventoryConfiguration,
    InventoryConfigurations,
    MetricsConfiguration,
    MetricsConfigurations,
    NotificationConfiguration,
    ReplicationConfiguration,
    WebsiteConfiguration,
)
from fakestore.model.versioning import Versioning
from fakestore.operations.acl import resolve_grantee
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.fields import header, switch
from fakestore.operations.framework.parameters import Parameters
from fakestore.operations.framework.setting import Actions, Setting, new_ids
from fakestore.operations.regions import get_region
from fakestore.xml.declarations import changed

# -- transfer acceleration


def _check_name(call: Call, bucket: BucketRecord) -> None:
    """Refuse a bucket whose name has periods, before the document is read."""
    if "." in bucket.name:
        raise INVALID_REQUEST.error(
            "S3 Transfer Acceleration is not supported for buckets with periods (.) in their names"
        )


ACCELERATE = Setting(
    "accelerate",
    "BucketAccelerateConfiguration",
    AccelerateConfiguration,
    Actions("s3:GetAccelerateConfiguration", "s3:PutAccelerateConfiguration"),
    check=_check_name,
)


# -- access logs


def _check_target(call: Call, bucket: BucketRecord, status: BucketLoggingStatus) -> BucketLoggingStatus:
    """Check the bucket for the logs, and the accounts that can read the logs."""
    if status.enabled is None:
        return status
    name = status.enabled.bucket
    target = call.state.buckets.get(name)
    if target is None or target.owner != bucket.owner:
        known = ", ".join(sorted(each.name for each in call.state.buckets.values() if each.owner == bucket.owner))
        raise INVALID_TARGET_BUCKET.error(
            explanation=f"<TargetBucket> is {name!r}; expected a bucket of {bucket.owner}: {known}", TargetBucket=name
        )
    if get_region(call, target) != get_region(call, bucket):
        raise CROSS_LOCATION_LOGGING.error(
            explanation=f"{name!r} is in {get_region(call, target)}, {bucket.name!r} in {get_region(call, bucket)}",
            TargetBucketLocation=get_region(call, target),
        )
    for grant in status.enabled.grants:
        resolve_grantee(grant.grantee, call.state.accounts)
    return status


LOGGING = Setting(
    "logging",
    "BucketLogging",
    BucketLoggingStatus,
    Actions("s3:GetBucketLogging", "s3:PutBucketLogging"),
    prepare=_check_target,
)


# -- notifications of events


class NotificationHeaders(Parameters):
    """Whether destinations are not validated. The fake never validates them. [stored-configurations]"""

    skips_validation: bool | None = header("skip-destination-validation", switch)


def _complete(
    call: Call, bucket: BucketRecord, _: NotificationHeaders, configuration: NotificationConfiguration
) -> NotificationConfiguration:
    """Check that the destinations are in the region of the bucket, and give ids. [stored-configurations]"""
    region, ids = get_region(call, bucket), new_ids(call)
    for each in configuration.destinations:
        named = each.split(":")[3]
        if call.semantics.has_regions and named != region:
            raise invalid_argument(
                "ARN",
                each,
                "The notification destination service region is not valid for the bucket location constraint",
                explanation=f"the destination is in {named or 'no region'}, and bucket {bucket.name!r} in {region}",
            )
    return changed(
        configuration,
        **{
            name: tuple(changed(each, id=each.id or next(ids)) for each in getattr(configuration, name))
            for name in ("topics", "queues", "functions")
        },
    )


NOTIFICATION = Setting(
    "notification",
    "BucketNotificationConfiguration",
    NotificationConfiguration,
    Actions("s3:GetBucketNotification", "s3:PutBucketNotification"),
    prepare=_complete,
    parameters=NotificationHeaders,
)


# -- replication


def _check_versioning(call: Call, bucket: BucketRecord) -> None:
    if bucket.versioning is not Versioning.ENABLED:
        raise INVALID_REQUEST.error(
            "Versioning must be 'Enabled' on the bucket to apply a replication configuration",
            explanation=f"the versioning of bucket {bucket.name!r} is {bucket.versioning.value!r}; enable it first",
        )


def _check_destinations(
    call: Call, bucket: BucketRecord, configuration: ReplicationConfiguration
) -> ReplicationConfiguration:
    """Check the buckets of the replicas, and give an id to each rule without an id."""
    for rule in configuration.rules:
        name = rule.destination.name
        destination = call.state.buckets.get(name)
        if destination is None or destination.versioning is not Versioning.ENABLED:
            state = "it does not exist" if destination is None else f"its versioning is {destination.versioning}"
            raise INVALID_REQUEST.error(
                "Destination bucket must have versioning enabled.",
                explanation=f"the destination is the bucket {name!r}, and {state}",
            )
    ids = new_ids(call)
    return changed(configuration, rules=tuple(changed(rule, id=rule.id or next(ids)) for rule in configuration.rules))


REPLICATION = Setting(
    "replication",
    "BucketReplication",
    ReplicationConfiguration,
    Actions("s3:GetReplicationConfiguration", "s3:PutReplicationConfiguration", "s3:PutReplicationConfiguration"),
    missing=NO_REPLICATION,
    check=_check_versioning,
    prepare=_check_destinations,
)


# -- the website


WEBSITE = Setting(
    "website",
    "BucketWebsite",
    WebsiteConfiguration,
    Actions("s3:GetBucketWebsite", "s3:PutBucketWebsite", "s3:DeleteBucketWebsite"),
    missing=NO_SUCH_WEBSITE,
)


# -- configurations with an id [configurations-with-an-id]


def _with_id(subresource: str, document: type, listing: type) -> Setting:
    """Return a setting whose names in the API are made from the name of its document."""
    name = document.__name__
    actions = Actions(f"s3:Get{name}", f"s3:Put{name}", f"s3:Put{name}")
    return Setting(subresource, f"Bucket{name}", document, actions, missing=NO_SUCH_CONFIGURATION, listing=listing)


ANALYTICS = _with_id("analytics", AnalyticsConfiguration, AnalyticsConfigurations)

INTELLIGENT_TIERING = _with_id("intelligent-tiering", IntelligentTieringConfiguration, IntelligentTieringConfigurations)

INVENTORY = _with_id("inventory", InventoryConfiguration, InventoryConfigurations)

METRICS = _with_id("metrics", MetricsConfiguration, MetricsConfigurations)
