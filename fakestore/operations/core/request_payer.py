"""The check that a requester agrees to pay for a request."""

from __future__ import annotations

from fakestore.model.accounts import ANONYMOUS
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import ACCESS_DENIED
from fakestore.model.payer import Payer
from fakestore.operations.core.context import RequestContext

#: The header by which the requester agrees to pay, without the prefix of the dialect.
REQUEST_PAYER_HEADER = "request-payer"


def check_request_payer(context: RequestContext, bucket: BucketRecord) -> None:
    """Check that the owner of the bucket or the requester pays for the request. A requester must agree to pay.

    Raises:
        ErrorResponse: AccessDenied.
    """
    if bucket.payer is Payer.BUCKET_OWNER or context.requester == bucket.owner:
        return
    if context.requester is ANONYMOUS or context.service_headers.get(REQUEST_PAYER_HEADER) != "requester":
        header = context.dialect.header(REQUEST_PAYER_HEADER)
        raise ACCESS_DENIED.error(
            explanation=f"requesters pay for bucket {bucket.name!r} of {bucket.owner}; sign the request and send"
            f" {header}: requester"
        )
