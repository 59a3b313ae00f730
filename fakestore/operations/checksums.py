"""The checksum of an object in replies, of a copy, and of a multipart upload."""

from __future__ import annotations

from dataclasses import replace

from fakestore.errors import INVALID_REQUEST
from fakestore.model.checksums import Checksum, ChecksumAlgorithm, ChecksumMode, ChecksumType, compute_checksum
from fakestore.model.object_version import ObjectVersion
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.checksums import CHECKSUM_TYPE, parse_requested_algorithm
from fakestore.operations.framework.fields import Sent, read_header


def checksum_headers(
    version: ObjectVersion, part_number: int | None = None, *, is_whole: bool = True
) -> dict[str, str]:
    """Return the dialect's headers with the checksum of a version, or of the one part that is read.

    Args:
        part_number: The part that is read; None for the whole version. The part has its own checksum if the version has
            a composite checksum. [checksum-of-an-upload]
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
    """Return True: the only valid value is ENABLED, so the reply to a GET or HEAD has the checksum."""
    if sent.text.upper() != "ENABLED":
        raise INVALID_REQUEST.error(
            f"Value for {sent.name} header is invalid.",
            explanation=f"{sent.name} is {sent.text!r}; expected ENABLED",
        )
    return True


def checksum_of_copy(source: ObjectVersion, requested: ChecksumAlgorithm | None) -> Checksum | None:
    """Return the checksum of a copy, by the requested algorithm or the algorithm of the source.

    The checksum of a multipart object is recomputed, because its copy has no parts.
    """
    kept = source.checksum
    algorithm = requested or (None if kept is None else kept.algorithm)
    if algorithm is None:
        return None
    if kept is not None and kept.algorithm is algorithm and kept.type is ChecksumType.FULL_OBJECT:
        return kept
    return compute_checksum(algorithm, source.content)


def parse_upload_checksum_mode(call: Call) -> ChecksumMode | None:
    """Return the checksum mode of a multipart upload, or None if the headers name no algorithm."""
    algorithm = read_header(call, "checksum-algorithm", parse_requested_algorithm)
    checksum_type = read_header(call, "checksum-type", CHECKSUM_TYPE)
    if algorithm is None:
        if checksum_type is not None:
            header = call.dialect.header
            raise INVALID_REQUEST.error(
                f"The {header('checksum-type')} header can only be used with the {header('checksum-algorithm')} header."
            )
        return None
    if checksum_type is None:
        is_whole = algorithm is ChecksumAlgorithm.CRC64NVME
        checksum_type = ChecksumType.FULL_OBJECT if is_whole else ChecksumType.COMPOSITE
    mode = ChecksumMode(algorithm, checksum_type)
    if not mode.is_valid:
        raise INVALID_REQUEST.error(
            f"The {checksum_type} checksum type cannot be used with the {algorithm.lower()} checksum algorithm."
        )
    return mode
