"""The list of keys that have a current object says what a look at every key would say."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from fakestore.model.bucket import BucketRecord
from fakestore.model.history import ObjectVersion, Versioning
from fakestore.model.lifecycle import Lifecycle, Rule
from tests.model.arrange import ALICE, NOON, empty_bucket, put

KEYS = st.sampled_from(["a", "b", "c"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), KEYS),
        st.tuples(st.just("delete"), KEYS, st.booleans()),
        st.tuples(st.just("delete version"), KEYS, st.integers(0, 3)),
        st.tuples(st.just("versioning"), st.sampled_from([Versioning.ENABLED, Versioning.SUSPENDED])),
        st.tuples(st.just("snapshot")),
        st.tuples(st.just("restore")),
    ),
    max_size=30,
)


def listed(bucket: BucketRecord) -> tuple[list[str], int]:
    return list(bucket.current_keys_from("", inclusive=True)), bucket.object_count


def looked_up(bucket: BucketRecord) -> tuple[list[str], int]:
    current = [key for key in bucket if isinstance(bucket.history(key)[0], ObjectVersion)]
    return current, len(current)


def do(bucket: BucketRecord, step: tuple[object, ...]) -> None:
    match step:
        case "put", key:
            put(bucket, key=key)
        case "delete", key, _:
            bucket.delete(key, owner=ALICE, now=NOON)
        case "delete version", key, place:
            for entry in bucket.history(key)[place : place + 1]:
                bucket.delete_version(key, entry.version_id)
        case "versioning", state:
            bucket.versioning = state


@given(STEPS)
def test_the_keys_with_a_current_object_are_known_after_whatever_was_written(steps):
    bucket = empty_bucket()
    kept = bucket.copy()
    for step in steps:
        if step == ("snapshot",):
            kept = bucket.copy()
        elif step == ("restore",):
            bucket = kept.copy()
        do(bucket, step)
        assert (listed(bucket), listed(kept)) == (looked_up(bucket), looked_up(kept))


def test_an_object_that_a_rule_expired_is_no_current_one():
    bucket = empty_bucket()
    bucket.versioning = Versioning.ENABLED
    put(bucket, key="a")
    bucket.lifecycle = Lifecycle((Rule(id="short", prefix="", days=1),))
    bucket.apply_lifecycle(NOON + timedelta(days=3))
    assert (list(bucket), listed(bucket)) == (["a"], ([], 0))
