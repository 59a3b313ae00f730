"""What the tests of decorated functions and of decorated test cases share."""

from __future__ import annotations

import pytest
import requests
from requests.adapters import HTTPAdapter

#: The method before any patch.
REAL_SEND = HTTPAdapter.send


class BodyError(Exception):
    """What a failing body raises."""


def put_cat(store):
    """Put an object by way of `requests`, and return the status."""
    return requests.put(store.url("photos", "cat.jpg"), data=b"meow", auth=store.auth()).status_code


def swallow():
    """Send a request to another host, and catch the error."""
    with pytest.raises(requests.ConnectionError):
        requests.get("http://elsewhere.test/")
