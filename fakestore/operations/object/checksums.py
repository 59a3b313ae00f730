"""The checksum of an object in replies, and the checksum of a copy."""

from __future__ import annotations

from fakestore.model.checksums import Checksum, ChecksumAlgorithm, ChecksumType, compute_checksum
from fakestore.model.errors import INVALID_REQUEST
from fakestore.model.object_version import ObjectVersion
from fakestore.operations.core.context import RequestContext


def checksum_headers(version: ObjectVersion) -> dict[str, str]:
    """Return the dialect's headers with the checksum of a version, if it has one."""
    checksum = version.checksum
    if checksum is None:
        return {}
    return {f"checksum-{checksum.algorithm.lower()}": checksum.value, "checksum-type": str(checksum.type)}


def parse_checksum_mode(context: RequestContext) -> bool:
    """Return whether the reply to a GET or HEAD has the checksum.

    Raises:
        ErrorResponse: InvalidRequest, if the header has another value than ENABLED, in any case.
    """
    text = context.service_headers.get("checksum-mode")
    if text is None:
        return False
    if text.upper() != "ENABLED":
        header = context.dialect.header("checksum-mode")
        raise INVALID_REQUEST.error(
            f"Value for {header} header is invalid.", explanation=f"{header} is {text!r}; expected ENABLED"
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
