"""Permissions. The machine `access` must notice each inversion."""

from __future__ import annotations

from tests.mutants.rules.rule import ACL, AUTHORIZATION, OBJECT, PUT_HEADERS, Rule

POLICY = "fakestore/model/policy.py"
COPY_SOURCE = "fakestore/operations/copy_source.py"
OBJECT_TAGGING = "fakestore/operations/tagging.py"
AUTHENTICATOR = "fakestore/protocol/auth/authenticator.py"
#: The statements of a copy that find its source.
_AUTHORIZE_SOURCE = "        authorize(self.access, call, bucket, Resource(address.key, address.version_id))\n"
_GET_SOURCE = "        version = _get_source_version(bucket, address)\n"

RULES = [
    Rule(
        "to read an object needs READ on the object, not on the bucket",
        AUTHORIZATION,
        'READ_OBJECT = Access("s3:GetObject", OBJECT_READ',
        'READ_OBJECT = Access("s3:GetObject", BUCKET_READ',
    ),
    Rule("to copy needs READ on the source", COPY_SOURCE, _AUTHORIZE_SOURCE, ""),
    Rule(
        "a missing source of a copy is 404 only for a requester with the permission to list its bucket",
        COPY_SOURCE,
        _AUTHORIZE_SOURCE + _GET_SOURCE,
        _GET_SOURCE + _AUTHORIZE_SOURCE,
    ),
    Rule(
        "a grant to a group of accounts holds for every account",
        ACL,
        "return self is Group.ALL_USERS or (self is Group.AUTHENTICATED_USERS and requester is not ANONYMOUS)",
        "return False",
    ),
    Rule(
        "a grant to the log writer holds for no account",
        ACL,
        "(self is Group.AUTHENTICATED_USERS and requester is not ANONYMOUS)",
        "(requester is not ANONYMOUS)",
    ),
    Rule(
        "a grant to an account holds for that account only",
        ACL,
        "return self.grantee.id == owning_account(requester).id",
        "return True",
    ),
    Rule(
        "a grant gives its own permission only",
        ACL,
        "if self.permission is not permission and self.permission is not Permission.FULL_CONTROL:",
        "if False:",
    ),
    Rule(
        "FULL_CONTROL includes the other permissions",
        ACL,
        "if self.permission is not permission and self.permission is not Permission.FULL_CONTROL:",
        "if self.permission is not permission:",
    ),
    Rule(
        "to list needs READ on the bucket",
        AUTHORIZATION,
        "BUCKET_READ = Requirement(holder=Holder.BUCKET, permission=Permission.READ)",
        "BUCKET_READ = Requirement(holder=Holder.BUCKET, permission=Permission.WRITE)",
    ),
    Rule(
        "to write needs WRITE on the bucket",
        AUTHORIZATION,
        "BUCKET_WRITE = Requirement(holder=Holder.BUCKET, permission=Permission.WRITE)",
        "BUCKET_WRITE = Requirement(holder=Holder.BUCKET, permission=Permission.READ)",
    ),
    Rule(
        "a simple DELETE needs WRITE on the bucket, not its ownership",
        AUTHORIZATION,
        'Access("s3:DeleteObject", BUCKET_WRITE',
        'Access("s3:DeleteObject", BUCKET_OWNER',
    ),
    Rule(
        "WRITE on the bucket does not allow to delete a version",
        AUTHORIZATION,
        'Access("s3:DeleteObjectVersion", OWNER_WITHOUT_POLICY)',
        'Access("s3:DeleteObjectVersion", BUCKET_WRITE)',
    ),
    Rule(
        "no policy allows another account to delete a version",
        AUTHORIZATION,
        'Access("s3:DeleteObjectVersion", OWNER_WITHOUT_POLICY)',
        'Access("s3:DeleteObjectVersion", BUCKET_OWNER)',
    ),
    Rule(
        "the owner may always read the ACL",
        AUTHORIZATION,
        "_OWNER_PERMISSIONS = (Permission.READ_ACP, Permission.WRITE_ACP)",
        "_OWNER_PERMISSIONS = (Permission.WRITE_ACP,)",
    ),
    Rule(
        "the owner may always write the ACL",
        AUTHORIZATION,
        "_OWNER_PERMISSIONS = (Permission.READ_ACP, Permission.WRITE_ACP)",
        "_OWNER_PERMISSIONS = (Permission.READ_ACP,)",
    ),
    Rule(
        "the owner may read the content only by a grant",
        AUTHORIZATION,
        "_OWNER_PERMISSIONS = (Permission.READ_ACP, Permission.WRITE_ACP)",
        "_OWNER_PERMISSIONS = (Permission.READ, Permission.READ_ACP, Permission.WRITE_ACP)",
    ),
    Rule(
        "an object belongs to the account that wrote it",
        OBJECT,
        "headers.new_object(body), owner=call.owner",
        "headers.new_object(body), owner=bucket.owner",
    ),
    Rule(
        "a missing object is 404 only for a requester with the permission to list the bucket",
        AUTHORIZATION,
        "if listing is Verdict.DENIED or (",
        "if False and (",
    ),
    Rule(
        "a Deny wins over an Allow",
        POLICY,
        "if statement.effect is Effect.DENY:\n                    return statement\n                allow = statement",
        "return statement",
    ),
    Rule(
        "a Deny covers the bucket's owner",
        AUTHORIZATION,
        "if verdict is Verdict.DENIED:",
        "if verdict is Verdict.DENIED and call.requester != bucket.owner:",
    ),
    Rule(
        "a Deny of GetObject does not cover GetObjectVersion",
        AUTHORIZATION,
        "return AccessRequest(self.call.requester, self.access.action, ",
        'return AccessRequest(self.call.requester, self.access.action.removesuffix("Version"), ',
    ),
    Rule(
        "a Deny covers only the keys that its resource names",
        POLICY,
        "self._lists_resource(request) is (",
        "True is (",
    ),
    Rule(
        "a statement applies only if its conditions hold",
        POLICY,
        "return self.is_about(request) and all(each.holds(request.condition_values) for each in self.conditions)",
        "return self.is_about(request)",
    ),
    Rule(
        "NotPrincipal does not cover the principals that it lists",
        POLICY,
        "self._lists_requester(request.requester) is (Element.PRINCIPAL not in self.negated)",
        "self._lists_requester(request.requester)",
    ),
    Rule(
        "an Allow suffices without a grant",
        AUTHORIZATION,
        "if not allowed and not is_granted(requester, permission, acl):",
        "if not is_granted(requester, permission, acl):",
    ),
    Rule(
        "a Deny of PutObjectAcl covers a PUT that asks for an ACL",
        PUT_HEADERS,
        "acl = () if self.acl is None else (_PUT_ACL,)",
        "acl = ()",
    ),
    Rule(
        "a PUT that states tags needs the permission for tags",
        PUT_HEADERS,
        "tags = (PUT_OBJECT_TAGGING,) if self.tags else ()",
        "tags = ()",
    ),
    Rule(
        "to read tags needs more than READ on the object",
        OBJECT_TAGGING,
        "import BUCKET_OWNER, Access",
        "import OBJECT_READ as BUCKET_OWNER, Access",
    ),
    Rule(
        "an anonymous requester is refused unless the service authorizes it",
        AUTHENTICATOR,
        "if self.anonymous_requests is AnonymousRequests.REFUSED:",
        "if False:",
    ),
    Rule(
        "a service that authorizes anonymous requesters does so",
        AUTHENTICATOR,
        "if self.anonymous_requests is AnonymousRequests.REFUSED:",
        "if True:",
    ),
    Rule(
        "a grant to authenticated users holds for no anonymous requester",
        ACL,
        "(self is Group.AUTHENTICATED_USERS and requester is not ANONYMOUS)",
        "(self is Group.AUTHENTICATED_USERS)",
    ),
]
