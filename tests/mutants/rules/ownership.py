"""Ownership and public access. The machine `ownership` must notice each inversion."""

from __future__ import annotations

from tests.mutants.rules.rule import AUTHORIZATION, BUCKET, Rule

ACL_OPERATIONS = "fakestore/operations/acl.py"

RULES = [
    Rule(
        "disabled ACLs have no effect",
        BUCKET,
        "if self.has_no_acls:\n            return PRIVATE.expand(self.owner, self.owner)\n",
        "\n",
    ),
    Rule("ignored public grants have no effect", BUCKET, "block is None or not block.ignore_public_acls", "True"),
    Rule(
        "a restricted bucket is only for its owner",
        AUTHORIZATION,
        "if bucket.is_restricted and call.requester != bucket.owner:",
        "if False:",
    ),
    Rule(
        "only a public ACL is blocked",
        ACL_OPERATIONS,
        "block.block_public_acls and acl.is_public",
        "block.block_public_acls",
    ),
    Rule(
        "an object with bucket-owner-full-control belongs to the bucket's owner if that is preferred",
        BUCKET,
        "return self.owner if self.has_no_acls or gives_away else writer",
        "return self.owner if self.has_no_acls else writer",
    ),
]
