"""MFA Delete: when the code of the bucket's device is needed to delete a version permanently."""

from __future__ import annotations

from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import ACCESS_DENIED, ErrorResponse, invalid_argument
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.parameters import Guard


def check_mfa(context: RequestContext, bucket: BucketRecord) -> None:
    """Check that the request carries the serial number and the code of the bucket's device.

    Raises:
        ErrorResponse: AccessDenied, if the header is missing or wrong; InvalidArgument, if it is malformed.
    """
    device = bucket.mfa_device
    assert device is not None, "MFA Delete is never on without a device"
    header = context.dialect.header("mfa")
    value = context.service_headers.get("mfa")
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


def has_valid_mfa(context: RequestContext, bucket: BucketRecord) -> bool:
    """Return whether the request may delete versions permanently: MFA Delete is off, or the device confirms it."""
    if not bucket.mfa_delete:
        return True
    try:
        check_mfa(context, bucket)
    except ErrorResponse:
        return False
    return True


class MfaTransport(Guard):
    """The code of an MFA device comes over https."""

    needs_bucket = False

    def check_request(self, context: RequestContext) -> None:
        """Check the scheme of a request with a code.

        Raises:
            ErrorResponse: AccessDenied.
        """
        if "mfa" in context.service_headers and context.request.scheme != "https":
            raise ACCESS_DENIED.error(
                explanation=f"{context.dialect.header('mfa')} was sent over {context.request.scheme}; use https"
            )
