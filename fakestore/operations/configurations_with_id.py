"""Settings without effect of which a bucket can have several, each with an id. [configurations-with-an-id]"""

from __future__ import annotations

from typing import Any

from fakestore.errors import NO_SUCH_CONFIGURATION, invalid_argument
from fakestore.model.names import ARN_PREFIX
from fakestore.model.tagging import Tag
from fakestore.operations.framework.setting import Actions, SettingWithId
from fakestore.xml.declarations import child, children, document, element, matching, optional, unread_element

_ID = matching(r"(?a)[\w.-]{1,64}", "Id", "<Id> is {!r}; expected 1 to 64 letters, digits, '.', '-' or '_'")

_BUCKET_ARN = matching(f"{ARN_PREFIX}.+", "Bucket", f"<Bucket> is {{!r}}; expected {ARN_PREFIX}NAME")


def _filter(*more: Any) -> type:
    """Return the shape of a filter: one predicate, or several in an ``<And>``."""
    several = unread_element(
        optional("Prefix"),
        children("Tag", kind=Tag),
        *more,
        least=2,
        explanation="<And> has fewer than two predicates",
    )
    return unread_element(
        optional("Prefix"),
        optional("Tag", kind=Tag),
        *more,
        optional("And", kind=several),
        least=1,
        most=1,
        explanation="<Filter> needs one predicate; several belong in its <And>",
    )


_FILTER = _filter()


class _Page:
    """A page of the list of the configurations of one kind."""

    is_truncated: bool = child("IsTruncated")
    continuation_token: str | None = child("ContinuationToken", default=None)
    next_continuation_token: str | None = child("NextContinuationToken", default=None)


# -- analytics

_ANALYTICS_BUCKET = unread_element(
    child("Format", choices=("CSV",)),
    optional("BucketAccountId"),
    child("Bucket", kind=_BUCKET_ARN),
    optional("Prefix"),
)

_DATA_EXPORT = unread_element(
    child("OutputSchemaVersion", choices=("V_1",)),
    child("S3BucketDestination", inside="Destination", kind=_ANALYTICS_BUCKET),
)


@document("AnalyticsConfiguration")
class AnalyticsConfiguration:
    """Which objects are analyzed. The analysis need not be stored in a bucket."""

    id: str = child("Id", kind=_ID)
    filter: object = child("Filter", default=None, kind=_FILTER)
    analysis: object = child("StorageClassAnalysis", kind=unread_element(optional("DataExport", kind=_DATA_EXPORT)))


@document("ListBucketAnalyticsConfigurationResult")
class AnalyticsConfigurations(_Page):
    configurations: tuple[AnalyticsConfiguration, ...] = children("AnalyticsConfiguration")


ANALYTICS = SettingWithId(
    "analytics",
    "BucketAnalyticsConfiguration",
    AnalyticsConfiguration,
    AnalyticsConfigurations,
    Actions("s3:GetAnalyticsConfiguration", "s3:PutAnalyticsConfiguration", "s3:PutAnalyticsConfiguration"),
    missing=NO_SUCH_CONFIGURATION,
)


# -- tiers of the storage class INTELLIGENT_TIERING

#: The minimum number of days without a request after which an object can move to a tier.
_LEAST_DAYS = {"ARCHIVE_ACCESS": 90, "DEEP_ARCHIVE_ACCESS": 180}

_MOST_DAYS = 730


@element()
class Tiering:
    """The days without a request after which an object moves to a tier."""

    days: int = child("Days")
    tier: str = child("AccessTier", choices=tuple(_LEAST_DAYS))

    def validate(self) -> None:
        least = _LEAST_DAYS[self.tier]
        if not least <= self.days <= _MOST_DAYS:
            raise invalid_argument(
                "Days", str(self.days), explanation=f"<Days> of {self.tier} is {self.days}; use {least} to {_MOST_DAYS}"
            )


@document("IntelligentTieringConfiguration")
class IntelligentTieringConfiguration:
    id: str = child("Id", kind=_ID)
    filter: object = child("Filter", default=None, kind=_FILTER)
    status: str = child("Status", choices=("Enabled", "Disabled"))
    tierings: tuple[Tiering, ...] = children("Tiering", least=1)

    def validate(self) -> None:
        tiers = [each.tier for each in self.tierings]
        if len({*tiers}) < len(tiers):
            raise invalid_argument("AccessTier", tiers[-1], explanation=f"a tier is named twice: {', '.join(tiers)}")


@document("ListBucketIntelligentTieringConfigurationsOutput")
class IntelligentTieringConfigurations(_Page):
    configurations: tuple[IntelligentTieringConfiguration, ...] = children("IntelligentTieringConfiguration")


INTELLIGENT_TIERING = SettingWithId(
    "intelligent-tiering",
    "BucketIntelligentTieringConfiguration",
    IntelligentTieringConfiguration,
    IntelligentTieringConfigurations,
    Actions(
        "s3:GetIntelligentTieringConfiguration",
        "s3:PutIntelligentTieringConfiguration",
        "s3:PutIntelligentTieringConfiguration",
    ),
    missing=NO_SUCH_CONFIGURATION,
)


# -- inventory

_INVENTORY_ENCRYPTION = unread_element(
    optional("SSE-S3", kind=unread_element()),
    optional("KeyId", inside="SSE-KMS"),
    most=1,
    explanation="<Encryption> has two methods; send one",
)

_INVENTORY_BUCKET = unread_element(
    optional("AccountId"),
    child("Bucket", kind=_BUCKET_ARN),
    child("Format", choices=("CSV", "ORC", "Parquet")),
    optional("Prefix"),
    optional("Encryption", kind=_INVENTORY_ENCRYPTION),
)

#: What an inventory can state about an object beside its key.
_INVENTORY_FIELDS = (
    *("Size", "LastModifiedDate", "StorageClass", "ETag", "IsMultipartUploaded", "ReplicationStatus"),
    *("EncryptionStatus", "ObjectLockRetainUntilDate", "ObjectLockMode", "ObjectLockLegalHoldStatus"),
    *("ObjectLockEventHoldStatus", "ObjectLockEventHoldDuration", "IntelligentTieringAccessTier"),
    *("BucketKeyStatus", "ChecksumAlgorithm", "ObjectAccessControlList", "ObjectOwner"),
    *("LifecycleExpirationDate", "IntelligentTieringReferenceDate"),
)


@document("InventoryConfiguration")
class InventoryConfiguration:
    """An inventory: a list of objects that the service makes regularly."""

    destination: object = child("S3BucketDestination", inside="Destination", kind=_INVENTORY_BUCKET)
    is_enabled: bool = child("IsEnabled")
    prefix: str | None = child("Prefix", inside="Filter", default=None)
    id: str = child("Id", kind=_ID)
    versions: str = child("IncludedObjectVersions", choices=("All", "Current"))
    fields: tuple[str, ...] = children("Field", inside="OptionalFields", default=(), choices=_INVENTORY_FIELDS)
    frequency: str = child("Frequency", inside="Schedule", choices=("Daily", "Weekly"))


@document("ListInventoryConfigurationsResult")
class InventoryConfigurations(_Page):
    configurations: tuple[InventoryConfiguration, ...] = children("InventoryConfiguration")


INVENTORY = SettingWithId(
    "inventory",
    "BucketInventoryConfiguration",
    InventoryConfiguration,
    InventoryConfigurations,
    Actions("s3:GetInventoryConfiguration", "s3:PutInventoryConfiguration", "s3:PutInventoryConfiguration"),
    missing=NO_SUCH_CONFIGURATION,
)


# -- metrics


@document("MetricsConfiguration")
class MetricsConfiguration:
    id: str = child("Id", kind=_ID)
    filter: object = child("Filter", default=None, kind=_filter(optional("AccessPointArn")))


@document("ListMetricsConfigurationsResult")
class MetricsConfigurations(_Page):
    configurations: tuple[MetricsConfiguration, ...] = children("MetricsConfiguration")


METRICS = SettingWithId(
    "metrics",
    "BucketMetricsConfiguration",
    MetricsConfiguration,
    MetricsConfigurations,
    Actions("s3:GetMetricsConfiguration", "s3:PutMetricsConfiguration", "s3:PutMetricsConfiguration"),
    missing=NO_SUCH_CONFIGURATION,
)

OPERATIONS = (
    *ANALYTICS.operations(),
    *INTELLIGENT_TIERING.operations(),
    *INVENTORY.operations(),
    *METRICS.operations(),
)
