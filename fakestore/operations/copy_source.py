"""The source of a copy: the second resource of a request."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from fakestore.errors import INVALID_REQUEST, METHOD_NOT_ALLOWED, ErrorResponse, UnsupportedRequest, invalid_argument
from fakestore.http.values import parse_http_date
from fakestore.messages import counted
from fakestore.model.bucket import BucketRecord
from fakestore.model.names import check_key
from fakestore.model.object_version import ObjectVersion
from fakestore.model.versioning import NULL
from fakestore.operations.bucket import check_expected_owner, parse_account_number
from fakestore.operations.encryption import SOURCE_KEY_HEADERS, SentKey, check_customer_key, check_kms_key, read_key
from fakestore.operations.framework.access import READ_OBJECT
from fakestore.operations.framework.call import Call, Resource
from fakestore.operations.framework.fields import Sent, header, headers, read_header, unread
from fakestore.operations.framework.parameters import Source
from fakestore.operations.framework.preconditions import VersionConditions
from fakestore.operations.request_payment import REQUEST_PAYER_HEADER, check_request_payer
from fakestore.operations.restore import check_is_readable


class SourceAddress(NamedTuple):
    """The bucket, the key and the version in a header such as ``x-svc-copy-source``."""

    bucket: str
    key: str
    version_id: str | None

    @classmethod
    def parse(cls, sent: Sent) -> SourceAddress:
        """Read the header. It is percent-decoded once, and ``+`` is a space."""
        path, question_mark, query = sent.text.partition("?")
        parameter, _, version_id = query.partition("=")
        try:
            decoded = unquote_to_bytes(path.replace("+", " ").encode("latin-1")).decode()
        except UnicodeError:
            raise _malformed(sent, "is not UTF-8 after percent-decoding") from None
        name, _, key = decoded.removeprefix("/").partition("/")
        if name.startswith("arn:"):
            raise UnsupportedRequest(
                f"{sent.name} is {sent.text!r}, which is an ARN. Access points are not supported; name a bucket and a"
                " key"
            )
        if not name or not key:
            raise _malformed(sent, "does not have the form /<bucket>/<key>, percent-encoded")
        if question_mark and parameter != "versionId":
            raise _malformed(sent, "has a query other than ?versionId=<id>; encode '?' in a key as %3F")
        check_key(key)
        return cls(name, key, version_id if question_mark else None)


def _malformed(sent: Sent, problem: str) -> ErrorResponse:
    noun = sent.name.removeprefix(sent.call.dialect.header_prefix).replace("-", " ")  # for example "copy source"
    return invalid_argument(
        sent.name,
        sent.name,
        f"Invalid {noun} object key",
        explanation=f"{sent.name} is {sent.text!r}, which {problem}",
    )


class CopiedVersion(NamedTuple):
    address: SourceAddress
    version: ObjectVersion


#: The headers with the conditions on the source of a copy, without the prefix of the dialect.
_CONDITIONS = tuple(
    f"copy-source-{name}" for name in ("if-match", "if-none-match", "if-modified-since", "if-unmodified-since")
)


def _parse_conditions(call: Call) -> VersionConditions:
    headers = call.service_headers
    return VersionConditions(  # rule: source-conditions
        prefix=call.dialect.header("copy-source-"),
        match=headers.get("copy-source-if-match"),
        none_match=headers.get("copy-source-if-none-match"),
        modified_since=read_header(call, "copy-source-if-modified-since", _parse_date),
        unmodified_since=read_header(call, "copy-source-if-unmodified-since", _parse_date),
        future_is_ignored=call.semantics.copy_ignores_future_modified_since,
    )


def _parse_date(sent: Sent) -> datetime:
    moment = parse_http_date(sent.text)
    if moment is None:
        raise invalid_argument(
            sent.name,
            sent.text,
            explanation=f"{sent.name} is {sent.text!r}; send a date such as 'Sun, 06 Nov 1994 08:49:37 GMT'",
        )
    return moment


class CopySource(Source):
    """The source of a copy: a stored object, and the headers that name it.

    Args:
        expected_owner: The account that must own the bucket. It is read after the destination was checked.
    """

    accesses = (READ_OBJECT,)

    address: SourceAddress = header("copy-source", SourceAddress.parse)
    conditions: VersionConditions | None = headers(_parse_conditions, *_CONDITIONS)
    expected_owner: Sent | None = header("source-expected-bucket-owner", unread)
    payer: str | None = header(REQUEST_PAYER_HEADER)
    customer_key: SentKey | None = headers(lambda call: read_key(call, SOURCE_KEY_HEADERS), *SOURCE_KEY_HEADERS)

    def bucket(self, call: Call) -> BucketRecord:
        return call.state.bucket(self.address.bucket)

    def resolve(self, call: Call) -> CopiedVersion:
        """Return the version to copy. Check that the requester may read it, and that it is small enough."""
        address = self.address
        expected_owner = None if self.expected_owner is None else parse_account_number(self.expected_owner)
        bucket = self.bucket(call)
        check_expected_owner(expected_owner, bucket)
        check_request_payer(call, bucket, self.payer)
        bucket.apply_lifecycle(call.now)
        self.authorize(call, bucket, Resource(address.key, address.version_id))  # rule: source-access
        version = _get_source_version(bucket, address)
        check_customer_key(call, version, self.customer_key, SOURCE_KEY_HEADERS)
        check_is_readable(version, call.now, "Operation is not valid for the source object's storage class")
        check_kms_key(call, bucket, version.server_side_encryption)
        if "copy-source-range" not in call.service_headers:  # the operation that accepts it checks the range
            check_copy_size(call, version.size)
        return CopiedVersion(address, version)

    def check(self, resource: CopiedVersion, now: datetime) -> None:
        failure = None if self.conditions is None else self.conditions.first_failure(resource.version, now)
        if failure is not None:  # rule: source-condition-fails
            raise failure.error()


def copy_source_headers(call: Call, source: ObjectVersion) -> dict[str, str]:
    """Return the reply headers that name the copied version."""
    is_named = source.version_id != NULL or call.semantics.copy_names_null_source
    return {"copy-source-version-id": source.version_id} if is_named else {}


def check_copy_size(call: Call, size: int) -> None:
    """Check that one request may copy this number of bytes."""
    limit = call.limits.copy_size
    if size > limit:
        raise INVALID_REQUEST.error(
            f"The specified copy source is larger than the maximum allowable size for a copy source: {limit}",
            explanation=f"the source has {counted(size, 'byte')}, more than the {limit:,} that a copy may have",
        )


def _get_source_version(bucket: BucketRecord, source: SourceAddress) -> ObjectVersion:
    try:
        return bucket.get_object_or_version(source.key, source.version_id)
    except ErrorResponse as error:
        if error.error is METHOD_NOT_ALLOWED:
            raise INVALID_REQUEST.error(
                "The source of a copy request may not specifically refer to a delete marker by version id.",
                explanation=error.explanation,
            ) from None
        # Headers that describe a delete marker would be read as headers of the destination.
        raise error.replace(service_headers={}) from None
