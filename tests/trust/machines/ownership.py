"""Accounts use a bucket while its object ownership and its public access block change, beside its ACLs and policy."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from tests.trust.machines.access import Access, acls, policies
from tests.trust.machines.store_machine import dialects

SWITCHES = ("BlockPublicAcls", "IgnorePublicAcls", "BlockPublicPolicy", "RestrictPublicBuckets")
OWNERSHIPS = ("BucketOwnerEnforced", "BucketOwnerPreferred", "ObjectWriter")
ownerships = st.none() | st.sampled_from([*OWNERSHIPS, "BucketOwnerEnforced"])
blocks = st.none() | st.lists(st.sampled_from(SWITCHES), max_size=2, unique=True)


class Ownership(Access):
    """The requesters and the requests of the machine `Access`."""

    @initialize(dialect=dialects, acl=acls, policy=policies, ownership=ownerships, block=blocks)
    def start(self, dialect, acl, policy, ownership, block):
        super().start(dialect, "enabled", acl, policy)
        self.put_ownership("anna", ownership, "k")
        self.put_block("anna", block, "k")

    @rule(who=st.sampled_from(["anna"] * 5 + ["ben"]), ownership=ownerships, key=Access.keys)
    def put_ownership(self, who, ownership, key):
        expected = self.oracle.put_ownership(who, "photos", ownership)
        rule = f"<Rule><ObjectOwnership>{ownership}</ObjectOwnership></Rule>"
        body = b"" if ownership is None else f"<OwnershipControls>{rule}</OwnershipControls>".encode()
        method = "PUT" if body else "DELETE"
        self.compare(self.send(who, method, "photos", body=body, ownershipControls=None), expected)
        self.everybody_reads(key)
        self.everybody_writes(key, "bucket-owner-full-control", None)

    @rule(who=st.sampled_from(["anna"] * 5 + ["ben"]), block=blocks, key=Access.keys)
    def put_block(self, who, block, key):
        expected = self.oracle.put_block(who, "photos", block)
        switches = "".join(f"<{name}>true</{name}>" for name in block or ())
        root = "PublicAccessBlockConfiguration"
        body = b"" if block is None else f"<{root}>{switches}</{root}>".encode()
        method = "PUT" if body else "DELETE"
        self.compare(self.send(who, method, "photos", body=body, publicAccessBlock=None), expected)
        self.everybody_reads(key)
