"""Configurations of a bucket that the fake validates, stores and returns, and that have no effect."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import NamedTuple

from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import ErrorCode
from fakestore.operations.core.authorization import BUCKET_OWNER, Access
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.registry import Row, operation
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


class StoredConfiguration(NamedTuple):
    """A configuration with the operations GET, PUT and perhaps DELETE. [stored-configurations]

    Args:
        subresource: The name of the configuration in the query and in the names of the operations.
        shape: The shape of its document.
        actions: The actions of the policy language.
        missing: The error for a bucket without the configuration; None if the service returns an empty document.
        check: Refuses what the bucket cannot have, before the document is read.
        prepare: Checks a document and returns what is stored. It gets the context, the bucket and the document.
        service_headers: The headers of the dialect that the PUT accepts, without prefix.
    """

    subresource: str
    shape: type
    actions: Actions
    missing: ErrorCode | None = None
    check: Callable[[RequestContext, BucketRecord], None] | None = None
    prepare: Callable[..., object] = lambda context, bucket, configuration: configuration
    service_headers: tuple[str, ...] = ()

    def register(self) -> None:
        """Register the operations."""
        self._row("GET", self.actions.get)(self.get)
        self._row("PUT", self.actions.put)(self.put)
        if self.actions.delete is not None:
            self._row("DELETE", self.actions.delete)(self.delete)

    def _row(self, method: str, action: str) -> Row:
        is_put = method == "PUT"
        return operation(
            f"{method} Bucket {self.subresource}",
            Route(method, "bucket", self.subresource),
            access=Access(action, BUCKET_OWNER),
            body=self.shape if is_put else None,
            check=self.check if is_put else None,
            service_headers=self.service_headers if is_put else (),
        )

    def get(self, context: RequestContext, bucket: BucketRecord) -> Result:
        """Return the configuration."""
        stored = bucket.configurations.get(self.subresource)
        if stored is None and self.missing is not None:
            raise bucket.missing(self.missing, self.subresource)
        return Result(document=self.shape() if stored is None else stored)

    def put(self, context: RequestContext, bucket: BucketRecord, configuration: object) -> Result:
        """Replace the configuration."""
        bucket.configurations[self.subresource] = self.prepare(context, bucket, configuration)
        return OK

    def delete(self, context: RequestContext, bucket: BucketRecord) -> Result:
        """Remove the configuration."""
        bucket.configurations.pop(self.subresource, None)
        return NO_CONTENT
