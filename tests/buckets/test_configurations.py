"""Configurations that the fake validates, stores and returns, and that have no effect."""

from __future__ import annotations

from typing import NamedTuple

import boto3
import pytest

from fakestore import UnsupportedRequest, fake_store
from tests.support.cases import each
from tests.support.wire import elements, outcome

decision = pytest.mark.decision

TOPIC = "arn:aws:sns:us-east-1:111111111111:events"
QUEUE = TOPIC.replace("sns", "sqs")
FUNCTION = TOPIC.replace("sns", "lambda")


class Configuration(NamedTuple):
    """A document, without its root.

    Args:
        missing: What GET returns without a configuration: the code of an error, or what is inside of the document.
        has_delete: Whether the service has DELETE.
    """

    root: str
    inner: str
    missing: str = ""
    has_delete: bool = False


CONFIGURATIONS = {
    "accelerate": Configuration("AccelerateConfiguration", "<Status>Suspended</Status>"),
    "logging": Configuration(
        "BucketLoggingStatus",
        "<LoggingEnabled><TargetBucket>logs</TargetBucket><TargetGrants><Grant>"
        '<Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="CanonicalUser"><ID>OWNER</ID>'
        "</Grantee><Permission>READ</Permission></Grant></TargetGrants><TargetObjectKeyFormat><PartitionedPrefix>"
        "<PartitionDateSource>EventTime</PartitionDateSource></PartitionedPrefix></TargetObjectKeyFormat>"
        "<TargetPrefix>photos/</TargetPrefix></LoggingEnabled>",
    ),
    "notification": Configuration(
        "NotificationConfiguration",
        "<TopicConfiguration><Id>t</Id><Event>s3:ObjectCreated:*</Event><Filter><S3Key><FilterRule><Name>Prefix</Name>"
        f"<Value>a/</Value></FilterRule></S3Key></Filter><Topic>{TOPIC}</Topic></TopicConfiguration>"
        f"<QueueConfiguration><Id>q</Id><Event>s3:ObjectRemoved:Delete</Event><Queue>{QUEUE}</Queue>"
        "</QueueConfiguration><CloudFunctionConfiguration><Id>f</Id><Event>s3:ObjectAcl:Put</Event>"
        f"<CloudFunction>{FUNCTION}</CloudFunction></CloudFunctionConfiguration>"
        "<EventBridgeConfiguration></EventBridgeConfiguration>",
    ),
    "replication": Configuration(
        "ReplicationConfiguration",
        "<Role>arn:aws:iam::111111111111:role/r</Role><Rule><ID>all</ID><Priority>1</Priority><Filter><And>"
        "<Prefix>a/</Prefix><Tag><Key>k</Key><Value>v</Value></Tag></And></Filter><Status>Enabled</Status>"
        "<SourceSelectionCriteria><SseKmsEncryptedObjects><Status>Enabled</Status></SseKmsEncryptedObjects>"
        "<ReplicaModifications><Status>Disabled</Status></ReplicaModifications></SourceSelectionCriteria>"
        "<ExistingObjectReplication><Status>Enabled</Status></ExistingObjectReplication>"
        "<Destination><Bucket>arn:aws:s3:::copies</Bucket><Account>111111111111</Account>"
        "<StorageClass>STANDARD_IA</StorageClass>"
        "<AccessControlTranslation><Owner>Destination</Owner></AccessControlTranslation>"
        "<EncryptionConfiguration><ReplicaKmsKeyID>k</ReplicaKmsKeyID></EncryptionConfiguration>"
        "<ReplicationTime><Status>Enabled</Status><Time><Minutes>15</Minutes></Time></ReplicationTime>"
        "<Metrics><Status>Enabled</Status><EventThreshold><Minutes>15</Minutes></EventThreshold></Metrics></Destination>"
        "<DeleteMarkerReplication><Status>Disabled</Status></DeleteMarkerReplication></Rule>",
        missing="ReplicationConfigurationNotFoundError",
        has_delete=True,
    ),
    "website": Configuration(
        "WebsiteConfiguration",
        "<ErrorDocument><Key>error.html</Key></ErrorDocument><IndexDocument><Suffix>index.html</Suffix></IndexDocument>"
        "<RoutingRules><RoutingRule><Condition><HttpErrorCodeReturnedEquals>404</HttpErrorCodeReturnedEquals>"
        "<KeyPrefixEquals>a/</KeyPrefixEquals></Condition><Redirect><HostName>other.test</HostName><HttpRedirectCode>302</HttpRedirectCode>"
        "<Protocol>https</Protocol><ReplaceKeyWith>lost</ReplaceKeyWith></Redirect></RoutingRule></RoutingRules>",
        missing="NoSuchWebsiteConfiguration",
        has_delete=True,
    ),
}


@pytest.fixture
def client(client):
    """A client whose store also has the bucket ``logs``, and ``copies`` with versioning."""
    client.store.create_bucket("logs")
    client.store.create_bucket("copies", versioning="enabled")
    client.store["photos"].versioning = "enabled"
    return client


def put(client, name: str, inner: str | None = None, root: str | None = None, bucket: str = "photos"):
    known = CONFIGURATIONS[name]
    text = (known.inner if inner is None else inner).replace("OWNER", client.store.default_account.id)
    body = f"<{root or known.root}>{text}</{root or known.root}>".encode()
    # To look for a queue of moto and to send it the test event takes 20 ms.
    headers = {"skip-destination-validation": "true"} if name == "notification" else {}
    return client.send("PUT", f"/?{name}", headers, body, bucket=bucket)


def get(client, name: str) -> str:
    """Return what is inside of the root element, or the code of the error."""
    reply = client.send("GET", f"/?{name}")
    text = bytes(reply.body).decode()
    root = CONFIGURATIONS[name].root
    assert reply.status != 200 or f"<{root}" in text
    if reply.status != 200:
        return outcome(reply)[1]
    return text[text.index(">", text.index(f"<{root}")) + 1 :].removesuffix(f"</{root}>")


@decision("stored-configurations")
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_configuration_is_stored_returned_replaced_and_removed(client, name):
    configuration = CONFIGURATIONS[name]
    missing = configuration.missing
    assert get(client, name) == missing
    before = client.store.snapshot()
    sent = configuration.inner.replace("OWNER", client.store.default_account.id)
    for _ in range(2):
        assert put(client, name).status == 200
        assert get(client, name) == sent
    assert put(client, name, root="Other").status == 400
    assert get(client, name) == sent
    if configuration.has_delete:
        for _ in range(2):
            assert client.send("DELETE", f"/?{name}").status == 204
            assert get(client, name) == missing
        put(client, name)
    client.store.restore(before)
    assert get(client, name) == missing


def of_target(text: str) -> str:
    return f"<LoggingEnabled><TargetBucket>{text}</TargetBucket><TargetPrefix/></LoggingEnabled>"


def of_queue(event: str = "s3:ObjectCreated:*", arn: str = QUEUE, more: str = "") -> str:
    return f"<QueueConfiguration><Queue>{arn}</Queue><Event>{event}</Event>{more}</QueueConfiguration>"


def of_rule(more: str = "", bucket: str = "copies") -> str:
    destination = f"<Destination><Bucket>arn:aws:s3:::{bucket}</Bucket></Destination>"
    return f"<Role>r</Role><Rule><Status>Enabled</Status>{destination}{more}</Rule>"


INDEX = "<IndexDocument><Suffix>index.html</Suffix></IndexDocument>"
ALL = "<RedirectAllRequestsTo><HostName>other.test</HostName></RedirectAllRequestsTo>"
BOTH_KEYS = "<Redirect><ReplaceKeyWith>a</ReplaceKeyWith><ReplaceKeyPrefixWith>b</ReplaceKeyPrefixWith></Redirect>"
WRONG_RULE = "<Filter><S3Key><FilterRule><Name>middle</Name><Value>a</Value></FilterRule></S3Key></Filter>"


@decision("stored-configurations")
@pytest.mark.parametrize("arn", [QUEUE.replace("us-east-1", "eu-west-1"), QUEUE.replace("us-east-1", "")])
def test_notifications_stay_in_the_region_of_the_bucket(client, arn):
    reply = put(client, "notification", of_queue(arn=arn))
    is_checked = client.store.dialect.name == "s3"
    assert outcome(reply) == ((400, "InvalidArgument") if is_checked else (200, None))
    assert (b"region is not valid for the bucket location constraint" in reply.body) is is_checked


#: Configurations, and the codes of their errors.
INVALID = [
    ("replication", of_rule(f"<ID>{'i' * 256}</ID>"), "InvalidArgument"),
    ("accelerate", "", "MalformedXML"),
    ("accelerate", "<Status>enabled</Status>", "MalformedXML"),
    ("logging", of_target("unknown"), "InvalidTargetBucketForLogging"),
    ("logging", of_target("others"), "InvalidTargetBucketForLogging"),
    ("logging", "<LoggingEnabled><TargetPrefix/></LoggingEnabled>", "MalformedXML"),
    ("logging", CONFIGURATIONS["logging"].inner.replace("OWNER", "nobody"), "InvalidArgument"),
    (
        "logging",
        CONFIGURATIONS["logging"].inner.replace("<PartitionedP", "<SimplePrefix/><PartitionedP"),
        "MalformedXML",
    ),
    ("notification", of_queue("s3:ObjectCreated:Move"), "InvalidArgument"),
    ("notification", of_queue(arn=TOPIC), "InvalidArgument"),
    ("notification", of_queue(arn="queue"), "InvalidArgument"),
    ("notification", of_queue(more=WRONG_RULE), "InvalidArgument"),
    ("notification", f"<QueueConfiguration><Queue>{QUEUE}</Queue></QueueConfiguration>", "MalformedXML"),
    ("replication", of_rule(bucket="unknown"), "InvalidRequest"),
    ("replication", of_rule(bucket="logs"), "InvalidRequest"),
    ("replication", of_rule(bucket=""), "InvalidArgument"),
    ("replication", of_rule("<Filter/>"), "InvalidRequest"),
    ("replication", of_rule("<Filter/><Priority>2147483648</Priority>"), "MalformedXML"),
    ("replication", of_rule("<Filter/><Priority>1</Priority>"), "InvalidRequest"),
    ("replication", of_rule("<Filter/><Prefix/>"), "MalformedXML"),
    ("replication", "<Role>r</Role>", "MalformedXML"),
    *(
        ("replication", CONFIGURATIONS["replication"].inner.replace("15", each), "MalformedXML")
        for each in ("14", "16")
    ),
    ("website", "", "InvalidArgument"),
    ("website", INDEX + ALL, "InvalidArgument"),
    ("website", INDEX.replace("index", "a/"), "InvalidArgument"),
    ("website", "<IndexDocument><Suffix/></IndexDocument>", "InvalidArgument"),
    ("website", f"{INDEX}<ErrorDocument><Key/></ErrorDocument>", "InvalidArgument"),
    ("website", f"{INDEX}<RoutingRules/>", "MalformedXML"),
    ("website", ALL.replace("HostName", "Port"), "MalformedXML"),
    ("website", ALL.replace("</Red", "<Protocol>ftp</Protocol></Red"), "InvalidRequest"),
    ("website", f"{INDEX}<RoutingRules><RoutingRule>{BOTH_KEYS}</RoutingRule></RoutingRules>", "InvalidRequest"),
    (
        "website",
        f"{INDEX}<RoutingRules><RoutingRule><Condition/><Redirect/></RoutingRule></RoutingRules>",
        "InvalidRequest",
    ),
]


@decision("stored-configurations")
def test_refusal_of_a_website_names_the_wrong_code_and_the_limit_of_rules(client):
    rule = "<RoutingRule>{}<Redirect><HostName>a.test</HostName>{}</Redirect></RoutingRule>"
    condition = "<Condition><HttpErrorCodeReturnedEquals>{}</HttpErrorCodeReturnedEquals></Condition>"
    for case in each(
        (rule.format(condition.format(399), ""), "The provided HTTP error code (399) is not valid."),
        (rule.format("", "<HttpRedirectCode>300</HttpRedirectCode>"), "Valid codes are 3XX except 300."),
        (rule.format("", "") * 51, "51 routing rules provided, the number of routing rules in a website"),
    ):
        with case as (rules, message):
            body = f"<WebsiteConfiguration>{INDEX}<RoutingRules>{rules}</RoutingRules></WebsiteConfiguration>"
            reply = client.send("PUT", "/?website", body=body.encode())
            assert outcome(reply) == (400, "InvalidRequest")
            assert message in elements(reply)["Message"]


@decision("stored-configurations")
def test_validation_of_destinations_is_skipped_by_true_or_false(client):
    body = b"<NotificationConfiguration/>"
    for value in ("true", "false"):
        assert client.send("PUT", "/?notification", {"skip-destination-validation": value}, body).status == 200
    with pytest.raises(UnsupportedRequest, match="skip-destination-validation is 'yes'; expected true or false"):
        client.send("PUT", "/?notification", {"skip-destination-validation": "yes"}, body)
    client.store.unhandled_requests.clear()


@decision("stored-configurations")
def test_invalid_configuration_is_refused(client):
    client.store.create_bucket("others", owner=client.store.create_account("other"))
    for case in each(*INVALID):
        with case as (name, inner, code):
            assert outcome(put(client, name, inner)) == (400, code)
            assert get(client, name) == CONFIGURATIONS[name].missing


def test_logs_must_stay_in_the_region_of_their_bucket():
    with fake_store(dialect="s3", buckets=["photos"], access_key_id="AKIDEXAMPLE", secret_key="secret"):
        s3 = boto3.client(
            "s3", region_name="eu-west-1", aws_access_key_id="AKIDEXAMPLE", aws_secret_access_key="secret"
        )
        s3.create_bucket(Bucket="logs", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
        status = {"LoggingEnabled": {"TargetBucket": "logs", "TargetPrefix": ""}}
        with pytest.raises(s3.exceptions.ClientError, match="CrossLocationLoggingProhibitted"):
            s3.put_bucket_logging(Bucket="photos", BucketLoggingStatus=status)


@decision("stored-configurations")
def test_parts_without_an_id_get_one(client):
    for name, inner in (("notification", of_queue() + of_queue("s3:ObjectAcl:Put")), ("replication", of_rule())):
        put(client, name, inner)
        ids = get(client, name).lower().split("<id>")[1:]
        assert len({each.partition("<")[0] for each in ids}) == len(ids) > 0


def of_filter(*rules: tuple[str, str]) -> str:
    inner = "".join(f"<FilterRule><Name>{name}</Name><Value>{value}</Value></FilterRule>" for name, value in rules)
    return f"<Filter><S3Key>{inner}</S3Key></Filter>"


EVERY, PUT, POST = "s3:ObjectCreated:*", "s3:ObjectCreated:Put", "s3:ObjectCreated:Post"
NO_FILTER = "Configurations overlap. Configurations on the same bucket cannot share a common event type."
WITH_FILTER = (
    "Configuration is ambiguously defined. Cannot have overlapping suffixes in two rules if the prefixes are"
    " overlapping for the same event type."
)
#: The events and filter rules of two destinations, and the message if they overlap.
PAIRS = [
    ((EVERY,), (EVERY,), NO_FILTER),
    ((PUT,), (EVERY,), NO_FILTER),
    ((PUT,), (PUT,), NO_FILTER),
    ((PUT,), (POST,), None),
    ((EVERY,), ("s3:ObjectRemoved:*",), None),
    ((EVERY,), (EVERY, ("prefix", "a/")), WITH_FILTER),
    ((EVERY, ("prefix", "im")), (EVERY, ("prefix", "images/")), WITH_FILTER),
    ((EVERY, ("prefix", "images/")), (PUT, ("Prefix", "im")), WITH_FILTER),
    ((EVERY, ("prefix", "a/")), (EVERY, ("prefix", "b/")), None),
    ((EVERY, ("suffix", "jpg")), (EVERY, ("suffix", "pg")), WITH_FILTER),
    ((EVERY, ("suffix", ".jpg")), (EVERY, ("suffix", ".png")), None),
    ((EVERY, ("prefix", "a/")), (EVERY, ("suffix", ".png")), WITH_FILTER),
    ((EVERY, ("prefix", "a"), ("suffix", "x")), (EVERY, ("prefix", "ab"), ("suffix", "y")), None),
    ((EVERY, ("prefix", "a"), ("suffix", "x")), (EVERY, ("prefix", "b"), ("suffix", "x")), None),
    ((EVERY, ("suffix", "x"), ("prefix", "ab")), (EVERY, ("prefix", "a"), ("suffix", "yx")), WITH_FILTER),
]


@decision("overlapping-notifications")
def test_notifications_may_not_overlap_in_event_and_filter(client):
    for case in each(*PAIRS):
        with case as (one, two, message):
            for (event, *rules), (other, *others) in ((one, two), (two, one)):
                queue, topic = of_queue(event, more=of_filter(*rules)), of_queue(other, more=of_filter(*others))
                topic = topic.replace("Queue", "Topic").replace(QUEUE, TOPIC)
                reply = put(client, "notification", queue + topic)
                assert outcome(reply) == ((200, None) if message is None else (400, "InvalidArgument"))
                assert message is None or elements(reply)["Message"] == message


@decision("overlapping-notifications")
def test_filter_has_each_rule_once_and_the_names_of_the_service(client):
    for name in ("prefix", "suffix"):
        for other in (name, name.capitalize()):
            reply = put(client, "notification", of_queue(more=of_filter((name, "a"), (other, "b"))))
            assert outcome(reply) == (400, "InvalidArgument")
            assert elements(reply)["Message"] == f"Cannot specify more than one {name} rule in a filter."
    for names in (("prefix", "suffix"), ("Prefix", "Suffix"), ("PREFIX", "SUFFIX")):
        assert put(client, "notification", of_queue(more=of_filter(*((each, "a") for each in names)))).status == 200
        assert of_filter(("Prefix", "a"), ("Suffix", "a")) in get(client, "notification")


@decision("overlapping-notifications")
def test_ids_of_notifications_are_unique_and_values_of_filters_limited(client):
    other = "s3:ObjectRemoved:*"
    for case in each(
        (of_queue(more="<Id>a</Id>") + of_queue(other, more="<Id>a</Id>"), "Same ID used for multiple configurations."),
        (of_queue(more="<Id>a</Id>") + of_queue(more="<Id>a</Id>"), "Same ID used for multiple configurations."),
        (of_queue(more="<Id>a</Id>") + of_queue(other, more="<Id>A</Id>"), None),
        (of_queue() + of_queue(other), None),
        (of_queue(more=of_filter(("suffix", "x" * 1024))), None),
        (of_queue(more=of_filter(("suffix", "x" * 1025))), "Size of filter rule value cannot exceed 1024 bytes"),
        (of_queue(more=of_filter(("prefix", "\u732b" * 342))), "Size of filter rule value cannot exceed 1024 bytes"),
    ):
        with case as (inner, message):
            reply = put(client, "notification", inner)
            assert outcome(reply) == ((200, None) if message is None else (400, "InvalidArgument"))
            assert message is None or elements(reply)["Message"].startswith(message)


@decision("stored-configurations")
def test_replication_needs_versioning_and_keeps_it(client):
    assert outcome(put(client, "replication", bucket="logs")) == (400, "InvalidRequest")
    put(client, "replication")
    suspended = b"<VersioningConfiguration><Status>Suspended</Status></VersioningConfiguration>"
    assert outcome(client.send("PUT", "/?versioning", body=suspended)) == (409, "InvalidBucketState")
    client.send("DELETE", "/?replication")
    assert client.send("PUT", "/?versioning", body=suspended).status == 200
