"""Who may: an explicit Deny of the bucket's policy wins, then an Allow, then ownership and the ACL."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from fakestore.model.accounts import Account
from fakestore.model.acl import Acl, Permission
from fakestore.model.bucket import BucketRecord
from fakestore.model.errors import ACCESS_DENIED
from fakestore.model.object_version import ObjectVersion
from fakestore.model.policy import Verdict


class Right(Enum):
    """What an operation needs: a permission, of the bucket's ACL or the object's; or to own the bucket; or nothing."""

    ANY_ACCOUNT = "any account"
    BUCKET_READ = "bucket", Permission.READ
    BUCKET_WRITE = "bucket", Permission.WRITE
    BUCKET_READ_ACP = "bucket", Permission.READ_ACP
    BUCKET_WRITE_ACP = "bucket", Permission.WRITE_ACP
    BUCKET_OWNER = "bucket owner"
    #: As BUCKET_OWNER, but no policy can allow it to anybody else.
    BUCKET_OWNER_ALONE = "bucket owner, whatever the policy allows"
    #: As BUCKET_OWNER_ALONE, and no policy can deny it: or an owner could lock themself out for good.
    BUCKET_OWNER_ALWAYS = "bucket owner, whatever the policy says"
    OBJECT_READ = "object", Permission.READ
    OBJECT_READ_ACP = "object", Permission.READ_ACP
    OBJECT_WRITE_ACP = "object", Permission.WRITE_ACP

    def __init__(self, of: str, permission: Permission | None = None) -> None:
        self.of = of
        self.permission = permission


_OWNERS_RIGHTS = (Permission.READ_ACP, Permission.WRITE_ACP)


class Access(NamedTuple):
    """An action in the access policy language, and the right it needs where no policy speaks."""

    action: str
    right: Right


LIST = Access("s3:ListBucket", Right.BUCKET_READ)


def authorize(access: Access, account: Account, bucket: BucketRecord, key: str | None, version_id: str | None) -> None:
    """Let ``account`` do what ``access`` names, with the bucket or with one object in it, or refuse.

    Where the object is missing, or a delete marker, whoever may list the bucket is let through to hear it.

    Asked before a body is read, and by whoever reads one again where it writes, for rights may have been lost and
    objects replaced meanwhile. [order-of-checks]

    Raises:
        ErrorResponse: AccessDenied, with who lacked what and what there was instead.
    """
    resource = bucket.name if key is None else f"{bucket.name}/{key}"
    if access.right is Right.BUCKET_OWNER_ALWAYS:
        if account.id != bucket.owner.id:
            raise _denied(account, access, resource, f"it belongs to {bucket.owner}")
        return
    verdict = bucket.policy.decide(account, access.action, resource)
    if verdict is Verdict.DENIED:
        raise _denied(
            account, access, resource, f"denied by {bucket.policy.deciding_statement(account, access.action, resource)}"
        )
    permission = access.right.permission
    if permission is None:
        if access.right is Right.ANY_ACCOUNT:
            return
        allowed = verdict is Verdict.ALLOWED and access.right is Right.BUCKET_OWNER
        if account.id != bucket.owner.id and not allowed:
            raise _denied(account, access, resource, f"it belongs to {bucket.owner}")
    elif access.right.of == "object":
        _authorize_object(
            access, permission, account, bucket, key or "", version_id, allowed=verdict is Verdict.ALLOWED
        )
    elif verdict is not Verdict.ALLOWED and not _may(account, permission, bucket.acl):
        what = f"no {permission.value} on bucket {bucket.name!r}"
        raise _denied(account, access, resource, f"{what}; its grants are {bucket.acl}")


def _authorize_object(
    access: Access,
    permission: Permission,
    account: Account,
    bucket: BucketRecord,
    key: str,
    version_id: str | None,
    *,
    allowed: bool,
) -> None:
    """As :func:`authorize`; ``allowed`` by the policy, which says nothing of whether there is such an object."""
    resource = f"{bucket.name}/{key}"
    entry = bucket.find_entry(key, version_id)
    if isinstance(entry, ObjectVersion):
        if not allowed and not _may(account, permission, entry.acl):
            what = f"no {permission.value} on object {key!r} of {entry.owner} in bucket {bucket.name!r}"
            raise _denied(account, access, resource, f"{what}; its grants are {entry.acl}")
        return
    listing = bucket.policy.decide(account, LIST.action, bucket.name)
    if listing is not Verdict.ALLOWED and (listing is Verdict.DENIED or not _may(account, Permission.READ, bucket.acl)):
        raise _denied(
            account,
            access,
            resource,
            f"there is no such object, and without READ on bucket {bucket.name!r} that is not told;"
            f" its grants are {bucket.acl}",
        )


def _may(account: Account, permission: Permission, acl: Acl) -> bool:
    """By a grant, or because the owner may always read and write the list itself."""
    return acl.grants_permission(account, permission) or (permission in _OWNERS_RIGHTS and account.id == acl.owner.id)


def _denied(account: Account, access: Access, resource: str, because: str) -> Exception:
    return ACCESS_DENIED.error(explanation=f"{account} may not {access.action} on {resource!r}: {because}")
