"""What a bucket remembers of a key, in each of the three versioning states."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from fakestore.model.acl import CannedAcl
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import INVALID_ARGUMENT, METHOD_NOT_ALLOWED, NO_SUCH_KEY, NO_SUCH_VERSION, ErrorResponse
from fakestore.model.history import NULL, DeleteMarker, ObjectVersion, Versioning
from fakestore.model.semantics import Semantics
from tests.model.arrange import ALICE, NOON, empty_bucket, put


@pytest.fixture
def bucket() -> BucketRecord:
    return empty_bucket()


def delete(bucket: BucketRecord, key: str = "k", now: datetime = NOON) -> DeleteMarker | None:
    return bucket.delete(key, owner=ALICE, now=now)


def told(bucket: BucketRecord, key: str = "k") -> list[tuple[str, object]]:
    """Ids and contents, newest first; a marker's content is ``DeleteMarker``."""
    return [
        (entry.version_id, entry.content if isinstance(entry, ObjectVersion) else DeleteMarker)
        for entry in bucket.history(key)
    ]


# -- never versioned


def test_a_put_in_a_bucket_never_versioned_takes_the_place_of_the_one_object(bucket):
    put(bucket, b"1")
    put(bucket, b"2")
    assert told(bucket) == [("null", b"2")]


def test_a_delete_in_a_bucket_never_versioned_leaves_nothing(bucket):
    put(bucket, b"1")
    assert delete(bucket) is None
    assert (told(bucket), list(bucket)) == ([], [])


def test_a_delete_of_a_key_that_never_was_makes_no_marker_in_a_bucket_never_versioned(bucket):
    assert delete(bucket) is None
    assert list(bucket) == []


# -- enabled


def test_while_enabled_every_put_is_a_version_and_the_last_is_current(bucket):
    bucket.versioning = Versioning.ENABLED
    first, second = put(bucket, b"1"), put(bucket, b"2")
    assert told(bucket) == [(second.version_id, b"2"), (first.version_id, b"1")]
    assert bucket.current("k") is second


def test_while_enabled_a_delete_puts_a_marker_on_top_and_removes_nothing(bucket):
    bucket.versioning = Versioning.ENABLED
    first = put(bucket, b"1")
    marker = delete(bucket)
    assert told(bucket) == [(marker.version_id, DeleteMarker), (first.version_id, b"1")]


def test_while_enabled_markers_stack(bucket):
    bucket.versioning = Versioning.ENABLED
    first, second = delete(bucket), delete(bucket)
    assert told(bucket) == [(second.version_id, DeleteMarker), (first.version_id, DeleteMarker)]


def test_while_enabled_a_delete_makes_a_marker_for_a_key_that_never_was(bucket):
    bucket.versioning = Versioning.ENABLED
    marker = delete(bucket)
    assert told(bucket) == [(marker.version_id, DeleteMarker)]


def test_an_object_from_before_stays_addressable_as_null_under_later_puts(bucket):
    old = put(bucket, b"old")
    bucket.versioning = Versioning.ENABLED
    put(bucket, b"1")
    newest = put(bucket, b"2")
    assert (bucket.version("k", "null"), bucket.current("k")) == (old, newest)


def test_a_simple_delete_takes_the_null_version_out_from_under_the_others(bucket):
    put(bucket, b"old")
    bucket.versioning = Versioning.ENABLED
    first = put(bucket, b"1")
    marker = delete(bucket)
    assert told(bucket) == [(marker.version_id, DeleteMarker), (first.version_id, b"1")]


def test_a_simple_delete_keeps_the_null_version_where_the_dialect_says_so():
    bucket = empty_bucket(semantics=Semantics(delete_removes_null_version=False))
    put(bucket, b"old")
    bucket.versioning = Versioning.ENABLED
    marker = bucket.delete("k", owner=ALICE, now=NOON)
    assert told(bucket) == [(marker.version_id, DeleteMarker), ("null", b"old")]


# -- suspended


def test_a_put_while_suspended_takes_the_null_versions_place_and_comes_on_top(bucket):
    put(bucket, b"old")
    bucket.versioning = Versioning.ENABLED
    first = put(bucket, b"1")
    bucket.versioning = Versioning.SUSPENDED
    put(bucket, b"new")
    assert told(bucket) == [("null", b"new"), (first.version_id, b"1")]


def test_a_put_while_suspended_forgets_no_version_with_an_id(bucket):
    bucket.versioning = Versioning.ENABLED
    first, second = put(bucket, b"1"), put(bucket, b"2")
    bucket.versioning = Versioning.SUSPENDED
    put(bucket, b"3")
    assert told(bucket) == [("null", b"3"), (second.version_id, b"2"), (first.version_id, b"1")]


def test_a_delete_while_suspended_replaces_the_null_version_by_a_null_marker(bucket):
    bucket.versioning = Versioning.ENABLED
    first = put(bucket, b"1")
    bucket.versioning = Versioning.SUSPENDED
    put(bucket, b"2")
    delete(bucket)
    assert told(bucket) == [("null", DeleteMarker), (first.version_id, b"1")]


def test_a_second_delete_while_suspended_leaves_one_null_marker(bucket):
    bucket.versioning = Versioning.SUSPENDED
    delete(bucket)
    delete(bucket)
    assert told(bucket) == [("null", DeleteMarker)]


def test_a_put_while_suspended_replaces_the_null_marker(bucket):
    bucket.versioning = Versioning.SUSPENDED
    delete(bucket)
    put(bucket, b"1")
    assert told(bucket) == [("null", b"1")]


def test_a_null_marker_is_taken_by_a_delete_once_versioning_is_enabled_again(bucket):
    bucket.versioning = Versioning.SUSPENDED
    delete(bucket)
    bucket.versioning = Versioning.ENABLED
    marker = delete(bucket)
    assert told(bucket) == [(marker.version_id, DeleteMarker)]


@pytest.mark.parametrize("moves", [(0, 0, 0), (0, 5, -3), (9, 4, 1)], ids=["frozen", "to and fro", "backwards"])
def test_the_newest_is_the_last_written_whatever_the_clock_says(bucket, moves):
    bucket.versioning = Versioning.ENABLED
    written = [
        put(bucket, b"%d" % number, now=NOON + timedelta(hours=move)).version_id for number, move in enumerate(moves)
    ]
    assert [id for id, _ in told(bucket)] == written[::-1]


def test_a_null_entry_written_under_a_frozen_clock_is_the_newest(bucket):
    bucket.versioning = Versioning.ENABLED
    put(bucket, b"1")
    bucket.versioning = Versioning.SUSPENDED
    null = put(bucket, b"2")
    assert bucket.current("k") is null


# -- looking and taking out


def test_taking_out_a_marker_brings_back_what_it_hid(bucket):
    bucket.versioning = Versioning.ENABLED
    first = put(bucket, b"1")
    marker = delete(bucket)
    assert bucket.delete_version("k", marker.version_id) is marker
    assert bucket.current("k") is first


def test_taking_out_the_last_version_takes_out_the_key(bucket):
    bucket.versioning = Versioning.ENABLED
    only = put(bucket, b"1")
    bucket.delete_version("k", only.version_id)
    assert (list(bucket), len(bucket)) == ([], 0)


def test_a_version_that_is_gone_is_taken_out_again_without_effect(bucket):
    bucket.versioning = Versioning.ENABLED
    first, second = put(bucket, b"1"), put(bucket, b"2")
    bucket.delete_version("k", first.version_id)
    assert bucket.delete_version("k", first.version_id) is None
    assert told(bucket) == [(second.version_id, b"2")]


def test_null_is_taken_out_without_effect_where_there_is_none(bucket):
    bucket.versioning = Versioning.ENABLED
    first = put(bucket, b"1")
    assert bucket.delete_version("k", NULL) is None
    assert told(bucket) == [(first.version_id, b"1")]


def test_an_id_of_one_key_names_nothing_of_another(bucket):
    bucket.versioning = Versioning.ENABLED
    first = put(bucket, b"1", "a")
    put(bucket, b"2", "b")
    with pytest.raises(ErrorResponse) as refused:
        bucket.entry("b", first.version_id)
    assert refused.value.error is NO_SUCH_VERSION


@pytest.mark.parametrize("act", ["version", "delete_version"])
def test_an_id_that_was_never_issued_is_no_argument(bucket, act):
    put(bucket, b"1")
    with pytest.raises(ErrorResponse) as refused:
        getattr(bucket, act)("k", "x" * 32)
    assert refused.value.error is INVALID_ARGUMENT


def test_a_marker_on_top_is_told_with_the_refusal(bucket):
    bucket.versioning = Versioning.ENABLED
    put(bucket, b"1")
    marker = delete(bucket)
    with pytest.raises(ErrorResponse) as refused:
        bucket.current("k")
    assert (refused.value.error, refused.value.marker) == (NO_SUCH_KEY, marker)


def test_a_marker_named_by_its_id_cannot_be_read(bucket):
    bucket.versioning = Versioning.ENABLED
    marker = delete(bucket)
    with pytest.raises(ErrorResponse) as refused:
        bucket.version("k", marker.version_id)
    assert (refused.value.error, refused.value.marker) == (METHOD_NOT_ALLOWED, marker)


def test_another_acl_leaves_the_versions_place_id_and_date(bucket):
    bucket.versioning = Versioning.ENABLED
    first = put(bucket, b"1")
    second = put(bucket, b"2")
    public = CannedAcl.PUBLIC_READ.expand(ALICE, ALICE)
    bucket.replace_acl(first, public)
    assert told(bucket) == [(second.version_id, b"2"), (first.version_id, b"1")]
    assert (bucket.version("k", first.version_id).acl, bucket.current("k").acl) == (public, second.acl)


def test_keys_come_in_the_order_of_their_utf8_bytes(bucket):
    keys = ["a", "B", "é", "z", "日本", "\uffee", "\U0001f600", "a/b", "a b", "~"]
    for key in keys:
        put(bucket, b"", key)
    assert list(bucket) == sorted(keys, key=str.encode)


# -- copies share histories until one of them writes


def test_a_copy_does_not_see_later_puts(bucket):
    put(bucket, b"1")
    copy = bucket.copy()
    put(bucket, b"2")
    put(bucket, b"other", "another")
    assert (told(copy), list(copy)) == ([("null", b"1")], ["k"])


def test_the_original_does_not_see_what_a_copy_writes(bucket):
    bucket.versioning = Versioning.ENABLED
    first = put(bucket, b"1")
    copy = bucket.copy()
    put(copy, b"2")
    delete(copy)
    assert told(bucket) == [(first.version_id, b"1")]


@pytest.mark.parametrize("which", ["original", "copy"])
def test_taking_out_a_key_on_one_side_leaves_it_on_the_other(bucket, which):
    only = put(bucket, b"1")
    copy = bucket.copy()
    one, other = (bucket, copy) if which == "original" else (copy, bucket)
    one.delete_version("k", only.version_id)
    assert (list(one), told(other)) == ([], [("null", b"1")])


def test_a_new_acl_on_one_side_leaves_that_of_the_other(bucket):
    version = put(bucket, b"1")
    copy = bucket.copy()
    copy.replace_acl(version, CannedAcl.PUBLIC_READ.expand(ALICE, ALICE))
    assert bucket.current("k").acl == version.acl


def test_copies_of_a_copy_are_independent_too(bucket):
    put(bucket, b"1")
    first = bucket.copy()
    second = first.copy()
    put(first, b"2")
    put(second, b"3")
    assert [told(each) for each in (bucket, first, second)] == [
        [("null", b"1")],
        [("null", b"2")],
        [("null", b"3")],
    ]


def test_settings_of_a_copy_are_its_own(bucket):
    bucket.versioning = Versioning.ENABLED
    copy = bucket.copy()
    bucket.versioning = Versioning.SUSPENDED
    assert copy.versioning is Versioning.ENABLED


def test_a_copy_shares_content_and_never_copies_it(bucket):
    content = bytes(1000)
    put(bucket, content)
    assert bucket.copy().current("k").content is content


def test_ids_of_an_original_and_its_copy_never_meet(bucket):
    bucket.versioning = Versioning.ENABLED
    copy = bucket.copy()
    assert put(bucket, b"1").version_id != put(copy, b"1").version_id
