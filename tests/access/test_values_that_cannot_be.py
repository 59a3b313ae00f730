"""Accounts, devices and limits of values that cannot be: refused where they are given, with what would do."""

from __future__ import annotations

import pytest

from fakestore import FakeStore, Limits, MfaDevice


@pytest.mark.parametrize(
    ("name", "given"),
    [
        (5, {}),
        (None, {}),
        ("bob", {"email": 5}),
        ("bob", {"access_key_id": 5}),
        ("bob", {"secret_key": 5}),
        ("bob", {"secret_key": b"secret"}),
    ],
)
def test_an_account_is_made_of_text(name, given):
    with pytest.raises(TypeError, match="is text, not"):
        FakeStore().create_account(name, **given)


def test_an_account_that_cannot_be_leaves_nothing_behind():
    store = FakeStore()
    with pytest.raises(TypeError):
        store.create_account("bob", email=5)
    assert store.create_account("bob").display_name == "bob"


@pytest.mark.parametrize("option", ["access_key_id", "secret_key"])
def test_the_default_account_is_made_of_text(option):
    with pytest.raises(TypeError, match=f"{option} is text, not 5"):
        FakeStore(**{option: 5})


@pytest.mark.parametrize(
    ("serial", "code"), [("", "1"), ("1", ""), ("1", "a b"), ("1 2", "3"), ("1", "é\N{EURO SIGN}")]
)
def test_a_device_that_no_header_can_name_is_a_value_error(serial, code):
    with pytest.raises(ValueError, match="without blanks"):
        MfaDevice(serial, code)


@pytest.mark.parametrize(("serial", "code"), [(5, "1"), ("1", 301749), ("1", None), (None, "1")])
def test_a_device_is_made_of_text(serial, code):
    with pytest.raises(TypeError, match="text"):
        MfaDevice(serial, code)


def test_a_devices_code_may_be_asked_for():
    assert MfaDevice("1", lambda: "2").displays("1", "2")


@pytest.mark.parametrize("given", [301749, None, b"301749"])
def test_a_callable_gives_text(given):
    with pytest.raises(TypeError, match=f"a device's code is text, and that of '1' is {given!r}"):
        MfaDevice("1", lambda: given).displays("1", "301749")


@pytest.mark.parametrize("limit", ["object_size", "copy_size", "metadata", "header_section"])
@pytest.mark.parametrize("value", ["5", 1.5, None])
def test_a_limit_is_a_whole_number(limit, value):
    with pytest.raises(TypeError, match=f"the limit {limit} is a number of bytes, an int, not {value!r}"):
        Limits(**{limit: value})
