"""A naive oracle: what a store should answer, computed by scanning plain lists.

It is written from the specification, shares no code with fakestore and imports nothing of it. It is slow on purpose:
it stores the entries of each key in a list, oldest first, and derives everything else from them.
"""

from __future__ import annotations

import copy
import hashlib
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

NULL = "null"
ALL_USERS = "http://acs.amazonaws.com/groups/global/AllUsers"
AUTHENTICATED_USERS = "http://acs.amazonaws.com/groups/global/AuthenticatedUsers"
LOG_DELIVERY = "http://acs.amazonaws.com/groups/s3/LogDelivery"
BUCKET_OWNER = "the bucket owner"
CANNED = {
    "private": [],
    "public-read": [(ALL_USERS, "READ")],
    "public-read-write": [(ALL_USERS, "READ"), (ALL_USERS, "WRITE")],
    "authenticated-read": [(AUTHENTICATED_USERS, "READ")],
    "bucket-owner-read": [(BUCKET_OWNER, "READ")],
    "bucket-owner-full-control": [(BUCKET_OWNER, "FULL_CONTROL")],
}

Grants = list[tuple[str, str]]


@dataclass
class Entry:
    """An object version or a delete marker. An `id` that begins with "?" stands for one that the store will tell."""

    id: str
    at: datetime
    owner: str
    is_marker: bool = False
    content: bytes = b""
    metadata: dict[str, str] = field(default_factory=dict)
    storage: str = "STANDARD"
    grants: Grants = field(default_factory=list)

    @property
    def etag(self):
        return f'"{hashlib.md5(self.content).hexdigest()}"'


@dataclass
class LifecycleRule:
    id: str
    prefix: str = ""
    days: int | None = None
    date: datetime | None = None
    noncurrent: int | None = None
    keep: int | None = None
    expired_marker: bool = False

    def expires(self, written):
        """Return when a current object expires that was written at this time, or None."""
        if self.days is not None:
            return next_midnight(written + timedelta(days=self.days))
        return max(self.date, next_midnight(written)) if self.date is not None else None


@dataclass
class Statement:
    """One statement of a policy. `who` is None for every account; patterns have a star at their end or nowhere."""

    effect: str
    who: str | None
    action: str
    resource: str

    def applies(self, who, action, resource):
        return self.who in (None, who) and matches(self.action, action) and matches(self.resource, resource)


@dataclass
class Bucket:
    owner: str
    versioning: str
    last_look: datetime
    grants: Grants
    rules: list[LifecycleRule] = field(default_factory=list)
    policy: list[Statement] = field(default_factory=list)
    entries: dict[str, list[Entry]] = field(default_factory=dict)


@dataclass
class Answer:
    """An expected answer. A header of None is absent; an id that begins with "?" is any new id."""

    status: int
    code: str | None = None
    headers: dict[str, str | None] = field(default_factory=dict)
    content: bytes | None = None


def denied():
    return Answer(403, "AccessDenied")


class Oracle:
    def __init__(self):
        self.buckets: dict[str, Bucket] = {}
        self.issued = {NULL}
        self.learned: set[tuple[str, str]] = set()
        self.stand_ins = 0

    def create(self, name, owner, versioning, now):
        self.buckets[name] = Bucket(owner, versioning, now, [(owner, "FULL_CONTROL")])

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

    def learn(self, stand_in, version_id):
        """Replace a stand-in by the id that the store returned. A restore may bring the same stand-in back."""
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
        """Return "Deny", "Allow" or None: what the policy of the bucket says."""
        resource = name if key is None else f"{name}/{key}"
        effects = {each.effect for each in self.buckets[name].policy if each.applies(who, action, resource)}
        return "Deny" if "Deny" in effects else "Allow" if effects else None

    def has_grant(self, who, permission, owner, grants):
        if who == owner and permission in ("READ_ACP", "WRITE_ACP"):
            return True
        return any(
            grantee in (who, ALL_USERS, AUTHENTICATED_USERS) and granted in (permission, "FULL_CONTROL")
            for grantee, granted in grants
        )

    def may_use_bucket(self, who, action, permission, name, key=None):
        """Return whether an action that needs a permission on the bucket is allowed. `who` is None if unsigned."""
        bucket, verdict = self.buckets[name], self.verdict(who, action, name, key)
        if who is None or verdict == "Deny":
            return False
        return verdict == "Allow" or self.has_grant(who, permission, bucket.owner, bucket.grants)

    def may_use_object(self, who, action, permission, name, key, version):
        """As `may_use_bucket`. Only requesters that may list the bucket learn that an object is missing."""
        verdict = self.verdict(who, action, name, key)
        if who is None or verdict == "Deny":
            return False
        entry = self.find(name, key, version)
        if entry is None or entry.is_marker:
            return self.may_use_bucket(who, "s3:ListBucket", "READ", name)
        return verdict == "Allow" or self.has_grant(who, permission, entry.owner, entry.grants)

    def may_configure(self, who, action, name):
        """Return whether an action is allowed that belongs to the bucket's owner unless a policy allows it."""
        verdict = self.verdict(who, action, name)
        return who is not None and verdict != "Deny" and (verdict == "Allow" or who == self.buckets[name].owner)

    def may_set_acl(self, who, acl, name, key):
        return acl is None or self.verdict(who, "s3:PutObjectAcl", name, key) != "Deny"

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

    # -- objects

    def _lookup(self, name, key, version):
        """Return the object, or the error that a request for it gets."""
        entry = self.find(name, key, version)
        if version is None:
            if entry is None:
                return Answer(404, "NoSuchKey")
            if entry.is_marker:
                return Answer(404, "NoSuchKey", {"x-svc-delete-marker": "true", "x-svc-version-id": entry.id})
            return entry
        if version not in self.issued:
            return Answer(400, "InvalidArgument")
        if entry is None:
            return Answer(404, "NoSuchVersion")
        if entry.is_marker:
            headers = {"x-svc-delete-marker": "true", "x-svc-version-id": entry.id, "Allow": "DELETE"}
            return Answer(405, "MethodNotAllowed", headers)
        return entry

    def _new_id(self, name, *, is_new=False):
        if self.buckets[name].versioning != "enabled" and not is_new:
            return NULL
        self.stand_ins += 1
        return f"?{self.stand_ins}"

    def _add(self, name, key, entry):
        """Put an entry on top. There is at most one null version, so a new one replaces the old one."""
        self._remove(name, key, entry.id)
        self.buckets[name].entries.setdefault(key, []).append(entry)
        return entry

    def _remove(self, name, key, version):
        entries = self.buckets[name].entries
        entries[key] = [entry for entry in entries.get(key, []) if entry.id != version]

    def put(
        self, who, name, key, content, now, *, acl=None, metadata=None, storage=None, md5_is_right=True, condition=None
    ):
        """`condition` is None or a pair: "if-none-match" and "*", or "if-match" and an entity tag."""
        if not self.may_use_bucket(who, "s3:PutObject", "WRITE", name, key) or not self.may_set_acl(
            who, acl, name, key
        ):
            return denied()
        if refused := self._put_condition(condition, self.find(name, key)):
            return refused
        if not md5_is_right:
            return Answer(400, "BadDigest")
        entry = Entry(self._new_id(name), now, who, False, content, metadata or {}, storage or "STANDARD")
        entry.grants = self.expand(acl, who, name)
        self._add(name, key, entry)
        return Answer(200, None, {"ETag": entry.etag, **self._written_headers(name, key, entry)})

    def _put_condition(self, condition, latest):
        exists = latest is not None and not latest.is_marker
        if condition is None:
            return None
        header, value = condition
        if header == "if-none-match":
            return Answer(412, "PreconditionFailed") if exists else None
        if not exists:
            return Answer(404, "NoSuchKey")
        return None if value == latest.etag else Answer(412, "PreconditionFailed")

    def _written_headers(self, name, key, entry):
        return {"x-svc-version-id": None if entry.id == NULL else entry.id, **self._expiration(name, key, entry)}

    def _expiration(self, name, key, entry):
        dates = [
            (at, rule.id)
            for rule in self.buckets[name].rules
            if key.startswith(rule.prefix) and (at := rule.expires(entry.at)) is not None
        ]
        if not dates:
            return {"x-svc-expiration": None}
        at, rule_id = min(dates, key=lambda each: each[0])
        return {"x-svc-expiration": f'expiry-date="{http_date(at)}", rule-id="{rule_id}"'}

    def copy(
        self, who, source, name, key, now, *, acl=None, metadata=None, storage=None, directive=None, conditions=None
    ):
        """`source` is a bucket, a key and a version id or None. `metadata` counts only with the directive REPLACE."""
        if not self.may_use_bucket(who, "s3:PutObject", "WRITE", name, key) or not self.may_set_acl(
            who, acl, name, key
        ):
            return denied()
        if directive not in (None, "COPY", "REPLACE"):
            return Answer(400, "InvalidArgument")
        if not self._may_read(who, *source):
            return denied()
        found = self._lookup(*source)
        if isinstance(found, Answer):
            # The headers of a delete marker are left out: they would describe the destination.
            found.headers = dict.fromkeys(found.headers)
            return Answer(400, "InvalidRequest") if found.status == 405 else found
        if source == (name, key, None) and directive != "REPLACE" and storage is None:
            return Answer(400, "InvalidRequest")
        if self._failed_condition(conditions or {}, found, now, copies=True):
            return Answer(412, "PreconditionFailed")
        kept = (metadata or {}) if directive == "REPLACE" else found.metadata
        entry = Entry(self._new_id(name), now, who, False, found.content, kept, storage or "STANDARD")
        entry.grants = self.expand(acl, who, name)
        self._add(name, key, entry)
        headers = {"x-svc-copy-source-version-id": None if found.id == NULL else found.id}
        return Answer(200, None, headers | self._written_headers(name, key, entry), found.etag.encode())

    def _may_read(self, who, name, key, version):
        action = "s3:GetObject" if version is None else "s3:GetObjectVersion"
        return self.may_use_object(who, action, "READ", name, key, version)

    def get(self, who, name, key, version=None, *, conditions=None, now=None):
        if not self._may_read(who, name, key, version):
            return denied()
        found = self._lookup(name, key, version)
        if isinstance(found, Answer):
            return found
        failed = self._failed_condition(conditions or {}, found, now)
        if failed in ("if-match", "if-unmodified-since"):
            return Answer(412, "PreconditionFailed")
        headers = {"ETag": found.etag, "Last-Modified": http_date(found.at), **self._version_header(name, found)}
        if failed:
            return Answer(304, None, headers, b"")
        headers |= {"Content-Length": str(len(found.content)), "Content-Type": "binary/octet-stream"}
        headers |= {"x-svc-meta-colour": None, **found.metadata}
        headers["x-svc-storage-class"] = None if found.storage == "STANDARD" else found.storage
        if version is None:
            headers |= self._expiration(name, key, found)
        return Answer(200, None, headers, found.content)

    def _version_header(self, name, entry):
        return {"x-svc-version-id": None if self.buckets[name].versioning == "never" else entry.id}

    def _failed_condition(self, conditions, entry, now, *, copies=False):
        """Return the name of the first condition that fails.

        A reader's if-modified-since is ignored if it lies in the future or beside if-none-match; a copy's is not.
        """
        if "if-match" in conditions:
            if conditions["if-match"] not in ("*", entry.etag):
                return "if-match"
        elif "if-unmodified-since" in conditions and entry.at > conditions["if-unmodified-since"]:
            return "if-unmodified-since"
        if "if-none-match" in conditions and conditions["if-none-match"] in ("*", entry.etag):
            return "if-none-match"
        since = conditions.get("if-modified-since")
        if since is None or (not copies and (since > now or "if-none-match" in conditions)):
            return None
        return "if-modified-since" if entry.at <= since else None

    def delete(self, who, name, key, now, *, keeps_null=False):
        if not self.may_use_bucket(who, "s3:DeleteObject", "WRITE", name, key):
            return denied()
        marker = self._simple_delete(who, name, key, now, keeps_null=keeps_null)
        headers = {"x-svc-delete-marker": "true" if marker else "false", "x-svc-version-id": marker and marker.id}
        return Answer(204, None, headers, b"")

    def _simple_delete(self, who, name, key, now, *, keeps_null=False):
        """Remove the null version, and unless the bucket was never versioned, put a marker on top.

        Under MFA Delete the null version stays, and the marker never replaces an object.
        """
        null = self.find(name, key, NULL)
        is_new = keeps_null and null is not None and not null.is_marker
        if not keeps_null:
            self._remove(name, key, NULL)
        if self.buckets[name].versioning == "never":
            return None
        return self._add(name, key, Entry(self._new_id(name, is_new=is_new), now, who, is_marker=True))

    def delete_version(self, who, name, key, version, *, mfa_is_right=True):
        owner = self.buckets[name].owner
        if who != owner or self.verdict(who, "s3:DeleteObjectVersion", name, key) == "Deny" or not mfa_is_right:
            return denied()
        if version not in self.issued:
            return Answer(400, "InvalidArgument")
        entry = self.find(name, key, version)
        self._remove(name, key, version)
        was_marker = entry is not None and entry.is_marker
        headers = {"x-svc-delete-marker": "true" if was_marker else "false", "x-svc-version-id": version}
        return Answer(204, None, headers, b"")

    # -- ACLs and configuration

    def get_acl(self, who, name, key, version=None):
        action = "s3:GetObjectAcl" if version is None else "s3:GetObjectVersionAcl"
        if not self.may_use_object(who, action, "READ_ACP", name, key, version):
            return denied()
        found = self._lookup(name, key, version)
        if isinstance(found, Answer):
            return found
        return Answer(200, None, {"Last-Modified": http_date(found.at), **self._version_header(name, found)})

    def put_acl(self, who, name, key, version, acl):
        action = "s3:PutObjectAcl" if version is None else "s3:PutObjectVersionAcl"
        if not self.may_use_object(who, action, "WRITE_ACP", name, key, version):
            return denied()
        found = self._lookup(name, key, version)
        if isinstance(found, Answer):
            if found.headers.get("x-svc-delete-marker"):
                found.status, found.code = 405, "MethodNotAllowed"
            return found
        found.grants = self.expand(acl, found.owner, name)
        return Answer(200, None, self._version_header(name, found))

    def get_bucket_acl(self, who, name):
        return Answer(200) if self.may_use_bucket(who, "s3:GetBucketAcl", "READ_ACP", name) else denied()

    def put_bucket_acl(self, who, name, acl):
        if not self.may_use_bucket(who, "s3:PutBucketAcl", "WRITE_ACP", name):
            return denied()
        self.buckets[name].grants = self.expand(acl, self.buckets[name].owner, name)
        return Answer(200)

    def put_policy(self, who, name, statements):
        """No policy allows or denies this: it belongs to the bucket's owner."""
        if who != self.buckets[name].owner:
            return denied()
        self.buckets[name].policy = statements
        return Answer(204)

    def get_versioning(self, who, name):
        return Answer(200) if self.may_configure(who, "s3:GetBucketVersioning", name) else denied()

    def put_versioning(self, who, name, versioning):
        if not self.may_configure(who, "s3:PutBucketVersioning", name):
            return denied()
        self.buckets[name].versioning = versioning
        return Answer(200)

    def put_lifecycle(self, who, name, rules):
        if not self.may_configure(who, "s3:PutLifecycleConfiguration", name):
            return denied()
        self.buckets[name].rules = rules
        return Answer(200 if rules else 204)

    # -- listings

    def list_objects(self, who, name, prefix="", delimiter=""):
        """Return the keys and the common prefixes, or the error."""
        if not self.may_use_bucket(who, "s3:ListBucket", "READ", name):
            return denied()
        keys = [key for key in self.current_keys(name) if key.startswith(prefix)]
        ends = {key: key.find(delimiter, len(prefix)) if delimiter else -1 for key in keys}
        prefixes = {key[: ends[key] + len(delimiter)] for key in keys if ends[key] >= 0}
        return [key for key in keys if ends[key] < 0], sorted(prefixes, key=str.encode)

    def list_versions(self, who, name):
        """Return key, id, whether it is the latest and whether it is a marker of every entry, or the error."""
        if not self.may_use_bucket(who, "s3:ListBucketVersions", "READ", name):
            return denied()
        return [
            (key, entry.id, place == 0, entry.is_marker)
            for key in self.keys(name)
            for place, entry in enumerate(reversed(self.entries(name, key)))
        ]

    # -- lifecycle

    def apply_lifecycle(self, now):
        """Do everything that rules have due. What is overdue is dated by the last look."""
        for name, bucket in self.buckets.items():
            not_before, bucket.last_look = min(bucket.last_look, now), now
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

    def _due(self, name, key):
        """Return (when, order, place, entry) of every action; the entry is None if the current object expires."""
        entries = self.entries(name, key)
        actions = []
        for rule in self.buckets[name].rules:
            if not key.startswith(rule.prefix) or not entries:
                continue
            if rule.noncurrent is not None:
                for place, entry in enumerate(entries[:-1]):
                    newer_noncurrent = len(entries) - 2 - place
                    if newer_noncurrent >= (rule.keep or 0):
                        since = entries[place + 1].at
                        actions.append((next_midnight(since + timedelta(days=rule.noncurrent)), 0, place, entry))
            latest = entries[-1]
            if not latest.is_marker:
                if (at := rule.expires(latest.at)) is not None:
                    actions.append((at, 1, 0, None))
            elif len(entries) == 1 and (rule.days is not None or rule.expired_marker):
                actions.append((next_midnight(latest.at + timedelta(days=rule.days or 0)), 0, 0, latest))
        return actions


def matches(pattern, text):
    return text.startswith(pattern[:-1]) if pattern.endswith("*") else text == pattern


def next_midnight(moment):
    """Return the moment itself if it is a midnight, else the next midnight."""
    day = datetime(moment.year, moment.month, moment.day, tzinfo=UTC)
    return day if day == moment else day + timedelta(days=1)


def http_date(moment):
    return moment.strftime("%a, %d %b %Y %H:%M:%S GMT")
