"""PUT, HEAD and DELETE Bucket, and GET Bucket location."""

from __future__ import annotations

from fakestore.errors import INVALID_ARGUMENT, INVALID_BUCKET_ACL_WITH_BLOCK, UnsupportedRequest, invalid_argument
from fakestore.messages import ACLS_OPTION
from fakestore.model.accounts import Account
from fakestore.model.acl import PRIVATE, Acl, RequestedAcl
from fakestore.model.bucket import BucketRecord
from fakestore.model.object_lock import ObjectLock
from fakestore.model.ownership import ObjectOwnership, check_bucket_acl
from fakestore.model.public_access_block import PublicAccessBlock
from fakestore.model.regions import HOME_REGION
from fakestore.model.tagging import NEW_BUCKET_TAGS, NO_TAGS, Tag, tag_pairs
from fakestore.model.versioning import Versioning
from fakestore.operations.acl import ACL_HEADERS, parse_acl_headers
from fakestore.operations.framework.access import BUCKET_OWNER, LIST_BUCKET, NOTHING, Access, authorize
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.fields import Sent, choice, header, headers, switch
from fakestore.operations.framework.parameters import Parameters
from fakestore.operations.framework.result import NO_CONTENT, Result
from fakestore.operations.framework.row import operation
from fakestore.operations.regions import arn_headers, check_location, get_region, region_headers
from fakestore.protocol.routing import Route
from fakestore.xml.declarations import child, children, document, text


@document("CreateBucketConfiguration", unsupported=("Bucket", "Location"))
class CreateBucketConfiguration:
    """The location and the tags of a new bucket. ``location_constraint`` is ``None`` if the element is absent."""

    location_constraint: str | None = child("LocationConstraint", default=None)
    tags: tuple[Tag, ...] = children("Tag", inside="Tags", default=())


_CREATE_AGAIN = Access("s3:CreateBucket", BUCKET_OWNER)

_OWNERSHIP = choice(
    ObjectOwnership,
    lambda name, text, explanation: INVALID_ARGUMENT.error(
        f"Invalid {name} header: {text}", explanation=explanation, ArgumentName=name
    ),
)


def _shared_namespace(sent: Sent) -> str:
    """Return the shared namespace of all accounts. Refuse any other. [bucket-namespace]"""
    if sent.text == "account-regional":
        raise UnsupportedRequest(f"{sent.name} is {sent.text!r}; use global, the only namespace of a store, or omit it")
    if sent.text != "global":
        raise invalid_argument(
            sent.name, sent.text, explanation=f"{sent.name} is {sent.text!r}; expected global or account-regional"
        )
    return sent.text


class CreateBucketParameters(Parameters):
    """The headers of a PUT Bucket."""

    namespace: str = header("bucket-namespace", _shared_namespace, default="global")
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
    access=Access("s3:CreateBucket", NOTHING),
    parameters=CreateBucketParameters,
    body=CreateBucketConfiguration,
    body_is_optional=True,
    needs_bucket=False,
    hint="The path names no key, so this request creates a bucket; encode a key that is '/' as %2F",
)
def put_bucket(call: Call, parameters: CreateBucketParameters, document: CreateBucketConfiguration | None) -> Result:
    constraint = None if document is None else document.location_constraint
    location = check_location(call, constraint or "")
    tags = NO_TAGS if document is None else NEW_BUCKET_TAGS.check(tag_pairs(document.tags))
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
        parameters.expand_acl(call.owner, ownership, call.semantics.default_public_access_block)
        bucket = call.state.create_bucket(name, owner=call.owner, requested_acl=parameters.acl, now=call.now)
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
    service_headers = {**arn_headers(call, bucket.name), **region_headers(call, bucket)}
    if call.semantics.shows_bucket_arns:
        service_headers["access-point-alias"] = "false"
    return Result(headers={"Content-Type": call.dialect.xml_content_type}, service_headers=service_headers)


@operation(
    "DELETE Bucket", Route("DELETE", "bucket"), api_name="DeleteBucket", access=Access("s3:DeleteBucket", BUCKET_OWNER)
)
def delete_bucket(call: Call, bucket: BucketRecord) -> Result:
    """Delete an empty bucket."""
    call.state.delete_bucket(bucket.name)
    return NO_CONTENT


@document("LocationConstraint")
class LocationConstraint:
    """The location of a bucket; empty for the store's only location."""

    location: str = text()


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
