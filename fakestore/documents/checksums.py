"""The elements of a checksum, which several documents have."""

from __future__ import annotations

from fakestore.model.checksums import Checksum, ChecksumAlgorithm, ChecksumMode
from fakestore.model.shape import child, element


@element()
class ChecksumValues:
    """The value of a checksum: at most one is present in a reply."""

    crc32: str | None = child("ChecksumCRC32", default=None)
    crc32c: str | None = child("ChecksumCRC32C", default=None)
    crc64nvme: str | None = child("ChecksumCRC64NVME", default=None)
    sha1: str | None = child("ChecksumSHA1", default=None)
    sha256: str | None = child("ChecksumSHA256", default=None)

    @property
    def checksums(self) -> tuple[Checksum, ...]:
        """The checksums that a request states."""
        values = {algorithm: getattr(self, algorithm.lower()) for algorithm in ChecksumAlgorithm}
        return tuple(Checksum(algorithm, value) for algorithm, value in values.items() if value is not None)


@element()
class ChecksumElements(ChecksumValues):
    """A checksum with its type."""

    checksum_type: str | None = child("ChecksumType", default=None)


@element()
class ChecksumModeElements:
    """How a multipart upload is checked."""

    checksum_algorithm: str | None = child("ChecksumAlgorithm", default=None)
    checksum_type: str | None = child("ChecksumType", default=None)


def checksum_mode_elements(mode: ChecksumMode | Checksum | None) -> dict[str, str]:
    """Return the fields of :class:`ChecksumModeElements`, which the entries of listings have, too."""
    return {} if mode is None else {"checksum_algorithm": str(mode.algorithm), "checksum_type": str(mode.type)}


def checksum_values(checksum: Checksum | None) -> dict[str, str]:
    """Return the fields of :class:`ChecksumValues` for a checksum."""
    return {} if checksum is None else {checksum.algorithm.lower(): checksum.value}


def checksum_elements(checksum: Checksum | None) -> dict[str, str]:
    """Return the fields of :class:`ChecksumElements` for a checksum.

    Example:
        >>> from fakestore.model.checksums import ChecksumAlgorithm
        >>> checksum_elements(Checksum(ChecksumAlgorithm.CRC32, "cZWHwQ=="))
        {'crc32': 'cZWHwQ==', 'checksum_type': 'FULL_OBJECT'}
    """
    return {} if checksum is None else checksum_values(checksum) | {"checksum_type": str(checksum.type)}
