"""MFA Delete: the code of a device, which confirms that versions are deleted, or that MFA Delete is switched."""

from __future__ import annotations

from fakestore.errors import ACCESS_DENIED, ErrorResponse, UnsupportedRequest, invalid_argument
from fakestore.model.bucket import BucketRecord
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.inputs import Guard, header


def check_mfa(call: Call, bucket: BucketRecord) -> None:
    """Check that the request carries the serial number and the code of the bucket's device."""
    device = bucket.mfa_device
    assert device is not None, "MFA Delete is never on without a device"
    header = call.dialect.header("mfa")
    value = call.service_headers.get("mfa")
    if value is None:
        raise ACCESS_DENIED.error(
            "Mfa Authentication must be used for this request",
            explanation=f"bucket {bucket.name!r} has MFA Delete on, and {header} was not sent",
        )
    serial, _, code = value.partition(" ")
    if not serial or not code or " " in code:
        raise invalid_argument(
            header, value, explanation=f"{header} is malformed; send the serial number, one space and the code"
        )
    if not device.displays(serial, code):
        raise ACCESS_DENIED.error(
            "Mfa Authentication failed",
            explanation=f"{header} names {serial!r} with a wrong code or serial number; the device of bucket"
            f" {bucket.name!r} is {device.serial!r}",
        )


def has_valid_mfa(call: Call, bucket: BucketRecord) -> bool:
    """Return whether the request may delete versions permanently: MFA Delete is off, or the device confirms it."""
    if not bucket.mfa_delete:
        return True
    try:
        check_mfa(call, bucket)
    except ErrorResponse:
        return False
    return True


class MfaTransport(Guard):
    """The code of an MFA device comes over https."""

    needs_bucket = False
    needs_header = True

    code: str | None = header("mfa")

    def check_parsed(self, call: Call) -> None:
        """Check the scheme of a request with a code."""
        if self.code is not None and call.request.scheme != "https":
            raise ACCESS_DENIED.error(
                explanation=f"{call.dialect.header('mfa')} was sent over {call.request.scheme}; use https"
            )


def check_may_switch(call: Call, bucket: BucketRecord) -> None:
    """Check that the owner, and not another account by a policy, switches MFA Delete, and that a device is set."""
    if call.requester != bucket.owner:
        raise ACCESS_DENIED.error(
            explanation=f"{call.requester} may not switch MFA Delete of bucket {bucket.name!r}; only its owner"
            f" {bucket.owner} may"
        )
    if bucket.mfa_device is None:
        raise UnsupportedRequest(
            f"MfaDelete was sent for bucket {bucket.name!r}, which has no device; enable versioning, and then set a"
            f" device with store[{bucket.name!r}].enable_mfa_delete(MfaDevice(...))"
        )
