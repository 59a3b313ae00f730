"""The notifications of a bucket: to which destinations its events are sent."""

from __future__ import annotations

from fakestore.errors import INVALID_ARGUMENT, invalid_argument
from fakestore.model.bucket import BucketRecord
from fakestore.model.notification import NotificationConfiguration
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.inputs import Parameters, header, switch
from fakestore.operations.framework.result import Result
from fakestore.operations.framework.setting import Actions, Setting, new_ids
from fakestore.operations.regions import get_region
from fakestore.xml.declarations import changed


class NotificationHeaders(Parameters):
    """Whether destinations are not validated."""

    skips_validation: bool | None = header("skip-destination-validation", switch)


#: What the ARNs of a service name.
_NOUNS = {"sqs": "queue", "sns": "topic", "lambda": "function"}


def _refuse(arn: str, problem: str | None, advice: str) -> None:
    """Refuse a destination that has a problem."""
    if problem is not None:
        raise INVALID_ARGUMENT.error(
            "Unable to validate the following destination configurations",
            explanation=f"{arn} cannot receive events: {problem}; {advice}",
            ArgumentName1=arn,
            ArgumentValue1=f"The destination {_NOUNS[arn.split(':')[2]]} does not exist",
        )


NOTIFICATION = Setting(
    "notification",
    "BucketNotificationConfiguration",
    NotificationConfiguration,
    Actions("s3:GetBucketNotification", "s3:PutBucketNotification"),
    attribute="notification",
)


@NOTIFICATION.put
def put_bucket_notification(
    call: Call, bucket: BucketRecord, headers: NotificationHeaders, document: NotificationConfiguration
) -> Result:
    """Check the destinations, and give ids. [notification-destinations]"""
    region, ids = get_region(call, bucket), new_ids(call)
    for each in document.destinations:
        named = each.arn.split(":")[3]
        if call.semantics.has_regions and named != region:
            raise invalid_argument(
                "ARN",
                each.arn,
                "The notification destination service region is not valid for the bucket location constraint",
                explanation=f"the destination is in {named or 'no region'}, and bucket {bucket.name!r} in {region}",
            )
        if each.arn.endswith(".fifo"):
            _refuse(each.arn, "the service sends no events to FIFO queues and topics", "use a standard one")
    if not headers.skips_validation:
        advice = (
            f"create it first, or send {call.dialect.header('skip-destination-validation')}: true (boto3:"
            " SkipDestinationValidation=True)"
        )
        for each in document.destinations:
            _refuse(each.arn, call.service.find_problem(each.arn), advice)
        for each in (*document.topics, *document.queues):
            _refuse(each.arn, call.service.send_test_event(each.arn, call, bucket), advice)
    bucket.notification = changed(
        document,
        **{
            name: tuple(changed(each, id=each.id or next(ids)) for each in getattr(document, name))
            for name in ("topics", "queues", "functions")
        },
    )
    return Result()


OPERATIONS = (*NOTIFICATION.operations(put_bucket_notification),)
