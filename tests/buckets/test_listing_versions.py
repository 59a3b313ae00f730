"""GET Bucket Object versions: every version and delete marker, page by page."""

from __future__ import annotations

import pytest
import requests
from freezegun import freeze_time
from lxml import etree

from fakestore import fake_store


@pytest.fixture
def store():
    with fake_store(buckets={"photos": "enabled"}) as store:
        yield store


def get(store, account=None, **query):
    parameters = {"versions": "", **{name.replace("_", "-"): value for name, value in query.items()}}
    return requests.get(store.url("photos"), params=parameters, auth=store.auth(account))


def page(store, **query):
    reply = get(store, **query)
    assert reply.status_code == 200, reply.text
    return etree.fromstring(reply.content)


def entries(listing):
    """In the order of the document: element, key, version id, whether it is the latest."""
    return [
        (each.tag, each.findtext("Key"), each.findtext("VersionId"), each.findtext("IsLatest") == "true")
        for each in listing
        if each.tag in ("Version", "DeleteMarker")
    ]


def ends_on(listing):
    return [listing.findtext(name) for name in ("IsTruncated", "NextKeyMarker", "NextVersionIdMarker")]


def refused(reply):
    error = etree.fromstring(reply.content)
    return reply.status_code, error.findtext("Code"), error.findtext("ArgumentName"), error.findtext("Message")


def put(photos, key, count=1):
    return [photos.put(key, b"%d" % number).version_id for number in range(count)]


def test_an_empty_bucket_has_an_empty_page(store):
    assert {child.tag: child.text for child in page(store)} == {
        "Name": "photos",
        "KeyMarker": None,
        "VersionIdMarker": None,
        "Prefix": None,
        "MaxKeys": "1000",
        "IsTruncated": "false",
    }


@freeze_time("2030-01-01 12:00")
def test_a_version_and_a_marker_are_shown_whole(store, photos):
    version = photos.put("k", b"meow")
    marker = photos.delete("k")
    shown = [
        {child.tag: child.text for child in each if child.tag != "Owner"}
        for each in page(store)
        if each.tag in ("Version", "DeleteMarker")
    ]
    assert shown == [
        {
            "Key": "k",
            "VersionId": marker.version_id,
            "IsLatest": "true",
            "LastModified": "2030-01-01T12:00:00.000Z",
        },
        {
            "Key": "k",
            "VersionId": version.version_id,
            "IsLatest": "false",
            "LastModified": "2030-01-01T12:00:00.000Z",
            "ETag": version.etag,
            "Size": "4",
            "StorageClass": "STANDARD",
        },
    ]


def test_every_entry_tells_its_owner(store, photos):
    bob = store.create_account("bob")
    photos.put("k", account=bob)
    photos.delete("k")
    assert [owner.findtext("ID") for owner in page(store).iter("Owner")] == [store.default_account.id, bob.id]


@freeze_time("2030-01-01 12:00")
def test_keys_ascend_and_within_a_key_the_newest_comes_first_though_the_clock_stands_still(store, photos):
    b1, b2 = put(photos, "b", 2)
    (a1,) = put(photos, "a")
    marker = photos.delete("a").version_id
    assert entries(page(store)) == [
        ("DeleteMarker", "a", marker, True),
        ("Version", "a", a1, False),
        ("Version", "b", b2, True),
        ("Version", "b", b1, False),
    ]


def test_the_last_written_is_latest_though_its_date_is_older(store, photos):
    first = photos.put("k", b"1").version_id
    with freeze_time("2020-01-01"):
        second = photos.put("k", b"2").version_id
    assert entries(page(store)) == [("Version", "k", second, True), ("Version", "k", first, False)]


def test_objects_of_a_bucket_never_versioned_are_null_versions(store):
    store.create_bucket("plain").put("k")
    listing = etree.fromstring(requests.get(store.url("plain", versions=None), auth=store.auth()).content)
    assert entries(listing) == [("Version", "k", "null", True)]


def test_a_null_version_under_others_is_shown_in_its_place(store):
    plain = store.create_bucket("plain")
    plain.put("k", b"old")
    plain.set_versioning("enabled")
    newer = plain.put("k", b"new").version_id
    listing = etree.fromstring(requests.get(store.url("plain", versions=None), auth=store.auth()).content)
    assert entries(listing) == [("Version", "k", newer, True), ("Version", "k", "null", False)]


@freeze_time("2030-01-01 12:00")
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6])
def test_only_the_newest_of_a_key_is_latest_wherever_pages_end(store, photos, size):
    put(photos, "a", 3)
    photos.delete("a")
    put(photos, "b", 2)
    whole = entries(page(store))
    paged, marker = [], {}
    while True:
        listing = page(store, max_keys=size, **marker)
        assert len(entries(listing)) <= size
        paged += entries(listing)
        truncated, key, version_id = ends_on(listing)
        if truncated == "false":
            break
        marker = {"key_marker": key, "version_id_marker": version_id}
    assert paged == whole
    assert [key for _, key, _, latest in paged if latest] == ["a", "b"]


def test_the_last_page_tells_no_markers(store, photos):
    put(photos, "a")
    assert ends_on(page(store)) == ["false", None, None]


def test_markers_count_in_the_page(store, photos):
    put(photos, "a")
    marker = photos.delete("a").version_id
    assert ends_on(page(store, max_keys=1)) == ["true", "a", marker]


def test_a_page_of_nothing_is_empty_and_not_truncated(store, photos):
    put(photos, "a")
    listing = page(store, max_keys=0)
    assert (entries(listing), ends_on(listing)) == ([], ["false", None, None])


def test_a_key_marker_alone_skips_all_versions_of_its_key(store, photos):
    put(photos, "a", 2)
    (b1,) = put(photos, "b")
    listing = page(store, key_marker="a")
    assert (entries(listing), listing.findtext("KeyMarker")) == ([("Version", "b", b1, True)], "a")


def test_a_version_marker_goes_on_with_what_was_written_before_it(store, photos):
    first, second, third = put(photos, "a", 3)
    listing = page(store, key_marker="a", version_id_marker=third)
    assert entries(listing) == [("Version", "a", second, False), ("Version", "a", first, False)]
    assert listing.findtext("VersionIdMarker") == third


def test_a_version_marker_that_is_gone_still_marks_its_place(store, photos):
    first, second, third = put(photos, "a", 3)
    photos.delete_version("a", second)
    assert entries(page(store, key_marker="a", version_id_marker=second)) == [("Version", "a", first, False)]
    photos.delete_version("a", third)
    assert entries(page(store, key_marker="a", version_id_marker=third)) == [("Version", "a", first, True)]


def test_a_version_marker_of_a_key_that_is_gone_goes_on_with_the_next(store, photos):
    (a1,) = put(photos, "a")
    (b1,) = put(photos, "b")
    photos.delete_version("a", a1)
    assert entries(page(store, key_marker="a", version_id_marker=a1)) == [("Version", "b", b1, True)]


def test_the_null_version_marks_its_place(store):
    plain = store.create_bucket("photos2", versioning="suspended")
    plain.put("k", b"null")
    plain.set_versioning("enabled")
    newer = plain.put("k", b"new").version_id
    plain.set_versioning("suspended")
    listing = etree.fromstring(
        requests.get(
            store.url("photos2", versions=None, key_marker="k", version_id_marker=newer), auth=store.auth()
        ).content
    )
    assert entries(listing) == [("Version", "k", "null", False)]
    listing = etree.fromstring(
        requests.get(
            store.url("photos2", versions=None, key_marker="k", version_id_marker="null"), auth=store.auth()
        ).content
    )
    assert entries(listing) == []


def test_a_version_marker_alone_is_an_invalid_argument(store, photos):
    (a1,) = put(photos, "a")
    assert refused(get(store, version_id_marker=a1)) == (
        400,
        "InvalidArgument",
        "version-id-marker",
        "A version-id marker cannot be specified without a key marker.",
    )


def test_a_version_marker_that_was_never_issued_is_an_invalid_argument(store, photos):
    put(photos, "a")
    assert refused(get(store, key_marker="a", version_id_marker="x" * 32))[:2] == (400, "InvalidArgument")


def test_common_prefixes_stand_for_versions_and_markers_too(store, photos):
    put(photos, "a/1", 2)
    photos.delete("b/1")
    (c1,) = put(photos, "c")
    listing = page(store, delimiter="/")
    assert [prefix.findtext("Prefix") for prefix in listing.findall("CommonPrefixes")] == ["a/", "b/"]
    assert entries(listing) == [("Version", "c", c1, True)]


def test_a_page_that_ends_on_a_common_prefix_tells_no_version_marker(store, photos):
    put(photos, "a/1", 2)
    put(photos, "b")
    assert ends_on(page(store, delimiter="/", max_keys=1)) == ["true", "a/", None]


@pytest.mark.parametrize("marker", ["a/", "a/1", "a/2"])
def test_a_marker_within_a_common_prefix_skips_it_whole(store, photos, marker):
    put(photos, "a/1", 2)
    put(photos, "a/3")
    (b1,) = put(photos, "b")
    listing = page(store, delimiter="/", key_marker=marker)
    assert (entries(listing), listing.find("CommonPrefixes")) == ([("Version", "b", b1, True)], None)


def test_a_version_marker_within_a_common_prefix_skips_it_whole(store, photos):
    _, second = put(photos, "a/1", 2)
    (b1,) = put(photos, "b")
    listing = page(store, delimiter="/", key_marker="a/1", version_id_marker=second)
    assert (entries(listing), listing.find("CommonPrefixes")) == ([("Version", "b", b1, True)], None)


def test_a_version_marker_outside_of_the_prefix_shows_none_of_its_key(store, photos):
    _, second = put(photos, "a", 2)
    (b1,) = put(photos, "b")
    assert entries(page(store, prefix="b", key_marker="a", version_id_marker=second)) == [("Version", "b", b1, True)]


def test_encoding_type_url_encodes_keys_and_markers(store, photos):
    put(photos, "a b", 2)
    listing = page(store, encoding_type="url", key_marker="a=", max_keys=1, prefix="a")
    assert [listing.findtext(name) for name in ("KeyMarker", "NextKeyMarker", "EncodingType")] == [
        "a%3D",
        None,
        "url",
    ]
    listing = page(store, encoding_type="url", max_keys=1)
    assert [listing.findtext(name) for name in ("NextKeyMarker", "Version/Key")] == ["a%20b", "a%20b"]


@pytest.mark.parametrize(
    ("query", "name"),
    [({"max_keys": "-1"}, "maxKeys"), ({"max_keys": "x"}, "max-keys"), ({"encoding_type": ""}, "encoding-type")],
)
def test_a_wrong_parameter_is_an_invalid_argument(store, query, name):
    assert refused(get(store, **query))[:3] == (400, "InvalidArgument", name)


def test_a_stranger_does_not_list_the_versions_of_a_private_bucket(store):
    assert get(store, store.create_account("bob")).status_code == 403


def test_an_empty_version_marker_is_an_invalid_argument(store):
    assert refused(get(store, key_marker="a", version_id_marker="")) == (
        400,
        "InvalidArgument",
        "version-id-marker",
        "A version-id marker cannot be empty.",
    )


def test_a_null_version_that_is_gone_marks_no_place_so_the_keys_versions_are_shown_again(store, photos):
    ids = put(photos, "k", 2)
    listing = page(store, key_marker="k", version_id_marker="null")
    assert entries(listing) == [("Version", "k", ids[1], True), ("Version", "k", ids[0], False)]
