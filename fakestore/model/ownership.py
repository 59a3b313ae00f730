"""Object ownership: which account owns the objects of a bucket, and whether the bucket has access control lists."""

from __future__ import annotations

from enum import StrEnum

from fakestore.errors import INVALID_BUCKET_ACL_WITH_OWNERSHIP
from fakestore.messages import ACLS_OPTION
from fakestore.model.acl import PRIVATE, Acl
from fakestore.xml.declarations import child, children, document, element


class ObjectOwnership(StrEnum):
    """Which account owns an object that another account writes into a bucket."""

    #: The owner of the bucket owns every object, and ACLs are disabled.
    BUCKET_OWNER_ENFORCED = "BucketOwnerEnforced"
    #: The owner of the bucket owns an object that is written with the ACL ``bucket-owner-full-control``. Otherwise the
    #: account that writes the object owns it.
    BUCKET_OWNER_PREFERRED = "BucketOwnerPreferred"
    #: The account that writes an object owns it.
    OBJECT_WRITER = "ObjectWriter"


@element()
class OwnershipRule:
    """Which account owns the objects of the bucket."""

    ownership: ObjectOwnership = child("ObjectOwnership")


@document("OwnershipControls")
class OwnershipControls:
    """The ownership controls of a bucket: always one rule."""

    rules: tuple[OwnershipRule, ...] = children("Rule", least=1, most=1)

    @classmethod
    def of(cls, ownership: ObjectOwnership) -> OwnershipControls:
        """Return the document of a bucket with this object ownership."""
        return cls(rules=(OwnershipRule(ownership=ownership),))

    @property
    def ownership(self) -> ObjectOwnership:
        """The object ownership that the rule sets."""
        return self.rules[0].ownership


def check_bucket_acl(ownership: ObjectOwnership | None, acl: Acl) -> None:
    """Check that a bucket with this object ownership can have an ACL."""
    if ownership is ObjectOwnership.BUCKET_OWNER_ENFORCED and acl != PRIVATE.expand(acl.owner, acl.owner):
        raise INVALID_BUCKET_ACL_WITH_OWNERSHIP.error(
            explanation=f"the grants of the bucket are {acl}; with the object ownership {ownership} only its owner"
            f" {acl.owner} can have a grant; use ObjectWriter or BucketOwnerPreferred, or a private ACL; {ACLS_OPTION}"
        )
