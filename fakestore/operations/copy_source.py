"""The source of a copy, of an object or of a part: the second resource of the request."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple, Self
from urllib.parse import unquote_to_bytes

from fakestore.errors import (
    INVALID_REQUEST,
    METHOD_NOT_ALLOWED,
    NO_SUCH_KEY,
    ErrorResponse,
    UnsupportedRequest,
    invalid_argument,
)
from fakestore.http.values import parse_http_date
from fakestore.messages import counted
from fakestore.model.bucket import BucketRecord
from fakestore.model.names import check_key, is_bucket_name
from fakestore.model.object_version import MarkerError, ObjectVersion
from fakestore.operations.bucket import ExpectedOwner, parse_account_number
from fakestore.operations.encryption import (
    SOURCE_KEY_HEADERS,
    SentKey,
    check_customer_key,
    check_kms_key,
    read_key,
)
from fakestore.operations.framework.access import READ_OBJECT
from fakestore.operations.framework.call import Call, Resource
from fakestore.operations.framework.inputs import RawValue, Source, header, headers, read_header
from fakestore.operations.framework.preconditions import VersionConditions
from fakestore.operations.request_payment import RequestPayer
from fakestore.operations.restore import check_is_readable

#: The message that refuses an anonymous copy.
NO_ANONYMOUS_COPIES = "Anonymous users cannot copy objects.  Please authenticate."

#: A percent sign that does not begin a byte in percent-encoding.
_MALFORMED_ESCAPE = "%(?![0-9a-fA-F]{2})"


class SourceAddress(NamedTuple):
    """The bucket, the key and the version in a header such as ``x-svc-copy-source``."""

    bucket: str
    key: str
    version_id: str | None

    @classmethod
    def parse(cls, sent: RawValue) -> SourceAddress:
        """Read the header. It is percent-decoded once, and ``+`` is a space."""
        path, question_mark, query = sent.text.partition("?")
        parameter, _, version_id = query.partition("=")
        is_strict = sent.call.semantics.strict_copy_sources
        if re.search(_MALFORMED_ESCAPE, sent.text) or (is_strict and not sent.text.isascii()):
            raise _malformed(sent, "is not percent-encoded", "encoding")
        try:
            decoded = unquote_to_bytes(path.replace("+", " ").encode("latin-1")).decode()
        except UnicodeError:
            raise _malformed(sent, "is not UTF-8 after percent-decoding", "encoding") from None
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
        if is_strict and not is_bucket_name(name):
            raise _malformed(sent, "does not begin with the name of a bucket", "bucket name")
        check_key(key)
        return cls(name, key, version_id if question_mark else None)


def _malformed(sent: RawValue, problem: str, what: str = "object key") -> ErrorResponse:
    noun = sent.name.removeprefix(sent.call.dialect.header_prefix).replace("-", " ")  # for example "copy source"
    return invalid_argument(
        sent.name,
        sent.name,
        f"Invalid {noun} {what}",
        explanation=f"{sent.name} is {sent.text!r}, which {problem}",
    )


#: The headers with the conditions on the source of a copy, without the prefix of the dialect.
_CONDITIONS = tuple(
    f"copy-source-{name}" for name in ("if-match", "if-none-match", "if-modified-since", "if-unmodified-since")
)


def _parse_conditions(call: Call) -> VersionConditions:
    headers = call.service_headers
    return VersionConditions(
        prefix=call.dialect.header("copy-source-"),
        match=headers.get("copy-source-if-match"),
        none_match=headers.get("copy-source-if-none-match"),
        modified_since=read_header(call, "copy-source-if-modified-since", _parse_date),
        unmodified_since=read_header(call, "copy-source-if-unmodified-since", _parse_date),
        future_is_ignored=call.semantics.copy_ignores_future_modified_since,
    )


def _parse_date(sent: RawValue) -> datetime:
    moment = parse_http_date(sent.text)
    if moment is None:
        raise invalid_argument(
            sent.name,
            sent.text,
            explanation=f"{sent.name} is {sent.text!r}; send a date such as 'Sun, 06 Nov 1994 08:49:37 GMT'",
        )
    return moment


class ExpectedSourceOwner(ExpectedOwner):
    """The bucket of the source has the owner that the request expects."""

    number: str | None = header("source-expected-bucket-owner", parse_account_number)


class CopySource(Source):
    """The source of a copy: a stored object, and the headers that name it.

    Args:
        found: The version that is copied; None until the framework has found it.
    """

    accesses = (READ_OBJECT,)
    guards = (ExpectedSourceOwner, RequestPayer)

    address: SourceAddress = header("copy-source", SourceAddress.parse)
    conditions: VersionConditions | None = headers(_parse_conditions, *_CONDITIONS)
    customer_key: SentKey | None = headers(lambda call: read_key(call, SOURCE_KEY_HEADERS), *SOURCE_KEY_HEADERS)
    found: ObjectVersion | None = None

    @property
    def version(self) -> ObjectVersion:
        """The version that is copied."""
        assert self.found is not None, "the framework finds the source before it checks the headers"
        return self.found

    @property
    def bucket_name(self) -> str:
        return self.address.bucket

    def find(self, call: Call, source_bucket: BucketRecord) -> Self:
        """Find the version to copy, which the requester may read."""
        address = self.address
        self.authorize(call, source_bucket, Resource(address.key, address.version_id))
        version = _get_source_version(source_bucket, address)
        check_customer_key(call, version, self.customer_key, SOURCE_KEY_HEADERS)
        check_is_readable(version, call.now, "Operation is not valid for the source object's storage class")
        check_kms_key(call, source_bucket, version.server_side_encryption)
        if "copy-source-range" not in call.service_headers:
            check_copy_size(call, version.size)
        return replace(self, found=version)

    def check_state(self, call: Call, bucket: BucketRecord) -> None:
        failure = None if self.conditions is None else self.conditions.first_failure(self.version, call.now)
        if failure is not None:
            raise failure.error()


def check_copy_size(call: Call, size: int) -> None:
    """Check that one request may copy this number of bytes."""
    limit = call.limits.copy_size
    if size > limit:
        raise INVALID_REQUEST.error(
            f"The specified copy source is larger than the maximum allowable size for a copy source: {limit}",
            explanation=f"the source has {counted(size, 'byte')}, more than the {limit:,} that a copy may have",
        )


def _get_source_version(source_bucket: BucketRecord, source: SourceAddress) -> ObjectVersion:
    try:
        return source_bucket.get_object_or_version(source.key, source.version_id)
    except MarkerError as error:
        if error.code == METHOD_NOT_ALLOWED.code:
            raise INVALID_REQUEST.error(
                "The source of a copy request may not specifically refer to a delete marker by version id.",
                explanation=error.explanation,
            ) from None
        # Headers that describe a delete marker would be read as headers of the destination.
        raise NO_SUCH_KEY.error(explanation=error.explanation, Key=source.key) from None
