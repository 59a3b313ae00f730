"""Runs the application on a copy of this repository's own files, inside a fake store.

Run it with ``python -m examples.photo_backup.demo``. Only this module of the application imports ``fakestore``.
"""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from fakestore import Account, FakeStore, fake_store

from .__main__ import line
from .backup import PhotoBackup, photos_in
from .client import BucketClient, Service

REPOSITORY = Path(__file__).parents[2]
NOT_TRACKED = shutil.ignore_patterns(
    ".git",
    ".venv",
    "venv",
    "__pycache__",
    ".*_cache",
    ".hypothesis",
    ".coverage*",
    "htmlcov",
    "build",
    "dist",
    "*.egg-info",
)
BUCKET = "backup"
#: How many lines of the tree are printed at the end, so that the steps before it stay visible.
SHOWN_LINES = 24


def main() -> None:
    """Run each operation once, then print what the store holds."""
    with (
        TemporaryDirectory() as scratch,
        fake_store(base_url="http://objects.test", buckets={BUCKET: "enabled"}, signatures="verify") as store,
    ):
        tree = Path(scratch, "tree")
        shutil.copytree(REPOSITORY, tree, ignore=NOT_TRACKED)
        demonstrate(store, tree, Path(scratch, "restored"), Path(scratch, "bob"))


def demonstrate(store: FakeStore, tree: Path, restored: Path, bobs: Path) -> None:
    backup = backup_of(store, store.default_account)

    step("Sync the repository's files into an empty bucket")
    print(f"uploaded {len(backup.sync(tree).uploaded)} files")

    step("Sync again: MD5 and ETag show that nothing changed")
    again = backup.sync(tree)
    print(f"uploaded {len(again.uploaded)}, unchanged {len(again.unchanged)}")

    step("Edit README.md and sync")
    original = (tree / "README.md").read_bytes()
    (tree / "README.md").write_text("Oops, that was the wrong file.\n")
    print(f"uploaded {backup.sync(tree).uploaded}")
    show_history(backup, "README.md")

    step("Roll README.md back to its earlier version")
    backup.rollback("README.md", backup.versions("README.md")[-1].version_id)
    show_history(backup, "README.md")
    (tree / "README.md").write_bytes(original)

    step("Rename LICENSE to COPYING by a copy and a deletion")
    backup.rename("LICENSE", "COPYING")
    (tree / "LICENSE").rename(tree / "COPYING")
    show_history(backup, "LICENSE")
    show_history(backup, "COPYING")

    step("Delete CHANGELOG.md in the directory and sync with --delete")
    changelog = (tree / "CHANGELOG.md").read_bytes()
    (tree / "CHANGELOG.md").unlink()
    print(f"deleted {backup.sync(tree, delete=True).deleted}")
    show_history(backup, "CHANGELOG.md")

    step("Undo the deletion by deleting the delete marker")
    backup.undelete("CHANGELOG.md")
    (tree / "CHANGELOG.md").write_bytes(changelog)
    show_history(backup, "CHANGELOG.md")

    step("Share only README.md with bob, who also tries to restore COPYING")
    bob = store.create_account("bob")
    backup.share("README.md", bob.id)
    report = backup_of(store, bob).restore(bobs, ["README.md", "COPYING"])
    print(f"restored by bob: {report.written}, refused: {report.refused}")

    step("Restore everything into an empty directory and compare")
    print(f"wrote {len(backup.restore(restored).written)} files")
    if contents(restored) != contents(tree):
        raise SystemExit("the restored files differ from the backed-up files")
    print("all files are identical")

    step("Prune old versions after 30 days, and travel 31 days ahead")
    backup.prune(30)
    store.travel(days=31)
    show_history(backup, "README.md")
    show_history(backup, "LICENSE")

    step("The contents of the store")
    lines = store.describe().splitlines()
    print("\n".join(lines[:SHOWN_LINES]))
    if len(lines) > SHOWN_LINES:
        print(f"... and {len(lines) - SHOWN_LINES} more lines")


def backup_of(store: FakeStore, account: Account) -> PhotoBackup:
    """Return the application with the credentials of ``account``."""
    service = Service(base_url=store.base_url, access_key_id=account.access_key_id, secret_key=account.secret_key)
    return PhotoBackup(BucketClient(service, BUCKET))


def step(title: str) -> None:
    print(f"\n== {title}")


def show_history(backup: PhotoBackup, name: str) -> None:
    history = backup.versions(name)
    print(f"{name}:" if history else f"{name}: no versions")
    for entry in history:
        print(f"  {line(entry)}")


def contents(directory: Path) -> dict[str, bytes]:
    return {name: path.read_bytes() for name, path in photos_in(directory).items()}


if __name__ == "__main__":
    main()
