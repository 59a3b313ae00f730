"""The source of a copy (specification, section 4.2): how it is written, and under which conditions it is copied."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from tests.spec.arrange import elements, etag_of, holdings, refusal, stack, wire

statement = pytest.mark.statement

KEYS = [
    "cat.jpg",
    "a/b",
    "a//b",
    "a%2Fb",
    "a b",
    "a+b",
    "a&b=c",
    "100%",
    "a%zz",
    "%",
    "ключ/猫.jpg",
    "/leading",
    "//",
    "a?b",
    "a?versionId=null",
    "a#b",
    "..",
    "./a/../b",
    "trailing/",
    "\u0301combining",
    "x" * 1024,
    "é" * 512,
]


def copy(store, source, fields=()):
    return wire(store, "PUT", "photos", "/copy", [("x-svc-copy-source", source), *fields])


@statement("4.2-05", "4.2-06")
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("bucket", ["photos", "kept"])
def test_a_source_is_url_encoded_and_names_just_its_key(store, bucket, key):
    store[bucket].put(key, b"meow")
    answer = copy(store, quote(f"/{bucket}/{key}"))
    assert (answer.status, store["photos"]["copy"].content) == (200, b"meow")


@statement("4.2-06")
@pytest.mark.parametrize(
    "source", ["/photos/a%20%2B%20b", "/photos/a+%2B+b", "%2Fphotos%2Fa%20%2b%20b", "photos/a%20%2B%20b"]
)
def test_a_source_may_be_encoded_in_several_ways(store, source):
    store["photos"].put("a + b", b"meow")
    assert (copy(store, source).status, stack(store, "photos", "copy")) == (200, [b"meow"])


@statement("4.2-06")
def test_a_source_is_decoded_once(store):
    store["photos"].put("a%2Fb", b"with a percent sign")
    store["photos"].put("a/b", b"with a slash")
    copied = []
    for source in ("/photos/a%252Fb", "/photos/a%2Fb"):
        copy(store, source)
        copied.append(store["photos"]["copy"].content)
    assert copied == [b"with a percent sign", b"with a slash"]


@statement("4.2-06")
def test_a_source_in_raw_utf_8_is_understood_through_requests(store, session):
    store["photos"].put("猫", b"meow")
    answer = session.put(store.url("photos", "copy"), headers={"x-svc-copy-source": "/photos/猫".encode()})
    assert (answer.status_code, stack(store, "photos", "copy")) == (200, [b"meow"])


@statement("4.2-05")
@pytest.mark.parametrize(
    "source",
    [
        "",
        "/",
        "//",
        "photos",
        "/photos",
        "/photos/",
        "//photos/cat.jpg",
        "/photos/%ff",
        "/photos/\xff",
        "/photos/cat.jpg?",
        "/photos/cat.jpg?acl",
        "/photos/cat.jpg?versionid=null",
        "/photos/cat.jpg?x=1",
        "/photos/cat.jpg?versionId=null&x=1",
        "/photos/cat.jpg,/photos/cat.jpg?x",
    ],
)
def test_a_source_of_another_form_is_refused(store, source):
    store["photos"].put("cat.jpg", b"meow")
    before = holdings(store)
    assert refusal(copy(store, source)) == (400, "InvalidArgument")
    assert holdings(store) == before


@statement("4.2-05")
def test_two_copy_sources_are_one_key_that_there_is_not(store):
    store["photos"].put("cat.jpg", b"meow")
    before = holdings(store)
    answer = copy(store, "/photos/cat.jpg", [("x-svc-copy-source", "/photos/cat.jpg")])
    assert refusal(answer) == (404, "NoSuchKey")
    assert holdings(store) == before


@statement("4.2-09")
@pytest.mark.parametrize("bucket", ["nosuch", "PHOTOS", "no_bucket", "b" * 100, "ph%C3%B6tos"])
def test_a_source_bucket_that_there_is_not_is_refused_whatever_its_name(store, bucket):
    before = holdings(store)
    assert refusal(copy(store, f"/{bucket}/cat.jpg")) == (404, "NoSuchBucket")
    assert holdings(store) == before


def test_a_source_key_of_more_than_1024_bytes_is_refused(store):
    for key in ("x" * 1025, "é" * 512 + "x"):
        assert refusal(copy(store, quote(f"/photos/{key}"))) == (400, "KeyTooLongError")


# -- conditions: the source was modified at noon, the copy is asked for at 12:30

EARLIER, EXACTLY, LATER, FUTURE = (
    f"Sat, 21 Nov 2026 {time} GMT" for time in ("11:59:59", "12:00:00", "12:10:00", "12:45:00")
)
RIGHT, WRONG = etag_of(b"meow"), etag_of(b"moo")


@pytest.fixture
def conditional(store, noon):
    """Copies under conditions, and says what came of it: 200 and the copy, or the status and the failed condition."""
    store["photos"].put("cat.jpg", b"meow")
    noon.tick(1800)

    def ask(**conditions):
        fields = [(f"x-svc-copy-source-{name.replace('_', '-')}", value) for name, value in conditions.items()]
        answer = copy(store, "/photos/cat.jpg", fields)
        if answer.status == 200:
            assert stack(store, "photos", "copy") == [b"meow"]
            return "copied"
        assert stack(store, "photos", "copy") == []
        told = elements(answer.body)
        assert (answer.status, told["Code"]) == (412, "PreconditionFailed")
        return told["Condition"].removeprefix("x-svc-copy-source-")

    return ask


@pytest.mark.parametrize("etag", [RIGHT, RIGHT.strip('"'), f"{WRONG}, {RIGHT}", "*"])
@statement("4.2-17")
def test_if_match_copies_where_the_source_has_that_entity_tag(conditional, etag):
    assert conditional(if_match=etag) == "copied"


@pytest.mark.parametrize("etag", [WRONG, "meow", "", '"'])
@statement("4.2-18")
def test_if_match_does_not_copy_where_the_source_has_another(conditional, etag):
    assert conditional(if_match=etag) == "If-Match"


@pytest.mark.parametrize("etag", [WRONG, "meow", ""])
@statement("4.2-19")
def test_if_none_match_copies_where_the_source_has_another_entity_tag(conditional, etag):
    assert conditional(if_none_match=etag) == "copied"


@pytest.mark.parametrize("etag", [RIGHT, RIGHT.strip('"'), f"{WRONG}, {RIGHT}", "*"])
@statement("4.2-20")
def test_if_none_match_does_not_copy_where_the_source_has_that_one(conditional, etag):
    assert conditional(if_none_match=etag) == "If-None-Match"


@pytest.mark.parametrize("date", [EXACTLY, LATER, FUTURE])
@statement("4.2-21")
def test_if_unmodified_since_copies_where_the_source_was_not_modified_since(conditional, date):
    assert conditional(if_unmodified_since=date) == "copied"


@pytest.mark.parametrize("date", [EARLIER, "Saturday, 21-Nov-26 11:59:59 GMT", "Sat Nov 21 11:59:59 2026"])
@statement("4.2-22", "7-09")
def test_if_unmodified_since_does_not_copy_where_it_was(conditional, date):
    assert conditional(if_unmodified_since=date) == "If-Unmodified-Since"


@pytest.mark.parametrize("date", [EARLIER, "Saturday, 21-Nov-26 11:59:59 GMT", "Sat Nov 21 11:59:59 2026"])
@statement("4.2-23")
def test_if_modified_since_copies_where_the_source_was_modified_since(conditional, date):
    assert conditional(if_modified_since=date) == "copied"


@pytest.mark.parametrize("date", [EXACTLY, LATER])
@statement("4.2-24", "7-09")
def test_if_modified_since_does_not_copy_where_it_was_not(conditional, date):
    assert conditional(if_modified_since=date) == "If-Modified-Since"


def test_if_modified_since_in_the_future_is_ignored(conditional):
    assert conditional(if_modified_since=FUTURE) == "copied"


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ({"if_match": RIGHT, "if_unmodified_since": EARLIER}, "copied"),
        ({"if_match": WRONG, "if_unmodified_since": LATER}, "If-Match"),
        ({"if_match": WRONG, "if_unmodified_since": EARLIER}, "If-Match"),
        ({"if_match": RIGHT, "if_none_match": RIGHT}, "If-None-Match"),
        ({"if_match": RIGHT, "if_modified_since": LATER}, "If-Modified-Since"),
        ({"if_none_match": WRONG, "if_modified_since": EARLIER}, "copied"),
        ({"if_none_match": WRONG, "if_modified_since": LATER}, "If-Modified-Since"),
        ({"if_none_match": RIGHT, "if_modified_since": EARLIER}, "If-None-Match"),
        ({"if_none_match": WRONG, "if_unmodified_since": EARLIER}, "If-Unmodified-Since"),
        ({"if_unmodified_since": LATER, "if_modified_since": EARLIER}, "copied"),
        ({"if_unmodified_since": EARLIER, "if_modified_since": LATER}, "If-Unmodified-Since"),
        (
            {"if_match": RIGHT, "if_none_match": WRONG, "if_unmodified_since": LATER, "if_modified_since": EARLIER},
            "copied",
        ),
    ],
)
def test_conditions_together_are_answered_in_the_recorded_order(conditional, conditions, expected):
    assert conditional(**conditions) == expected


@pytest.mark.parametrize("name", ["if-modified-since", "if-unmodified-since"])
@pytest.mark.parametrize(
    "value", ["", "yesterday", "2026-11-21T12:00:00", "0", "Sat, 99 Nov 2026 12:00:00 GMT", "9" * 400]
)
def test_a_condition_whose_date_is_none_is_refused(store, name, value):
    store["photos"].put("cat.jpg", b"meow")
    before = holdings(store)
    answer = copy(store, "/photos/cat.jpg", [(f"x-svc-copy-source-{name}", value)])
    assert refusal(answer) == (400, "InvalidArgument")
    assert holdings(store) == before
