"""The checksums of a multipart upload: how it is checked, and what a request to complete it states."""

from __future__ import annotations

from typing import NamedTuple, Self

from fakestore.model.checksums import Checksum, ChecksumAlgorithm, ChecksumMode, ChecksumType
from fakestore.model.errors import BAD_DIGEST, INVALID_REQUEST
from fakestore.operations.core.checksums import CHECKSUM_TYPE, VALUE_HEADERS, parse_requested_algorithm
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.fields import read_header


def parse_upload_checksum_mode(context: RequestContext) -> ChecksumMode | None:
    """Return how a multipart upload is to be checked, or None if the headers name no algorithm.

    Raises:
        ErrorResponse: InvalidRequest, if the algorithm is unknown, if the type comes without an algorithm, or if the
            algorithm has no checksums of the type.
    """
    algorithm = read_header(context, "checksum-algorithm", parse_requested_algorithm)
    checksum_type = read_header(context, "checksum-type", CHECKSUM_TYPE)
    if algorithm is None:
        if checksum_type is not None:
            header = context.dialect.header
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


class StatedChecksums(NamedTuple):
    """The checksums that a request to complete an upload states of the object. [checksum-of-an-upload]

    Args:
        values: The checksums. Their values are not examined.
        type: Their type; None if the request states none.
    """

    values: tuple[Checksum, ...]
    type: ChecksumType | None

    @classmethod
    def parse(cls, context: RequestContext) -> Self:
        """Read the headers.

        Raises:
            ErrorResponse: InvalidRequest, if the type is unknown.
        """
        headers = context.service_headers
        values = (Checksum(algorithm, headers[name]) for name, algorithm in VALUE_HEADERS.items() if name in headers)
        return cls(tuple(values), read_header(context, "checksum-type", CHECKSUM_TYPE))

    def check_mode(self, mode: ChecksumMode | None) -> None:
        """Check that the type is the one that the upload was begun with.

        Raises:
            ErrorResponse: InvalidRequest.
        """
        if self.type is not None and (mode is None or self.type is not mode.type):
            raise INVALID_REQUEST.error(
                f"The upload was created using the {'null' if mode is None else mode.type} checksum mode. The complete"
                " request must use the same checksum mode."
            )

    def check(self, mode: ChecksumMode | None, computed: Checksum | None) -> None:
        """Check the checksum of the object.

        Raises:
            ErrorResponse: BadDigest.
        """
        if mode is None or computed is None or not self.values:
            return
        needs_type = mode.type is ChecksumType.FULL_OBJECT
        stated = [(each.algorithm, each.value) for each in self.values]
        if (needs_type and self.type is None) or stated != [(mode.algorithm, computed.value)]:
            more = f", and its type {mode.type} must be sent, too" if needs_type else ""
            raise BAD_DIGEST.error(
                f"The {mode.algorithm.lower()} you specified did not match the calculated checksum.",
                explanation=f"the {mode.algorithm} of the object is {computed.value}{more}",
            )
