"""PUT, GET and HEAD Object."""

from __future__ import annotations

from dataclasses import replace

from fakestore.errors import INVALID_PART_NUMBER, INVALID_RANGE, INVALID_REQUEST, invalid_argument
from fakestore.http.values import ByteRange, http_date
from fakestore.messages import counted
from fakestore.model.accounts import ANONYMOUS
from fakestore.model.bucket import BucketRecord
from fakestore.model.checksums import ChecksumType
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
from fakestore.operations.framework.access import BUCKET_WRITE, READ_OBJECT, Access
from fakestore.operations.framework.body import ObjectContent, ReceivedBody, sends_checksum
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.inputs import Parameters, RawValue, header, query, standard_header, value
from fakestore.operations.framework.operation import operation
from fakestore.operations.framework.preconditions import (
    RangeCondition,
    VersionConditions,
    WriteConditions,
    parse_read_conditions,
)
from fakestore.operations.framework.result import Result
from fakestore.operations.multipart_upload import PART_NUMBER
from fakestore.operations.object_headers import (
    LockableHeaders,
    ObjectHeaders,
    put_reply_headers,
    read_reply_headers,
    stored_headers,
)
from fakestore.operations.object_lock import GET_LEGAL_HOLD, GET_RETENTION
from fakestore.operations.restore import check_is_readable
from fakestore.operations.versioning import requested_version_headers
from fakestore.protocol.routing import Route


class PutHeaders(LockableHeaders):
    """The headers of a PUT for the new object."""

    def check_state(self, call: Call, bucket: BucketRecord) -> None:
        """Check that the bucket accepts the headers, and that a locked object comes with its MD5 or a checksum."""
        super().check_state(call, bucket)
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
    def check_raw(cls, call: Call) -> None:
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


@operation(
    "GET Object",
    Route("GET", "object", names_version=True),
    api_name="GetObject",
    access=READ_OBJECT,
    checks_itself=(GET_RETENTION, GET_LEGAL_HOLD),
)
def get_object(call: Call, bucket: BucketRecord, parameters: ReadParameters) -> Result:
    """Return an object or one of its versions, or a part of its content."""
    version = bucket.get_object_or_version(call.key, call.version_id)
    check_customer_key(call, version, parameters.customer_key)
    headers = {"ETag": version.etag, "Last-Modified": http_date(version.last_modified)}
    service_headers = read_reply_headers(call, bucket, version)
    failure = parameters.conditions.first_failure(version, call.now)
    if failure is not None:
        if not failure.not_modified:
            raise failure.error(requested_version_headers(call))
        return Result(status=304, headers=headers, service_headers=service_headers, version_id=version.version_id)
    headers |= {"Accept-Ranges": "bytes", **version.all_metadata.system, **parameters.overrides}
    service_headers |= stored_headers(call, bucket, version)
    sends_content = call.request.method == "GET"
    if sends_content:
        check_is_readable(version, call.now)
    check_kms_key(call, bucket, version.server_side_encryption, uses_key=sends_content)
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


OPERATIONS = (put_object, get_object, head_object)
