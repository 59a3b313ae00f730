"""ACLs, stated by a name, by headers or by a document; and the settings of a bucket that limit its ACLs."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from fakestore.errors import (
    ACCESS_CONTROL_LIST_NOT_SUPPORTED,
    ACCESS_DENIED,
    AMBIGUOUS_GRANT,
    INVALID_REQUEST,
    MISSING_SECURITY_HEADER,
    NO_SUCH_PUBLIC_ACCESS_BLOCK,
    OWNERSHIP_CONTROLS_NOT_FOUND,
    UNEXPECTED_CONTENT,
    UNRESOLVABLE_GRANT,
    invalid_argument,
)
from fakestore.http.values import http_date
from fakestore.messages import ACLS_OPTION
from fakestore.model.accounts import Accounts
from fakestore.model.acl import (
    PRIVATE,
    AccessControlPolicy,
    Acl,
    CannedAcl,
    CanonicalUser,
    CustomerByEmail,
    Grant,
    Grantee,
    GrantList,
    Group,
    GroupByUri,
    OwnershipControls,
    Permission,
    PublicAccessBlock,
    RequestedAcl,
    RequestedGrantee,
)
from fakestore.model.bucket import BucketRecord
from fakestore.model.object_version import Change
from fakestore.operations.framework.access import (
    BUCKET_READ_ACP,
    BUCKET_WRITE_ACP,
    OBJECT_READ_ACP,
    OBJECT_WRITE_ACP,
    Access,
)
from fakestore.operations.framework.body import has_body
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.inputs import Parameters, headers
from fakestore.operations.framework.operation import operation
from fakestore.operations.framework.result import OK, Result
from fakestore.operations.framework.setting import Actions, Setting
from fakestore.operations.versioning import acl_version_headers, get_version_refusing_markers, version_headers
from fakestore.protocol.routing import Route

_GRANT_HEADERS = {
    "grant-full-control": Permission.FULL_CONTROL,
    "grant-read": Permission.READ,
    "grant-write": Permission.WRITE,
    "grant-read-acp": Permission.READ_ACP,
    "grant-write-acp": Permission.WRITE_ACP,
}

#: The headers that state an ACL, without the prefix of the dialect.
ACL_HEADERS = ("acl", *_GRANT_HEADERS)

# ``,type="value"``; the public service accepts the value without quotes as well. [grant-without-quotes]
_PAIR = r',\s*(emailAddress|id|uri)=(?:"([^"]*)"|([^",\s]+))\s*(?=,|\Z)'

_GRANTEES: dict[str, Callable[[str], RequestedGrantee]] = {
    "id": lambda text: CanonicalUser(id=text),
    "uri": lambda text: GroupByUri(uri=text),
    "emailAddress": lambda text: CustomerByEmail(email_address=text),
}


def parse_acl_headers(call: Call) -> RequestedAcl:
    """Return the ACL in the headers. At least one of them was sent."""
    sent = call.service_headers
    canned = sent.get("acl")
    granted = [name for name in _GRANT_HEADERS if name in sent]
    if canned is not None and granted:
        raise INVALID_REQUEST.error(
            "Specifying both Canned ACLs and Header Grants is not allowed",
            explanation=f"{call.dialect.header('acl')} and {call.dialect.header(granted[0])} were both sent",
        )
    if canned is not None:
        known = call.semantics.canned_acls(of_bucket=call.address.scope == "bucket")
        if canned not in known:
            header = call.dialect.header("acl")
            explanation = f"{header} is {canned!r}; expected one of {', '.join(known)}"
            raise invalid_argument(header, canned, "", explanation=explanation)
        return CannedAcl(canned)
    grants = GrantList.of(
        Grant(grantee, _GRANT_HEADERS[name])
        for name in granted
        for grantee in _parse_grantees(sent[name], call.dialect.header(name), call.state.accounts)
        # This header applies to buckets. On an object it has no effect. [grant-write-on-an-object]
        if name != "grant-write" or call.address.scope == "bucket"
    )
    return grants if grants.grants else PRIVATE


def check_accepts_acl(bucket: BucketRecord, requested: RequestedAcl) -> None:
    """Check that the bucket, or an object in it, can get the ACL that a request states.

    An ACL that only gives the bucket owner full control is always accepted. [object-ownership]
    """
    full_control = CannedAcl.BUCKET_OWNER_FULL_CONTROL, GrantList((Grant(bucket.owner, Permission.FULL_CONTROL),))
    if requested in full_control:
        return
    block, acl = bucket.public_access_block, requested.expand(bucket.owner, bucket.owner)
    blocked = ""
    if block is not None and block.block_public_acls and acl.is_public:
        blocked = (
            f"the public access block of bucket {bucket.name!r} refuses the public grants in {acl}; send"
            f" DELETE Bucket publicAccessBlock, or set store[{bucket.name!r}].public_access_block = None"
        )
    if bucket.has_no_acls:
        also = f". Also, {blocked}" if blocked else ""
        raise ACCESS_CONTROL_LIST_NOT_SUPPORTED.error(
            explanation=f"bucket {bucket.name!r} has the object ownership {bucket.object_ownership}, so it has no ACLs;"
            f" send PUT Bucket ownershipControls, or set store[{bucket.name!r}].object_ownership = 'ObjectWriter'{also}"
            f"; {ACLS_OPTION}"
        )
    if blocked:
        raise ACCESS_DENIED.error(explanation=f"{blocked}; {ACLS_OPTION}")


class AclParameters(Parameters):
    """The headers of a PUT that replaces an ACL; the ACL is None if the body states it."""

    acl: RequestedAcl | None = headers(parse_acl_headers, *ACL_HEADERS)

    def check_parsed(self, call: Call) -> None:
        """Check that the headers or the body state an ACL, but not both."""
        if self.acl is not None and has_body(call):
            raise UNEXPECTED_CONTENT.error(explanation="headers and body both state an ACL; send one of them")
        if self.acl is None and not has_body(call):
            header = call.dialect.header("acl")
            raise MISSING_SECURITY_HEADER.error(
                explanation=f"neither a header nor the body states an ACL; send {header} or a document",
                MissingHeaderName=header,
            )

    def replacing(self, old: Acl, document: AccessControlPolicy | None, accounts: Accounts) -> RequestedAcl:
        if document is None:
            assert self.acl is not None
            return self.acl
        grants = GrantList.of(
            Grant(resolve_grantee(each.grantee, accounts, is_acl=True), each.permission) for each in document.grants
        )
        if document.owner.id != old.owner.id:
            raise invalid_argument(
                "CanonicalUser/ID",
                document.owner.id,
                "Invalid id",
                explanation=f"the document names the owner {document.owner.id!r}, but an ACL cannot change the owner"
                f" {old.owner} ({old.owner.id})",
            )
        return grants


def _parse_grantees(value: str, header: str, accounts: Accounts) -> list[Grantee]:
    grantees, rest = [], f",{value}"
    while rest:
        pair = re.match(_PAIR, rest, re.ASCII)
        if pair is None:
            raise invalid_argument(
                header,
                value,
                "Argument format not recognized",
                explanation=f'{header} is {value!r}; expected a list of emailAddress="...", id="..." and uri="..."'
                " separated by commas",
            )
        kind, quoted, bare = pair.groups()
        grantees.append(resolve_grantee(_GRANTEES[kind](bare if quoted is None else quoted), accounts))
        rest = rest[pair.end() :]
    return grantees


def resolve_grantee(grantee: RequestedGrantee, accounts: Accounts, *, is_acl: bool = False) -> Grantee:
    """Return the account or group that a request names.

    Args:
        is_acl: Whether errors name the element of an ACL, not the kind of the grantee.
    """
    if isinstance(grantee, GroupByUri):
        try:
            return Group(grantee.uri)
        except ValueError:
            known = ", ".join(group.value for group in Group)
            raise invalid_argument(
                "Group/URI" if is_acl else "uri",
                grantee.uri,
                "Invalid group uri",
                explanation=f"unknown group {grantee.uri!r}; expected one of {known}",
            ) from None
    if isinstance(grantee, CanonicalUser):
        account = accounts.by_id(grantee.id)
        if account is None:
            raise invalid_argument(
                "CanonicalUser/ID" if is_acl else "id",
                grantee.id,
                "Invalid id",
                explanation=f"no account has the canonical id {grantee.id!r}; {_describe(accounts)}",
            )
        return account
    matching = accounts.by_email(grantee.email_address)
    if len(matching) != 1:
        row = AMBIGUOUS_GRANT if matching else UNRESOLVABLE_GRANT
        count = f"{len(matching)} accounts have" if matching else "no account has"
        raise row.error(explanation=f"{count} the e-mail address {grantee.email_address!r}; {_describe(accounts)}")
    return matching[0]


def _describe(accounts: Accounts) -> str:
    known = (f"{each} (id {each.id}{f', e-mail {each.email}' if each.email else ''})" for each in accounts)
    return f"known accounts: {', '.join(known)}"


@operation(
    "GET Bucket ACL",
    Route("GET", "bucket", "acl"),
    api_name="GetBucketAcl",
    access=Access("s3:GetBucketAcl", BUCKET_READ_ACP),
)
def get_bucket_acl(call: Call, bucket: BucketRecord) -> Result:
    names = call.semantics.shows_display_names
    return Result(document=AccessControlPolicy.of(bucket.current_acl(), shows_names=names))


@operation(
    "PUT Bucket ACL",
    Route("PUT", "bucket", "acl"),
    api_name="PutBucketAcl",
    access=Access("s3:PutBucketAcl", BUCKET_WRITE_ACP),
    anonymous_error=ACCESS_DENIED.message,
)
def put_bucket_acl(
    call: Call, bucket: BucketRecord, parameters: AclParameters, document: AccessControlPolicy | None
) -> Result:
    requested = parameters.replacing(bucket.acl, document, call.state.accounts)
    check_accepts_acl(bucket, requested)
    bucket.acl = requested.expand(bucket.owner, bucket.owner)
    return OK


@operation(
    "GET Object ACL",
    Route("GET", "object", "acl", names_version=True),
    api_name="GetObjectAcl",
    access=Access("s3:GetObjectAcl", OBJECT_READ_ACP, version=Access("s3:GetObjectVersionAcl", OBJECT_READ_ACP)),
)
def get_object_acl(call: Call, bucket: BucketRecord) -> Result:
    """Return the ACL of an object (specification, section 4.4)."""
    version = bucket.get_object_or_version(call.key, call.version_id)
    return Result(
        headers={"Last-Modified": http_date(version.last_modified)},
        service_headers=acl_version_headers(call, bucket, version),
        document=AccessControlPolicy.of(bucket.current_acl(version), shows_names=call.semantics.shows_display_names),
        version_id=version.version_id,
    )


@operation(
    "PUT Object ACL",
    Route("PUT", "object", "acl", names_version=True),
    api_name="PutObjectAcl",
    access=Access("s3:PutObjectAcl", OBJECT_WRITE_ACP, version=Access("s3:PutObjectVersionAcl", OBJECT_WRITE_ACP)),
    anonymous_error=ACCESS_DENIED.message,
)
def put_object_acl(
    call: Call, bucket: BucketRecord, parameters: AclParameters, document: AccessControlPolicy | None
) -> Result:
    version = get_version_refusing_markers(call, bucket)
    requested = parameters.replacing(bucket.current_acl(version), document, call.state.accounts)
    check_accepts_acl(bucket, requested)
    changed = replace(version, acl=requested.expand(version.owner, bucket.owner))
    bucket.replace_version(changed)
    return Result(
        service_headers=version_headers(call, bucket, version),
        version_id=version.version_id,
        # An ACL that stays the same is no event. [events-of-requests]
        changes=() if changed == version else (Change("ObjectAcl:Put", changed=changed),),
    )


OWNERSHIP_CONTROLS = Setting(
    "ownershipControls",
    "BucketOwnershipControls",
    OwnershipControls,
    Actions("s3:GetBucketOwnershipControls", "s3:PutBucketOwnershipControls", "s3:PutBucketOwnershipControls"),
    attribute="object_ownership",
    missing=OWNERSHIP_CONTROLS_NOT_FOUND,
    title="ownership controls",
    read=lambda bucket: bucket.object_ownership and OwnershipControls(ownership=bucket.object_ownership),
    refuses_anonymous=True,
)


@OWNERSHIP_CONTROLS.put
def put_bucket_ownership_controls(bucket: BucketRecord, document: OwnershipControls) -> Result:
    bucket.change_ownership(document.ownership)
    return Result()


PUBLIC_ACCESS_BLOCK = Setting(
    "publicAccessBlock",
    "PublicAccessBlock",
    PublicAccessBlock,
    Actions("s3:GetBucketPublicAccessBlock", "s3:PutBucketPublicAccessBlock", "s3:PutBucketPublicAccessBlock"),
    attribute="public_access_block",
    missing=NO_SUCH_PUBLIC_ACCESS_BLOCK,
    title="public access block",
)

OPERATIONS = (
    get_bucket_acl,
    put_bucket_acl,
    get_object_acl,
    put_object_acl,
    *OWNERSHIP_CONTROLS.operations(put_bucket_ownership_controls),
    *PUBLIC_ACCESS_BLOCK.operations(),
)
