"""Pages of a listing, below the operations that render them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakestore.model.listing import CommonPrefix, Selection, page_of_objects, page_of_versions
from fakestore.model.versioning import Versioning
from tests.model.arrange import empty_bucket, put

TEXT = st.text("ab/\U0010ffff", max_size=4)


def naive_listing(keys: set[str], prefix: str, delimiter: str, after: str) -> list[str | CommonPrefix]:
    listed: dict[str | CommonPrefix, None] = {}
    for key in sorted(keys):
        end = key.find(delimiter, len(prefix)) if delimiter else -1
        common = key[: end + len(delimiter)] if end >= 0 else None
        if key.startswith(prefix) and key > after and (common is None or not after.startswith(common)):
            listed[key if common is None else CommonPrefix(common)] = None
    return list(listed)


@given(st.sets(TEXT.filter(bool), max_size=12), TEXT, st.sampled_from(["", "/", "a/"]), TEXT, st.integers(0, 5))
def test_page_is_the_beginning_of_the_whole_listing(keys, prefix, delimiter, after, size):
    bucket = empty_bucket()
    for key in keys:
        put(bucket, key=key)
    expected = naive_listing(keys, prefix, delimiter, after)
    selection = Selection(prefix, delimiter, after, size)
    for page in (page_of_objects(bucket, selection), page_of_versions(bucket, selection)):
        names = [getattr(item, "entry", item).key for item in page.items]
        assert names == [each for each in expected[:size] if isinstance(each, str)]
        assert page.common_prefixes == tuple(each.text for each in expected[:size] if isinstance(each, CommonPrefix))
        assert page.truncated is (0 < size < len(expected))
        assert (page.last is None) is (not expected[:size])


@pytest.mark.parametrize("removed", [False, True])
def test_page_continues_after_version_even_if_it_was_removed(removed):
    bucket = empty_bucket()
    null = put(bucket)
    bucket.versioning = Versioning.ENABLED
    versions = [put(bucket) for _ in range(4)]
    if removed:
        bucket.delete_version("k", versions[2].version_id)
    page = page_of_versions(bucket, Selection("", "", "k", 1000), versions[2].version_id)
    assert [(item.entry, item.latest) for item in page.items] == [
        (version, False) for version in (versions[1], versions[0], null)
    ]


def test_page_after_removed_null_version_lists_every_version():
    bucket = empty_bucket()
    null = put(bucket)
    bucket.versioning = Versioning.ENABLED
    versions = [put(bucket) for _ in range(2)]
    bucket.delete_version("k", null.version_id)
    page = page_of_versions(bucket, Selection("", "", "k", 1000), null.version_id)
    assert [(item.entry, item.latest) for item in page.items] == [(versions[1], True), (versions[0], False)]
