"""Lifecycle rules that move objects to other storage classes, in the dialect that has them."""

from __future__ import annotations

import pytest
from lxml import etree

from fakestore import SparseContent, fake_store
from tests.support.cases import each
from tests.support.documents import lifecycle, rule
from tests.support.wire import document, outcome, request

pytestmark = pytest.mark.decision("transitions")
LARGE = SparseContent(128 * 1024)
SMALL = SparseContent(128 * 1024 - 1)
VARIES = "varies_by_storage_class"


@pytest.fixture
def clock(frozen_clock):
    frozen_clock.move_to("2030-01-01 12:00")
    return frozen_clock


@pytest.fixture
def store(clock):
    with fake_store(dialect="s3", buckets=["photos"], max_clock_skew=None) as store:
        yield store


def move(storage_class, days=None, date=None):
    when = f"<Days>{days}</Days>" if date is None else f"<Date>{date}</Date>"
    return f"<Transition>{when}<StorageClass>{storage_class}</StorageClass></Transition>"


def move_noncurrent(storage_class, days, newer=None):
    kept = "" if newer is None else f"<NewerNoncurrentVersions>{newer}</NewerNoncurrentVersions>"
    when = f"<NoncurrentDays>{days}</NoncurrentDays>{kept}<StorageClass>{storage_class}</StorageClass>"
    return f"<NoncurrentVersionTransition>{when}</NoncurrentVersionTransition>"


def put_rules(store, *rules, headers=None):
    return request(store, "PUT", "photos", body=lifecycle(*rules), headers=headers, lifecycle=None)


def name_of(element):
    return etree.QName(element).localname


def classes(bucket):
    """Return the storage classes of all versions, by key and newest first."""
    return [str(each.storage_class) for each in bucket.versions()]


def test_replies_and_listings_show_the_class_that_an_object_was_moved_to(store, photos, clock):
    assert put_rules(store, rule(move("STANDARD_IA", 30) + move("GLACIER", 60))).status == 200
    photos.put("k", LARGE)
    for moment, expected in [
        ("2030-01-31 23:59:59", "STANDARD"),
        ("2030-02-01", "STANDARD_IA"),
        ("2030-03-02 23:59:59", "STANDARD_IA"),
        ("2030-03-03", "GLACIER"),
    ]:
        clock.move_to(moment)
        header = request(store, "HEAD", "photos", "k").headers.get("x-amz-storage-class")
        assert header == (None if expected == "STANDARD" else expected)
        for case in each({}, {"list-type": 2}, {"versions": None}):
            with case as query:
                (listed,) = document(request(store, "GET", "photos", **query)).iterfind(".//{*}StorageClass")
                assert listed.text == expected
        assert request(store, "GET", "photos", "k").status == (403 if expected == "GLACIER" else 200)
    assert outcome(request(store, "GET", "photos", "k")) == (403, "InvalidObjectState")


def test_late_look_at_a_bucket_finds_the_last_class(store, photos, clock):
    put_rules(store, rule(move("STANDARD_IA", date="2030-02-01") + move("DEEP_ARCHIVE", date="2030-03-01")))
    photos.put("k", LARGE)
    clock.move_to("2031-01-01")
    assert "k  131,072 bytes  binary/octet-stream  2030-01-01 12:00:00  DEEP_ARCHIVE" in store.describe()


def test_of_several_moves_at_one_time_the_cheapest_class_wins(store, photos, clock):
    put_rules(store, rule(move("GLACIER", 30)), rule(move("STANDARD_IA", 30), rule_id="other"))
    photos.put("k", LARGE)
    clock.move_to("2030-03-01")
    assert classes(photos) == ["GLACIER"]


@pytest.mark.parametrize("targets", [("ONEZONE_IA", "GLACIER_IR"), ("GLACIER_IR", "ONEZONE_IA")])
def test_cheapest_class_wins_over_one_that_cannot_be_left(store, photos, clock, targets):
    put_rules(store, *(rule(move(target, 30), rule_id=target) for target in targets))
    photos.put("k", LARGE)
    clock.move_to("2030-03-01")
    assert classes(photos) == ["GLACIER_IR"]


@pytest.mark.parametrize(
    ("stored", "target", "expected"),
    [
        ("STANDARD_IA", "INTELLIGENT_TIERING", "INTELLIGENT_TIERING"),
        ("INTELLIGENT_TIERING", "STANDARD_IA", "INTELLIGENT_TIERING"),
        ("ONEZONE_IA", "GLACIER_IR", "ONEZONE_IA"),
        ("GLACIER_IR", "GLACIER", "GLACIER"),
        ("GLACIER", "DEEP_ARCHIVE", "DEEP_ARCHIVE"),
        ("DEEP_ARCHIVE", "GLACIER", "DEEP_ARCHIVE"),
        ("REDUCED_REDUNDANCY", "GLACIER", "GLACIER"),
    ],
)
def test_object_is_only_moved_to_a_class_below_its_own(store, photos, clock, stored, target, expected):
    put_rules(store, rule(move(target, 30)))
    photos.put("k", LARGE, storage_class=stored)
    clock.move_to("2030-03-01")
    assert classes(photos) == [expected]


def test_small_objects_are_moved_only_if_a_rule_or_the_bucket_says_so(store, photos, clock):
    header = "x-amz-transition-default-minimum-object-size"
    sized = "<Rule><Filter><ObjectSizeGreaterThan>0</ObjectSizeGreaterThan></Filter><Status>Enabled</Status>{}</Rule>"
    for target, rules, headers, expected in [
        ("GLACIER", rule("{}"), {}, "STANDARD"),
        ("GLACIER", rule("{}"), {header: VARIES}, "GLACIER"),
        ("STANDARD_IA", rule("{}"), {header: VARIES}, "STANDARD"),
        ("STANDARD_IA", sized, {}, "STANDARD_IA"),
    ]:
        clock.move_to("2030-01-01 12:00")
        put_rules(store, rules.format(move(target, 30)), headers=headers)
        photos.put("k", SMALL)
        clock.move_to("2030-02-15")
        assert classes(photos) == [expected]


def test_rule_added_in_python_keeps_the_minimum_size_of_the_bucket(store, photos, clock):
    put_rules(store, rule(move("GLACIER", 30)), headers={"x-amz-transition-default-minimum-object-size": VARIES})
    photos.expire(rule_id="other", prefix="other/", days=1)
    photos.put("k", SMALL)
    clock.move_to("2030-02-15")
    assert classes(photos) == ["GLACIER"]


def test_noncurrent_version_is_moved_after_the_days_since_the_next_one_was_written(store, photos, clock):
    photos.versioning = "enabled"
    put_rules(store, rule(move_noncurrent("GLACIER", 2)))
    photos.put("k", LARGE)
    clock.move_to("2030-01-11 12:00")
    photos.put("k", LARGE)
    clock.move_to("2030-01-13 12:00")
    assert classes(photos) == ["STANDARD", "STANDARD"]
    clock.move_to("2030-01-14")
    assert classes(photos) == ["STANDARD", "GLACIER"]


def test_write_over_the_kept_versions_moves_one_on_the_same_day(store, photos, clock):
    photos.versioning = "enabled"
    put_rules(store, rule(move_noncurrent("GLACIER", 1, newer=1)))
    for _ in range(3):
        photos.put("k", LARGE)
    clock.tick(86400 * 3)
    assert classes(photos) == ["STANDARD", "STANDARD", "GLACIER"]
    photos.put("k", LARGE)
    assert classes(photos) == ["STANDARD", "STANDARD", "GLACIER", "GLACIER"]


def test_noncurrent_versions_are_moved_except_the_newest(store, photos, clock):
    photos.versioning = "enabled"
    put_rules(store, rule(move_noncurrent("GLACIER", 1, newer=1)))
    for _ in range(4):
        photos.put("k", LARGE)
    photos.delete("other")
    clock.tick(86400 * 3)
    versions = [each for each in photos.versions() if each.key == "k"]
    assert [str(each.storage_class) for each in versions] == ["STANDARD", "STANDARD", "GLACIER", "GLACIER"]


def test_tags_decide_and_an_expiration_ends_what_was_moved(store, photos, clock):
    tagged = "<Filter><Tag><Key>pet</Key><Value>cat</Value></Tag></Filter>"
    actions = move("GLACIER", 1) + "<Expiration><Days>2</Days></Expiration>"
    put_rules(store, f"<Rule>{tagged}<Status>Enabled</Status>{actions}</Rule>")
    photos.put("cat", LARGE, tags={"pet": "cat"})
    photos.put("dog", LARGE)
    clock.move_to("2030-01-03")
    assert classes(photos) == ["GLACIER", "STANDARD"]
    clock.move_to("2030-01-04")
    assert list(photos) == ["dog"]


def test_move_to_a_deeper_archive_drops_the_restored_copy(store, photos, clock):
    photos.put("k", LARGE, storage_class="GLACIER")
    body = b"<RestoreRequest><Days>300</Days></RestoreRequest>"
    assert request(store, "POST", "photos", "k", body=body, restore=None).status == 202
    clock.tick(86400)
    assert request(store, "GET", "photos", "k").status == 200
    put_rules(store, rule(move("DEEP_ARCHIVE", 90)))
    clock.tick(86400 * 100)
    assert outcome(request(store, "GET", "photos", "k")) == (403, "InvalidObjectState")
    assert "x-amz-restore" not in request(store, "HEAD", "photos", "k").headers


def test_rules_are_read_back_as_they_were_put(store):
    actions = (
        "<Expiration><Days>400</Days></Expiration>"
        + move("STANDARD_IA", 30)
        + move("GLACIER", 0)
        + move_noncurrent("ONEZONE_IA", 30, newer=3)
        + move_noncurrent("DEEP_ARCHIVE", 0)
    )
    assert put_rules(store, rule(actions)).status == 200
    shown = document(request(store, "GET", "photos", lifecycle=None)).find("{*}Rule")
    assert [(name_of(each), [(name_of(part), part.text) for part in each]) for each in shown][3:] == [
        ("Expiration", [("Days", "400")]),
        ("Transition", [("Days", "30"), ("StorageClass", "STANDARD_IA")]),
        ("Transition", [("Days", "0"), ("StorageClass", "GLACIER")]),
        (
            "NoncurrentVersionTransition",
            [("NoncurrentDays", "30"), ("NewerNoncurrentVersions", "3"), ("StorageClass", "ONEZONE_IA")],
        ),
        ("NoncurrentVersionTransition", [("NoncurrentDays", "0"), ("StorageClass", "DEEP_ARCHIVE")]),
    ]


def test_invalid_moves_are_refused(store):
    for actions, code in [
        (move("STANDARD", 30), "MalformedXML"),
        (move("COLD", 30), "MalformedXML"),
        ("<Transition><StorageClass>GLACIER</StorageClass></Transition>", "MalformedXML"),
        (move("GLACIER", 1).replace("<Days>", "<Date>2030-01-01</Date><Days>"), "MalformedXML"),
        (move("GLACIER", date="2030-01-01T10:00:00Z"), "InvalidArgument"),
        (move("GLACIER", -1), "InvalidArgument"),
        (move("STANDARD_IA", 29), "InvalidArgument"),
        (move_noncurrent("ONEZONE_IA", 29), "InvalidArgument"),
        (move("GLACIER", 1) + move("GLACIER", 2), "InvalidRequest"),
        (move("GLACIER", 1) + move("DEEP_ARCHIVE", date="2030-01-01"), "InvalidRequest"),
        (move("GLACIER", 7) + "<Expiration><Days>7</Days></Expiration>", "InvalidArgument"),
        (move("GLACIER", 7) + "<Expiration><Date>2030-01-01</Date></Expiration>", "InvalidRequest"),
        (
            move_noncurrent("GLACIER", 7)
            + "<NoncurrentVersionExpiration><NoncurrentDays>7</NoncurrentDays></NoncurrentVersionExpiration>",
            "InvalidArgument",
        ),
    ]:
        assert (actions, *outcome(put_rules(store, rule(actions)))) == (actions, 400, code)
