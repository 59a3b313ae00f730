"""Object Lock. The machine `locks` must notice each inversion."""

from __future__ import annotations

from tests.mutants.rules.rule import BUCKET, DELETION, LIFECYCLE, Rule

LOCK = "fakestore/model/object_lock.py"

RULES = [
    Rule("a locked version is not deleted by its id", DELETION, "if isinstance(entry, ObjectVersion):", "if 0:"),
    Rule("a retention ends at its date", LOCK, "return now < self.until", "return True"),
    Rule("a legal hold keeps a version", LOCK, "if self.legal_hold is LegalHold.ON:\n            return True\n", "\n"),
    Rule(
        "a bypass does not end the compliance mode",
        LOCK,
        "return not (bypasses and retention.mode is RetentionMode.GOVERNANCE)",
        "return not bypasses",
    ),
    Rule(
        "an active retention does not become shorter",
        LOCK,
        "new.mode is self.mode and new.until >= self.until",
        "new.mode is self.mode",
    ),
    Rule(
        "a lifecycle rule waits for the end of a retention",
        LIFECYCLE,
        "if retention is not None and retention.is_active(due) else due",
        "if False else due",
    ),
    Rule(
        "the default retention is only for objects without one",
        BUCKET,
        "if requested.retention is None and self.object_lock is not None and",
        "if self.object_lock is not None and",
    ),
]
