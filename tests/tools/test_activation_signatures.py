"""How the store is handed in beside fixtures, parameters and mock.patch, and what is refused."""

from __future__ import annotations

import os
from unittest import mock

import pytest

from fakestore import FakeStore, fake_store


@pytest.fixture
def animal():
    return "cat"


@pytest.mark.parametrize("size", [1, 2])
@fake_store(buckets=["photos"])
def test_the_store_stands_beside_fixtures_and_parameters(animal, store, size, tmp_path):
    store["photos"].put(animal, b"x" * size)
    assert (store["photos"]["cat"].size, tmp_path.exists()) == (size, True)


@fake_store(buckets=["photos"])
@mock.patch("os.getppid", return_value=8)
@mock.patch("os.getpid", return_value=7)
def test_the_store_stands_behind_the_arguments_of_mock_patch(getpid, getppid, animal, store):
    assert (os.getpid(), getppid(), animal, len(store["photos"])) == (7, 8, "cat", 0)


@mock.patch("os.getpid", return_value=7)
@fake_store(buckets=["photos"])
def test_mock_patch_may_stand_over_fake_store(getpid, store):
    assert (os.getpid(), len(store["photos"])) == (7, 0)


@fake_store()
@mock.patch("os.getpid", return_value=7)
@mock.patch("os.getcwd")
def test_a_store_by_keyword_alone_stands_wherever_it_likes(*mocks, store):
    assert (len(mocks), isinstance(store, FakeStore)) == (2, True)


@fake_store()
@mock.patch("os.getpid", new=None)
def test_a_mock_patch_that_hands_nothing_in_does_not_mind_the_store_in_front(store, animal):
    assert isinstance(store, FakeStore)


class TestMethodsOfAPlainClass:
    @fake_store(buckets=["photos"])
    def test_are_handed_the_store(self, store, animal):
        assert (list(store.buckets), animal) == (["photos"], "cat")

    @fake_store(buckets=["photos"])
    @mock.patch("os.getpid", return_value=7)
    def test_are_handed_the_store_behind_mocks(self, getpid, store):
        assert getpid() == 7


def test_a_store_before_the_arguments_of_mock_patch_is_refused_at_decoration():
    with pytest.raises(TypeError, match=r"test_it: 'store' stands before the arguments of mock\.patch.*put it behind"):

        @fake_store()
        @mock.patch("os.getpid")
        def test_it(store, getpid): ...


def test_a_store_before_the_arguments_of_mock_patch_is_refused_in_a_method_too():
    with pytest.raises(TypeError, match=r"test_it: 'store' stands before the arguments of mock\.patch"):

        class Tests:
            @fake_store()
            @mock.patch("os.getpid")
            def test_it(self, store, getpid): ...


def test_a_store_that_an_outer_mock_patch_fills_is_refused_when_it_is_called():
    @mock.patch("os.getpid")
    @fake_store()
    def test_it(store, getpid): ...

    with pytest.raises(TypeError, match=r"test_it: 'store' stands before the arguments of mock\.patch.*put it behind"):
        test_it()


def test_a_positional_only_store_is_refused_at_decoration():
    with pytest.raises(TypeError, match="'store' is handed in by keyword, so it cannot be positional-only"):

        @fake_store()
        def test_it(store, /): ...


def test_fake_store_without_parentheses_is_refused_with_the_sentence_that_helps():
    with pytest.raises(TypeError, match=r"write @fake_store\(\) with parentheses"):

        @fake_store
        def test_it(): ...


def test_a_positional_option_is_refused():
    with pytest.raises(TypeError, match="options are given by keyword"):
        fake_store("http://objects.test")


def test_a_class_that_is_no_test_case_is_refused_with_the_sentence_that_helps():
    with pytest.raises(TypeError) as refused:

        @fake_store()
        class Tests: ...

    assert str(refused.value) == (
        "fake_store(...) decorates unittest.TestCase classes, and Tests is none; write"
        ' @pytest.mark.usefixtures("fakestore") over it, with options @pytest.mark.fakestore(...) as well, or decorate'
        " its methods"
    )


def test_what_cannot_be_called_is_refused():
    with pytest.raises(TypeError, match="decorates functions and TestCase classes, not 7"):
        fake_store()(7)


def test_an_unknown_option_is_refused_by_name_at_once():
    with pytest.raises(
        TypeError, match=r"^there is no option 'bucket'; there are base_url, .*seed\. Did you mean 'buckets'\?$"
    ):
        fake_store(bucket="photos")


def test_an_unknown_option_that_is_close_to_none_is_refused_by_name():
    with pytest.raises(TypeError, match=r"^there is no option 'colour'; there are base_url, .*seed\.$"):
        fake_store(colour="red")
