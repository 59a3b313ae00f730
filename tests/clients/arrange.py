"""The requests that the tests of mocks send by `requests`."""

from __future__ import annotations

import requests

from fakestore import FakeStore


def put_cat(store: FakeStore, session=requests) -> int:
    """PUT an object into "photos", and return the status."""
    return session.put(store.url("photos", "cat.jpg"), data=b"meow", auth=store.auth()).status_code


def get(url: str) -> int | str:
    """Return the status of a GET, or the name of what it raised."""
    try:
        return requests.get(url, timeout=2).status_code
    except Exception as error:
        return type(error).__name__
