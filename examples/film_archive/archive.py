"""Uploads large files in parts, continues after a failure, and makes links for people without an account."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

#: The service accepts no smaller parts, except for the last one.
PART_SIZE = 5 * 1024**2


class FilmArchive:
    """The archive in one bucket.

    Args:
        client: A client of boto3 for S3.
        bucket: The name of the bucket.
    """

    def __init__(self, client: Any, bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def upload(self, path: Path, key: str) -> int:
        """Upload a file in parts, and return how many parts were sent.

        If an earlier upload of the key was interrupted, it is continued: a part is sent only if the service does not
        have it, or has it with another content.
        """
        upload_id = self._unfinished_upload(key) or self._begin(key)
        stored = self._stored_parts(key, upload_id)
        parts, sent = [], 0
        for number, content in enumerate(_parts_of(path), 1):
            etag = stored.get(number)
            if etag != f'"{hashlib.md5(content, usedforsecurity=False).hexdigest()}"':
                etag = self._send(key, upload_id, number, content)
                sent += 1
            parts.append({"PartNumber": number, "ETag": etag})
        self._client.complete_multipart_upload(
            Bucket=self._bucket, Key=key, UploadId=upload_id, MultipartUpload={"Parts": parts}
        )
        return sent

    def discard_unfinished(self) -> list[str]:
        """Abort all unfinished uploads, whose parts would cost money, and return their keys."""
        uploads = list(self._unfinished_uploads())
        for upload in uploads:
            self._client.abort_multipart_upload(Bucket=self._bucket, Key=upload["Key"], UploadId=upload["UploadId"])
        return [upload["Key"] for upload in uploads]

    def link(self, key: str, valid_for: timedelta) -> str:
        """Return a URL with which anyone can download the film for some time."""
        return self._link("get_object", {"Key": key}, valid_for)

    def upload_link(self, key: str, valid_for: timedelta) -> str:
        """Return a URL to which anyone can upload a film for some time, with the type ``video/mp4``."""
        return self._link("put_object", {"Key": key, "ContentType": "video/mp4"}, valid_for)

    def _link(self, operation: str, parameters: dict[str, str], valid_for: timedelta) -> str:
        url: str = self._client.generate_presigned_url(
            operation, Params={"Bucket": self._bucket, **parameters}, ExpiresIn=int(valid_for.total_seconds())
        )
        return url

    def _begin(self, key: str) -> str:
        upload_id: str = self._client.create_multipart_upload(Bucket=self._bucket, Key=key, ContentType="video/mp4")[
            "UploadId"
        ]
        return upload_id

    def _send(self, key: str, upload_id: str, number: int, content: bytes) -> str:
        etag: str = self._client.upload_part(
            Bucket=self._bucket, Key=key, UploadId=upload_id, PartNumber=number, Body=content
        )["ETag"]
        return etag

    def _unfinished_upload(self, key: str) -> str | None:
        uploads = [upload for upload in self._unfinished_uploads(key) if upload["Key"] == key]
        return max(uploads, key=lambda upload: upload["Initiated"])["UploadId"] if uploads else None

    def _unfinished_uploads(self, prefix: str = "") -> Iterator[dict[str, Any]]:
        pages = self._client.get_paginator("list_multipart_uploads").paginate(Bucket=self._bucket, Prefix=prefix)
        for page in pages:
            yield from page.get("Uploads", ())

    def _stored_parts(self, key: str, upload_id: str) -> dict[int, str]:
        """Return the entity tag of each part that the service has, by its number."""
        pages = self._client.get_paginator("list_parts").paginate(Bucket=self._bucket, Key=key, UploadId=upload_id)
        return {part["PartNumber"]: part["ETag"] for page in pages for part in page.get("Parts", ())}


def _parts_of(path: Path) -> Iterator[bytes]:
    """Yield the content of a file in pieces. An empty file is one empty piece."""
    with path.open("rb") as file:
        yield file.read(PART_SIZE)
        while content := file.read(PART_SIZE):
            yield content
