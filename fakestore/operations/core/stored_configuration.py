"""Configurations of a bucket that the fake validates, stores and returns, and that have no effect."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import NamedTuple

from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import ErrorCode
from fakestore.operations.core.authorization import BUCKET_OWNER, Access
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.registry import operation
from fakestore.operations.core.result import NO_CONTENT, OK, Result
from fakestore.protocol.routing import Route


class Actions(NamedTuple):
    """The actions of the policy language; `delete` is None if the service has no DELETE."""

    get: str
    put: str
    delete: str | None = None


def new_ids(context: RequestContext) -> Iterator[str]:
    """Yield ids for the parts of a configuration that were sent without one. They differ between requests."""
    return (f"{context.ids.request_id.lower()}-{number}" for number in count(1))


def store_configuration(
    subresource: str,
    shape: type,
    actions: Actions,
    *,
    missing: ErrorCode | None = None,
    check: Callable[[RequestContext, BucketRecord], None] | None = None,
    prepare: Callable[..., object] = lambda context, bucket, configuration: configuration,
    service_headers: tuple[str, ...] = (),
) -> None:
    """Register GET, PUT and perhaps DELETE of a configuration. [stored-configurations]

    Args:
        subresource: The name of the configuration in the query and in the names of the operations.
        shape: The shape of its document.
        actions: The actions of the policy language.
        missing: The error for a bucket without the configuration; None if the service returns an empty document.
        check: Refuses what the bucket cannot have, before the document is read.
        prepare: Checks a document and returns what is stored. It gets the context, the bucket and the document.
        service_headers: The headers of the dialect that the PUT accepts, without prefix.
    """

    @operation(
        f"GET Bucket {subresource}", Route("GET", "bucket", subresource), access=Access(actions.get, BUCKET_OWNER)
    )
    def get(context: RequestContext, bucket: BucketRecord) -> Result:
        """Return the configuration."""
        stored = bucket.configurations.get(subresource)
        if stored is None and missing is not None:
            raise missing.error(explanation=f"bucket {bucket.name!r} has no {subresource}", BucketName=bucket.name)
        return Result(document=shape() if stored is None else stored)

    @operation(
        f"PUT Bucket {subresource}",
        Route("PUT", "bucket", subresource),
        access=Access(actions.put, BUCKET_OWNER),
        body=shape,
        check=check,
        service_headers=service_headers,
    )
    def put(context: RequestContext, bucket: BucketRecord, configuration: object) -> Result:
        """Replace the configuration."""
        bucket.configurations[subresource] = prepare(context, bucket, configuration)
        return OK

    if actions.delete is None:
        return

    @operation(
        f"DELETE Bucket {subresource}",
        Route("DELETE", "bucket", subresource),
        access=Access(actions.delete, BUCKET_OWNER),
    )
    def delete(context: RequestContext, bucket: BucketRecord) -> Result:
        """Remove the configuration."""
        bucket.configurations.pop(subresource, None)
        return NO_CONTENT
