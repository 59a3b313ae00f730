"""What a person wants done with the photos, in terms of the bucket that keeps them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path, PurePosixPath

from . import documents
from .client import PAGE_SIZE, BucketClient, Damaged, NotAllowed, NotThere, etag_of
from .documents import DeleteMarker, Grant, HistoryEntry, StoredObject


class NotDeleted(Exception):
    """There is no deletion to undo."""


class NameTaken(Exception):
    """A photo of this name is there already."""


class NoPlace(Exception):
    """The photo cannot be written below the directory under its name."""


@dataclass
class Synced:
    """What a sync did, by name; ``refused`` says why."""

    uploaded: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)


@dataclass
class Restored:
    """What a restore did, by name; ``refused`` says why."""

    written: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)


class PhotoBackup:
    """A directory of photos, kept in a bucket.

    A photo's name is its path below the directory, with slashes, and is its key in the bucket. Who may see a
    photo is said of one version of it: a new version is private again until it is shared.

    Every method may raise ``NotAllowed``, ``NotThere`` and ``ServiceError``. Where one photo is refused,
    ``sync`` and ``restore`` report it and go on with the rest.
    """

    def __init__(self, bucket: BucketClient) -> None:
        self._bucket = bucket

    def sync(self, directory: Path, *, delete: bool = False) -> Synced:
        """Upload the photos that are new or differ from what is stored, as MD5 and ETag tell.

        With ``delete``, photos that are stored but no longer in the directory are deleted from the bucket; in
        a bucket with versioning that can be undone.

        Raises:
            NotADirectoryError: ``directory`` is none, which does not mean that all its photos were deleted.
            OSError: a photo cannot be read.
        """
        if not directory.is_dir():
            raise NotADirectoryError(f"{str(directory)!r} is not a directory")
        stored = {photo.key: photo.etag for photo in self._bucket.objects()}
        local = photos_in(directory)
        report = Synced()
        for name, path in local.items():
            content = path.read_bytes()
            if stored.get(name) == etag_of(content):
                report.unchanged.append(name)
                continue
            try:
                self._bucket.put(name, content)
            except (NotAllowed, UnicodeEncodeError) as why:
                report.refused[name] = str(why)
            else:
                report.uploaded.append(name)
        for name in sorted(stored.keys() - local.keys()) if delete else ():
            try:
                self._bucket.delete(name)
            except NotAllowed as why:
                report.refused[name] = str(why)
            else:
                report.deleted.append(name)
        return report

    def restore(self, directory: Path, names: Iterable[str] = ()) -> Restored:
        """Write the photos named, or else all that are stored, into ``directory``.

        A file that is as it should be is not written, and files of other names stay.
        """
        report = Restored()
        for name in list(names) or [photo.key for photo in self._bucket.objects()]:
            try:
                path = place(directory, name)
                content = self._bucket.get(name, unless=etag_at(path))
                if content is None:
                    report.unchanged.append(name)
                    continue
                write(path, content)
            except (NotAllowed, NotThere, Damaged, NoPlace) as why:
                report.refused[name] = str(why)
            else:
                report.written.append(name)
        return report

    def versions(self, name: str) -> list[HistoryEntry]:
        """All that is remembered of the photo, the newest first; nothing, if it never was."""
        # Of all keys that begin with the name, the name itself comes first.
        return list(takewhile(lambda entry: entry.key == name, self._bucket.history(name)))

    def rollback(self, name: str, version_id: str) -> None:
        """Make an earlier version of the photo the newest; those in between stay in its history."""
        self._bucket.copy(name, name, version_id=version_id)

    def undelete(self, name: str) -> None:
        """Undo the deletion of the photo, however often it was deleted, by deleting its delete markers.

        Raises:
            NotDeleted: the photo is there, or never was.
        """
        history = self.versions(name)
        markers = list(takewhile(lambda entry: isinstance(entry, DeleteMarker), history))
        if not markers or len(markers) == len(history):
            raise NotDeleted(f"{name!r} is not deleted" if len(markers) < len(history) else f"{name!r} never was")
        for marker in markers:
            self._bucket.delete(name, version_id=marker.version_id)

    def share(self, name: str, account_id: str) -> None:
        """Let one more account see the photo as it is now; whoever could see it still can."""
        grants = self._bucket.grants(name)
        read = Grant("READ", f'id="{account_id}"')
        if read not in grants:
            self._bucket.set_grants(name, [*grants, read])

    def publish(self, name: str) -> None:
        """Let everyone see the photo as it is now."""
        self._bucket.set_canned_acl(name, "public-read")

    def rename(self, old: str, new: str) -> None:
        """Give the photo another name; who may see it stays the same. Its history stays under the old name.

        Raises:
            NameTaken: there is a photo of the new name.
        """
        if self._bucket.exists(new):
            raise NameTaken(f"there is a photo named {new!r}")
        self._bucket.copy(old, new, grants=self._bucket.grants(old))
        self._bucket.delete(old)

    def photos(self, prefix: str = "", *, page_size: int = PAGE_SIZE) -> Iterator[StoredObject]:
        """The photos whose names begin with ``prefix``, by name, read from the service page by page."""
        return self._bucket.objects(prefix, page_size=page_size)

    def prune(self, days: int, *, prefix: str = "") -> None:
        """From now on have the service forget what was replaced or deleted ``days`` days ago.

        The photos as they are now stay. The rule replaces all rules that the bucket had.
        """
        self._bucket.set_lifecycle(documents.lifecycle(rule_id="prune", prefix=prefix, noncurrent_days=days))


def photos_in(directory: Path) -> dict[str, Path]:
    """The files below ``directory``, as name to path, in order of their names; links are not followed."""
    files = (path for path in directory.rglob("*") if path.is_file() and not path.is_symlink())
    return dict(sorted((path.relative_to(directory).as_posix(), path) for path in files))


def place(directory: Path, name: str) -> Path:
    """Where in ``directory`` the photo belongs.

    Raises:
        NoPlace: the name is none that a sync would give, and might lead out of the directory.
    """
    parts = PurePosixPath(name)
    if str(parts) != name or parts.is_absolute() or not parts.name or ".." in parts.parts or "\0" in name:
        raise NoPlace(f"{name!r} is no path below a directory")
    return directory / parts


def etag_at(path: Path) -> str | None:
    """The ETag that the file would have in the bucket, or None if there is no file to read."""
    try:
        return etag_of(path.read_bytes())
    except OSError:
        return None


def write(path: Path, content: bytes) -> None:
    """Write a file, and make the directories that it lies in.

    Raises:
        NoPlace: it cannot be written there: a directory has its name, the name is too long, the disk is full.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise NoPlace(str(error)) from error
