"""A client that names the dialect's headers without their prefix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest
from lxml import etree

from fakestore import DOCUMENT, S3, Account, FakeStore
from fakestore.http import Body, Reply
from tests.support.wire import send

STANDARD = {
    "Content-Length",
    "Content-Type",
    "Content-MD5",
    "Content-Encoding",
    "Range",
    "If-Match",
    "If-None-Match",
    "Origin",
}


class Client:
    """Sends requests to one store, and reads the dialect's headers of the replies."""

    def __init__(self, store: FakeStore) -> None:
        self.store = store
        self.prefix = store.dialect.header_prefix

    def send(
        self,
        method: str,
        target: str,
        headers: Mapping[str, str] | Iterable[tuple[str, str]] = (),
        body: Body = b"",
        *,
        bucket: str = "photos",
        account: Account | None = None,
    ) -> Reply:
        fields = [(name if name in STANDARD else self.prefix + name, value) for name, value in dict(headers).items()]
        key = (account or self.store.default_account).access_key_id
        fields.append(("Authorization", f"{self.store.dialect.auth_scheme} {key}:signature"))
        return send(self.store, method, bucket, target, fields, body)

    def header(self, reply: Reply, name: str) -> str | None:
        return reply.headers.get(self.prefix + name)

    def children(self, reply: Reply) -> dict[str, str]:
        """Return the text of each child of the root element, by its name without namespace."""
        return {etree.QName(child).localname: child.text or "" for child in etree.fromstring(bytes(reply.body))}

    def put(self, key: str = "/k", body: Body = b"test data..", **headers: str) -> Reply:
        reply = self.send("PUT", key, {name.replace("_", "-"): value for name, value in headers.items()}, body)
        assert reply.status == 200, bytes(reply.body)
        return reply


@pytest.fixture(params=[DOCUMENT, S3], ids=["document", "s3"])
def client(request):
    """A client of a store with the bucket ``photos``, in each dialect."""
    store = FakeStore(dialect=request.param, base_url="https://objects.test", buckets=["photos"])
    yield Client(store)
    store.close()
