"""PUT, HEAD and DELETE of a bucket, its location and versioning, and the list of buckets."""

from __future__ import annotations

import boto3
import pytest
from freezegun import freeze_time

from fakestore import FakeStore, MfaDevice, UnsupportedRequest, fake_store
from tests.support.cases import each
from tests.support.wire import document, outcome, request


@pytest.fixture
def store():
    return FakeStore()


@pytest.fixture
def bob(store):
    return store.create_account("bob")


def constraint(location):
    element = f"<LocationConstraint>{location}</LocationConstraint>"
    return f"<CreateBucketConfiguration>{element}</CreateBucketConfiguration>".encode()


def put_versioning(store, *elements, account=None):
    body = f"<VersioningConfiguration>{''.join(elements)}</VersioningConfiguration>".encode()
    return outcome(request(store, "PUT", "photos", account=account, body=body, versioning=None))


# PUT Bucket


def test_put_creates_a_private_bucket_of_the_requester(store, bob):
    reply = request(store, "PUT", "photos", account=bob)
    assert (reply.status, reply.headers["Location"], bytes(reply.body)) == (200, "/photos", b"")
    photos = store["photos"]
    assert (photos.owner, photos.versioning, str(photos.acl)) == (bob, "never", "bob:FULL_CONTROL")


def test_put_with_an_unknown_acl_creates_no_bucket(store):
    assert outcome(request(store, "PUT", "photos", headers={"x-svc-acl": "open"})) == (400, "InvalidArgument")
    assert list(store.buckets) == []


@pytest.mark.decision("put-of-an-existing-bucket")
def test_put_by_the_owner_again_keeps_everything_but_the_acl(store):
    photos = store.create_bucket("photos", versioning="enabled", acl="public-read")
    photos.put("k", b"1")
    assert request(store, "PUT", "photos").status == 200
    assert (photos["k"].content, photos.versioning, str(photos.acl)) == (b"1", "enabled", "default:FULL_CONTROL")
    assert request(store, "PUT", "photos", headers={"x-svc-acl": "public-read"}).status == 200
    assert str(photos.acl) == "default:FULL_CONTROL, AllUsers:READ"


@pytest.mark.decision("put-of-an-existing-bucket")
def test_put_of_a_bucket_of_another_account_changes_nothing(store, bob):
    photos = store.create_bucket("photos", acl="public-read-write")
    acl = photos.acl
    assert outcome(request(store, "PUT", "photos", account=bob)) == (409, "BucketAlreadyExists")
    assert (photos.owner, photos.acl) == (store.default_account, acl)


@pytest.mark.decision("create-bucket-document")
def test_location_is_empty(store):
    assert request(store, "PUT", "photos", body=constraint("")).status == 200
    located = document(request(store, "GET", "photos", location=None))
    assert (located.tag, located.text, len(located)) == ("LocationConstraint", None, 0)


@pytest.mark.decision("create-bucket-document")
def test_invalid_location_creates_no_bucket(store):
    for body, code in [
        (constraint("mars"), "InvalidLocationConstraint"),
        (constraint("us-east-1"), "InvalidLocationConstraint"),
        (b"photos", "MalformedXML"),
        (b"<LocationConstraint/>", "MalformedXML"),
    ]:
        assert outcome(request(store, "PUT", "photos", body=body)) == (400, code)
        assert list(store.buckets) == []


@pytest.mark.decision("create-bucket-document")
def test_region_is_unsupported_without_regions(store):
    for case in each("eu-west-1", "us-gov-east-1", "EU"):
        with case as region:
            with pytest.raises(UnsupportedRequest, match=f"LocationConstraint.*'{region}'"):
                request(store, "PUT", "photos", body=constraint(region))
    assert list(store.buckets) == []


# Names

VALID = ["abc", "a.b", "a-b", "0ab", "a" * 63, "my.photos.2030", "1.2.3", "xn--abc"]
INVALID = ["ab", "a" * 64, "a_b", "-ab", "ab-", "a..b", "ab.", "192.168.0.1"]


@pytest.mark.decision("bucket-names")
def test_bucket_name_is_checked_over_http_and_in_python(store):
    for case in each(*VALID):
        with case as name:
            assert request(store, "PUT", name).status == 200
    assert sorted(VALID) == list(store.buckets)
    session = store.session()
    session.mount("http://", store.adapter())
    for case in each(*INVALID):
        with case as name:
            reply = session.put(store.url("photos"), headers={"Host": f"{name}.objects.test"})
            assert (reply.status_code, store.exchanges[-1].error_code) == (400, "InvalidBucketName")
    for case in each(*INVALID, "Photos", "", "\xe9" * 3, "a b", "a/b", "abc\n"):
        with case as name:
            with pytest.raises(ValueError, match="bucket name"):
                store.create_bucket(name)
            with pytest.raises(ValueError, match="bucket name"):
                FakeStore(buckets=[name])
    assert sorted(VALID) == list(store.buckets)


def test_name_of_an_existing_bucket_is_a_value_error_in_python(store, bob):
    store.create_bucket("photos", owner=bob)
    with pytest.raises(ValueError, match=r"photos.*bob"):
        store.create_bucket("photos")


# HEAD and DELETE


def test_head_tells_whether_the_requester_may_read_the_bucket(store, bob):
    store.create_bucket("photos")
    replies = [
        request(store, "HEAD", "photos"),
        request(store, "HEAD", "photos", account=bob),
        request(store, "HEAD", "films"),
    ]
    assert [(reply.status, bytes(reply.body)) for reply in replies] == [(200, b""), (403, b""), (404, b"")]


def test_delete_removes_an_empty_bucket_and_its_settings(store):
    photos = store.create_bucket("photos", versioning="enabled")
    photos.expire(rule_id="r", days=1)
    photos.put("k", b"1")
    photos.delete("k")
    for entry in photos.versions():
        reply = request(store, "DELETE", "photos")
        assert outcome(reply) == (409, "BucketNotEmpty")
        assert document(reply).findtext("BucketName") == "photos"
        photos.delete_version("k", entry.version_id)
    assert outcome(request(store, "DELETE", "photos")) == (204, None)
    assert outcome(request(store, "DELETE", "photos")) == (404, "NoSuchBucket")
    assert request(store, "PUT", "photos").status == 200
    lifecycle = request(store, "GET", "photos", lifecycle=None)
    assert (photos.versioning, outcome(lifecycle)) == ("never", (404, "NoSuchLifecycleConfiguration"))


@pytest.mark.parametrize("versioning", ["never", "enabled", "suspended"])
def test_bucket_with_an_object_or_only_a_delete_marker_stays(store, versioning):
    photos = store.create_bucket("photos", versioning=versioning)
    photos.put("k", b"1") if versioning == "never" else photos.delete("k")
    reply = request(store, "DELETE", "photos")
    assert outcome(reply) == (409, "BucketNotEmpty")
    assert ("versions" in document(reply).findtext("Message")) is (versioning != "never")
    assert "still has 1 version of 1 key" in store.exchanges[-1].explanation
    assert len(photos.versions()) == 1


# The list of buckets


def test_service_lists_the_buckets_of_the_requester_by_name(store, bob):
    with freeze_time("2030-01-01 10:00"):
        store.create_bucket("zebras", acl="public-read")
    with freeze_time("2030-01-02 11:00"):
        store.create_bucket("apes")
        store.create_bucket("his", owner=bob)
        listed = document(request(store, "GET"))
    owner = store.default_account
    assert [listed.findtext("Owner/ID"), listed.findtext("Owner/DisplayName")] == [owner.id, owner.display_name]
    assert [[child.text for child in each] for each in listed.findall("Buckets/Bucket")] == [
        ["apes", "2030-01-02T11:00:00.000Z"],
        ["zebras", "2030-01-01T10:00:00.000Z"],
    ]
    assert [name.text for name in document(request(store, "GET", account=bob)).iter("Name")] == ["his"]
    empty = document(request(store, "GET", account=store.create_account("eve")))
    assert (empty.tag, len(empty.find("Buckets"))) == ("ListAllMyBucketsResult", 0)


# Versioning


def test_versioning_is_set_and_returned(store):
    photos = store.create_bucket("photos")
    assert len(document(request(store, "GET", "photos", versioning=None))) == 0
    for status in ("Suspended", "Enabled", "Suspended", "Enabled"):
        assert put_versioning(store, f"<Status>{status}</Status>") == (200, None)
        configuration = document(request(store, "GET", "photos", versioning=None))
        assert [(child.tag, child.text) for child in configuration] == [("Status", status)]
        assert photos.versioning == status.lower()


# Versioning in Python


def test_invalid_versioning_in_python_changes_nothing(store):
    photos = store.create_bucket("photos")
    for case in each("Enabled", "", "off"):
        with case as name:
            with pytest.raises(ValueError, match="'never', 'enabled', 'suspended'"):
                photos.versioning = name
    with pytest.raises(ValueError, match="MFA Delete"):
        photos.enable_mfa_delete(MfaDevice("serial", "123456"))
    assert photos.versioning == "never"
    assert len(document(request(store, "GET", "photos", versioning=None))) == 0
    for state in ("enabled", "suspended"):
        photos.versioning = state
        with pytest.raises(ValueError, match="never"):
            photos.versioning = "never"
        assert photos.versioning == state


@pytest.mark.decision("bucket-namespace")
def test_bucket_is_created_in_the_global_namespace():
    with fake_store(dialect="s3") as store:
        s3 = boto3.client("s3")
        if "BucketNamespace" not in s3.meta.service_model.shape_for("CreateBucketRequest").members:
            pytest.skip("this boto3 does not have the parameter")
        s3.create_bucket(Bucket="photos", BucketNamespace="global")
        assert "photos" in store


@pytest.mark.decision("bucket-namespace")
def test_name_in_the_namespace_of_an_account_ends_with_account_and_region(store):
    header, number = "x-svc-bucket-namespace", store.default_account.number
    assert outcome(request(store, "PUT", "pets", headers={header: "galactic"})) == (400, "InvalidArgument")
    for name in ("pets", f"pets-{number}-eu-west-1-an", "pets-111122223333-us-east-1-an", f"pets-{number}-us-east-1"):
        reply = request(store, "PUT", name, headers={header: "account-regional"})
        assert outcome(reply) == (400, "InvalidBucketName")
        assert name not in store
    name = f"pets-{number}-us-east-1-an"
    assert request(store, "PUT", name, headers={header: "account-regional"}).status == 200
    assert name in store
