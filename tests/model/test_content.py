"""Joined content is the bytes joined, however it is cut and put together."""

from __future__ import annotations

import copy
import pickle
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakestore.model.content import SPARSE_MD5_LIMIT, JoinedContent, SparseContent, join_content
from fakestore.model.entity_tag import EntityTag
from tests.support.cost import count_calls

PIECES = st.lists(st.binary(max_size=6) | st.integers(0, 6).map(SparseContent), max_size=8)
BOUND = st.none() | st.integers(-60, 60)


@given(PIECES, BOUND, BOUND)
def test_joined_content_and_its_slices_equal_bytes_joined(pieces, start, stop):
    content, joined = join_content(pieces), b"".join(map(bytes, pieces))
    assert (bytes(content), len(content)) == (joined, len(joined))
    sliced = content[start:stop]
    assert (bytes(sliced), len(sliced)) == (joined[start:stop], len(joined[start:stop]))
    if isinstance(content, JoinedContent):
        assert b"".join(content) == joined
    assert EntityTag.of(content) == EntityTag.of(joined)


@given(st.lists(st.binary(max_size=4), max_size=6), st.lists(st.binary(max_size=4), max_size=6))
def test_joined_bytes_are_equal_exactly_if_their_bytes_are(one, two):
    equal = b"".join(one) == b"".join(two)
    assert (join_content(one) == join_content(two)) is equal
    assert (join_content(one) == b"".join(two)) is equal
    assert (b"".join(two) == join_content(one)) is equal
    assert not equal or hash(join_content(one)) == hash(join_content(two))


def test_joining_keeps_the_pieces_themselves():
    one, two = b"m" * 1000, b"p" * 1000
    content = join_content([one, b"", join_content([two, SparseContent(3)]), SparseContent(4)])
    assert content.pieces[0] is one
    assert content.pieces[1] is two
    assert content.pieces[2:] == (SparseContent(7),)
    assert content[1000:2000] is two
    assert sys.getsizeof(content) < 200


def test_slice_of_all_bytes_is_the_content_itself():
    content = join_content([b"me", b"ow"])
    assert content[:None] is content[0:] is content[:9] is content


def test_slice_costs_the_pieces_that_it_has():
    def cost(count):
        content = JoinedContent((b"meow",) * count)
        return count_calls(lambda: content[2 * count : 2 * count + 6])

    assert cost(2000) <= 1.3 * cost(50)


def test_content_with_sparse_pieces_is_compared_by_its_pieces():
    content = join_content([b"meow", SparseContent(2 * SPARSE_MD5_LIMIT)])
    assert content == join_content([b"meow", SparseContent(SPARSE_MD5_LIMIT), SparseContent(SPARSE_MD5_LIMIT)])
    assert content != join_content([b"purr", SparseContent(2 * SPARSE_MD5_LIMIT)])
    assert content != b"meow"
    assert hash(content) == hash(copy.deepcopy(content))
    assert EntityTag.of(content).endswith('-3"')
    zeros = SparseContent(2 * SPARSE_MD5_LIMIT)
    others = [[b"purr", zeros], [zeros, b"meow"], [SparseContent(2 * SPARSE_MD5_LIMIT + 4)]]
    assert EntityTag.of(content) not in [EntityTag.of(join_content(each)) for each in others]
    assert EntityTag.of(content) == EntityTag.of(join_content([b"me", b"ow", zeros]))


@given(PIECES.map(join_content), st.binary(max_size=5) | st.integers(0, 8).map(bytes))
def test_content_contains_what_its_bytes_contain(content, part):
    assert (part in content) is (part in bytes(content))


def test_large_content_is_searched_without_its_zeros_in_memory():
    content = join_content([b"meow", SparseContent(1024**5), b"purr"])
    assert b"w" + bytes(9) in content
    assert b"ow\0p" not in content
    assert b"" in SparseContent(0)
    assert bytes(9) in SparseContent(1024**5)
    assert b"x" not in SparseContent(1024**5)


def test_joined_content_is_a_value():
    content = join_content([b"meow", b"purr"])
    assert pickle.loads(pickle.dumps(content)) == content == copy.deepcopy(content)
    assert repr(content) == "<JoinedContent of 2 pieces: 8 bytes>"
    assert content != "meowpurr"
    with pytest.raises(ValueError, match="step"):
        content[::2]
