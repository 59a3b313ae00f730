"""The checksum of an object in replies, and the checksum of a copy."""

from __future__ import annotations

from dataclasses import replace

from fakestore.model.checksums import Checksum, ChecksumAlgorithm, ChecksumType, compute_checksum
from fakestore.model.errors import INVALID_REQUEST
from fakestore.model.object_version import ObjectVersion
from fakestore.operations.core.fields import Sent


def checksum_headers(
    version: ObjectVersion, part_number: int | None = None, *, is_whole: bool = True
) -> dict[str, str]:
    """Return the dialect's headers with the checksum of a version, or of the part of it that is read.

    Args:
        version: The version.
        part_number: The part that is read, if only one is. It has a checksum of its own if that of the version is
            composite. [checksum-of-an-upload]
        is_whole: Whether the whole content is read.
    """
    checksum = version.checksum
    if checksum is None:
        return {}
    if part_number is not None and version.parts and checksum.type is ChecksumType.COMPOSITE:
        of_part = version.parts[part_number - 1].checksum
        checksum = checksum if of_part is None else replace(of_part, type=checksum.type)
    elif not is_whole:
        return {}
    return {f"checksum-{checksum.algorithm.lower()}": checksum.value, "checksum-type": str(checksum.type)}


def parse_checksum_mode(sent: Sent) -> bool:
    """Return whether the reply to a GET or HEAD has the checksum: always, because the only value is ENABLED.

    Raises:
        ErrorResponse: InvalidRequest, if the header has another value, in any case.
    """
    if sent.text.upper() != "ENABLED":
        raise INVALID_REQUEST.error(
            f"Value for {sent.name} header is invalid.",
            explanation=f"{sent.name} is {sent.text!r}; expected ENABLED",
        )
    return True


def checksum_of_copy(source: ObjectVersion, requested: ChecksumAlgorithm | None) -> Checksum | None:
    """Return the checksum of a copy: by the requested algorithm, or by that of the source.

    That of a multipart upload is computed anew, because the copy has no parts.
    """
    kept = source.checksum
    algorithm = requested or (None if kept is None else kept.algorithm)
    if algorithm is None:
        return None
    if kept is not None and kept.algorithm is algorithm and kept.type is ChecksumType.FULL_OBJECT:
        return kept
    return compute_checksum(algorithm, source.content)
