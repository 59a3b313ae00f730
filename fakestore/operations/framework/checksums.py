"""The checksum that a request has in a header, or in a trailing header of its body."""

from __future__ import annotations

from typing import NamedTuple

from fakestore.errors import BAD_DIGEST, INVALID_REQUEST, UnsupportedRequest
from fakestore.http.message import Headers
from fakestore.model.checksums import Checksum, ChecksumAlgorithm, ChecksumType, is_checksum_value
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.inputs import RawValue, choice, read_header

#: The algorithm of each header with the value of a checksum, without the prefix of the dialect.
VALUE_HEADERS = {f"checksum-{algorithm.lower()}": algorithm for algorithm in ChecksumAlgorithm}

#: The headers with the checksum of a body, without the prefix of the dialect.
CHECKSUM_HEADERS = (*VALUE_HEADERS, "sdk-checksum-algorithm")

#: The parser of the header ``checksum-type``.
CHECKSUM_TYPE = choice(
    ChecksumType,
    lambda name, text, explanation: INVALID_REQUEST.error(
        f"Value for {name} header is invalid.", explanation=explanation
    ),
    any_case=True,
)


#: The algorithms that the public service had when it answered an unknown algorithm. [checksum-algorithms]
_NAMED_ALGORITHMS = "CRC32, CRC32C, CRC64NVME, SHA1, SHA256"

_ALGORITHM = choice(
    ChecksumAlgorithm,
    lambda name, text, explanation: INVALID_REQUEST.error(
        "Checksum algorithm provided is unsupported. Please try again with any of the valid types:"
        f" [{_NAMED_ALGORITHMS}]",
        explanation=explanation,
    ),
    any_case=True,
)


def parse_algorithm(sent: RawValue) -> ChecksumAlgorithm:
    """Return the value of the header ``checksum-algorithm``, which requests the algorithm of an object that is made."""
    algorithm: ChecksumAlgorithm = _ALGORITHM(sent)
    algorithm.check_is_installed()
    return algorithm


class ExpectedChecksum(NamedTuple):
    """The checksum that the body of a request must have.

    Args:
        header: The full name of the header or trailing header that has the value.
        value: The value in base64; None if it follows the body in a trailing header.
    """

    algorithm: ChecksumAlgorithm
    header: str
    value: str | None

    @classmethod
    def parse(cls, call: Call) -> ExpectedChecksum | None:
        """Return the checksum that the headers name, or None.

        The header ``checksum-algorithm`` alone names none, and is ignored. [checksum-algorithm-of-a-put]
        """
        headers, prefix = call.service_headers, call.dialect.header_prefix
        if headers.keys().isdisjoint((*CHECKSUM_HEADERS, "checksum-type", "trailer")):
            return None
        if read_header(call, "checksum-type", CHECKSUM_TYPE) is ChecksumType.COMPOSITE:
            raise UnsupportedRequest(
                f"{call.dialect.header('checksum-type')} is {ChecksumType.COMPOSITE}, which is not supported for a"
                " request with one body; omit the header"
            )
        named = [name for name in headers if name in VALUE_HEADERS]
        if "trailer" in headers:
            named += _parse_trailer_names(call, headers["trailer"])
        if len(named) > 1:
            raise INVALID_REQUEST.error(
                f"Expecting a single {prefix}checksum- header. Multiple checksum Types are not allowed.",
                explanation=f"the request has several checksums: {', '.join(map(call.dialect.header, named))}",
            )
        if not named:
            _check_sdk_algorithm(call, None)
            return None
        (name,) = named
        header, algorithm, value = call.dialect.header(name), VALUE_HEADERS[name], headers.get(name)
        algorithm.check_is_installed()
        if value is not None and not is_checksum_value(algorithm, value):
            raise INVALID_REQUEST.error(
                f"Value for {header} header is invalid.",
                explanation=f"{header} is {value!r}; send the {algorithm.size} bytes of the {algorithm} in base64",
            )
        _check_sdk_algorithm(call, algorithm)
        return cls(algorithm, header, value)

    def check(self, computed: Checksum, trailers: Headers) -> None:
        """Check the checksum of a body that was read."""
        value = trailers.get(self.header, "") if self.value is None else self.value
        if self.value is None and not is_checksum_value(self.algorithm, value):
            raise INVALID_REQUEST.error(
                f"Value for {self.header} trailing header is invalid.",
                explanation=f"the trailing header {self.header} is {value!r}; send the {self.algorithm.size} bytes of"
                f" the {self.algorithm} in base64",
            )
        if value != computed.value:
            raise BAD_DIGEST.error(
                f"The {self.algorithm} you specified did not match the calculated checksum.",
                explanation=f"{self.header} is {value}, but the {self.algorithm} of the body is {computed.value}",
            )


def _parse_trailer_names(call: Call, text: str) -> list[str]:
    """Return the names of the checksums that follow the body, without the prefix of the dialect."""
    prefix = call.dialect.header_prefix
    names = [name for name in map(str.strip, text.lower().split(",")) if name]
    for name in names:
        if not name.startswith(prefix) or name[len(prefix) :] not in VALUE_HEADERS:
            raise UnsupportedRequest(
                f"{prefix}trailer names {name!r}, which is not supported; supported:"
                f" {', '.join(map(call.dialect.header, VALUE_HEADERS))}"
            )
    return [name[len(prefix) :] for name in names]


def _check_sdk_algorithm(call: Call, algorithm: ChecksumAlgorithm | None) -> None:
    """Check that a request in which an SDK names its algorithm has a checksum by this algorithm.

    Args:
        algorithm: The algorithm of the checksum that the request has; None if it has none.
    """
    named = call.service_headers.get("sdk-checksum-algorithm")
    if named is None or named.upper() == algorithm:
        return
    prefix = call.dialect.header_prefix
    if algorithm is not None:
        raise INVALID_REQUEST.error(
            f"Value for {prefix}sdk-checksum-algorithm header is invalid.",
            explanation=f"{prefix}sdk-checksum-algorithm is {named!r}, but the request has a {algorithm}; name the"
            " algorithm of the checksum",
        )
    raise INVALID_REQUEST.error(
        f"{prefix}sdk-checksum-algorithm specified, but no corresponding {prefix}checksum-* or {prefix}trailer headers"
        " were found.",
        explanation=f"{prefix}sdk-checksum-algorithm is {named!r}; send the value in a header"
        f" {prefix}checksum-{named.lower()}, or announce it in {prefix}trailer",
    )
