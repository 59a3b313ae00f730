"""The documents of the settings of a bucket without effect."""

from __future__ import annotations

import re
from enum import StrEnum

from fakestore.errors import INVALID_REQUEST, MALFORMED_XML, ErrorResponse, invalid_argument
from fakestore.model.acl import GrantElement
from fakestore.model.names import ARN_PREFIX
from fakestore.model.storage_class import StorageClass
from fakestore.model.tagging import Tag
from fakestore.xml.declarations import TextType, child, children, document, element, integer

_SWITCH = {"Enabled": True, "Disabled": False}


def _texts(*texts: str) -> dict[str, str]:
    """Return the choices of an element that has one of these texts."""
    return {text: text for text in texts}


# -- transfer acceleration


@document("AccelerateConfiguration")
class AccelerateConfiguration:
    """Whether transfers to the bucket are accelerated. If this was never set, the document has no status."""

    status: str | None = child("Status", default=None, choices=_texts("Enabled", "Suspended"))

    def validate(self) -> None:
        """Refuse a request without a status."""
        if self.status is None:
            raise MALFORMED_XML.error(explanation="<AccelerateConfiguration> has no <Status>; this element is required")


# -- access logs


@element()
class SimplePrefix:
    """The names of logs begin with the prefix alone."""


@element()
class PartitionedPrefix:
    """The names of logs contain the account, the region and the date."""

    date_source: str = child("PartitionDateSource", choices=_texts("EventTime", "DeliveryTime"))


@element()
class KeyFormat:
    simple: SimplePrefix | None = child("SimplePrefix", default=None)
    partitioned: PartitionedPrefix | None = child("PartitionedPrefix", default=None)

    def validate(self) -> None:
        """Refuse a format with both forms, or neither."""
        if (self.simple is None) == (self.partitioned is None):
            raise MALFORMED_XML.error(
                explanation="<TargetObjectKeyFormat> needs either <SimplePrefix> or <PartitionedPrefix>"
            )


@element()
class LoggingEnabled:
    bucket: str = child("TargetBucket")
    grants: tuple[GrantElement, ...] = children("Grant", inside="TargetGrants", default=())
    key_format: KeyFormat | None = child("TargetObjectKeyFormat", default=None)
    prefix: str = child("TargetPrefix")


@document("BucketLoggingStatus")
class BucketLoggingStatus:
    """Where the access logs of a bucket are stored. An empty document means no logs."""

    enabled: LoggingEnabled | None = child("LoggingEnabled", default=None)


# -- notifications of events

#: The events of the service, by what happens.
_EVENTS = {
    "ObjectCreated": ("*", "Put", "Post", "Copy", "CompleteMultipartUpload"),
    "ObjectRemoved": ("*", "Delete", "DeleteMarkerCreated"),
    "ObjectRestore": ("*", "Post", "Completed", "Delete"),
    "ObjectTagging": ("*", "Put", "Delete"),
    "ObjectAcl": ("Put",),
    "Replication": (
        "*",
        "OperationFailedReplication",
        "OperationMissedThreshold",
        "OperationNotTracked",
        "OperationReplicatedAfterThreshold",
    ),
    "LifecycleExpiration": ("*", "Delete", "DeleteMarkerCreated"),
}

EVENTS = frozenset(f"s3:{kind}:{each}" for kind, each_kind in _EVENTS.items() for each in each_kind) | {
    "s3:ReducedRedundancyLostObject",
    "s3:LifecycleTransition",
    "s3:IntelligentTiering",
}


def _invalid_name(tag: str, text: str, explanation: str) -> ErrorResponse:
    return invalid_argument(
        "FilterRule.Name", text, "filter rule name must be either prefix or suffix", explanation=explanation
    )


@element()
class FilterRule:
    """The beginning or the end of the keys for which a notification is sent."""

    name: str = child("Name", choices=_texts("prefix", "suffix", "Prefix", "Suffix"), invalid=_invalid_name)
    value: str = child("Value")


@element()
class KeyFilter:
    rules: tuple[FilterRule, ...] = children("FilterRule", most=2)


@element()
class NotificationFilter:
    key: KeyFilter | None = child("S3Key", default=None)


def _arn(service: str) -> TextType[str]:
    """Return the type of the resource name of a destination."""

    def parse(text: str) -> str:
        parts = text.split(":", 5)
        if len(parts) != 6 or (parts[0], parts[2]) != ("arn", service) or not parts[5]:
            raise invalid_argument(
                "ARN",
                text,
                "The ARN is not well formed",
                explanation=f"the destination is {text!r}; expected for example"
                f" arn:aws:{service}:us-east-1:111111111111:name",
            )
        return text

    return TextType(parse)


@element()
class NotificationDestination:
    """What the three kinds of destinations have in common."""

    id: str | None = child("Id", default=None)
    events: tuple[str, ...] = children("Event", least=1)
    filter: NotificationFilter | None = child("Filter", default=None)

    def validate(self) -> None:
        for event in self.events:
            if event not in EVENTS:
                raise invalid_argument(
                    "Event",
                    event,
                    "The event is not supported for notifications",
                    explanation=f"unknown event {event!r}; expected one of {', '.join(sorted(EVENTS))}",
                )


@element()
class TopicConfiguration(NotificationDestination):
    topic: str = child("Topic", kind=_arn("sns"))


@element()
class QueueConfiguration(NotificationDestination):
    queue: str = child("Queue", kind=_arn("sqs"))


@element()
class FunctionConfiguration(NotificationDestination):
    function: str = child("CloudFunction", kind=_arn("lambda"))


@element()
class EventBridgeConfiguration:
    """Notifications of all events to the bus of the account."""


@document("NotificationConfiguration")
class NotificationConfiguration:
    """The destinations for events of a bucket. An empty document means no destinations."""

    topics: tuple[TopicConfiguration, ...] = children("TopicConfiguration", default=())
    queues: tuple[QueueConfiguration, ...] = children("QueueConfiguration", default=())
    functions: tuple[FunctionConfiguration, ...] = children("CloudFunctionConfiguration", default=())
    event_bridge: EventBridgeConfiguration | None = child("EventBridgeConfiguration", default=None)

    @property
    def destinations(self) -> tuple[str, ...]:
        """The ARNs of all topics, queues and functions."""
        return (
            *(each.topic for each in self.topics),
            *(each.queue for each in self.queues),
            *(each.function for each in self.functions),
        )


# -- replication

#: The maximum number of replication rules of a bucket.
MOST_REPLICATION_RULES = 1000


def _parse_destination(text: str) -> str:
    if not text.startswith(ARN_PREFIX) or len(text) == len(ARN_PREFIX):
        raise invalid_argument(
            "Bucket", text, "Invalid bucket ARN.", explanation=f"<Bucket> is {text!r}; expected {ARN_PREFIX}NAME"
        )
    return text


#: The service accepts only this number of minutes.
_MINUTES = integer(15, 15)


@element()
class ReplicationTime:
    """Whether replication has a time limit."""

    is_enabled: bool = child("Status", choices=_SWITCH)
    minutes: int = child("Minutes", inside="Time", kind=_MINUTES)


@element()
class ReplicationMetrics:
    """Whether replication is measured."""

    is_enabled: bool = child("Status", choices=_SWITCH)
    minutes: int | None = child("Minutes", inside="EventThreshold", default=None, kind=_MINUTES)


@element(unsupported=("UseSourceMultiRegionKey",))
class ReplicaEncryption:
    key_id: str | None = child("ReplicaKmsKeyID", default=None)


@element()
class ReplicationDestination:
    bucket: str = child("Bucket", kind=TextType(_parse_destination))
    account: str | None = child("Account", default=None)
    storage_class: StorageClass | None = child("StorageClass", default=None)
    new_owner: str | None = child(
        "Owner", inside="AccessControlTranslation", default=None, choices=_texts("Destination")
    )
    encryption: ReplicaEncryption | None = child("EncryptionConfiguration", default=None)
    time: ReplicationTime | None = child("ReplicationTime", default=None)
    metrics: ReplicationMetrics | None = child("Metrics", default=None)

    @property
    def name(self) -> str:
        return self.bucket.removeprefix(ARN_PREFIX)


@element(unsupported=("Not",))
class ReplicationAnd:
    prefix: str | None = child("Prefix", default=None)
    tags: tuple[Tag, ...] = children("Tag")


@element(unsupported=("Not",))
class ReplicationFilter:
    prefix: str | None = child("Prefix", default=None)
    tag: Tag | None = child("Tag", default=None)
    conjunction: ReplicationAnd | None = child("And", default=None)

    def validate(self) -> None:
        if (self.prefix, self.tag, self.conjunction).count(None) < 2:
            raise MALFORMED_XML.error(explanation="<Filter> has several predicates; put them into its <And>")


@element()
class SourceSelection:
    """Which further objects a rule replicates."""

    encrypted: bool | None = child("Status", inside="SseKmsEncryptedObjects", default=None, choices=_SWITCH)
    replicas: bool | None = child("Status", inside="ReplicaModifications", default=None, choices=_SWITCH)


@element()
class ReplicationRule:
    """A rule. Its own ``prefix`` is the older form of a filter."""

    id: str | None = child("ID", default=None)
    priority: int | None = child("Priority", default=None)
    prefix: str | None = child("Prefix", default=None)
    filter: ReplicationFilter | None = child("Filter", default=None)
    is_enabled: bool = child("Status", choices=_SWITCH)
    selection: SourceSelection | None = child("SourceSelectionCriteria", default=None)
    existing: bool | None = child("Status", inside="ExistingObjectReplication", default=None, choices=_SWITCH)
    destination: ReplicationDestination = child("Destination")
    markers: bool | None = child("Status", inside="DeleteMarkerReplication", default=None, choices=_SWITCH)

    def validate(self) -> None:
        """Refuse a filter beside a prefix, without a priority, or without ``<DeleteMarkerReplication>``."""
        if self.filter is None:
            return
        if self.prefix is not None:
            raise MALFORMED_XML.error(explanation="<Rule> has both <Filter> and <Prefix>; expected one of them")
        for tag, value in (("Priority", self.priority), ("DeleteMarkerReplication", self.markers)):
            if value is None:
                raise INVALID_REQUEST.error(
                    f"{tag} must be specified for this version of Cross Region Replication configuration schema."
                    " Please refer to S3 Developer Guide for more information."
                )


@document("ReplicationConfiguration")
class ReplicationConfiguration:
    role: str = child("Role")
    rules: tuple[ReplicationRule, ...] = children("Rule", least=1, most=MOST_REPLICATION_RULES)


# -- the website

#: The maximum number of routing rules of a website.
MOST_ROUTING_RULES = 50

_PROTOCOLS = _texts("http", "https")


def _invalid_protocol(tag: str, text: str, explanation: str) -> ErrorResponse:
    return INVALID_REQUEST.error(
        "Invalid protocol, protocol can be http or https. If not defined the protocol will be selected automatically.",
        explanation=explanation,
    )


def _parse_suffix(text: str) -> str:
    if not text or "/" in text:
        raise invalid_argument("IndexDocument", text, "The IndexDocument Suffix is not well formed")
    return text


@element()
class RedirectAllRequestsTo:
    host: str = child("HostName")
    protocol: str | None = child("Protocol", default=None, choices=_PROTOCOLS, invalid=_invalid_protocol)


@element()
class RoutingCondition:
    error_code: int | None = child(
        "HttpErrorCodeReturnedEquals", default=None, kind=integer(400, 599), invalid=INVALID_REQUEST
    )
    key_prefix: str | None = child("KeyPrefixEquals", default=None)

    def validate(self) -> None:
        if self.error_code is None and self.key_prefix is None:
            raise INVALID_REQUEST.error(
                "Condition cannot be empty. To redirect all requests without a condition, the condition element"
                " shouldn't be present."
            )


@element()
class Redirect:
    host: str | None = child("HostName", default=None)
    redirect_code: int | None = child("HttpRedirectCode", default=None, kind=integer(301, 399), invalid=INVALID_REQUEST)
    protocol: str | None = child("Protocol", default=None, choices=_PROTOCOLS, invalid=_invalid_protocol)
    key_prefix: str | None = child("ReplaceKeyPrefixWith", default=None)
    key: str | None = child("ReplaceKeyWith", default=None)

    def validate(self) -> None:
        if self.key_prefix is not None and self.key is not None:
            raise INVALID_REQUEST.error("You can only define ReplaceKeyPrefix or ReplaceKey but not both.")


@element()
class RoutingRule:
    condition: RoutingCondition | None = child("Condition", default=None)
    redirect: Redirect = child("Redirect")


@document("WebsiteConfiguration")
class WebsiteConfiguration:
    error_key: str | None = child("Key", inside="ErrorDocument", default=None)
    index_suffix: str | None = child("Suffix", inside="IndexDocument", default=None, kind=TextType(_parse_suffix))
    redirect_all: RedirectAllRequestsTo | None = child("RedirectAllRequestsTo", default=None)
    rules: tuple[RoutingRule, ...] = children(
        "RoutingRule", inside="RoutingRules", default=(), least=1, most=MOST_ROUTING_RULES
    )

    def validate(self) -> None:
        """Refuse a website without a page and without a redirection, and a redirection beside anything else."""
        others = (self.error_key, self.index_suffix, self.rules or None)
        if self.redirect_all is not None and others != (None, None, None):
            raise invalid_argument(
                "RedirectAllRequestsTo",
                "not null",
                "RedirectAllRequestsTo cannot be provided in conjunction with other Routing Rules.",
            )
        if self.redirect_all is None and self.index_suffix is None:
            raise invalid_argument(
                "IndexDocument",
                "null",
                "A value for IndexDocument Suffix must be provided if RedirectAllRequestsTo is empty",
            )


# -- configurations with an id, of which a bucket can have several


def _parse_bucket_arn(text: str) -> str:
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


_BUCKET_ARN, _ID = TextType(_parse_bucket_arn), TextType(_parse_id)


@element()
class And:
    prefix: str | None = child("Prefix", default=None)
    tags: tuple[Tag, ...] = children("Tag")

    @property
    def predicates(self) -> tuple[object, ...]:
        """The predicates; None for an absent one."""
        return (self.prefix, *self.tags)

    def validate(self) -> None:
        if len(self.predicates) - self.predicates.count(None) < 2:
            raise MALFORMED_XML.error(explanation="<And> has fewer than two predicates")


class _Predicate:
    """One predicate, or several in an ``<And>``."""

    prefix: str | None = child("Prefix", default=None)
    tag: Tag | None = child("Tag", default=None)

    def validate(self) -> None:
        predicates = list(vars(self).values())
        if len(predicates) - predicates.count(None) != 1:
            raise MALFORMED_XML.error(explanation="<Filter> needs one predicate; several belong in its <And>")


@element()
class Filter(_Predicate):
    conjunction: And | None = child("And", default=None)


# -- inventory


@element()
class InventoryServiceKey:
    """Inventories are encrypted with a key of the service."""


@element()
class InventoryEncryption:
    service: InventoryServiceKey | None = child("SSE-S3", default=None)
    kms_key_id: str | None = child("KeyId", inside="SSE-KMS", default=None)

    def validate(self) -> None:
        if self.service is not None and self.kms_key_id is not None:
            raise MALFORMED_XML.error(explanation="<Encryption> has two methods; send one")


@element()
class InventoryBucket:
    account: str | None = child("AccountId", default=None)
    bucket: str = child("Bucket", kind=_BUCKET_ARN)
    format: str = child("Format", choices=_texts("CSV", "ORC", "Parquet"))
    prefix: str | None = child("Prefix", default=None)
    encryption: InventoryEncryption | None = child("Encryption", default=None)


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

    destination: InventoryBucket = child("S3BucketDestination", inside="Destination")
    is_enabled: bool = child("IsEnabled")
    prefix: str | None = child("Prefix", inside="Filter", default=None)
    id: str = child("Id", kind=_ID)
    versions: str = child("IncludedObjectVersions", choices=_texts("All", "Current"))
    fields: tuple[InventoryField, ...] = children("Field", inside="OptionalFields", default=())
    frequency: str = child("Frequency", inside="Schedule", choices=_texts("Daily", "Weekly"))


# -- analytics


@element()
class AnalyticsBucket:
    """The bucket in which an analysis is stored."""

    format: str = child("Format", choices=_texts("CSV"))
    account: str | None = child("BucketAccountId", default=None)
    bucket: str = child("Bucket", kind=_BUCKET_ARN)
    prefix: str | None = child("Prefix", default=None)


@element()
class DataExport:
    version: str = child("OutputSchemaVersion", choices=_texts("V_1"))
    destination: AnalyticsBucket = child("S3BucketDestination", inside="Destination")


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


@element()
class MetricsAnd(And):
    access_point: str | None = child("AccessPointArn", default=None)

    @property
    def predicates(self) -> tuple[object, ...]:
        return (*super().predicates, self.access_point)


@element()
class MetricsFilter(_Predicate):
    access_point: str | None = child("AccessPointArn", default=None)
    conjunction: MetricsAnd | None = child("And", default=None)


@document("MetricsConfiguration")
class MetricsConfiguration:
    id: str = child("Id", kind=_ID)
    filter: MetricsFilter | None = child("Filter", default=None)


# -- tiers of the storage class INTELLIGENT_TIERING

#: The minimum number of days without a request after which an object can move to a tier.
_LEAST_DAYS = {"ARCHIVE_ACCESS": 90, "DEEP_ARCHIVE_ACCESS": 180}

_MOST_DAYS = 730


@element()
class Tiering:
    """The days without a request after which an object moves to a tier."""

    days: int = child("Days", kind=integer())
    tier: str = child("AccessTier", choices=_texts(*_LEAST_DAYS))

    def validate(self) -> None:
        least = _LEAST_DAYS[self.tier]
        if not least <= self.days <= _MOST_DAYS:
            raise invalid_argument(
                "Days", str(self.days), explanation=f"<Days> of {self.tier} is {self.days}; use {least} to {_MOST_DAYS}"
            )


@document("IntelligentTieringConfiguration")
class IntelligentTieringConfiguration:
    id: str = child("Id", kind=_ID)
    filter: Filter | None = child("Filter", default=None)
    status: str = child("Status", choices=_texts("Enabled", "Disabled"))
    tierings: tuple[Tiering, ...] = children("Tiering", least=1)

    def validate(self) -> None:
        tiers = [each.tier for each in self.tierings]
        if len({*tiers}) < len(tiers):
            raise invalid_argument("AccessTier", tiers[-1], explanation=f"a tier is named twice: {', '.join(tiers)}")


# -- pages of the lists of configurations with an id


class _Page:
    is_truncated: bool = child("IsTruncated")
    continuation_token: str | None = child("ContinuationToken", default=None)
    next_continuation_token: str | None = child("NextContinuationToken", default=None)


@document("ListInventoryConfigurationsResult")
class InventoryConfigurations(_Page):
    configurations: tuple[InventoryConfiguration, ...] = children("InventoryConfiguration")


@document("ListBucketAnalyticsConfigurationResult")
class AnalyticsConfigurations(_Page):
    configurations: tuple[AnalyticsConfiguration, ...] = children("AnalyticsConfiguration")


@document("ListMetricsConfigurationsResult")
class MetricsConfigurations(_Page):
    configurations: tuple[MetricsConfiguration, ...] = children("MetricsConfiguration")


@document("ListBucketIntelligentTieringConfigurationsOutput")
class IntelligentTieringConfigurations(_Page):
    configurations: tuple[IntelligentTieringConfiguration, ...] = children("IntelligentTieringConfiguration")
