"""Dates that a client sends name a moment, whatever zone they are written in."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from freezegun import freeze_time

from fakestore.http.dates import parse_http_date as read_http_date
from tests.spec.arrange import put_fields, wire

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture
def fakestore_options():
    return {"buckets": ["photos"]}


@pytest.mark.parametrize(
    "text",
    [
        "Sat, 21 Nov 2026 12:00:00 GMT",
        "Sat, 21 Nov 2026 12:00:00 +0000",
        "Sat, 21 Nov 2026 12:00:00 -0000",
        "Sat, 21 Nov 2026 14:00:00 +0200",
        "Sat, 21 Nov 2026 06:30:00 -0530",
        "Sun, 22 Nov 2026 00:00:00 +1200",
        "Sat, 21 Nov 2026 07:00:00 EST",
        "Saturday, 21-Nov-26 12:00:00 GMT",
        "Sat Nov 21 12:00:00 2026",
    ],
)
def test_a_date_is_the_moment_in_its_own_zone(text):
    assert read_http_date(text) == NOON


def code(store, method, target, fields):
    key = store.default_account.access_key_id
    wire(store, method, "photos", target, [*fields, ("Authorization", f"SVC {key}:s")], signed=False)
    return store.exchanges[-1].error_code


@freeze_time(NOON)
@pytest.mark.parametrize("name", ["Date", "x-svc-date"])
@pytest.mark.parametrize(
    ("date", "expected"),
    [
        ("Sat, 21 Nov 2026 14:00:00 +0200", None),
        ("Sat, 21 Nov 2026 07:00:00 -0500", None),
        ("Sat, 21 Nov 2026 12:00:00 +0200", "RequestTimeTooSkewed"),
        ("Sat, 21 Nov 2026 12:00:00 -0500", "RequestTimeTooSkewed"),
    ],
)
def test_a_request_may_be_dated_in_any_zone(fakestore, name, date, expected):
    assert code(fakestore, "PUT", "/cat.jpg", put_fields(b"", (name, date))) == expected


@freeze_time(NOON)
@pytest.mark.parametrize(
    ("date", "expected"),
    [("Sat, 21 Nov 2026 14:00:01 +0200", None), ("Sat, 21 Nov 2026 12:00:01 +0200", "PreconditionFailed")],
)
def test_a_condition_may_be_dated_in_any_zone(fakestore, date, expected):
    fakestore["photos"].put("cat.jpg", b"meow")
    dates = [("If-Unmodified-Since", date), ("Date", "Sat, 21 Nov 2026 12:00:00 GMT")]
    assert code(fakestore, "GET", "/cat.jpg", dates) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Sat, 21 Nov 2026 12:00:00 GMT,Sat, 21 Nov 2026 12:00:00 GMT",
        "-1,Sat, 21 Nov 2026 12:00:00 GMT",
        "Sat, 21 Nov 2026 12:00:00 GMT,-1",
    ],
)
def test_a_date_that_came_twice_is_no_date(text):
    assert read_http_date(text) is None
