"""Requester pays: the setting of a bucket, the check that the requester agrees, and what the reply says.

The fake charges no account. It refuses a requester who must agree to pay and does not.
"""

from __future__ import annotations

from collections.abc import Mapping

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
_HEADER = "request-payer"


class RequestPayer(Guard):
    """The owner of the bucket pays for the request, or the requester has agreed to pay. [request-payment]"""

    payer: str | None = header(_HEADER)

    def check_bucket(self, call: Call, bucket: BucketRecord) -> Mapping[str, str]:
        """Return the header ``request-charged`` if the requester pays."""
        if self.payer not in (None, "requester"):
            raise UnsupportedRequest(
                f"the value {self.payer!r} of {call.dialect.header(_HEADER)} is not supported; expected 'requester'"
            )
        if not bucket.request_payment.requester_pays or call.requester == bucket.owner:
            return {}
        if call.requester is ANONYMOUS or self.payer is None:
            todo = "sign the request and send" if call.requester is ANONYMOUS else "send"
            raise ACCESS_DENIED.error(
                explanation=f"requesters pay for bucket {bucket.name!r} of {bucket.owner}; {todo}"
                f" {call.dialect.header(_HEADER)}: requester"
            )
        return {"request-charged": "requester"}


OPERATIONS = (*REQUEST_PAYMENT.operations(),)
