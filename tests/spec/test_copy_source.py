"""The source of a copy (specification, section 4.2): how it is written, and its conditions."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from fakestore import UnsupportedRequest
from tests.support.cases import each
from tests.support.state import stack, state_of
from tests.support.wire import elements, etag_of, outcome, send

statement = pytest.mark.statement
decision = pytest.mark.decision

KEYS = [
    "a//b",
    "a%2Fb",
    "a b",
    "a+b",
    "a&b=c",
    "100%",
    "a%zz",
    "ключ/猫.jpg",
    "//",
    "a?versionId=null",
    "..",
    "é" * 512,
]


def copy(store, source, fields=()):
    return send(store, "PUT", "photos", "/copy", [("x-svc-copy-source", source), *fields])


@statement("4.2-05", "4.2-06")
@decision("copy-source")
def test_encoded_source_names_exactly_its_key(store):
    for case in each(*KEYS):
        with case as key:
            store["kept"].put(key, key.encode())
            assert (copy(store, quote(f"/kept/{key}")).status, stack(store, "photos", "copy")) == (200, [key.encode()])


@statement("4.2-06")
@decision("copy-source")
def test_source_may_be_encoded_in_several_ways(store):
    store["photos"].put("a + b", b"meow")
    for case in each("/photos/a%20%2B%20b", "/photos/a+%2B+b", "%2Fphotos%2Fa%20%2b%20b", "photos/a%20%2B%20b"):
        with case as source:
            assert (copy(store, source).status, stack(store, "photos", "copy")) == (200, [b"meow"])


@statement("4.2-06")
def test_source_is_decoded_once(store):
    store["photos"].put("a%2Fb", b"with a percent sign")
    store["photos"].put("a/b", b"with a slash")
    copied = []
    for source in ("/photos/a%252Fb", "/photos/a%2Fb"):
        copy(store, source)
        copied.append(store["photos"]["copy"].content)
    assert copied == [b"with a percent sign", b"with a slash"]


@statement("4.2-06")
def test_source_may_be_raw_utf_8(store, session):
    store["photos"].put("猫", b"meow")
    answer = session.put(store.url("photos", "copy"), headers={"x-svc-copy-source": "/photos/猫".encode()})
    assert (answer.status_code, stack(store, "photos", "copy")) == (200, [b"meow"])


@decision("copy-source")
def test_arn_as_a_source_is_unsupported(store):
    for source in ("arn:aws:s3:us-east-1:111111111111:accesspoint/photos/object/k", "arn%3Aaws%3As3%3A%3A%3Aphotos/k"):
        with pytest.raises(UnsupportedRequest, match="ARN"):
            copy(store, source)
    store.unhandled_requests.clear()


@statement("4.2-05")
@decision("copy-source")
def test_source_of_another_form_is_refused(store):
    store["photos"].put("cat.jpg", b"meow")
    before = state_of(store)
    for source in [
        "",
        "//",
        "photos",
        "/photos/",
        "//photos/cat.jpg",
        "/photos/%ff",
        "/photos/\xff",
        "/photos/cat.jpg?",
        "/photos/cat.jpg?versionid=null",
        "/photos/cat.jpg?versionId=null&x=1",
    ]:
        assert outcome(copy(store, source)) == (400, "InvalidArgument")
        assert state_of(store) == before


@statement("4.2-06")
@decision("copy-source")
def test_malformed_percent_encoding_is_refused(store):
    store["photos"].put("cat.jpg", b"meow")
    for case in each(
        *("/photos/cat.jpg%zz", "%zz/cat.jpg", "/photos/cat.jpg%", "/photos/cat.jpg%2", "/photos/%ff"),
        "/photos/cat.jpg?versionId=%",
    ):
        with case as source:
            reply = copy(store, source)
            assert outcome(reply) == (400, "InvalidArgument")
            assert elements(reply)["Message"] == "Invalid copy source encoding"


@statement("4.2-05")
@decision("doubled-headers")
def test_two_copy_sources_name_one_missing_key(store):
    store["photos"].put("cat.jpg", b"meow")
    answer = copy(store, "/photos/cat.jpg", [("x-svc-copy-source", "/photos/cat.jpg")])
    assert outcome(answer) == (404, "NoSuchKey")
    assert list(store["photos"]) == ["cat.jpg"]


@statement("4.2-09")
def test_unknown_source_bucket_is_refused_whatever_its_name(store):
    for case in each("nosuch", "PHOTOS", "no_bucket", "b" * 100, "ph%C3%B6tos"):
        with case as bucket:
            assert outcome(copy(store, f"/{bucket}/cat.jpg")) == (404, "NoSuchBucket")


def test_source_key_of_more_than_1024_bytes_is_refused(store):
    for key in ("x" * 1025, "é" * 512 + "x"):
        assert outcome(copy(store, quote(f"/photos/{key}"))) == (400, "KeyTooLongError")


# -- conditions: the source is modified at noon, the copy is requested at 12:30

EARLIER, EXACTLY, LATER, FUTURE = (
    f"Sat, 21 Nov 2026 {time} GMT" for time in ("11:59:59", "12:00:00", "12:10:00", "12:45:00")
)
RIGHT, WRONG = etag_of(b"meow"), etag_of(b"moo")
MATCH, NONE_MATCH, MODIFIED, UNMODIFIED = "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since"


@pytest.fixture
def failed_condition(store, noon):
    """Copy under conditions, and return the name of the one that failed, or None if the copy was made."""
    store["photos"].put("cat.jpg", b"meow")
    noon.tick(1800)

    def copy_if(conditions):
        store["photos"].delete("copy")
        fields = [(f"x-svc-copy-source-{name.lower()}", value) for name, value in conditions.items()]
        answer = copy(store, "/photos/cat.jpg", fields)
        assert stack(store, "photos", "copy") == ([b"meow"] if answer.status == 200 else [])
        if answer.status == 200:
            return None
        assert outcome(answer) == (412, "PreconditionFailed")
        return elements(answer)["Condition"].removeprefix("x-svc-copy-source-")

    return copy_if


@pytest.mark.parametrize(
    ("name", "values", "copied"),
    [
        pytest.param(MATCH, [RIGHT, RIGHT.strip('"'), "*", f"{WRONG}, {RIGHT}"], True, marks=statement("4.2-17")),
        pytest.param(MATCH, [WRONG, "", '"', f"W/{RIGHT}"], False, marks=statement("4.2-18")),
        pytest.param(NONE_MATCH, [WRONG, "", f"W/{RIGHT}"], True, marks=statement("4.2-19")),
        pytest.param(NONE_MATCH, [RIGHT, RIGHT.strip('"'), "*", f"{WRONG}, {RIGHT}"], False, marks=statement("4.2-20")),
        pytest.param(UNMODIFIED, [EXACTLY, LATER, FUTURE], True, marks=statement("4.2-21")),
        pytest.param(UNMODIFIED, [EARLIER, "Sat Nov 21 11:59:59 2026"], False, marks=statement("4.2-22", "7-09")),
        pytest.param(MODIFIED, [EARLIER], True, marks=statement("4.2-23")),
        pytest.param(MODIFIED, [EXACTLY, LATER], False, marks=statement("4.2-24", "7-09")),
        pytest.param(
            MODIFIED, [FUTURE], False, marks=[statement("4.2-24"), decision("future-date-of-a-copy-condition")]
        ),
    ],
)
@decision("conditions-on-a-copy-source")
def test_condition_decides_whether_the_copy_is_made(failed_condition, name, values, copied):
    assert {value: failed_condition({name: value}) for value in values} == dict.fromkeys(
        values, None if copied else name
    )


@decision("conditions-on-a-copy-source")
def test_several_conditions_are_checked_in_the_recorded_order(failed_condition):
    for case in each(
        ({MATCH: RIGHT, UNMODIFIED: EARLIER}, None),
        ({MATCH: WRONG, UNMODIFIED: LATER}, MATCH),
        ({MATCH: WRONG, UNMODIFIED: EARLIER}, MATCH),
        ({MATCH: RIGHT, NONE_MATCH: RIGHT}, NONE_MATCH),
        ({MATCH: RIGHT, MODIFIED: LATER}, MODIFIED),
        ({NONE_MATCH: WRONG, MODIFIED: EARLIER}, None),
        ({NONE_MATCH: WRONG, MODIFIED: LATER}, MODIFIED),
        ({NONE_MATCH: RIGHT, MODIFIED: EARLIER}, NONE_MATCH),
        ({NONE_MATCH: WRONG, UNMODIFIED: EARLIER}, UNMODIFIED),
        ({UNMODIFIED: LATER, MODIFIED: EARLIER}, None),
        ({UNMODIFIED: EARLIER, MODIFIED: LATER}, UNMODIFIED),
        ({MATCH: RIGHT, NONE_MATCH: WRONG, UNMODIFIED: LATER, MODIFIED: EARLIER}, None),
    ):
        with case as (conditions, expected):
            assert failed_condition(conditions) == expected


@decision("invalid-dates-of-conditions")
def test_condition_with_an_invalid_date_is_refused(store):
    store["photos"].put("cat.jpg", b"meow")
    for name in ["if-modified-since", "if-unmodified-since"]:
        for case in each("", "yesterday", "Sat, 99 Nov 2026 12:00:00 GMT", "9" * 400):
            with case as value:
                answer = copy(store, "/photos/cat.jpg", [(f"x-svc-copy-source-{name}", value)])
                assert outcome(answer) == (400, "InvalidArgument")
        assert list(store["photos"]) == ["cat.jpg"]
