"""The AccessControlPolicy document, both ways."""

from __future__ import annotations

from typing import NamedTuple

from fakestore.documents.xml import XSI, XSI_TYPE, children, content, document, element, parse, root, text, texts
from fakestore.model.accounts import Account
from fakestore.model.acl import Acl, Grant, Group, Permission
from fakestore.model.errors import MALFORMED_ACL
from fakestore.protocol.dialect import Dialect


class GranteeReference(NamedTuple):
    """How a request names a grantee: ``id``, ``emailAddress`` or ``uri``, and the value."""

    kind: str
    value: str


class AclDocument(NamedTuple):
    """What the document says; whether there are such accounts is not asked here."""

    owner_id: str
    grants: tuple[tuple[GranteeReference, Permission], ...]


_GRANTEE_ELEMENTS = {
    "CanonicalUser": ("ID", "id"),
    "AmazonCustomerByEmail": ("EmailAddress", "emailAddress"),
    "Group": ("URI", "uri"),
}


def render_acl(acl: Acl, dialect: Dialect) -> bytes:
    """The document of the specification's section 2.4; groups are named by their URI."""
    grants = "".join(_grant(grant) for grant in acl.grants)
    return document(
        root(
            "AccessControlPolicy",
            owner("Owner", acl.owner),
            element("AccessControlList", grants),
            dialect=dialect,
        )
    )


def owner(name: str, account: Account) -> str:
    """An element that holds an account's ID and DisplayName."""
    return element(name, text("ID", account.id), text("DisplayName", account.display_name))


def _grant(grant: Grant) -> str:
    if isinstance(grant.grantee, Group):
        kind, names = "Group", text("URI", grant.grantee.value)
    else:
        kind = "CanonicalUser"
        names = text("ID", grant.grantee.id) + text("DisplayName", grant.grantee.display_name)
    grantee = element("Grantee", names, xmlns__xsi=XSI, xsi__type=kind)
    return element("Grant", grantee, text("Permission", grant.permission.value))


def parse_acl(body: bytes) -> AclDocument:
    """Read the document of a PUT of an ACL.

    Raises:
        ErrorResponse: MalformedACLError.
    """
    policy = children(
        parse(body, "AccessControlPolicy", MALFORMED_ACL),
        one=("Owner", "AccessControlList"),
        malformed=MALFORMED_ACL,
    )
    if not policy["Owner"] or not policy["AccessControlList"]:
        raise MALFORMED_ACL.error(explanation="an AccessControlPolicy has an Owner and an AccessControlList")
    owner_names = texts(policy["Owner"][0], "ID", "DisplayName", malformed=MALFORMED_ACL)
    if "ID" not in owner_names:
        raise MALFORMED_ACL.error(explanation="the Owner has no ID")
    grants = children(policy["AccessControlList"][0], many=("Grant",), malformed=MALFORMED_ACL)["Grant"]
    read = []
    for grant in grants:
        parts = children(grant, one=("Grantee", "Permission"), malformed=MALFORMED_ACL)
        if not parts["Grantee"] or not parts["Permission"]:
            raise MALFORMED_ACL.error(explanation="a Grant has a Grantee and a Permission")
        grantee = parts["Grantee"][0]
        kind = grantee.get(XSI_TYPE) or ""
        if kind not in _GRANTEE_ELEMENTS:
            known = ", ".join(_GRANTEE_ELEMENTS)
            raise MALFORMED_ACL.error(explanation=f"the xsi:type of a Grantee is {kind!r}; there are {known}")
        name, short = _GRANTEE_ELEMENTS[kind]
        named = texts(grantee, name, "DisplayName", malformed=MALFORMED_ACL)
        if name not in named:
            raise MALFORMED_ACL.error(explanation=f"a Grantee of xsi:type {kind} is named by its {name}")
        permission = content(parts["Permission"][0], MALFORMED_ACL)
        if permission not in Permission.__members__:
            known = ", ".join(Permission.__members__)
            raise MALFORMED_ACL.error(explanation=f"{permission!r} is no Permission; there are {known}")
        read.append((GranteeReference(short, named[name]), Permission[permission]))
    return AclDocument(owner_names["ID"], tuple(read))
