"""Loading a directory into a bucket, and writing it back."""

from __future__ import annotations

import mimetypes
from pathlib import Path, PurePath

from fakestore.api.arguments import check_content_size
from fakestore.api.bucket import Bucket
from fakestore.errors import ErrorResponse
from fakestore.model.content import pieces_of
from fakestore.model.names import check_key
from fakestore.model.object_version import ObjectVersion
from fakestore.model.semantics import Limits


def load(bucket: Bucket, path: Path, limits: Limits) -> None:
    """Put every file below `path` under its relative path, with a guessed content type; see `FakeStore.load`."""
    if not path.is_dir():
        raise NotADirectoryError(f"{path} is not a directory, so it cannot be loaded into a bucket")
    files = {file.relative_to(path).as_posix(): file for file in sorted(path.rglob("*")) if file.is_file()}
    for key, file in files.items():
        try:
            check_key(key)
            check_content_size(file.stat().st_size, limits)
        except ErrorResponse as error:
            raise ValueError(f"{file}: {error.explanation}") from None
        except ValueError as error:
            raise ValueError(f"{file}: {error}") from None
    for key, file in files.items():
        content_type, _ = mimetypes.guess_type(file.name)
        bucket.put(key, file.read_bytes(), content_type=content_type)


def dump(bucket: Bucket, path: Path) -> None:
    """Write every current object to the file of its key; see `FakeStore.dump`."""
    latest = {entry.key: entry for entry in reversed(bucket.versions())}
    contents = {key: entry.content for key, entry in sorted(latest.items()) if isinstance(entry, ObjectVersion)}
    directories = {parent.as_posix() for key in contents for parent in PurePath(key).parents}
    for key in contents:
        if not _is_path(key):
            raise ValueError(f"key {key!r} is not a valid path below {path}")
        if key in directories:
            raise ValueError(f"key {key!r} would be a file and a directory below {path}")
    for name in sorted({*contents, *directories} - {"."}):
        if (path / name).is_symlink():
            raise ValueError(f"'{path / name}' is a symbolic link, which may lead out of {path}; remove it")
    for key, content in contents.items():
        file = path / key
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("wb") as written:
            written.writelines(pieces_of(content))
    path.mkdir(parents=True, exist_ok=True)


def _is_path(key: str) -> bool:
    """Return whether a key is a normalised relative path on this system that stays in its directory."""
    parts = key.split("/")
    return PurePath(key).parts == tuple(parts) and ".." not in parts and "\0" not in key
