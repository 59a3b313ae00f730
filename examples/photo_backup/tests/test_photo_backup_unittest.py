"""Tests of the application with unittest: the class decorator and the context manager."""

import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from examples.photo_backup.backup import Restored, Synced
from examples.photo_backup.client import NotAllowed
from examples.photo_backup.tests.arrange import backup_of, client_of, read_photos, write_photos
from fakestore import FakeStore, fake_store


@fake_store(buckets={"photos": "enabled"})
class BackupInAVersionedBucket(unittest.TestCase):
    """The decorator provides a new store for each test as ``self.store``."""

    store: FakeStore

    def setUp(self) -> None:
        self.directory = Path(self.enterContext(TemporaryDirectory()))
        self.backup = backup_of(self.store)

    def test_sync_uploads_only_what_changed(self) -> None:
        self.backup.sync(write_photos(self.directory, {"cat.jpg": b"meow", "dog.jpg": b"wuff"}))
        report = self.backup.sync(write_photos(self.directory, {"dog.jpg": b"grrr"}))
        self.assertEqual(report, Synced(uploaded=["dog.jpg"], unchanged=["cat.jpg"]))

    def test_restore_returns_every_photo_unchanged(self) -> None:
        photos = {"cat.jpg": bytes(range(256)), "2026/empty.jpg": b""}
        self.backup.sync(write_photos(self.directory / "here", photos))
        self.backup.restore(self.directory / "there")
        self.assertEqual(read_photos(self.directory / "there"), photos)

    def test_undelete_undoes_a_deletion(self) -> None:
        photo = self.store["photos"].put("cat.jpg", b"meow")
        self.backup.sync(self.directory, delete=True)
        self.backup.undelete("cat.jpg")
        self.assertEqual(self.store["photos"].versions("cat.jpg"), [photo])

    def test_rollback_keeps_the_newer_version_in_the_history(self) -> None:
        first = self.store["photos"].put("cat.jpg", b"kitten")
        second = self.store["photos"].put("cat.jpg", b"meow")
        self.backup.rollback("cat.jpg", first.version_id)
        self.assertEqual(self.store["photos"]["cat.jpg"].content, b"kitten")
        self.assertEqual(self.store["photos"].versions("cat.jpg")[1:], [second, first])


class BackupOfTwoAccounts(unittest.TestCase):
    """The context manager provides a store inside its block."""

    def test_other_account_restores_only_the_shared_photo(self) -> None:
        with TemporaryDirectory() as directory, fake_store(buckets=["photos"]) as store:
            bob = store.create_account("bob")
            store["photos"].put("cat.jpg", b"meow")
            store["photos"].put("dog.jpg", b"wuff")
            backup_of(store).share("cat.jpg", bob.id)
            report = backup_of(store, bob).restore(Path(directory), ["cat.jpg", "dog.jpg"])
        self.assertEqual(report, Restored(written=["cat.jpg"], refused={"dog.jpg": "AccessDenied: Access Denied"}))

    def test_account_without_write_permission_gets_not_allowed(self) -> None:
        with fake_store(buckets=["photos"]) as store:
            bob = store.create_account("bob")
            with self.assertRaises(NotAllowed):
                client_of(store, bob).put("cat.jpg", b"meow")
            self.assertEqual(list(store["photos"]), [])


if __name__ == "__main__":
    unittest.main()
