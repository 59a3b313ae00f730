"""Header fields as values: names without case, doubled ones joined, the section's size as it was on the wire."""

from __future__ import annotations

import pytest

from fakestore import FakeStore, Limits
from fakestore.http import Headers, Request


def test_a_name_that_came_twice_has_its_values_joined():
    assert list(Headers([("A", "1"), ("b", "2"), ("a", "3"), ("A", "4")]).items()) == [("a", "1,3,4"), ("b", "2")]


@pytest.mark.parametrize("name", ["Content-MD5", "content-md5", "CONTENT-md5"])
def test_a_field_is_found_by_its_name_whatever_its_case(name):
    headers = Headers([("Content-MD5", "x")])
    assert (headers[name], headers.get(name), name in headers) == ("x", "x", True)


def test_a_field_that_is_not_there_is_a_key_error_or_the_default():
    headers = Headers([("a", "1")])
    with pytest.raises(KeyError):
        headers["B"]
    assert (headers.get("B"), headers.get("B", "2"), "B" in headers, 1 in headers) == (None, "2", False, False)


def test_fields_are_equal_to_a_mapping_that_has_the_same_whatever_the_case_of_names():
    headers = Headers([("Content-MD5", "x"), ("a", "1")])
    assert headers == {"A": "1", "content-md5": "x"}
    assert headers != {"A": "2", "content-md5": "x"}
    assert headers != {"A": "1"}
    assert headers != [("a", "1"), ("content-md5", "x")]


@pytest.mark.parametrize(
    "fields",
    [
        [],
        [("Host", "x")],
        [("A", "1"), ("b", "22")],
        [("Accept", "1"), ("accept", "22")],
        [("Accept", "")] * 5 + [("b", "2")],
    ],
)
def test_the_size_is_that_of_the_lines_on_the_wire(fields):
    assert Headers(fields).size == sum(len(f"{name}: {value}\r\n") for name, value in fields)


@pytest.mark.parametrize(("more", "code"), [(0, None), (1, "RequestHeaderSectionTooLarge")])
def test_lines_of_one_name_count_each_to_the_limit_of_the_header_section(more, code):
    lines = [("x-svc-meta-a", "1")] * 20
    store = FakeStore(buckets=["photos"], max_clock_skew=None)
    fields = [
        ("Host", "photos.objects.test"),
        ("Authorization", f"SVC {store.default_account.access_key_id}:signature"),
        ("Date", "Sat, 21 Nov 2026 12:00:00 GMT"),
        ("Content-Length", "0"),
        *lines,
    ]
    size = sum(len(f"{name}: {value}\r\n") for name, value in fields)
    store = FakeStore(
        buckets=["photos"],
        max_clock_skew=None,
        access_key_id=store.default_account.access_key_id,
        limits=Limits(header_section=size - more),
    )
    store.handle(Request("PUT", "http", "photos.objects.test", "/cat", Headers(fields)))
    assert store.exchanges[-1].error_code == code
