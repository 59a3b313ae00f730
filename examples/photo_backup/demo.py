"""Runs the application on a copy of this repository's own files, inside a fake store.

``python -m examples.photo_backup.demo``; the one module of the application that knows of ``fakestore``.
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
#: Of the tree at the end, so that what was done before stays in sight.
SHOWN_LINES = 24


def main() -> None:
    """Show each operation once, then what the store holds."""
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

    step("Sync again: MD5 and ETag tell that nothing changed")
    again = backup.sync(tree)
    print(f"uploaded {len(again.uploaded)}, unchanged {len(again.unchanged)}")

    step("Edit README.md and sync")
    original = (tree / "README.md").read_bytes()
    (tree / "README.md").write_text("Oops, that was the wrong file.\n")
    print(f"uploaded {backup.sync(tree).uploaded}")
    show_history(backup, "README.md")

    step("Go back to the earlier version of README.md")
    backup.rollback("README.md", backup.versions("README.md")[-1].version_id)
    show_history(backup, "README.md")
    (tree / "README.md").write_bytes(original)

    step("Rename LICENSE to COPYING: a copy and a deletion")
    backup.rename("LICENSE", "COPYING")
    (tree / "LICENSE").rename(tree / "COPYING")
    show_history(backup, "LICENSE")
    show_history(backup, "COPYING")

    step("Delete CHANGELOG.md here, and so in the bucket")
    changelog = (tree / "CHANGELOG.md").read_bytes()
    (tree / "CHANGELOG.md").unlink()
    print(f"deleted {backup.sync(tree, delete=True).deleted}")
    show_history(backup, "CHANGELOG.md")

    step("Undo the deletion: delete the delete marker")
    backup.undelete("CHANGELOG.md")
    (tree / "CHANGELOG.md").write_bytes(changelog)
    show_history(backup, "CHANGELOG.md")

    step("Share README.md, and only that, with bob, who asks for COPYING as well")
    bob = store.create_account("bob")
    backup.share("README.md", bob.id)
    his = backup_of(store, bob).restore(bobs, ["README.md", "COPYING"])
    print(f"bob got {his.written}; refused to bob: {his.refused}")

    step("Restore everything into an empty directory and compare")
    print(f"wrote {len(backup.restore(restored).written)} files")
    if contents(restored) != contents(tree):
        raise SystemExit("what was restored is not what was backed up")
    print("they are the same, bit for bit")

    step("Have old versions pruned after 30 days, and wait for 31")
    backup.prune(30)
    store.travel(days=31)
    show_history(backup, "README.md")
    show_history(backup, "LICENSE")

    step("What the store holds now")
    held = store.describe().splitlines()
    print("\n".join(held[:SHOWN_LINES]))
    if len(held) > SHOWN_LINES:
        print(f"... and {len(held) - SHOWN_LINES} more lines")


def backup_of(store: FakeStore, account: Account) -> PhotoBackup:
    """The application, as ``account`` would run it."""
    service = Service(base_url=store.base_url, access_key_id=account.access_key_id, secret_key=account.secret_key)
    return PhotoBackup(BucketClient(service, BUCKET))


def step(title: str) -> None:
    print(f"\n== {title}")


def show_history(backup: PhotoBackup, name: str) -> None:
    history = backup.versions(name)
    print(f"{name}:" if history else f"{name}: nothing is left")
    for entry in history:
        print(f"  {line(entry)}")


def contents(directory: Path) -> dict[str, bytes]:
    return {name: path.read_bytes() for name, path in photos_in(directory).items()}


if __name__ == "__main__":
    main()
