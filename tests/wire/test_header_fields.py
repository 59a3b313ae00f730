"""Header fields as values: names without case, doubled ones joined, the section's size as it was on the wire."""

from __future__ import annotations

import pytest

from fakestore import FakeStore, Limits
from fakestore.wire.messages import Headers, Request


def test_a_name_that_came_twice_has_its_values_joined():
    assert list(Headers([("A", "1"), ("b", "2"), ("a", "3"), ("A", "4")])) == [("a", "1,3,4"), ("b", "2")]


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
    store._service.handle(Request("PUT", "http", "photos.objects.test", "/cat", Headers(fields)))
    assert store.exchanges[-1].error_code == code


def test_the_dialects_fields_and_those_of_other_prefixes_are_told_apart():
    headers = Headers([("X-A-one", "1"), ("x-b-two", "2"), ("X-A-", "3"), ("x-c-four", "4"), ("date", "5")])
    assert headers.divided("x-a-", ("x-b-", "x-c-")) == ({"one": "1", "": "3"}, ["x-b-two", "x-c-four"])
