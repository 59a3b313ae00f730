"""Dates agree: one reading of the clock per request, the second's resolution, and the expiration header."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from urllib.parse import unquote

import pytest
import requests
from freezegun import freeze_time
from lxml import etree

from fakestore import fake_store

EXPIRES = 'expiry-date="Sat, 05 Jan 2030 00:00:00 GMT", rule-id="r"'


@pytest.fixture
def store():
    with freeze_time("2030-01-01 12:00"), fake_store(buckets=["photos"]) as store:
        yield store


def put(store, key="k", **headers):
    return requests.put(store.url("photos", key), data=b"1", headers=headers, auth=store.auth())


def copy(store, key="k", **headers):
    headers["x-svc-copy-source"] = f"/photos/{key}"
    return requests.put(store.url("photos", "copy"), headers=headers, auth=store.auth())


def get(store, key="k", headers=None, **query):
    return requests.get(store.url("photos", key, **query), headers=headers, auth=store.auth())


# -- the expiration header


def test_the_header_names_the_midnight_and_the_rule_on_put_get_head_and_copy(store, photos):
    photos.expire(rule_id="r", days=3)
    replies = [
        put(store),
        get(store),
        requests.head(store.url("photos", "k"), auth=store.auth()),
        copy(store),
    ]
    assert [reply.headers.get("x-svc-expiration") for reply in replies] == [EXPIRES] * 4


def test_the_header_is_there_for_objects_older_than_the_rule(store, photos):
    photos.put("k")
    photos.expire(rule_id="r", days=3)
    assert get(store).headers["x-svc-expiration"] == EXPIRES


def test_no_header_comes_with_a_version_id(store, photos):
    photos.set_versioning("enabled")
    photos.expire(rule_id="r", days=3)
    version_id = put(store).headers["x-svc-version-id"]
    assert "x-svc-expiration" not in get(store, versionId=version_id).headers


def test_no_header_comes_where_no_rule_applies(store, photos):
    photos.expire(rule_id="r", prefix="logs/", days=3)
    assert "x-svc-expiration" not in put(store).headers


def test_the_rule_that_acts_first_is_named(store, photos):
    photos.expire(rule_id="late", days=4)
    photos.expire(rule_id="r", days=3)
    assert put(store).headers["x-svc-expiration"] == EXPIRES


def test_of_rules_that_act_together_the_first_listed_is_named(store, photos):
    photos.expire(rule_id="r", days=3)
    photos.expire(rule_id="same day", days=3)
    assert put(store).headers["x-svc-expiration"] == EXPIRES


def test_a_rule_that_ends_beyond_the_calendar_is_not_told(store, photos):
    photos.expire(rule_id="r", days=2**31 - 1)
    assert "x-svc-expiration" not in put(store).headers


@pytest.mark.parametrize(
    "rule_id", ['a "quoted" one', "日本", "50% off", "line\nbreak", "a, b; c=d", "\U0001f600", "a/b"]
)
def test_odd_characters_of_a_rules_id_are_percent_encoded(store, photos, rule_id):  # rule-id-is-encoded
    photos.expire(rule_id=rule_id, days=3)
    named = put(store).headers["x-svc-expiration"].partition("rule-id=")[2]
    assert (named.isascii(), set(named[1:-1]) & set('" \n;,')) == (True, set())
    assert unquote(named.strip('"')) == rule_id


def test_the_header_keeps_its_word(store, photos):
    photos.expire(rule_id="r", days=3)
    promised = put(store).headers["x-svc-expiration"].split('"')[1]
    moment = parsedate_to_datetime(promised)
    with freeze_time(moment - timedelta(seconds=1)):
        assert get(store).status_code == 200
    with freeze_time(moment):
        assert get(store).status_code == 404


# -- one reading of the clock


@pytest.fixture
def readings(store):
    """How often the store read its clock, for requests that bring their own date."""
    counted = []
    real = store._service.clock

    def clock():
        counted.append(real())
        return counted[-1]

    store._service.clock = clock
    return counted


DATED = {"Date": "Tue, 01 Jan 2030 12:00:00 GMT"}


@pytest.mark.parametrize(
    "ask",
    [
        lambda store: put(store, **DATED),
        lambda store: copy(store, "seeded", **DATED),
        lambda store: get(store, "seeded", DATED),
        lambda store: get(store, "seeded", DATED, acl=None),
        lambda store: requests.delete(store.url("photos", "seeded"), headers=DATED, auth=store.auth()),
        lambda store: requests.get(store.url("photos"), headers=DATED, auth=store.auth()),
        lambda store: requests.get(store.url("photos", versions=None), headers=DATED, auth=store.auth()),
        lambda store: requests.put(store.url("another"), headers=DATED, auth=store.auth()),
        lambda store: requests.post(
            store.url("photos", delete=None),
            data=b"<Delete><Object><Key>a</Key></Object><Object><Key>b</Key></Object></Delete>",
            headers=DATED,
            auth=store.auth(),
        ),
        lambda store: get(store, "missing", DATED),
    ],
    ids=["put", "copy", "get", "acl", "delete", "list", "versions", "bucket", "many", "missing"],
)
def test_a_request_reads_the_clock_once(store, photos, readings, ask):
    photos.expire(rule_id="r", days=3)
    photos.put("seeded")
    readings.clear()
    ask(store)
    assert len(readings) == 1


@pytest.fixture
def hasty():
    """A store whose clock leaps an hour at every reading."""
    with freeze_time("2030-01-01 12:00", auto_tick_seconds=3600), fake_store(max_clock_skew=None) as store:
        store.create_bucket("photos", versioning="enabled").expire(rule_id="r", days=3)
        yield store


def test_date_last_modified_and_expiry_agree_while_the_clock_runs(hasty):
    reply = put(hasty)
    written = parsedate_to_datetime(reply.headers["Date"])
    (version,) = hasty["photos"].versions()
    assert version.last_modified == written
    expiry = parsedate_to_datetime(reply.headers["x-svc-expiration"].split('"')[1])
    assert timedelta(days=3) <= expiry - written < timedelta(days=4)


def test_a_copys_own_time_is_that_of_its_reply_while_the_clock_runs(hasty):
    put(hasty)
    reply = copy(hasty)
    told = etree.fromstring(reply.content).findtext("LastModified")
    assert datetime.fromisoformat(told).replace(tzinfo=UTC) == parsedate_to_datetime(reply.headers["Date"])


def test_markers_of_one_request_have_one_time_while_the_clock_runs(hasty):
    body = b"<Delete><Object><Key>a</Key></Object><Object><Key>b</Key></Object></Delete>"
    reply = requests.post(hasty.url("photos", delete=None), data=body, auth=hasty.auth())
    assert [each.last_modified for each in hasty["photos"].versions()] == [
        parsedate_to_datetime(reply.headers["Date"])
    ] * 2


# -- the second's resolution


def test_fractions_of_a_second_are_cut_off():
    with freeze_time("2030-01-01 12:00:00.999999"), fake_store(buckets=["photos"]) as store:
        put(store)
        listing = requests.get(store.url("photos"), auth=store.auth())
        assert get(store).headers["Last-Modified"] == "Tue, 01 Jan 2030 12:00:00 GMT"
        assert b"<LastModified>2030-01-01T12:00:00.000Z</LastModified>" in listing.content
        assert store["photos"]["k"].last_modified == datetime(2030, 1, 1, 12, tzinfo=UTC)


def test_the_date_that_was_told_is_not_modified_since_within_its_second():
    with freeze_time("2030-01-01 12:00:00.9") as clock, fake_store(buckets=["photos"]) as store:
        put(store)
        told = get(store).headers["Last-Modified"]
        clock.tick(0.05)
        assert get(store, headers={"If-Modified-Since": told}).status_code == 304
        assert get(store, headers={"If-Unmodified-Since": told}).status_code == 200


def test_two_writes_of_one_second_are_told_apart_by_their_entity_tags_alone(store, photos):
    first = photos.put("k", b"1")
    second = photos.put("k", b"2")
    told = get(store).headers["Last-Modified"]
    assert get(store, headers={"If-Modified-Since": told}).status_code == 304
    assert get(store, headers={"If-None-Match": first.etag}).content == b"2"
    assert get(store, headers={"If-None-Match": second.etag}).status_code == 304


def test_a_second_later_it_is_modified_since():
    with freeze_time("2030-01-01 12:00") as clock, fake_store(buckets=["photos"]) as store:
        put(store)
        told = get(store).headers["Last-Modified"]
        clock.tick(1)
        put(store)
        assert get(store, headers={"If-Modified-Since": told}).status_code == 200
        assert get(store, headers={"If-Unmodified-Since": told}).status_code == 412


def test_requests_signed_after_a_journey_are_in_time_and_those_from_before_are_not(store):
    store.travel(days=3)
    assert put(store).status_code == 200
    assert b"<Code>RequestTimeTooSkewed</Code>" in put(store, **DATED).content
