"""GET Object attributes, which returns what is known of an object without its content."""

from __future__ import annotations

from dataclasses import replace

from fakestore.errors import INVALID_REQUEST, invalid_argument
from fakestore.http.values import http_date, parse_integer
from fakestore.model.bucket import BucketRecord
from fakestore.model.checksums import ChecksumElements, ChecksumType, ChecksumValues, checksum_elements, checksum_values
from fakestore.model.object_version import ObjectVersion
from fakestore.operations.encryption import SentKey, check_customer_key, customer_key_headers
from fakestore.operations.framework.access import OBJECT_READ, READ_OBJECT, Access
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.inputs import Parameters, Parser, RawValue, header, value
from fakestore.operations.framework.operation import operation
from fakestore.operations.framework.result import Result
from fakestore.operations.versioning import version_headers
from fakestore.protocol.routing import Route
from fakestore.xml.declarations import child, children, document, element


@element()
class AttributePart(ChecksumValues):
    part_number: int = child("PartNumber")
    size: int = child("Size")


@element()
class ObjectParts:
    """The number of parts of an object. If each part has a checksum, also a page of parts."""

    is_truncated: bool | None = child("IsTruncated", default=None)
    max_parts: int | None = child("MaxParts", default=None)
    next_part_number_marker: int | None = child("NextPartNumberMarker", default=None)
    part_number_marker: int | None = child("PartNumberMarker", default=None)
    parts: tuple[AttributePart, ...] = children("Part")
    count: int = child("PartsCount")


@document("GetObjectAttributesResponse")
class GetObjectAttributesResponse:
    """The attributes of an object that were requested; ``etag`` has no quotes."""

    etag: str | None = child("ETag", default=None)
    checksum: ChecksumElements | None = child("Checksum", default=None)
    parts: ObjectParts | None = child("ObjectParts", default=None)
    storage_class: str | None = child("StorageClass", default=None)
    size: int | None = child("ObjectSize", default=None)


#: The maximum number of parts in one reply.
_MOST_PARTS_OF_A_PAGE = 1000

_ATTRIBUTES = ("ETag", "Checksum", "ObjectParts", "StorageClass", "ObjectSize")


def _parse_names(call: Call) -> frozenset[str]:
    """Return the requested attributes. Blanks around the names are ignored."""
    header, text = call.dialect.header("object-attributes"), call.service_headers.get("object-attributes", "")
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise INVALID_REQUEST.error(
            f"The {header} header specifying the attributes to be retrieved is either missing or empty",
            explanation=f"send the header {header} with some of {', '.join(_ATTRIBUTES)}",
        )
    for name in names:
        if name not in _ATTRIBUTES:
            raise invalid_argument(
                header,
                text,
                "Invalid attribute name specified.",
                explanation=f"unknown attribute {name!r} in {header}; expected some of {', '.join(_ATTRIBUTES)}",
            )
    return frozenset(names)


def _count(default: int) -> Parser[int]:
    """Return the parser of a number. The header is ignored if its value is invalid. [attributes-of-parts]"""

    def parse(sent: RawValue) -> int:
        count = parse_integer(sent.text)
        return default if count is None else count

    return parse


class AttributesParameters(Parameters):
    names: frozenset[str] = value(_parse_names, headers=("object-attributes",))
    max_parts: int = header("max-parts", _count(_MOST_PARTS_OF_A_PAGE), default=_MOST_PARTS_OF_A_PAGE)
    part_number_marker: int = header("part-number-marker", _count(0), default=0)
    customer_key: SentKey | None = customer_key_headers()

    further_access = (READ_OBJECT,)


def _object_parts(version: ObjectVersion, parameters: AttributesParameters) -> ObjectParts | None:
    """Return the parts of a version. They are listed only if its checksum is composite. [attributes-of-parts]"""
    count = len(version.parts)
    if not count:
        return None
    if version.checksum is None or version.checksum.type is not ChecksumType.COMPOSITE:
        return ObjectParts(parts=(), count=count)
    size, marker = min(parameters.max_parts, _MOST_PARTS_OF_A_PAGE), parameters.part_number_marker
    page = [
        AttributePart(part_number=number, size=part.size, **checksum_values(part.checksum))
        for number, part in enumerate(version.parts[marker : marker + size], marker + 1)
    ]
    return ObjectParts(
        is_truncated=bool(page) and page[-1].part_number < count,
        max_parts=size,
        next_part_number_marker=page[-1].part_number if page else 0,
        part_number_marker=marker,
        parts=tuple(page),
        count=count,
    )


@operation(
    "GET Object attributes",
    Route("GET", "object", "attributes", names_version=True),
    api_name="GetObjectAttributes",
    access=Access("s3:GetObjectAttributes", OBJECT_READ, version=Access("s3:GetObjectVersionAttributes", OBJECT_READ)),
)
def get_object_attributes(call: Call, bucket: BucketRecord, parameters: AttributesParameters) -> Result:
    """Return the requested attributes. The document has them in a fixed order."""
    version = bucket.get_object_or_version(call.key, call.version_id)
    check_customer_key(call, version, parameters.customer_key)
    names, checksum = parameters.names, None
    if version.checksum is not None and "Checksum" in names:
        # A composite checksum comes without the number of parts here.
        checksum = ChecksumElements(
            **checksum_elements(replace(version.checksum, value=version.checksum.value.partition("-")[0]))
        )
    parts = _object_parts(version, parameters) if "ObjectParts" in names else None
    return Result(
        headers={"Last-Modified": http_date(version.last_modified)},
        service_headers=version_headers(call, bucket, version),
        document=GetObjectAttributesResponse(
            etag=version.etag.unquoted if "ETag" in names else None,
            checksum=checksum,
            parts=parts,
            storage_class=version.storage_class if "StorageClass" in names else None,
            size=version.size if "ObjectSize" in names else None,
        ),
        version_id=version.version_id,
        truncated_after=len(parts.parts) if parts is not None and parts.is_truncated else None,
    )


OPERATIONS = (get_object_attributes,)
