"""The buckets of an account: PUT, HEAD, DELETE and location of one, and the list of all. Also their expected owner."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from fakestore.errors import (
    ACCESS_DENIED,
    INVALID_ARGUMENT,
    INVALID_BUCKET_ACL_WITH_BLOCK,
    INVALID_BUCKET_NAME,
    INVALID_BUCKET_OWNER,
    UnsupportedRequest,
    invalid_argument,
)
from fakestore.messages import ACLS_OPTION
from fakestore.model.accounts import Account, Owner
from fakestore.model.acl import PRIVATE, Acl, ObjectOwnership, PublicAccessBlock, RequestedAcl, check_bucket_acl
from fakestore.model.bucket import BucketRecord
from fakestore.model.object_lock import ObjectLock
from fakestore.model.regions import HOME_REGION, REGIONS, region_of_constraint
from fakestore.model.tagging import NEW_BUCKET_TAGS, Tag, tag_pairs
from fakestore.model.versioning import Versioning
from fakestore.operations.acl import ACL_HEADERS, parse_acl_headers
from fakestore.operations.framework.access import ANY_ACCOUNT, BUCKET_OWNER, LIST_BUCKET, Access, authorize
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.inputs import (
    Guard,
    Parameters,
    RawValue,
    choice,
    header,
    headers,
    integer,
    query,
    switch,
)
from fakestore.operations.framework.operation import operation
from fakestore.operations.framework.result import NO_CONTENT, Result
from fakestore.operations.regions import arn_headers, bucket_arn, check_location, get_region
from fakestore.protocol.routing import Route
from fakestore.xml.declarations import child, children, document, element, only_text


@document("CreateBucketConfiguration", unsupported=("Bucket", "Location"))
class CreateBucketConfiguration:
    """The location and the tags of a new bucket. ``location_constraint`` is ``None`` if the element is absent."""

    location_constraint: str | None = child("LocationConstraint", default=None)
    tags: tuple[Tag, ...] = children("Tag", inside="Tags", default=())


_OWNERSHIP = choice(
    ObjectOwnership,
    lambda name, text, explanation: INVALID_ARGUMENT.error(
        f"Invalid {name} header: {text}", explanation=explanation, ArgumentName=name
    ),
)


class Namespace(StrEnum):
    """Which accounts share the names of buckets. [bucket-namespace]"""

    GLOBAL = "global"
    ACCOUNT_REGIONAL = "account-regional"


#: A name in the namespace of an account, with the number of the account.
_NAME_OF_ACCOUNT = re.compile(f".*-([0-9]{{12}})-(?:{'|'.join(sorted(REGIONS))})-an")

_NAMESPACE = choice(Namespace, lambda name, text, explanation: invalid_argument(name, text, explanation=explanation))


def _check_namespace(call: Call, namespace: Namespace, region: str) -> None:
    """Check that a name fits the namespace, and is not in that of another account. [bucket-namespace]

    Args:
        region: The region of the new bucket.
    """
    name, number = call.bucket_name, call.account.number
    end = f"-{number}-{region}-an"
    named = _NAME_OF_ACCOUNT.fullmatch(name)
    if namespace is Namespace.ACCOUNT_REGIONAL and not name.endswith(end):
        problem = f"is for the namespace of the account, so the name must end with {end!r}"
    elif call.semantics.reserves_bucket_names and named is not None and named[1] != number:
        problem = f"is in the namespace of the account {named[1]}, and the requester is {number}; use another name"
    else:
        return
    raise INVALID_BUCKET_NAME.error(explanation=f"{name!r} {problem}", BucketName=name)


#: The access to a PUT of a bucket that exists. [put-of-an-existing-bucket]
_CREATE_AGAIN = Access("s3:CreateBucket", BUCKET_OWNER)


class CreateBucketParameters(Parameters):
    namespace: Namespace = header("bucket-namespace", _NAMESPACE, default=Namespace.GLOBAL)
    acl: RequestedAcl = headers(parse_acl_headers, *ACL_HEADERS, default=PRIVATE)
    object_lock: bool = header("bucket-object-lock-enabled", switch, default=False)
    ownership: ObjectOwnership | None = header("object-ownership", _OWNERSHIP)

    def expand_acl(self, owner: Account, ownership: ObjectOwnership | None, block: PublicAccessBlock | None) -> Acl:
        """Return the ACL of a bucket with this owner, object ownership and public access block."""
        acl = self.acl.expand(owner, owner)
        check_bucket_acl(ownership, acl)
        if block is not None and block.block_public_acls and acl.is_public:
            raise INVALID_BUCKET_ACL_WITH_BLOCK.error(
                explanation=f"the grants of the bucket are {acl}; its public access block refuses public grants; create"
                f" the bucket with a private ACL, remove the block, and then put the public ACL; {ACLS_OPTION}"
            )
        return acl


@operation(
    "PUT Bucket",
    Route("PUT", "bucket"),
    api_name="CreateBucket",
    access=Access("s3:CreateBucket", ANY_ACCOUNT),
    checks_itself=(_CREATE_AGAIN,),
    hint="The path names no key, so this request creates a bucket; encode a key that is '/' as %2F",
)
def put_bucket(call: Call, parameters: CreateBucketParameters, document: CreateBucketConfiguration | None) -> Result:
    configuration = document or CreateBucketConfiguration()
    location = check_location(call, configuration.location_constraint)
    tags = NEW_BUCKET_TAGS.check(tag_pairs(configuration.tags))
    _check_namespace(call, parameters.namespace, region_of_constraint(location or call.service.home_region))
    name = call.bucket_name
    existing = call.state.buckets.get(name)
    is_plain = not tags and not parameters.object_lock and parameters.ownership is None
    if existing is not None and is_plain and _may_create_again(call, existing):
        # In the home region of the public service, an owner may create a plain bucket again. Only its ACL is replaced.
        # [put-of-an-existing-bucket]
        authorize(_CREATE_AGAIN, call, existing)
        existing.acl = parameters.expand_acl(existing.owner, existing.object_ownership, existing.public_access_block)
    else:
        ownership = parameters.ownership or call.semantics.default_object_ownership
        acl = parameters.expand_acl(call.account, ownership, call.semantics.default_public_access_block)
        bucket = call.state.create_bucket(name, acl=acl, now=call.now)
        bucket.location = location
        bucket.tags = tags
        bucket.object_ownership = ownership
        if parameters.object_lock:
            bucket.versioning = Versioning.ENABLED
            bucket.lock_objects(ObjectLock(enabled=True))
    url = f"/{name}" if location is None else f"http://{name}.{call.request.host.removeprefix(f'{name}.')}/"
    return Result(headers={"Location": url}, service_headers=arn_headers(call, name))


def _may_create_again(call: Call, existing: BucketRecord) -> bool:
    """Return whether a PUT of an existing bucket succeeds: the requester owns it, and it is in the home region."""
    return existing.owner == call.requester and (
        not call.semantics.has_regions or get_region(call, existing) == call.region == HOME_REGION
    )


@operation("HEAD Bucket", Route("HEAD", "bucket"), api_name="HeadBucket", access=LIST_BUCKET)
def head_bucket(call: Call, bucket: BucketRecord) -> Result:
    """Reply whether the bucket exists and the requester may list it."""
    service_headers = arn_headers(call, bucket.name)
    if call.semantics.shows_bucket_arns:
        service_headers["access-point-alias"] = "false"
    return Result(headers={"Content-Type": call.dialect.xml_content_type}, service_headers=service_headers)


@operation(
    "DELETE Bucket", Route("DELETE", "bucket"), api_name="DeleteBucket", access=Access("s3:DeleteBucket", BUCKET_OWNER)
)
def delete_bucket(call: Call, bucket: BucketRecord) -> Result:
    call.state.delete_bucket(bucket.name)
    return NO_CONTENT


@document("LocationConstraint")
class LocationConstraint:
    """The location of a bucket; empty for the store's only location."""

    location: str = only_text()


@operation(
    "GET Bucket location",
    Route("GET", "bucket", "location"),
    api_name="GetBucketLocation",
    access=Access("s3:GetBucketLocation", BUCKET_OWNER),
)
def get_bucket_location(call: Call, bucket: BucketRecord) -> Result:
    """Return the location of the bucket. It is empty if the store has no regions, and for the home region."""
    region = get_region(call, bucket)
    location = "" if region == HOME_REGION else bucket.location or region
    return Result(document=LocationConstraint(location=location))


# -- the list of buckets


@element()
class BucketEntry:
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
_MOST = 10_000

_PAGE_SIZE = integer(
    f"expected 1 to {_MOST:,}",
    f"Argument max-buckets must be an integer between 1 and {_MOST}",
    least=1,
    most=_MOST,
)


def _parse_token(sent: RawValue) -> str:
    """Return the name of the bucket after which the page begins. An empty token begins at the start."""
    try:
        return base64.b64decode(sent.text, b"-_", validate=True).decode()
    except ValueError:
        raise INVALID_ARGUMENT.error(
            "The continuation token provided is incorrect",
            explanation=f"no list of buckets returned the continuation token {sent.text!r}",
            ArgumentName="continuation-token",
        ) from None


def _parse_region(sent: RawValue) -> str:
    if not sent.call.semantics.has_regions:
        raise UnsupportedRequest(f"bucket-region is {sent.text!r}, and this store has no regions; omit it")
    if sent.text not in REGIONS:
        raise INVALID_ARGUMENT.error(
            f"Argument value {sent.text} is not a valid AWS Region",
            explanation=f"bucket-region is {sent.text!r}; expected one of {', '.join(sorted(REGIONS))}",
            ArgumentName="bucket-region",
        )
    host = sent.call.request.host
    region = sent.call.service.find_region(host, None)
    if region not in (None, sent.text) and f"{region}." in host.lower():  # s3.amazonaws.com names no region
        raise UnsupportedRequest(
            f"bucket-region is {sent.text!r}, and the request was sent to {host!r}, which lists only buckets in"
            f" {region!r}; use a client of {sent.text!r}"
        )
    return sent.text


class BucketsQuery(Parameters):
    """The query that selects the listed buckets. The page begins after the name `after`."""

    prefix: str | None = query("prefix")
    page_size: int | None = query("max-buckets", _PAGE_SIZE)
    after: str = query("continuation-token", _parse_token, default="")
    region: str | None = query("bucket-region", _parse_region)

    @property
    def is_plain(self) -> bool:
        return self.prefix is None and self.page_size is None and self.region is None and not self.after


@operation(
    "GET Service",
    Route("GET", "service"),
    api_name="ListBuckets",
    access=Access("s3:ListAllMyBuckets", ANY_ACCOUNT),
)
def get_service(call: Call, parameters: BucketsQuery) -> Result:
    """Return the buckets of the requester, by name."""
    listed = [
        bucket
        for name, bucket in sorted(call.state.buckets.items())
        if bucket.owner == call.requester
        and name > parameters.after
        and name.startswith(parameters.prefix or "")
        and parameters.region in (None, get_region(call, bucket))
    ]
    page = listed[: parameters.page_size]
    # The public service names the region only if the query has a parameter.
    shows_region = call.semantics.has_regions and not parameters.is_plain
    token = None if len(page) == len(listed) else base64.urlsafe_b64encode(page[-1].name.encode()).decode()
    return Result(
        document=ListAllMyBucketsResult(
            owner=Owner.of(call.account, shows_name=call.semantics.shows_display_names),
            buckets=tuple(
                BucketEntry(
                    name=bucket.name,
                    creation_date=bucket.created,
                    region=get_region(call, bucket) if shows_region else None,
                    arn=bucket_arn(bucket.name) if call.semantics.shows_bucket_arns else None,
                )
                for bucket in page
            ),
            continuation_token=token,
            prefix=parameters.prefix,
        ),
        truncated_after=None if token is None else len(page),
    )


# -- the expected owner


def parse_account_number(sent: RawValue) -> str:
    """Return the number of the account that must own the bucket."""
    if not re.fullmatch("[0-9]{12}", sent.text):
        raise INVALID_BUCKET_OWNER.error(
            f"{INVALID_BUCKET_OWNER.message} [{sent.text}]",
            explanation=f"{sent.name} is {sent.text!r}; expected the 12 digits of Account.number",
        )
    return sent.text


class ExpectedOwner(Guard):
    """The bucket has the owner that the request expects. The number must be valid even if no such bucket exists."""

    needs_header = True

    number: str | None = header("expected-bucket-owner", parse_account_number)

    def check_bucket(self, call: Call, bucket: BucketRecord) -> Mapping[str, str]:
        if self.number is not None and self.number != bucket.owner.number:
            raise ACCESS_DENIED.error(
                explanation=f"the request expects account {self.number} to own bucket {bucket.name!r}, which belongs to"
                f" {bucket.owner} ({bucket.owner.number})"
            )
        return {}


OPERATIONS = (put_bucket, head_bucket, delete_bucket, get_bucket_location, get_service)
