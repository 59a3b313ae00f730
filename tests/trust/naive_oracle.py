"""What a store should answer, found by scanning: a plain list of events for each key, and nothing derived is kept.

Written from the specification, and slow on purpose. It shares no code with fakestore and imports none of it.
"""

from __future__ import annotations

import copy
import hashlib
import itertools
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

NULL = "null"
ALL_USERS = "http://acs.amazonaws.com/groups/global/AllUsers"
AUTHENTICATED_USERS = "http://acs.amazonaws.com/groups/global/AuthenticatedUsers"
CANNED = {
    "private": [],
    "public-read": [(ALL_USERS, "READ")],
    "public-read-write": [(ALL_USERS, "READ"), (ALL_USERS, "WRITE")],
    "authenticated-read": [(AUTHENTICATED_USERS, "READ")],
    "bucket-owner-read": [("bucket owner", "READ")],
    "bucket-owner-full-control": [("bucket owner", "FULL_CONTROL")],
}


@dataclass
class Event:
    """Something that happened to a key: ``object`` or ``marker`` written, ``removed`` for good, ``acl`` replaced.

    A new id is a stand-in, beginning with ``?``, until the store tells it.
    """

    what: str
    id: str
    at: datetime
    owner: str = ""
    content: bytes = b""
    about: dict[str, str] = field(default_factory=dict)
    storage: str = "STANDARD"
    grants: list[tuple[str, str]] = field(default_factory=list)

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


@dataclass
class Notes:
    """What is known of a bucket."""

    owner: str
    grants: list[tuple[str, str]]
    versioning: str
    looked: datetime
    events: dict[str, list[Event]] = field(default_factory=dict)
    rules: list[LifecycleRule] = field(default_factory=list)


@dataclass
class Answer:
    """What is expected: ``headers`` of ``None`` are absent, and an id that begins with ``?`` is any new one."""

    status: int
    code: str | None = None
    headers: dict[str, str | None] = field(default_factory=dict)
    content: bytes | None = None


def refused(status, code, **headers):
    return Answer(status, code, headers)


class Oracle:
    def __init__(self):
        self.buckets: dict[str, Notes] = {}
        self.issued = {NULL}
        self.learnt: set[tuple[str, str]] = set()
        self.stand_ins = 0

    def create(self, name, owner, versioning, now):
        self.buckets[name] = Notes(owner, [(owner, "FULL_CONTROL")], versioning, now)

    def snapshot(self):
        return copy.deepcopy(self.buckets)

    def restore(self, kept):
        self.buckets = copy.deepcopy(kept)

    # -- scanning

    def entries(self, name, key):
        """What is there under a key, oldest first."""
        there: list[Event] = []
        for event in self.buckets[name].events.get(key, []):
            if event.what == "acl":
                there = [replace(each, grants=event.grants) if each.id == event.id else each for each in there]
            else:
                there = [each for each in there if each.id != event.id]
                if event.what != "removed":
                    there.append(event)
        return there

    def keys(self, name):
        return sorted((key for key in self.buckets[name].events if self.entries(name, key)), key=str.encode)

    def current(self, name, key):
        there = self.entries(name, key)
        return there[-1] if there else None

    def named(self, name, key, version):
        return next((each for each in self.entries(name, key) if each.id == version), None)

    def find(self, name, key, version):
        return self.current(name, key) if version is None else self.named(name, key, version)

    def current_keys(self, name):
        return [key for key in self.keys(name) if self.current(name, key).what == "object"]

    def _note(self, name, key, event):
        self.buckets[name].events.setdefault(key, []).append(event)

    def _stand_in(self):
        self.stand_ins += 1
        return f"?{self.stand_ins}"

    def learn(self, stand_in, version_id):
        """The store told the id of what was written; again after a snapshot from before it told is restored."""
        assert version_id not in self.issued or (stand_in, version_id) in self.learnt, "an id was given twice"
        self.issued.add(version_id)
        self.learnt.add((stand_in, version_id))
        for notes in self.buckets.values():
            for event in itertools.chain.from_iterable(notes.events.values()):
                if event.id == stand_in:
                    event.id = version_id

    # -- who may

    def may(self, who, permission, owner, grants):
        """Nobody (``None``) never may: every request is authenticated."""
        if who is None:
            return False
        if who == owner and permission in ("READ_ACP", "WRITE_ACP"):
            return True
        return any(
            grantee in (who, ALL_USERS, AUTHENTICATED_USERS) and given in (permission, "FULL_CONTROL")
            for grantee, given in grants
        )

    def may_bucket(self, who, permission, name):
        return self.may(who, permission, self.buckets[name].owner, self.buckets[name].grants)

    def may_object(self, who, permission, name, key, version):
        found = self.find(name, key, version)
        if found is None or found.what == "marker":
            return self.may_bucket(who, "READ", name)
        return self.may(who, permission, found.owner, found.grants)

    def expand(self, canned, who, name):
        added = [(self.buckets[name].owner if to == "bucket owner" else to, what) for to, what in CANNED[canned]]
        keeps = canned.startswith("bucket-owner") and who == self.buckets[name].owner
        return [(who, "FULL_CONTROL"), *([] if keeps else added)]

    # -- answers

    def _lookup(self, name, key, version):
        """The object asked for, or the refusal."""
        if version is None:
            found = self.current(name, key)
            if found is None:
                return refused(404, "NoSuchKey")
            if found.what == "marker":
                return refused(404, "NoSuchKey", **{"x-svc-delete-marker": "true", "x-svc-version-id": found.id})
            return found
        if version not in self.issued:
            return refused(400, "InvalidArgument")
        found = self.named(name, key, version)
        if found is None:
            return refused(404, "NoSuchVersion")
        if found.what == "marker":
            told = {"x-svc-delete-marker": "true", "x-svc-version-id": found.id, "Allow": "DELETE"}
            return refused(405, "MethodNotAllowed", **told)
        return found

    def _versioned(self, name, version_id):
        return {"x-svc-version-id": None if self.buckets[name].versioning == "never" else version_id}

    def put(self, who, name, key, content, now, *, canned, about, storage, md5_right, if_absent):
        if not self.may_bucket(who, "WRITE", name):
            return refused(403, "AccessDenied")
        if canned not in CANNED:
            return refused(400, "InvalidArgument")
        there = self.current(name, key)
        if if_absent and there is not None and there.what == "object":
            return refused(412, "PreconditionFailed")
        if not md5_right:
            return refused(400, "BadDigest")
        event = self._write(who, name, key, content, now, canned, about, storage)
        return Answer(200, headers={"ETag": event.etag, **self._written(name, key, event)})

    def _write(self, who, name, key, content, now, canned, about, storage):
        version_id = self._stand_in() if self.buckets[name].versioning == "enabled" else NULL
        grants = self.expand(canned, who, name)
        event = Event("object", version_id, now, who, content, about, storage, grants)
        self._note(name, key, event)
        return event

    def _written(self, name, key, event):
        new = self.buckets[name].versioning == "enabled"
        return {"x-svc-version-id": event.id if new else None, **self.expiration(name, key, event)}

    def expiration(self, name, key, entry):
        dated = [
            (at, rule.id)
            for rule in self.buckets[name].rules
            if key.startswith(rule.prefix) and (at := expires(rule, entry.at)) is not None
        ]
        if not dated:
            return {"x-svc-expiration": None}
        at, rule_id = min(dated, key=lambda each: each[0])
        return {"x-svc-expiration": f'expiry-date="{http_date(at)}", rule-id="{rule_id}"'}

    def copy(self, who, source, name, key, now, *, canned, about, storage, directive, if_match):
        """``source`` is bucket, key, version; ``about`` what a REPLACE brings; ``if_match`` an entity tag or None."""
        if not self.may_bucket(who, "WRITE", name):
            return refused(403, "AccessDenied")
        if canned not in CANNED:
            return refused(400, "InvalidArgument")
        if directive not in (None, "COPY", "REPLACE"):
            return refused(400, "InvalidArgument")
        found = self._lookup(*source)
        if isinstance(found, Answer):
            # A marker is not told of: headers would speak of the destination.
            told = dict.fromkeys(found.headers)
            return refused(400, "InvalidRequest") if found.status == 405 else replace(found, headers=told)
        if not self.may(who, "READ", found.owner, found.grants):
            return refused(403, "AccessDenied")
        onto_itself = source[:2] == (name, key) and self.current(name, key).id == found.id
        if onto_itself and directive != "REPLACE" and storage is None:
            return refused(400, "InvalidRequest")
        if if_match is not None and if_match != found.etag:
            return refused(412, "PreconditionFailed")
        taken = about if directive == "REPLACE" else found.about
        made = self._write(who, name, key, found.content, now, canned, taken, storage or "STANDARD")
        told = {"x-svc-copy-source-version-id": None if found.id == NULL else found.id}
        return Answer(200, headers={**told, **self._written(name, key, made)}, content=found.etag.encode())

    def get(self, who, name, key, version):
        if not self.may_object(who, "READ", name, key, version):
            return refused(403, "AccessDenied")
        found = self._lookup(name, key, version)
        if isinstance(found, Answer):
            return found
        headers = {"ETag": found.etag, "Last-Modified": http_date(found.at), "Content-Length": str(len(found.content))}
        headers |= {"Content-Type": "binary/octet-stream", "x-svc-meta-colour": None} | found.about
        headers["x-svc-storage-class"] = None if found.storage == "STANDARD" else found.storage
        headers |= self._versioned(name, found.id)
        headers |= {"x-svc-expiration": None} if version else self.expiration(name, key, found)
        return Answer(200, headers=headers, content=found.content)

    def delete(self, who, name, key, now):
        if not self.may_bucket(who, "WRITE", name):
            return refused(403, "AccessDenied")
        made = self._simple_delete(who, name, key, now)
        told = {"x-svc-delete-marker": "true" if made else "false", "x-svc-version-id": made.id if made else None}
        return Answer(204, headers=told, content=b"")

    def _simple_delete(self, who, name, key, now):
        versioning = self.buckets[name].versioning
        if self.named(name, key, NULL):
            self._note(name, key, Event("removed", NULL, now))
        if versioning == "never":
            return None
        marker = Event("marker", self._stand_in() if versioning == "enabled" else NULL, now, who)
        self._note(name, key, marker)
        return marker

    def delete_version(self, who, name, key, version, now):
        if who != self.buckets[name].owner:
            return refused(403, "AccessDenied")
        if version not in self.issued:
            return refused(400, "InvalidArgument")
        found = self.named(name, key, version)
        if found is not None:
            self._note(name, key, Event("removed", version, now))
        was_marker = found is not None and found.what == "marker"
        told = {"x-svc-delete-marker": "true" if was_marker else "false", "x-svc-version-id": version}
        return Answer(204, headers=told, content=b"")

    def get_acl(self, who, name, key, version):
        """On success the content is left open: the grants are compared with :meth:`find`."""
        if not self.may_object(who, "READ_ACP", name, key, version):
            return refused(403, "AccessDenied")
        found = self._lookup(name, key, version)
        if isinstance(found, Answer):
            return found
        return Answer(200, headers={"Last-Modified": http_date(found.at), **self._versioned(name, found.id)})

    def put_acl(self, who, name, key, version, canned, now):
        if not self.may_object(who, "WRITE_ACP", name, key, version):
            return refused(403, "AccessDenied")
        if canned not in CANNED:
            return refused(400, "InvalidArgument")
        found = self._lookup(name, key, version)
        if isinstance(found, Answer):
            marker = found.headers.get("x-svc-delete-marker") == "true"
            return replace(found, status=405, code="MethodNotAllowed") if marker else found
        grants = self.expand(canned, found.owner, name)
        self._note(name, key, Event("acl", found.id, now, grants=grants))
        return Answer(200, headers=self._versioned(name, found.id))

    def put_bucket_acl(self, who, name, canned):
        if not self.may_bucket(who, "WRITE_ACP", name):
            return refused(403, "AccessDenied")
        if canned not in CANNED:
            return refused(400, "InvalidArgument")
        self.buckets[name].grants = self.expand(canned, self.buckets[name].owner, name)
        return Answer(200)

    def put_versioning(self, who, name, versioning):
        if who != self.buckets[name].owner:
            return refused(403, "AccessDenied")
        self.buckets[name].versioning = versioning
        return Answer(200)

    def put_lifecycle(self, who, name, rules):
        if who != self.buckets[name].owner:
            return refused(403, "AccessDenied")
        self.buckets[name].rules = rules
        return Answer(200 if rules else 204)

    def list_objects(self, who, name, prefix, delimiter):
        """The keys and common prefixes of one page that holds everything, or the refusal."""
        if not self.may_bucket(who, "READ", name):
            return refused(403, "AccessDenied")
        under = [key for key in self.current_keys(name) if key.startswith(prefix)]
        cut = {key: key.find(delimiter, len(prefix)) if delimiter else -1 for key in under}
        commons = {key[: cut[key] + len(delimiter)] for key in under if cut[key] >= 0}
        return [key for key in under if cut[key] < 0], sorted(commons, key=str.encode)

    def list_versions(self, who, name):
        if not self.may_bucket(who, "READ", name):
            return refused(403, "AccessDenied")
        return [
            (key, entry.id, place == 0, entry.what)
            for key in self.keys(name)
            for place, entry in enumerate(reversed(self.entries(name, key)))
        ]

    # -- time

    def look(self, now):
        """Do everything that rules have due; what is overdue happens at the time of the last look."""
        for name, notes in self.buckets.items():
            since, notes.looked = min(notes.looked, now), now
            for key in self.keys(name):
                while due := self._due(name, key):
                    at, _, _, entry = min(due, key=lambda each: each[:3])
                    at = max(at, since)
                    if at > now:
                        break
                    if entry is None:
                        self._simple_delete(notes.owner, name, key, at)
                    else:
                        self._note(name, key, Event("removed", entry.id, at))

    def _due(self, name, key):
        """Everything that is to happen to a key: when, removals before expiry, oldest first, and to which entry."""
        there = self.entries(name, key)
        due = []
        for rule in self.buckets[name].rules:
            if not key.startswith(rule.prefix):
                continue
            if rule.noncurrent is not None:
                for place, (entry, over) in enumerate(itertools.pairwise(there)):
                    newer = len(there) - 2 - place
                    if newer >= (rule.keep or 0):
                        due.append((midnight(over.at + timedelta(days=rule.noncurrent)), 0, place, entry))
            if not there:
                continue
            last = there[-1]
            if last.what == "object":
                if (at := expires(rule, last.at)) is not None:
                    due.append((at, 1, 0, None))
            elif len(there) == 1 and (rule.days is not None or rule.expired_marker):
                due.append((midnight(last.at + timedelta(days=rule.days or 0)), 0, 0, last))
        return due


def expires(rule, written):
    if rule.days is not None:
        return midnight(written + timedelta(days=rule.days))
    return max(rule.date, midnight(written)) if rule.date is not None else None


def midnight(moment):
    """The moment itself where it is a midnight, else the next one."""
    day = datetime(moment.year, moment.month, moment.day, tzinfo=UTC)
    return day if day == moment else day + timedelta(days=1)


def http_date(moment):
    return moment.strftime("%a, %d %b %Y %H:%M:%S GMT")
