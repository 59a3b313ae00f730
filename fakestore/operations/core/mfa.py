"""MFA Delete: when a version may be deleted for good only with a code from the bucket's device."""

from __future__ import annotations

from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import ACCESS_DENIED, INVALID_ARGUMENT
from fakestore.operations.core.context import Call


def check_mfa(call: Call, bucket: BucketRecord) -> None:
    """Ask for the serial number and the code of the bucket's device.

    Raises:
        ErrorResponse: AccessDenied without the header or with a wrong one, InvalidArgument for a malformed one.
    """
    device = bucket.mfa_device
    assert device is not None, "MFA Delete is never on without a device"
    header = f"{call.dialect.header_prefix}mfa"
    value = call.own_headers.get("mfa")
    if value is None:
        raise ACCESS_DENIED.error(
            "Mfa Authentication must be used for this request",
            explanation=f"bucket {bucket.name!r} asks for its MFA device, and {header} was not sent",
        )
    serial, blank, code = value.partition(" ")
    if not serial or not blank or not code or " " in code:
        raise INVALID_ARGUMENT.error(
            explanation=f"{header} is {value!r}, not a serial number, one space and a code",
            ArgumentName=header,
            ArgumentValue=value,
        )
    if not device.displays(serial, code):
        raise ACCESS_DENIED.error(
            "Mfa Authentication failed",
            explanation=f"{header} is {value!r}; the device of bucket {bucket.name!r} is {device.serial!r},"
            " and its code or serial number is another",
        )
