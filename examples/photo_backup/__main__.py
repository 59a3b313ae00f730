"""The command line: ``python -m examples.photo_backup --help``.

The service, the bucket and the credentials are read from the environment: PHOTO_BACKUP_URL,
PHOTO_BACKUP_BUCKET, PHOTO_BACKUP_ACCESS_KEY_ID and PHOTO_BACKUP_SECRET_KEY.
"""

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path

from .backup import NameTaken, NotDeleted, PhotoBackup, Restored, Synced
from .client import PAGE_SIZE, BucketClient, Service, ServiceError
from .documents import DeleteMarker, HistoryEntry


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the arguments say.

    Returns 0 if all was done, 1 if something was refused; a misspelt command line exits with 2.
    """
    parser = command_line()
    options = parser.parse_args(arguments)
    try:
        backup = backup_from(os.environ)
    except KeyError as missing:
        parser.error(f"the environment variable {missing.args[0]} is not set")
    try:
        return run(options, backup)
    except (ServiceError, NameTaken, NotDeleted, OSError) as error:  # those of `requests` are OSErrors too
        print(error, file=sys.stderr)
        return 1


def command_line() -> ArgumentParser:
    parser = ArgumentParser(prog="photo_backup", description="Keeps a directory of photos in a bucket.")
    commands = parser.add_subparsers(dest="command", required=True)

    sync = commands.add_parser("sync", help="upload what changed")
    sync.add_argument("directory", type=Path)
    sync.add_argument("--delete", action="store_true", help="delete photos that are gone from the directory")

    restore = commands.add_parser("restore", help="write photos back")
    restore.add_argument("directory", type=Path)
    restore.add_argument("names", nargs="*", metavar="name", help="only these")

    versions = commands.add_parser("versions", help="show the history of a photo")
    versions.add_argument("name")

    rollback = commands.add_parser("rollback", help="go back to an earlier version")
    rollback.add_argument("name")
    rollback.add_argument("version_id")

    undelete = commands.add_parser("undelete", help="undo a deletion")
    undelete.add_argument("name")

    share = commands.add_parser("share", help="let an account, or everyone, see a photo")
    share.add_argument("name")
    share.add_argument("account_id", nargs="?", help="the account's canonical id; everyone, if it is left out")

    rename = commands.add_parser("rename", help="give a photo another name")
    rename.add_argument("old")
    rename.add_argument("new")

    listing = commands.add_parser("list", help="list the photos")
    listing.add_argument("prefix", nargs="?", default="")
    listing.add_argument("--page-size", type=int, default=PAGE_SIZE)

    prune = commands.add_parser("prune", help="have the service forget old versions")
    prune.add_argument("days", type=int)
    prune.add_argument("--prefix", default="")
    return parser


def backup_from(environment: Mapping[str, str]) -> PhotoBackup:
    """The backup that the environment describes.

    Raises:
        KeyError: a variable is not set.
    """
    service = Service(
        base_url=environment["PHOTO_BACKUP_URL"],
        access_key_id=environment["PHOTO_BACKUP_ACCESS_KEY_ID"],
        secret_key=environment["PHOTO_BACKUP_SECRET_KEY"],
    )
    return PhotoBackup(BucketClient(service, environment["PHOTO_BACKUP_BUCKET"]))


def run(options: Namespace, backup: PhotoBackup) -> int:
    """Run the command; 1 if some photos were refused."""
    match options.command:
        case "sync":
            return show(backup.sync(options.directory, delete=options.delete))
        case "restore":
            return show(backup.restore(options.directory, options.names))
        case "versions":
            for entry in backup.versions(options.name):
                print(line(entry))
        case "rollback":
            backup.rollback(options.name, options.version_id)
        case "undelete":
            backup.undelete(options.name)
        case "share" if options.account_id:
            backup.share(options.name, options.account_id)
        case "share":
            backup.publish(options.name)
        case "rename":
            backup.rename(options.old, options.new)
        case "list":
            for photo in backup.photos(options.prefix, page_size=options.page_size):
                print(f"{photo.last_modified:%Y-%m-%d %H:%M:%S}  {photo.size:>10}  {photo.key}")
        case "prune":
            backup.prune(options.days, prefix=options.prefix)
    return 0


def line(entry: HistoryEntry) -> str:
    """One line of a photo's history; the latest entry has a star."""
    what = "deleted" if isinstance(entry, DeleteMarker) else f"{entry.size} bytes"
    star = "*" if entry.is_latest else " "
    return f"{star} {entry.last_modified:%Y-%m-%d %H:%M:%S}  {entry.version_id}  {what}"


def show(report: Synced | Restored) -> int:
    """Print what was done and, as errors, what was refused; 1 if anything was."""
    match report:
        case Synced():
            done = {"uploaded": report.uploaded, "deleted": report.deleted}
        case Restored():
            done = {"written": report.written}
    for what, names in done.items():
        for name in names:
            print(what, name)
    for name, why in report.refused.items():
        print(f"refused {name!r}: {why}", file=sys.stderr)
    return 1 if report.refused else 0


if __name__ == "__main__":
    sys.exit(main())
