"""GET Bucket Object versions: every version and delete marker, page by page.

That pages together show each entry once, in order, is in test_listing_pages.py.
"""

from __future__ import annotations

import pytest
from freezegun import freeze_time

from fakestore import fake_store
from tests.support.cases import each
from tests.support.cost import count_calls
from tests.support.wire import document, elements, outcome, request


@pytest.fixture
def store():
    with fake_store(buckets={"photos": "enabled"}) as store:
        yield store


def page(store, bucket="photos", **query):
    reply = request(store, "GET", bucket, versions=None, **query)
    assert reply.status == 200
    return document(reply)


def entries(listing):
    """The entries in order: whether it is a marker, key, version id, and whether it is the latest."""
    return [
        (each.tag == "DeleteMarker", each.findtext("Key"), each.findtext("VersionId"), each.findtext("IsLatest"))
        for each in listing
        if each.tag in ("Version", "DeleteMarker")
    ]


def ids(listing):
    return [version_id for _, _, version_id, _ in entries(listing)]


def end(listing):
    """Whether the page is truncated, and the markers of the next one."""
    return [listing.findtext(name) for name in ("IsTruncated", "NextKeyMarker", "NextVersionIdMarker")]


def put(photos, key, count=1):
    return [photos.put(key, b"%d" % number).version_id for number in range(count)]


def test_empty_bucket_has_an_empty_page(store):
    assert elements(page(store)) == {
        "Name": "photos",
        "KeyMarker": "",
        "VersionIdMarker": "",
        "Prefix": "",
        "MaxKeys": "1000",
        "IsTruncated": "false",
    }


@freeze_time("2030-01-01 12:00")
def test_version_and_marker_are_shown_with_their_owners(store, photos):
    bob = store.create_account("bob")
    version = photos.put("k", b"meow", account=bob)
    marker = photos.delete("k")
    shared = {"Key": "k", "LastModified": "2030-01-01T12:00:00.000Z", "Owner": ""}
    assert [elements(each) for each in page(store)[-2:]] == [
        {**shared, "VersionId": marker.version_id, "IsLatest": "true"},
        {
            **shared,
            "VersionId": version.version_id,
            "IsLatest": "false",
            "ETag": version.etag,
            "Size": "4",
            "StorageClass": "STANDARD",
        },
    ]
    assert [owner.findtext("ID") for owner in page(store).iter("Owner")] == [store.default_account.id, bob.id]


def test_versions_are_in_the_order_of_writing_whatever_their_dates(store, photos):
    with freeze_time("2030-01-01 12:00"):
        b1, b2 = put(photos, "b", 2)
        (a1,) = put(photos, "a")
    with freeze_time("2020-01-01"):
        marker = photos.delete("a").version_id
    assert entries(page(store)) == [
        (True, "a", marker, "true"),
        (False, "a", a1, "false"),
        (False, "b", b2, "true"),
        (False, "b", b1, "false"),
    ]


def test_null_version_is_shown_in_its_place_and_marks_it(store):
    bucket = store.create_bucket("films")
    bucket.put("k", b"old")
    bucket.versioning = "enabled"
    (newer,) = put(bucket, "k")
    assert ids(page(store, "films")) == [newer, "null"]
    assert ids(page(store, "films", key_marker="k", version_id_marker=newer)) == ["null"]
    assert ids(page(store, "films", key_marker="k", version_id_marker="null")) == []
    bucket.put("later")
    assert end(page(store, "films", max_keys=2)) == ["true", "k", "null"]


# Pages


def test_page_ends_with_the_markers_of_the_next_one(store, photos):
    (a1,) = put(photos, "a")
    marker = photos.delete("a").version_id
    put(photos, "b/1", 2)
    for case in each(
        ({}, ["false", None, None]),
        ({"max_keys": 0}, ["false", None, None]),
        ({"max_keys": 1}, ["true", "a", marker]),
        ({"max_keys": 2}, ["true", "a", a1]),
        ({"prefix": "b", "delimiter": "/", "max_keys": 1}, ["false", None, None]),
    ):
        with case as (query, expected):
            assert end(page(store, **query)) == expected
    put(photos, "c")
    assert end(page(store, delimiter="/", prefix="b", max_keys=1)) == ["false", None, None]
    assert end(page(store, delimiter="/", key_marker="a", max_keys=1)) == ["true", "b/", None]


def test_key_marker_alone_skips_all_versions_of_its_key(store, photos):
    put(photos, "a", 2)
    b = put(photos, "b", 2)
    listing = page(store, key_marker="a")
    assert (ids(listing), listing.findtext("KeyMarker")) == (b[::-1], "a")


@pytest.mark.decision("version-id-marker-of-a-deleted-version")
def test_version_marker_keeps_its_place_once_it_is_gone(store, photos):
    first, second, third, fourth = put(photos, "a", 4)
    (b1,) = put(photos, "b")
    listing = page(store, key_marker="a", version_id_marker=third)
    assert (ids(listing), listing.findtext("VersionIdMarker")) == ([second, first, b1], third)
    for version_id, rest in [
        (third, [second, first, b1]),
        (fourth, [second, first, b1]),
        (first, [b1]),
        (second, [b1]),
    ]:
        photos.delete_version("a", version_id)
        assert ids(page(store, key_marker="a", version_id_marker=version_id)) == rest


@pytest.mark.decision("version-id-marker-of-a-deleted-version")
def test_null_version_that_is_gone_repeats_the_versions_of_its_key(store, photos):
    versions = put(photos, "k", 2)
    assert ids(page(store, key_marker="k", version_id_marker="null")) == versions[::-1]


@pytest.mark.decision("empty-version-marker")
def test_invalid_marker_or_parameter_is_refused(store, photos):
    (a1,) = put(photos, "a")
    for case in each(
        ({"version_id_marker": a1}, ["version-id-marker"]),
        ({"key_marker": "a", "version_id_marker": ""}, ["version-id-marker"]),
        ({"key_marker": "a", "version_id_marker": "x" * 32}, ["version-id-marker", "versionId"]),
        ({"max_keys": "-1"}, ["max-keys", "maxKeys"]),
        ({"max_keys": "x"}, ["max-keys", "maxKeys"]),
        ({"encoding_type": ""}, ["encoding-type"]),
    ):
        with case as (query, names):
            reply = request(store, "GET", "photos", versions=None, **query)
            assert outcome(reply) == (400, "InvalidArgument")
            assert document(reply).findtext("ArgumentName") in names


@pytest.mark.decision("marker-inside-a-common-prefix")
def test_common_prefix_stands_for_versions_and_markers(store, photos):
    _, second = put(photos, "a/1", 2)
    photos.delete("a/2")
    b = put(photos, "b")
    listing = page(store, delimiter="/")
    assert ([each.findtext("Prefix") for each in listing.findall("CommonPrefixes")], ids(listing)) == (["a/"], b)
    for marker in ({"key_marker": "a/"}, {"key_marker": "a/1"}, {"key_marker": "a/1", "version_id_marker": second}):
        listing = page(store, delimiter="/", **marker)
        assert (ids(listing), listing.find("CommonPrefixes")) == (b, None)
    assert ids(page(store, prefix="b", key_marker="a/1", version_id_marker=second)) == b


def test_encoding_type_url_encodes_keys_and_markers(store, photos):
    put(photos, "a b", 2)
    listing = page(store, encoding_type="url", key_marker="a=", max_keys=1, prefix="a")
    assert [listing.findtext(name) for name in ("KeyMarker", "EncodingType")] == ["a%3D", "url"]
    listing = page(store, encoding_type="url", max_keys=1)
    assert [listing.findtext(name) for name in ("NextKeyMarker", "Version/Key")] == ["a+b", "a+b"]


def test_page_costs_as_much_in_a_long_history_as_in_a_short_one(store):
    calls = []
    for length in (100, 3000):
        bucket = store.create_bucket(f"of-{length}", versioning="enabled")
        fifth = put(bucket, "k", length)[-5]
        bucket.delete_version("k", fifth)
        for query in ({}, {"key_marker": "k", "version_id_marker": fifth}):
            calls.append(count_calls(lambda bucket=bucket, query=query: page(store, bucket.name, max_keys=10, **query)))
    assert calls[2] <= 1.2 * calls[0]
    assert calls[3] <= 1.2 * calls[1]
