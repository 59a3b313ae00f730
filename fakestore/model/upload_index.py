"""The multipart uploads of a bucket that are neither completed nor aborted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from fakestore.model.errors import NO_SUCH_UPLOAD, invalid_argument
from fakestore.model.sorted_keys import SortedKeys
from fakestore.model.version_ids import VersionIds

if TYPE_CHECKING:
    from fakestore.model.multipart_upload import MultipartUpload


class UploadIndex:
    """The uploads of a bucket by their ids and by their keys.

    The values are immutable, so :meth:`copy` costs one reference for each upload.

    Args:
        ids: Issues the upload ids. All buckets of a store share it.
    """

    def __init__(self, ids: VersionIds) -> None:
        self._ids = ids
        self._uploads: dict[str, MultipartUpload] = {}
        #: The ids of each key's uploads, in the order in which they began.
        self._ids_of_key: dict[str, tuple[str, ...]] = {}
        self._keys = SortedKeys()

    def find(self, key: str, upload_id: str) -> MultipartUpload | None:
        """Return the upload with this id if it is for ``key``, or None."""
        upload = self._uploads.get(upload_id)
        return upload if upload is not None and upload.key == key else None

    def get(self, key: str, upload_id: str) -> MultipartUpload:
        """Return the upload with this id.

        Raises:
            ErrorResponse: NoSuchUpload, if the store never issued the id, it is for another key, or the upload was
                completed or aborted.
        """
        upload = self.find(key, upload_id)
        if upload is not None:
            return upload
        other = self._uploads.get(upload_id)
        if other is not None:
            explanation = f"the upload {upload_id} is for key {other.key!r}, not for {key!r}"
        elif self._ids.is_issued_upload_id(upload_id):
            explanation = f"the bucket has no upload {upload_id}: it was completed or aborted, or is for another bucket"
        else:
            explanation = f"this store never issued the upload id {upload_id!r}"
        raise NO_SUCH_UPLOAD.error(explanation=explanation, UploadId=upload_id)

    def of_key(self, key: str) -> Iterator[MultipartUpload]:
        """Yield the uploads of ``key`` in the order in which they began."""
        return (self._uploads[upload_id] for upload_id in self._ids_of_key.get(key, ()))

    def after(self, key: str, upload_id: str) -> Iterator[MultipartUpload]:
        """Yield the uploads of ``key`` that began after ``upload_id``.

        That upload may have been completed or aborted since. [marker-of-a-finished-upload]

        Raises:
            ErrorResponse: InvalidArgument, if the store never issued the id, or an upload of another key has it.
        """
        marker = self._uploads.get(upload_id)
        if not self._ids.is_issued_upload_id(upload_id) or (marker is not None and marker.key != key):
            raise invalid_argument(
                "upload-id-marker",
                upload_id,
                "Invalid uploadId marker",
                explanation=f"upload-id-marker is {upload_id!r}, which is not an upload of key {key!r}",
            )
        place = self._ids.upload_number(upload_id)
        return (each for each in self.of_key(key) if self._ids.upload_number(each.upload_id) > place)

    def keys_from(self, start: str, *, inclusive: bool) -> Iterator[str]:
        """Yield the keys greater than ``start`` that have uploads, in order.

        Args:
            inclusive: Whether ``start`` itself is included.
        """
        return self._keys.starting_at(start, inclusive=inclusive)

    def add(self, upload: MultipartUpload) -> None:
        """Add an upload, or replace the one that has the same id."""
        if upload.upload_id not in self._uploads:
            if upload.key not in self._ids_of_key:
                self._keys.add(upload.key)
            self._ids_of_key[upload.key] = (*self._ids_of_key.get(upload.key, ()), upload.upload_id)
        self._uploads[upload.upload_id] = upload

    def remove(self, upload: MultipartUpload) -> None:
        """Remove an upload that is present."""
        del self._uploads[upload.upload_id]
        left = tuple(each for each in self._ids_of_key[upload.key] if each != upload.upload_id)
        if left:
            self._ids_of_key[upload.key] = left
        else:
            del self._ids_of_key[upload.key]
            self._keys.remove(upload.key)

    def note_write(self, key: str) -> None:
        """Note that the key was written or deleted. A conditional request to complete its uploads then conflicts."""
        for upload_id in self._ids_of_key.get(key, ()):
            if not self._uploads[upload_id].key_was_written:
                self._uploads[upload_id] = replace(self._uploads[upload_id], key_was_written=True)

    def copy(self) -> UploadIndex:
        """Return an independent copy."""
        other = UploadIndex(self._ids)
        other._uploads, other._ids_of_key = self._uploads.copy(), self._ids_of_key.copy()
        other._keys = self._keys.copy()
        return other

    def __iter__(self) -> Iterator[MultipartUpload]:
        """Yield the uploads by their keys, and those of a key in the order in which they began."""
        for key in self._keys:
            yield from self.of_key(key)

    def __len__(self) -> int:
        return len(self._uploads)
