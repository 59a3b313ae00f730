"""Lifecycle rules that a test adds in Python, by ``bucket.expire(...)``."""

from __future__ import annotations

import base64
import hashlib
from datetime import UTC, datetime, timedelta, timezone

import pytest
import requests

from fakestore import DeleteMarker, ObjectVersion


def put_lifecycle(store, rule):
    body = f"<LifecycleConfiguration><Rule>{rule}</Rule></LifecycleConfiguration>"
    digest = base64.b64encode(hashlib.md5(body.encode()).digest()).decode()
    url = store.url("films", lifecycle=None)
    answer = requests.put(url, data=body, headers={"Content-MD5": digest}, auth=store.auth())
    assert answer.status_code == 200, answer.text


def lifecycle(store, bucket):
    return requests.get(store.url(bucket, lifecycle=None), auth=store.auth()).text


@pytest.mark.parametrize(
    ("rule", "xml"),
    [
        ({"days": 3}, "<Expiration><Days>3</Days></Expiration>"),
        (
            {"date": datetime(2030, 1, 2, tzinfo=UTC)},
            "<Expiration><Date>2030-01-02T00:00:00.000Z</Date></Expiration>",
        ),
        ({"date": datetime(2030, 1, 2)}, "<Expiration><Date>2030-01-02T00:00:00.000Z</Date></Expiration>"),
        (
            {"date": datetime(2030, 1, 2, 2, tzinfo=timezone(timedelta(hours=2)))},
            "<Expiration><Date>2030-01-02T00:00:00.000Z</Date></Expiration>",
        ),
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
    ids=["days", "date", "naive date", "date elsewhere", "noncurrent", "expired marker"],
)
def test_a_rule_added_in_python_is_the_rule_put_as_xml(store, photos, rule, xml):
    store.create_bucket("films")
    photos.expire(rule_id="r", prefix="a/", **rule)
    put_lifecycle(store, f"<ID>r</ID><Filter><Prefix>a/</Prefix></Filter><Status>Enabled</Status>{xml}")
    assert lifecycle(store, "photos") == lifecycle(store, "films")


def test_noncurrent_versions_and_the_marker_left_alone_go_by_rules_added_in_python(store, photos):
    photos.set_versioning("enabled")
    photos.put("k", b"1")
    photos.delete("k")
    photos.expire(rule_id="old", noncurrent_days=3)
    photos.expire(rule_id="markers", expired_marker=True)
    kinds = []
    for _ in range(2):
        kinds.append([type(entry) for entry in photos.versions()])
        store.travel(days=5)
    assert (kinds, photos.versions()) == ([[DeleteMarker, ObjectVersion], []], [])


def test_one_look_does_all_that_has_become_due_each_at_its_time(store, photos):
    photos.set_versioning("enabled")
    photos.expire(rule_id="all", days=1)
    photos.expire(rule_id="older", noncurrent_days=1)
    photos.expire(rule_id="markers", expired_marker=True)
    photos.put("k", b"1")
    store.travel(days=30)
    assert photos.versions() == []


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"days": 0}, "days must be a number from 1 to 2147483647, not 0"),
        ({"days": 2**31}, "days must be a number from 1 to 2147483647, not 2147483648"),
        ({"noncurrent_days": -1}, "noncurrent_days must be a number from 1"),
        (
            {"noncurrent_days": 1, "newer_noncurrent_versions": 101},
            "newer_noncurrent_versions must be a number from 1 to",
        ),
        ({"newer_noncurrent_versions": 1}, "newer_noncurrent_versions needs noncurrent_days"),
        ({"date": datetime(2030, 1, 2, 3, tzinfo=UTC)}, "date must be a midnight in UTC, not 2030-01-02 03:00:00"),
        (
            {"date": datetime(2030, 1, 2, microsecond=1)},
            "date must be a midnight in UTC, not 2030-01-02 00:00:00.000001",
        ),
        ({"days": 1, "expired_marker": True}, "a rule can have only one of days, date and expired_marker"),
        ({}, "a rule needs at least one of days, date, noncurrent_days and expired_marker"),
        ({"days": 1, "rule_id": ""}, "the id of a rule must have 1 to 255 characters, not 0"),
        ({"days": 1, "rule_id": "\ud800"}, "rule_id is .* which cannot be UTF-8: it has a lone surrogate"),
        ({"days": 1, "prefix": "\udfff"}, "prefix is .* which cannot be UTF-8: it has a lone surrogate"),
    ],
)
def test_a_rule_that_cannot_be_is_a_value_error_and_no_rule(photos, wrong, sentence):
    with pytest.raises(ValueError, match=sentence):
        photos.expire(**{"rule_id": "r", **wrong})
    photos.expire(rule_id="r", days=3)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"days": 1.5}, "days is a whole number, not 1.5"),
        ({"days": "3"}, "days is a whole number, not '3'"),
        ({"days": True}, "days is a whole number, not True"),
        ({"noncurrent_days": 2.0}, "noncurrent_days is a whole number, not 2.0"),
        ({"noncurrent_days": 1, "newer_noncurrent_versions": "1"}, "newer_noncurrent_versions is a whole number"),
        ({"date": "2030-01-02"}, "date is a datetime, a midnight in UTC, not '2030-01-02'"),
        ({"expired_marker": 1}, "expired_marker is True or False, not 1"),
        ({"days": 1, "prefix": None}, "prefix is text, not None"),
        ({"days": 1, "rule_id": 1}, "rule_id is text, not 1"),
    ],
)
def test_a_rule_of_the_wrong_kind_is_a_type_error_and_no_rule(photos, wrong, sentence):
    with pytest.raises(TypeError, match=sentence):
        photos.expire(**{"rule_id": "r", **wrong})
    photos.expire(rule_id="r", days=3)


def test_a_rule_id_that_is_taken_is_a_value_error(photos):
    photos.expire(rule_id="r", days=3)
    with pytest.raises(ValueError, match="bucket 'photos' has a lifecycle rule 'r' already"):
        photos.expire(rule_id="r", days=5)
