"""What a store holds, as values that tests compare before and after."""

from __future__ import annotations

from collections.abc import Sequence

from fakestore import DeleteMarker, FakeStore
from tests.support.wire import send

#: The words by which the tree of a store shows that a bucket has a document, and the subresource of the document.
_DOCUMENTS = {"policy statement": "policy", "lifecycle rule": "lifecycle", "CORS rule": "cors"}


def state_of(store: FakeStore, *, documents: bool = True) -> object:
    """Return everything in the buckets. The values before and after a request are equal if it changed nothing.

    Settings, histories and uploads are read in Python. The documents of a policy, of lifecycle rules and of CORS rules
    are read with a request of the owner of the bucket, which is recorded in the journal, unless `documents` is False.
    """
    tree = store.describe()
    lines = tree.splitlines() if documents else ()
    return tree, {name: _bucket(store, name, lines) for name in store}


def stack(store: FakeStore, bucket: str, key: str) -> list[bytes | type[DeleteMarker]]:
    """Return the versions of a key, newest first: the content of each, or ``DeleteMarker``."""
    entries = [each for each in store[bucket].versions() if each.key == key]
    return [DeleteMarker if isinstance(each, DeleteMarker) else bytes(each.content) for each in entries]


def _bucket(store: FakeStore, name: str, lines: Sequence[str]) -> object:
    bucket = store[name]
    summary = next((line for line in lines if line.startswith(f"{name}  (")), "")
    documents = []
    for words, subresource in _DOCUMENTS.items():
        if words in summary:
            reply = send(store, "GET", name, f"/?{subresource}", account=bucket.owner)
            documents.append(bytes(reply.body) if reply.status == 200 else reply.status)
    entries = [(each, dict(getattr(each, "metadata", {}))) for each in bucket.versions()]
    return bucket.owner, bucket.acl, documents, entries, bucket.uploads
