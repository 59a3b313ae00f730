"""Object Lock: what the headers of a request say about it, and whether a version can be removed."""

from __future__ import annotations

from datetime import datetime

from fakestore.documents.text_types import parse_until, render_until
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import ACCESS_DENIED, INVALID_ARGUMENT, INVALID_REQUEST, ErrorResponse, invalid_argument
from fakestore.model.object_lock import UNLOCKED, LegalHold, Lock, Retention, RetentionMode
from fakestore.model.object_version import ObjectVersion
from fakestore.operations.core.authorization import BUCKET_OWNER, Access, is_authorized
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.object_lock_headers import LEGAL_HOLD_HEADER, LOCK_HEADERS, MODE_HEADER, UNTIL_HEADER
from fakestore.operations.core.resource import Resource
from fakestore.operations.core.switch_headers import parse_switch

#: The header that asks to bypass a retention in governance mode.
BYPASS_HEADER = "bypass-governance-retention"

GET_RETENTION = Access("s3:GetObjectRetention", BUCKET_OWNER)
PUT_RETENTION = Access("s3:PutObjectRetention", BUCKET_OWNER)
GET_LEGAL_HOLD = Access("s3:GetObjectLegalHold", BUCKET_OWNER)
PUT_LEGAL_HOLD = Access("s3:PutObjectLegalHold", BUCKET_OWNER)
BYPASS_GOVERNANCE = Access("s3:BypassGovernanceRetention", BUCKET_OWNER)


def parse_lock(context: RequestContext) -> Lock:
    """Return the retention and the legal hold that the headers request for a new object.

    Raises:
        ErrorResponse: InvalidArgument, if the headers are incomplete or a value is invalid.
    """
    if context.service_headers.keys().isdisjoint(LOCK_HEADERS):
        return UNLOCKED
    return Lock(_parse_retention(context), _parse_legal_hold(context))


def _parse_retention(context: RequestContext) -> Retention | None:
    mode, until = (context.service_headers.get(name) for name in (MODE_HEADER, UNTIL_HEADER))
    if mode is None and until is None:
        return None
    mode_header, until_header = context.dialect.header(MODE_HEADER), context.dialect.header(UNTIL_HEADER)
    if mode is None or until is None:
        missing = mode_header if mode is None else until_header
        raise INVALID_ARGUMENT.error(
            f"{until_header} and {mode_header} must both be supplied",
            explanation=f"{missing} is missing; send both headers or neither",
            ArgumentName=missing,
        )
    if mode not in list(RetentionMode):
        raise invalid_argument(
            mode_header,
            mode,
            "Unknown wormMode directive.",
            explanation=f"{mode_header} is {mode!r}; expected {' or '.join(RetentionMode)}",
        )
    try:
        moment = parse_until(until)
    except ValueError as expected:
        raise invalid_argument(
            until_header,
            until,
            "The retain until date must be provided in ISO 8601 format",
            explanation=f"{until_header} is {until!r}; expected {expected}",
        ) from None
    check_is_in_the_future(context, until_header, moment)
    return Retention(RetentionMode(mode), moment)


def check_is_in_the_future(context: RequestContext, argument: str, until: datetime) -> None:
    """Check that a retention that is requested has not ended already.

    Raises:
        ErrorResponse: InvalidArgument.
    """
    if until <= context.now:
        raise invalid_argument(
            argument,
            render_until(until),
            "The retain until date must be in the future!",
            explanation=f"{argument} is {until}, but the store's clock is at {context.now}",
        )


def _parse_legal_hold(context: RequestContext) -> LegalHold | None:
    text = context.service_headers.get(LEGAL_HOLD_HEADER)
    if text is None:
        return None
    if text not in list(LegalHold):
        header = context.dialect.header(LEGAL_HOLD_HEADER)
        raise invalid_argument(
            header,
            text,
            "Legal Hold must be either of 'ON' or 'OFF'",
            explanation=f"{header} is {text!r}; expected {' or '.join(LegalHold)}",
        )
    return LegalHold(text)


def lock_access(lock: Lock) -> tuple[Access, ...]:
    """Return what a requester needs to store an object with this lock."""
    retention = () if lock.retention is None else (PUT_RETENTION,)
    return retention if lock.legal_hold is None else (*retention, PUT_LEGAL_HOLD)


def check_has_object_lock(bucket: BucketRecord) -> None:
    """Check that versions in the bucket can be locked.

    Raises:
        ErrorResponse: InvalidRequest.
    """
    if bucket.object_lock is None:
        raise INVALID_REQUEST.error(
            "Bucket is missing Object Lock Configuration",
            explanation=f"bucket {bucket.name!r} has no Object Lock; create it with Object Lock, or send PUT Bucket"
            " object-lock",
        )


def lock_headers(context: RequestContext, bucket: BucketRecord, version: ObjectVersion) -> dict[str, str]:
    """Return the dialect's headers about the lock of a version that is read, as far as the requester may know it."""
    headers, resource = {}, Resource(version.key, version.version_id)
    if version.retention is not None and is_authorized(GET_RETENTION, context, bucket, resource):
        headers = {MODE_HEADER: str(version.retention.mode), UNTIL_HEADER: render_until(version.retention.until)}
    if version.legal_hold is not None and is_authorized(GET_LEGAL_HOLD, context, bucket, resource):
        headers[LEGAL_HOLD_HEADER] = str(version.legal_hold)
    return headers


def check_bypass_header(context: RequestContext, bucket: BucketRecord) -> None:
    """Check the header that asks to bypass a retention, if it was sent.

    Raises:
        ErrorResponse: InvalidArgument, if the bucket has no Object Lock, whatever the value.
        UnsupportedRequest: If the value is neither true nor false.
    """
    if BYPASS_HEADER not in context.service_headers:
        return
    if bucket.object_lock is None:
        header = context.dialect.header(BYPASS_HEADER)
        raise INVALID_ARGUMENT.error(
            f"{header} is only applicable to Object Lock enabled buckets.",
            explanation=f"{header} was sent, and bucket {bucket.name!r} has no Object Lock; omit it",
            ArgumentName=header,
        )
    parse_switch(context, BYPASS_HEADER)


def bypasses_governance(context: RequestContext, bucket: BucketRecord, key: str) -> bool:
    """Return whether the request asks to bypass the governance mode, and the requester may."""
    asks = parse_switch(context, BYPASS_HEADER) or False
    return asks and is_authorized(BYPASS_GOVERNANCE, context, bucket, Resource(key))


def check_is_unlocked(context: RequestContext, bucket: BucketRecord, version: ObjectVersion) -> None:
    """Check that a version can be removed.

    Raises:
        ErrorResponse: AccessDenied.
    """
    if version.lock.is_closed(context.now) and version.lock.is_closed(
        context.now, bypasses=bypasses_governance(context, bucket, version.key)
    ):
        raise protected(context, version)


def protected(context: RequestContext, version: ObjectVersion) -> ErrorResponse:
    """Return the error for a request that Object Lock refuses."""
    lock, header, more = version.lock, context.dialect.header(BYPASS_HEADER), ""
    if lock.retention is not None and lock.retention.mode is RetentionMode.GOVERNANCE:
        more = f"; a bypass needs {header}: true and the permission {BYPASS_GOVERNANCE.action}"
        if BYPASS_HEADER in context.service_headers:
            more += f", and {context.requester} has sent {context.service_headers[BYPASS_HEADER]!r}"
    if lock.legal_hold is LegalHold.ON:
        more += "; a bypass does not affect the legal hold"
    return ACCESS_DENIED.error(
        "Access Denied because object protected by object lock.",
        explanation=f"version {version.version_id} of {version.key!r} is locked: {lock}. The store's clock is at"
        f" {context.now}{more}",
    )
