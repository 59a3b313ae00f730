"""URLs: a path that names no key, and user information in front of the host."""

from __future__ import annotations

import pytest
import requests

from fakestore import UnsupportedRequest
from fakestore.http import Request
from tests.corrections.arrange import ask, outcome, stack


@pytest.fixture
def fakestore_options():
    return {"buckets": ["photos"]}


@pytest.mark.decision("path-without-a-key")
@pytest.mark.parametrize("header", ["x-svc-meta-name", "x-svc-storage-class", "x-svc-copy-source"])
def test_a_put_of_an_object_without_a_key_says_so(fakestore, header):
    # `requests` sends the path "//" as "/".
    url = f"{fakestore.url('photos')}/"
    with pytest.raises(UnsupportedRequest, match="no key") as raised:
        requests.put(url, data=b"meow", headers={header: "/photos/cat.jpg"}, auth=fakestore.auth())
    assert header in str(raised.value)
    fakestore.unhandled_requests.clear()

    # The key "/" itself is an object like any other.
    assert outcome(fakestore, "PUT", fakestore.url("photos", "/"), [("Content-Length", "4")], b"meow") == (200, None)
    assert stack(fakestore, "photos", "/") == [b"meow"]


def test_user_information_in_a_url_is_no_part_of_the_host(fakestore):
    url = fakestore.url("photos", "cat.jpg").replace("://", "://ada:secret@")

    assert Request.to_url("GET", url).host == "photos.objects.test"
    assert ask(fakestore, "PUT", url, [("Content-Length", "4")], b"meow").status == 200
    assert requests.get(url, auth=fakestore.auth()).content == b"meow"
    assert [exchange.bucket for exchange in fakestore.exchanges] == ["photos", "photos"]
    assert all("secret" not in exchange.request.url for exchange in fakestore.exchanges)
