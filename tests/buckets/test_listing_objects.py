"""GET Bucket, in both versions: what a page shows, and where the next one begins.

That pages together show each key once, in order, is in test_listing_pages.py.
"""

from __future__ import annotations

from urllib.parse import quote

import pytest
from freezegun import freeze_time

from fakestore import UnsupportedRequest
from tests.support.cases import each
from tests.support.cost import count_calls
from tests.support.wire import document, elements, outcome, request


@pytest.fixture(params=[1, 2], ids=["version 1", "version 2"])
def listed(request, store):
    """Requests a page in either version of the listing."""
    version = {"list_type": 2} if request.param == 2 else {}
    return lambda **query: page(store, **version, **query)


def get(store, bucket="photos", account=None, **query):
    return request(store, "GET", bucket, account=account, **query)


def page(store, **query):
    reply = get(store, **query)
    assert reply.status == 200
    return document(reply)


def put(photos, *keys):
    for key in keys:
        photos.put(key)


def keys(listing):
    return [key.text for key in listing.findall("Contents/Key")]


def shown(listing):
    """Keys, common prefixes, and whether the page is truncated."""
    prefixes = [prefix.text for prefix in listing.findall("CommonPrefixes/Prefix")]
    return keys(listing), prefixes, listing.findtext("IsTruncated") == "true"


def invalid_argument(reply):
    """The name of the invalid argument."""
    assert outcome(reply) == (400, "InvalidArgument")
    return document(reply).findtext("ArgumentName")


# What is shown


def test_empty_bucket_has_an_empty_page(store):
    expected = {"Name": "photos", "Marker": "", "Prefix": "", "MaxKeys": "1000", "IsTruncated": "false"}
    assert elements(page(store)) == expected


@freeze_time("2030-01-01 12:00")
def test_object_is_shown_with_its_owner(store, photos):
    bob = store.create_account("bob")
    version = photos.put("cat.jpg", b"meow", storage_class="REDUCED_REDUNDANCY", account=bob)
    (contents,) = page(store).findall("Contents")
    assert elements(contents) == {
        "Key": "cat.jpg",
        "LastModified": "2030-01-01T12:00:00.000Z",
        "ETag": version.etag,
        "Size": "4",
        "StorageClass": "REDUCED_REDUNDANCY",
        "Owner": "",
    }
    assert elements(contents.find("Owner")) == {"ID": bob.id, "DisplayName": "bob"}


@pytest.mark.decision("fetch-owner")
def test_version_2_shows_owners_only_if_requested(store, photos):
    photos.put("a")
    queries = [{}, {"fetch_owner": "false"}, {"fetch_owner": "true"}]
    assert [len(list(page(store, list_type=2, **query).iter("Owner"))) for query in queries] == [0, 0, 1]
    for case in each("", "True", "TRUE", "1", "yes"):
        with case as value:
            assert invalid_argument(get(store, list_type=2, fetch_owner=value)) == "fetch-owner"


def test_deleted_keys_are_neither_shown_nor_counted(listed, photos):
    photos.versioning = "enabled"
    put(photos, "a", "b", "c/1", "d/1")
    for key in ("b", "c/1", "d/1"):
        photos.delete(key)
    photos.put("d/2")
    assert shown(listed(delimiter="/")) == (["a"], ["d/"], False)
    photos.delete("d/2")
    assert shown(listed(max_keys=1)) == (["a"], [], False)


def test_keys_are_in_the_order_of_their_utf_8_bytes(listed, photos):
    # As UTF-16 the last two would change places.
    expected = ["A", "a", "a/", "a0", "\xe9", "\u65e5\u672c", "\uffee", "\U0001f600"]
    put(photos, *reversed(expected))
    assert keys(listed()) == expected


# Prefix and delimiter


GROUPED = [
    ({"prefix": "20"}, (["20", "2030", "2030/", "2030/a/1", "2030/a/2", "2030/x", "2031/a"], [])),
    ({"delimiter": "/"}, (["20", "2030", "index"], ["2030/", "2031/"])),
    ({"prefix": "20", "delimiter": "/"}, (["20", "2030"], ["2030/", "2031/"])),
    ({"prefix": "2030/", "delimiter": "/"}, (["2030/", "2030/x"], ["2030/a/"])),
    ({"prefix": "2030", "delimiter": "3"}, (["2030", "2030/", "2030/a/1", "2030/a/2", "2030/x"], [])),
]


def test_keys_are_grouped_by_the_delimiter_after_the_prefix(listed, photos):
    put(photos, "20", "2030", "2030/", "2030/a/1", "2030/a/2", "2030/x", "2031/a", "index")
    for case in each(*GROUPED):
        with case as (query, expected):
            listing = listed(**query)
            assert shown(listing) == (*expected, False)
            assert (listing.findtext("Prefix") or "") == query.get("prefix", "")
            assert listing.findtext("Delimiter") == query.get("delimiter")


def test_delimiter_may_be_any_text(listed, photos):
    for case in each("--", "-/-", "\xe9", "\U0001f600", "%2F", "\U0010ffff", "&<"):
        with case as delimiter:
            for key in photos:
                photos.delete(key)
            put(photos, f"a{delimiter}1", f"a{delimiter}2", "a-1", f"b{delimiter}", f"c{delimiter}{delimiter}")
            assert shown(listed(delimiter=delimiter)) == (["a-1"], [f"{key}{delimiter}" for key in "abc"], False)


@pytest.mark.parametrize("delimiter", ["", "/"])
def test_marker_equal_to_the_prefix_skips_that_key_alone(store, photos, delimiter):
    put(photos, "a", "a/1", "ab", "b")
    query = {"prefix": "a", "marker": "a", "delimiter": delimiter}
    assert shown(page(store, **query))[:2] == ((["ab"], ["a/"]) if delimiter else (["a/1", "ab"], []))
    assert keys(page(store, list_type=2, prefix="a", start_after="a")) == ["a/1", "ab"]
    assert keys(page(store, prefix="a"))[0] == "a"


def test_nothing_is_listed_after_the_prefix_of_the_last_code_point(listed, photos):
    put(photos, "a", "\U0010ffff1", "\U0010ffff2")
    assert shown(listed(delimiter="\U0010ffff")) == (["a"], ["\U0010ffff"], False)


# The size of a page


def test_page_has_at_most_1000_keys(listed, photos):
    put(photos, *(f"{number:04}" for number in range(1001)))
    for case in each({}, {"max_keys": ""}, {"max_keys": 1000000}, {"max_keys": 2**31 - 1}):
        with case as query:
            listing = listed(**query)
            assert (len(keys(listing)), listing.findtext("MaxKeys")) == (1000, "1000")


def test_page_of_no_keys_is_not_truncated(listed, photos):
    photos.put("a")
    listing = listed(max_keys=0)
    assert (shown(listing), listing.findtext("MaxKeys")) == (([], [], False), "0")


def test_common_prefixes_count_in_the_page(store, listed, photos):
    put(photos, "a/1", "a/2", "b", "c/1")
    assert shown(listed(delimiter="/", max_keys=2)) == (["b"], ["a/"], True)
    assert shown(listed(delimiter="/", prefix="a", max_keys=1)) == ([], ["a/"], False)
    assert page(store, list_type=2, delimiter="/").findtext("KeyCount") == "3"


def test_invalid_page_size_is_refused(store):
    for case in each("-1", "-9999999999", "many", "1.0", "0x10", " 1", "\u0663", str(2**31), "0" * 11, "9" * 5000):
        with case as size:
            assert invalid_argument(get(store, max_keys=size)) in ("max-keys", "maxKeys")
    assert get(store, max_keys=2**31 - 1).status == 200


# The next page


@pytest.mark.decision("next-marker")
def test_next_marker_is_sent_only_with_a_delimiter(store, photos):
    put(photos, "a", "b/1", "b/2", "c", "d")
    assert page(store, max_keys=2).find("NextMarker") is None
    for case in each((1, "a"), (2, "b/"), (3, "c"), (4, None)):
        with case as (size, last):
            assert page(store, delimiter="/", max_keys=size).findtext("NextMarker") == last


@pytest.mark.decision("marker-inside-a-common-prefix")
def test_marker_within_a_common_prefix_skips_all_of_it(store, photos):
    put(photos, "a/1", "a/2", "b/1", "c")
    for case in each(("a", ["a/", "b/"]), ("a/", ["b/"]), ("a/1", ["b/"]), ("a/zzz", ["b/"])):
        with case as (marker, prefixes):
            listing = page(store, delimiter="/", marker=marker)
            assert (shown(listing), listing.findtext("Marker")) == ((["c"], prefixes, False), marker)


def test_token_continues_after_the_page_even_if_its_key_is_gone(store, photos):
    put(photos, "a", "b", "c", "d")
    token = page(store, list_type=2, max_keys=2).findtext("NextContinuationToken")
    photos.delete("b")
    listing = page(store, list_type=2, continuation_token=token, start_after="c")
    assert (keys(listing), listing.findtext("ContinuationToken")) == (["c", "d"], token)
    assert listing.find("StartAfter") is None
    assert page(store, list_type=2, start_after="c").findtext("StartAfter") == "c"


def test_token_is_safe_in_a_url_and_the_same_in_every_run(store):
    tokens = []
    for _ in range(2):
        put(store["photos"], "??>>\U0001f600", "\U0010ffff")
        tokens.append(page(store, list_type=2, max_keys=1).findtext("NextContinuationToken"))
        assert keys(page(store, list_type=2, continuation_token=tokens[-1])) == ["\U0010ffff"]
        store.reset()
    assert tokens[0] == tokens[1] == quote(tokens[0], safe="=")


@pytest.mark.decision("continuation-token")
def test_token_of_another_origin_is_refused(store, photos):
    put(photos, "a", "b")
    store.create_bucket("films")
    foreign = page(store, list_type=2, max_keys=1).findtext("NextContinuationToken")
    own = page(store, list_type=2, max_keys=1).findtext("NextContinuationToken")
    wrong = ("", "a", "not a token", "/w==", "\xe9", "Zm9v", "AAAAAAAAAAAAAGs=", f"{own[:4]}!{own[4:]}")
    tokens = [("photos", token) for token in wrong]
    for case in each(*tokens, ("films", foreign)):
        with case as (bucket, token):
            reply = get(store, bucket, list_type=2, continuation_token=token)
            assert invalid_argument(reply) == "continuation-token"


@pytest.mark.decision("values-of-subresources")
def test_only_2_selects_the_second_version_of_the_listing(store, photos):
    put(photos, "a")
    for case in each("1", "0", "3", "bogus", "", "02"):
        with case as value:
            listing = page(store, list_type=value, marker="")
            assert (listing.findtext("Marker"), listing.findtext("KeyCount")) == ("", None)
            assert store.exchanges[-1].operation == "GET Bucket"


def test_unknown_parameter_of_a_listing_is_refused(store):
    for case in each({"list_type": 2, "marker": "a"}, {"max_key": 1}):
        with case as query:
            with pytest.raises(UnsupportedRequest, match=r"marker|max-key"):
                get(store, **query)
    store.unhandled_requests.clear()


@pytest.mark.decision("parameters-of-the-second-listing")
def test_first_listing_refuses_the_parameters_of_the_second(store):
    names = {"start-after": "startAfter", "continuation-token": "continuation-token", "fetch-owner": "fetch-owner"}
    for case in each(*names.items()):
        with case as (name, shown):
            reply = request(store, "GET", "photos", **{name: "true"})
            assert outcome(reply) == (400, "InvalidArgument")
            message = f"{shown} only supported in REST.GET.BUCKET with list-type=2"
            assert (elements(reply)["Message"], elements(reply)["ArgumentName"]) == (message, name)


# How keys are written


@pytest.mark.decision("encoding-type")
@pytest.mark.parametrize(
    ("key", "encoded"),
    [
        ("a b.txt", "a+b.txt"),
        ("100%.csv", "100%25.csv"),
        ("a+b", "a%2Bb"),
        ("a/b-c_d.e*f~g", "a/b-c_d.e*f~g"),
        ("ä\n", "%C3%A4%0A"),
    ],
)
def test_encoding_type_url_encodes_as_in_a_form(store, photos, key, encoded):
    put(photos, key)
    assert keys(page(store, encoding_type="url")) == [encoded]


@pytest.mark.decision("encoding-type")
def test_encoding_type_url_encodes_all_but_slashes(store, photos):
    put(photos, "a=b c/d", "a=e/f", "a\x01")
    listing = page(store, encoding_type="url", delimiter=" c", prefix="a=", marker="a+")
    names = ("EncodingType", "Prefix", "Delimiter", "Marker")
    assert [listing.findtext(name) for name in names] == ["url", "a%3D", "+c", "a%2B"]
    assert shown(listing) == (["a%3De/f"], ["a%3Db+c"], False)
    assert page(store, encoding_type="url", delimiter=" c", max_keys=2).findtext("NextMarker") == "a%3Db+c"
    listing = page(store, list_type=2, encoding_type="url", start_after="a=b ")
    assert (listing.findtext("StartAfter"), keys(listing)) == ("a%3Db+", ["a%3Db+c/d", "a%3De/f"])
    assert keys(page(store, encoding_type="url"))[0] == "a%01"
    for case in each("", "URL", "base64"):
        with case as encoding:
            assert invalid_argument(get(store, encoding_type=encoding)) == "encoding-type"


def test_key_that_xml_can_carry_is_returned_unchanged(listed, photos):
    written = sorted(["<a>&\"'", "tab\there", "line\nbreak", "a\r\nb", " both ends ", "]]>", "\x7f\x85"])
    put(photos, *written)
    assert keys(listed()) == written


@pytest.mark.decision("characters-invalid-in-xml")
def test_control_character_of_a_key_is_a_character_reference(store, photos):
    photos.put("a\x01b")
    assert b"<Key>a&#x1;b</Key>" in bytes(get(store).body)


# Access, and the cost of a page


def test_listing_needs_read_on_the_bucket_only(store, photos):
    bob = store.create_account("bob")
    photos.put("private")
    assert outcome(get(store, account=bob)) == (403, "AccessDenied")
    photos.acl = "public-read"
    assert keys(document(get(store, account=bob))) == ["private"]
    missing = get(store, "films")
    assert (outcome(missing), document(missing).findtext("BucketName")) == ((404, "NoSuchBucket"), "films")


@pytest.mark.parametrize("deleted", [False, True], ids=["objects", "delete markers"])
@pytest.mark.parametrize(
    ("key", "queries"),
    [
        ("{:05}", [{"marker": "00050"}, {"key_marker": "00050", "versions": None}]),
        (
            "a/{:05}",
            [
                {"prefix": "b"},
                {"prefix": "b", "versions": None},
                {"delimiter": "/"},
                {"delimiter": "/", "marker": "a/00050"},
                {"delimiter": "/", "versions": None},
            ],
        ),
    ],
    ids=["many keys", "many keys under a prefix"],
)
def test_page_costs_as_much_in_a_large_bucket_as_in_a_small_one(store, key, queries, deleted):
    buckets = []
    for count in (200, 2000):
        bucket = store.create_bucket(f"of-{count}", versioning="enabled")
        for number in range(count):
            (bucket.delete if deleted else bucket.put)(key.format(number))
        put(bucket, "b/1", "b/2", "z")
        buckets.append(bucket.name)
    for case in each(*queries):
        with case as query:
            small, large = (
                count_calls(lambda name=name, query=query: get(store, name, max_keys=10, **query)) for name in buckets
            )
            assert large <= 1.3 * small
