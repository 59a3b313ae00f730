"""The default encryption of a bucket."""

from __future__ import annotations

from fakestore.documents.encryption import ServerSideEncryptionConfiguration
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import NO_DEFAULT_ENCRYPTION
from fakestore.operations.core.authorization import BUCKET_OWNER, Access
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.registry import operation
from fakestore.operations.core.result import NO_CONTENT, OK, Result
from fakestore.protocol.routing import Route

_PUT_ENCRYPTION = Access("s3:PutEncryptionConfiguration", BUCKET_OWNER)


@operation(
    "GET Bucket encryption",
    Route("GET", "bucket", "encryption"),
    access=Access("s3:GetEncryptionConfiguration", BUCKET_OWNER),
)
def get_bucket_encryption(context: RequestContext, bucket: BucketRecord) -> Result:
    """Return the default encryption: that of the bucket, or else that of the service."""
    default = bucket.get_default_encryption()
    if default is None:
        raise bucket.missing(NO_DEFAULT_ENCRYPTION, "default encryption")
    return Result(document=ServerSideEncryptionConfiguration.from_default(default))


@operation(
    "PUT Bucket encryption",
    Route("PUT", "bucket", "encryption"),
    access=_PUT_ENCRYPTION,
    body=ServerSideEncryptionConfiguration,
)
def put_bucket_encryption(
    context: RequestContext, bucket: BucketRecord, configuration: ServerSideEncryptionConfiguration
) -> Result:
    """Set the default encryption of the objects that are written from now on."""
    bucket.default_encryption = configuration.to_default()
    return OK


@operation("DELETE Bucket encryption", Route("DELETE", "bucket", "encryption"), access=_PUT_ENCRYPTION)
def delete_bucket_encryption(context: RequestContext, bucket: BucketRecord) -> Result:
    """Return to the default of the service."""
    bucket.default_encryption = None
    return NO_CONTENT
