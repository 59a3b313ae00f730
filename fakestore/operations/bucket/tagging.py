"""The tags of a bucket."""

from __future__ import annotations

from fakestore.documents.tagging import RequestedTagging, Tagging, tag_elements, tag_pairs
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import NO_SUCH_TAG_SET
from fakestore.model.tagging import BUCKET_TAGS, NO_TAGS
from fakestore.operations.core.authorization import BUCKET_OWNER, Access
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.registry import operation
from fakestore.operations.core.result import NO_CONTENT, Result
from fakestore.protocol.routing import Route

_PUT_BUCKET_TAGGING = Access("s3:PutBucketTagging", BUCKET_OWNER)


@operation(
    "GET Bucket tagging",
    Route("GET", "bucket", "tagging"),
    access=Access("s3:GetBucketTagging", BUCKET_OWNER),
)
def get_bucket_tagging(context: RequestContext, bucket: BucketRecord) -> Result:
    """Return the tags. A bucket without tags has no tag set."""
    if not bucket.tags:
        raise bucket.missing(NO_SUCH_TAG_SET, "tags")
    return Result(document=Tagging(tags=tag_elements(bucket.tags)))


@operation("PUT Bucket tagging", Route("PUT", "bucket", "tagging"), access=_PUT_BUCKET_TAGGING, body=RequestedTagging)
def put_bucket_tagging(context: RequestContext, bucket: BucketRecord, document: RequestedTagging) -> Result:
    """Replace the tags. An empty set removes them."""
    bucket.tags = BUCKET_TAGS.check(tag_pairs(document.tags))
    return NO_CONTENT


@operation("DELETE Bucket tagging", Route("DELETE", "bucket", "tagging"), access=_PUT_BUCKET_TAGGING)
def delete_bucket_tagging(context: RequestContext, bucket: BucketRecord) -> Result:
    """Remove the tags."""
    bucket.tags = NO_TAGS
    return NO_CONTENT
