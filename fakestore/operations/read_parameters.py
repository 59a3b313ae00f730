"""What a GET or HEAD Object reads from the query and the headers, and which bytes it selects."""

from __future__ import annotations

from fakestore.errors import INVALID_PART_NUMBER, INVALID_RANGE, INVALID_REQUEST, invalid_argument
from fakestore.http.values import ByteRange
from fakestore.messages import counted
from fakestore.model.accounts import ANONYMOUS
from fakestore.model.metadata import SYSTEM_METADATA
from fakestore.model.object_version import ObjectVersion
from fakestore.operations.encryption import SentKey, customer_key_headers
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.inputs import Parameters, RawValue, header, query, standard_header, value
from fakestore.operations.framework.preconditions import RangeCondition, VersionConditions, parse_read_conditions
from fakestore.operations.multipart_upload import PART_NUMBER
from fakestore.operations.versioning import requested_version_headers

#: The query parameters that replace headers of the reply.
_OVERRIDES = {f"response-{name}": name.title() for name in SYSTEM_METADATA}


def _parse_overrides(call: Call) -> dict[str, str]:
    overrides = {}
    for name, text in call.query.items():
        if name not in _OVERRIDES:
            continue
        if call.requester is ANONYMOUS:
            raise INVALID_REQUEST.error(
                "Request specific response headers cannot be used for anonymous GET requests.",
                explanation=f"the query has {name}, which needs a signed request",
            )
        if not all(" " <= each <= "~" or "\xa0" <= each <= "\xff" for each in text):
            raise invalid_argument(
                name,
                text,
                "Header value cannot be represented using ISO-8859-1.",
                explanation=f"{name} is {text!r}, which has a character that a header cannot have",
            )
        overrides[_OVERRIDES[name]] = text
    return overrides


def _parse_checksum_mode(sent: RawValue) -> bool:
    """Return True: the only valid value is ENABLED, so the reply to a GET or HEAD has the checksum."""
    if sent.text.upper() != "ENABLED":
        raise INVALID_REQUEST.error(
            f"Value for {sent.name} header is invalid.",
            explanation=f"{sent.name} is {sent.text!r}; expected ENABLED",
        )
    return True


class ReadParameters(Parameters):
    """The parameters of a GET or HEAD: conditions, a range or a part, and whether the checksum is requested."""

    conditions: VersionConditions = value(
        parse_read_conditions,
        standard_headers=("if-match", "if-none-match", "if-modified-since", "if-unmodified-since"),
    )
    byte_range: ByteRange | None = standard_header("range", lambda sent: ByteRange.parse(sent.text))
    range_condition: RangeCondition | None = standard_header("if-range", RangeCondition.parse)
    part_number: int | None = query("partNumber", PART_NUMBER)
    overrides: dict[str, str] = value(_parse_overrides, query=tuple(_OVERRIDES))
    with_checksum: bool = header("checksum-mode", _parse_checksum_mode, default=False)
    customer_key: SentKey | None = customer_key_headers()

    @classmethod
    def check_raw(cls, call: Call) -> None:
        """Refuse a request with both a range and a part number."""
        if "partNumber" in call.query and "range" in call.headers:
            raise INVALID_REQUEST.error("Cannot specify both Range header and partNumber query parameter")

    def is_modified(self, call: Call, version: ObjectVersion) -> bool:
        """Check the conditions. Return False if the reader has the version already, so that the answer is 304."""
        failure = self.conditions.first_failure(version, call.now)
        if failure is not None and not failure.not_modified:
            raise failure.error(requested_version_headers(call))
        return failure is None

    def select_range(self, call: Call, version: ObjectVersion) -> range | None:
        """Return the bytes to send, or None for all."""
        if self.part_number is not None:
            selected = version.part_range(self.part_number)
            if selected is None:
                count = len(version.parts) or 1
                raise INVALID_PART_NUMBER.error(
                    explanation=f"partNumber is {self.part_number}, but the object has {counted(count, 'part')}",
                    service_headers=requested_version_headers(call),
                    PartNumberRequested=str(self.part_number),
                    ActualPartCount=str(count),
                )
            return selected
        if self.byte_range is None:
            return None
        if self.range_condition is not None and not self.range_condition.holds_for(version):
            return None
        selected = self.byte_range.select(version.size)
        if not selected:
            raise INVALID_RANGE.error(
                explanation=f"Range is {self.byte_range.text!r}, but the object has {counted(version.size, 'byte')}",
                service_headers=requested_version_headers(call),
                RangeRequested=self.byte_range.text,
                ActualObjectSize=str(version.size),
            )
        return selected
