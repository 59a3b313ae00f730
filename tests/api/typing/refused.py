"""Code of a user that does not type-check: each marked line is an error. It is never executed."""

from __future__ import annotations

import fakestore
from fakestore import FakeStore, fake_store, faults


@fake_store  # error
def bare(store: FakeStore) -> None: ...


@fake_store()
def counted(store: FakeStore, prefix: str) -> int:
    return 1


counted()  # error
fake_store(bucket=["photos"])  # error
fake_store(buckets={"photos": "on"})  # error
fake_store(buckets={"photos": {"lock": True}})  # error

store = FakeStore()
fakestore.Buckets()  # error
store.calls("PutObjects")  # error
store.fail("PUT Objects", faults.ConnectionReset())  # error
store.create_bucket("photos", acl="public")  # error
store["photos"].put("cat.jpg", b"", storage_class="COLD")  # error
store["photos"].put("cat.jpg", "text")  # error
with FakeStore() as entered:  # error
    pass
