"""The source of a copy: the second resource that such a request names."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from fakestore.messages import counted
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import INVALID_REQUEST, METHOD_NOT_ALLOWED, ErrorResponse, invalid_argument
from fakestore.model.names import check_key
from fakestore.model.object_version import ObjectVersion
from fakestore.model.unsupported import UnsupportedRequest
from fakestore.model.version_ids import NULL
from fakestore.operations.core.authorization import READ_OBJECT, authorize
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.encryption import SOURCE_KEY_HEADERS, check_customer_key, check_kms_key
from fakestore.operations.core.expected_owner import (
    EXPECTED_SOURCE_OWNER_HEADER,
    check_expected_owner,
    parse_expected_owner,
)
from fakestore.operations.core.preconditions import COPY_CONDITIONS
from fakestore.operations.core.request_payment import check_request_payer
from fakestore.operations.core.resource import Resource
from fakestore.operations.core.restore import check_is_readable

#: The headers that name the source and state conditions on it, without the prefix of the dialect.
COPY_SOURCE_HEADERS = ("copy-source", *COPY_CONDITIONS, *SOURCE_KEY_HEADERS, EXPECTED_SOURCE_OWNER_HEADER)


class CopySource(NamedTuple):
    """The bucket, the key and the version in the header ``x-svc-copy-source``."""

    bucket: str
    key: str
    version_id: str | None

    @classmethod
    def parse(cls, context: RequestContext) -> CopySource:
        """Read the header. It is percent-decoded once, and ``+`` is a space.

        Raises:
            ErrorResponse: InvalidArgument, if it does not have the form ``/<bucket>/<key>[?versionId=<id>]``;
                KeyTooLongError.
            UnsupportedRequest: If it is an ARN, for example that of an access point.
        """
        value = context.service_headers.get("copy-source", "")
        path, question_mark, query = value.partition("?")
        parameter, _, version_id = query.partition("=")
        try:
            decoded = unquote_to_bytes(path.replace("+", " ").encode("latin-1")).decode()
        except UnicodeError:
            raise _malformed(context, value, "is not UTF-8 after percent-decoding") from None
        name, _, key = decoded.removeprefix("/").partition("/")
        if name.startswith("arn:"):
            raise UnsupportedRequest(
                f"{context.dialect.header('copy-source')} is {value!r}, which is an ARN. Access points are"
                " not supported; name a bucket and a key"
            )
        if not name or not key:
            raise _malformed(context, value, "does not have the form /<bucket>/<key>, percent-encoded")
        if question_mark and parameter != "versionId":
            raise _malformed(context, value, "has a query other than ?versionId=<id>; encode '?' in a key as %3F")
        check_key(key)
        return cls(name, key, version_id if question_mark else None)


def _malformed(context: RequestContext, value: str, problem: str) -> ErrorResponse:
    header = context.dialect.header("copy-source")
    return invalid_argument(
        header, header, "Invalid copy source object key", explanation=f"{header} is {value!r}, which {problem}"
    )


def resolve_copy_source(context: RequestContext, source: CopySource) -> ObjectVersion:
    """Return the version to copy, if the requester may read it and it is small enough.

    The store is locked by the caller.

    Raises:
        ErrorResponse: InvalidBucketOwnerAWSAccountID, NoSuchBucket, AccessDenied, NoSuchKey, NoSuchVersion,
            InvalidArgument, InvalidRequest, InvalidObjectState or InvalidEncryptionAlgorithmError.
    """
    expected_owner = parse_expected_owner(context, EXPECTED_SOURCE_OWNER_HEADER)
    bucket = context.state.bucket(source.bucket)
    if expected_owner is not None:
        check_expected_owner(expected_owner, bucket)
    check_request_payer(context, bucket)
    bucket.apply_lifecycle(context.now)
    authorize(READ_OBJECT, context, bucket, Resource(source.key, source.version_id))
    version = _get_source_version(bucket, source)
    check_customer_key(context, version, SOURCE_KEY_HEADERS)
    check_is_readable(version, context.now)
    check_kms_key(context, bucket, version.server_side_encryption)
    if "copy-source-range" not in context.service_headers:  # the operation that accepts it checks the range
        check_copy_size(context, version.size)
    return version


def copy_source_headers(context: RequestContext, source: ObjectVersion) -> dict[str, str]:
    """Return the headers of a reply that name the copied version."""
    is_named = source.version_id != NULL or context.semantics.copy_names_null_source
    return {"copy-source-version-id": source.version_id} if is_named else {}


def check_copy_size(context: RequestContext, size: int) -> None:
    """Check that one request may copy this number of bytes.

    Raises:
        ErrorResponse: InvalidRequest.
    """
    limit = context.limits.copy_size
    if size > limit:
        raise INVALID_REQUEST.error(
            f"The specified copy source is larger than the maximum allowable size for a copy source: {limit}",
            explanation=f"the source has {counted(size, 'byte')}, more than the {limit:,} that a copy may have",
        )


def _get_source_version(bucket: BucketRecord, source: CopySource) -> ObjectVersion:
    try:
        return bucket.get_object_or_version(source.key, source.version_id)
    except ErrorResponse as error:
        if error.error is METHOD_NOT_ALLOWED:
            raise INVALID_REQUEST.error(
                "The source of a copy request may not specifically refer to a delete marker by version id.",
                explanation=error.explanation,
            ) from None
        # The headers of a delete marker would describe the destination.
        raise error.without_marker() from None
