"""What the oracle expects of Object Lock."""

from __future__ import annotations

from tests.trust.oracle.objects import Objects
from tests.trust.oracle.values import Answer, denied


class Locks(Objects):
    def lock_bucket(self, name, default):
        """`default` is the mode and the days of the default retention, or None."""
        if self.buckets[name].versioning != "enabled":
            return Answer(409, "InvalidBucketState")
        self.buckets[name].locks, self.buckets[name].default_retention = True, default
        return Answer(200)

    def put_retention(self, name, key, version, retention, *, bypasses):
        """`retention` is a mode and a later date, or None to remove it. The owner of the bucket sends it."""
        found = self._lookup(name, key, version)
        if isinstance(found, Answer):
            return found
        old = found.retention
        is_active = old is not None and self.now < old[1]
        is_longer = is_active and retention is not None and retention[0] == old[0] and retention[1] >= old[1]
        if is_active and not is_longer and not (bypasses and old[0] == "GOVERNANCE"):
            return denied()
        found.retention = retention
        return Answer(200)

    def put_hold(self, name, key, version, hold):
        found = self._lookup(name, key, version)
        if isinstance(found, Answer):
            return found
        found.hold = hold
        return Answer(200)
