"""Lifecycle rules as a configuration: over HTTP, and in Python by `bucket.expire(...)`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from fakestore import UnsupportedRequest
from tests.support.cases import each
from tests.support.documents import lifecycle, rule
from tests.support.wire import document, outcome, request

DAYS_3 = rule("<Expiration><Days>3</Days></Expiration>")


def put(store, *rules, bucket="photos", account=None):
    return outcome(request(store, "PUT", bucket, account=account, body=lifecycle(*rules), lifecycle=None))


def stored(store, bucket="photos"):
    """The rules of the bucket as its owner reads them, or the error."""
    reply = request(store, "GET", bucket, lifecycle=None)
    return outcome(reply) if reply.status != 200 else bytes(reply.body)


def rule_ids(store):
    return [each.findtext("ID") for each in document(request(store, "GET", "photos", lifecycle=None))]


def test_put_replaces_all_rules_and_delete_removes_them(store, photos):
    assert stored(store) == (404, "NoSuchLifecycleConfiguration")
    photos.expire(rule_id="a", prefix="x/", days=1)
    photos.expire(rule_id="b", days=2)
    assert rule_ids(store) == ["a", "b"]
    assert put(store, DAYS_3) == (200, None)
    (only,) = document(request(store, "GET", "photos", lifecycle=None))
    names = ("ID", "Status", "Filter/Prefix", "Expiration/Days")
    assert [only.findtext(name) for name in names] == ["r", "Enabled", "", "3"]
    for _ in range(2):
        assert outcome(request(store, "DELETE", "photos", lifecycle=None)) == (204, None)
        assert stored(store) == (404, "NoSuchLifecycleConfiguration")


def test_refused_configuration_keeps_the_old_one(store):
    put(store, DAYS_3)
    assert put(store, rule("", rule_id="new")) == (400, "InvalidRequest")
    assert put(store, DAYS_3, account=store.create_account("bob")) == (403, "AccessDenied")
    with pytest.raises(UnsupportedRequest, match=r"moves objects to GLACIER, .*: REDUCED_REDUNDANCY, STANDARD"):
        put(store, rule("<Transition><Days>1</Days><StorageClass>GLACIER</StorageClass></Transition>"))
    store.unhandled_requests.clear()
    assert rule_ids(store) == ["r"]


def test_bucket_has_at_most_1000_rules(store, photos):
    rules = [rule("<Expiration><Days>3</Days></Expiration>", rule_id=str(number)) for number in range(1001)]
    assert put(store, *rules) == (400, "MalformedXML")
    assert put(store, *rules[:999]) == (200, None)
    photos.expire(rule_id="last", days=1)
    with pytest.raises(ValueError, match="1 to 1000 rules"):
        photos.expire(rule_id="one more", days=1)
    assert len(rule_ids(store)) == 1000


MIDNIGHT = "<Expiration><Date>2030-01-02T00:00:00.000Z</Date></Expiration>"


@pytest.mark.parametrize(
    ("arguments", "actions"),
    [
        ({"days": 3}, "<Expiration><Days>3</Days></Expiration>"),
        ({"date": datetime(2030, 1, 2, tzinfo=UTC)}, MIDNIGHT),
        ({"date": datetime(2030, 1, 2)}, MIDNIGHT),
        ({"date": datetime(2030, 1, 2, 2, tzinfo=timezone(timedelta(hours=2)))}, MIDNIGHT),
        (
            {"noncurrent_days": 5, "newer_noncurrent_versions": 2},
            "<NoncurrentVersionExpiration><NoncurrentDays>5</NoncurrentDays>"
            "<NewerNoncurrentVersions>2</NewerNoncurrentVersions></NoncurrentVersionExpiration>",
        ),
        (
            {"expired_marker": True},
            "<Expiration><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration>",
        ),
    ],
    ids=["days", "date", "naive date", "date of another zone", "noncurrent", "expired marker"],
)
def test_rule_added_in_python_equals_the_rule_put_as_xml(store, photos, arguments, actions):
    store.create_bucket("films")
    photos.expire(rule_id="r", prefix="a/", **arguments)
    assert put(store, rule(actions, prefix="a/"), bucket="films") == (200, None)
    assert stored(store, "photos") == stored(store, "films")


def test_invalid_rule_is_a_value_error_and_adds_nothing(store, photos):
    photos.expire(rule_id="taken", days=1)
    before = stored(store)
    for case in each(
        ({"days": 0}, "days must be a whole number from 1 to 2147483647, not 0"),
        ({"days": 1.5}, "days must be a whole number .* not 1.5"),
        ({"days": 2**31}, "not 2147483648"),
        ({"noncurrent_days": 0}, "noncurrent_days"),
        ({"noncurrent_days": 1, "newer_noncurrent_versions": 101}, "newer_noncurrent_versions .* from 1 to 100"),
        ({"days": 1, "newer_noncurrent_versions": 1}, "newer_noncurrent_versions needs noncurrent_days"),
        ({"date": datetime(2030, 1, 2, microsecond=1)}, "midnight in UTC.*2030-01-02 00:00:00.000001"),
        ({"days": 1, "date": datetime(2030, 1, 1)}, "only one of days, date and expired_marker"),
        ({"days": 1, "expired_marker": True}, "only one of days, date and expired_marker"),
        ({}, "at least one of days, date, noncurrent_days and expired_marker"),
        ({"expired_marker": False}, "at least one of"),
        ({"days": 1, "rule_id": ""}, "1 to 255 characters, not 0"),
        ({"days": 1, "rule_id": "r" * 256}, "1 to 255 characters, not 256"),
        ({"days": 1, "rule_id": "\ud800"}, "rule_id.*UTF-8"),
        ({"days": 1, "prefix": "\udfff"}, "prefix.*UTF-8"),
        ({"days": 1, "rule_id": "taken"}, "photos.*taken"),
    ):
        with case as (arguments, names):
            with pytest.raises(ValueError, match=names):
                photos.expire(**{"rule_id": "r", **arguments})
            assert stored(store) == before
