"""Who pays for the requests to a bucket. The fake charges nobody, but refuses a requester who does not agree to pay."""

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
    """Return who pays."""
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
    """Set who pays."""
    bucket.payer = configuration.payer
    return OK
