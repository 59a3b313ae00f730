"""Lifecycle rules act: once the clock has passed the time of a rule, the next use of the bucket finds it applied."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from fakestore import DeleteMarker, Dialect, ObjectVersion, Semantics, fake_store
from tests.support.cases import each
from tests.support.cost import count_calls
from tests.support.documents import lifecycle, rule
from tests.support.wire import document, outcome, request

NOON = "2030-01-01 12:00"
OLD = datetime(2029, 12, 1, tzinfo=UTC)
DAYS_3 = rule("<Expiration><Days>3</Days></Expiration>")


def day(number, hour=0):
    return datetime(2030, 1, number, hour, tzinfo=UTC)


@pytest.fixture
def clock(frozen_clock):
    frozen_clock.move_to(NOON)
    return frozen_clock


@pytest.fixture
def store(clock):
    with fake_store(buckets=["photos"], max_clock_skew=None) as store:
        yield store


@pytest.fixture
def versioned(photos):
    photos.versioning = "enabled"
    return photos


def put_rules(store, *rules):
    assert request(store, "PUT", "photos", body=lifecycle(*rules), lifecycle=None).status == 200


def history(bucket, key="k"):
    """The versions of a key by their content, and its delete markers by their time, newest first."""
    entries = [entry for entry in bucket.versions() if entry.key == key]
    return [entry.content if isinstance(entry, ObjectVersion) else entry.last_modified for entry in entries]


# When a rule acts


def test_expired_object_of_another_bucket_cannot_be_copied(store, photos, clock):
    photos.expire(rule_id="r", days=3)
    photos.put("k", b"1")
    store.create_bucket("albums")
    clock.tick(timedelta(days=4))
    reply = request(store, "PUT", "albums", "copy", headers={"x-svc-copy-source": "/photos/k"})
    assert outcome(reply) == (404, "NoSuchKey")


def test_expired_object_is_not_known_to_an_account_that_may_only_read_it(store, photos, clock):
    photos.expire(rule_id="r", days=3)
    ann = store.create_account("ann")
    photos.allow(ann, "s3:GetObject")
    store.create_bucket("albums", owner=ann)
    photos.put("k", b"1")
    fields = {"x-svc-copy-source": "/photos/k"}
    assert request(store, "PUT", "albums", "copy", account=ann, headers=fields).status == 200
    clock.tick(timedelta(days=4))
    assert outcome(request(store, "PUT", "albums", "copy", account=ann, headers=fields)) == (403, "AccessDenied")


def test_each_use_of_the_bucket_applies_the_rules_first(store, photos, clock):
    photos.expire(rule_id="r", days=3)
    photos.put("k", b"1")
    snapshot = store.snapshot()
    clock.tick(timedelta(days=4))
    copy, condition = {"x-svc-copy-source": "/photos/k"}, {"If-None-Match": "*"}
    for case in each(
        ("GET", "k", {}, {}, 404),
        ("HEAD", "k", {}, {}, 404),
        ("GET", "k", {}, {"acl": None}, 404),
        ("PUT", "copy", copy, {}, 404),
        ("PUT", "k", condition, {}, 200),
        ("DELETE", "", {}, {}, 204),
    ):
        with case as (method, key, headers, query, status):
            store.restore(snapshot)
            assert request(store, method, "photos", key, headers=headers, **query).status == status
    for case in each(
        lambda: "k" in photos,
        lambda: list(photos),
        lambda: len(photos),
        lambda: photos.versions(),
        lambda: "1 byte" in store.describe(),
        lambda: document(request(store, "GET", "photos")).findall("Contents"),
        lambda: document(request(store, "GET", "photos", versions=None)).findall("Version"),
    ):
        with case as look:
            store.restore(snapshot)
            assert not look()


@pytest.mark.decision("expiration")
def test_rule_by_date_acts_on_that_date_and_on_later_writes(photos, clock):
    photos.expire(rule_id="r", date=day(10))
    photos.put("k")
    clock.move_to("2030-01-09 23:59:59")
    assert "k" in photos
    clock.move_to("2030-01-10 00:00")
    assert "k" not in photos
    # An object that is written at a midnight expires at once.
    photos.put("k")
    assert "k" not in photos


def test_rule_acts_on_current_objects_under_its_prefix(photos, clock):
    photos.expire(rule_id="r", prefix="logs/", days=3)
    for key in ("logs/a", "logs", "again"):
        photos.put(key)
    photos.put("logs/a")
    clock.tick(timedelta(days=2))
    photos.put("logs/again")
    clock.tick(timedelta(days=2))
    assert list(photos) == ["again", "logs", "logs/again"]


CAT = "<Tag><Key>pet</Key><Value>cat</Value></Tag>"
WILD = "<Tag><Key>wild</Key><Value>no</Value></Tag>"
OVER = "<ObjectSizeGreaterThan>2</ObjectSizeGreaterThan>"
UNDER = "<ObjectSizeLessThan>3</ObjectSizeLessThan>"


@pytest.mark.decision("tags-and-lifecycle")
@pytest.mark.parametrize(
    ("selection", "expired"),
    [
        ("", {"cat", "dog", "cats/cat", "cats/dog", "cats/tame"}),
        (CAT, {"cat", "cats/cat", "cats/tame"}),
        (OVER, {"dog", "cats/dog"}),
        (UNDER, {"cat", "cats/cat", "cats/tame"}),
        ("<Prefix>cats/</Prefix>", {"cats/cat", "cats/dog", "cats/tame"}),
        (f"<And><Prefix></Prefix>{CAT}</And>", {"cat", "cats/cat", "cats/tame"}),
        (f"<And><Prefix></Prefix>{OVER}</And>", {"dog", "cats/dog"}),
        (f"<And><Prefix></Prefix>{UNDER}</And>", {"cat", "cats/cat", "cats/tame"}),
        (f"<And><Prefix></Prefix>{CAT}{WILD}</And>", {"cats/tame"}),
        (f"<And><Prefix>cats/</Prefix>{CAT}</And>", {"cats/cat", "cats/tame"}),
        (f"<And><Prefix>cats/</Prefix>{OVER}</And>", {"cats/dog"}),
        (f"<And>{OVER}<ObjectSizeLessThan>4</ObjectSizeLessThan></And>", {"dog", "cats/dog"}),
        (f"<And>{CAT}{WILD}</And>", {"cats/tame"}),
    ],
)
def test_rule_acts_on_what_all_predicates_of_its_filter_select(store, photos, clock, selection, expired):
    photos.put("cat", b"12", tags={"pet": "cat"})
    photos.put("dog", b"123", tags={"pet": "dog"})
    photos.put("cats/cat", b"12", tags={"pet": "cat", "wild": "yes"})
    photos.put("cats/dog", b"123")
    photos.put("cats/tame", b"12", tags={"pet": "cat", "wild": "no"})
    keys = set(photos)
    action = "<Status>Enabled</Status><Expiration><Days>3</Days></Expiration>"
    put_rules(store, f"<Rule><Filter>{selection}</Filter>{action}</Rule>")
    clock.tick(timedelta(days=4))
    assert set(photos) == keys - expired


@pytest.mark.decision("tags-and-lifecycle")
def test_rule_with_tags_acts_on_an_old_object_that_gets_them(store, photos, clock):
    photos.put("cat", tags={"pet": "cat"})
    photos.put("dog")
    put_rules(store, rule("<Expiration><Days>3</Days></Expiration>").replace("<Prefix></Prefix>", CAT))
    shown = [request(store, "HEAD", "photos", key).headers.get("x-svc-expiration") for key in ("cat", "dog")]
    assert [each is None for each in shown] == [False, True]
    clock.tick(timedelta(days=4))
    assert list(photos) == ["dog"]
    tagging = f"<Tagging><TagSet>{CAT}</TagSet></Tagging>".encode()
    assert request(store, "PUT", "photos", "dog", body=tagging, tagging=None).status == 200
    clock.tick(timedelta(seconds=1))
    assert list(photos) == []


def test_disabled_or_deleted_rule_does_nothing(store, photos, clock):
    photos.put("k")
    put_rules(store, rule("<Expiration><Days>3</Days></Expiration>", status="Disabled"))
    clock.tick(timedelta(days=100))
    assert "k" in photos
    clock.move_to(NOON)
    put_rules(store, DAYS_3)
    request(store, "DELETE", "photos", lifecycle=None)
    clock.tick(timedelta(days=100))
    assert "k" in photos


def test_clock_that_goes_back_restores_nothing(photos, clock):
    photos.expire(rule_id="r", days=3)
    photos.put("k", b"1")
    clock.move_to("2030-01-20 12:00")
    assert "k" not in photos
    clock.move_to(NOON)
    assert "k" not in photos


# What a rule does


@pytest.mark.decision("expiration")
def test_expired_object_is_hidden_by_a_marker_of_the_rules_time(store, versioned, clock):
    versioned.expire(rule_id="r", days=3)
    versioned.put("k", b"1", account=store.create_account("bob"))
    clock.move_to("2030-01-20 12:00")
    assert history(versioned) == [day(5), b"1"]
    marker = versioned.versions("k")[0]
    assert marker.owner == store.default_account
    reply = request(store, "GET", "photos", "k")
    headers = [reply.headers[f"x-svc-{name}"] for name in ("delete-marker", "version-id")]
    assert (outcome(reply), headers) == ((404, "NoSuchKey"), ["true", marker.version_id])


@pytest.mark.decision("expiration")
@pytest.mark.parametrize(("removed", "expected"), [(True, [day(5)]), (False, [day(5), b"old"])])
def test_null_version_expires_as_a_simple_delete_removes_it(clock, removed, expected):
    dialect = Dialect(semantics=Semantics(delete_removes_null_version=removed))
    with fake_store(buckets=["photos"], dialect=dialect, max_clock_skew=None) as store:
        photos = store["photos"]
        photos.put("k", b"old")
        photos.versioning = "enabled"
        photos.expire(rule_id="r", days=3)
        snapshot = store.snapshot()
        clock.move_to("2030-01-06 12:00")
        for case in each(photos.versions, lambda: request(store, "GET", "photos", "k"), store.describe):
            with case as use:
                store.restore(snapshot)
                use()
                assert history(photos) == expected


def test_delete_marker_is_removed_once_it_is_alone(versioned, clock):
    versioned.expire(rule_id="m", expired_marker=True)
    version = versioned.put("k", b"1")
    versioned.delete("k")
    versioned.delete("alone")
    clock.tick(timedelta(days=100))
    assert (history(versioned, "alone"), history(versioned)) == ([], [day(1, 12), b"1"])
    versioned.delete_version("k", version.version_id)
    assert versioned.versions() == []


@pytest.mark.decision("expiration")
def test_rules_act_in_turn_however_often_the_bucket_is_used(store, clock):
    histories = []
    for name, steps in (("leap", [4, 26]), ("steps", [1] * 30)):
        clock.move_to(NOON)
        bucket = store.create_bucket(name, versioning="enabled")
        bucket.expire(rule_id="r", prefix="k", days=3)
        bucket.expire(rule_id="n", prefix="k/", noncurrent_days=3)
        bucket.expire(rule_id="m", prefix="k/", expired_marker=True)
        for key in ("k", "k", "k/1"):
            bucket.put(key, b"1")
        bucket.delete("k/2")
        seen = set()
        for step in steps:
            clock.tick(timedelta(days=step))
            seen.update(map(repr, history(bucket, "k/1")))
        histories.append((seen, [(entry.key, type(entry), entry.last_modified) for entry in bucket.versions()]))
    assert histories[0] == histories[1]
    assert histories[0] == (
        {repr(b"1"), repr(day(5))},
        [("k", DeleteMarker, day(5)), ("k", ObjectVersion, day(1, 12)), ("k", ObjectVersion, day(1, 12))],
    )


# Actions that are overdue, and changes on a day on which the rules have run


def test_overdue_action_is_dated_by_the_run_before_it(versioned, clock):
    versioned.put("k", b"1")
    clock.move_to("2030-01-20 12:00")
    versioned.expire(rule_id="r", days=3)
    clock.move_to("2030-01-25 12:00")
    assert history(versioned) == [day(20, 12), b"1"]
    versioned.put("old", b"1", last_modified=OLD)
    clock.move_to("2030-01-28 12:00")
    assert history(versioned, "old") == [day(25, 12), b"1"]
    versioned.put("back", b"1", last_modified=OLD)
    clock.move_to("2030-01-10 12:00")
    assert history(versioned, "back") == [day(10, 12), b"1"]


def test_overdue_action_is_dated_by_the_run_before_a_snapshot(store, versioned, clock):
    versioned.put("k", b"1", last_modified=OLD)
    versioned.expire(rule_id="r", days=3)
    snapshot = store.snapshot()
    clock.tick(timedelta(days=9))
    store.restore(snapshot)
    assert history(versioned) == [day(1, 12), b"1"]


def test_restored_bucket_has_its_rules_and_its_objects_again(store, photos, clock):
    photos.put("k", b"1")
    without = store.snapshot()
    photos.expire(rule_id="r", days=3)
    photos.put("old", last_modified=OLD)
    with_rule = store.snapshot()
    clock.tick(timedelta(days=9))
    for snapshot, keys in ((with_rule, []), (without, ["k"]), (with_rule, [])):
        store.restore(snapshot)
        assert list(photos) == keys


@pytest.fixture
def run_today(photos):
    """The bucket with a rule for other keys, and rules that have run today."""
    photos.expire(rule_id="elsewhere", prefix="other/", days=3)
    photos.put("old", last_modified=OLD)
    assert list(photos) == ["old"]
    return photos


def test_rule_or_old_object_that_is_added_acts_on_the_same_day(store, run_today):
    run_today.put("other/old", last_modified=OLD)
    snapshot = store.snapshot()
    for _ in range(2):
        assert list(run_today) == ["old"]
        store.restore(snapshot)
    run_today.expire(rule_id="date", date=OLD + timedelta(days=7))
    assert list(run_today) == []


def test_rules_run_again_within_a_midnight_on_what_is_written(clock):
    clock.move_to("2030-01-01")
    with fake_store(buckets={"photos": "enabled"}) as store:
        photos = store["photos"]
        photos.expire(rule_id="clean", expired_marker=True)
        assert list(photos) == []
        photos.delete("k")
        assert photos.versions() == []


@pytest.mark.parametrize(
    ("kept", "days", "left"),
    [
        # The oldest is below one of an earlier day, which is below those of today.
        (None, [0, 0, 31, 31], [b"3", b"2", b"1"]),
        # Of three writes at once, those of today keep one of the older ones from being due, but not the oldest.
        (1, [0, 0, 31, 31, 31], [b"4", b"3", b"2", b"1"]),
        # Two versions are due at two times.
        (2, [0, 1, 2, 31, 31], [b"4", b"3", b"2"]),
    ],
)
def test_several_writes_between_two_runs_count_together(run_today, kept, days, left):
    run_today.versioning = "enabled"
    run_today.expire(rule_id="n", noncurrent_days=1, newer_noncurrent_versions=kept)
    entries = [(OLD + timedelta(days=day, hours=1), b"%d" % number) for number, day in enumerate(days)]
    run_today.seed("k", entries[: (kept or 0) + 1])
    assert len(run_today.versions("k")) == (kept or 0) + 1
    run_today.seed("k", entries[(kept or 0) + 1 :])
    assert history(run_today) == left


@pytest.mark.decision("newer-noncurrent-versions")
def test_write_over_the_kept_versions_removes_one_on_the_same_day(run_today):
    run_today.versioning = "enabled"
    run_today.expire(rule_id="n", noncurrent_days=1, newer_noncurrent_versions=1)
    run_today.seed("k", [(OLD + timedelta(days=number), b"%d" % number) for number in range(3)])
    assert history(run_today) == [b"2", b"1"]
    run_today.put("k", b"3")
    assert history(run_today) == [b"3", b"2"]


TODAY = OLD + timedelta(days=31)


@pytest.mark.parametrize("restored", [False, True], ids=["", "after a restore"])
@pytest.mark.parametrize(
    "dates",
    [
        [(OLD, b"lowest"), (TODAY, b"later"), (OLD, b"under"), (TODAY, b"top")],
        [(TODAY, b"lowest"), (TODAY, b"later"), (OLD, b"under")],
    ],
)
def test_version_below_one_of_a_later_date_is_due_when_that_goes(store, run_today, dates, restored):
    run_today.versioning = "enabled"
    selection = "<ID>r</ID><Filter><ObjectSizeGreaterThan>5</ObjectSizeGreaterThan></Filter><Status>Enabled</Status>"
    action = "<NoncurrentVersionExpiration><NoncurrentDays>3</NoncurrentDays></NoncurrentVersionExpiration>"
    put_rules(store, f"<Rule>{selection}{action}</Rule>")
    later = run_today.seed("k", dates)[1]
    contents = [content for _, content in reversed(dates)]
    assert history(run_today) == contents
    if restored:
        store.restore(store.snapshot())
    run_today.delete_version("k", later.version_id)
    assert history(run_today) == contents[:-2]


# What the rules cost on a day on which they have run


def test_rules_do_not_look_at_unchanged_keys_again(store):
    calls = []
    for count in (10, 500):
        bucket = store.create_bucket(f"of-{count}")
        bucket.expire(rule_id="r", prefix="other/", days=3)
        for number in range(count):
            bucket.put(f"{number:03}")
        assert "k" not in bucket
        calls.append(count_calls(lambda bucket=bucket: bucket.put("k", last_modified=OLD)))
        store.restore(store.snapshot())
        calls[-1] += count_calls(lambda bucket=bucket: "k" in bucket)
    assert calls[1] <= 1.2 * calls[0]


@pytest.mark.parametrize("kept", [None, 5])
def test_write_to_a_long_history_costs_as_much_as_to_a_short_one(store, kept):
    calls = []
    for length in (20, 1000):
        bucket = store.create_bucket(f"of-{length}", versioning="enabled")
        for _ in range(length):
            bucket.put("k")
        bucket.expire(rule_id="r", noncurrent_days=1, newer_noncurrent_versions=kept)
        middle = bucket.versions("k")[length // 2].version_id
        changes = [lambda: bucket.put("k"), lambda: bucket.delete_version("k", middle), lambda: bucket["k"]]  # noqa: B023
        calls.append(sum(map(count_calls, changes)))
    assert calls[1] <= 1.5 * calls[0]


def test_acl_costs_as_much_in_a_long_history_as_in_a_short_one(store):
    calls = []
    for length in (20, 1000):
        bucket = store.create_bucket(f"of-{length}", versioning="enabled")
        for _ in range(length):
            bucket.put("k")
        bucket.expire(rule_id="r", noncurrent_days=1)
        assert "k" in bucket
        put_acl = partial(request, store, "PUT", bucket.name, "k", headers={"x-svc-acl": "private"}, acl=None)
        calls.append(count_calls(put_acl) + count_calls(lambda bucket=bucket: bucket["k"]))
    assert store.exchanges[-1].status == 200
    assert calls[1] <= 1.2 * calls[0]


def test_rules_do_not_look_at_uploads_again(store):
    calls = []
    for count in (10, 500):
        bucket = store.create_bucket(f"of-{count}")
        bucket.expire(rule_id="r", days=3)
        for number in range(count):
            assert request(store, "POST", bucket.name, f"{number:03}", uploads=None).status == 200
        assert "k" not in bucket
        calls.append(count_calls(lambda bucket=bucket: "k" in bucket))
    assert calls[1] <= 1.2 * calls[0]
