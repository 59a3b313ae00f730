"""The central rules of Object Lock and ownership, each with an edit of the source that inverts it; see `rules.py`."""

from __future__ import annotations

from tests.mutants.rules import AUTHORIZATION, BUCKET, DELETION, LIFECYCLE, Rule

LOCK = "fakestore/model/object_lock.py"
ACL_HEADERS = "fakestore/operations/core/acl.py"

RULES = [
    # -- Object Lock
    Rule(
        "locks", "a locked version is not deleted by its id", DELETION, "if isinstance(entry, ObjectVersion):", "if 0:"
    ),
    Rule("locks", "a retention ends at its date", LOCK, "return now < self.until", "return True"),
    Rule(
        "locks",
        "a legal hold keeps a version",
        LOCK,
        "if self.legal_hold is LegalHold.ON:\n            return True\n",
        "\n",
    ),
    Rule(
        "locks",
        "a bypass does not end the compliance mode",
        LOCK,
        "return not (bypasses and retention.mode is RetentionMode.GOVERNANCE)",
        "return not bypasses",
    ),
    Rule(
        "locks",
        "an active retention does not become shorter",
        LOCK,
        "new.mode is self.mode and new.until >= self.until",
        "new.mode is self.mode",
    ),
    Rule(
        "locks",
        "a lifecycle rule waits for the end of a retention",
        LIFECYCLE,
        "if retention is not None and retention.is_active(due) else due",
        "if False else due",
    ),
    Rule(
        "locks",
        "the default retention is only for objects without one",
        BUCKET,
        "if requested.retention is None and self.object_lock is not None and",
        "if self.object_lock is not None and",
    ),
    # -- ownership and public access
    Rule(
        "ownership",
        "disabled ACLs have no effect",
        BUCKET,
        "if self.has_no_acls:\n            return PRIVATE.expand(self.owner, self.owner)\n",
        "\n",
    ),
    Rule(
        "ownership",
        "ignored public grants have no effect",
        BUCKET,
        "block is None or not block.ignore_public_acls",
        "True",
    ),
    Rule(
        "ownership",
        "a restricted bucket is only for its owner",
        AUTHORIZATION,
        "if bucket.is_restricted and context.requester != bucket.owner:",
        "if False:",
    ),
    Rule(
        "ownership",
        "only a public ACL is blocked",
        ACL_HEADERS,
        "block.block_public_acls and acl.is_public",
        "block.block_public_acls",
    ),
    Rule(
        "ownership",
        "an object with bucket-owner-full-control belongs to the bucket's owner if that is preferred",
        BUCKET,
        "return self.owner if self.has_no_acls or gives_away else writer",
        "return self.owner if self.has_no_acls else writer",
    ),
]
