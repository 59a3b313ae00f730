"""The AccessControlPolicy document: the owner and the grants of an object or a bucket."""

from __future__ import annotations

from typing import NamedTuple

from fakestore.documents.owner import Owner
from fakestore.model.acl import Acl, Grant, Group, Permission
from fakestore.model.errors import MALFORMED_ACL
from fakestore.model.shape import child, children, document, element


class GranteeReference(NamedTuple):
    """How a request names a grantee: ``type`` is ``id``, ``emailAddress`` or ``uri``. The grantee may not exist."""

    type: str
    value: str


@element(xsi_type="CanonicalUser")
class CanonicalUser:
    """A grantee by its canonical id."""

    id: str = child("ID")
    display_name: str | None = child("DisplayName", default=None)

    @property
    def reference(self) -> GranteeReference:
        """The canonical id."""
        return GranteeReference("id", self.id)


@element(xsi_type="AmazonCustomerByEmail")
class CustomerByEmail:
    """A grantee by its e-mail address."""

    email_address: str = child("EmailAddress")
    display_name: str | None = child("DisplayName", default=None)

    @property
    def reference(self) -> GranteeReference:
        """The e-mail address."""
        return GranteeReference("emailAddress", self.email_address)


@element(xsi_type="Group")
class GroupByUri:
    """A predefined group by its URI."""

    uri: str = child("URI")
    display_name: str | None = child("DisplayName", default=None)

    @property
    def reference(self) -> GranteeReference:
        """The URI."""
        return GranteeReference("uri", self.uri)


@element()
class GrantElement:
    """A permission for a grantee."""

    grantee: CanonicalUser | CustomerByEmail | GroupByUri = child("Grantee")
    permission: Permission = child("Permission")

    @classmethod
    def from_grant(cls, grant: Grant, *, shows_name: bool) -> GrantElement:
        """Return the element for ``grant``."""
        if isinstance(grant.grantee, Group):
            return cls(grantee=GroupByUri(uri=grant.grantee.value), permission=grant.permission)
        name = grant.grantee.display_name if shows_name else None
        user = CanonicalUser(id=grant.grantee.id, display_name=name)
        return cls(grantee=user, permission=grant.permission)


@document("AccessControlPolicy", malformed=MALFORMED_ACL)
class AccessControlPolicy:
    """The document of the specification, section 2.4.

    Whether its owner and its grantees exist is not checked here.
    """

    owner: Owner = child("Owner")
    grants: tuple[GrantElement, ...] = children("Grant", inside="AccessControlList")

    @classmethod
    def from_acl(cls, acl: Acl, *, shows_names: bool) -> AccessControlPolicy:
        """Return the document for ``acl``.

        Args:
            shows_names: Whether the owner and the grantees have a DisplayName.
        """
        return cls(
            owner=Owner.from_account(acl.owner, shows_name=shows_names),
            grants=tuple(GrantElement.from_grant(grant, shows_name=shows_names) for grant in acl.grants),
        )
