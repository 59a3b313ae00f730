"""The multipart uploads of a bucket that are neither completed nor aborted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fakestore.model.multipart_upload import MultipartUpload
from fakestore.model.sorted_keys import SortedKeys


class UploadIndex:
    """The uploads of a bucket by their ids and by their keys.

    The values are immutable, so :meth:`copy` costs one reference for each upload.
    """

    def __init__(self) -> None:
        self._uploads: dict[str, MultipartUpload] = {}
        #: The ids of each key's uploads, in the order in which they began.
        self._ids: dict[str, tuple[str, ...]] = {}
        self._keys = SortedKeys()

    def get(self, key: str, upload_id: str) -> MultipartUpload | None:
        """Return the upload with this id if it is for ``key``, or None."""
        upload = self._uploads.get(upload_id)
        return upload if upload is not None and upload.key == key else None

    def get_key(self, upload_id: str) -> str | None:
        """Return the key of an upload, or None if the upload is unknown."""
        upload = self._uploads.get(upload_id)
        return None if upload is None else upload.key

    def of_key(self, key: str) -> Iterator[MultipartUpload]:
        """Yield the uploads of ``key`` in the order in which they began."""
        return (self._uploads[upload_id] for upload_id in self._ids.get(key, ()))

    def keys_from(self, start: str, *, inclusive: bool) -> Iterator[str]:
        """Yield the keys greater than ``start`` that have uploads, in order.

        Args:
            inclusive: Whether ``start`` itself is included.
        """
        return self._keys.starting_at(start, inclusive=inclusive)

    def add(self, upload: MultipartUpload) -> None:
        """Add an upload, or replace the one that has the same id."""
        if upload.upload_id not in self._uploads:
            if upload.key not in self._ids:
                self._keys.add(upload.key)
            self._ids[upload.key] = (*self._ids.get(upload.key, ()), upload.upload_id)
        self._uploads[upload.upload_id] = upload

    def remove(self, upload: MultipartUpload) -> None:
        """Remove an upload that is present."""
        del self._uploads[upload.upload_id]
        left = tuple(each for each in self._ids[upload.key] if each != upload.upload_id)
        if left:
            self._ids[upload.key] = left
        else:
            del self._ids[upload.key]
            self._keys.remove(upload.key)

    def note_write(self, key: str) -> None:
        """Note that the key was written or deleted. A conditional request to complete its uploads then conflicts."""
        for upload_id in self._ids.get(key, ()):
            if not self._uploads[upload_id].key_was_written:
                self._uploads[upload_id] = replace(self._uploads[upload_id], key_was_written=True)

    def copy(self) -> UploadIndex:
        """Return an independent copy."""
        other = UploadIndex()
        other._uploads, other._ids = self._uploads.copy(), self._ids.copy()
        other._keys = self._keys.copy()
        return other

    def __iter__(self) -> Iterator[MultipartUpload]:
        """Yield the uploads by their keys, and those of a key in the order in which they began."""
        for key in self._keys:
            yield from self.of_key(key)

    def __len__(self) -> int:
        return len(self._uploads)
