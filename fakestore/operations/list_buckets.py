"""The operation on the service: the list of buckets."""

from __future__ import annotations

import base64
import binascii
from datetime import datetime

from fakestore.errors import INVALID_ARGUMENT, UnsupportedRequest
from fakestore.model.accounts import Owner
from fakestore.model.bucket import BucketRecord
from fakestore.model.regions import REGIONS
from fakestore.operations.framework.access import NOTHING, Access
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.fields import Sent, integer, query
from fakestore.operations.framework.parameters import Parameters
from fakestore.operations.framework.result import Result
from fakestore.operations.framework.row import operation
from fakestore.operations.regions import bucket_arn, get_region
from fakestore.protocol.routing import Route
from fakestore.xml.declarations import child, children, document, element


@element()
class BucketEntry:
    """A bucket of the requester."""

    name: str = child("Name")
    creation_date: datetime = child("CreationDate")
    region: str | None = child("BucketRegion", default=None)
    arn: str | None = child("BucketArn", default=None)


@document("ListAllMyBucketsResult")
class ListAllMyBucketsResult:
    """The buckets of the requester, or a page of them."""

    owner: Owner = child("Owner")
    buckets: tuple[BucketEntry, ...] = children("Bucket", inside="Buckets")
    continuation_token: str | None = child("ContinuationToken", default=None)
    prefix: str | None = child("Prefix", default=None)


#: A page never has more buckets than this.
MOST_BUCKETS = 10_000

_PAGE_SIZE = integer(
    f"expected 1 to {MOST_BUCKETS:,}",
    f"Argument max-buckets must be an integer between 1 and {MOST_BUCKETS}",
    least=1,
    most=MOST_BUCKETS,
)


def _parse_token(sent: Sent) -> str:
    """Return the name of the bucket after which the page begins. An empty token begins at the start."""
    try:
        return base64.b64decode(sent.text, b"-_", validate=True).decode()
    except (binascii.Error, ValueError):
        raise INVALID_ARGUMENT.error(
            "The continuation token provided is incorrect",
            explanation=f"no list of buckets returned the continuation token {sent.text!r}",
            ArgumentName="continuation-token",
        ) from None


def _parse_region(sent: Sent) -> str:
    if not sent.call.semantics.has_regions:
        raise UnsupportedRequest(f"bucket-region is {sent.text!r}, and this store has no regions; omit it")
    if sent.text not in REGIONS:
        raise INVALID_ARGUMENT.error(
            f"Argument value {sent.text} is not a valid AWS Region",
            explanation=f"bucket-region is {sent.text!r}; expected one of {', '.join(sorted(REGIONS))}",
            ArgumentName="bucket-region",
        )
    return sent.text


class BucketsQuery(Parameters):
    """The query that selects the listed buckets.

    Args:
        prefix: The prefix of all listed names.
        page_size: The maximum number of buckets of the page; None for all.
        after: The name after which the page begins.
        region: The region of the listed buckets; None for all.
    """

    prefix: str | None = query("prefix")
    page_size: int | None = query("max-buckets", _PAGE_SIZE)
    after: str = query("continuation-token", _parse_token, default="")
    region: str | None = query("bucket-region", _parse_region)

    @property
    def is_plain(self) -> bool:
        """Whether the request is for all buckets."""
        return self.prefix is None and self.page_size is None and self.region is None and not self.after


@operation(
    "GET Service",
    Route("GET", "service"),
    api_name="ListBuckets",
    access=Access("s3:ListAllMyBuckets", NOTHING),
    parameters=BucketsQuery,
    needs_bucket=False,
)
def get_service(call: Call, query: BucketsQuery) -> Result:
    """Return the buckets of the requester, by name."""
    listed = [
        bucket
        for name, bucket in sorted(call.state.buckets.items())
        if bucket.owner == call.requester
        and name > query.after
        and name.startswith(query.prefix or "")
        and query.region in (None, get_region(call, bucket))
    ]
    page = listed[: query.page_size]
    return Result(
        document=ListAllMyBucketsResult(
            owner=Owner.of(call.owner, shows_name=call.semantics.shows_display_names),
            buckets=tuple(_entry(call, query, bucket) for bucket in page),
            continuation_token=_make_token(page[-1].name) if len(page) < len(listed) else None,
            prefix=query.prefix,
        )
    )


def _entry(call: Call, query: BucketsQuery, bucket: BucketRecord) -> BucketEntry:
    # The public service names the region only if the query has a parameter.
    shows_region = call.semantics.has_regions and not query.is_plain
    return BucketEntry(
        name=bucket.name,
        creation_date=bucket.created,
        region=get_region(call, bucket) if shows_region else None,
        arn=bucket_arn(bucket.name) if call.semantics.shows_bucket_arns else None,
    )


def _make_token(name: str) -> str:
    return base64.urlsafe_b64encode(name.encode()).decode()
