"""GET Bucket, in both versions: what a page shows and where the next one begins."""

from __future__ import annotations

from urllib.parse import quote

import pytest
import requests
from freezegun import freeze_time
from lxml import etree

from fakestore import UnsupportedRequest


@pytest.fixture(params=[1, 2], ids=["version 1", "version 2"])
def listed(request, store):
    """Asks for a page in either version of the listing."""
    version = {"list-type": "2"} if request.param == 2 else {}
    return lambda **query: page(store, **version, **query)


def get(store, account=None, **query):
    parameters = {name.replace("_", "-"): value for name, value in query.items()}
    return requests.get(store.url("photos"), params=parameters, auth=store.auth(account))


def page(store, **query):
    reply = get(store, **query)
    assert reply.status_code == 200, reply.text
    return etree.fromstring(reply.content)


def keys(listing):
    return [key.text for key in listing.findall("Contents/Key")]


def prefixes(listing):
    return [prefix.text for prefix in listing.findall("CommonPrefixes/Prefix")]


def told(listing):
    """Keys, common prefixes, and whether there is more."""
    return keys(listing), prefixes(listing), listing.findtext("IsTruncated")


def refused(reply):
    error = etree.fromstring(reply.content)
    return reply.status_code, error.findtext("Code"), error.findtext("ArgumentName"), error.findtext("Message")


# -- what is shown


def test_an_empty_bucket_has_an_empty_page(store):
    listing = page(store)
    assert {child.tag: child.text for child in listing} == {
        "Name": "photos",
        "Marker": None,
        "Prefix": None,
        "MaxKeys": "1000",
        "IsTruncated": "false",
    }


@freeze_time("2030-01-01 12:00")
def test_an_object_is_shown_whole(store, photos):
    version = photos.put("cat.jpg", b"meow", storage_class="REDUCED_REDUNDANCY")
    (contents,) = page(store).findall("Contents")
    assert {child.tag: child.text for child in contents} == {
        "Key": "cat.jpg",
        "LastModified": "2030-01-01T12:00:00.000Z",
        "ETag": version.etag,
        "Size": "4",
        "StorageClass": "REDUCED_REDUNDANCY",
        "Owner": None,
    }


def test_version_1_tells_the_owner_of_each_object(store, photos):
    bob = store.create_account("bob")
    photos.put("a")
    photos.put("b", account=bob)
    owners = [(each.findtext("ID"), each.findtext("DisplayName")) for each in page(store).iter("Owner")]
    assert owners == [(each.id, each.display_name) for each in (store.default_account, bob)]


def test_version_2_tells_the_owner_only_where_asked(store, photos):
    photos.put("a")
    asked = [
        len(list(page(store, list_type=2, **query).iter("Owner")))
        for query in ({}, {"fetch_owner": "false"}, {"fetch_owner": "true"})
    ]
    assert asked == [0, 0, 1]


@pytest.mark.parametrize("asked", ["", "True", "TRUE", "1", "yes"])
def test_whether_to_tell_the_owner_is_true_or_false(store, asked):
    assert refused(get(store, list_type=2, fetch_owner=asked)) == (
        400,
        "InvalidArgument",
        "fetch-owner",
        "fetch-owner is true or false",
    )


def test_keys_under_a_delete_marker_are_not_shown(listed, photos):
    photos.set_versioning("enabled")
    for key in ("a", "b", "c"):
        photos.put(key)
    photos.delete("b")
    assert told(listed()) == (["a", "c"], [], "false")


def test_a_common_prefix_of_deleted_keys_alone_is_not_shown(listed, photos):
    photos.set_versioning("enabled")
    photos.put("a/1")
    photos.put("b/1")
    photos.delete("a/1")
    assert told(listed(delimiter="/")) == ([], ["b/"], "false")


def test_a_page_that_ends_before_deleted_keys_alone_is_the_last(listed, photos):
    photos.set_versioning("enabled")
    photos.put("a")
    photos.delete("b")
    assert told(listed(max_keys=1)) == (["a"], [], "false")


def test_keys_come_in_the_order_of_their_utf8_bytes(listed, photos):
    # As UTF-16 the last two change places.
    expected = ["A", "a", "a/", "a0", "é", "日本", "\uffee", "\U0001f600"]
    for key in reversed(expected):
        photos.put(key)
    assert keys(listed()) == expected


# -- prefix and delimiter


def test_a_prefix_leaves_other_keys_out(listed, photos):
    for key in ("a", "ab", "abc", "b", "aB"):
        photos.put(key)
    assert keys(listed(prefix="ab")) == ["ab", "abc"]


def test_keys_behind_a_delimiter_are_shown_by_their_common_prefix(listed, photos):
    for key in ("2029/a", "2030/a", "2030/b", "index", "2030"):
        photos.put(key)
    assert told(listed(delimiter="/")) == (["2030", "index"], ["2029/", "2030/"], "false")


def test_the_delimiter_counts_behind_the_prefix(listed, photos):
    for key in ("2030/jan/a", "2030/jan/b", "2030/feb/a", "2030/x", "2031/jan/a"):
        photos.put(key)
    assert told(listed(prefix="2030/", delimiter="/")) == (["2030/x"], ["2030/feb/", "2030/jan/"], "false")


def test_a_prefix_that_ends_within_a_name_goes_on_to_the_delimiter(listed, photos):
    for key in ("2030/a", "2031/a", "20"):
        photos.put(key)
    assert told(listed(prefix="20", delimiter="/")) == (["20"], ["2030/", "2031/"], "false")


def test_a_key_that_ends_on_the_delimiter_is_its_own_common_prefix(listed, photos):
    photos.put("folder/")
    assert told(listed(delimiter="/")) == ([], ["folder/"], "false")


def test_a_key_that_is_the_prefix_is_shown(listed, photos):
    photos.put("folder/")
    photos.put("folder/a")
    assert told(listed(prefix="folder/", delimiter="/")) == (["folder/", "folder/a"], [], "false")


@pytest.mark.parametrize("delimiter", ["--", "-/-", "é", "\U0001f600", "%2F"])
def test_a_delimiter_is_any_text(listed, photos, delimiter):
    for key in (f"a{delimiter}1", f"a{delimiter}2", "a-1", f"b{delimiter}"):
        photos.put(key)
    assert told(listed(delimiter=delimiter)) == (["a-1"], [f"a{delimiter}", f"b{delimiter}"], "false")


def test_behind_a_common_prefix_of_the_last_code_point_there_is_nothing(listed, photos):
    for key in ("a", "\U0010ffff1", "\U0010ffff2"):
        photos.put(key)
    assert told(listed(delimiter="\U0010ffff")) == (["a"], ["\U0010ffff"], "false")


def test_a_delimiter_that_overlaps_itself_is_found_at_its_first_place(listed, photos):
    photos.put("a---b")
    assert prefixes(listed(delimiter="--")) == ["a--"]


def test_prefix_and_delimiter_are_repeated(listed):
    listing = listed(prefix="a<b", delimiter="&&")
    assert (listing.findtext("Prefix"), listing.findtext("Delimiter")) == ("a<b", "&&")


def test_without_a_delimiter_none_is_repeated(listed):
    assert listed().find("Delimiter") is None


# -- size of a page


def test_the_page_size_is_1000_at_most_and_unless_asked(listed, photos):
    for number in range(1001):
        photos.put(f"{number:04}")
    sizes = [(len(keys(each)), each.findtext("MaxKeys")) for each in (listed(), listed(max_keys=1000000))]
    assert sizes == [(1000, "1000"), (1000, "1000")]


def test_a_page_of_no_keys_is_empty_and_not_truncated(listed, photos):
    photos.put("a")
    listing = listed(max_keys=0)
    assert (told(listing), listing.findtext("MaxKeys")) == (([], [], "false"), "0")


def test_common_prefixes_count_in_the_page(listed, photos):
    for key in ("a/1", "a/2", "b", "c/1"):
        photos.put(key)
    assert told(listed(delimiter="/", max_keys=2)) == (["b"], ["a/"], "true")


def test_a_page_that_ends_within_a_common_prefix_is_not_truncated_by_it(listed, photos):
    photos.put("a/1")
    photos.put("a/2")
    assert told(listed(delimiter="/", max_keys=1)) == ([], ["a/"], "false")


def test_an_empty_page_size_is_as_none(listed):
    assert listed(max_keys="").findtext("MaxKeys") == "1000"


@pytest.mark.parametrize("size", ["-1", "-9999999999", "many", "1.0", "0x10", " 1", "٣", str(2**31), "9" * 5000])
def test_another_page_size_is_an_invalid_argument(store, size):
    status, code, *_ = refused(get(store, max_keys=size))
    assert (status, code) == (400, "InvalidArgument")


def test_the_largest_number_is_a_page_size(store):
    assert page(store, max_keys=2**31 - 1).findtext("MaxKeys") == "1000"


# -- going on, version 1


def test_a_marker_begins_behind_itself(store, photos):
    for key in "abc":
        photos.put(key)
    listing = page(store, marker="a")
    assert (keys(listing), listing.findtext("Marker")) == (["b", "c"], "a")


def test_a_marker_need_not_be_a_key(store, photos):
    for key in "ac":
        photos.put(key)
    assert keys(page(store, marker="b")) == ["c"]


def test_without_a_delimiter_no_next_marker_is_told(store, photos):  # next-marker
    for key in "abc":
        photos.put(key)
    listing = page(store, max_keys=2)
    assert (told(listing), listing.find("NextMarker")) == ((["a", "b"], [], "true"), None)


@pytest.mark.parametrize(("size", "last"), [(1, "a"), (2, "b/"), (3, "c")])
def test_with_a_delimiter_the_next_marker_is_what_the_page_ends_on(store, photos, size, last):
    for key in ("a", "b/1", "b/2", "c", "d"):
        photos.put(key)
    assert page(store, delimiter="/", max_keys=size).findtext("NextMarker") == last


def test_the_last_page_has_no_next_marker(store, photos):
    photos.put("a")
    assert page(store, delimiter="/").find("NextMarker") is None


@pytest.mark.parametrize("marker", ["a/", "a/1", "a/zzz"])
def test_a_marker_within_a_common_prefix_skips_it_whole(store, photos, marker):
    for key in ("a/1", "a/2", "b/1", "c"):
        photos.put(key)
    assert told(page(store, delimiter="/", marker=marker)) == (["c"], ["b/"], "false")


def test_a_marker_before_a_common_prefix_does_not_skip_it(store, photos):
    photos.put("a/1")
    assert prefixes(page(store, delimiter="/", marker="a")) == ["a/"]


@pytest.mark.parametrize(("marker", "expected"), [("a", ["b1", "b2"]), ("b1", ["b2"]), ("c", [])])
def test_a_marker_may_stand_outside_of_the_prefix(store, photos, marker, expected):
    for key in ("a1", "b1", "b2", "c1"):
        photos.put(key)
    assert keys(page(store, prefix="b", marker=marker)) == expected


# -- going on, version 2


def test_version_2_counts_keys_and_prefixes(store, photos):
    for key in ("a/1", "b", "c"):
        photos.put(key)
    assert page(store, list_type=2, delimiter="/").findtext("KeyCount") == "3"


def test_start_after_begins_behind_itself_and_is_repeated(store, photos):
    for key in "abc":
        photos.put(key)
    listing = page(store, list_type=2, start_after="a")
    assert (keys(listing), listing.findtext("StartAfter")) == (["b", "c"], "a")


def test_a_token_goes_on_where_the_page_ended(store, photos):
    for key in ("a", "b/1", "b/2", "c"):
        photos.put(key)
    pages, token = [], {}
    while True:
        listing = page(store, list_type=2, delimiter="/", max_keys=1, **token)
        pages.append(told(listing))
        following = listing.findtext("NextContinuationToken")
        if following is None:
            break
        token = {"continuation_token": following}
    assert pages == [(["a"], [], "true"), ([], ["b/"], "true"), (["c"], [], "false")]


def test_a_token_beats_start_after_and_is_repeated_in_its_place(store, photos):
    for key in "abcd":
        photos.put(key)
    token = page(store, list_type=2, max_keys=1).findtext("NextContinuationToken")
    listing = page(store, list_type=2, continuation_token=token, start_after="c")
    assert (keys(listing), listing.findtext("ContinuationToken")) == (["b", "c", "d"], token)
    assert listing.find("StartAfter") is None


def test_a_token_goes_on_where_its_key_is_gone(store, photos):
    for key in "abc":
        photos.put(key)
    token = page(store, list_type=2, max_keys=2).findtext("NextContinuationToken")
    photos.delete("b")
    assert keys(page(store, list_type=2, continuation_token=token)) == ["c"]


def test_a_token_of_any_key_goes_through_a_url_unchanged(store, photos):
    for key in ("??>>\U0001f600", "\U0010ffff"):
        photos.put(key)
    token = page(store, list_type=2, max_keys=1).findtext("NextContinuationToken")
    assert quote(token, safe="=") == token
    assert keys(page(store, list_type=2, continuation_token=token)) == ["\U0010ffff"]


@pytest.mark.parametrize("token", ["", "a", "not a token", "/w==", "é", "Zm9v", "AAAAAAAAAAAAAGs="])
def test_another_token_is_an_invalid_argument(store, token):
    assert refused(get(store, list_type=2, continuation_token=token)) == (
        400,
        "InvalidArgument",
        "continuation-token",
        "The continuation token provided is incorrect",
    )


def test_there_is_no_third_version(store):
    assert refused(get(store, list_type=3))[:3] == (400, "InvalidArgument", "list-type")


@pytest.mark.parametrize("query", [{"start_after": "a"}, {"list_type": 2, "marker": "a"}, {"max_key": 1}])
def test_what_a_listing_is_not_asked_raises(store, query):
    with pytest.raises(UnsupportedRequest, match="is not modelled; there is"):
        get(store, **query)
    store.unhandled_requests.clear()


# -- how keys are written


def test_encoding_type_url_encodes_keys_prefixes_delimiter_and_marker(store, photos):
    photos.put("a=b c/d")
    photos.put("a=e")
    listing = page(store, encoding_type="url", delimiter=" c", prefix="a=", marker="a+")
    assert [listing.findtext(name) for name in ("EncodingType", "Prefix", "Delimiter", "Marker")] == [
        "url",
        "a%3D",
        "%20c",
        "a%2B",
    ]
    assert told(listing) == (["a%3De"], ["a%3Db%20c"], "false")


def test_encoding_type_url_leaves_slashes(store, photos):
    photos.put("a/b")
    assert keys(page(store, encoding_type="url")) == ["a/b"]


def test_encoding_type_url_encodes_start_after(store):
    listing = page(store, list_type=2, encoding_type="url", start_after="date=1/")
    assert listing.findtext("StartAfter") == "date%3D1/"


@pytest.mark.parametrize("encoding", ["", "URL", "base64"])
def test_another_encoding_is_an_invalid_argument(store, encoding):
    assert refused(get(store, encoding_type=encoding)) == (
        400,
        "InvalidArgument",
        "encoding-type",
        "Invalid Encoding Method specified in Request",
    )


@pytest.mark.parametrize("key", ["<a>&\"'", "tab\there", "line\nbreak", " both ends ", "]]>", "\x7f\x85"])
def test_keys_that_xml_can_hold_come_back_as_they_are(listed, photos, key):
    photos.put(key)
    assert keys(listed()) == [key]


def test_a_carriage_return_survives_the_reading_of_xml(listed, photos):
    photos.put("a\r\nb")
    assert keys(listed()) == ["a\r\nb"]


def test_control_characters_need_encoding_type_url(store, photos):
    photos.put("a\x01b")
    assert b"<Key>a&#x1;b</Key>" in get(store).content
    assert keys(page(store, encoding_type="url")) == ["a%01b"]


# -- who may


def test_a_stranger_does_not_list_a_private_bucket(store, photos):
    reply = get(store, store.create_account("bob"))
    assert (reply.status_code, etree.fromstring(reply.content).findtext("Code")) == (403, "AccessDenied")


def test_a_stranger_lists_a_public_bucket_and_sees_private_objects_too(store, photos):
    photos.acl = "public-read"
    photos.put("private")
    assert keys(etree.fromstring(get(store, store.create_account("bob")).content)) == ["private"]


def test_a_bucket_that_is_not_there_is_told(store):
    reply = requests.get(store.url("nothing"), auth=store.auth())
    error = etree.fromstring(reply.content)
    assert (reply.status_code, error.findtext("Code"), error.findtext("BucketName")) == (
        404,
        "NoSuchBucket",
        "nothing",
    )


def test_a_token_of_another_bucket_is_an_invalid_argument(store, photos):
    for key in "ab":
        photos.put(key)
    token = page(store, list_type=2, max_keys=1).findtext("NextContinuationToken")
    store.create_bucket("films")
    reply = requests.get(store.url("films"), params={"list-type": 2, "continuation-token": token}, auth=store.auth())
    assert refused(reply)[:2] == (400, "InvalidArgument")


def test_the_same_store_gives_the_same_tokens_again(store, photos):
    def token():
        for key in "ab":
            store["photos"].put(key)
        return page(store, list_type=2, max_keys=1).findtext("NextContinuationToken")

    first = token()
    store.reset()
    assert token() == first
