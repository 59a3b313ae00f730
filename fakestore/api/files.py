"""A directory into a bucket and back."""

from __future__ import annotations

import mimetypes
from pathlib import Path, PurePath

from fakestore.api.bucket import Bucket
from fakestore.model.errors import ErrorResponse
from fakestore.model.names import check_key
from fakestore.model.object_version import Entry, ObjectVersion

#: The most bytes that common file systems take as the name of a file.
LONGEST_NAME = 255


def load(bucket: Bucket, path: Path) -> None:
    """Put every file under ``path`` under its relative path, with ``/`` between the parts and a guessed type.

    Raises:
        NotADirectoryError: ``path`` is no directory.
        ValueError: a path that cannot be a key, or a file over the limit of sizes; nothing is put then.
        OSError: a file that cannot be read; those before it are put.
    """
    if not path.is_dir():
        raise NotADirectoryError(f"{path} is no directory, so it cannot be loaded into a bucket")
    files = {file.relative_to(path).as_posix(): file for file in sorted(path.rglob("*")) if file.is_file()}
    for key, file in files.items():
        try:
            check_key(key)
            bucket._check_size(file.stat().st_size)
        except ErrorResponse as refusal:
            raise ValueError(f"{file}: {refusal.explanation}") from None
        except ValueError as error:
            raise ValueError(f"{file}: {error}") from None
    for key, file in files.items():
        content_type, _ = mimetypes.guess_type(file.name)
        bucket.put(key, file.read_bytes(), content_type=content_type)


def dump(bucket: Bucket, path: Path) -> None:
    """Write every object that is current when this begins under its key; nothing where one key cannot be a path.

    Raises:
        ValueError: a key with an empty, ``.`` or ``..`` part, a NUL, a part of more than 255 bytes, what separates
            directories here beside ``/``, that is also the directory of another, or that leads through a symbolic
            link under ``path``.
        OSError: a file that cannot be written; those before it are written.
    """
    newest: dict[str, Entry] = {}
    for entry in bucket.versions():
        newest.setdefault(entry.key, entry)
    contents = {key: entry.content for key, entry in newest.items() if isinstance(entry, ObjectVersion)}
    directories = {parent.as_posix() for key in contents for parent in PurePath(key).parents}
    for key in contents:
        if not _can_be_path(key):
            raise ValueError(f"key {key!r} cannot be a path under {path}")
        if key in directories:
            raise ValueError(f"key {key!r} would be a file and a directory under {path}")
    for name in sorted(directories.union(contents) - {"."}):
        if (path / name).is_symlink():
            key = next(key for key in contents if PurePath(key).is_relative_to(name))
            raise ValueError(f"key {key!r} cannot be a path under {path}: {path / name} is a symbolic link")
    for key, content in contents.items():
        file = path / key
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("wb") as written:
            written.writelines([content] if isinstance(content, bytes) else content)
    path.mkdir(parents=True, exist_ok=True)


def _can_be_path(key: str) -> bool:
    """Whether a file may be named so, and only so, on this system."""
    parts = key.split("/")
    return (
        PurePath(key).parts == tuple(parts)
        and ".." not in parts
        and "\0" not in key
        and all(len(part.encode()) <= LONGEST_NAME for part in parts)
    )
