"""A Host header names a bucket at the store's own port; another port is another server."""

from __future__ import annotations

import pytest
import requests

from fakestore import FakeStore, UnsupportedRequest


def ask(base_url, scheme, host):
    store = FakeStore(base_url=base_url, buckets=["photos"])
    session = requests.Session()
    session.mount(f"{scheme}://", store.adapter())
    url = f"{scheme}://{base_url.partition('://')[2]}/"
    return session.get(url, headers={"Host": host}, auth=store.auth()).status_code


@pytest.mark.parametrize(
    ("base_url", "scheme", "host"),
    [
        ("http://objects.test", "http", "photos.objects.test"),
        ("http://objects.test", "http", "photos.objects.test:80"),
        ("http://objects.test", "http", "photos.objects.test:080"),
        ("http://objects.test", "https", "photos.objects.test:443"),
        ("http://objects.test:9000", "http", "photos.objects.test:9000"),
        ("http://objects.test:9000", "http", "photos.objects.test"),
    ],
)
def test_the_stores_port_or_none_is_the_stores(base_url, scheme, host):
    assert ask(base_url, scheme, host) == 200


@pytest.mark.parametrize(
    ("base_url", "scheme", "host"),
    [
        ("http://objects.test", "http", "photos.objects.test:9999"),
        ("http://objects.test", "http", "photos.objects.test:443"),
        ("http://objects.test", "https", "photos.objects.test:80"),
        ("http://objects.test:9000", "http", "photos.objects.test:80"),
        ("http://objects.test:9000", "http", "objects.test:80"),
        ("http://objects.test", "http", "photos.objects.test:99999999999"),
        ("http://objects.test", "http", "photos.objects.test:"),
    ],
)
def test_another_port_is_not_the_stores(base_url, scheme, host):
    with pytest.raises(UnsupportedRequest, match=f"^the Host header says '{host}', "):
        ask(base_url, scheme, host)


@pytest.mark.parametrize("port", ["99999", "x", "-1"])
def test_a_url_whose_port_is_none_is_not_the_stores(fakestore, port):
    prepared = requests.Request("GET", fakestore.url("photos")).prepare()
    prepared.url = f"http://photos.objects.test:{port}/"
    with pytest.raises(requests.ConnectionError, match="is not a host of this store"):
        requests.Session().send(prepared)
    fakestore.unhandled_requests.clear()


@pytest.mark.parametrize("base_url", ["http://bücher.test", "http://[::1]:80", "http://[::1]"])
def test_a_base_host_under_which_no_bucket_can_be_named_is_refused(base_url):
    with pytest.raises(ValueError, match="buckets are names under its host"):
        FakeStore(base_url=base_url)
