"""A client that names the dialect's headers without their prefix."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from urllib.parse import quote

import pytest

from fakestore import DOCUMENT, S3, Account, FakeStore
from fakestore.http import Body, Reply
from tests.support.wire import md5_base64, send


class Client:
    """Sends requests to one store, and reads the dialect's headers of the replies.

    A header that begins with a small letter is one of the dialect's: ``acl`` is sent as ``x-amz-acl`` in S3.
    """

    def __init__(self, store: FakeStore, account: Account | None = None) -> None:
        self.store = store
        self.prefix = store.dialect.header_prefix
        self._account = account

    def send(
        self,
        method: str,
        target: str = "/",
        headers: Mapping[str, str] | None = None,
        body: Body = b"",
        *,
        bucket: str | None = "photos",
        account: Account | None = None,
        signed: bool = True,
        **query: object,
    ) -> Reply:
        """Send a request. `query` is added to the query of `target`.

        An underscore in the name of a parameter is sent as a hyphen. The value None sends the name alone.
        """
        fields = [(name if name[0].isupper() else self.prefix + name, text) for name, text in (headers or {}).items()]
        for name, value in query.items():
            target += ("&" if "?" in target else "?") + name.replace("_", "-")
            target += "" if value is None else f"={quote(str(value), safe='')}"
        account = account or self._account
        return send(self.store, method, bucket, target, fields, body, account=account, signed=signed)

    def header(self, reply: Reply, name: str) -> str | None:
        return reply.headers.get(self.prefix + name)

    def put(self, key: str = "/k", body: Body = b"test data..", **headers: str) -> Reply:
        reply = self.send("PUT", key, {name.replace("_", "-"): value for name, value in headers.items()}, body)
        assert reply.status == 200, bytes(reply.body)
        return reply


def customer_key(letter: str, prefix: str = "", **changes: str | None) -> dict[str, str]:
    """Return the headers of a client with a key of 32 equal letters; a change of None leaves a header out."""
    key, prefix = letter.encode() * 32, f"{prefix}server-side-encryption-customer-"
    headers = {"algorithm": "AES256", "key": base64.b64encode(key).decode(), "key-md5": md5_base64(key)}
    headers |= {name.replace("_", "-"): value for name, value in changes.items()}
    return {prefix + name: value for name, value in headers.items() if value is not None}


@pytest.fixture(params=[DOCUMENT, S3], ids=["document", "s3"])
def client(request):
    """A client of a store with the bucket ``photos``, in each dialect."""
    store = FakeStore(dialect=request.param, base_url="https://objects.test", buckets=["photos"])
    yield Client(store)
    store.close()


@pytest.fixture
def s3():
    """A client of a store with the bucket ``photos``, in the dialect S3."""
    store = FakeStore(dialect=S3, base_url="https://objects.test", buckets=["photos"])
    yield Client(store)
    store.close()
