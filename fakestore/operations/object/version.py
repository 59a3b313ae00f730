"""The version of an object that a request reads or changes."""

from __future__ import annotations

from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import METHOD_NOT_ALLOWED, NO_SUCH_KEY, ErrorResponse
from fakestore.model.object_version import ObjectVersion
from fakestore.operations.core.context import RequestContext


def get_version_refusing_markers(context: RequestContext, bucket: BucketRecord) -> ObjectVersion:
    """Return the version that the request names, or the current one.

    A current delete marker is refused like one that is named by its id. [put-acl-of-a-marker] [tags-of-a-marker]

    Raises:
        ErrorResponse: The errors of :meth:`BucketRecord.get_object_or_version`; MethodNotAllowed instead of
            NoSuchKey, if the current version is a delete marker.
    """
    try:
        return bucket.get_object_or_version(context.key, context.version_id)
    except ErrorResponse as error:
        if error.error is not NO_SUCH_KEY or "delete-marker" not in error.service_headers:
            raise
        raise METHOD_NOT_ALLOWED.error(explanation=error.explanation, service_headers=error.service_headers) from None
