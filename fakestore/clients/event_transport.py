"""Delivers events as the service does: through boto3, to a mock of SQS, SNS, Lambda or EventBridge such as moto.

Nothing of it reaches the network. botocore publishes each request as the event ``before-send``, which mocks answer. The
last handler of this event is ours. Its answer counts only if no mock has answered.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

from fakestore.model.regions import HOME_REGION
from fakestore.service.events import Document, NobodyAnswers, NotDelivered

#: The status of our own answer. botocore reads an empty body with such a status in every protocol.
_NOBODY = 599


def _find_queue(client: Any, arn: str) -> str:
    """Return the URL of a queue."""
    account, name = arn.split(":")[4:6]
    url: str = client.get_queue_url(QueueName=name, QueueOwnerAWSAccountId=account)["QueueUrl"]
    return url


def _send_to_queue(client: Any, arn: str, document: Document) -> None:
    client.send_message(QueueUrl=_find_queue(client, arn), MessageBody=json.dumps(document))


def _publish(client: Any, arn: str, document: Document) -> None:
    client.publish(TopicArn=arn, Message=json.dumps(document), Subject="Amazon S3 Notification")


def _invoke(client: Any, arn: str, document: Document) -> None:
    client.invoke(FunctionName=arn, InvocationType="Event", Payload=json.dumps(document).encode())


def _put_event(client: Any, arn: str, document: Document) -> None:
    entry = {
        "Source": document["source"],
        "DetailType": document["detail-type"],
        "Detail": json.dumps(document["detail"]),
        "Resources": document["resources"],
        "Time": document["time"],
    }
    client.put_events(Entries=[entry])


#: How a document is sent to a destination of each service.
_SENDERS: dict[str, Callable[[Any, str, Document], None]] = {
    "sqs": _send_to_queue,
    "sns": _publish,
    "lambda": _invoke,
    "events": _put_event,
}
#: How a destination of a configuration is found in each service.
_FINDERS: dict[str, Callable[[Any, str], object]] = {
    "sqs": _find_queue,
    "sns": lambda client, arn: client.get_topic_attributes(TopicArn=arn),
    "lambda": lambda client, arn: client.get_function(FunctionName=arn),
}


class Boto3Transport:
    """Delivers to the ARNs that have no handler, if the process has imported boto3."""

    def __init__(self) -> None:
        #: The clients by service, region and the number of botocore's handlers, which grows when moto is imported.
        self._clients: dict[tuple[str, str, int], Any] = {}

    def deliver(self, arn: str, document: Document) -> None:
        self._call(_SENDERS, arn, document)

    def find(self, arn: str) -> None:
        self._call(_FINDERS, arn)

    def _call(self, functions: Mapping[str, Callable[..., object]], arn: str, *arguments: object) -> None:
        if "boto3" not in sys.modules:
            raise NobodyAnswers
        service, region = arn.split(":")[2:4]
        try:
            functions[service](self._client(service, region or HOME_REGION), arn, *arguments)
        except Exception as error:
            response = getattr(error, "response", {})
            if response.get("ResponseMetadata", {}).get("HTTPStatusCode") == _NOBODY:
                raise NobodyAnswers from None
            raise NotDelivered(str(error) or repr(error)) from None

    def _client(self, service: str, region: str) -> Any:
        import boto3
        from botocore.config import Config
        from botocore.handlers import BUILTIN_HANDLERS

        key = service, region, len(BUILTIN_HANDLERS)
        if key not in self._clients:
            session = boto3.Session(aws_access_key_id="fakestore", aws_secret_access_key="fakestore")
            config = Config(retries={"total_max_attempts": 1}, ignore_configured_endpoint_urls=True)
            client = session.client(service, region_name=region, config=config)
            client.meta.events.register_last("before-send", _answer_for_nobody)
            self._clients[key] = client
        return self._clients[key]


def _answer_for_nobody(request: Any, **_: object) -> Any:
    from botocore.awsrequest import AWSResponse

    class NoBody:
        def stream(self, **_: object) -> list[bytes]:
            return []

    return AWSResponse(request.url, _NOBODY, {}, NoBody())
