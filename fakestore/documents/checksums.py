"""The elements of a checksum, which several documents have."""

from __future__ import annotations

from fakestore.documents.shape import child, element
from fakestore.model.checksums import Checksum


@element()
class ChecksumElements:
    """A checksum: at most one of the values is present."""

    crc32: str | None = child("ChecksumCRC32", default=None)
    crc32c: str | None = child("ChecksumCRC32C", default=None)
    crc64nvme: str | None = child("ChecksumCRC64NVME", default=None)
    sha1: str | None = child("ChecksumSHA1", default=None)
    sha256: str | None = child("ChecksumSHA256", default=None)
    checksum_type: str | None = child("ChecksumType", default=None)


def checksum_elements(checksum: Checksum | None) -> dict[str, str]:
    """Return the fields of :class:`ChecksumElements` for a checksum.

    Example:
        >>> from fakestore.model.checksums import ChecksumAlgorithm
        >>> checksum_elements(Checksum(ChecksumAlgorithm.CRC32, "cZWHwQ=="))
        {'crc32': 'cZWHwQ==', 'checksum_type': 'FULL_OBJECT'}
    """
    if checksum is None:
        return {}
    return {checksum.algorithm.lower(): checksum.value, "checksum_type": str(checksum.type)}
