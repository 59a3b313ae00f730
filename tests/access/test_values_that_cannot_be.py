"""Devices of values that cannot be: refused where they are given, with what would do."""

from __future__ import annotations

import pytest

from fakestore import MfaDevice


@pytest.mark.parametrize(
    ("serial", "code"), [("", "1"), ("1", ""), ("1", "a b"), ("1 2", "3"), ("1", "é\N{EURO SIGN}")]
)
def test_a_device_that_no_header_can_name_is_a_value_error(serial, code):
    with pytest.raises(ValueError, match="without blanks"):
        MfaDevice(serial, code)


@pytest.mark.parametrize(("serial", "code"), [("1", 301749), ("1", None)])
def test_a_device_is_made_of_text(serial, code):
    with pytest.raises(TypeError, match="text"):
        MfaDevice(serial, code)


def test_a_devices_code_may_be_asked_for():
    assert MfaDevice("1", lambda: "2").displays("1", "2")


@pytest.mark.parametrize("given", [301749, None, b"301749"])
def test_a_callable_gives_text(given):
    with pytest.raises(TypeError, match=f"the code of device '1' must be text, not {given!r}"):
        MfaDevice("1", lambda: given).displays("1", "301749")
