"""Requester pays: the setting of a bucket, the check that the requester agrees, and what the reply says.

The fake charges no account. It refuses a requester who must agree to pay and does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fakestore.errors import ACCESS_DENIED, UnsupportedRequest
from fakestore.model.accounts import ANONYMOUS
from fakestore.model.bucket import BucketRecord
from fakestore.model.request_payment import RequestPayment
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.inputs import Guard, header
from fakestore.operations.framework.setting import Actions, Setting

REQUEST_PAYMENT = Setting(
    "requestPayment",
    "BucketRequestPayment",
    RequestPayment,
    Actions("s3:GetBucketRequestPayment", "s3:PutBucketRequestPayment"),
    attribute="request_payment",
)

#: The header by which the requester agrees to pay, without the prefix of the dialect.
REQUEST_PAYER_HEADER = "request-payer"


def is_charged(call: Call, bucket: BucketRecord) -> bool:
    """Return whether the requester pays for the request instead of the owner of the bucket. [request-payment]"""
    return bucket.request_payment.requester_pays and call.requester != bucket.owner


def check_request_payer(call: Call, bucket: BucketRecord, payer: str | None) -> None:
    """Check that the owner of the bucket pays for the request, or that the requester agrees with the header `payer`."""
    header = call.dialect.header(REQUEST_PAYER_HEADER)
    if payer not in (None, "requester"):
        raise UnsupportedRequest(f"the value {payer!r} of {header} is not supported; expected 'requester'")
    if is_charged(call, bucket) and (call.requester is ANONYMOUS or payer is None):
        todo = "sign the request and send" if call.requester is ANONYMOUS else "send"
        raise ACCESS_DENIED.error(
            explanation=f"requesters pay for bucket {bucket.name!r} of {bucket.owner}; {todo} {header}: requester"
        )


class RequestPayer(Guard):
    """The owner of the bucket pays for the request, or the requester has agreed to pay."""

    payer: str | None = header(REQUEST_PAYER_HEADER)

    def check_bucket(self, call: Call, bucket: BucketRecord) -> None:
        check_request_payer(call, bucket, self.payer)

    def reply_headers(self, call: Call, buckets: Sequence[BucketRecord]) -> Mapping[str, str]:
        """Return the header ``request-charged`` if the requester pays for one of the buckets."""
        # A requester who pays has sent the header; otherwise the request was refused before.
        if self.payer is None:
            return {}
        return {"request-charged": "requester"} if any(is_charged(call, each) for each in buckets) else {}


OPERATIONS = (*REQUEST_PAYMENT.operations(),)
