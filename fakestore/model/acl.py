"""Access control lists: grantees, permissions, grants, and the six canned lists."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from fakestore.model.accounts import Account


class Permission(Enum):
    """What a grant permits. On an object WRITE means nothing; on a bucket READ lists and WRITE puts and deletes."""

    READ = "READ"
    WRITE = "WRITE"
    READ_ACP = "READ_ACP"
    WRITE_ACP = "WRITE_ACP"
    FULL_CONTROL = "FULL_CONTROL"


class Group(Enum):
    """A predefined group of accounts. Every request is authenticated, so the first two hold every account;
    the third is the service's own log writer, and holds none.
    """

    ALL_USERS = "http://acs.amazonaws.com/groups/global/AllUsers"
    AUTHENTICATED_USERS = "http://acs.amazonaws.com/groups/global/AuthenticatedUsers"
    LOG_DELIVERY = "http://acs.amazonaws.com/groups/s3/LogDelivery"

    def holds(self, account: Account) -> bool:
        return self is not Group.LOG_DELIVERY

    def __str__(self) -> str:
        return self.value.rpartition("/")[2]


Grantee = Account | Group


class Grant(NamedTuple):
    """A permission for a grantee."""

    grantee: Grantee
    permission: Permission

    def gives(self, account: Account, permission: Permission) -> bool:
        return (self.permission is permission or self.permission is Permission.FULL_CONTROL) and (
            self.grantee.holds(account) if isinstance(self.grantee, Group) else self.grantee.id == account.id
        )

    def __str__(self) -> str:
        return f"{self.grantee}:{self.permission.value}"


@dataclass(frozen=True, slots=True)
class Acl:
    """Who may do what with one object or bucket: its owner and the grants, in the order they were given."""

    owner: Account
    grants: tuple[Grant, ...]

    def gives(self, account: Account, permission: Permission) -> bool:
        """Whether a grant gives ``account`` the permission; being the owner is not a grant."""
        for grant in self.grants:  # noqa: SIM110  (asked of every request, and any() takes twice as long)
            if grant.gives(account, permission):
                return True
        return False

    def __str__(self) -> str:
        return ", ".join(map(str, self.grants)) or "none"


class CannedAcl(Enum):
    """The canned access control lists of the specification, section 4.1."""

    PRIVATE = "private"
    PUBLIC_READ = "public-read"
    PUBLIC_READ_WRITE = "public-read-write"
    AUTHENTICATED_READ = "authenticated-read"
    BUCKET_OWNER_READ = "bucket-owner-read"
    BUCKET_OWNER_FULL_CONTROL = "bucket-owner-full-control"

    @lru_cache(maxsize=256)
    def expand(self, owner: Account, bucket_owner: Account) -> Acl:
        """The list it stands for: the owner's FULL_CONTROL first, then what the name adds."""
        grants = [Grant(owner, Permission.FULL_CONTROL)]
        grants += [Grant(group, permission) for group, permission in _GROUP_GRANTS.get(self, ())]
        if bucket_owner.id != owner.id and self in _BUCKET_OWNER_GRANT:
            grants.append(Grant(bucket_owner, _BUCKET_OWNER_GRANT[self]))
        return Acl(owner, tuple(grants))


_GROUP_GRANTS = {
    CannedAcl.PUBLIC_READ: ((Group.ALL_USERS, Permission.READ),),
    CannedAcl.PUBLIC_READ_WRITE: ((Group.ALL_USERS, Permission.READ), (Group.ALL_USERS, Permission.WRITE)),
    CannedAcl.AUTHENTICATED_READ: ((Group.AUTHENTICATED_USERS, Permission.READ),),
}
_BUCKET_OWNER_GRANT = {
    CannedAcl.BUCKET_OWNER_READ: Permission.READ,
    CannedAcl.BUCKET_OWNER_FULL_CONTROL: Permission.FULL_CONTROL,
}


@dataclass(frozen=True, slots=True)
class GrantList:
    """Explicit grants that replace a whole list; the owner gets nothing that is not granted."""

    grants: tuple[Grant, ...]

    @classmethod
    def of(cls, grants: Iterable[Grant]) -> GrantList:
        return cls(tuple(dict.fromkeys(grants)))

    def expand(self, owner: Account, bucket_owner: Account) -> Acl:
        return Acl(owner, self.grants)


#: What a request asks for; who owns the thing is known only when it is made.
RequestedAcl = CannedAcl | GrantList
PRIVATE = CannedAcl.PRIVATE
