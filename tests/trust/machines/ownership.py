"""Accounts use a bucket while its object ownership and its public access block change, beside its ACLs and policy."""

from __future__ import annotations

from itertools import combinations

from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from tests.trust.machines.access import Access, acls, is_sound, object_acls, policies
from tests.trust.machines.store_machine import dialects
from tests.trust.oracle.values import Written

SWITCHES = ("BlockPublicAcls", "IgnorePublicAcls", "BlockPublicPolicy", "RestrictPublicBuckets")
OWNERSHIPS = ("BucketOwnerEnforced", "BucketOwnerPreferred", "ObjectWriter")
ownerships = st.none() | st.sampled_from([*OWNERSHIPS, "BucketOwnerEnforced"])
blocks = st.sampled_from([None, *(chosen for size in (1, 1, 2) for chosen in combinations(SWITCHES, size))])
#: Most are public.
blocked_acls = st.sampled_from(["public-read", "public-read", "authenticated-read", "private", "bucket-owner-read"])


#: Half of the histories begin without a policy, because it can give what the ACLs do not.
first_policies = st.just([]) | policies


class Ownership(Access):
    """The requesters and the requests of the machine `Access`."""

    @initialize(
        dialect=dialects, acl=acls, policy=first_policies, ownership=ownerships, block=blocks, object_acl=blocked_acls
    )
    def start(self, dialect, acl, policy, ownership, block, object_acl):
        super().start(dialect, "enabled", acl, policy, "private")
        self.put_ownership("anna", ownership, "k", object_acl)
        self.put_block("anna", block, "k", object_acl)

    def begin_with_policy(self, policy):
        """Leave the requests of everybody to the steps, because they are most of the time of a history."""
        self.set_policy_of("anna", [each for each in policy if is_sound(each)])

    @rule(who=st.sampled_from(["anna"] * 5 + ["ben"]), ownership=ownerships, key=Access.keys, acl=object_acls)
    def put_ownership(self, who, ownership, key, acl):
        """An object has an ACL before. That of the bucket is private before ACLs are disabled; else ben may write."""
        shared = [("anna", "FULL_CONTROL"), ("ben", "FULL_CONTROL")]
        self.put_object("anna", key, b"x", Written(acl=acl))
        self.set_acl_of_bucket("anna", "private" if ownership == "BucketOwnerEnforced" else shared)
        expected = self.oracle.put_ownership(who, "photos", ownership)
        rule = f"<Rule><ObjectOwnership>{ownership}</ObjectOwnership></Rule>"
        body = b"" if ownership is None else f"<OwnershipControls>{rule}</OwnershipControls>".encode()
        method = "PUT" if body else "DELETE"
        self.compare(self.send(who, method, "photos", body=body, ownershipControls=None), expected)
        self.everybody_reads(key)
        self.everybody_writes(key, "bucket-owner-full-control", None)

    @rule(who=st.sampled_from(["anna"] * 5 + ["ben"]), block=blocks, key=Access.keys, acl=blocked_acls)
    def put_block(self, who, block, key, acl):
        """An object has an ACL before, and one is sent after."""
        self.put_object("anna", key, b"x", Written(acl=acl))
        expected = self.oracle.put_block(who, "photos", block)
        switches = "".join(f"<{name}>true</{name}>" for name in block or ())
        root = "PublicAccessBlockConfiguration"
        body = b"" if block is None else f"<{root}>{switches}</{root}>".encode()
        method = "PUT" if body else "DELETE"
        self.compare(self.send(who, method, "photos", body=body, publicAccessBlock=None), expected)
        self.everybody_reads(key)
        self.put_object("anna", key, b"x", Written(acl=acl))
