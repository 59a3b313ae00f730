"""PUT, GET and HEAD Object, and GET Object attributes, which leaves out the content."""

from __future__ import annotations

from dataclasses import replace

from fakestore.errors import INVALID_PART_NUMBER, INVALID_RANGE, INVALID_REQUEST, invalid_argument
from fakestore.http.values import ByteRange, http_date, parse_integer
from fakestore.messages import counted
from fakestore.model.accounts import ANONYMOUS
from fakestore.model.bucket import BucketRecord
from fakestore.model.checksums import ChecksumElements, ChecksumType, ChecksumValues, checksum_elements, checksum_values
from fakestore.model.metadata import SYSTEM_METADATA
from fakestore.model.object_lock import UNLOCKED
from fakestore.model.object_version import Change, ObjectVersion
from fakestore.operations.encryption import (
    SentKey,
    check_customer_key,
    check_kms_key,
    context_header,
    customer_key_headers,
)
from fakestore.operations.framework.access import BUCKET_WRITE, OBJECT_READ, READ_OBJECT, Access
from fakestore.operations.framework.body import ObjectContent, ReceivedBody, sends_checksum
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.inputs import Parameters, Parser, RawValue, header, query, standard_header, value
from fakestore.operations.framework.operation import operation
from fakestore.operations.framework.preconditions import (
    RangeCondition,
    VersionConditions,
    WriteConditions,
    parse_read_conditions,
)
from fakestore.operations.framework.result import Result
from fakestore.operations.lifecycle import expiration_headers
from fakestore.operations.multipart_upload import PART_NUMBER
from fakestore.operations.object_headers import LockableHeaders, ObjectHeaders, put_reply_headers, stored_headers
from fakestore.operations.object_lock import GET_LEGAL_HOLD, GET_RETENTION, lock_headers
from fakestore.operations.restore import check_is_readable
from fakestore.operations.versioning import version_headers
from fakestore.protocol.routing import Route
from fakestore.xml.declarations import child, children, document, element


class PutHeaders(LockableHeaders):
    """The headers of a PUT for the new object."""

    def check(self, call: Call, bucket: BucketRecord) -> None:
        """Check that the bucket accepts the headers, and that a locked object comes with its MD5 or a checksum."""
        super().check(call, bucket)
        if self.lock != UNLOCKED and not sends_checksum(call):
            raise INVALID_REQUEST.error(
                f"Content-MD5 OR {call.dialect.header('checksum-')} HTTP header is required for Put Object requests"
                " with Object Lock parameters"
            )


@operation(
    "PUT Object",
    Route("PUT", "object"),
    api_name="PutObject",
    access=Access("s3:PutObject", BUCKET_WRITE),
    event="ObjectCreated:Put",
)
def put_object(
    call: Call, bucket: BucketRecord, headers: PutHeaders, when: WriteConditions, body: ObjectContent
) -> Result:
    """Store an object (specification, section 4.1)."""
    return store_object(call, bucket, headers, body)


def store_object(call: Call, bucket: BucketRecord, headers: ObjectHeaders, body: ReceivedBody) -> Result:
    """Store the object of a PUT or a form, and return the reply to a PUT."""
    version = bucket.put(call.key, headers.new_object(body), owner=call.owner, now=call.now)
    return Result(
        headers={"ETag": version.etag},
        service_headers=put_reply_headers(bucket, version, call.semantics)
        | context_header(version.server_side_encryption)
        | _checksum_headers(version),
        version_id=version.version_id,
        changes=(Change(version),),
    )


def _checksum_headers(
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
    def check_request(cls, call: Call) -> None:
        """Refuse a request with both a range and a part number."""
        if "partNumber" in call.query and "range" in call.headers:
            raise INVALID_REQUEST.error("Cannot specify both Range header and partNumber query parameter")

    def select_range(self, call: Call, version: ObjectVersion) -> range | None:
        """Return the bytes to send, or None for all."""
        if self.part_number is not None:
            selected = version.part_range(self.part_number)
            if selected is None:
                count = len(version.parts) or 1
                raise INVALID_PART_NUMBER.error(
                    explanation=f"partNumber is {self.part_number}, but the object has {counted(count, 'part')}",
                    service_headers=call.requested_version_headers,
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
                service_headers=call.requested_version_headers,
                RangeRequested=self.byte_range.text,
                ActualObjectSize=str(version.size),
            )
        return selected


@operation(
    "GET Object",
    Route("GET", "object", names_version=True),
    api_name="GetObject",
    access=READ_OBJECT,
    checks_itself=(GET_RETENTION, GET_LEGAL_HOLD),
)
def get_object(call: Call, bucket: BucketRecord, parameters: ReadParameters) -> Result:
    version_id = call.version_id
    version = bucket.get_object_or_version(call.key, version_id)
    check_customer_key(call, version, parameters.customer_key)
    headers = {"ETag": version.etag, "Last-Modified": http_date(version.last_modified)}
    service_headers = version_headers(call, bucket, version)
    if version_id is None:
        service_headers |= expiration_headers(bucket, version, call.semantics)
    failure = parameters.conditions.first_failure(version, call.now)
    if failure is not None and not failure.not_modified:
        raise failure.error(call.requested_version_headers)
    if failure is not None:
        return Result(status=304, headers=headers, service_headers=service_headers, version_id=version.version_id)
    headers |= {"Accept-Ranges": "bytes", **version.all_metadata.system, **parameters.overrides}
    service_headers |= stored_headers(version, call.semantics, call.now) | lock_headers(call, bucket, version)
    if call.request.method == "GET":
        check_is_readable(version, call.now)
        check_kms_key(call, bucket, version.server_side_encryption)
    selected = parameters.select_range(call, version)
    body, status, content_tag = version.content, 200, version.content_tag
    if parameters.part_number is not None and version.parts:
        service_headers["mp-parts-count"] = str(len(version.parts))
    if selected is not None:
        if selected:  # a part can be empty [empty-part]
            headers["Content-Range"] = f"bytes {selected.start}-{selected.stop - 1}/{version.size}"
        body, status, content_tag = version.content[selected.start : selected.stop], 206, None
    if parameters.with_checksum:
        service_headers |= _checksum_headers(version, parameters.part_number, is_whole=len(body) == version.size)
    return Result(
        status=status,
        headers=headers,
        service_headers=service_headers,
        body=body,
        content_tag=content_tag,
        version_id=version.version_id,
    )


head_object = operation(
    "HEAD Object",
    Route("HEAD", "object", names_version=True),
    api_name="HeadObject",
    access=READ_OBJECT,
    checks_itself=(GET_RETENTION, GET_LEGAL_HOLD),
)(get_object.run)


# -- the attributes


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
    return Result(
        headers={"Last-Modified": http_date(version.last_modified)},
        service_headers=version_headers(call, bucket, version),
        document=GetObjectAttributesResponse(
            etag=version.etag.unquoted if "ETag" in names else None,
            checksum=checksum,
            parts=_object_parts(version, parameters) if "ObjectParts" in names else None,
            storage_class=version.storage_class if "StorageClass" in names else None,
            size=version.size if "ObjectSize" in names else None,
        ),
        version_id=version.version_id,
    )


OPERATIONS = (put_object, get_object, head_object, get_object_attributes)
