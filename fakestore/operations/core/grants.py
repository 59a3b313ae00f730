"""The access control list that a request asks for: canned, by grant headers, or by a document."""

from __future__ import annotations

import re
from collections.abc import Callable

from fakestore.documents.acl import AccessControlPolicy, GranteeReference
from fakestore.documents.shape import parse
from fakestore.model.accounts import Account, Accounts
from fakestore.model.acl import Acl, CannedAcl, Grant, Grantee, GrantList, Group, Permission, RequestedAcl
from fakestore.model.errors import (
    AMBIGUOUS_GRANT,
    INVALID_ARGUMENT,
    INVALID_REQUEST,
    MISSING_SECURITY_HEADER,
    UNEXPECTED_CONTENT,
    UNRESOLVABLE_GRANT,
)
from fakestore.operations.core.context import Call

_GRANT_HEADERS = {
    "grant-full-control": Permission.FULL_CONTROL,
    "grant-read": Permission.READ,
    "grant-write": Permission.WRITE,
    "grant-read-acp": Permission.READ_ACP,
    "grant-write-acp": Permission.WRITE_ACP,
}
#: The headers that ask for an ACL, for the rows that take them.
ACL_HEADERS = ("acl", *_GRANT_HEADERS)

# ``type="value"``; the recorded service takes the value without quotes as well. [grant-without-quotes]
_PAIR = re.compile(r'\s*(emailAddress|id|uri)=(?:"([^"]*)"|([^",\s]+))\s*', re.ASCII)


def acl_from_headers(call: Call, *, of_bucket: bool = False) -> RequestedAcl | None:
    """What ``x-svc-acl`` or the grant headers ask for; ``None`` where none of them was sent.

    Raises:
        ErrorResponse: InvalidRequest for both kinds at once, InvalidArgument for an unknown canned ACL or a malformed
            or unknown grantee, UnresolvableGrantByEmailAddress, AmbiguousGrantByEmailAddress.
    """
    if call.own_headers.keys().isdisjoint(ACL_HEADERS):
        return None
    canned = call.own_headers.get("acl")
    granted = [(name, call.own_headers[name]) for name in _GRANT_HEADERS if name in call.own_headers]
    if canned is not None and granted:
        raise INVALID_REQUEST(
            "Specifying both Canned ACLs and Header Grants is not allowed",
            explanation=f"both an ACL header and {call.dialect.header_prefix}{granted[0][0]} were sent",
        )
    if canned is not None:
        return _canned(canned, f"{call.dialect.header_prefix}acl")
    grants = [
        Grant(grantee, _GRANT_HEADERS[name])
        for name, value in granted
        for grantee in _grantees(value, call.dialect.header_prefix + name, call.state.accounts)
        # On an object this header makes no grant: it applies to buckets only. [grant-write-on-an-object]
        if of_bucket or name != "grant-write"
    ]
    return GrantList.of(grants)


def acl_to_replace(call: Call, *, of_bucket: bool = False) -> Callable[[Acl], RequestedAcl]:
    """What a PUT of an ACL asks for, by headers or by its body; to be told the list it replaces.

    Raises:
        ErrorResponse: as :func:`acl_from_headers`; UnexpectedContent for a body beside headers, MissingSecurityHeader
            for neither, MalformedACLError or InvalidArgument for what is wrong in the body.
    """
    asked = acl_from_headers(call, of_bucket=of_bucket)
    if asked is not None:
        if call.sends_body():
            raise UNEXPECTED_CONTENT(explanation="the ACL is in the headers and in the body; send one of them")
        return lambda _: asked
    if not call.sends_body():
        raise MISSING_SECURITY_HEADER(
            explanation="the ACL is neither in a header nor in the body",
            MissingHeaderName=f"{call.dialect.header_prefix}acl",
        )
    document = parse(AccessControlPolicy, call.receive_document())
    grants = _grants_of(document, call.state.accounts)

    def replacing(old: Acl) -> RequestedAcl:
        if document.owner.id != old.owner.id:
            raise INVALID_ARGUMENT(
                "Invalid id",
                explanation=f"the document names the owner {document.owner.id!r}; the owner is {old.owner}"
                f" ({old.owner.id}), and an ACL cannot change that",
                ArgumentName="CanonicalUser/ID",
                ArgumentValue=document.owner.id,
            )
        return grants

    return replacing


def _canned(name: str, header: str) -> CannedAcl:
    try:
        return CannedAcl(name)
    except ValueError:
        names = ", ".join(each.value for each in CannedAcl)
        raise INVALID_ARGUMENT(
            "",
            explanation=f"{name!r} is no canned ACL; there are {names}",
            ArgumentName=header,
            ArgumentValue=name,
        ) from None


def _grantees(value: str, header: str, accounts: Accounts) -> list[Grantee]:
    grantees = []
    position = 0
    while position <= len(value):
        pair = _PAIR.match(value, position)
        if pair is None or (pair.end() < len(value) and value[pair.end()] != ","):
            raise INVALID_ARGUMENT(
                "Argument format not recognized",
                explanation=f'{header} is {value!r}, no list of emailAddress="...", id="..." and uri="..." by commas',
                ArgumentName=header,
                ArgumentValue=value,
            )
        kind, quoted, bare = pair.groups()
        grantees.append(_resolve(GranteeReference(kind, bare if quoted is None else quoted), kind, accounts))
        position = pair.end() + 1
    return grantees


def _grants_of(document: AccessControlPolicy, accounts: Accounts) -> GrantList:
    argument = {
        "id": "CanonicalUser/ID",
        "uri": "Group/URI",
        "emailAddress": "AmazonCustomerByEmail/EmailAddress",
    }
    return GrantList.of(
        Grant(_resolve(reference, argument[reference.type], accounts), grant.permission)
        for grant in document.grants
        for reference in [grant.grantee.reference]
    )


def _resolve(name: GranteeReference, argument: str, accounts: Accounts) -> Grantee:
    if name.type == "uri":
        try:
            return Group(name.value)
        except ValueError:
            raise INVALID_ARGUMENT(
                "Invalid group uri",
                explanation=f"{name.value!r} is no group; there are {', '.join(group.value for group in Group)}",
                ArgumentName=argument,
                ArgumentValue=name.value,
            ) from None
    if name.type == "id":
        account = accounts.by_id(name.value)
        if account is None:
            raise INVALID_ARGUMENT(
                "Invalid id",
                explanation=f"no account has the canonical id {name.value!r}; {_known(accounts)}",
                ArgumentName=argument,
                ArgumentValue=name.value,
            )
        return account
    found = accounts.by_email(name.value)
    if len(found) != 1:
        error = AMBIGUOUS_GRANT if found else UNRESOLVABLE_GRANT
        raise error(explanation=f"{len(found)} accounts have the address {name.value!r}; {_known(accounts)}")
    return found[0]


def _known(accounts: Accounts) -> str:
    def told(account: Account) -> str:
        return f"{account} (id {account.id}, e-mail {account.email})"

    return "accounts: " + ", ".join(map(told, accounts))
