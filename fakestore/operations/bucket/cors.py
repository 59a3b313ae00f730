"""The CORS rules of a bucket."""

from __future__ import annotations

from fakestore.documents.cors import CorsConfiguration
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import NO_SUCH_CORS
from fakestore.operations.core.authorization import BUCKET_OWNER, Access
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.registry import operation
from fakestore.operations.core.result import NO_CONTENT, OK, Result
from fakestore.protocol.routing import Route

_PUT_CORS = Access("s3:PutBucketCORS", BUCKET_OWNER)


@operation("GET Bucket cors", Route("GET", "bucket", "cors"), access=Access("s3:GetBucketCORS", BUCKET_OWNER))
def get_bucket_cors(context: RequestContext, bucket: BucketRecord) -> Result:
    """Return the rules."""
    if bucket.cors is None:
        raise bucket.missing(NO_SUCH_CORS, "CORS rules")
    return Result(document=CorsConfiguration.from_cors(bucket.cors))


@operation("PUT Bucket cors", Route("PUT", "bucket", "cors"), access=_PUT_CORS, body=CorsConfiguration)
def put_bucket_cors(context: RequestContext, bucket: BucketRecord, configuration: CorsConfiguration) -> Result:
    """Replace the rules."""
    bucket.cors = configuration.to_cors()
    return OK


@operation("DELETE Bucket cors", Route("DELETE", "bucket", "cors"), access=_PUT_CORS)
def delete_bucket_cors(context: RequestContext, bucket: BucketRecord) -> Result:
    """Remove the rules."""
    bucket.cors = None
    return NO_CONTENT
