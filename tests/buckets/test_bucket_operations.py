"""PUT, HEAD and DELETE of a bucket, the service's list, and the location."""

from __future__ import annotations

import pytest
import requests
from freezegun import freeze_time
from lxml import etree

from fakestore import fake_store


@pytest.fixture
def store():
    with fake_store() as store:
        yield store


@pytest.fixture
def bob(store):
    return store.create_account("bob")


def code(reply: requests.Response) -> tuple[int, str | None]:
    return reply.status_code, etree.fromstring(reply.content).findtext("Code") if reply.content else None


def put_bucket(store, name, account=None, **options):
    return requests.put(store.url(name), auth=store.auth(account), **options)


def test_a_put_makes_a_bucket_that_belongs_to_the_requester(store, bob):
    reply = put_bucket(store, "photos", bob)
    assert (reply.status_code, reply.headers["Location"], reply.content) == (200, "/photos", b"")
    assert (store["photos"].owner, store["photos"].versioning) == (bob, "never")


def test_a_bucket_is_private_unless_asked_otherwise(store):
    put_bucket(store, "photos")
    assert [str(grant) for grant in store["photos"].acl.grants] == [
        str(grant) for grant in store.create_bucket("another").acl.grants
    ]


def test_a_canned_acl_is_given_to_the_bucket(store):
    put_bucket(store, "photos", headers={"x-svc-acl": "public-read-write"})
    assert store["photos"].acl == store.create_bucket("another", acl="public-read-write").acl


def test_an_unknown_canned_acl_makes_no_bucket(store):
    assert code(put_bucket(store, "photos", headers={"x-svc-acl": "open"})) == (400, "InvalidArgument")
    assert list(store.buckets) == []


def test_an_owner_may_create_a_bucket_again_and_its_content_stays(store):
    store.create_bucket("photos", versioning="enabled").put("k", b"1")
    assert put_bucket(store, "photos").status_code == 200
    assert (store["photos"]["k"].content, store["photos"].versioning) == (b"1", "enabled")


def test_creating_a_bucket_again_sets_its_acl_anew(store):  # create-again
    store.create_bucket("photos", acl="public-read")
    put_bucket(store, "photos")
    assert store["photos"].acl == store.create_bucket("another").acl


def test_a_bucket_of_another_account_cannot_be_created_again(store, bob):
    store.create_bucket("photos", acl="public-read-write").put("k", b"1")
    assert code(put_bucket(store, "photos", bob)) == (409, "BucketAlreadyExists")
    assert (store["photos"].owner, store["photos"]["k"].content) == (store.default_account, b"1")


def test_a_location_that_there_is_not_makes_no_bucket(store):
    body = b"<CreateBucketConfiguration><LocationConstraint>mars</LocationConstraint></CreateBucketConfiguration>"
    assert code(put_bucket(store, "photos", data=body)) == (400, "InvalidLocationConstraint")
    assert list(store.buckets) == []


def test_an_empty_location_is_the_one_there_is(store):
    body = b"<CreateBucketConfiguration><LocationConstraint/></CreateBucketConfiguration>"
    assert put_bucket(store, "photos", data=body).status_code == 200


@pytest.mark.parametrize("body", [b"photos", b"<LocationConstraint/>"])
def test_another_document_makes_no_bucket(store, body):
    assert code(put_bucket(store, "photos", data=body)) == (400, "MalformedXML")
    assert list(store.buckets) == []


def test_head_says_that_a_bucket_is_there(store):
    store.create_bucket("photos")
    reply = requests.head(store.url("photos"), auth=store.auth())
    assert (reply.status_code, reply.content) == (200, b"")


def test_head_of_no_bucket_has_no_body(store):
    reply = requests.head(store.url("photos"), auth=store.auth())
    assert (reply.status_code, reply.content) == (404, b"")


def test_head_of_a_strangers_private_bucket_is_denied(store, bob):
    store.create_bucket("photos")
    assert requests.head(store.url("photos"), auth=store.auth(bob)).status_code == 403


def test_an_empty_bucket_is_deleted(store):
    store.create_bucket("photos")
    reply = requests.delete(store.url("photos"), auth=store.auth())
    assert (reply.status_code, reply.content, list(store.buckets)) == (204, b"", [])


def test_a_bucket_that_is_not_there_cannot_be_deleted(store):
    assert code(requests.delete(store.url("photos"), auth=store.auth())) == (404, "NoSuchBucket")


def test_a_bucket_with_an_object_is_not_deleted(store):
    store.create_bucket("photos").put("k", b"1")
    reply = requests.delete(store.url("photos"), auth=store.auth())
    assert code(reply) == (409, "BucketNotEmpty")
    assert etree.fromstring(reply.content).findtext("BucketName") == "photos"
    assert store["photos"]["k"].content == b"1"


@pytest.mark.parametrize("versioning", ["enabled", "suspended"])
def test_a_lone_delete_marker_keeps_a_bucket(store, versioning):
    store.create_bucket("photos", versioning=versioning).delete("k")
    reply = requests.delete(store.url("photos"), auth=store.auth())
    assert code(reply) == (409, "BucketNotEmpty")
    assert etree.fromstring(reply.content).findtext("Message") == (
        "The bucket you tried to delete is not empty. You must delete all versions in the bucket."
    )


def test_a_noncurrent_version_keeps_a_bucket(store):
    photos = store.create_bucket("photos", versioning="enabled")
    photos.put("k", b"1")
    marker = photos.delete("k")
    photos.delete_version("k", marker.version_id)
    assert code(requests.delete(store.url("photos"), auth=store.auth())) == (409, "BucketNotEmpty")


def test_a_bucket_emptied_of_versions_and_markers_is_deleted(store):
    photos = store.create_bucket("photos", versioning="enabled")
    photos.put("k", b"1")
    photos.delete("k")
    for entry in photos.versions():
        photos.delete_version("k", entry.version_id)
    assert requests.delete(store.url("photos"), auth=store.auth()).status_code == 204


def test_only_the_owner_deletes_a_bucket(store, bob):
    store.create_bucket("photos", acl="public-read-write")
    assert code(requests.delete(store.url("photos"), auth=store.auth(bob))) == (403, "AccessDenied")
    assert list(store.buckets) == ["photos"]


def test_a_bucket_made_anew_remembers_nothing(store):
    photos = store.create_bucket("photos", versioning="enabled")
    photos.expire(rule_id="r", days=1)
    requests.delete(store.url("photos"), auth=store.auth())
    put_bucket(store, "photos")
    lifecycle = requests.get(store.url("photos", lifecycle=None), auth=store.auth())
    assert (store["photos"].versioning, code(lifecycle)) == ("never", (404, "NoSuchLifecycleConfiguration"))


def test_the_service_lists_the_requesters_buckets_by_name(store, bob):
    with freeze_time("2030-01-01 10:00"):
        store.create_bucket("zebras")
    with freeze_time("2030-01-02 11:00"):
        store.create_bucket("apes")
        store.create_bucket("of-bob", owner=bob)
        listed = etree.fromstring(requests.get(store.base_url, auth=store.auth()).content)
    me = store.default_account
    assert (listed.findtext("Owner/ID"), listed.findtext("Owner/DisplayName")) == (me.id, me.display_name)
    assert [[child.text for child in each] for each in listed.findall("Buckets/Bucket")] == [
        ["apes", "2030-01-02T11:00:00.000Z"],
        ["zebras", "2030-01-01T10:00:00.000Z"],
    ]


def test_the_service_lists_no_buckets_to_whom_none_belongs(store, bob):
    store.create_bucket("photos", acl="public-read")
    listed = etree.fromstring(requests.get(store.base_url, auth=store.auth(bob)).content)
    assert (listed.tag, len(listed.find("Buckets"))) == ("ListAllMyBucketsResult", 0)


def test_the_location_is_empty(store):
    store.create_bucket("photos")
    located = etree.fromstring(requests.get(store.url("photos", location=None), auth=store.auth()).content)
    assert (located.tag, located.text, len(located)) == ("LocationConstraint", None, 0)


def test_the_location_of_no_bucket_is_not_told(store):
    assert code(requests.get(store.url("photos", location=None), auth=store.auth())) == (404, "NoSuchBucket")


# -- names

GOOD = ["abc", "a.b", "a-b", "0ab", "a" * 63, "my.photos.2030", "1.2.3", "xn--abc"]
BAD = {
    "too short": "ab",
    "too long": "a" * 64,
    "underscore": "a_b",
    "hyphen first": "-ab",
    "hyphen last": "ab-",
    "two dots": "a..b",
    "dot last": "ab.",
    "an address": "192.168.0.1",
}


@pytest.mark.parametrize("name", GOOD)
def test_a_name_that_can_be_makes_a_bucket_over_http(store, name):
    assert put_bucket(store, name).status_code == 200
    assert list(store.buckets) == [name]


@pytest.mark.parametrize("name", BAD.values(), ids=BAD)
def test_a_name_that_cannot_be_makes_no_bucket_over_http(store, name):
    reply = put_bucket(store, "photos", headers={"Host": f"{name}.objects.test"})
    assert code(reply) == (400, "InvalidBucketName")
    assert list(store.buckets) == []


@pytest.mark.parametrize("name", [*BAD.values(), "Photos", "", "é" * 3, "a b", "a/b", "abc\n"])
def test_a_name_that_cannot_be_is_a_value_error_in_python(store, name):
    with pytest.raises(ValueError, match="is no bucket name: 3 to 63 lower-case letters"):
        store.create_bucket(name)
    assert list(store.buckets) == []


@pytest.mark.parametrize("name", ["ab", "Photos"])
def test_a_name_that_cannot_be_is_a_value_error_among_the_options(name):
    with pytest.raises(ValueError, match="is no bucket name"):
        fake_store(buckets=[name])


def test_a_name_that_is_taken_is_a_value_error_in_python(store, bob):
    store.create_bucket("photos", owner=bob)
    with pytest.raises(ValueError, match="there is a bucket 'photos' already, of bob"):
        store.create_bucket("photos")
