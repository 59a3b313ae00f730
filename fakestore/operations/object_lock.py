"""Object Lock: the setting of a bucket, and the retention and the legal hold of a version."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from fakestore.errors import (
    ACCESS_DENIED,
    INVALID_ARGUMENT,
    INVALID_REQUEST,
    MISSING_REQUEST_BODY,
    NO_SUCH_OBJECT_LOCK,
    OBJECT_LOCK_NOT_FOUND,
    ErrorResponse,
    invalid_argument,
)
from fakestore.model.bucket import BucketRecord
from fakestore.model.object_lock import (
    LegalHold,
    LegalHoldDocument,
    Lock,
    ObjectLock,
    Retention,
    RetentionDocument,
    RetentionMode,
    parse_until,
    render_until,
)
from fakestore.model.object_version import Change, ObjectVersion
from fakestore.operations.framework.access import BUCKET_OWNER, Access, is_authorized
from fakestore.operations.framework.call import Call, Resource
from fakestore.operations.framework.inputs import Parameters, RawValue, choice, header, read_header, switch, unread
from fakestore.operations.framework.operation import operation
from fakestore.operations.framework.result import Result
from fakestore.operations.framework.setting import Actions, Setting
from fakestore.operations.versioning import requested_version_headers
from fakestore.protocol.routing import Route
from fakestore.xml.declarations import TextError

MODE_HEADER = "object-lock-mode"

UNTIL_HEADER = "object-lock-retain-until-date"

LEGAL_HOLD_HEADER = "object-lock-legal-hold"

LOCK_HEADERS = (MODE_HEADER, UNTIL_HEADER, LEGAL_HOLD_HEADER)

#: The header that requests a bypass of a retention in governance mode.
_BYPASS = "bypass-governance-retention"

GET_RETENTION = Access("s3:GetObjectRetention", BUCKET_OWNER)

PUT_RETENTION = Access("s3:PutObjectRetention", BUCKET_OWNER)

GET_LEGAL_HOLD = Access("s3:GetObjectLegalHold", BUCKET_OWNER)

PUT_LEGAL_HOLD = Access("s3:PutObjectLegalHold", BUCKET_OWNER)

BYPASS_GOVERNANCE = Access("s3:BypassGovernanceRetention", BUCKET_OWNER)


def parse_lock(call: Call) -> Lock:
    """Return the retention and the legal hold that the headers request for a new object."""
    return Lock(_parse_retention(call), read_header(call, LEGAL_HOLD_HEADER, _LEGAL_HOLD))


def _parse_retention(call: Call) -> Retention | None:
    missing = [name for name in (MODE_HEADER, UNTIL_HEADER) if name not in call.service_headers]
    if len(missing) == 2:
        return None
    if missing:
        name_of = call.dialect.header
        raise INVALID_ARGUMENT.error(
            f"{name_of(UNTIL_HEADER)} and {name_of(MODE_HEADER)} must both be supplied",
            explanation=f"{name_of(missing[0])} is missing; send both headers or neither",
            ArgumentName=name_of(missing[0]),
        )
    return Retention(read_header(call, MODE_HEADER, _MODE), read_header(call, UNTIL_HEADER, _parse_until))


def _invalid(message: str) -> TextError:
    return lambda name, text, explanation: invalid_argument(name, text, message, explanation=explanation)


_MODE = choice(RetentionMode, _invalid("Unknown wormMode directive."))

_LEGAL_HOLD = choice(LegalHold, _invalid("Legal Hold must be either of 'ON' or 'OFF'"))


def _parse_until(sent: RawValue) -> datetime:
    try:
        until = parse_until(sent.text)
    except ValueError as expected:
        raise invalid_argument(
            sent.name,
            sent.text,
            "The retain until date must be provided in ISO 8601 format",
            explanation=f"{sent.name} is {sent.text!r}; expected {expected}",
        ) from None
    check_is_in_the_future(sent.call, sent.name, until)
    return until


def check_is_in_the_future(call: Call, argument: str, until: datetime) -> None:
    """Check that a requested retention ends in the future."""
    if until <= call.now:
        raise invalid_argument(
            argument,
            render_until(until),
            "The retain until date must be in the future!",
            explanation=f"{argument} is {until}, but the store's clock is at {call.now}",
        )


def check_has_object_lock(bucket: BucketRecord, message: str = "Bucket is missing Object Lock Configuration") -> None:
    """Check that versions in the bucket can be locked."""
    if bucket.object_lock is None:
        raise INVALID_REQUEST.error(
            message,
            explanation=f"bucket {bucket.name!r} has no Object Lock; create it with Object Lock, or send PUT Bucket"
            " object-lock",
        )


def lock_headers(call: Call, bucket: BucketRecord, version: ObjectVersion) -> dict[str, str]:
    """Return the dialect's headers with the lock of a version, as far as the requester may read it."""
    headers, resource = {}, Resource(version.key, version.version_id)
    if version.retention is not None and is_authorized(GET_RETENTION, call, bucket, resource):
        headers = {MODE_HEADER: str(version.retention.mode), UNTIL_HEADER: render_until(version.retention.until)}
    if version.legal_hold is not None and is_authorized(GET_LEGAL_HOLD, call, bucket, resource):
        headers[LEGAL_HOLD_HEADER] = str(version.legal_hold)
    return headers


class BypassParameters(Parameters):
    """Whether a request asks for a bypass of a retention in governance mode."""

    sent: RawValue | None = header(_BYPASS, unread)

    def check_state(self, call: Call, bucket: BucketRecord) -> None:
        if self.sent is None:
            return
        if bucket.object_lock is None:
            raise INVALID_ARGUMENT.error(
                f"{self.sent.name} is only applicable to Object Lock enabled buckets.",
                explanation=f"{self.sent.name} was sent, and bucket {bucket.name!r} has no Object Lock; omit it",
                ArgumentName=self.sent.name,
            )
        switch(self.sent)

    def applies(self, call: Call, bucket: BucketRecord, key: str) -> bool:
        """Return whether the request asks for a bypass and the requester has the permission."""
        asks = self.sent is not None and switch(self.sent)
        return asks and is_authorized(BYPASS_GOVERNANCE, call, bucket, Resource(key))


class RetentionParameters(BypassParameters):
    """The parameters of a PUT retention, which has its own error for a bucket without Object Lock."""

    def check_state(self, call: Call, bucket: BucketRecord) -> None:
        if bucket.object_lock is not None:
            super().check_state(call, bucket)


def check_is_unlocked(call: Call, bucket: BucketRecord, version: ObjectVersion, bypass: BypassParameters) -> None:
    if version.lock.is_closed(call.now, bypasses=bypass.applies(call, bucket, version.key)):
        raise protected(call, version, bypass)


def protected(call: Call, version: ObjectVersion, bypass: BypassParameters) -> ErrorResponse:
    lock, more = version.lock, ""
    if lock.retention is not None and lock.retention.mode is RetentionMode.GOVERNANCE:
        more = f"; a bypass needs {call.dialect.header(_BYPASS)}: true and the permission {BYPASS_GOVERNANCE.action}"
        if bypass.sent is not None:
            more += f", and {call.requester} has sent {bypass.sent.text!r}"
    if lock.legal_hold is LegalHold.ON:
        more += "; a bypass does not affect the legal hold"
    return ACCESS_DENIED.error(
        "Access Denied because object protected by object lock.",
        explanation=f"version {version.version_id} of {version.key!r} is locked: {lock}. The store's clock is at"
        f" {call.now}{more}",
    )


OBJECT_LOCK = Setting(
    "object-lock",
    "ObjectLockConfiguration",
    ObjectLock,
    Actions("s3:GetBucketObjectLockConfiguration", "s3:PutBucketObjectLockConfiguration"),
    attribute="object_lock",
    missing=OBJECT_LOCK_NOT_FOUND,
    title="Object Lock",
    needs_checksum=True,
)


@OBJECT_LOCK.put
def put_bucket_object_lock(bucket: BucketRecord, document: ObjectLock | None) -> Result:
    """Set the default retention. A document without a rule removes it."""
    if document is None:
        raise MISSING_REQUEST_BODY.error()
    bucket.lock_objects(document)
    return Result()


@operation(
    "GET Object legal-hold",
    Route("GET", "object", "legal-hold", names_version=True),
    api_name="GetObjectLegalHold",
    access=GET_LEGAL_HOLD,
)
def get_object_legal_hold(call: Call, bucket: BucketRecord) -> Result:
    check_has_object_lock(bucket)
    version = bucket.get_object_or_version(call.key, call.version_id)
    if version.legal_hold is None:
        raise NO_SUCH_OBJECT_LOCK.error(
            explanation=f"the legal hold of version {version.version_id} of {version.key!r} was never set"
        )
    return Result(
        service_headers=requested_version_headers(call),
        document=LegalHoldDocument(status=version.legal_hold),
        version_id=version.version_id,
    )


@operation(
    "PUT Object legal-hold",
    Route("PUT", "object", "legal-hold", names_version=True),
    api_name="PutObjectLegalHold",
    access=PUT_LEGAL_HOLD,
    needs_checksum=True,
)
def put_object_legal_hold(call: Call, bucket: BucketRecord, document: LegalHoldDocument) -> Result:
    check_has_object_lock(bucket)
    version = bucket.get_object_or_version(call.key, call.version_id)
    bucket.replace_version(replace(version, lock=version.lock._replace(legal_hold=document.status)))
    return Result(service_headers=requested_version_headers(call), version_id=version.version_id)


@operation(
    "GET Object retention",
    Route("GET", "object", "retention", names_version=True),
    api_name="GetObjectRetention",
    access=GET_RETENTION,
)
def get_object_retention(call: Call, bucket: BucketRecord) -> Result:
    """Return the retention, which may have ended."""
    check_has_object_lock(bucket)
    version = bucket.get_object_or_version(call.key, call.version_id)
    if version.retention is None:
        raise NO_SUCH_OBJECT_LOCK.error(explanation=f"version {version.version_id} of {version.key!r} has no retention")
    document = RetentionDocument(mode=version.retention.mode, until=version.retention.until)
    return Result(service_headers=requested_version_headers(call), document=document, version_id=version.version_id)


@operation(
    "PUT Object retention",
    Route("PUT", "object", "retention", names_version=True),
    api_name="PutObjectRetention",
    access=PUT_RETENTION,
    needs_checksum=True,
    checks_itself=(BYPASS_GOVERNANCE,),
)
def put_object_retention(
    call: Call, bucket: BucketRecord, parameters: RetentionParameters, document: RetentionDocument
) -> Result:
    check_has_object_lock(bucket)
    version = bucket.get_object_or_version(call.key, call.version_id)
    old, new = version.retention, None
    if document.mode is not None and document.until is not None:
        new = Retention(document.mode, document.until)
        check_is_in_the_future(call, "RetainUntilDate", new.until)
    bypasses = parameters.applies(call, bucket, version.key)
    if old is not None and not old.can_become(new, call.now, bypasses=bypasses):
        raise protected(call, version, parameters)
    retained = replace(version, lock=version.lock._replace(retention=new))
    bucket.replace_version(retained)
    return Result(
        service_headers=requested_version_headers(call),
        version_id=version.version_id,
        changes=(Change("ObjectRetention:Put", changed=retained),),
    )


OPERATIONS = (
    *OBJECT_LOCK.operations(put_bucket_object_lock),
    get_object_legal_hold,
    put_object_legal_hold,
    get_object_retention,
    put_object_retention,
)
