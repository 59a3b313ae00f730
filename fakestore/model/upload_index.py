"""The multipart uploads of a bucket."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from fakestore.model.errors import NO_SUCH_UPLOAD, invalid_argument
from fakestore.model.multipart_upload import CompletedPart, MultipartUpload
from fakestore.model.sorted_keys import SortedKeys
from fakestore.model.version_ids import VersionIds


class Completion(NamedTuple):
    """A request that completed an upload. It can be repeated until its key is written or deleted. [completing-twice]"""

    #: The upload, without its parts.
    upload: MultipartUpload
    #: The parts that make the object.
    named: tuple[CompletedPart, ...]


class UploadIndex:
    """The uploads of a bucket by their ids and by their keys. Iteration and length are about those that did not end.

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
        #: The uploads that were completed or aborted, without their parts, by their ids.
        self._ended: dict[str, MultipartUpload] = {}
        #: The requests that made the current objects, by their keys.
        self._completions: dict[str, Completion] = {}

    def find(self, key: str, upload_id: str) -> MultipartUpload | None:
        """Return the upload with this id, also if it ended, or None. It must be for ``key``."""
        upload = self._uploads.get(upload_id) or self._ended.get(upload_id)
        return upload if upload is not None and upload.key == key else None

    def find_completion(self, key: str, upload_id: str) -> Completion | None:
        """Return the request that completed this upload if it made the object that ``key`` still has, or None."""
        completion = self._completions.get(key)
        return completion if completion is not None and completion.upload.upload_id == upload_id else None

    def get(self, key: str, upload_id: str) -> MultipartUpload:
        """Return the upload with this id, which did not end.

        Raises:
            ErrorResponse: NoSuchUpload, if the store never issued the id, it is for another key, or the upload was
                completed or aborted.
        """
        upload = self._uploads.get(upload_id)
        if upload is not None and upload.key == key:
            return upload
        if upload is not None:
            explanation = f"the upload {upload_id} is for key {upload.key!r}, not for {key!r}"
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

    def end(self, upload: MultipartUpload, named: tuple[CompletedPart, ...] | None = None) -> None:
        """End an upload. If it ended before, nothing happens.

        Args:
            named: The parts that make the object; None if the upload is aborted.
        """
        if self._uploads.pop(upload.upload_id, None) is None:
            return
        self._ended[upload.upload_id] = ended = replace(upload, parts=())
        if named is not None:
            self._completions[upload.key] = Completion(ended, named)
        left = tuple(each for each in self._ids_of_key[upload.key] if each != upload.upload_id)
        if left:
            self._ids_of_key[upload.key] = left
        else:
            del self._ids_of_key[upload.key]
            self._keys.remove(upload.key)

    def note_write(self, key: str) -> None:
        """Note that the key was written or deleted.

        A conditional request to complete its uploads then conflicts, and a completion cannot be repeated any more.
        """
        self._completions.pop(key, None)
        for upload_id in self._ids_of_key.get(key, ()):
            if not self._uploads[upload_id].key_was_written:
                self._uploads[upload_id] = replace(self._uploads[upload_id], key_was_written=True)

    def copy(self) -> UploadIndex:
        """Return an independent copy."""
        other = UploadIndex(self._ids)
        other._uploads, other._ids_of_key = self._uploads.copy(), self._ids_of_key.copy()
        other._keys = self._keys.copy()
        other._ended, other._completions = self._ended.copy(), self._completions.copy()
        return other

    def __iter__(self) -> Iterator[MultipartUpload]:
        """Yield the uploads by their keys, and those of a key in the order in which they began."""
        for key in self._keys:
            yield from self.of_key(key)

    def __len__(self) -> int:
        return len(self._uploads)
