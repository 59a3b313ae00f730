"""Code of a user that type-checks. tests/api/test_types.py runs mypy over it; it is never executed."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

from fakestore import (
    Address,
    CannedAclName,
    Encryption,
    Entry,
    Exchange,
    Exchanges,
    FakeStore,
    OperationName,
    Request,
    Snapshot,
    StorageClass,
    StorageClassName,
    StoreOptions,
    UnexpectedRequest,
    Verifier,
    Versioning,
    VersioningName,
    fake_store,
    faults,
)


@fake_store(buckets=["photos"])
def count(store: FakeStore, prefix: str) -> int:
    return len(store.calls("PUT Object", bucket="photos"))


@fake_store()
async def wait(store: FakeStore) -> None: ...


@fake_store()
def without_store(number: int) -> str:
    return str(number)


class Tests:
    @fake_store()
    def test_it(self, store: FakeStore, tmp_path: Path) -> bool:
        return bool(store)


@fake_store()
class Decorated:
    number = 1


async def use() -> None:
    counted: int = count("a")
    text: str = without_store(1)
    passed: bool = Tests().test_it(Path())
    number: int = Decorated().number
    await wait()
    print(counted, text, passed, number)


class OwnVerifier:
    def signature(self, request: Request, address: Address, secret_key: str) -> str:
        return f"{request.method} {address.bucket} {secret_key}"


def make(versioning: VersioningName, **options: Unpack[StoreOptions]) -> FakeStore:
    verifier: Verifier = OwnVerifier()
    options.setdefault("buckets", ["photos"])
    store = FakeStore(**options)
    FakeStore(buckets={"photos": {"object_lock": True}, "films": {"versioning": versioning}})
    FakeStore(buckets={"photos": versioning, "films": None}, signatures=verifier, sleep=lambda seconds: None)
    store.fail("PUT Object Copy", faults.EmbeddedError())
    return store


def describe(entries: list[Entry], exchanges: Exchanges, snapshot: Snapshot) -> list[str]:
    exchange: Exchange = exchanges[0]
    operation: OperationName = "GET Bucket"
    FakeStore().calls("ListObjects")
    refused: UnexpectedRequest = UnexpectedRequest("a request to another host")
    acl: CannedAclName = "private"
    storage_class: StorageClassName = "STANDARD"
    return [
        entries[0].key,
        str(exchange),
        str(refused),
        operation,
        acl,
        storage_class,
        StorageClass.STANDARD.value,
        Encryption.KMS.value,
    ]


def change_versioning(store: FakeStore) -> Versioning:
    bucket = store["photos"]
    bucket.versioning = "enabled"
    store.reset()
    assert bucket.versioning == "never"
    return bucket.versioning
