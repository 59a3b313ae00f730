"""The buckets of the oracle, how it finds entries, and who may do what."""

from __future__ import annotations

import copy
from datetime import UTC, datetime

from tests.trust.oracle.values import (
    ALL_USERS,
    ANONYMOUS,
    AUTHENTICATED_USERS,
    BUCKET_OWNER,
    CANNED,
    NULL,
    SPECIFIED,
    Answer,
    Bucket,
    denied,
)

#: The grantees that make an ACL public.
PUBLIC = (ALL_USERS, AUTHENTICATED_USERS)


class Store:
    def __init__(self, meaning=SPECIFIED):
        self.meaning = meaning
        self.buckets: dict[str, Bucket] = {}
        self.issued = {NULL}
        self.learned: set[tuple[str, str]] = set()
        self.stand_ins = 0
        #: The id and the key of every upload, in the order in which they began.
        self.begun: list[tuple[str, str]] = []

    @property
    def now(self):
        return datetime.now(UTC)

    def create(self, name, owner, versioning):
        self.buckets[name] = Bucket(owner, versioning, self.now, [(owner, "FULL_CONTROL")])

    def snapshot(self):
        return copy.deepcopy(self.buckets)

    def restore(self, snapshot):
        self.buckets = copy.deepcopy(snapshot)

    # -- looking

    def entries(self, name, key):
        """Return the entries of a key, oldest first."""
        return self.buckets[name].entries.get(key, [])

    def keys(self, name):
        return sorted((key for key, entries in self.buckets[name].entries.items() if entries), key=str.encode)

    def find(self, name, key, version=None):
        """Return the latest entry, or the one with this version id, or None."""
        entries = self.entries(name, key)
        if version is None:
            return entries[-1] if entries else None
        return next((entry for entry in entries if entry.id == version), None)

    def current_keys(self, name):
        return [key for key in self.keys(name) if not self.find(name, key).is_marker]

    def find_upload(self, name, key, upload_id):
        return next((each for each in self.buckets[name].uploads if (each.id, each.key) == (upload_id, key)), None)

    def find_ended(self, name, key, upload_id):
        return next((each for each in self.buckets[name].ended if (each.id, each.key) == (upload_id, key)), None)

    def end_upload(self, name, upload, named=None):
        self.buckets[name].uploads.remove(upload)
        self.buckets[name].ended.append(upload)
        upload.named = named

    def learn(self, stand_in, version_id):
        """Replace a stand-in by the id that the store issued; a restore may bring the same stand-in back."""
        assert version_id not in self.issued or (stand_in, version_id) in self.learned, "an id was issued twice"
        self.issued.add(version_id)
        self.learned.add((stand_in, version_id))
        for bucket in self.buckets.values():
            for entries in bucket.entries.values():
                for entry in entries:
                    if entry.id == stand_in:
                        entry.id = version_id

    # -- access

    def verdict(self, who, action, name, key=None):
        """Return "Deny", "Allow" or None: what the policy of the bucket says.

        A service that allows no anonymous requester denies everything to it.
        """
        if who == ANONYMOUS and not self.meaning.allows_anonymous:
            return "Deny"
        bucket = self.buckets[name]
        is_public = any(each.is_public for each in bucket.policy)
        if is_public and "RestrictPublicBuckets" in bucket.block and who != bucket.owner:
            return "Deny"
        resource = name if key is None else f"{name}/{key}"
        effects = {each.effect for each in self.buckets[name].policy if each.applies(who, action, resource)}
        return "Deny" if "Deny" in effects else "Allow" if effects else None

    def current_acl(self, name, entry=None):
        """Return the owner and the grants of the bucket or an object, as they are shown."""
        bucket = self.buckets[name]
        if bucket.ownership == "BucketOwnerEnforced":
            return bucket.owner, [(bucket.owner, "FULL_CONTROL")]
        return (bucket.owner, bucket.grants) if entry is None else (entry.owner, entry.grants)

    def effective_acl(self, name, entry=None):
        """Return the same without grants that are ignored because they are public."""
        owner, grants = self.current_acl(name, entry)
        if "IgnorePublicAcls" in self.buckets[name].block:
            grants = [each for each in grants if each[0] not in PUBLIC]
        return owner, grants

    def refused_acl(self, name, acl):
        """Return the error for an ACL that the bucket does not accept, or None."""
        bucket = self.buckets[name]
        if acl in (None, "bucket-owner-full-control", [(bucket.owner, "FULL_CONTROL")]):
            return None
        if bucket.ownership == "BucketOwnerEnforced":
            return Answer(400, "AccessControlListNotSupported")
        is_public = any(grantee in PUBLIC for grantee, _ in self.expand(acl, bucket.owner, name))
        return denied() if is_public and "BlockPublicAcls" in bucket.block else None

    def new_owner(self, who, name, acl=None):
        """Return who owns what a requester writes."""
        bucket = self.buckets[name]
        gives_away = bucket.ownership == "BucketOwnerPreferred" and acl == "bucket-owner-full-control"
        return bucket.owner if gives_away or bucket.ownership == "BucketOwnerEnforced" else who

    def has_grant(self, who, permission, owner, grants):
        if who == owner and permission in ("READ_ACP", "WRITE_ACP"):
            return True
        names = (who, ALL_USERS) if who == ANONYMOUS else (who, ALL_USERS, AUTHENTICATED_USERS)
        return any(grantee in names and granted in (permission, "FULL_CONTROL") for grantee, granted in grants)

    def may_use_bucket(self, who, action, permission, name, key=None):
        """Return whether an action that needs a permission on the bucket is allowed."""
        verdict = self.verdict(who, action, name, key)
        if verdict == "Deny":
            return False
        return verdict == "Allow" or self.has_grant(who, permission, *self.effective_acl(name))

    def may_use_object(self, who, action, permission, name, key, version):
        """As `may_use_bucket`. Only requesters that may list the bucket learn that an object is missing."""
        verdict = self.verdict(who, action, name, key)
        if verdict == "Deny":
            return False
        entry = self.find(name, key, version)
        if entry is None or entry.is_marker:
            return self.may_use_bucket(who, "s3:ListBucket", "READ", name)
        return verdict == "Allow" or self.has_grant(who, permission, *self.effective_acl(name, entry))

    def may_configure(self, who, action, name, key=None):
        """Return whether an action is allowed that belongs to the bucket's owner unless a policy allows it."""
        verdict = self.verdict(who, action, name, key)
        return verdict != "Deny" and (verdict == "Allow" or who == self.buckets[name].owner)

    def may_write(self, who, name, key, acl, tags):
        """Return whether an object may be written with this ACL and these tags, if it may be written at all."""
        if acl is not None and self.verdict(who, "s3:PutObjectAcl", name, key) == "Deny":
            return False
        return not tags or self.may_configure(who, "s3:PutObjectTagging", name, key)

    def expand(self, acl, owner, name):
        """Return the grants of a canned ACL (a name), of an explicit list of grants, or of None (private)."""
        if isinstance(acl, list):
            return list(acl)
        bucket_owner = self.buckets[name].owner
        added = [
            (bucket_owner if grantee == BUCKET_OWNER else grantee, what) for grantee, what in CANNED[acl or "private"]
        ]
        if (acl or "").startswith("bucket-owner") and owner == bucket_owner:
            added = []
        return [(owner, "FULL_CONTROL"), *added]
