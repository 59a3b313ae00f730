"""The entries of a bucket's keys in the three versioning states."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakestore.model.acl import CannedAcl
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import (
    BUCKET_NOT_EMPTY,
    INVALID_ARGUMENT,
    METHOD_NOT_ALLOWED,
    NO_SUCH_KEY,
    NO_SUCH_VERSION,
    ErrorResponse,
)
from fakestore.model.lifecycle import Lifecycle, Rule
from fakestore.model.mfa import MfaDevice
from fakestore.model.object_version import DeleteMarker, ObjectVersion
from fakestore.model.semantics import Semantics
from fakestore.model.versioning import Versioning
from tests.model.arrange import ALICE, NOON, empty_bucket, put

Entries = list[tuple[str, object]]


@pytest.fixture
def bucket() -> BucketRecord:
    return empty_bucket()


def enabled(bucket: BucketRecord) -> BucketRecord:
    bucket.versioning = Versioning.ENABLED
    return bucket


def delete(bucket: BucketRecord, key: str = "k", **options: bool) -> DeleteMarker | None:
    return bucket.delete(key, owner=ALICE, now=NOON, **options).created


def entries(bucket: BucketRecord, key: str = "k") -> Entries:
    """The ids and contents, newest first; the content of a delete marker is the class ``DeleteMarker``."""
    return [
        (entry.version_id, entry.content if isinstance(entry, ObjectVersion) else DeleteMarker)
        for entry in bucket.entries(key)
    ]


# -- every rule at once, against a naive model


class NaiveBucket:
    """The rules of the specification, section 3, on plain lists."""

    def __init__(self, *, delete_removes_null: bool) -> None:
        self.delete_removes_null = delete_removes_null
        self.versioning = Versioning.NEVER
        self.keys: dict[str, Entries] = {}

    def copy(self) -> NaiveBucket:
        other = NaiveBucket(delete_removes_null=self.delete_removes_null)
        other.versioning, other.keys = self.versioning, {key: list(entries) for key, entries in self.keys.items()}
        return other

    def put(self, key: str, version_id: str, content: object) -> None:
        if version_id == "null":
            self.remove(key, "null")
        self.keys.setdefault(key, []).insert(0, (version_id, content))

    def delete(self, key: str, marker_id: str | None, *, keep_null: bool) -> None:
        if marker_id is None or (self.delete_removes_null and not keep_null):
            self.remove(key, "null")
        if marker_id is not None:
            self.put(key, marker_id, DeleteMarker)

    def remove(self, key: str, version_id: str) -> None:
        self.keys[key] = [entry for entry in self.keys.get(key, []) if entry[0] != version_id]

    def has_null_object(self, key: str) -> bool:
        return any(id == "null" and content is not DeleteMarker for id, content in self.keys.get(key, []))

    def has_null_id(self, key: str, *, keep_null: bool = False) -> bool:
        """Whether the next entry of ``key`` gets the id null."""
        return self.versioning is not Versioning.ENABLED and not (keep_null and self.has_null_object(key))


KEYS = st.sampled_from(["a", "b", "é"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), KEYS),
        st.tuples(st.just("delete"), KEYS, st.booleans()),
        st.tuples(st.just("delete version"), KEYS, st.integers(0, 3)),
        st.tuples(st.just("versioning"), st.sampled_from([Versioning.ENABLED, Versioning.SUSPENDED])),
        st.tuples(st.sampled_from(["snapshot", "restore"])),
    ),
    max_size=30,
)


def apply(bucket: BucketRecord, naive: NaiveBucket, number: int, step: tuple[object, ...]) -> None:
    match step:
        case "put", str(key):
            version = put(bucket, b"%d" % number, key)
            assert (version.version_id == "null") is naive.has_null_id(key)
            naive.put(key, version.version_id, version.content)
        case "delete", str(key), bool(keep_null):
            marker = delete(bucket, key, keep_null_version=keep_null)
            assert (marker is None) is (naive.versioning is Versioning.NEVER)
            if marker is not None:
                assert (marker.version_id == "null") is naive.has_null_id(key, keep_null=keep_null)
            naive.delete(key, marker.version_id if marker else None, keep_null=keep_null)
        case "delete version", str(key), int(place):
            for version_id, _ in naive.keys.get(key, [])[place : place + 1]:
                assert bucket.delete_version(key, version_id) is not None
                assert bucket.delete_version(key, version_id) is None
                naive.remove(key, version_id)
        case "versioning", Versioning() as state:
            bucket.versioning = naive.versioning = state


def assert_same(bucket: BucketRecord, naive: NaiveBucket) -> None:
    keys = sorted((key for key, expected in naive.keys.items() if expected), key=str.encode)
    current = [key for key in keys if naive.keys[key][0][1] is not DeleteMarker]
    assert (list(bucket), len(bucket)) == (keys, len(keys))
    assert (list(bucket.current_keys_from("", inclusive=True)), bucket.object_count) == (current, len(current))
    for key in keys:
        assert entries(bucket, key) == naive.keys[key]
        assert bucket.latest_entry(key) is next(bucket.entries(key))


@given(STEPS, st.booleans())
def test_bucket_and_its_snapshots_follow_the_rules(steps, delete_removes_null):
    bucket = empty_bucket(semantics=Semantics(delete_removes_null_version=delete_removes_null))
    naive = NaiveBucket(delete_removes_null=delete_removes_null)
    snapshot, naive_snapshot = bucket.copy(), naive.copy()
    for number, step in enumerate(steps):
        if step == ("snapshot",):
            snapshot, naive_snapshot = bucket.copy(), naive.copy()
        elif step == ("restore",):
            bucket, naive = snapshot.copy(), naive_snapshot.copy()
        apply(bucket, naive, number, step)
        assert_same(bucket, naive)
        assert_same(snapshot, naive_snapshot)


# -- the rules one by one


def test_put_in_never_versioned_bucket_replaces_object(bucket):
    put(bucket, b"1")
    put(bucket, b"2")
    assert entries(bucket) == [("null", b"2")]


def test_enabled_put_adds_version(bucket):
    old = put(bucket, b"old")
    new = put(enabled(bucket), b"new")
    assert entries(bucket) == [(new.version_id, b"new"), ("null", b"old")]
    assert (bucket.get_version("k", "null"), bucket.get_version("k", None)) == (old, new)


def test_suspended_put_replaces_null_version_and_becomes_latest(bucket):
    put(bucket, b"old")
    version = put(enabled(bucket), b"1")
    bucket.versioning = Versioning.SUSPENDED
    put(bucket, b"new")
    assert entries(bucket) == [("null", b"new"), (version.version_id, b"1")]


def test_delete_in_never_versioned_bucket_leaves_no_entry(bucket):
    put(bucket)
    assert (delete(bucket), delete(bucket, "other"), list(bucket)) == (None, None, [])


@pytest.mark.parametrize("removes_null", [True, False])
def test_semantics_decide_whether_delete_removes_null_version(removes_null):
    bucket = empty_bucket(semantics=Semantics(delete_removes_null_version=removes_null))
    put(bucket, b"old")
    version = put(enabled(bucket), b"1")
    marker = delete(bucket)
    kept = [] if removes_null else [("null", b"old")]
    assert entries(bucket) == [(marker.version_id, DeleteMarker), (version.version_id, b"1"), *kept]


def test_suspended_delete_replaces_null_version_with_marker(bucket):
    bucket.versioning = Versioning.SUSPENDED
    put(bucket, b"1")
    delete(bucket)
    delete(bucket)
    assert entries(bucket) == [("null", DeleteMarker)]


@pytest.mark.parametrize("versioning", [Versioning.ENABLED, Versioning.SUSPENDED])
def test_delete_can_keep_null_version(bucket, versioning):
    put(bucket, b"old")
    bucket.versioning = versioning
    marker = delete(bucket, keep_null_version=True)
    assert entries(bucket) == [(marker.version_id, DeleteMarker), ("null", b"old")]


def test_suspended_delete_that_keeps_no_object_makes_null_marker(bucket):
    bucket.versioning = Versioning.SUSPENDED
    markers = [delete(bucket, keep_null_version=True) for _ in range(2)]
    assert entries(bucket) == [("null", DeleteMarker)]
    assert [marker.version_id for marker in markers] == ["null", "null"]


@pytest.mark.parametrize("hours", [(0, 0, 0), (0, 5, -3), (9, 4, 1)], ids=["frozen", "jumping", "backwards"])
def test_order_is_order_of_writing_whatever_the_clock_says(bucket, hours):
    written = [put(enabled(bucket), now=NOON + timedelta(hours=hour)).version_id for hour in hours]
    assert [id for id, _ in entries(bucket)] == written[::-1]


def test_removing_marker_makes_older_version_current(bucket):
    version = put(enabled(bucket), b"1")
    marker = delete(bucket)
    assert bucket.delete_version("k", marker.version_id) is marker
    assert bucket.get_object("k") is version


def test_new_acl_changes_nothing_else(bucket):
    first, second = put(enabled(bucket), b"1"), put(bucket, b"2")
    snapshot = bucket.copy()
    public = CannedAcl.PUBLIC_READ.expand(ALICE, ALICE)
    bucket.replace_acl(first, public)
    assert entries(bucket) == [(second.version_id, b"2"), (first.version_id, b"1")]
    assert (bucket.get_entry("k", first.version_id).acl, second.acl) == (public, first.acl)
    assert snapshot.get_entry("k", first.version_id) is first


def test_keys_are_sorted_by_their_utf8_bytes(bucket):
    keys = ["a", "B", "é", "z", "日本", "\uffee", "\U0001f600", "a/b", "a b", "~"]
    for key in keys:
        put(bucket, key=key)
    assert list(bucket) == sorted(keys, key=str.encode)


# -- errors


def error_of(function, *arguments) -> ErrorResponse:
    with pytest.raises(ErrorResponse) as raised:
        function(*arguments)
    return raised.value


def test_unissued_version_id_is_invalid_argument(bucket):
    put(bucket)
    for function in (bucket.get_version, bucket.delete_version):
        error = error_of(function, "k", "x" * 32)
        assert (error.error, error.elements["ArgumentName"]) == (INVALID_ARGUMENT, "versionId")


def test_version_id_of_another_key_is_no_such_version(bucket):
    version = put(enabled(bucket), key="a")
    for number in range(25):
        put(bucket, b"%d" % number)
    error = error_of(bucket.get_entry, "k", version.version_id)
    named = [id for id, _ in entries(bucket)[:20]]
    assert (error.error, error.explanation.endswith(f": {', '.join(named)}, ...")) == (NO_SUCH_VERSION, True)
    assert error_of(bucket.get_entry, "b", version.version_id).explanation.endswith(": none")


def test_errors_carry_the_delete_marker(bucket):
    assert error_of(bucket.get_object, "k").marker is None
    put(enabled(bucket))
    marker = delete(bucket)
    current, named = error_of(bucket.get_object, "k"), error_of(bucket.get_version, "k", marker.version_id)
    assert [(error.error, error.marker) for error in (current, named)] == [
        (NO_SUCH_KEY, marker),
        (METHOD_NOT_ALLOWED, marker),
    ]
    assert (current.without_marker().marker, current.without_marker().elements) == (None, current.elements)


@pytest.mark.parametrize(("versioning", "hint"), [(Versioning.NEVER, False), (Versioning.SUSPENDED, True)])
def test_bucket_with_entries_is_not_empty(bucket, versioning, hint):
    bucket.versioning = versioning
    bucket.check_empty()
    put(bucket)
    error = error_of(bucket.check_empty)
    assert (error.error, "delete all versions" in error.message) == (BUCKET_NOT_EMPTY, hint)


# -- snapshots


def test_snapshot_keeps_every_setting(bucket):
    device, lifecycle = MfaDevice("1", "2"), Lifecycle((Rule(id="r", days=1),))
    bucket.mfa_device, bucket.mfa_delete, bucket.lifecycle = device, True, lifecycle
    snapshot = enabled(bucket).copy()
    bucket.mfa_device, bucket.mfa_delete, bucket.lifecycle = None, False, None
    bucket.versioning = Versioning.SUSPENDED
    assert (snapshot.mfa_device, snapshot.mfa_delete, snapshot.lifecycle) == (device, True, lifecycle)
    assert snapshot.versioning is Versioning.ENABLED


def test_snapshot_shares_content_and_issues_other_ids(bucket):
    content = bytes(1000)
    put(enabled(bucket), content)
    snapshot = bucket.copy()
    assert snapshot.get_object("k").content is content
    assert put(bucket).version_id != put(snapshot).version_id
