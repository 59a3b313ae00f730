"""Events that reach the mocks of other services through boto3, as SQS, SNS, Lambda and EventBridge get them."""

from __future__ import annotations

import json

import boto3
import pytest
from botocore.client import BaseClient
from botocore.exceptions import ClientError
from moto import mock_aws

from fakestore import fake_store, faults
from tests.support.aws import client
from tests.support.wire import request

ACCOUNT = "us-east-1:123456789012"
QUEUE, MISSING = f"arn:aws:sqs:{ACCOUNT}:uploads", f"arn:aws:sqs:{ACCOUNT}:missing"
FUNCTION = f"arn:aws:lambda:{ACCOUNT}:function:thumbnails"

pytestmark = pytest.mark.decision("notification-destinations")


@pytest.fixture
def store():
    with fake_store(dialect="s3", buckets=["photos"]) as store, mock_aws():
        yield store


@pytest.fixture
def queue(store):
    return client("sqs").create_queue(QueueName="uploads")["QueueUrl"]


def received(url):
    """Return the bodies of the messages in a queue, and remove the messages."""
    sqs, bodies = client("sqs"), []
    while messages := sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", []):
        for message in messages:
            bodies.append(json.loads(message["Body"]))
            sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    return bodies


def configure(*, skip=False, **configuration):
    client().put_bucket_notification_configuration(
        Bucket="photos", NotificationConfiguration=configuration, SkipDestinationValidation=skip
    )


def of_queue(arn=QUEUE):
    return [{"QueueArn": arn, "Events": ["s3:ObjectCreated:*"]}]


def put(key="cat.jpg"):
    client().put_object(Bucket="photos", Key=key, Body=b"meow")


def outcomes(store):
    return [each.outcome for event in store.events for each in event.destinations]


def test_queue_gets_the_test_event_and_then_the_events(store, queue):
    configure(QueueConfigurations=of_queue())
    (test,) = received(queue)
    assert (test["Service"], test["Event"], test["Bucket"]) == ("Amazon S3", "s3:TestEvent", "photos")
    assert test["RequestId"] == store.exchanges[-1].reply.headers["x-amz-request-id"]
    put()
    assert received(queue) == [store.events[0].destinations[0].document]
    assert outcomes(store) == ["delivered through boto3"]


def test_topic_passes_events_on_to_its_queue(store, queue):
    sns = client("sns")
    topic = sns.create_topic(Name="uploads")["TopicArn"]
    sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=QUEUE)
    configure(TopicConfigurations=[{"TopicArn": topic, "Events": ["s3:ObjectCreated:*"]}])
    put()
    test, message = received(queue)
    assert json.loads(test["Message"])["Event"] == "s3:TestEvent"
    assert message["Subject"] == "Amazon S3 Notification"
    assert json.loads(message["Message"]) == {"Records": [store.events[0].record]}


def test_rule_of_the_event_bus_gets_the_events_that_match(store, queue):
    events = client("events")
    pattern = {"source": ["aws.s3"], "detail-type": ["Object Deleted"]}
    events.put_rule(Name="deletions", EventPattern=json.dumps(pattern))
    events.put_targets(Rule="deletions", Targets=[{"Id": "1", "Arn": QUEUE}])
    configure(EventBridgeConfiguration={})
    put()
    client().delete_object(Bucket="photos", Key="cat.jpg")
    (document,) = received(queue)
    sent = store.events[1].destinations[0].document
    for name in ("source", "detail-type", "resources", "detail"):
        assert document[name] == sent[name]


def test_function_is_invoked(store):
    with mock_aws(config={"lambda": {"use_docker": False}}):
        role = boto3.client("iam").create_role(RoleName="r", AssumeRolePolicyDocument="{}")["Role"]["Arn"]
        function = {"FunctionName": "thumbnails", "Role": role, "Runtime": "python3.12", "Handler": "a.b"}
        boto3.client("lambda").create_function(**function, Code={"ZipFile": b"zip"})
        configure(LambdaFunctionConfigurations=[{"LambdaFunctionArn": FUNCTION, "Events": ["s3:ObjectCreated:*"]}])
        put()
    assert outcomes(store) == ["delivered through boto3"]


@pytest.mark.parametrize(
    ("configuration", "noun"),
    [
        ({"QueueConfigurations": of_queue(MISSING)}, "queue"),
        (
            {"TopicConfigurations": [{"TopicArn": f"arn:aws:sns:{ACCOUNT}:t", "Events": ["s3:ObjectCreated:*"]}]},
            "topic",
        ),
        (
            {"LambdaFunctionConfigurations": [{"LambdaFunctionArn": FUNCTION, "Events": ["s3:ObjectCreated:*"]}]},
            "function",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_missing_destination_is_refused_unless_it_is_not_validated(store, configuration, noun):
    with pytest.raises(ClientError, match="Unable to validate the following destination configurations") as raised:
        configure(**configuration)
    error = raised.value.response["Error"]
    assert (error["Code"], error["ArgumentValue1"]) == ("InvalidArgument", f"The destination {noun} does not exist")
    for part in ("arn:aws:", "SkipDestinationValidation=True"):
        assert part in store.exchanges[-1].explanation
    configure(**configuration, skip=True)
    put()
    (outcome,) = outcomes(store)
    assert outcome.startswith("not delivered: An error occurred")


def test_refused_configuration_sends_no_test_event(queue):
    removals = {"QueueArn": MISSING, "Events": ["s3:ObjectRemoved:*"]}
    with pytest.raises(ClientError, match="Unable to validate"):
        configure(QueueConfigurations=[*of_queue(), removals])
    assert received(queue) == []


def test_late_event_reaches_the_mock(queue, store):
    configure(QueueConfigurations=of_queue())
    store.fail("delivery", faults.LateEvent())
    put()
    assert len(received(queue)) == 1
    store.check()
    assert len(received(queue)) == 1


def test_bus_gets_the_time_at_which_a_lifecycle_rule_was_due(store, queue):
    events = client("events")
    events.put_rule(Name="deletions", EventPattern=json.dumps({"detail-type": ["Object Deleted"]}))
    events.put_targets(Rule="deletions", Targets=[{"Id": "1", "Arn": QUEUE}])
    configure(EventBridgeConfiguration={})
    store["photos"].expire(rule_id="old", days=1)
    store["photos"].put("cat.jpg")
    store.travel(days=30)
    (event,) = store.events
    (document,) = received(queue)
    assert document["time"] == event.destinations[0].document["time"]


def test_queue_is_sought_in_the_account_of_its_arn(store, queue, monkeypatch):
    calls, original = {}, BaseClient._make_api_call  # noqa: SLF001 - moto ignores the account

    def record(client, name, arguments):
        calls[name] = arguments
        return original(client, name, arguments)

    monkeypatch.setattr(BaseClient, "_make_api_call", record)
    configure(QueueConfigurations=of_queue())
    assert calls["GetQueueUrl"] == {"QueueName": "uploads", "QueueOwnerAWSAccountId": "123456789012"}


def test_url_of_the_users_settings_is_not_used(store, queue, monkeypatch):
    with monkeypatch.context() as context:
        context.setenv("AWS_ENDPOINT_URL_SQS", "http://localhost:4566")
        configure(QueueConfigurations=of_queue())
        put()
    assert (outcomes(store), len(received(queue))) == (["delivered through boto3"], 2)


def test_queue_without_a_region_is_in_the_first_region(queue, monkeypatch):
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)
    arn = "arn:aws:sqs::123456789012:uploads"
    with fake_store(buckets=["films"]) as store:  # a store of this dialect has no regions
        body = (
            f"<NotificationConfiguration><QueueConfiguration><Queue>{arn}</Queue><Event>s3:ObjectCreated:*</Event>"
            "</QueueConfiguration></NotificationConfiguration>"
        )
        assert request(store, "PUT", "films", body=body.encode(), notification=None).status == 200
        store["films"].put("cat.jpg", notify=True)
        assert outcomes(store) == ["delivered through boto3"]


def test_handler_of_an_arn_comes_before_the_mock(store, queue):
    seen = []
    store.destinations[QUEUE] = seen.append
    store.destinations[MISSING] = seen.append
    copies = {"QueueArn": MISSING, "Events": ["s3:ObjectCreated:Copy"]}
    configure(QueueConfigurations=[{"QueueArn": QUEUE, "Events": ["s3:ObjectCreated:Put"]}, copies])
    put()
    assert (len(seen), received(queue)) == (1, [])


@pytest.mark.parametrize("allow_network", [False, True])
def test_without_a_mock_nothing_is_validated_and_nothing_reaches_the_network(allow_network):
    with fake_store(dialect="s3", buckets=["photos"], allow_network=allow_network) as store:
        configure(
            QueueConfigurations=of_queue(),
            TopicConfigurations=[{"TopicArn": f"arn:aws:sns:{ACCOUNT}:t", "Events": ["s3:ObjectTagging:*"]}],
            LambdaFunctionConfigurations=[{"LambdaFunctionArn": FUNCTION, "Events": ["s3:ObjectRemoved:*"]}],
            EventBridgeConfiguration={},
        )
        s3 = boto3.client("s3")
        put()
        s3.put_object_tagging(Bucket="photos", Key="cat.jpg", Tagging={"TagSet": []})
        s3.delete_object(Bucket="photos", Key="cat.jpg")
        assert set(outcomes(store)) == {"not delivered: nobody answers"}
        assert (len(outcomes(store)), store.unhandled_requests) == (6, [])


def test_mock_that_is_entered_later_gets_the_next_event():
    with fake_store(dialect="s3", buckets=["photos"]) as store:
        configure(QueueConfigurations=of_queue())
        put()
        with mock_aws():
            url = boto3.client("sqs").create_queue(QueueName="uploads")["QueueUrl"]
            put()
            assert len(received(url)) == 1
        put()
        assert [each.partition(":")[0] for each in outcomes(store)] == [
            "not delivered",
            "delivered through boto3",
            "not delivered",
        ]


def test_mock_around_the_store_gets_the_events_too():
    with mock_aws(), fake_store(dialect="s3", buckets=["photos"]) as store:
        url = boto3.client("sqs").create_queue(QueueName="uploads")["QueueUrl"]
        configure(QueueConfigurations=of_queue())
        put()
        assert received(url)[1:] == [store.events[0].destinations[0].document]
