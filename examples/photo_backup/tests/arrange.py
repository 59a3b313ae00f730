"""Arrangements that the tests of the example share."""

from collections.abc import Mapping
from pathlib import Path

from examples.photo_backup.backup import PhotoBackup
from examples.photo_backup.client import BucketClient, Service
from fakestore import Account, FakeStore


def client_of(store: FakeStore, account: Account | None = None) -> BucketClient:
    """Return a client for the bucket "photos" with the credentials of ``account``, or of the default account."""
    account = account or store.default_account
    service = Service(base_url=store.base_url, access_key_id=account.access_key_id, secret_key=account.secret_key)
    return BucketClient(service, "photos")


def backup_of(store: FakeStore, account: Account | None = None) -> PhotoBackup:
    """Return the application with the credentials of ``account``, or of the default account."""
    return PhotoBackup(client_of(store, account))


def write_photos(directory: Path, photos: Mapping[str, bytes]) -> Path:
    """Write the photos into ``directory`` and return it."""
    for name, content in photos.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return directory


def read_photos(directory: Path) -> dict[str, bytes]:
    """Return the content of each file below ``directory``, by name."""
    return {
        path.relative_to(directory).as_posix(): path.read_bytes() for path in directory.rglob("*") if path.is_file()
    }
