"""The ReplicationConfiguration document."""

from __future__ import annotations

from fakestore.errors import INVALID_REQUEST, MALFORMED_XML, invalid_argument
from fakestore.model.names import ARN_PREFIX
from fakestore.model.storage_class import StorageClass
from fakestore.model.tagging import Tag
from fakestore.xml.declarations import TextType, child, children, document, element, integer

#: The maximum number of rules of a bucket.
MOST_RULES = 1000

_SWITCH = {"Enabled": True, "Disabled": False}


def _parse_bucket(text: str) -> str:
    if not text.startswith(ARN_PREFIX) or len(text) == len(ARN_PREFIX):
        raise invalid_argument(
            "Bucket", text, "Invalid bucket ARN.", explanation=f"<Bucket> is {text!r}; expected {ARN_PREFIX}NAME"
        )
    return text


@element()
class Switch:
    """Whether something is enabled."""

    is_enabled: bool = child("Status", choices=_SWITCH)


@element()
class Minutes:
    """A number of minutes. The service accepts only one number."""

    minutes: int = child("Minutes", kind=integer(15, 15))


@element()
class ReplicationTime(Switch):
    """Whether replication has a time limit."""

    time: Minutes = child("Time")


@element()
class Metrics(Switch):
    """Whether replication is measured."""

    threshold: Minutes | None = child("EventThreshold", default=None)


@element()
class NewOwner:
    """The owner of the replicas."""

    owner: str = child("Owner", choices={"Destination": "Destination"})


@element(unsupported=("UseSourceMultiRegionKey",))
class ReplicaEncryption:
    """The key of the replicas."""

    key_id: str | None = child("ReplicaKmsKeyID", default=None)


@element()
class Destination:
    """Where the replicas are stored."""

    bucket: str = child("Bucket", kind=TextType(_parse_bucket))
    account: str | None = child("Account", default=None)
    storage_class: StorageClass | None = child("StorageClass", default=None)
    new_owner: NewOwner | None = child("AccessControlTranslation", default=None)
    encryption: ReplicaEncryption | None = child("EncryptionConfiguration", default=None)
    time: ReplicationTime | None = child("ReplicationTime", default=None)
    metrics: Metrics | None = child("Metrics", default=None)

    @property
    def name(self) -> str:
        """The name of the bucket."""
        return self.bucket.removeprefix(ARN_PREFIX)


@element(unsupported=("Not",))
class And:
    """Several predicates."""

    prefix: str | None = child("Prefix", default=None)
    tags: tuple[Tag, ...] = children("Tag")


@element(unsupported=("Not",))
class Filter:
    """The objects that a rule replicates."""

    prefix: str | None = child("Prefix", default=None)
    tag: Tag | None = child("Tag", default=None)
    conjunction: And | None = child("And", default=None)

    def validate(self) -> None:
        """Refuse several predicates outside of an ``<And>``."""
        if (self.prefix, self.tag, self.conjunction).count(None) < 2:
            raise MALFORMED_XML.error(explanation="<Filter> has several predicates; put them into its <And>")


@element()
class SourceSelection:
    """Which further objects a rule replicates."""

    encrypted: Switch | None = child("SseKmsEncryptedObjects", default=None)
    replicas: Switch | None = child("ReplicaModifications", default=None)


@element()
class ReplicationRule:
    """A rule. Its own ``prefix`` is the older form of a filter."""

    id: str | None = child("ID", default=None)
    priority: int | None = child("Priority", default=None)
    prefix: str | None = child("Prefix", default=None)
    filter: Filter | None = child("Filter", default=None)
    is_enabled: bool = child("Status", choices=_SWITCH)
    selection: SourceSelection | None = child("SourceSelectionCriteria", default=None)
    existing: Switch | None = child("ExistingObjectReplication", default=None)
    destination: Destination = child("Destination")
    markers: Switch | None = child("DeleteMarkerReplication", default=None)

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
    """Where objects of a bucket are replicated."""

    role: str = child("Role")
    rules: tuple[ReplicationRule, ...] = children("Rule", least=1, most=MOST_RULES)
