"""Notifications: which events of a bucket are sent to which queues, topics and functions."""

from __future__ import annotations

from itertools import combinations

from fakestore.errors import INVALID_ARGUMENT, ErrorResponse, invalid_argument
from fakestore.model.names import KEY_BYTES
from fakestore.xml.declarations import TextType, child, children, document, element, matching, unread_element

#: The events of the service, in the order in which messages name them.
EVENT_NAMES = (
    *("s3:IntelligentTiering", "s3:LifecycleExpiration:*", "s3:LifecycleExpiration:Delete"),
    *("s3:LifecycleExpiration:DeleteMarkerCreated", "s3:LifecycleTransition", "s3:ObjectAcl:Put"),
    *("s3:ObjectAnnotation:*", "s3:ObjectAnnotation:Delete", "s3:ObjectAnnotation:Put"),
    *("s3:ObjectCreated:*", "s3:ObjectCreated:CompleteMultipartUpload", "s3:ObjectCreated:Copy"),
    *("s3:ObjectCreated:Post", "s3:ObjectCreated:Put", "s3:ObjectRemoved:*", "s3:ObjectRemoved:Delete"),
    *("s3:ObjectRemoved:DeleteMarkerCreated", "s3:ObjectRestore:*", "s3:ObjectRestore:Completed"),
    *("s3:ObjectRestore:Delete", "s3:ObjectRestore:Post", "s3:ObjectRetention:Put"),
    *("s3:ObjectTagging:*", "s3:ObjectTagging:Delete", "s3:ObjectTagging:Put"),
    *("s3:ReducedRedundancyLostObject", "s3:Replication:*"),
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
        >>> names_event("s3:ObjectRemoved:Delete", "ObjectRemoved:DeleteMarkerCreated")
        False
    """
    beginning, star, _ = pattern.removeprefix("s3:").partition("*")
    return name.startswith(beginning) if star else name == beginning


def _share_event(pattern: str, other: str) -> bool:
    """Return whether two names in configurations stand for a common event."""
    return names_event(pattern, other.removeprefix("s3:")) or names_event(other, pattern.removeprefix("s3:"))


def _parse_rule_name(text: str) -> str:
    """Return the name of a filter rule as the service returns it."""
    if text.lower() not in ("prefix", "suffix"):
        raise ValueError("prefix or suffix")
    return text.capitalize()


def _invalid_name(tag: str, text: str, explanation: str) -> ErrorResponse:
    return invalid_argument(
        "FilterRule.Name", text, "filter rule name must be either prefix or suffix", explanation=explanation
    )


@element()
class FilterRule:
    """The beginning or the end of the keys for which a notification is sent."""

    name: str = child("Name", kind=TextType(_parse_rule_name), invalid=_invalid_name)
    value: str = child("Value")

    def validate(self) -> None:
        size = len(self.value.encode())
        if size > KEY_BYTES:
            raise invalid_argument(
                "FilterRule.Value",
                self.value,
                f"Size of filter rule value cannot exceed {KEY_BYTES} bytes in UTF-8 representation",
                explanation=f"the {self.name.lower()} has {size:,} bytes, more than any key",
            )


@element()
class NotificationFilter:
    rules: tuple[FilterRule, ...] = children("FilterRule", inside="S3Key", default=(), most=2)

    def validate(self) -> None:
        names = [rule.name.lower() for rule in self.rules]
        for name in names:
            if names.count(name) > 1:
                raise invalid_argument("FilterRule", name, f"Cannot specify more than one {name} rule in a filter.")

    @property
    def prefix(self) -> str:
        return self._value_of("Prefix")

    @property
    def suffix(self) -> str:
        return self._value_of("Suffix")

    def _value_of(self, name: str) -> str:
        return next((rule.value for rule in self.rules if rule.name == name), "")

    def overlaps(self, other: NotificationFilter) -> bool:
        """Return whether some keys can match both filters."""
        prefixes = self.prefix.startswith(other.prefix) or other.prefix.startswith(self.prefix)
        suffixes = self.suffix.endswith(other.suffix) or other.suffix.endswith(self.suffix)
        return prefixes and suffixes


_NO_FILTER = NotificationFilter()


class NotificationDestination:
    """A topic, queue or function that gets events."""

    id: str | None = child("Id", default=None)
    events: tuple[str, ...] = children("Event", least=1)
    filter: NotificationFilter | None = child("Filter", default=None)
    arn: str

    @property
    def affixes(self) -> tuple[str, str]:
        """The prefix and the suffix of the keys for which events are sent."""
        wanted = self.filter or _NO_FILTER
        return wanted.prefix, wanted.suffix

    def find_overlap(self, other: NotificationDestination) -> str | None:
        """Return an event of this destination that another one gets for the same keys, or None.

        The service does not compare the keys, but the prefixes and the suffixes. [overlapping-notifications]
        """
        if not (self.filter or _NO_FILTER).overlaps(other.filter or _NO_FILTER):
            return None
        return next((event for event in self.events for each in other.events if _share_event(event, each)), None)

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

    def validate(self) -> None:
        """Check that no two destinations have the same id, or get the same events for the same keys.

        [overlapping-notifications]
        """
        ids = [each.id for each in self.destinations if each.id]
        if len(set(ids)) < len(ids):
            repeated = next(each for each in ids if ids.count(each) > 1)
            raise invalid_argument(
                "Id",
                repeated,
                "Same ID used for multiple configurations. IDs must be unique",
                explanation=f"several destinations have the id {repeated!r}; give each its own, or none",
            )
        for one, two in combinations(self.destinations, 2):
            event = one.find_overlap(two)
            if event is None:
                continue
            message = "Configurations overlap. Configurations on the same bucket cannot share a common event type."
            if any(each.filter and each.filter.rules for each in (one, two)):
                message = (
                    "Configuration is ambiguously defined. Cannot have overlapping suffixes in two rules if the"
                    " prefixes are overlapping for the same event type."
                )
            raise INVALID_ARGUMENT.error(
                message,
                explanation=f"{one.arn} and {two.arn} would both get {event} for some keys; give them prefixes of which"
                " neither begins with the other, or suffixes of which neither ends with the other",
            )

    @property
    def destinations(self) -> tuple[NotificationDestination, ...]:
        return (*self.topics, *self.queues, *self.functions)

    @property
    def destination_count(self) -> int:
        """The number of destinations, with EventBridge."""
        return len(self.destinations) + (self.event_bridge is not None)
