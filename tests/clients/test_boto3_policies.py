"""Bucket policies with conditions and boto3 as it is; signatures are verified."""

from __future__ import annotations

import io
import json
from functools import cache

import boto3
import pytest
import requests
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import ClientError

from fakestore import fake_store
from tests.support.access import open_bucket
from tests.support.cases import each

MIB = 1024**2
OBJECTS = "arn:aws:s3:::photos/*"

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def store():
    with fake_store(
        dialect="s3", buckets=["photos"], signatures="verify", access_key_id="AKIDEXAMPLE", secret_key="secret"
    ) as store:
        yield store


@cache  # a client takes longer than its requests
def client(access_key_id="AKIDEXAMPLE", secret_key="secret", **config):
    return boto3.client(
        "s3",
        region_name="us-east-1",
        aws_access_key_id=access_key_id,
        aws_secret_access_key=secret_key,
        config=Config(**config),
    )


def put_policy(*statements):
    document = {"Version": "2012-10-17", "Statement": statements}
    client().put_bucket_policy(Bucket="photos", Policy=json.dumps(document))


def deny_if(operator, key, value, action="s3:GetObject"):
    condition = {operator: {key: value}}
    put_policy({"Effect": "Deny", "Principal": "*", "Action": action, "Resource": OBJECTS, "Condition": condition})


def outcome(call, **arguments):
    """Return what a call led to: its error, or None."""
    try:
        call(Bucket="photos", **arguments)
    except ClientError as error:
        return error.response["Error"]["Code"]
    return None


def test_uploads_are_allowed_only_encrypted_and_under_one_prefix(store):
    bob = store.create_account("bob")
    put_policy(
        {
            "Sid": "uploads of bob",
            "Effect": "Allow",
            "Principal": {"AWS": f"arn:aws:iam::{bob.number}:root"},
            "Action": "s3:PutObject",
            "Resource": "arn:aws:s3:::photos/uploads/*",
        },
        {
            "Sid": "only encrypted",
            "Effect": "Deny",
            "Principal": "*",
            "Action": "s3:PutObject",
            "Resource": OBJECTS,
            "Condition": {"StringNotEquals": {"s3:x-amz-server-side-encryption": ["AES256", "aws:kms"]}},
        },
    )
    s3 = client(bob.access_key_id, bob.secret_key)
    assert outcome(s3.put_object, Key="uploads/cat.jpg", Body=b"meow", ServerSideEncryption="AES256") is None
    assert outcome(s3.put_object, Key="uploads/cat.jpg", Body=b"meow") == "AccessDenied"
    assert "denied by statement 2" in store.exchanges[-1].explanation
    assert "'only encrypted'" in store.exchanges[-1].explanation
    assert outcome(s3.put_object, Key="cat.jpg", Body=b"meow", ServerSideEncryption="AES256") == "AccessDenied"
    assert outcome(client().put_object, Key="uploads/dog.jpg", Body=b"woof") == "AccessDenied"
    assert list(store["photos"]) == ["uploads/cat.jpg"]


@pytest.mark.decision("policy-conditions-of-uploads")
def test_large_upload_names_its_encryption_once_for_all_parts(store):
    deny_if("Null", "s3:x-amz-server-side-encryption", True, "s3:PutObject")
    parts = TransferConfig(multipart_threshold=5 * MIB, multipart_chunksize=5 * MIB)
    film = io.BytesIO(bytes(6 * MIB))
    client().upload_fileobj(film, "photos", "film", ExtraArgs={"ServerSideEncryption": "aws:kms"}, Config=parts)
    assert store["photos"]["film"].size == 6 * MIB
    assert outcome(client().create_multipart_upload, Key="other") == "AccessDenied"


@pytest.mark.decision("policy-conditions-of-uploads")
def test_each_part_has_the_signature_of_its_own_request(store):
    deny_if("Null", "s3:x-amz-content-sha256", True, "s3:PutObject")
    s3 = client(signature_version="s3v4")
    upload = s3.create_multipart_upload(Bucket="photos", Key="film")
    part = {"Bucket": "photos", "Key": "film", "UploadId": upload["UploadId"], "PartNumber": 1}
    s3.upload_part(**part, Body=b"frames")
    assert requests.put(s3.generate_presigned_url("upload_part", part), data=b"frames").status_code == 403


def test_listing_is_limited_to_a_folder_and_a_page(store):
    bob = store.create_account("bob")
    put_policy(
        {
            "Effect": "Allow",
            "Principal": {"AWS": bob.number},
            "Action": "s3:ListBucket",
            "Resource": "arn:aws:s3:::photos",
            "Condition": {"StringLike": {"s3:prefix": "bob/*"}, "NumericLessThanEquals": {"s3:max-keys": 10}},
        }
    )
    s3 = client(bob.access_key_id, bob.secret_key)
    assert outcome(s3.list_objects_v2, Prefix="bob/", MaxKeys=10) is None
    for case in each({"Prefix": "bob/", "MaxKeys": 11}, {"Prefix": "ann/", "MaxKeys": 10}, {"Prefix": "bob/"}):
        with case as query:
            assert outcome(s3.list_objects_v2, **query) == "AccessDenied"


@pytest.mark.decision("condition-keys")
@pytest.mark.parametrize(
    ("operator", "key", "value", "refused"),
    [
        ("StringEquals", "s3:signatureversion", "AWS", {"header v2", "query v2"}),
        ("StringEquals", "s3:signatureversion", "AWS4-HMAC-SHA256", {"header v4", "query v4"}),
        ("StringEquals", "s3:authType", "REST-HEADER", {"header v2", "header v4"}),
        ("StringEquals", "s3:authType", "REST-QUERY-STRING", {"query v2", "query v4"}),
        ("Null", "s3:authType", "true", {"anonymous"}),
        ("NumericGreaterThanEquals", "s3:signatureAge", 600_000, {"query v4"}),
        ("NumericGreaterThan", "s3:signatureAge", 600_000, set()),
        ("Null", "s3:x-amz-content-sha256", "false", {"header v4"}),
        ("StringEquals", "aws:userid", "anonymous", {"anonymous"}),
        ("StringEquals", "aws:PrincipalType", "Anonymous", {"anonymous"}),
        ("Null", "aws:PrincipalArn", "true", {"anonymous"}),
        ("Bool", "aws:SecureTransport", "false", set()),
    ],
)
def test_condition_is_about_the_form_of_the_signature(store, noon, operator, key, value, refused):
    open_bucket(store).put("cat.jpg", b"meow", acl="public-read")
    deny_if(operator, key, value)
    forms = {"v2": client(signature_version="s3"), "v4": client(signature_version="s3v4")}
    cat = {"Bucket": "photos", "Key": "cat.jpg"}
    urls = {f"query {form}": s3.generate_presigned_url("get_object", cat) for form, s3 in forms.items()}
    urls["anonymous"] = store.url("photos", "cat.jpg")
    noon.tick(600)
    answers = {form: requests.get(url).status_code == 200 for form, url in urls.items()}
    answers |= {f"header {form}": outcome(s3.get_object, Key="cat.jpg") is None for form, s3 in forms.items()}
    assert {form for form, succeeded in answers.items() if not succeeded} == refused


@pytest.mark.decision("policy-status")
def test_policy_status_is_read_by_boto3(store):
    open_bucket(store)
    for principal, is_public in [("*", True), ({"AWS": store.default_account.number}, False)]:
        put_policy({"Effect": "Allow", "Principal": principal, "Action": "s3:GetObject", "Resource": OBJECTS})
        assert client().get_bucket_policy_status(Bucket="photos")["PolicyStatus"] == {"IsPublic": is_public}


@pytest.mark.decision("policy-and-acl")
def test_policies_of_other_services_are_stored_and_match_no_request(store):
    """As the guides of CloudTrail, CloudFront and access points write them."""
    logs = {
        "Effect": "Allow",
        "Principal": {"Service": ["cloudtrail.amazonaws.com", "logging.s3.amazonaws.com"]},
        "Action": "s3:PutObject",
        "Resource": "arn:aws:s3:::photos/AWSLogs/*",
        "Condition": {
            "StringEquals": {"s3:x-amz-acl": "bucket-owner-full-control", "aws:SourceAccount": "111122223333"},
            "ArnLike": {"aws:SourceArn": "arn:aws:cloudtrail:us-east-1:111122223333:trail/*"},
        },
    }
    website = {
        "Effect": "Allow",
        "Principal": {"CanonicalUser": "79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be"},
        "Action": "s3:GetObject",
        "Resource": OBJECTS,
    }
    organization = website | {"Principal": "*", "Condition": {"StringEquals": {"aws:PrincipalOrgID": "o-example"}}}
    put_policy(logs, website, organization)
    bob = store.create_account("bob")
    store["photos"].deny(bob, "s3:DeleteObject")
    rendered = json.loads(client().get_bucket_policy(Bucket="photos")["Policy"])["Statement"]
    assert rendered[:3] == [logs, website, organization]
    store["photos"].put("cat.jpg")
    assert outcome(client(bob.access_key_id, bob.secret_key).get_object, Key="cat.jpg") == "AccessDenied"
    with pytest.raises(ClientError, match="MalformedPolicy"):
        put_policy(logs | {"Principal": {"Service": "cloudtrail"}})


@pytest.mark.decision("policy-status")
def test_a_policy_for_one_network_is_not_public(store):
    allow = {"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": OBJECTS}
    for case in each("aws:SourceVpce", "aws:SourceVpc", "aws:SourceAccount", "aws:SourceArn", "aws:PrincipalOrgID"):
        with case as key:
            put_policy(allow | {"Condition": {"StringEquals": {key: "x"}}})
            assert client().get_bucket_policy_status(Bucket="photos")["PolicyStatus"] == {"IsPublic": False}
