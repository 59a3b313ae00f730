"""A page of a listing costs the page: counted in keys looked at and in comparisons, not in time."""

from __future__ import annotations

import pytest

from fakestore.model.bucket import BucketRecord
from fakestore.model.history import History
from fakestore.model.listing import page_of_objects, page_of_versions
from fakestore.model.versioning import Versioning
from tests.model.arrange import ALICE, NOON, empty_bucket, put

PAGES = pytest.mark.parametrize("page_of", [page_of_objects, page_of_versions])
SIZES = pytest.mark.parametrize("count", [1_000, 30_000])


class CountedKey(str):
    """A key that counts how often any such key is compared for order."""

    __slots__ = ()
    compared = 0

    def __lt__(self, other: str) -> bool:
        CountedKey.compared += 1
        return str.__lt__(self, other)

    def __gt__(self, other: str) -> bool:
        CountedKey.compared += 1
        return str.__gt__(self, other)


class CountingBucket(BucketRecord):
    """Counts the keys that were looked at."""

    looked_at = 0

    def keys_from(self, start, *, inclusive):
        return self._counted(super().keys_from(start, inclusive=inclusive))

    def current_keys_from(self, start, *, inclusive):
        return self._counted(super().current_keys_from(start, inclusive=inclusive))

    def _counted(self, keys):
        for key in keys:
            self.looked_at += 1
            yield key


def filled(keys) -> CountingBucket:
    bucket = empty_bucket(CountingBucket)
    for key in keys:
        put(bucket, key=CountedKey(key))
    CountedKey.compared = 0
    return bucket


@PAGES
@SIZES
def test_a_page_looks_at_its_own_keys_and_one_more_however_many_there_are(page_of, count):
    bucket = filled(f"{number:06}" for number in range(count))
    page = page_of(bucket, after=f"{count // 2:06}", size=10)
    assert (len(page.items), page.truncated, bucket.looked_at) == (10, True, 11)


@PAGES
@SIZES
def test_a_prefix_is_gone_to_at_once(page_of, count):
    bucket = filled([*(f"a/{number:06}" for number in range(count)), "b/1", "b/2", "c/1"])
    page = page_of(bucket, prefix="b/", size=10)
    assert (len(page.items), page.truncated, bucket.looked_at) == (2, False, 3)


@PAGES
@SIZES
def test_a_common_prefix_costs_one_key_however_many_stand_under_it(page_of, count):
    bucket = filled(f"{folder}/{number:06}" for folder in "abc" for number in range(count // 3))
    page = page_of(bucket, delimiter="/", size=10)
    assert (page.common_prefixes, bucket.looked_at) == (("a/", "b/", "c/"), 3)


@PAGES
@SIZES
def test_a_marker_within_a_common_prefix_costs_none_of_its_keys(page_of, count):
    bucket = filled([*(f"a/{number:06}" for number in range(count)), "b"])
    page = page_of(bucket, delimiter="/", after="a/000001", size=10)
    assert (len(page.items), page.common_prefixes, bucket.looked_at) == (1, (), 1)


@PAGES
@SIZES
def test_the_last_page_looks_at_what_is_left(page_of, count):
    bucket = filled(f"{number:06}" for number in range(count))
    page = page_of(bucket, after=f"{count - 4:06}", size=10)
    assert (len(page.items), page.truncated, bucket.looked_at) == (3, False, 3)


@PAGES
@SIZES
def test_finding_the_begin_of_a_page_takes_few_comparisons(page_of, count):
    bucket = filled(f"{number:06}" for number in range(count))
    page_of(bucket, after=f"{count // 2:06}", size=10)
    assert 0 < CountedKey.compared <= 60


@pytest.mark.parametrize("delimiter", ["", "/"])
@SIZES
def test_keys_under_delete_markers_cost_a_page_of_objects_nothing(count, delimiter):
    bucket = filled(["a", "z"])
    bucket.versioning = Versioning.ENABLED
    for number in range(count):
        bucket.delete(f"gone/{number:06}", owner=ALICE, now=NOON)
    page = page_of_objects(bucket, delimiter=delimiter, size=10)
    assert ([version.key for version in page.items], page.common_prefixes, bucket.looked_at) == (["a", "z"], (), 2)


@SIZES
def test_a_key_with_many_versions_costs_one_key(count):
    bucket = filled(["a"])
    bucket.versioning = Versioning.ENABLED
    for _ in range(count):
        bucket.delete("b", owner=ALICE, now=NOON)
    page = page_of_versions(bucket, size=10)
    assert (len(page.items), page.truncated, bucket.looked_at) == (10, True, 2)


@pytest.fixture
def walked(monkeypatch) -> list[object]:
    """The entries of histories that were walked over."""
    entries: list[object] = []
    walk = History.__iter__

    def counted(history):
        for entry in walk(history):
            entries.append(entry)
            yield entry

    monkeypatch.setattr(History, "__iter__", counted)
    return entries


def with_long_history(count: int) -> CountingBucket:
    bucket = filled([])
    bucket.versioning = Versioning.ENABLED
    for _ in range(count):
        bucket.delete("b", owner=ALICE, now=NOON)
    return bucket


@SIZES
def test_a_page_of_versions_walks_over_its_own_and_one_more_however_long_the_history(walked, count):
    bucket = with_long_history(count)
    page = page_of_versions(bucket, size=10)
    assert (len(page.items), page.truncated, len(walked)) == (10, True, 11)


@SIZES
def test_a_version_marker_costs_the_versions_before_it_and_the_page(walked, count):
    bucket = with_long_history(count)
    fifth = list(bucket.entries("b"))[4]
    walked.clear()
    page = page_of_versions(bucket, after="b", after_version=fifth.version_id, size=10)
    assert (len(page.items), page.truncated, len(walked)) == (10, True, 5 + 11)


@SIZES
def test_the_marker_of_a_version_that_is_gone_costs_the_versions_before_it_and_the_page(walked, count):
    bucket = with_long_history(count)
    fifth = list(bucket.entries("b"))[4]
    bucket.delete_version("b", fifth.version_id)
    walked.clear()
    page = page_of_versions(bucket, after="b", after_version=fifth.version_id, size=10)
    assert (len(page.items), page.truncated, len(walked)) == (10, True, 4 + 11)
