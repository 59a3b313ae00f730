"""What the target of a request names, and what no target may be."""

from __future__ import annotations

import pytest
import requests

from fakestore import FakeStore, UnsupportedRequest
from fakestore.http import Headers, Request

MESSAGE = "the subresource {!r} takes no value, and {!r} is one"


@pytest.fixture
def store():
    store = FakeStore(buckets=["photos"])
    store["photos"].put("k")
    return store


def ask(store, method, target):
    return store._service.handle(Request(method, "http", "photos.objects.test", target, Headers()))


@pytest.mark.parametrize("target", ["k", "*", "", "?versions", "http://photos.objects.test/k"])
def test_a_target_that_does_not_begin_with_a_slash_is_no_uri(store, target):
    reply = ask(store, "GET", target)
    assert (reply.status, b"<Code>InvalidURI</Code>" in bytes(reply.body)) == (400, True)


@pytest.mark.parametrize(
    ("method", "target", "subresource", "value"),
    [
        ("GET", "/?location=x", "location", "x"),
        ("GET", "/?versions=foo", "versions", "foo"),
        ("GET", "/?policy=%20", "policy", " "),
        ("PUT", "/?lifecycle=1&x=y", "lifecycle", "1"),
        ("POST", "/?delete=foo", "delete", "foo"),
        ("GET", "/k?acl=banana", "acl", "banana"),
        ("GET", "/k?versionId=null&acl=banana", "acl", "banana"),
    ],
)
def test_a_subresource_with_a_value_is_not_the_one_that_is_modelled(store, method, target, subresource, value):
    with pytest.raises(UnsupportedRequest) as unsupported:
        ask(store, method, target)
    assert str(unsupported.value) == MESSAGE.format(subresource, value)


@pytest.mark.parametrize("query", ["acl", "acl="])
def test_an_empty_value_is_none(fakestore, query):
    fakestore.create_bucket("photos")
    reply = requests.get(fakestore.url("photos") + f"?{query}", auth=fakestore.auth())
    assert b"<AccessControlPolicy>" in reply.content


@pytest.mark.parametrize("query", ["&acl", "acl&", "&&acl&&"])
def test_nothing_between_ampersands_is_no_parameter(fakestore, query):
    fakestore.create_bucket("photos")
    reply = requests.get(fakestore.url("photos") + f"?{query}", auth=fakestore.auth())
    assert b"<AccessControlPolicy>" in reply.content
