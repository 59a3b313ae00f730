"""Buckets in several regions: boto3 follows the errors that name the right region, and other clients see them."""

from __future__ import annotations

import boto3
import pytest
import requests
from botocore.client import Config
from botocore.exceptions import ClientError, HTTPClientError

from fakestore import fake_store
from tests.support.wire import elements

pytestmark = [pytest.mark.filterwarnings("ignore::DeprecationWarning"), pytest.mark.decision("regions")]

#: The region of each bucket.
BUCKETS = {"virginia": "us-east-1", "ireland": "eu-west-1", "frankfurt": "eu-central-1"}
#: The calls that work in every region, and what their answers have in common.
CALLS = {
    "head_bucket": lambda s3, bucket: s3.head_bucket(Bucket=bucket)["BucketRegion"] == BUCKETS[bucket],
    "head_object": lambda s3, bucket: s3.head_object(Bucket=bucket, Key="cat.jpg")["ContentLength"] == 4,
    "list_objects_v2": lambda s3, bucket: s3.list_objects_v2(Bucket=bucket)["KeyCount"] == 1,
    "get_object": lambda s3, bucket: s3.get_object(Bucket=bucket, Key="cat.jpg")["Body"].read() == b"meow",
    "put_object": lambda s3, bucket: s3.put_object(Bucket=bucket, Key="dog.jpg", Body=b"woof")["ETag"] != "",
    "get_bucket_location": lambda s3, bucket: (
        (s3.get_bucket_location(Bucket=bucket)["LocationConstraint"] or "us-east-1") == BUCKETS[bucket]
    ),
}


@pytest.fixture(params=["accept", "verify"])
def store(request):
    with fake_store(dialect="s3", signatures=request.param) as store:
        for name, region in BUCKETS.items():
            location = f"<LocationConstraint>{region}</LocationConstraint>" if region != "us-east-1" else ""
            body = f"<CreateBucketConfiguration>{location}</CreateBucketConfiguration>" if location else ""
            assert requests.put(store.url(name), body, auth=store.auth()).status_code == 200
            store[name].put("cat.jpg", b"meow")
        yield store


def client_of(region, style="virtual", **options):
    return boto3.client("s3", region_name=region, config=Config(s3={"addressing_style": style}, **options))


def code_of(call, **arguments):
    with pytest.raises(ClientError) as caught:
        call(**arguments)
    return caught.value.response["Error"]["Code"]


@pytest.mark.parametrize("store", ["verify"], indirect=True)
@pytest.mark.parametrize("style", ["virtual", "path"])
@pytest.mark.parametrize("region", ["us-east-1", "eu-west-1", "ap-south-1"])
def test_boto3_reaches_the_buckets_of_all_regions(store, region, style):
    for name, is_right in CALLS.items():
        s3 = client_of(region, style)  # a client remembers the region of a bucket
        for bucket in BUCKETS:
            assert is_right(s3, bucket), (name, bucket)
    assert [each["Name"] for each in client_of(region).list_buckets()["Buckets"]] == sorted(BUCKETS)
    for name in ("GET Service", "GET Bucket location"):  # they belong to no region
        assert {call.status for call in store.calls(name)} == {200}


def test_the_list_of_buckets_needs_a_signature_for_the_region_of_the_host(store):
    for host, signed_for, expected in [
        ("s3.amazonaws.com", "eu-west-1", "us-east-1"),
        ("s3.amazonaws.com", "bogus", "us-east-1"),
        ("s3.eu-west-1.amazonaws.com", "us-east-1", "eu-west-1"),
    ]:
        s3 = boto3.client("s3", region_name=signed_for, endpoint_url=f"https://{host}")
        assert code_of(s3.list_buckets) == "AuthorizationHeaderMalformed"
        assert f"configure the client with the region {expected!r}" in store.exchanges[-1].explanation
        s3 = boto3.client("s3", region_name=expected, endpoint_url=f"https://{host}")
        assert len(s3.list_buckets()["Buckets"]) == 3


def test_list_of_buckets_of_another_region_is_unsupported_at_a_host_that_names_a_region(store):
    urls = ["https://s3.amazonaws.com", "https://s3.eu-central-1.amazonaws.com", "https://s3.us-east-1.amazonaws.com"]
    everywhere, frankfurt, virginia = (
        boto3.client("s3", region_name=region, endpoint_url=url)
        for region, url in zip(("us-east-1", "eu-central-1", "us-east-1"), urls, strict=True)
    )
    for s3 in (everywhere, frankfurt):
        assert [each["Name"] for each in s3.list_buckets(BucketRegion="eu-central-1")["Buckets"]] == ["frankfurt"]
    for s3, region in ((frankfurt, "us-east-1"), (virginia, "eu-central-1")):
        with pytest.raises(HTTPClientError, match=f"bucket-region is '{region}'.* use a client of '{region}'"):
            s3.list_buckets(BucketRegion=region)
    store.unhandled_requests.clear()


def test_client_asks_once_in_the_wrong_region(store):
    s3 = client_of("eu-central-1")
    for _ in range(2):
        s3.get_object(Bucket="ireland", Key="cat.jpg")
    assert [call.status for call in store.calls("GET Object")] == [301, 200, 200]
    assert "'ireland' is in 'eu-west-1'" in store.calls("GET Object")[0].explanation


def test_global_host_leads_to_the_bucket_but_expects_a_signature_of_its_region(store):
    s3 = client_of("us-east-1")
    s3.get_object(Bucket="ireland", Key="cat.jpg")
    assert [call.status for call in store.calls("GET Object")] == [400, 200]
    assert requests.get("https://ireland.s3.amazonaws.com/cat.jpg", auth=store.auth()).content == b"meow"


@pytest.mark.parametrize("host", ["{}.s3.eu-central-1.amazonaws.com", "s3-eu-central-1.amazonaws.com/{}"])
def test_other_endpoint_is_a_permanent_redirect_that_names_the_right_one(store, host):
    for auth in (store.auth(), None):  # it comes before the credentials are read
        for method in ("GET", "HEAD", "PUT", "DELETE"):
            reply = requests.request(method, f"https://{host.format('ireland')}/cat.jpg", auth=auth)
            assert (reply.status_code, reply.headers["x-amz-bucket-region"]) == (301, "eu-west-1")
            assert "Location" not in reply.headers
            if method == "HEAD":
                assert reply.content == b""
                continue
            named = elements(reply.content)
            assert (named["Code"], named["Bucket"]) == ("PermanentRedirect", "ireland")
            assert named["Endpoint"] == "ireland.s3.eu-west-1.amazonaws.com"


def test_refused_head_bucket_names_the_region_too(store):
    stranger = store.create_account("stranger")
    for auth in (None, store.auth(stranger)):
        for host in (
            "ireland.s3.amazonaws.com",
            "ireland.s3.eu-west-1.amazonaws.com",
            "s3.eu-west-1.amazonaws.com/ireland",
        ):
            reply = requests.head(f"https://{host}", auth=auth)
            assert (reply.status_code, reply.headers["x-amz-bucket-region"]) == (403, "eu-west-1")
    assert "x-amz-bucket-region" not in requests.head("https://nowhere.s3.amazonaws.com").headers


def test_preflight_in_another_region_is_a_redirect(store):
    rules = {"CORSRules": [{"AllowedOrigins": ["*"], "AllowedMethods": ["GET"]}]}
    client_of("eu-west-1").put_bucket_cors(Bucket="ireland", CORSConfiguration=rules)
    headers = {"Origin": "https://www.example.com", "Access-Control-Request-Method": "GET"}
    status = {
        host: requests.options(f"https://ireland.{host}.amazonaws.com/cat.jpg", headers=headers).status_code
        for host in ("s3", "s3.eu-west-1", "s3.eu-central-1")
    }
    assert status == {"s3": 200, "s3.eu-west-1": 200, "s3.eu-central-1": 301}


def test_presigned_url_of_another_region_names_the_right_one(store):
    arguments = {"ClientMethod": "get_object", "Params": {"Bucket": "frankfurt", "Key": "cat.jpg"}}
    right = client_of("eu-central-1", signature_version="s3v4").generate_presigned_url(**arguments)
    assert requests.get(right).content == b"meow"
    elsewhere = requests.get(client_of("eu-west-1", signature_version="s3v4").generate_presigned_url(**arguments))
    assert (elsewhere.status_code, elsewhere.headers["x-amz-bucket-region"]) == (301, "eu-central-1")
    virginia = requests.get(client_of("us-east-1", signature_version="s3v4").generate_presigned_url(**arguments))
    assert (virginia.status_code, virginia.headers["x-amz-bucket-region"]) == (400, "eu-central-1")
    assert "<Code>AuthorizationQueryParametersError</Code>" in virginia.text
    assert "<Region>eu-central-1</Region>" in virginia.text
    assert requests.get(store.presign("GET", "frankfurt", "cat.jpg", expires_in=60)).content == b"meow"


def test_form_of_another_region_is_refused(store):
    form = client_of("us-east-1", signature_version="s3v4").generate_presigned_post("ireland", "dog.jpg")
    reply = requests.post("https://ireland.s3.amazonaws.com/", data=form["fields"], files={"file": b"woof"})
    assert (reply.status_code, "expecting 'eu-west-1'" in reply.text) == (400, True)
    form = client_of("eu-west-1", signature_version="s3v4").generate_presigned_post("ireland", "dog.jpg")
    assert requests.post(form["url"], data=form["fields"], files={"file": b"woof"}).status_code == 204


def test_copy_has_a_source_in_another_region(store):
    source = {"Bucket": "ireland", "Key": "cat.jpg"}
    client_of("eu-central-1").copy_object(Bucket="frankfurt", Key="copy.jpg", CopySource=source)
    assert store["frankfurt"]["copy.jpg"].content == b"meow"


def test_location_of_another_region_is_illegal(store):
    for region in ("eu-west-1", "eu-central-1"):
        location = {"LocationConstraint": "us-west-2"}
        code = code_of(client_of(region).create_bucket, Bucket="oregon", CreateBucketConfiguration=location)
        assert code == "IllegalLocationConstraintException"
    assert "oregon" not in list(store.buckets)


def test_bucket_of_another_region_is_not_created_again(store):
    assert code_of(client_of("us-east-1").create_bucket, Bucket="ireland") == "BucketAlreadyOwnedByYou"


@pytest.mark.parametrize("signatures", ["accept", "verify"])
@pytest.mark.parametrize("base_url", [None, "https://s3.eu-west-1.amazonaws.com"])
def test_store_signs_for_its_own_region(signatures, base_url):
    region = "eu-west-1" if base_url is None else None
    with fake_store(dialect="s3", region=region, base_url=base_url, signatures=signatures, buckets=["photos"]) as store:
        assert client_of("us-east-1").head_bucket(Bucket="photos")["BucketRegion"] == "eu-west-1"
        assert requests.put(store.url("photos", "cat.jpg"), b"meow", auth=store.auth()).status_code == 200
        assert requests.get(store.presign("GET", "photos", "cat.jpg", expires_in=60)).content == b"meow"
        # The global host creates buckets in us-east-1, and each regional host in its own region.
        code = "BucketAlreadyOwnedByYou" if base_url is None else "IllegalLocationConstraintException"
        assert f"<Code>{code}</Code>" in requests.put(store.url("photos"), auth=store.auth()).text
        assert b"<Name>photos</Name>" in requests.get(store.base_url, auth=store.auth()).content


def test_host_of_the_test_itself_answers_for_all_regions():
    with fake_store(dialect="s3", base_url="http://objects.test", signatures="verify", buckets=["photos"]):
        s3 = client_of("eu-west-1", style="path")
        s3.create_bucket(Bucket="oregon", CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
        for name in ("photos", "oregon"):
            assert s3.head_bucket(Bucket=name)["ResponseMetadata"]["RetryAttempts"] == 0


def test_head_follows_the_region_of_the_option():
    url = "http://objects.test"
    with fake_store(dialect="s3", base_url=url, region="eu-west-1", signatures="verify", buckets=["photos"]) as store:
        store["photos"].put("cat.jpg", b"meow")
        assert client_of("us-east-1").head_object(Bucket="photos", Key="cat.jpg")["ContentLength"] == 4
        assert client_of("us-east-1").head_bucket(Bucket="photos")["BucketRegion"] == "eu-west-1"
        assert client_of("us-east-1").list_buckets()["Buckets"][0]["Name"] == "photos"
