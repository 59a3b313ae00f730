"""Version ids: how they are issued, recognised and ordered."""

from __future__ import annotations

import base64
import hashlib
from typing import NewType

VersionId = NewType("VersionId", str)

#: The id of the null version, which is written while versioning is not enabled. A key has at most one entry with it.
NULL = VersionId("null")


class VersionIds:
    """Issues the version ids of one store, and recognises them.

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
        source = b"version ids of seed %d at %s" % (seed, origin.encode())
        self._secret = hashlib.blake2b(source, digest_size=32).digest()
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
        """Return the next id of the sequence."""
        self._issued_count += 1
        salt = self._digest(b"%d" % self._issued_count, 12)
        body = base64.b64encode(salt + self._mask(salt, self._issued_count), b"._").decode()
        return VersionId(body + self._checksum(body))

    def is_issued(self, version_id: str) -> bool:
        """Return whether an id has the form and checksum of this store's ids. This is always true for ``null``."""
        if version_id == NULL:
            return True
        return len(version_id) == 32 and version_id.isascii() and self._checksum(version_id[:24]) == version_id[24:]

    def sequence_number(self, version_id: VersionId) -> int:
        """Return the 1-based sequence number encoded in ``version_id``.

        Args:
            version_id: An id for which :meth:`is_issued` is true, other than ``null``.
        """
        raw = base64.b64decode(version_id[:24], b"._")
        return int.from_bytes(self._mask(raw[:12], int.from_bytes(raw[12:], "big")), "big")

    def sign(self, text: str) -> bytes:
        """Return a 6-byte signature of ``text``, to recognise tokens that this store issued."""
        return self._digest(b"check over " + text.encode(), 6)

    def _mask(self, salt: bytes, number: int) -> bytes:
        return (number ^ int.from_bytes(self._digest(salt, 6), "big")).to_bytes(6, "big")

    def _checksum(self, body: str) -> str:
        return base64.b64encode(self._digest(b"check of " + body.encode(), 6), b"._").decode()

    def _digest(self, source: bytes, size: int) -> bytes:
        return hashlib.blake2b(source, digest_size=size, key=self._secret).digest()
