"""The documents of configurations with an id, of which a bucket can have several, and of their lists."""

from __future__ import annotations

import re
from enum import StrEnum

from fakestore.errors import MALFORMED_XML, invalid_argument
from fakestore.model.names import ARN_PREFIX
from fakestore.model.tagging import Tag
from fakestore.xml.declarations import TextType, child, children, document, element, integer

#: The days without a request after which an object can move to a tier.
_TIERS = {"ARCHIVE_ACCESS": 90, "DEEP_ARCHIVE_ACCESS": 180}

_MOST_DAYS = 730


def _one_of(tag: str, *texts: str) -> str:
    field: str = child(tag, choices={text: text for text in texts})
    return field


def _parse_arn(text: str) -> str:
    if not re.fullmatch(rf"{re.escape(ARN_PREFIX)}.+", text):
        raise invalid_argument("Bucket", text, explanation=f"<Bucket> is {text!r}; expected {ARN_PREFIX}NAME")
    return text


def _parse_id(text: str) -> str:
    if not re.fullmatch(r"[\w.-]{1,64}", text, re.ASCII):
        raise invalid_argument(
            "Id",
            text,
            explanation=f"<Id> is {text!r}; expected 1 to 64 letters, digits, '.', '-' or '_'",
        )
    return text


_ARN, _ID = TextType(_parse_arn), TextType(_parse_id)


# -- which objects a configuration is for


@element()
class And:
    """Several predicates."""

    prefix: str | None = child("Prefix", default=None)
    tags: tuple[Tag, ...] = children("Tag")

    def validate(self) -> None:
        """Refuse fewer than two predicates."""
        _check_conjunction(self.prefix, *self.tags)


@element()
class Filter:
    """One predicate, or several in an `And`."""

    prefix: str | None = child("Prefix", default=None)
    tag: Tag | None = child("Tag", default=None)
    conjunction: And | None = child("And", default=None)

    def validate(self) -> None:
        """Refuse a filter without exactly one predicate."""
        _check_filter(self.prefix, self.tag, self.conjunction)


@element()
class AndOfMetrics:
    """Several predicates."""

    prefix: str | None = child("Prefix", default=None)
    tags: tuple[Tag, ...] = children("Tag")
    access_point: str | None = child("AccessPointArn", default=None)

    def validate(self) -> None:
        """Refuse fewer than two predicates."""
        _check_conjunction(self.prefix, *self.tags, self.access_point)


@element()
class FilterOfMetrics:
    """One predicate, or several in an `And`."""

    prefix: str | None = child("Prefix", default=None)
    tag: Tag | None = child("Tag", default=None)
    access_point: str | None = child("AccessPointArn", default=None)
    conjunction: AndOfMetrics | None = child("And", default=None)

    def validate(self) -> None:
        """Refuse a filter without exactly one predicate."""
        _check_filter(self.prefix, self.tag, self.access_point, self.conjunction)


def _check_conjunction(*predicates: object) -> None:
    if len(predicates) - predicates.count(None) < 2:
        raise MALFORMED_XML.error(explanation="<And> has fewer than two predicates")


def _check_filter(*predicates: object) -> None:
    if len(predicates) - predicates.count(None) != 1:
        raise MALFORMED_XML.error(explanation="<Filter> needs one predicate; several belong in its <And>")


# -- inventory


@element()
class KmsKey:
    """The key with which inventories are encrypted."""

    key_id: str = child("KeyId")


@element()
class ServiceKey:
    """Inventories are encrypted with a key of the service."""


@element()
class InventoryEncryption:
    """How inventories are encrypted."""

    service: ServiceKey | None = child("SSE-S3", default=None)
    kms: KmsKey | None = child("SSE-KMS", default=None)

    def validate(self) -> None:
        """Refuse two methods."""
        if self.service is not None and self.kms is not None:
            raise MALFORMED_XML.error(explanation="<Encryption> has two methods; send one")


@element()
class InventoryBucket:
    """The bucket in which inventories are stored."""

    account: str | None = child("AccountId", default=None)
    bucket: str = child("Bucket", kind=_ARN)
    format: str = _one_of("Format", "CSV", "ORC", "Parquet")
    prefix: str | None = child("Prefix", default=None)
    encryption: InventoryEncryption | None = child("Encryption", default=None)


@element()
class InventoryDestination:
    """Where inventories are stored."""

    bucket: InventoryBucket = child("S3BucketDestination")


@element()
class InventoryFilter:
    """Which objects are in an inventory."""

    prefix: str = child("Prefix")


@element()
class InventorySchedule:
    """How often an inventory is made."""

    frequency: str = _one_of("Frequency", "Daily", "Weekly")


class InventoryField(StrEnum):
    """What an inventory can state about an object beside its key."""

    SIZE = "Size"
    LAST_MODIFIED_DATE = "LastModifiedDate"
    STORAGE_CLASS = "StorageClass"
    ETAG = "ETag"
    IS_MULTIPART_UPLOADED = "IsMultipartUploaded"
    REPLICATION_STATUS = "ReplicationStatus"
    ENCRYPTION_STATUS = "EncryptionStatus"
    OBJECT_LOCK_RETAIN_UNTIL_DATE = "ObjectLockRetainUntilDate"
    OBJECT_LOCK_MODE = "ObjectLockMode"
    OBJECT_LOCK_LEGAL_HOLD_STATUS = "ObjectLockLegalHoldStatus"
    OBJECT_LOCK_EVENT_HOLD_STATUS = "ObjectLockEventHoldStatus"
    OBJECT_LOCK_EVENT_HOLD_DURATION = "ObjectLockEventHoldDuration"
    INTELLIGENT_TIERING_ACCESS_TIER = "IntelligentTieringAccessTier"
    BUCKET_KEY_STATUS = "BucketKeyStatus"
    CHECKSUM_ALGORITHM = "ChecksumAlgorithm"
    OBJECT_ACCESS_CONTROL_LIST = "ObjectAccessControlList"
    OBJECT_OWNER = "ObjectOwner"
    LIFECYCLE_EXPIRATION_DATE = "LifecycleExpirationDate"
    INTELLIGENT_TIERING_REFERENCE_DATE = "IntelligentTieringReferenceDate"


@document("InventoryConfiguration")
class InventoryConfiguration:
    """An inventory: a list of objects that the service makes regularly."""

    destination: InventoryDestination = child("Destination")
    is_enabled: bool = child("IsEnabled")
    filter: InventoryFilter | None = child("Filter", default=None)
    id: str = child("Id", kind=_ID)
    versions: str = _one_of("IncludedObjectVersions", "All", "Current")
    fields: tuple[InventoryField, ...] = children("Field", inside="OptionalFields", default=())
    schedule: InventorySchedule = child("Schedule")


# -- analytics


@element()
class AnalyticsBucket:
    """The bucket in which an analysis is stored."""

    format: str = _one_of("Format", "CSV")
    account: str | None = child("BucketAccountId", default=None)
    bucket: str = child("Bucket", kind=_ARN)
    prefix: str | None = child("Prefix", default=None)


@element()
class AnalyticsDestination:
    """Where an analysis is stored."""

    bucket: AnalyticsBucket = child("S3BucketDestination")


@element()
class DataExport:
    """How an analysis is stored."""

    version: str = _one_of("OutputSchemaVersion", "V_1")
    destination: AnalyticsDestination = child("Destination")


@element()
class StorageClassAnalysis:
    """An analysis of the storage classes. Storing it is optional."""

    export: DataExport | None = child("DataExport", default=None)


@document("AnalyticsConfiguration")
class AnalyticsConfiguration:
    """Which objects are analyzed."""

    id: str = child("Id", kind=_ID)
    filter: Filter | None = child("Filter", default=None)
    analysis: StorageClassAnalysis = child("StorageClassAnalysis")


# -- metrics


@document("MetricsConfiguration")
class MetricsConfiguration:
    """Which requests are measured."""

    id: str = child("Id", kind=_ID)
    filter: FilterOfMetrics | None = child("Filter", default=None)


# -- tiers of the storage class INTELLIGENT_TIERING


@element()
class Tiering:
    """The days without a request after which an object moves to a tier."""

    days: int = child("Days", kind=integer())
    tier: str = _one_of("AccessTier", *_TIERS)

    def validate(self) -> None:
        """Refuse days that the service does not accept."""
        least = _TIERS[self.tier]
        if not least <= self.days <= _MOST_DAYS:
            raise invalid_argument(
                "Days", str(self.days), explanation=f"<Days> of {self.tier} is {self.days}; use {least} to {_MOST_DAYS}"
            )


@document("IntelligentTieringConfiguration")
class IntelligentTieringConfiguration:
    """When objects move to which tier."""

    id: str = child("Id", kind=_ID)
    filter: Filter | None = child("Filter", default=None)
    status: str = _one_of("Status", "Enabled", "Disabled")
    tierings: tuple[Tiering, ...] = children("Tiering", least=1)

    def validate(self) -> None:
        """Refuse a tier that is named twice."""
        tiers = [each.tier for each in self.tierings]
        if len({*tiers}) < len(tiers):
            raise invalid_argument("AccessTier", tiers[-1], explanation=f"a tier is named twice: {', '.join(tiers)}")


# -- lists


class _Page:
    is_truncated: bool = child("IsTruncated")
    continuation_token: str | None = child("ContinuationToken", default=None)
    next_continuation_token: str | None = child("NextContinuationToken", default=None)


@document("ListInventoryConfigurationsResult")
class InventoryConfigurations(_Page):
    """A page of the list of inventories."""

    configurations: tuple[InventoryConfiguration, ...] = children("InventoryConfiguration")


@document("ListBucketAnalyticsConfigurationResult")
class AnalyticsConfigurations(_Page):
    """A page of the list of analyses."""

    configurations: tuple[AnalyticsConfiguration, ...] = children("AnalyticsConfiguration")


@document("ListMetricsConfigurationsResult")
class MetricsConfigurations(_Page):
    """A page of the list of metrics."""

    configurations: tuple[MetricsConfiguration, ...] = children("MetricsConfiguration")


@document("ListBucketIntelligentTieringConfigurationsOutput")
class IntelligentTieringConfigurations(_Page):
    """A page of the list of tierings."""

    configurations: tuple[IntelligentTieringConfiguration, ...] = children("IntelligentTieringConfiguration")
