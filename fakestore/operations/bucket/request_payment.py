"""The setting that makes the owner of a bucket or the requester pay for requests.

The fake charges no account. It refuses a requester who must agree to pay and does not.
"""

from __future__ import annotations

from fakestore.documents.request_payment import RequestPaymentConfiguration
from fakestore.model.bucket import BucketRecord
from fakestore.operations.core.authorization import BUCKET_OWNER, Access
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.registry import operation
from fakestore.operations.core.result import OK, Result
from fakestore.protocol.routing import Route


@operation(
    "GET Bucket requestPayment",
    Route("GET", "bucket", "requestPayment"),
    access=Access("s3:GetBucketRequestPayment", BUCKET_OWNER),
)
def get_bucket_request_payment(context: RequestContext, bucket: BucketRecord) -> Result:
    """Return the payer."""
    return Result(document=RequestPaymentConfiguration(payer=bucket.payer))


@operation(
    "PUT Bucket requestPayment",
    Route("PUT", "bucket", "requestPayment"),
    access=Access("s3:PutBucketRequestPayment", BUCKET_OWNER),
    body=RequestPaymentConfiguration,
)
def put_bucket_request_payment(
    context: RequestContext, bucket: BucketRecord, configuration: RequestPaymentConfiguration
) -> Result:
    """Set the payer."""
    bucket.payer = configuration.payer
    return OK
