"""Settings of a bucket without effect. The fake checks, stores and returns them. [stored-configurations]

Their values that code reads have a class. The others are declared with :func:`unread_element`.
"""

from __future__ import annotations

from fakestore.errors import (
    CROSS_LOCATION_LOGGING,
    INVALID_REQUEST,
    INVALID_TARGET_BUCKET,
    MALFORMED_XML,
    NO_REPLICATION,
    NO_SUCH_WEBSITE,
    ErrorResponse,
    invalid_argument,
)
from fakestore.model.acl import GrantElement
from fakestore.model.bucket import BucketRecord
from fakestore.model.names import ARN_PREFIX, check_rule_id
from fakestore.model.storage_class import StorageClass
from fakestore.model.tagging import Tag
from fakestore.model.versioning import Versioning
from fakestore.operations.acl import resolve_grantee
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.inputs import Parameters
from fakestore.operations.framework.result import Result
from fakestore.operations.framework.setting import Actions, Setting, new_ids
from fakestore.operations.regions import get_region
from fakestore.xml.declarations import (
    changed,
    child,
    children,
    document,
    element,
    integer,
    matching,
    optional,
    unread_element,
)

_SWITCH = ("Enabled", "Disabled")

# -- transfer acceleration


@document("AccelerateConfiguration")
class AccelerateConfiguration:
    """Whether transfers to the bucket are accelerated. If this was never set, the document has no status."""

    status: str | None = child("Status", choices=("Enabled", "Suspended"))


class AcceleratedBucket(Parameters):
    """A bucket whose name has periods is refused before the document is read."""

    def check_state(self, call: Call, bucket: BucketRecord) -> None:
        if "." in bucket.name:
            raise INVALID_REQUEST.error(
                "S3 Transfer Acceleration is not supported for buckets with periods (.) in their names"
            )


ACCELERATE = Setting(
    "accelerate",
    "BucketAccelerateConfiguration",
    AccelerateConfiguration,
    Actions("s3:GetAccelerateConfiguration", "s3:PutAccelerateConfiguration"),
    initial=AccelerateConfiguration(status=None),
)


@ACCELERATE.put
def put_bucket_accelerate(
    bucket: BucketRecord, accelerated: AcceleratedBucket, document: AccelerateConfiguration
) -> Result:
    ACCELERATE.store(bucket, document)
    return Result()


# -- access logs

#: The names of logs begin with the prefix alone, or with the prefix, the account, the region and the date.
_KEY_FORMAT = unread_element(
    optional("SimplePrefix", kind=unread_element()),
    optional(
        "PartitionedPrefix", kind=unread_element(child("PartitionDateSource", choices=("EventTime", "DeliveryTime")))
    ),
    least=1,
    most=1,
    explanation="<TargetObjectKeyFormat> needs either <SimplePrefix> or <PartitionedPrefix>",
)


@element()
class LoggingEnabled:
    bucket: str = child("TargetBucket")
    grants: tuple[GrantElement, ...] = children("Grant", inside="TargetGrants", default=())
    key_format: object = child("TargetObjectKeyFormat", default=None, kind=_KEY_FORMAT)
    prefix: str = child("TargetPrefix")


@document("BucketLoggingStatus")
class BucketLoggingStatus:
    """Where the access logs of a bucket are stored. An empty document means no logs."""

    enabled: LoggingEnabled | None = child("LoggingEnabled", default=None)


def _check_target(call: Call, bucket: BucketRecord, enabled: LoggingEnabled) -> None:
    """Check the bucket for the logs, and the accounts that can read the logs."""
    name = enabled.bucket
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
    for grant in enabled.grants:
        resolve_grantee(grant.grantee, call.state.accounts)


LOGGING = Setting(
    "logging",
    "BucketLogging",
    BucketLoggingStatus,
    Actions("s3:GetBucketLogging", "s3:PutBucketLogging"),
)


@LOGGING.put
def put_bucket_logging(call: Call, bucket: BucketRecord, document: BucketLoggingStatus) -> Result:
    if document.enabled is not None:
        _check_target(call, bucket, document.enabled)
    LOGGING.store(bucket, document)
    return Result()


# -- replication

_BUCKET_ARN = matching(
    rf"(?s){ARN_PREFIX}.+", "Bucket", f"<Bucket> is {{!r}}; expected {ARN_PREFIX}NAME", "Invalid bucket ARN."
)

#: The service accepts only this number of minutes.
_MINUTES = integer(15, 15)

_REPLICATION_TIME = unread_element(child("Status", choices=_SWITCH), child("Minutes", inside="Time", kind=_MINUTES))

_REPLICATION_METRICS = unread_element(
    child("Status", choices=_SWITCH), optional("Minutes", inside="EventThreshold", kind=_MINUTES)
)

_REPLICA_ENCRYPTION = unread_element(optional("ReplicaKmsKeyID"), unsupported=("UseSourceMultiRegionKey",))


@element()
class ReplicationDestination:
    bucket: str = child("Bucket", kind=_BUCKET_ARN)
    account: str | None = child("Account", default=None)
    storage_class: StorageClass | None = child("StorageClass", default=None)
    new_owner: str | None = child("Owner", inside="AccessControlTranslation", default=None, choices=("Destination",))
    encryption: object = child("EncryptionConfiguration", default=None, kind=_REPLICA_ENCRYPTION)
    time: object = child("ReplicationTime", default=None, kind=_REPLICATION_TIME)
    metrics: object = child("Metrics", default=None, kind=_REPLICATION_METRICS)


_REPLICATION_FILTER = unread_element(
    optional("Prefix"),
    optional("Tag", kind=Tag),
    optional("And", kind=unread_element(optional("Prefix"), children("Tag", kind=Tag), unsupported=("Not",))),
    unsupported=("Not",),
    most=1,
    explanation="<Filter> has several predicates; put them into its <And>",
)

#: The further objects that a rule replicates.
_SOURCE_SELECTION = unread_element(
    optional("Status", inside="SseKmsEncryptedObjects", choices=_SWITCH),
    optional("Status", inside="ReplicaModifications", choices=_SWITCH),
)


@element()
class ReplicationRule:
    """A rule. Its own ``prefix`` is the older form of a filter."""

    id: str | None = child("ID", default=None)
    priority: int | None = child("Priority", default=None)
    prefix: str | None = child("Prefix", default=None)
    filter: object = child("Filter", default=None, kind=_REPLICATION_FILTER)
    status: str = child("Status", choices=_SWITCH)
    selection: object = child("SourceSelectionCriteria", default=None, kind=_SOURCE_SELECTION)
    existing: str | None = child("Status", inside="ExistingObjectReplication", default=None, choices=_SWITCH)
    destination: ReplicationDestination = child("Destination")
    markers: str | None = child("Status", inside="DeleteMarkerReplication", default=None, choices=_SWITCH)

    def validate(self) -> None:
        """Refuse a filter beside a prefix, without a priority, or without ``<DeleteMarkerReplication>``."""
        check_rule_id(self.id)
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
    rules: tuple[ReplicationRule, ...] = children("Rule", least=1, most=1000)


class ReplicatedBucket(Parameters):
    """A bucket without versioning is refused before the document is read."""

    def check_state(self, call: Call, bucket: BucketRecord) -> None:
        if bucket.versioning is not Versioning.ENABLED:
            raise INVALID_REQUEST.error(
                "Versioning must be 'Enabled' on the bucket to apply a replication configuration",
                explanation=f"the versioning of bucket {bucket.name!r} is {bucket.versioning.value!r}; enable it first",
            )


REPLICATION = Setting(
    "replication",
    "BucketReplication",
    ReplicationConfiguration,
    Actions("s3:GetReplicationConfiguration", "s3:PutReplicationConfiguration", "s3:PutReplicationConfiguration"),
    missing=NO_REPLICATION,
    needs_checksum=True,
)


@REPLICATION.put
def put_bucket_replication(
    call: Call, bucket: BucketRecord, replicated: ReplicatedBucket, document: ReplicationConfiguration
) -> Result:
    """Check the buckets of the replicas, and give an id to each rule without an id."""
    for rule in document.rules:
        name = rule.destination.bucket.removeprefix(ARN_PREFIX)
        destination = call.state.buckets.get(name)
        if destination is None or destination.versioning is not Versioning.ENABLED:
            state = "it does not exist" if destination is None else f"its versioning is {destination.versioning}"
            raise INVALID_REQUEST.error(
                "Destination bucket must have versioning enabled.",
                explanation=f"the destination is the bucket {name!r}, and {state}",
            )
    ids = new_ids(call)
    rules = tuple(changed(rule, id=rule.id or next(ids)) for rule in document.rules)
    REPLICATION.store(bucket, changed(document, rules=rules))
    return Result()


# -- the website

_PROTOCOLS = ("http", "https")


def _invalid_protocol(tag: str, text: str, explanation: str) -> ErrorResponse:
    return INVALID_REQUEST.error(
        "Invalid protocol, protocol can be http or https. If not defined the protocol will be selected automatically.",
        explanation=explanation,
    )


def _invalid_error_code(tag: str, text: str, explanation: str) -> ErrorResponse:
    message = f"The provided HTTP error code ({text}) is not valid. Valid codes are 4XX or 5XX."
    return INVALID_REQUEST.error(message, explanation=explanation)


def _invalid_redirect_code(tag: str, text: str, explanation: str) -> ErrorResponse:
    message = f"The provided HTTP redirect code ({text}) is not valid. Valid codes are 3XX except 300."
    return INVALID_REQUEST.error(message, explanation=explanation)


_ERROR_KEY = matching("(?s).+", "ErrorDocument", "<Key> is empty", "The ErrorDocument Key is not well formed")
_MOST_RULES = 50

_SUFFIX = matching("[^/]+", "IndexDocument", "", "The IndexDocument Suffix is not well formed")

_REDIRECT_ALL = unread_element(child("HostName"), optional("Protocol", choices=_PROTOCOLS, invalid=_invalid_protocol))


@element()
class RoutingCondition:
    error_code: int | None = child(
        "HttpErrorCodeReturnedEquals", default=None, kind=integer(400, 599), invalid=_invalid_error_code
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
    redirect_code: int | None = child(
        "HttpRedirectCode", default=None, kind=integer(301, 399), invalid=_invalid_redirect_code
    )
    protocol: str | None = child("Protocol", default=None, choices=_PROTOCOLS, invalid=_invalid_protocol)
    key_prefix: str | None = child("ReplaceKeyPrefixWith", default=None)
    key: str | None = child("ReplaceKeyWith", default=None)

    def validate(self) -> None:
        if self.key_prefix is not None and self.key is not None:
            raise INVALID_REQUEST.error("You can only define ReplaceKeyPrefix or ReplaceKey but not both.")


_ROUTING_RULE = unread_element(optional("Condition", kind=RoutingCondition), child("Redirect", kind=Redirect))


@document("WebsiteConfiguration")
class WebsiteConfiguration:
    error_key: str | None = child("Key", inside="ErrorDocument", default=None, kind=_ERROR_KEY)
    index_suffix: str | None = child("Suffix", inside="IndexDocument", default=None, kind=_SUFFIX)
    redirect_all: object = child("RedirectAllRequestsTo", default=None, kind=_REDIRECT_ALL)
    rules: tuple[object, ...] = children("RoutingRule", inside="RoutingRules", default=(), kind=_ROUTING_RULE, least=1)

    def validate(self) -> None:
        """Refuse a website without a page and without a redirection, and a redirection beside anything else."""
        if len(self.rules) > _MOST_RULES:
            raise INVALID_REQUEST.error(
                f"{len(self.rules)} routing rules provided, the number of routing rules in a website configuration is"
                f" limited to {_MOST_RULES}."
            )
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


WEBSITE = Setting(
    "website",
    "BucketWebsite",
    WebsiteConfiguration,
    Actions("s3:GetBucketWebsite", "s3:PutBucketWebsite", "s3:DeleteBucketWebsite"),
    missing=NO_SUCH_WEBSITE,
)

OPERATIONS = (
    *ACCELERATE.operations(put_bucket_accelerate),
    *LOGGING.operations(put_bucket_logging),
    *REPLICATION.operations(put_bucket_replication),
    *WEBSITE.operations(),
)
