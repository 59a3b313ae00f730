"""The operations of the backup, expressed as requests to the bucket that holds the photos."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path, PurePosixPath

from . import documents
from .client import PAGE_SIZE, BucketClient, Damaged, NotAllowed, NotFound, etag_of
from .documents import DeleteMarker, Grant, HistoryEntry, StoredObject


class NotDeleted(Exception):
    """The photo is not deleted, so the deletion cannot be undone."""


class NameTaken(Exception):
    """A photo with this name exists."""


class InvalidPath(Exception):
    """The name of a photo is not a path below the directory that can be written."""


@dataclass
class Synced:
    """The names of the photos by what a sync did to them. ``refused`` has the reasons."""

    uploaded: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)


@dataclass
class Restored:
    """The names of the photos by what a restore did to them. ``refused`` has the reasons."""

    written: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)


class PhotoBackup:
    """A directory of photos that is backed up to a bucket.

    The name of a photo is its path below the directory, with slashes. It is also its key in the bucket. Sharing
    applies to one version of a photo: a new version is private until it is shared.

    Every method may raise ``NotAllowed``, ``NotFound`` and ``ServiceError``. If a single photo is refused, ``sync``
    and ``restore`` report it and continue with the others.
    """

    def __init__(self, bucket: BucketClient) -> None:
        self._bucket = bucket

    def sync(self, directory: Path, *, delete: bool = False) -> Synced:
        """Upload the photos that are new or changed, which is detected by comparing MD5 and ETag.

        With ``delete``, photos that are no longer in the directory are deleted from the bucket. In a bucket with
        versioning that can be undone.

        Raises:
            NotADirectoryError: If ``directory`` is missing. It may be on a disk that is not mounted, so nothing
                is deleted.
            OSError: If a photo cannot be read.
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
            except (NotAllowed, UnicodeEncodeError) as reason:
                report.refused[name] = str(reason)
            else:
                report.uploaded.append(name)
        for name in sorted(stored.keys() - local.keys()) if delete else ():
            try:
                self._bucket.delete(name)
            except NotAllowed as reason:
                report.refused[name] = str(reason)
            else:
                report.deleted.append(name)
        return report

    def restore(self, directory: Path, names: Iterable[str] = ()) -> Restored:
        """Write the named photos into ``directory``, or all photos if no names are passed.

        Files that are equal to the stored photo are not written, and other files are kept.
        """
        report = Restored()
        for name in list(names) or [photo.key for photo in self._bucket.objects()]:
            try:
                path = path_below(directory, name)
                content = self._bucket.get(name, if_none_match=etag_at(path))
                if content is None:
                    report.unchanged.append(name)
                    continue
                write(path, content)
            except (NotAllowed, NotFound, Damaged, InvalidPath) as reason:
                report.refused[name] = str(reason)
            else:
                report.written.append(name)
        return report

    def versions(self, name: str) -> list[HistoryEntry]:
        """Return the history of the photo, newest first. It is empty if the photo never existed."""
        # Among the keys that begin with the name, the name itself is listed first.
        return list(takewhile(lambda entry: entry.key == name, self._bucket.history(name)))

    def rollback(self, name: str, version_id: str) -> None:
        """Copy an earlier version of the photo on top of its history. The versions in between are kept."""
        self._bucket.copy(name, name, version_id=version_id)

    def undelete(self, name: str) -> None:
        """Undo the deletion of the photo by deleting all delete markers on top of its history.

        Raises:
            NotDeleted: If the photo exists, or never existed.
        """
        history = self.versions(name)
        markers = list(takewhile(lambda entry: isinstance(entry, DeleteMarker), history))
        if not markers or len(markers) == len(history):
            raise NotDeleted(f"{name!r} is not deleted" if len(markers) < len(history) else f"{name!r} never existed")
        for marker in markers:
            self._bucket.delete(name, version_id=marker.version_id)

    def share(self, name: str, account_id: str) -> None:
        """Let another account read the current version of the photo, beside those that can read it already."""
        grants = self._bucket.grants(name)
        read = Grant("READ", f'id="{account_id}"')
        if read not in grants:
            self._bucket.set_grants(name, [*grants, read])

    def publish(self, name: str) -> None:
        """Let everyone read the current version of the photo."""
        self._bucket.set_canned_acl(name, "public-read")

    def rename(self, old: str, new: str) -> None:
        """Rename the photo and keep who can read it. Its history stays under the old name.

        Raises:
            NameTaken: If a photo with the new name exists.
        """
        if self._bucket.exists(new):
            raise NameTaken(f"a photo named {new!r} exists")
        self._bucket.copy(old, new, grants=self._bucket.grants(old))
        self._bucket.delete(old)

    def photos(self, prefix: str = "", *, page_size: int = PAGE_SIZE) -> Iterator[StoredObject]:
        """Yield the photos whose names begin with ``prefix``, sorted by name. Pages are requested when needed."""
        return self._bucket.objects(prefix, page_size=page_size)

    def prune(self, days: int, *, prefix: str = "") -> None:
        """Have the service remove versions ``days`` days after they were replaced or deleted.

        Current versions are kept. The rule replaces all lifecycle rules of the bucket.
        """
        self._bucket.set_lifecycle(documents.lifecycle(rule_id="prune", prefix=prefix, noncurrent_days=days))


def photos_in(directory: Path) -> dict[str, Path]:
    """Return the files below ``directory`` by name, sorted. Symbolic links are not followed."""
    files = (path for path in directory.rglob("*") if path.is_file() and not path.is_symlink())
    return dict(sorted((path.relative_to(directory).as_posix(), path) for path in files))


def path_below(directory: Path, name: str) -> Path:
    """Return the path of the photo in ``directory``.

    Raises:
        InvalidPath: If a sync would not produce this name. It might lead out of the directory.
    """
    parts = PurePosixPath(name)
    if str(parts) != name or parts.is_absolute() or not parts.name or ".." in parts.parts or "\0" in name:
        raise InvalidPath(f"{name!r} is not a path below a directory")
    return directory / parts


def etag_at(path: Path) -> str | None:
    """Return the ETag that the file would have in the bucket, or None if it cannot be read."""
    try:
        return etag_of(path.read_bytes())
    except OSError:
        return None


def write(path: Path, content: bytes) -> None:
    """Write a file and create its directories.

    Raises:
        InvalidPath: If the file cannot be written, for example because its name is too long.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise InvalidPath(str(error)) from error
