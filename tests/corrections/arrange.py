"""What these tests share: a signed request, and its outcome as status and error code."""

from __future__ import annotations

from collections.abc import Iterable
from email.utils import formatdate

from fakestore import Account, DeleteMarker, FakeStore
from fakestore.http import Reply, Request

Outcome = tuple[int | None, str | None]


def ask(
    store: FakeStore,
    method: str,
    url: str,
    headers: Iterable[tuple[str, str]] = (),
    body: bytes = b"",
    *,
    account: Account | None = None,
) -> Reply:
    """Send a request that `account`, or the default account, signs."""
    key = (account or store.default_account).access_key_id
    signed = [*headers, ("Date", formatdate(usegmt=True)), ("Authorization", f"SVC {key}:signature")]
    return store.handle(Request.to_url(method, url, signed, body))


def outcome(
    store: FakeStore,
    method: str,
    url: str,
    headers: Iterable[tuple[str, str]] = (),
    body: bytes = b"",
    *,
    account: Account | None = None,
) -> Outcome:
    """Send a signed request, and return the status and the error code of its reply."""
    status = ask(store, method, url, headers, body, account=account).status
    return status, store.exchanges[-1].error_code


def stack(store: FakeStore, bucket: str, key: str) -> list[bytes | type[DeleteMarker]]:
    """Return the contents of a key's versions, newest first, with `DeleteMarker` for a marker."""
    return [
        DeleteMarker if isinstance(entry, DeleteMarker) else bytes(entry.content)
        for entry in store[bucket].versions()
        if entry.key == key
    ]
