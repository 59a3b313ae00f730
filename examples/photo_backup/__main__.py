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
    """Run the command of the command line and return the exit status.

    The status is 0 on success, and 1 if the service or the file system refused something. An invalid command line
    exits with 2.
    """
    parser = command_line()
    options = parser.parse_args(arguments)
    try:
        backup = backup_from(os.environ)
    except KeyError as missing:
        parser.error(f"the environment variable {missing.args[0]} is not set")
    try:
        return run(options, backup)
    except (ServiceError, NameTaken, NotDeleted, OSError) as error:  # exceptions of `requests` are OSErrors
        print(error, file=sys.stderr)
        return 1


def command_line() -> ArgumentParser:
    """Return the parser of the command line."""
    parser = ArgumentParser(prog="photo_backup", description="Keeps a directory of photos in a bucket.")
    commands = parser.add_subparsers(dest="command", required=True)

    sync = commands.add_parser("sync", help="upload what changed")
    sync.add_argument("directory", type=Path)
    sync.add_argument("--delete", action="store_true", help="delete photos that are not in the directory")

    restore = commands.add_parser("restore", help="write photos back")
    restore.add_argument("directory", type=Path)
    restore.add_argument("names", nargs="*", metavar="name", help="restore only these photos")

    versions = commands.add_parser("versions", help="show the history of a photo")
    versions.add_argument("name")

    rollback = commands.add_parser("rollback", help="restore an earlier version")
    rollback.add_argument("name")
    rollback.add_argument("version_id")

    undelete = commands.add_parser("undelete", help="undo a deletion")
    undelete.add_argument("name")

    share = commands.add_parser("share", help="let an account, or everyone, see a photo")
    share.add_argument("name")
    share.add_argument("account_id", nargs="?", help="the canonical id of the account; if it is omitted, everyone")

    rename = commands.add_parser("rename", help="rename a photo")
    rename.add_argument("old")
    rename.add_argument("new")

    listing = commands.add_parser("list", help="list the photos")
    listing.add_argument("prefix", nargs="?", default="")
    listing.add_argument("--page-size", type=int, default=PAGE_SIZE)

    prune = commands.add_parser("prune", help="have the service remove old versions")
    prune.add_argument("days", type=int)
    prune.add_argument("--prefix", default="")
    return parser


def backup_from(environment: Mapping[str, str]) -> PhotoBackup:
    """Return the backup that the environment configures.

    Raises:
        KeyError: If a variable is not set.
    """
    service = Service(
        base_url=environment["PHOTO_BACKUP_URL"],
        access_key_id=environment["PHOTO_BACKUP_ACCESS_KEY_ID"],
        secret_key=environment["PHOTO_BACKUP_SECRET_KEY"],
    )
    return PhotoBackup(BucketClient(service, environment["PHOTO_BACKUP_BUCKET"]))


def run(options: Namespace, backup: PhotoBackup) -> int:
    """Run the command. Return 1 if some photos were refused, else 0."""
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
    """Format an entry of a history as a line; the latest entry has a star."""
    size = "deleted" if isinstance(entry, DeleteMarker) else f"{entry.size} bytes"
    star = "*" if entry.is_latest else " "
    return f"{star} {entry.last_modified:%Y-%m-%d %H:%M:%S}  {entry.version_id}  {size}"


def show(report: Synced | Restored) -> int:
    """Print what was done, and what was refused as errors. Return 1 if anything was refused, else 0."""
    match report:
        case Synced():
            done = {"uploaded": report.uploaded, "deleted": report.deleted}
        case Restored():
            done = {"written": report.written}
    for action, names in done.items():
        for name in names:
            print(action, name)
    for name, reason in report.refused.items():
        print(f"refused {name!r}: {reason}", file=sys.stderr)
    return 1 if report.refused else 0


if __name__ == "__main__":
    sys.exit(main())
