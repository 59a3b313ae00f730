"""Version ids and upload ids: how they are issued, recognised and ordered."""

from __future__ import annotations

import base64
import hashlib
from typing import NewType

VersionId = NewType("VersionId", str)

#: The id of the null version, which is written while versioning is not enabled. A key has at most one entry with it.
NULL = VersionId("null")


class VersionIds:
    """Issues the version ids and upload ids of one store, and recognises them.

    Both kinds are numbered together, and an id of one kind is not one of the other.

    An id has 32 characters of ``[A-Za-z0-9._]``. The last eight are a checksum of the others, so an id can be
    recognised without a list of the issued ones. The ids' order can be read back from them, so a listing can continue
    after a version that was removed.

    The same ``seed`` and ``origin`` give the same ids in every run. Stores with different origins do not accept each
    other's ids.

    Args:
        seed: Any integer.
        origin: The base URL of the store.
    """

    def __init__(self, seed: int, origin: str = "") -> None:
        self._versions = _Code(b"version ids of seed %d at %s" % (seed, origin.encode()))
        self._uploads = _Code(b"upload ids of seed %d at %s" % (seed, origin.encode()))
        self._issued_count = 0

    @property
    def issued_count(self) -> int:
        """The number of ids that were issued since the start."""
        return self._issued_count

    def restart(self) -> None:
        """Restart the sequence."""
        self._issued_count = 0

    def skip_to(self, issued_count: int) -> None:
        """Skip the first ``issued_count`` ids, so that they are not issued again."""
        self._issued_count = max(self._issued_count, issued_count)

    def issue(self) -> VersionId:
        """Return the next version id of the sequence."""
        self._issued_count += 1
        return VersionId(self._versions.encode(self._issued_count))

    def issue_upload_id(self) -> str:
        """Return an id for a multipart upload, the next of the sequence."""
        self._issued_count += 1
        return self._uploads.encode(self._issued_count)

    def is_issued(self, version_id: str) -> bool:
        """Return whether an id has the form and checksum of this store's ids. This is always true for ``null``."""
        return version_id == NULL or self._versions.recognises(version_id)

    def is_issued_upload_id(self, upload_id: str) -> bool:
        """Return whether an id has the form and checksum of this store's upload ids."""
        return self._uploads.recognises(upload_id)

    def sequence_number(self, version_id: VersionId) -> int:
        """Return the 1-based sequence number encoded in ``version_id``.

        Args:
            version_id: An id for which :meth:`is_issued` is true, other than ``null``.
        """
        return self._versions.decode(version_id)

    def upload_number(self, upload_id: str) -> int:
        """Return the 1-based sequence number encoded in ``upload_id``.

        Args:
            upload_id: An id for which :meth:`is_issued_upload_id` is true.
        """
        return self._uploads.decode(upload_id)

    def sign(self, text: str) -> bytes:
        """Return a 6-byte signature of ``text``, to recognise tokens that this store issued."""
        return self._versions.digest(b"check over " + text.encode(), 6)


class _Code:
    """Turns numbers into ids of one kind, and back."""

    def __init__(self, source: bytes) -> None:
        self._secret = hashlib.blake2b(source, digest_size=32).digest()

    def encode(self, number: int) -> str:
        salt = self.digest(b"%d" % number, 12)
        body = base64.b64encode(salt + self._mask(salt, number), b"._").decode()
        return body + self._checksum(body)

    def recognises(self, text: str) -> bool:
        return len(text) == 32 and text.isascii() and self._checksum(text[:24]) == text[24:]

    def decode(self, text: str) -> int:
        raw = base64.b64decode(text[:24], b"._")
        return int.from_bytes(self._mask(raw[:12], int.from_bytes(raw[12:], "big")), "big")

    def _mask(self, salt: bytes, number: int) -> bytes:
        return (number ^ int.from_bytes(self.digest(salt, 6), "big")).to_bytes(6, "big")

    def _checksum(self, body: str) -> str:
        return base64.b64encode(self.digest(b"check of " + body.encode(), 6), b"._").decode()

    def digest(self, source: bytes, size: int) -> bytes:
        return hashlib.blake2b(source, digest_size=size, key=self._secret).digest()
