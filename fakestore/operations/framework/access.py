"""Access: an explicit Deny of the bucket's policy wins, then an Allow, then ownership and the ACL."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

from fakestore.errors import ACCESS_DENIED, METHOD_NOT_ALLOWED, ErrorResponse
from fakestore.messages import ACLS_OPTION
from fakestore.model.accounts import ANONYMOUS, Requester, account_of
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
    #: It can neither deny the action to the owner, nor allow it to another account. If it has an Allow for another
    #: account, that account gets 405 MethodNotAllowed.
    NONE = "none"


class Requirement(NamedTuple):
    """What a requester needs if no policy decides.

    Args:
        holder: Whose ACL must grant the permission; None if nothing is required.
        permission: The permission; None if the requester must own the holder.
        policy_power: What a policy can do with the action.
        find_refusal: Decides instead of a holder. It returns why the requester may not perform the action, or None.
    """

    holder: Holder | None = None
    permission: Permission | None = None
    policy_power: PolicyPower = PolicyPower.ALLOW_AND_DENY
    find_refusal: Callable[[Call, BucketRecord], str | None] | None = None

    @property
    def can_be_allowed(self) -> bool:
        """Whether a policy can allow the action to another account."""
        return self.policy_power is PolicyPower.ALLOW_AND_DENY


#: Nothing is required, but a policy can deny the action.
NOTHING = Requirement()

#: The operation has no bucket, so no policy decides. The framework refuses an anonymous requester.
ANY_ACCOUNT = Requirement(policy_power=PolicyPower.NONE)

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

#: The policy of the bucket itself. No policy can allow or deny it; otherwise an owner could lose access permanently.
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

    The first of these that applies decides: a Deny of the policy, the public access block, an Allow of the policy, a
    rule of the requirement, and the grants of an ACL.

    If the holder is an object that is missing or a delete marker, permission to list the bucket decides; an Allow of
    the policy, the requirement and the ACL of the object do not. A requester with this permission may learn that the
    object is missing: the check passes, and the operation refuses the request.

    The framework calls this before the body is read and again before the operation is applied, because permissions and
    objects may change while the body is read. [order-of-checks]
    """
    attempt = _Attempt(access.to(resource.version_id), call, bucket, resource)
    requirement, requester, version = attempt.access.requirement, call.requester, None
    is_exempt = requirement.policy_power is PolicyPower.NONE and requester == bucket.owner
    effect = None if is_exempt else attempt.decide()
    if effect is Effect.DENY:
        raise attempt.denied(attempt.explain_policy())
    if bucket.is_restricted and requester != bucket.owner:
        raise attempt.denied(
            f"the policy of bucket {bucket.name!r} is public, and its public access block then admits only its owner;"
            f" {ACLS_OPTION}"
        )
    if requirement.holder is Holder.OBJECT:
        entry = bucket.find_entry(resource.key, resource.version_id)
        if not isinstance(entry, ObjectVersion):
            _check_may_list(attempt)
            return
        version = entry
    if effect is Effect.ALLOW and requirement.can_be_allowed:
        return
    if effect is Effect.ALLOW and requirement.policy_power is PolicyPower.NONE and requester is not ANONYMOUS:
        raise attempt.not_allowed()  # [policy-and-acl]
    if requirement.find_refusal is not None:
        refusal = requirement.find_refusal(call, bucket)
    elif requirement.holder is None or is_granted(requester, requirement.permission, bucket.effective_acl(version)):
        refusal = None
    else:
        refusal = _describe_refusal(attempt, version)
    if refusal is not None:
        raise attempt.denied(refusal, attempt.explain_policy() if requirement.can_be_allowed else "")


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
        return self.bucket.policy.explain(self.as_request())

    def denied(self, *reasons: str) -> ErrorResponse:
        """Return the error that refuses it. Empty reasons are omitted."""
        action, resource = self.access.action, self.resource.name(self.bucket)
        advice = NO_CREDENTIALS if self.call.requester is ANONYMOUS else ""
        reason = "; ".join(filter(None, (*reasons, advice)))
        return ACCESS_DENIED.error(explanation=f"{self.call.requester} may not {action} on {resource!r}: {reason}")

    def not_allowed(self) -> ErrorResponse:
        """Return the error for an account that an Allow permits to use the policy, but that does not own the bucket."""
        return METHOD_NOT_ALLOWED.error(
            explanation=f"the policy of bucket {self.bucket.name!r} has an Allow of {self.access.action} for"
            f" {self.call.requester}, but {_describe_refusal(self, None)}",
            Method=self.call.received.method,
            ResourceType="BUCKETPOLICY",
        )


def _check_may_list(attempt: _Attempt) -> None:
    """Check that the requester may know that the object does not exist."""
    bucket, key = attempt.bucket, attempt.resource.key
    listing = _Attempt(LIST_BUCKET, attempt.call, bucket, Resource(prefix=key))
    effect, acl = listing.decide(), bucket.effective_acl()
    if effect is Effect.DENY or (effect is None and not is_granted(attempt.call.requester, Permission.READ, acl)):
        raise attempt.denied(
            f"the object does not exist, and only a requester with READ on bucket {bucket.name!r} may know that;"
            f" {_describe_grants(listing, acl)}",
            listing.explain_policy(),
        )


def is_granted(requester: Requester, permission: Permission | None, acl: Acl) -> bool:
    """Return whether a requester has a permission, or is the owner of the ACL if `permission` is None."""
    if permission is not None and acl.grants_permission(requester, permission):
        return True
    return (permission is None or permission in _OWNER_PERMISSIONS) and account_of(requester) == acl.owner


def _describe_refusal(attempt: _Attempt, version: ObjectVersion | None) -> str:
    """Return what the ACL of the version, or of the bucket if it is None, does not grant."""
    bucket, requirement = attempt.bucket, attempt.access.requirement
    permission, acl = requirement.permission, bucket.effective_acl(version)
    if version is not None:
        needed = "ownership" if permission is None else permission.value
        subject = f"object {version.key!r} of {acl.owner} in bucket {bucket.name!r}"
    elif permission is None:
        advice = "" if requirement.can_be_allowed else ", and no policy can allow this action to another account"
        return f"the bucket belongs to {bucket.owner}{advice}"
    else:
        needed, subject = permission.value, f"bucket {bucket.name!r}"
    return f"no {needed} on {subject}; {_describe_grants(attempt, acl)}"


def _describe_grants(attempt: _Attempt, acl: Acl) -> str:
    """Return the grants of `acl`, or that a policy is needed because no ACL can grant anything."""
    if attempt.bucket.has_no_acls:
        action = attempt.access.action
        return f"ACLs are disabled (BucketOwnerEnforced), so the policy of the bucket must allow {action}"
    return f"its grants are {acl}"
