"""Transfer acceleration of a bucket. It is stored, and accelerates nothing."""

from __future__ import annotations

from fakestore.documents.accelerate import AccelerateConfiguration
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import INVALID_REQUEST
from fakestore.operations.bucket.stored_configuration import Actions, StoredConfiguration
from fakestore.operations.core.context import RequestContext


def _check_name(context: RequestContext, bucket: BucketRecord) -> None:
    """Refuse a bucket whose name has periods, before the document is read.

    Raises:
        ErrorResponse: InvalidRequest.
    """
    if "." in bucket.name:
        raise INVALID_REQUEST.error(
            "S3 Transfer Acceleration is not supported for buckets with periods (.) in their names"
        )


StoredConfiguration(
    "accelerate",
    AccelerateConfiguration,
    Actions("s3:GetAccelerateConfiguration", "s3:PutAccelerateConfiguration"),
    check=_check_name,
).register()
