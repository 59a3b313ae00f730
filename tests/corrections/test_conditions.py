"""Conditions of reads as RFC 9110 orders them, and the date condition of a copy."""

from __future__ import annotations

import pytest
from freezegun import freeze_time

from tests.corrections.arrange import ask, outcome, stack

EARLIER, LATER = "Sat, 21 Nov 2026 11:00:00 GMT", "Sat, 21 Nov 2026 12:30:00 GMT"
ANOTHER_TAG = '"00000000000000000000000000000000"'
of_reads = pytest.mark.parametrize("method", ["GET", "HEAD"])


@pytest.fixture
def fakestore_options():
    return {"buckets": ["photos"]}


@pytest.fixture
def cat(fakestore):
    """An object written at noon; it is one o'clock now, so that a date between the two is no date in the future."""
    with freeze_time("2026-11-21 12:00:00"):
        version = fakestore["photos"].put("cat.jpg", b"meow")
    with freeze_time("2026-11-21 13:00:00"):
        yield version


@pytest.mark.decision("if-none-match-before-dates")
@freeze_time("2026-11-21 12:00:00")
def test_content_changed_within_a_second_is_sent_to_a_cache(fakestore):
    session, url = fakestore.session(), fakestore.url("photos", "cat.jpg")
    session.put(url, data=b"meow")
    cached = session.get(url)
    session.put(url, data=b"purr")
    validators = {"If-None-Match": cached.headers["ETag"], "If-Modified-Since": cached.headers["Last-Modified"]}

    fresh = session.get(url, headers=validators)

    assert (fresh.status_code, fresh.content) == (200, b"purr")
    assert session.head(url, headers=validators).status_code == 200


@pytest.mark.decision("if-none-match-before-dates")
@of_reads
def test_a_weak_tag_matches_if_none_match_but_not_if_match(fakestore, cat, method):
    url, weak = fakestore.url("photos", "cat.jpg"), f"W/{cat.etag}"

    for tags in (weak, f"{ANOTHER_TAG}, {weak}", f"W/{ANOTHER_TAG},{weak}"):
        assert ask(fakestore, method, url, [("If-None-Match", tags)]).status == 304, tags
    assert ask(fakestore, method, url, [("If-None-Match", f"W/{ANOTHER_TAG}")]).status == 200
    assert ask(fakestore, method, url, [("If-Match", weak)]).status == 412


@pytest.mark.decision("invalid-dates-of-conditions")
@of_reads
@pytest.mark.parametrize("name", ["If-Modified-Since", "If-Unmodified-Since"])
@pytest.mark.parametrize("value", ["yesterday", "", f"{LATER}, {LATER}"])
def test_a_read_ignores_a_condition_without_a_valid_date(fakestore, cat, method, name, value):
    url = fakestore.url("photos", "cat.jpg")

    assert outcome(fakestore, method, url, [(name, value)]) == (200, None)
    # The other conditions of the request still count.
    assert outcome(fakestore, method, url, [(name, value), ("If-None-Match", cat.etag)]) == (304, None)
    assert outcome(fakestore, method, url, [(name, value), ("If-Match", ANOTHER_TAG)]) == (412, "PreconditionFailed")


@pytest.mark.decision("future-date-of-a-copy-condition")
@pytest.mark.usefixtures("cat")
@pytest.mark.parametrize("date", [LATER, "Sat, 21 Nov 2026 13:00:01 GMT", "Tue, 19 Jan 2038 03:14:07 GMT"])
def test_a_copy_of_a_source_not_modified_since_a_date_is_refused(fakestore, date):
    headers = [("x-svc-copy-source", "/photos/cat.jpg"), ("x-svc-copy-source-if-modified-since", date)]

    assert outcome(fakestore, "PUT", fakestore.url("photos", "copy"), headers) == (412, "PreconditionFailed")
    assert stack(fakestore, "photos", "copy") == []
