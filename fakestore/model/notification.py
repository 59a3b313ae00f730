"""Notifications: which events of a bucket are sent to which queues, topics and functions."""

from __future__ import annotations

from fakestore.errors import ErrorResponse, invalid_argument
from fakestore.xml.declarations import TextType, child, children, document, element, matching, unread_element

#: The events of the service, in the order in which messages name them.
EVENT_NAMES = (
    *("s3:IntelligentTiering", "s3:LifecycleExpiration:*", "s3:LifecycleExpiration:Delete"),
    *("s3:LifecycleExpiration:DeleteMarkerCreated", "s3:LifecycleTransition", "s3:ObjectAcl:Put"),
    *("s3:ObjectCreated:*", "s3:ObjectCreated:CompleteMultipartUpload", "s3:ObjectCreated:Copy"),
    *("s3:ObjectCreated:Post", "s3:ObjectCreated:Put", "s3:ObjectRemoved:*", "s3:ObjectRemoved:Delete"),
    *("s3:ObjectRemoved:DeleteMarkerCreated", "s3:ObjectRestore:*", "s3:ObjectRestore:Completed"),
    *("s3:ObjectRestore:Delete", "s3:ObjectRestore:Post", "s3:ObjectTagging:*", "s3:ObjectTagging:Delete"),
    *("s3:ObjectTagging:Put", "s3:ReducedRedundancyLostObject", "s3:Replication:*"),
    *("s3:Replication:OperationFailedReplication", "s3:Replication:OperationMissedThreshold"),
    *("s3:Replication:OperationNotTracked", "s3:Replication:OperationReplicatedAfterThreshold"),
)


#: Stands for all events. A configuration cannot contain it, but a handler in Python can ask for it.
EVERY_EVENT = "s3:*"


def names_event(pattern: str, name: str) -> bool:
    """Return whether a name in a configuration stands for an event.

    Example:
        >>> names_event("s3:ObjectCreated:*", "ObjectCreated:Put"), names_event("s3:*", "ObjectRemoved:Delete")
        (True, True)
    """
    beginning, star, _ = pattern.removeprefix("s3:").partition("*")
    return name.startswith(beginning) if star else name == beginning


def _invalid_name(tag: str, text: str, explanation: str) -> ErrorResponse:
    return invalid_argument(
        "FilterRule.Name", text, "filter rule name must be either prefix or suffix", explanation=explanation
    )


@element()
class FilterRule:
    """The beginning or the end of the keys for which a notification is sent."""

    name: str = child("Name", choices=("prefix", "suffix", "Prefix", "Suffix"), invalid=_invalid_name)
    value: str = child("Value")


@element()
class NotificationFilter:
    rules: tuple[FilterRule, ...] = children("FilterRule", inside="S3Key", default=(), most=2)

    def matches(self, key: str) -> bool:
        return all(
            key.startswith(rule.value) if rule.name.lower() == "prefix" else key.endswith(rule.value)
            for rule in self.rules
        )


class NotificationDestination:
    """A topic, queue or function that gets events."""

    id: str | None = child("Id", default=None)
    events: tuple[str, ...] = children("Event", least=1)
    filter: NotificationFilter | None = child("Filter", default=None)
    arn: str

    def wants(self, name: str, key: str) -> bool:
        """Return whether events of this name, for example ``ObjectCreated:Put``, are sent for this key."""
        return any(names_event(each, name) for each in self.events) and (
            self.filter is None or self.filter.matches(key)
        )

    def validate(self) -> None:
        for event in self.events:
            if event not in EVENT_NAMES:
                raise invalid_argument(
                    "Event",
                    event,
                    "The event is not supported for notifications",
                    explanation=f"unknown event {event!r}; expected one of {', '.join(EVENT_NAMES)}",
                )


def _arn(service: str) -> TextType:
    """Return the type of the ARN of a destination in a service."""
    return matching(
        rf"(?s)arn:[^:]*:{service}:[^:]*:[^:]*:.+",
        "ARN",
        f"the destination is {{!r}}; expected for example arn:aws:{service}:us-east-1:111111111111:name",
        "The ARN is not well formed",
    )


@element()
class TopicDestination(NotificationDestination):
    arn: str = child("Topic", kind=_arn("sns"))


@element()
class QueueDestination(NotificationDestination):
    arn: str = child("Queue", kind=_arn("sqs"))


@element()
class FunctionDestination(NotificationDestination):
    arn: str = child("CloudFunction", kind=_arn("lambda"))


@document("NotificationConfiguration")
class NotificationConfiguration:
    """The destinations for events of a bucket. An empty document means no destinations.

    If it has ``event_bridge``, the bus of the account gets all events.
    """

    topics: tuple[TopicDestination, ...] = children("TopicConfiguration", default=())
    queues: tuple[QueueDestination, ...] = children("QueueConfiguration", default=())
    functions: tuple[FunctionDestination, ...] = children("CloudFunctionConfiguration", default=())
    event_bridge: object = child("EventBridgeConfiguration", default=None, kind=unread_element())

    @property
    def destinations(self) -> tuple[NotificationDestination, ...]:
        """The functions, queues and topics."""
        return (*self.topics, *self.queues, *self.functions)

    @property
    def destination_count(self) -> int:
        """The number of destinations, with EventBridge."""
        return len(self.destinations) + (self.event_bridge is not None)
