"""The operation on the service: the list of buckets."""

from __future__ import annotations

from fakestore.documents.listing import BucketEntry, ListAllMyBucketsResult
from fakestore.documents.owner import Owner
from fakestore.operations.core.authorization import NOTHING, Access
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.registry import operation
from fakestore.operations.core.result import Result
from fakestore.protocol.routing import Route


@operation("GET Service", Route("GET", "service"), access=Access("s3:ListAllMyBuckets", NOTHING))
def get_service(context: RequestContext) -> Result:
    """Return the buckets of the requester, by name."""
    owned = sorted(
        (name, bucket.created) for name, bucket in context.state.buckets.items() if bucket.owner == context.requester
    )
    return Result(
        document=ListAllMyBucketsResult(
            owner=Owner.from_account(context.owner, shows_name=context.semantics.shows_display_names),
            buckets=tuple(BucketEntry(name=name, creation_date=created) for name, created in owned),
        )
    )
