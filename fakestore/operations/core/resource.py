"""What an access is about: a bucket, or an object or upload in it."""

from __future__ import annotations

from typing import NamedTuple

from fakestore.model.bucket import BucketRecord
from fakestore.operations.core.context import RequestContext


class Resource(NamedTuple):
    """What is accessed in a bucket; without a key, the bucket itself.

    Args:
        key: The key of an object or upload.
        version_id: The version that the request names.
        upload_id: The upload that the request names.
        prefix: What a listing is limited to, if the query of the request does not say it. [missing-keys]
    """

    key: str | None = None
    version_id: str | None = None
    upload_id: str | None = None
    prefix: str | None = None

    @classmethod
    def of(cls, context: RequestContext) -> Resource:
        """Return what the address of a request names."""
        key, query = context.address.key, context.address.query
        return cls(key, query.get("versionId"), query.get("uploadId")) if query else cls(key)

    def name(self, bucket: BucketRecord) -> str:
        """Return the resource of the policy language: ``bucket`` or ``bucket/key``."""
        return bucket.name if self.key is None else f"{bucket.name}/{self.key}"


BUCKET_ITSELF = Resource()
