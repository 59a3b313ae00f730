"""The query parameters that a signature covers."""

from __future__ import annotations

import base64
import hashlib
import hmac

import pytest
import requests


@pytest.fixture
def fakestore_options():
    return {"buckets": ["photos"]}


@pytest.mark.decision("signature")
def test_headers_asked_for_in_the_query_are_signed(fakestore):
    # In the order of their names, decoded, as the public documentation of 2006 shows them. A prefix is not signed.
    signed = [
        "response-cache-control=no-cache",
        "response-content-disposition=attachment; filename=cat.jpg",
        "response-content-encoding=gzip",
        "response-content-language=en",
        "response-content-type=image/jpeg",
        "response-expires=Thu, 01 Dec 2026 16:00:00 GMT",
    ]
    parameters = dict(each.split("=", 1) for each in [*reversed(signed), "prefix=a"])
    url = fakestore.url("photos", "cat.jpg", **parameters)

    prepared = requests.Request("GET", url, auth=fakestore.auth()).prepare()

    text = f"GET\n\n\n{prepared.headers['Date']}\n/photos/cat.jpg?{'&'.join(signed)}"
    key = fakestore.default_account.secret_key.encode()
    expected = base64.b64encode(hmac.new(key, text.encode(), hashlib.sha1).digest()).decode()
    assert prepared.headers["Authorization"].partition(":")[2] == expected
