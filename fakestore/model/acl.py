"""Access control lists, and the settings that limit them: object ownership and the public access block."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import NamedTuple

from fakestore.errors import INVALID_BUCKET_ACL_WITH_OWNERSHIP, MALFORMED_ACL
from fakestore.messages import ACLS_OPTION
from fakestore.model.accounts import ANONYMOUS, Account, Owner, Requester, account_of
from fakestore.xml.declarations import child, children, document, element


class Permission(StrEnum):
    """A permission of a grant."""

    #: The grantee can list the bucket, or read the object.
    READ = "READ"
    #: The grantee can put and delete objects in the bucket. On an object, it allows nothing.
    WRITE = "WRITE"
    #: The grantee can read the ACL.
    READ_ACP = "READ_ACP"
    #: The grantee can replace the ACL.
    WRITE_ACP = "WRITE_ACP"
    #: The grantee has all these permissions.
    FULL_CONTROL = "FULL_CONTROL"


class Group(Enum):
    """A predefined group of requesters; the value is its URI."""

    #: Every requester.
    ALL_USERS = "http://acs.amazonaws.com/groups/global/AllUsers"
    #: Every account.
    AUTHENTICATED_USERS = "http://acs.amazonaws.com/groups/global/AuthenticatedUsers"
    #: The service itself, when it writes access logs. The fake writes none, so no requester is in this group.
    LOG_DELIVERY = "http://acs.amazonaws.com/groups/s3/LogDelivery"

    def contains(self, requester: Requester) -> bool:
        return self is Group.ALL_USERS or (self is Group.AUTHENTICATED_USERS and requester is not ANONYMOUS)

    def __str__(self) -> str:
        return self.value.rpartition("/")[2]


Grantee = Account | Group


class Grant(NamedTuple):
    """A permission for a grantee.

    Attributes:
        grantee: An :class:`Account` or a :class:`Group`.
        permission: The permission.
    """

    grantee: Grantee
    permission: Permission

    def grants_permission(self, requester: Requester, permission: Permission) -> bool:
        """Return whether this grant gives ``permission`` to ``requester``. FULL_CONTROL gives every permission."""
        if self.permission is not permission and self.permission is not Permission.FULL_CONTROL:
            return False
        if isinstance(self.grantee, Group):
            return self.grantee.contains(requester)
        return self.grantee.id == account_of(requester).id

    @property
    def is_public(self) -> bool:
        """Whether it is a grant to every requester, or to every account."""
        return self.grantee in (Group.ALL_USERS, Group.AUTHENTICATED_USERS)

    def __str__(self) -> str:
        return f"{self.grantee}:{self.permission}"


@dataclass(frozen=True, slots=True)
class Acl:
    """The access control list of an object or bucket.

    Example:
        >>> acl = FakeStore().create_bucket("photos", acl="public-read").acl
        >>> Grant(Group.ALL_USERS, Permission.READ) in acl.grants
        True

    Attributes:
        owner: The account that owns the object or bucket.
        grants: The grants, in the order of the request that set the ACL.
    """

    owner: Account
    grants: tuple[Grant, ...]

    def grants_permission(self, requester: Requester, permission: Permission) -> bool:
        """Return whether a grant gives ``permission`` to ``requester``. Ownership alone is not a grant."""
        return any(grant.grants_permission(requester, permission) for grant in self.grants)

    @property
    def is_public(self) -> bool:
        """Whether it has a grant to every requester, or to every account."""
        return any(grant.is_public for grant in self.grants)

    def without_public_grants(self) -> Acl:
        """Return a copy of the ACL without its grants to every requester or account."""
        return Acl(self.owner, tuple(grant for grant in self.grants if not grant.is_public))

    def __str__(self) -> str:
        return ", ".join(map(str, self.grants)) or "none"


class CannedAcl(StrEnum):
    """A canned ACL of the specification, section 4.1, or of the public service. [canned-acls-of-the-service]"""

    PRIVATE = "private"
    PUBLIC_READ = "public-read"
    PUBLIC_READ_WRITE = "public-read-write"
    AUTHENTICATED_READ = "authenticated-read"
    BUCKET_OWNER_READ = "bucket-owner-read"
    BUCKET_OWNER_FULL_CONTROL = "bucket-owner-full-control"
    #: Amazon EC2 may read the object or bucket.
    AWS_EXEC_READ = "aws-exec-read"
    #: The service may write access logs to the bucket.
    LOG_DELIVERY_WRITE = "log-delivery-write"

    def expand(self, owner: Account, bucket_owner: Account) -> Acl:
        """Return the ACL that the name means. The owner's FULL_CONTROL is the first grant."""
        grants = [Grant(owner, Permission.FULL_CONTROL)]
        grants += [Grant(grantee, permission) for grantee, permission in _GROUP_GRANTS.get(self, ())]
        if bucket_owner.id != owner.id and self in _BUCKET_OWNER_GRANT:
            grants.append(Grant(bucket_owner, _BUCKET_OWNER_GRANT[self]))
        return Acl(owner, tuple(grants))


#: The account of Amazon EC2. No requester signs as this account.
_EC2 = Account(
    id="6aa5a366c34c1cbe25dc49211496e913e0351eb0e8c37aa3477e40942ec6b97c",
    display_name="za-team",
    email=None,
    access_key_id="",
    secret_key="",
)
#: The canned ACLs that only the public service has.
ACLS_OF_SERVICE = (CannedAcl.AWS_EXEC_READ, CannedAcl.LOG_DELIVERY_WRITE)

_GROUP_GRANTS: dict[CannedAcl, tuple[tuple[Grantee, Permission], ...]] = {
    CannedAcl.AWS_EXEC_READ: ((_EC2, Permission.READ),),
    CannedAcl.LOG_DELIVERY_WRITE: ((Group.LOG_DELIVERY, Permission.WRITE), (Group.LOG_DELIVERY, Permission.READ_ACP)),
    CannedAcl.PUBLIC_READ: ((Group.ALL_USERS, Permission.READ),),
    CannedAcl.PUBLIC_READ_WRITE: ((Group.ALL_USERS, Permission.READ), (Group.ALL_USERS, Permission.WRITE)),
    CannedAcl.AUTHENTICATED_READ: ((Group.AUTHENTICATED_USERS, Permission.READ),),
}
_BUCKET_OWNER_GRANT = {
    CannedAcl.BUCKET_OWNER_READ: Permission.READ,
    CannedAcl.BUCKET_OWNER_FULL_CONTROL: Permission.FULL_CONTROL,
}


class GrantList(NamedTuple):
    """Explicit grants. They are the whole ACL: the owner has only the permissions that are granted."""

    grants: tuple[Grant, ...]

    @classmethod
    def of(cls, grants: Iterable[Grant]) -> GrantList:
        return cls(tuple(dict.fromkeys(grants)))

    def expand(self, owner: Account, bucket_owner: Account) -> Acl:
        return Acl(owner, self.grants)


#: An ACL as requested. It is expanded when the owner is known.
RequestedAcl = CannedAcl | GrantList
PRIVATE = CannedAcl.PRIVATE


@element(xsi_type="CanonicalUser")
class CanonicalUser(Owner):
    """An account as a grantee."""


@element(xsi_type="AmazonCustomerByEmail")
class CustomerByEmail:
    email_address: str = child("EmailAddress")
    display_name: str | None = child("DisplayName", default=None)


@element(xsi_type="Group")
class GroupByUri:
    uri: str = child("URI")
    display_name: str | None = child("DisplayName", default=None)


#: A grantee as a request names it. It may not exist.
RequestedGrantee = CanonicalUser | CustomerByEmail | GroupByUri


@element()
class GrantElement:
    grantee: RequestedGrantee = child("Grantee")
    permission: Permission = child("Permission")

    @classmethod
    def of(cls, grant: Grant, *, shows_name: bool) -> GrantElement:
        if isinstance(grant.grantee, Group):
            return cls(grantee=GroupByUri(uri=grant.grantee.value), permission=grant.permission)
        user = CanonicalUser.of(grant.grantee, shows_name=shows_name)
        return cls(grantee=user, permission=grant.permission)


@document("AccessControlPolicy", malformed=MALFORMED_ACL)
class AccessControlPolicy:
    """The document of the specification, section 2.4. Its owner and its grantees may not exist."""

    owner: Owner = child("Owner")
    grants: tuple[GrantElement, ...] = children("Grant", inside="AccessControlList")

    @classmethod
    def of(cls, acl: Acl, *, shows_names: bool) -> AccessControlPolicy:
        return cls(
            owner=Owner.of(acl.owner, shows_name=shows_names),
            grants=tuple(GrantElement.of(grant, shows_name=shows_names) for grant in acl.grants),
        )


# -- object ownership


class ObjectOwnership(StrEnum):
    """Which account owns an object that another account writes into a bucket."""

    #: The owner of the bucket owns every object, and ACLs are disabled.
    BUCKET_OWNER_ENFORCED = "BucketOwnerEnforced"
    #: The owner of the bucket owns an object that is written with the ACL ``bucket-owner-full-control``. Otherwise the
    #: account that writes the object owns it.
    BUCKET_OWNER_PREFERRED = "BucketOwnerPreferred"
    #: The account that writes an object owns it.
    OBJECT_WRITER = "ObjectWriter"


@document("OwnershipControls")
class OwnershipControls:
    """The ownership controls of a bucket: always one rule."""

    ownership: ObjectOwnership = child("ObjectOwnership", inside="Rule")


def check_bucket_acl(ownership: ObjectOwnership | None, acl: Acl) -> None:
    """Check that a bucket with this object ownership can have an ACL."""
    if ownership is ObjectOwnership.BUCKET_OWNER_ENFORCED and acl != PRIVATE.expand(acl.owner, acl.owner):
        raise INVALID_BUCKET_ACL_WITH_OWNERSHIP.error(
            explanation=f"the grants of the bucket are {acl}; with the object ownership {ownership} only its owner"
            f" {acl.owner} can have a grant; use ObjectWriter or BucketOwnerPreferred, or a private ACL; {ACLS_OPTION}"
        )


# -- public access block


@document("PublicAccessBlockConfiguration")
class PublicAccessBlock:
    """Which kinds of public access a bucket blocks.

    An ACL is public if it has a grant to every requester or to every account. A policy is public if it allows something
    to every requester, and no condition limits this. [policy-status]

    Example:
        >>> PublicAccessBlock(block_public_acls=True).ignore_public_acls
        False

    Args:
        block_public_acls: Whether a request that sets a public ACL is refused.
        ignore_public_acls: Whether grants to every requester or to every account have no effect.
        block_public_policy: Whether a request that sets a public policy is refused.
        restrict_public_buckets: Whether only the owner has access to a bucket that has a public policy.
    """

    block_public_acls: bool = child("BlockPublicAcls", default=False)
    ignore_public_acls: bool = child("IgnorePublicAcls", default=False)
    block_public_policy: bool = child("BlockPublicPolicy", default=False)
    restrict_public_buckets: bool = child("RestrictPublicBuckets", default=False)

    def __str__(self) -> str:
        return ", ".join(name.replace("_", " ") for name, is_on in vars(self).items() if is_on) or "nothing"


ALL_BLOCKED = PublicAccessBlock(
    block_public_acls=True, ignore_public_acls=True, block_public_policy=True, restrict_public_buckets=True
)
