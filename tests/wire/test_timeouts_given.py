"""Timeouts that `requests` refuses, it refuses here too, in its own words."""

from __future__ import annotations

import pytest
import requests
from urllib3.util import Timeout


@pytest.fixture
def fakestore_options():
    return {"buckets": ["photos"]}


def on_a_real_connection(timeout):
    """What `requests` itself raises, before it connects to anything."""
    prepared = requests.Request("PUT", "http://127.0.0.1:1/").prepare()
    with pytest.raises(ValueError, match="imeout") as refused:
        requests.adapters.HTTPAdapter().send(prepared, timeout=timeout)
    return str(refused.value)


NONE = [(1, 2, 3), (1,), -1, 0, "x", True, (1, "x"), (1, -1), [1, 2]]
#: ListingQuery before any store is active.
IN_ITS_OWN_WORDS = {repr(timeout): on_a_real_connection(timeout) for timeout in NONE}


@pytest.mark.parametrize("timeout", NONE, ids=repr)
def test_a_timeout_that_is_none_is_refused_as_requests_does(fakestore, timeout):
    with pytest.raises(ValueError, match="imeout") as refused:
        fakestore.session().put(fakestore.url("photos", "cat"), timeout=timeout)
    assert (str(refused.value), list(fakestore.exchanges)) == (IN_ITS_OWN_WORDS[repr(timeout)], [])


@pytest.mark.parametrize("timeout", [None, 1, 0.5, (1, 2), (None, None), (1, None), Timeout(3), Timeout(1, 2, 3)])
def test_a_timeout_that_is_one_is_taken(fakestore, timeout):
    assert fakestore.session().put(fakestore.url("photos", "cat"), timeout=timeout).status_code == 200
