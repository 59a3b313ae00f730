"""Copies of a bucket share their keys until one of them gets or loses a key."""

from dataclasses import replace

import pytest

from fakestore import FakeStore


@pytest.fixture
def pair():
    """A bucket of two keys and its copy."""
    store = FakeStore(buckets=["photos"])
    store["photos"].put("cat", b"meow")
    store["photos"].put("dog", b"wuff")
    record = store._service.state.bucket("photos")
    return record, record.copy()


def delete(bucket, key):
    bucket.delete(key, owner=bucket.owner, now=bucket.created)


def put(bucket, key):
    bucket._push(replace(bucket.current("cat"), key=key))


@pytest.mark.parametrize("written", [0, 1], ids=["the original", "the copy"])
def test_a_key_written_to_one_is_listed_in_that_one_alone(pair, written):
    put(pair[written], "bird")
    assert [list(pair[written]), list(pair[1 - written])] == [["bird", "cat", "dog"], ["cat", "dog"]]


@pytest.mark.parametrize("written", [0, 1], ids=["the original", "the copy"])
def test_a_key_deleted_from_one_is_still_listed_in_the_other(pair, written):
    delete(pair[written], "cat")
    assert [list(pair[written]), list(pair[1 - written])] == [["dog"], ["cat", "dog"]]


def test_both_may_be_written(pair):
    original, copy = pair
    put(original, "bird")
    delete(copy, "dog")
    assert [list(original), list(copy)] == [["bird", "cat", "dog"], ["cat"]]


def test_a_copy_of_a_copy_shares_nothing_that_is_written(pair):
    original, copy = pair
    third = copy.copy()
    put(third, "bird")
    delete(original, "dog")
    assert [list(original), list(copy), list(third)] == [["cat"], ["cat", "dog"], ["bird", "cat", "dog"]]
