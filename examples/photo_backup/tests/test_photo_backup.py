"""Tests of the application with pytest: the fixture ``fakestore`` and the decorator ``fake_store``."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from examples.photo_backup import demo
from examples.photo_backup.__main__ import main
from examples.photo_backup.backup import NameTaken, NotDeleted, Restored, Synced
from examples.photo_backup.client import BucketClient, NotAllowed, Service, ServiceError
from examples.photo_backup.documents import DeleteMarker, ObjectVersion
from examples.photo_backup.tests.arrange import backup_of, client_of, read_photos, write_photos
from fakestore import DeleteMarker as Marker
from fakestore import FakeStore, fake_store, faults
from fakestore import ObjectVersion as Version

PHOTOS = {
    "cat.jpg": b"\xff\xd8 meow",
    "2026/sea & sun/d\u00fcne 100%+.jpg": bytes(range(256)),
    "2026/empty.jpg": b"",
    "2026/raw.tar.gz": b"\x1f\x8b not for unpacking",
}


@pytest.fixture
def fakestore_options() -> dict[str, object]:
    """Return the options of every ``fakestore`` in this module."""
    return {"buckets": {"photos": "enabled"}}


# Sync


def test_first_sync_uploads_every_photo(fakestore: FakeStore, tmp_path: Path) -> None:
    report = backup_of(fakestore).sync(write_photos(tmp_path, PHOTOS))
    assert report == Synced(uploaded=sorted(PHOTOS))
    assert {photo: fakestore["photos"][photo].content for photo in fakestore["photos"]} == PHOTOS


def test_second_sync_uploads_only_what_changed(fakestore: FakeStore, tmp_path: Path) -> None:
    backup = backup_of(fakestore)
    backup.sync(write_photos(tmp_path, PHOTOS))
    write_photos(tmp_path, {"cat.jpg": b"purr", "new.jpg": b"new"})
    backup.sync(tmp_path)
    uploads = [upload.key for upload in fakestore.calls("PUT Object")]
    assert uploads == [*sorted(PHOTOS), "cat.jpg", "new.jpg"]


def test_sync_deletes_missing_photos_only_with_delete(fakestore: FakeStore, tmp_path: Path) -> None:
    fakestore["photos"].put("gone.jpg", b"gone here")
    assert backup_of(fakestore).sync(tmp_path) == Synced()
    assert "gone.jpg" in fakestore["photos"]
    assert backup_of(fakestore).sync(tmp_path, delete=True) == Synced(deleted=["gone.jpg"])
    assert "gone.jpg" not in fakestore["photos"]


def test_sync_of_a_missing_directory_sends_no_request(fakestore: FakeStore, tmp_path: Path) -> None:
    with pytest.raises(NotADirectoryError, match="unplugged"):
        backup_of(fakestore).sync(tmp_path / "unplugged", delete=True)
    assert list(fakestore.exchanges) == []


def test_refused_upload_is_reported_and_the_others_continue(fakestore: FakeStore, tmp_path: Path) -> None:
    fakestore.fail("PUT Object", faults.ServiceError("AccessDenied"), key="cat.jpg")
    report = backup_of(fakestore).sync(write_photos(tmp_path, {"cat.jpg": b"meow", "dog.jpg": b"wuff"}))
    assert (report.uploaded, list(report.refused)) == (["dog.jpg"], ["cat.jpg"])


# Restore


def test_restore_returns_every_photo_unchanged(fakestore: FakeStore, tmp_path: Path) -> None:
    backup = backup_of(fakestore)
    backup.sync(write_photos(tmp_path / "here", PHOTOS))
    assert backup.restore(tmp_path / "there") == Restored(written=sorted(PHOTOS))
    assert read_photos(tmp_path / "there") == PHOTOS


@fake_store(buckets=["photos"])
def test_restore_writes_only_files_that_differ(store: FakeStore, tmp_path: Path) -> None:
    store["photos"].put("cat.jpg", b"meow")
    store["photos"].put("dog.jpg", b"wuff")
    write_photos(tmp_path, {"cat.jpg": b"meow", "dog.jpg": b"grrr", "mine.jpg": b"mine"})
    assert backup_of(store).restore(tmp_path) == Restored(written=["dog.jpg"], unchanged=["cat.jpg"])
    assert read_photos(tmp_path) == {"cat.jpg": b"meow", "dog.jpg": b"wuff", "mine.jpg": b"mine"}


@fake_store(buckets=["photos"])
def test_restore_of_one_photo_needs_no_listing(store: FakeStore, tmp_path: Path) -> None:
    store["photos"].put("cat.jpg", b"meow")
    backup_of(store).restore(tmp_path, ["cat.jpg"])
    assert [exchange.operation for exchange in store.exchanges] == ["GET Object"]


@pytest.mark.parametrize("key", ["../out.jpg", "/etc/out.jpg", "a//b.jpg", "./a.jpg", "a/..", "a/", "a\0b", "x" * 300])
def test_key_that_is_not_a_path_below_the_directory_is_refused(fakestore: FakeStore, tmp_path: Path, key: str) -> None:
    fakestore["photos"].put(key, b"out")
    fakestore["photos"].put("zebra.jpg", b"in")
    report = backup_of(fakestore).restore(tmp_path / "photos")
    assert (report.written, list(report.refused)) == (["zebra.jpg"], [key])
    assert read_photos(tmp_path) == {"photos/zebra.jpg": b"in"}


@pytest.mark.parametrize("key", ["../out.jpg", "/etc/out.jpg", "a//b.jpg", "./a.jpg", "a/..", "..", ".", "a/"])
def test_key_is_addressed_without_normalising_its_path(fakestore: FakeStore, key: str) -> None:
    fakestore["photos"].put(key, b"this one")
    assert client_of(fakestore).get(key) == b"this one"


def test_damaged_photo_is_not_written(fakestore: FakeStore, tmp_path: Path) -> None:
    fakestore["photos"].put("cat.jpg", b"meow")
    fakestore.fail("GET Object", faults.CorruptedBody())
    report = backup_of(fakestore).restore(tmp_path)
    assert report == Restored(refused={"cat.jpg": "the received content of 'cat.jpg' differs from the stored content"})
    assert read_photos(tmp_path) == {}


# History


def test_versions_are_those_of_the_photo_newest_first(fakestore: FakeStore) -> None:
    photos = fakestore["photos"]
    first, second = photos.put("cat.jpg", b"kitten"), photos.put("cat.jpg", b"meow")
    photos.put("cat.jpg.bak", b"another photo")
    marker = photos.delete("cat.jpg")
    assert marker is not None
    history = backup_of(fakestore).versions("cat.jpg")
    assert [(type(entry), entry.version_id, entry.is_latest) for entry in history] == [
        (DeleteMarker, marker.version_id, True),
        (ObjectVersion, second.version_id, False),
        (ObjectVersion, first.version_id, False),
    ]


def test_rollback_copies_the_earlier_version_to_the_top(fakestore: FakeStore) -> None:
    photos = fakestore["photos"]
    first = photos.put("cat.jpg", b"kitten")
    photos.put("cat.jpg", b"meow")
    backup_of(fakestore).rollback("cat.jpg", first.version_id)
    assert contents(photos.versions("cat.jpg")) == [b"kitten", b"meow", b"kitten"]


def test_rollback_to_an_unknown_version_changes_nothing(fakestore: FakeStore) -> None:
    fakestore["photos"].put("cat.jpg", b"meow")
    before = fakestore["photos"].versions()
    with pytest.raises(ServiceError, match="InvalidArgument"):
        backup_of(fakestore).rollback("cat.jpg", "nonsense")
    assert fakestore["photos"].versions() == before


@pytest.mark.parametrize("deletions", [1, 2])
def test_undelete_removes_all_delete_markers_on_top(fakestore: FakeStore, deletions: int) -> None:
    photo = fakestore["photos"].put("cat.jpg", b"meow")
    for _ in range(deletions):
        fakestore["photos"].delete("cat.jpg")
    backup_of(fakestore).undelete("cat.jpg")
    assert fakestore["photos"].versions("cat.jpg") == [photo]


def test_undelete_of_a_photo_that_is_not_deleted_changes_nothing(fakestore: FakeStore) -> None:
    photos = fakestore["photos"]
    photos.put("cat.jpg", b"meow")
    photos.delete("dog.jpg")
    before = photos.versions()
    for name in ("cat.jpg", "dog.jpg"):
        with pytest.raises(NotDeleted, match=name):
            backup_of(fakestore).undelete(name)
    assert photos.versions() == before


# Sharing and permissions


def test_shared_photo_is_readable_by_that_account_only(fakestore: FakeStore, tmp_path: Path) -> None:
    bob, carol = fakestore.create_account("bob"), fakestore.create_account("carol")
    fakestore["photos"].put("cat.jpg", b"meow")
    refused = Restored(refused={"cat.jpg": "AccessDenied: Access Denied"})
    assert backup_of(fakestore, bob).restore(tmp_path, ["cat.jpg"]) == refused
    backup_of(fakestore).share("cat.jpg", bob.id)
    assert backup_of(fakestore, bob).restore(tmp_path, ["cat.jpg"]) == Restored(written=["cat.jpg"])
    assert backup_of(fakestore, carol).restore(tmp_path, ["cat.jpg"]) == refused
    assert read_photos(tmp_path) == {"cat.jpg": b"meow"}


def test_shared_photo_cannot_be_changed_by_the_other_account(fakestore: FakeStore) -> None:
    bob = fakestore.create_account("bob")
    photo = fakestore["photos"].put("cat.jpg", b"meow")
    backup_of(fakestore).share("cat.jpg", bob.id)
    shared = fakestore["photos"]["cat.jpg"]
    client = client_of(fakestore, bob)
    attempts: list[Callable[[], None]] = [
        lambda: client.put("cat.jpg", b"purr"),
        lambda: client.delete("cat.jpg"),
        lambda: client.delete("cat.jpg", version_id=photo.version_id),
        lambda: client.set_canned_acl("cat.jpg", "public-read"),
    ]
    for attempt in attempts:
        with pytest.raises(NotAllowed):
            attempt()
    assert fakestore["photos"].versions() == [shared]


def test_changed_photo_has_to_be_shared_again(fakestore: FakeStore, tmp_path: Path) -> None:
    bob = fakestore.create_account("bob")
    fakestore["photos"].put("cat.jpg", b"meow")
    backup_of(fakestore).share("cat.jpg", bob.id)
    backup_of(fakestore).sync(write_photos(tmp_path, {"cat.jpg": b"purr"}))
    with pytest.raises(NotAllowed):
        client_of(fakestore, bob).get("cat.jpg")


def test_sharing_again_keeps_the_earlier_grants(fakestore: FakeStore) -> None:
    bob, carol = fakestore.create_account("bob"), fakestore.create_account("carol")
    fakestore["photos"].put("cat.jpg", b"meow")
    for account in (bob, carol, bob):
        backup_of(fakestore).share("cat.jpg", account.id)
    grants = [(grant.permission, grant.grantee) for grant in client_of(fakestore).grants("cat.jpg")]
    assert sorted(grants) == sorted([
        ("FULL_CONTROL", f'id="{fakestore.default_account.id}"'),
        ("READ", f'id="{bob.id}"'),
        ("READ", f'id="{carol.id}"'),
    ])  # fmt: skip


def test_published_photo_can_be_read_by_any_account(fakestore: FakeStore) -> None:
    fakestore["photos"].put("cat.jpg", b"meow")
    backup_of(fakestore).publish("cat.jpg")
    assert client_of(fakestore, fakestore.create_account("carol")).get("cat.jpg") == b"meow"


@fake_store()
def test_restore_reports_an_unreadable_photo_and_continues(store: FakeStore, tmp_path: Path) -> None:
    store.create_bucket("photos", acl="public-read-write")
    bob = store.create_account("bob")
    backup_of(store, bob).sync(write_photos(tmp_path / "bobs", {"bob.jpg": b"private"}))
    backup_of(store).sync(write_photos(tmp_path / "ours", {"cat.jpg": b"meow"}))
    report = backup_of(store).restore(tmp_path / "restored")
    assert report == Restored(written=["cat.jpg"], refused={"bob.jpg": "AccessDenied: Access Denied"})
    assert read_photos(tmp_path / "restored") == {"cat.jpg": b"meow"}


def test_sync_reports_photos_that_a_policy_protects(fakestore: FakeStore, tmp_path: Path) -> None:
    fakestore["photos"].put("gone.jpg", b"gone here")
    fakestore["photos"].deny(fakestore.default_account, "s3:DeleteObject")
    report = backup_of(fakestore).sync(write_photos(tmp_path, {"cat.jpg": b"meow"}), delete=True)
    assert report == Synced(uploaded=["cat.jpg"], refused={"gone.jpg": "AccessDenied: Access Denied"})
    assert list(fakestore["photos"]) == ["cat.jpg", "gone.jpg"]


def test_account_without_permissions_gets_not_allowed(fakestore: FakeStore, tmp_path: Path) -> None:
    bob = fakestore.create_account("bob")
    with pytest.raises(NotAllowed, match="AccessDenied"):
        backup_of(fakestore, bob).sync(tmp_path)


@pytest.mark.fakestore(signatures="verify")
def test_signature_of_each_kind_of_request_is_valid(fakestore: FakeStore, tmp_path: Path) -> None:
    backup = backup_of(fakestore)
    backup.sync(write_photos(tmp_path, PHOTOS))
    backup.rename("2026/sea & sun/d\u00fcne 100%+.jpg", "2026/~dune (1).jpg")
    backup.undelete("2026/sea & sun/d\u00fcne 100%+.jpg")
    backup.share("cat.jpg", fakestore.create_account("bob").id)
    backup.prune(30)
    backup.restore(tmp_path / "restored")
    assert [exchange for exchange in fakestore.exchanges if exchange.status == 403] == []


@pytest.mark.fakestore(signatures="verify")
def test_wrong_secret_is_refused(fakestore: FakeStore, tmp_path: Path) -> None:
    key_id = fakestore.default_account.access_key_id
    service = Service(base_url=fakestore.base_url, access_key_id=key_id, secret_key="not the secret")
    with pytest.raises(NotAllowed, match="SignatureDoesNotMatch"):
        BucketClient(service, "photos").put("cat.jpg", b"meow")


# Rename


def test_renamed_photo_keeps_its_content_and_grants(fakestore: FakeStore) -> None:
    bob = fakestore.create_account("bob")
    fakestore["photos"].put("cat.jpg", b"meow")
    backup = backup_of(fakestore)
    backup.share("cat.jpg", bob.id)
    backup.rename("cat.jpg", "felix.jpg")
    assert list(fakestore["photos"]) == ["felix.jpg"]
    assert client_of(fakestore, bob).get("felix.jpg") == b"meow"


@pytest.mark.parametrize("new", ["dog.jpg", "cat.jpg"])
def test_rename_to_an_existing_name_changes_nothing(fakestore: FakeStore, new: str) -> None:
    fakestore["photos"].put("cat.jpg", b"meow")
    fakestore["photos"].put("dog.jpg", b"wuff")
    before = fakestore["photos"].versions()
    with pytest.raises(NameTaken, match=new):
        backup_of(fakestore).rename("cat.jpg", new)
    assert fakestore["photos"].versions() == before


def test_rename_deletes_nothing_if_the_copy_fails_with_200(fakestore: FakeStore) -> None:
    fakestore["photos"].put("cat.jpg", b"meow")
    before = fakestore["photos"].versions()
    fakestore.fail("PUT Object Copy", faults.EmbeddedError("InternalError"))
    with pytest.raises(ServiceError, match="InternalError"):
        backup_of(fakestore).rename("cat.jpg", "felix.jpg")
    assert fakestore["photos"].versions() == before


# Listing


@pytest.mark.parametrize(("page_size", "requests_made"), [(1, 5), (2, 3), (5, 1), (1000, 1)])
def test_listing_reads_all_pages(fakestore: FakeStore, page_size: int, requests_made: int) -> None:
    names = ["a.jpg", "b + c.jpg", "d/e.jpg", "line\nbreak.jpg", "z\u00fc.jpg"]
    for name in names:
        fakestore["photos"].put(name, name.encode())
    listed = [(photo.key, photo.size) for photo in backup_of(fakestore).photos(page_size=page_size)]
    assert listed == [(name, len(name.encode())) for name in names]
    assert len(fakestore.exchanges) == requests_made


def test_page_is_requested_when_it_is_needed(fakestore: FakeStore) -> None:
    for name in ("a.jpg", "b.jpg", "c.jpg"):
        fakestore["photos"].put(name, b"")
    photos = backup_of(fakestore).photos(page_size=2)
    assert [next(photos).key, next(photos).key] == ["a.jpg", "b.jpg"]
    assert len(fakestore.exchanges) == 1


def test_listing_is_limited_to_the_prefix(fakestore: FakeStore) -> None:
    for name in ("2025/a.jpg", "2026/b & c.jpg", "2026/d.jpg"):
        fakestore["photos"].put(name, b"")
    assert [photo.key for photo in backup_of(fakestore).photos("2026/")] == ["2026/b & c.jpg", "2026/d.jpg"]


def test_history_is_read_over_all_pages(fakestore: FakeStore) -> None:
    photos = fakestore["photos"]
    for content in (b"1", b"2", b"3"):
        photos.put("a + b.jpg", content)
    photos.delete("a + b.jpg")
    photos.put("c.jpg", b"other")
    history = client_of(fakestore).history(page_size=2)
    assert [entry.version_id for entry in history] == [entry.version_id for entry in photos.versions()]
    assert len(fakestore.exchanges) == 3


# Pruning


def test_prune_removes_old_versions_and_deletions_after_its_days(fakestore: FakeStore) -> None:
    photos = fakestore["photos"]
    for name in ("2025/cat.jpg", "2026/cat.jpg"):
        photos.put(name, b"kitten")
        photos.put(name, b"meow")
    photos.put("2025/gone.jpg", b"gone")
    photos.delete("2025/gone.jpg")
    backup = backup_of(fakestore)
    backup.prune(30, prefix="2025/")
    names = ("2025/cat.jpg", "2025/gone.jpg", "2026/cat.jpg")
    fakestore.travel(days=29)
    assert [len(backup.versions(name)) for name in names] == [2, 2, 2]
    fakestore.travel(days=3)
    assert [len(backup.versions(name)) for name in names] == [1, 0, 2]
    assert photos["2025/cat.jpg"].content == b"meow"


# The command line


@pytest.fixture
def environment(fakestore: FakeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the environment variables for the default account."""
    monkeypatch.setenv("PHOTO_BACKUP_URL", fakestore.base_url)
    monkeypatch.setenv("PHOTO_BACKUP_BUCKET", "photos")
    monkeypatch.setenv("PHOTO_BACKUP_ACCESS_KEY_ID", fakestore.default_account.access_key_id)
    monkeypatch.setenv("PHOTO_BACKUP_SECRET_KEY", fakestore.default_account.secret_key)


@pytest.mark.usefixtures("environment")
def test_each_command_runs_its_operation(fakestore: FakeStore, tmp_path: Path) -> None:
    here, there = write_photos(tmp_path / "here", {"cat.jpg": b"meow"}), tmp_path / "there"
    assert main(["sync", str(here)]) == 0
    version_id = fakestore["photos"]["cat.jpg"].version_id
    write_photos(here, {"cat.jpg": b"purr"})
    commands = [
        ["sync", str(here), "--delete"],
        ["versions", "cat.jpg"],
        ["rollback", "cat.jpg", version_id],
        ["rename", "cat.jpg", "felix.jpg"],
        ["undelete", "cat.jpg"],
        ["share", "cat.jpg", fakestore.create_account("bob").id],
        ["share", "felix.jpg"],
        ["list", "--page-size", "1"],
        ["prune", "30"],
        ["restore", str(there)],
    ]
    assert [main(command) for command in commands] == [0] * len(commands)
    assert read_photos(there) == {"cat.jpg": b"meow", "felix.jpg": b"meow"}


@pytest.mark.usefixtures("environment")
def test_refused_photo_is_printed_and_sets_the_exit_status(
    fakestore: FakeStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bob = fakestore.create_account("bob")
    fakestore["photos"].put("bob.jpg", b"private", account=bob)
    assert main(["restore", str(tmp_path), "bob.jpg"]) == 1
    assert capsys.readouterr() == ("", "refused 'bob.jpg': AccessDenied: Access Denied\n")


@pytest.mark.usefixtures("environment")
def test_error_of_the_service_is_printed_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rename", "nowhere.jpg", "felix.jpg"]) == 1
    assert capsys.readouterr() == ("", "NoSuchKey: The specified key does not exist.\n")


def test_missing_variable_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("PHOTO_BACKUP_URL", raising=False)
    with pytest.raises(SystemExit, match="2"):
        main(["list"])
    assert "PHOTO_BACKUP_URL is not set" in capsys.readouterr().err


# The demonstration


def test_demonstration_runs_to_its_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CHANGELOG.md", "LICENSE", "README.md"):
        (tmp_path / name).write_text(name)
    monkeypatch.setattr(demo, "REPOSITORY", tmp_path)
    demo.main()
    assert "all files are identical" in capsys.readouterr().out


def contents(history: Sequence[Version | Marker]) -> list[object]:
    """Return the contents of the versions in a history."""
    return [entry.content for entry in history if isinstance(entry, Version)]
