"""What the tests of dialects share: stores whose dialect differs in one decision, and accounts that send requests."""

from __future__ import annotations

from dataclasses import replace

import pytest
import requests

from fakestore import DOCUMENT, FakeStore


class Client:
    """Sends requests to one store; those of no account are anonymous."""

    def __init__(self, store: FakeStore) -> None:
        self.store = store
        self._session = requests.Session()
        self._session.mount(store.base_url, store.adapter())
        self._session.mount("http://", store.adapter())

    def send(self, method, key="", *, bucket="photos", account=None, anonymous=False, query=(), **options):
        """Send a request; `query` has pairs of name and value, and None for no value."""
        url = self.store.url(bucket, key, **dict(query)) if bucket else self._service_url(dict(query))
        auth = None if anonymous else self.store.auth(account)
        return self._session.request(method, url, auth=auth, **options)

    def _service_url(self, query):
        return f"{self.store.base_url}/?" + "&".join(f"{name}={value}" for name, value in query.items())


@pytest.fixture
def client_with():
    """Make a client of a store in DOCUMENT with some decisions replaced."""

    def make(buckets=("photos",), **decisions):
        dialect = replace(DOCUMENT, semantics=replace(DOCUMENT.semantics, **decisions))
        return Client(FakeStore(dialect=dialect, buckets=buckets))

    return make


@pytest.fixture
def s3():
    """A client of a store in the dialect S3."""
    return Client(FakeStore(dialect="s3", base_url="http://objects.test", buckets=["photos"]))
