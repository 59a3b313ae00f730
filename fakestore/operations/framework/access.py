"""Access: an explicit Deny of the bucket's policy wins, then an Allow, then ownership and the ACL."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

from fakestore.errors import ACCESS_DENIED, ErrorResponse
from fakestore.messages import ACLS_OPTION
from fakestore.model.accounts import ANONYMOUS, Requester, owning_account
from fakestore.model.acl import Acl, Permission
from fakestore.model.bucket import BucketRecord
from fakestore.model.object_version import ObjectVersion
from fakestore.model.policy import AccessRequest, Effect
from fakestore.operations.framework.call import Call, Resource

BUCKET_ITSELF = Resource()


class Holder(Enum):
    """The holder of the access control list or the ownership that decides."""

    BUCKET = "bucket"
    OBJECT = "object"


class PolicyPower(Enum):
    """What the policy of a bucket can do with an action."""

    ALLOW_AND_DENY = "allow and deny"
    #: It can deny the action, but it cannot allow it to another account.
    DENY = "deny"
    NONE = "none"


class Requirement(NamedTuple):
    """What a requester needs if no policy decides.

    Args:
        holder: Whose ACL must grant the permission; None if nothing is required.
        permission: The permission; None if the requester must own the holder.
        policy_power: What a policy can do with the action.
        find_lack: Decides instead of a holder. It returns why the requester may not perform the action, or None.
    """

    holder: Holder | None = None
    permission: Permission | None = None
    policy_power: PolicyPower = PolicyPower.ALLOW_AND_DENY
    find_lack: Callable[[Call, BucketRecord], str | None] | None = None


#: Nothing is required, but a policy can deny the action.
NOTHING = Requirement()

BUCKET_READ = Requirement(holder=Holder.BUCKET, permission=Permission.READ)

BUCKET_WRITE = Requirement(holder=Holder.BUCKET, permission=Permission.WRITE)

BUCKET_READ_ACP = Requirement(holder=Holder.BUCKET, permission=Permission.READ_ACP)

BUCKET_WRITE_ACP = Requirement(holder=Holder.BUCKET, permission=Permission.WRITE_ACP)

OBJECT_READ = Requirement(holder=Holder.OBJECT, permission=Permission.READ)

OBJECT_READ_ACP = Requirement(holder=Holder.OBJECT, permission=Permission.READ_ACP)

OBJECT_WRITE_ACP = Requirement(holder=Holder.OBJECT, permission=Permission.WRITE_ACP)

BUCKET_OWNER = Requirement(holder=Holder.BUCKET)

#: No policy can allow it to another account.
OWNER_WITHOUT_POLICY = Requirement(holder=Holder.BUCKET, policy_power=PolicyPower.DENY)

#: No policy can allow or deny it; otherwise an owner could lose access permanently.
BUCKET_OWNER_ALWAYS = Requirement(holder=Holder.BUCKET, policy_power=PolicyPower.NONE)

#: The end of an explanation why an anonymous requester is refused.
NO_CREDENTIALS = "the request has no credentials; sign it, for example with auth=store.auth()"

#: The permissions that the owner of a bucket or object always has.
_OWNER_PERMISSIONS = (Permission.READ_ACP, Permission.WRITE_ACP)


class Access(NamedTuple):
    """An action of the policy language, and its requirement if no policy decides.

    Args:
        action: The action, for example ``s3:GetObject``.
        version: The access that applies instead if the request names a version.
    """

    action: str
    requirement: Requirement
    version: Access | None = None

    def to(self, version_id: str | None) -> Access:
        """Return the access that applies to a request that names `version_id`, or no version."""
        return self if version_id is None or self.version is None else self.version


READ_OBJECT = Access("s3:GetObject", OBJECT_READ, version=Access("s3:GetObjectVersion", OBJECT_READ))

DELETE_OBJECT = Access("s3:DeleteObject", BUCKET_WRITE, version=Access("s3:DeleteObjectVersion", OWNER_WITHOUT_POLICY))

LIST_BUCKET = Access("s3:ListBucket", BUCKET_READ)


def authorize(access: Access, call: Call, bucket: BucketRecord, resource: Resource = BUCKET_ITSELF) -> None:
    """Check that the requester may perform the action on the bucket, or on one key in it.

    If the object does not exist or is a delete marker, a requester with the permission to list the bucket passes, and
    the operation answers 404. The framework calls this before the body is read and again before the operation is
    applied, because permissions and objects may change while the body is read. [order-of-checks]
    """
    attempt = _Attempt(access.to(resource.version_id), call, bucket, resource)
    requirement = attempt.access.requirement
    effect = None if requirement.policy_power is PolicyPower.NONE else attempt.decide()
    if effect is Effect.DENY:
        raise attempt.denied(attempt.explain_policy())
    if bucket.is_restricted and call.requester != bucket.owner:
        raise attempt.denied(
            f"the policy of bucket {bucket.name!r} is public, and its public access block then admits only its owner;"
            f" {ACLS_OPTION}"
        )
    allowed = effect is Effect.ALLOW and requirement.policy_power is PolicyPower.ALLOW_AND_DENY
    if requirement.find_lack is not None:
        lack = None if allowed else requirement.find_lack(call, bucket)
        if lack is not None:
            raise attempt.denied(lack, attempt.explain_policy())
    elif requirement.holder is Holder.OBJECT:
        _authorize_object(attempt, allowed=allowed)
    elif (
        requirement.holder is Holder.BUCKET
        and not allowed
        and not is_granted(call.requester, requirement.permission, bucket.effective_acl())
    ):
        raise attempt.denied(_describe_lack(attempt), attempt.explain_policy())


def is_authorized(access: Access, call: Call, bucket: BucketRecord, resource: Resource) -> bool:
    """Return whether the requester may perform the action; see :func:`authorize`."""
    try:
        authorize(access, call, bucket, resource)
    except ErrorResponse:
        return False
    return True


class _Attempt(NamedTuple):
    """What a requester tries to do."""

    access: Access
    call: Call
    bucket: BucketRecord
    resource: Resource

    def as_request(self) -> AccessRequest:
        """Return the attempt as a request to the policy."""
        values = self.call.operations.condition_keys.values(self.call, self.bucket, self.access.action, self.resource)
        return AccessRequest(self.call.requester, self.access.action, self.resource.name(self.bucket), values)

    def decide(self) -> Effect | None:
        """Return the effect of the bucket's policy."""
        return self.bucket.policy.decide(self.as_request()) if self.bucket.policy.statements else None

    def explain_policy(self) -> str:
        """Return the part of the policy in a refusal, or an empty text."""
        is_powerless = self.access.requirement.policy_power is PolicyPower.NONE
        return "" if is_powerless else self.bucket.policy.explain(self.as_request())

    def denied(self, *reasons: str) -> ErrorResponse:
        """Return the error that refuses it. Empty reasons are omitted."""
        action, resource = self.access.action, self.resource.name(self.bucket)
        advice = NO_CREDENTIALS if self.call.requester is ANONYMOUS else ""
        reason = "; ".join(filter(None, (*reasons, advice)))
        return ACCESS_DENIED.error(explanation=f"{self.call.requester} may not {action} on {resource!r}: {reason}")


def _authorize_object(attempt: _Attempt, *, allowed: bool) -> None:
    requester, bucket, resource = attempt.call.requester, attempt.bucket, attempt.resource
    key, permission = resource.key or "", attempt.access.requirement.permission
    entry = bucket.find_entry(key, resource.version_id)
    if isinstance(entry, ObjectVersion):
        acl = bucket.effective_acl(entry)
        if not allowed and not is_granted(requester, permission, acl):
            needed = "ownership" if permission is None else permission.value
            raise attempt.denied(
                f"no {needed} on object {key!r} of {acl.owner} in bucket {bucket.name!r};"
                f" {_describe_grants(attempt, acl)}",
                attempt.explain_policy(),
            )
        return
    listing_attempt = _Attempt(LIST_BUCKET, attempt.call, bucket, Resource(prefix=key))
    listing = listing_attempt.decide()
    if listing is Effect.DENY or (
        listing is None and not is_granted(requester, Permission.READ, bucket.effective_acl())
    ):
        raise attempt.denied(
            f"the object does not exist, and only a requester with READ on bucket {bucket.name!r} may know that;"
            f" {_describe_grants(listing_attempt, bucket.effective_acl())}",
            listing_attempt.explain_policy(),
        )


def is_granted(requester: Requester, permission: Permission | None, acl: Acl) -> bool:
    """Return whether a requester has a permission, or is the owner of the ACL if `permission` is None."""
    if permission is not None and acl.grants_permission(requester, permission):
        return True
    return (permission is None or permission in _OWNER_PERMISSIONS) and owning_account(requester) == acl.owner


def _describe_lack(attempt: _Attempt) -> str:
    bucket, requirement = attempt.bucket, attempt.access.requirement
    permission = requirement.permission
    if permission is None:
        can_allow = requirement.policy_power is PolicyPower.ALLOW_AND_DENY
        advice = "" if can_allow else ", and no policy can allow it to another account"
        return f"the bucket belongs to {bucket.owner}{advice}"
    grants = _describe_grants(attempt, bucket.effective_acl())
    return f"no {permission.value} on bucket {bucket.name!r}; {grants}"


def _describe_grants(attempt: _Attempt, acl: Acl) -> str:
    """Return the grants of `acl`, or that a policy is needed because no ACL can grant anything."""
    if attempt.bucket.has_no_acls:
        action = attempt.access.action
        return f"ACLs are disabled (BucketOwnerEnforced), so the policy of the bucket must allow {action}"
    return f"its grants are {acl}"
