"""The NotificationConfiguration document."""

from __future__ import annotations

from fakestore.errors import ErrorResponse, invalid_argument
from fakestore.xml.declarations import TextType, child, children, document, element

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

    name: str = child(
        "Name", choices={name: name for name in ("prefix", "suffix", "Prefix", "Suffix")}, invalid=_invalid_name
    )
    value: str = child("Value")


@element()
class KeyFilter:
    """The rules about keys."""

    rules: tuple[FilterRule, ...] = children("FilterRule", most=2)


@element()
class Filter:
    """The objects for which a notification is sent."""

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
class Destination:
    """What the three kinds of destinations have in common."""

    id: str | None = child("Id", default=None)
    events: tuple[str, ...] = children("Event", least=1)
    filter: Filter | None = child("Filter", default=None)

    def validate(self) -> None:
        """Refuse an unknown event."""
        for event in self.events:
            if event not in EVENTS:
                raise invalid_argument(
                    "Event",
                    event,
                    "The event is not supported for notifications",
                    explanation=f"unknown event {event!r}; expected one of {', '.join(sorted(EVENTS))}",
                )


@element()
class TopicConfiguration(Destination):
    """A notification to a topic."""

    topic: str = child("Topic", kind=_arn("sns"))


@element()
class QueueConfiguration(Destination):
    """A notification to a queue."""

    queue: str = child("Queue", kind=_arn("sqs"))


@element()
class FunctionConfiguration(Destination):
    """A notification to a function."""

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
