"""When a lifecycle rule acts. The machine `lifecycle` must notice each inversion."""

from __future__ import annotations

from tests.mutants.rules.rule import BUCKET, LIFECYCLE, Rule

RULES = [
    # -- when a lifecycle rule acts
    Rule(
        "an object expires after the days of the rule, not earlier",
        LIFECYCLE,
        "midnight_after(version.last_modified, days or 0)",
        "midnight_after(version.last_modified, (days or 1) - 1)",
    ),
    Rule(
        "days are rounded up to the next midnight",
        LIFECYCLE,
        "return midnight if midnight == due else midnight + timedelta(days=1)",
        "return midnight",
    ),
    Rule(
        "days that end at midnight are not rounded",
        LIFECYCLE,
        "return midnight if midnight == due else midnight + timedelta(days=1)",
        "return midnight + timedelta(days=1)",
    ),
    Rule(
        "a rule acts on the keys with its prefix",
        LIFECYCLE,
        "if not self.enabled or not entry.key.startswith(self.prefix):",
        "if not self.enabled:",
    ),
    Rule(
        "an object that expires is deleted as by a simple DELETE",
        BUCKET,
        "self.delete(key, owner=self.owner, now=action.at)",
        "self._remove(key, self.get_object(key).version_id)",
    ),
    Rule(
        "a version is noncurrent since the entry above it was written",
        LIFECYCLE,
        "midnight_after(newer.last_modified, expiration.days)",
        "midnight_after(entry.last_modified, expiration.days)",
    ),
    Rule(
        "a rule keeps exactly as many newer noncurrent versions as it says",
        LIFECYCLE,
        "if newer_count >= (expiration.newer_versions or 0)",
        "if newer_count > (expiration.newer_versions or 0)",
    ),
    Rule(
        "an expired delete marker is removed only when nothing is left under it",
        LIFECYCLE,
        "elif latest is not None and len(history) == 1:",
        # If an object is left that expires, it would expire again, which adds a delete marker, and so on for ever.
        "elif latest is not None and not any(isinstance(each, ObjectVersion) and self.get_expiry(each)"
        " for each in history):",
    ),
    Rule(
        "days remove a delete marker only after that many days",
        LIFECYCLE,
        "return midnight_after(marker.last_modified, expiration.days)",
        "return midnight_after(marker.last_modified, 0)",
    ),
    Rule(
        "a rule with tags acts on objects that have them",
        LIFECYCLE,
        "if any(entry.tags.get(tag.key) != tag.value for tag in self.tags):",
        "if False:",
    ),
    Rule(
        "a rule with tags does not act on delete markers",
        LIFECYCLE,
        "return not self.has_size and not self.tags",
        "return not self.has_size",
    ),
    Rule(
        "a change of tags can make an object due",
        BUCKET,
        "self._index.replace(replace(version, tags=tags))\n        self._note_change(",
        "self._index.replace(replace(version, tags=tags))\n        return None\n        self._note_change(",
    ),
    # -- when a rule aborts an upload
    Rule(
        "an upload is aborted after the days of the rule, not earlier",
        LIFECYCLE,
        "midnight_after(upload.initiated, self.abort_days)",
        "midnight_after(upload.initiated, self.abort_days - 1)",
    ),
    Rule(
        "a rule aborts the uploads with its prefix",
        LIFECYCLE,
        "or not upload.key.startswith(self.prefix):",
        "or False:",
    ),
]
