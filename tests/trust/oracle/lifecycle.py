"""What the oracle's lifecycle rules do."""

from __future__ import annotations

from datetime import timedelta

from tests.trust.oracle.objects import Objects
from tests.trust.oracle.values import next_midnight


class Lifecycle(Objects):
    def apply_lifecycle(self):
        """Do everything that rules have due. What is overdue is dated by the last look."""
        now = self.now
        for name, bucket in self.buckets.items():
            not_before, bucket.last_look = min(bucket.last_look, now), now
            for upload in [each for each in bucket.uploads if self._is_abandoned(name, each)]:
                self.end_upload(name, upload)
            for key in self.keys(name):
                while actions := self._due(name, key):
                    at, _, _, entry = min(actions, key=lambda each: each[:3])
                    at = max(at, not_before)
                    if at > now:
                        break
                    if entry is None:
                        self._simple_delete(bucket.owner, name, key, at)
                    else:
                        self._remove(name, key, entry.id)

    def _is_abandoned(self, name, upload):
        return any(
            rule.abort is not None
            and rule.is_about_key(upload.key)
            and next_midnight(upload.at + timedelta(days=rule.abort)) <= self.now
            for rule in self.buckets[name].rules
        )

    def _due(self, name, key):
        """Return (when, order, place, entry) of every action; the entry is None if the current object expires."""
        entries = self.entries(name, key)
        actions = []
        for rule in self.buckets[name].rules:
            if not entries:
                continue
            if rule.noncurrent is not None:
                for place, entry in enumerate(entries[:-1]):
                    newer_noncurrent = len(entries) - 2 - place
                    if newer_noncurrent >= (rule.keep or 0) and rule.is_about(key, entry):
                        since = entries[place + 1].at
                        at = next_midnight(since + timedelta(days=rule.noncurrent))
                        if entry.retention is not None and at < entry.retention[1]:
                            at = next_midnight(entry.retention[1])
                        if not entry.hold:
                            actions.append((at, 0, place, entry))
            latest = entries[-1]
            if not rule.is_about(key, latest):
                continue
            if not latest.is_marker:
                if (at := rule.expires(latest.at)) is not None:
                    actions.append((at, 1, 0, None))
            elif len(entries) == 1 and (rule.days is not None or rule.expired_marker):
                actions.append((next_midnight(latest.at + timedelta(days=rule.days or 0)), 0, 0, latest))
        return actions
