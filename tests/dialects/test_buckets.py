"""Buckets in the dialect S3: regions, pages of the list, expected owners, and who pays."""

from __future__ import annotations

import re

import pytest

from fakestore import FakeStore, UnsupportedRequest
from tests.support.access import open_bucket
from tests.support.cases import each
from tests.support.wire import elements

PAYER = b"<RequestPaymentConfiguration><Payer>Requester</Payer></RequestPaymentConfiguration>"


def names(reply):
    return re.findall("<Name>(.*?)</Name>", reply.body.decode())


def token(reply):
    found = re.search("<ContinuationToken>(.*?)</ContinuationToken>", reply.body.decode())
    return found and found[1]


def test_list_of_buckets_comes_in_pages(s3):
    for name in ("cats", "cars", "dogs"):
        s3.store.create_bucket(name)
    first = s3.send("GET", bucket=None, max_buckets=3)
    assert names(first) == ["cars", "cats", "dogs"]
    second = s3.send("GET", bucket=None, max_buckets=3, continuation_token=token(first))
    assert (names(second), token(second)) == (["photos"], None)
    assert names(s3.send("GET", bucket=None, prefix="ca")) == ["cars", "cats"]


@pytest.mark.parametrize(
    "query", [{"max-buckets": "0"}, {"max-buckets": "10001"}, {"max-buckets": "x"}, {"continuation-token": "%"}]
)
def test_invalid_page_of_buckets_is_refused(s3, query):
    refused = s3.send("GET", bucket=None, **query)
    assert (refused.status, elements(refused)["ArgumentName"]) == (400, next(iter(query)))


def test_list_of_buckets_is_limited_to_a_region(s3):
    body = b"<CreateBucketConfiguration><LocationConstraint>EU</LocationConstraint></CreateBucketConfiguration>"
    s3.send("PUT", bucket="west", body=body)
    reply = s3.send("GET", bucket=None, bucket_region="eu-west-1")
    assert names(reply) == ["west"]
    assert b"<BucketRegion>eu-west-1</BucketRegion>" in reply.body
    assert b"<BucketRegion>" not in s3.send("GET", bucket=None).body
    assert names(s3.send("GET", bucket=None, bucket_region="us-east-1")) == ["photos"]


def test_region_of_a_store_is_that_of_its_buckets():
    store = FakeStore(dialect="s3", region="eu-west-1", base_url="http://objects.test", buckets=["photos"])
    session = store.session()
    session.mount("http://", store.adapter())
    assert session.head(store.url("photos")).headers["x-amz-bucket-region"] == "eu-west-1"
    assert "eu-west-1</LocationConstraint>" in session.get(store.url("photos", location=None)).text
    assert session.put(store.url("other")).status_code == 400


def test_bucket_is_in_the_region_of_the_host_that_created_it():
    store = FakeStore(dialect="s3", region="eu-west-1")
    session = store.session()
    session.mount("https://", store.adapter())
    assert session.put("https://s3.us-east-1.amazonaws.com/east").status_code == 200
    assert session.head("https://s3.us-east-1.amazonaws.com/east").headers["x-amz-bucket-region"] == "us-east-1"


def test_unknown_region_of_a_store_is_refused():
    with pytest.raises(ValueError, match="invalid region 'mars-1': expected one of af-south-1"):
        FakeStore(region="mars-1")


def test_region_of_the_service_is_known_but_not_allowed_as_location(s3):
    body = b"<CreateBucketConfiguration><LocationConstraint>us-east-1</LocationConstraint></CreateBucketConfiguration>"
    assert s3.send("PUT", bucket="east", body=body).status == 400
    assert "'us-east-1' is known, but it is not allowed" in s3.store.exchanges[-1].explanation
    assert "unknown" not in s3.store.exchanges[-1].explanation


@pytest.mark.decision("bucket-namespace")
def test_name_in_the_namespace_of_an_account_names_the_region_of_the_bucket(s3):
    body = b"<CreateBucketConfiguration><LocationConstraint>EU</LocationConstraint></CreateBucketConfiguration>"
    headers = {"bucket-namespace": "account-regional"}
    for region, status in (("us-east-1", 400), ("eu-west-1", 200)):
        name = f"pets-{s3.store.default_account.number}-{region}-an"
        assert s3.send("PUT", bucket=name, headers=headers, body=body).status == status
        assert (name in s3.store) is (status == 200)


@pytest.mark.decision("create-bucket-document")
def test_empty_location_is_invalid_where_buckets_have_regions(s3):
    for location in ("<LocationConstraint></LocationConstraint>", "<LocationConstraint/>"):
        body = f"<CreateBucketConfiguration>{location}</CreateBucketConfiguration>".encode()
        refused = elements(s3.send("PUT", bucket="east", body=body))
        assert (refused["Code"], refused["LocationConstraint"]) == ("InvalidLocationConstraint", "")
    assert list(s3.store.buckets) == ["photos"]
    assert s3.send("PUT", bucket="east", body=b"<CreateBucketConfiguration/>").status == 200


def test_expected_owner_is_checked_for_both_buckets_of_a_copy(s3):
    mine, other = s3.store.default_account.number, s3.store.create_account("ann").number
    s3.store["photos"].put("cat.jpg")
    copy = {"copy-source": "/photos/cat.jpg"}
    for header in ("expected-bucket-owner", "source-expected-bucket-owner"):
        assert s3.send("PUT", "/copy", headers=copy | {header: mine}).status == 200
        assert s3.send("PUT", "/copy", headers=copy | {header: other}).status == 403
        assert s3.send("PUT", "/copy", headers=copy | {header: "me"}).status == 400


@pytest.mark.decision("request-payment")
def test_requester_pays_or_is_refused(s3):
    ann, agrees = s3.store.create_account("ann"), {"request-payer": "requester"}
    open_bucket(s3.store).put("cat.jpg", b"meow", acl="public-read")
    s3.store.create_bucket("of-ann", owner=ann)
    s3.send("PUT", requestPayment=None, body=PAYER)
    copied = agrees | {"copy-source": "/photos/cat.jpg"}
    for case in each(
        (s3.send("GET", "/cat.jpg"), 200, None),
        (s3.send("GET", "/cat.jpg", headers=agrees), 200, None),
        (s3.send("GET", "/cat.jpg", account=ann), 403, None),
        (s3.send("GET", "/cat.jpg", account=ann, headers=agrees), 200, "requester"),
        (s3.send("GET", "/none.jpg", account=ann, headers=agrees), 403, None),
        (s3.send("GET", "/cat.jpg", signed=False, headers=agrees), 403, None),
        (s3.send("PUT", "/k", bucket="of-ann", account=ann, headers=copied), 200, "requester"),
        (s3.send("PUT", "/k", {"copy-source": "/photos/cat.jpg"}, bucket="of-ann", account=ann), 403, None),
        (s3.send("GET", "/k", bucket="of-ann", account=ann, headers=agrees), 200, None),
    ):
        with case as (reply, status, charged):
            assert (reply.status, s3.header(reply, "request-charged")) == (status, charged)


@pytest.mark.decision("request-payment")
def test_payer_other_than_the_requester_is_unsupported(s3):
    with pytest.raises(UnsupportedRequest, match="'owner' of x-amz-request-payer"):
        s3.send("GET", headers={"request-payer": "owner"})
