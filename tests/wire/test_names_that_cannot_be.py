"""Names that are none, where many could be meant: what they are told."""

from __future__ import annotations

import re

import pytest

from fakestore import Dialect, fake_store
from fakestore.operations import OPERATION_NAMES, check_operation_name


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("PUT Objekt", "PUT Object"),
        ("PutObject", "PUT Object"),
        ("GET Object Versions", "GET Bucket Object versions"),
        ("GET Bucket Object version", "GET Bucket Object versions"),
    ],
)
def test_a_misspelt_operation_is_told_the_nearest(name, meant):
    with pytest.raises(ValueError, match=re.escape(f"there is no operation {name!r}; there are ")) as caught:
        check_operation_name(name)
    assert str(caught.value).endswith(f"{OPERATION_NAMES[-1]}. Did you mean {meant!r}?")


def test_a_name_like_none_is_told_those_there_are_alone():
    with pytest.raises(ValueError, match=f"^there is no operation 'zzz'; there are {', '.join(OPERATION_NAMES)}\\.$"):
        check_operation_name("zzz")


def test_the_names_there_are_pass():
    assert [check_operation_name(name) for name in OPERATION_NAMES] == [None] * len(OPERATION_NAMES)


def test_an_option_like_none_is_told_those_there_are_alone():
    with pytest.raises(TypeError, match=r"^there is no option 'zzz'; there are base_url, .*, seed\.$"):
        fake_store(zzz=1)


@pytest.mark.parametrize("prefix", ["x-amz", "X-Amz-", "", "-"])
def test_a_dialects_prefix_is_lower_case_and_ends_in_a_hyphen(prefix):
    with pytest.raises(ValueError, match=f"^header_prefix is lower case and ends in a hyphen, .* not {prefix!r}$"):
        Dialect(header_prefix=prefix)


@pytest.mark.parametrize("scheme", ["", "two words"])
def test_a_dialects_scheme_is_one_word(scheme):
    with pytest.raises(ValueError, match=f"^auth_scheme is one word, such as 'SVC' or 'AWS', not {scheme!r}$"):
        Dialect(auth_scheme=scheme)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"dialect": "x-amz-"}, "dialect is a fakestore.Dialect, such as DOCUMENT, not 'x-amz-'"),
        ({"limits": {"object_size": 1}}, r"limits is a fakestore.Limits, not \{'object_size': 1\}"),
    ],
)
def test_a_dialect_and_limits_are_values_of_their_types(options, sentence):
    with pytest.raises(TypeError, match=sentence):
        fake_store(**options)
