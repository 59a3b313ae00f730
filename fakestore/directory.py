"""A directory into a bucket and back."""

from __future__ import annotations

import mimetypes
from pathlib import Path

from fakestore.bucket import Bucket


def load(bucket: Bucket, path: Path) -> None:
    """Put every file under ``path`` under its relative path, with ``/`` between the parts and a guessed type.

    Raises:
        NotADirectoryError: ``path`` is no directory.
    """
    if not path.is_dir():
        raise NotADirectoryError(f"{path} is no directory, so it cannot be loaded into a bucket")
    for file in sorted(each for each in path.rglob("*") if each.is_file()):
        content_type, _ = mimetypes.guess_type(file.name)
        key = file.relative_to(path).as_posix()
        if content_type is None:
            bucket.put(key, file.read_bytes())
        else:
            bucket.put(key, file.read_bytes(), content_type=content_type)


def dump(bucket: Bucket, path: Path) -> None:
    """Write every current object under its key; nothing is written where one key cannot be a path.

    Raises:
        ValueError: a key with an empty, ``.`` or ``..`` part, a NUL, or that is also the directory of another.
    """
    keys = list(bucket)
    directories = {parent.as_posix() for key in keys for parent in Path(key).parents}
    for key in keys:
        if "\0" in key or "\\" in key or any(part in ("", ".", "..") for part in key.split("/")):
            raise ValueError(f"key {key!r} cannot be a path under {path}")
        if key in directories:
            raise ValueError(f"key {key!r} would be a file and a directory under {path}")
    for key in keys:
        file = path / key
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(bytes(bucket[key].content))
    path.mkdir(parents=True, exist_ok=True)
