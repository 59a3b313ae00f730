"""CRCs: computed and combined without the library, and with it."""

from __future__ import annotations

import sys

import awscrt.checksums
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakestore.model import checksums as crc
from fakestore.model.checksums import CRC32, CRC32C, CRC64NVME


@pytest.mark.parametrize(
    ("each", "value"), [(CRC32, 0xCBF43926), (CRC32C, 0xE3069283), (CRC64NVME, 0xAE8B14860A799888)]
)
def test_crc_has_its_published_check_value(each, value):
    assert (each.compute(b"123456789"), each.function(b"123456789", 0)) == (value, value)


@pytest.mark.parametrize("each", [CRC32, CRC32C, CRC64NVME], ids=lambda each: each.name)
@given(first=st.binary(max_size=9), second=st.binary(max_size=2000))
def test_crc_is_that_of_the_library(each, first, second):
    whole = getattr(awscrt.checksums, each.name)(first + second)
    assert each.compute(second, each.compute(first)) == whole
    assert each.combine(each.compute(first), each.compute(second), len(second)) == whole


def test_library_is_used_if_it_is_installed(monkeypatch):
    crc.fast_function.cache_clear()
    assert CRC64NVME.function is awscrt.checksums.crc64nvme
    monkeypatch.setitem(sys.modules, "awscrt", None)
    crc.fast_function.cache_clear()
    assert CRC64NVME.function == CRC64NVME.compute
    crc.fast_function.cache_clear()
