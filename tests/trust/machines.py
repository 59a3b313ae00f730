"""State machines: random histories of a store, each step compared with the naive oracle of `oracle.py`.

Every machine is about one part of the service and keeps the key space small, so that its rules meet each other often.
Hypothesis draws for each history which rules take part in it (swarm testing). Requests go to `store.handle`.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import quote

from freezegun import freeze_time
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from fakestore import FakeStore, MfaDevice
from fakestore.http import Request
from tests.trust.oracle import (
    ALL_USERS,
    AUTHENTICATED_USERS,
    CANNED,
    LOG_DELIVERY,
    NULL,
    Answer,
    LifecycleRule,
    Oracle,
    Statement,
    http_date,
    next_midnight,
)

START = datetime(2026, 11, 21, 15, 30, tzinfo=UTC)
NEVER_ISSUED = "0123456789abcdefghijklmnopqrstuv"
ACCOUNTS = ("anna", "ben", "cleo")
MFA = MfaDevice("serial", "123456")
STATES = ("never", "enabled", "suspended")

contents = st.sampled_from([b"", b"one", b"two", b"\x00\xff\r\n"])
metadata = st.fixed_dictionaries(
    {}, optional={"Content-Type": st.sampled_from(["text/plain", "image/jpeg"]), "x-svc-meta-colour": st.just("red")}
)
storage_classes = st.sampled_from([None, "STANDARD", "REDUCED_REDUNDANCY"])
#: None for the current version, or a number that chooses among the ids of the key and a few wrong ones.
version_numbers = st.none() | st.integers(0, 7)


class StoreMachine(RuleBasedStateMachine):
    """A store and the oracle, and how a request is sent to both."""

    freezer = None

    def begin(self, buckets):
        # Frozen for one history at a time, because hypothesis measures how long it shrinks a failure.
        self.freezer = freeze_time(START)
        self.clock = self.freezer.start()
        self.oracle = Oracle()
        self.store = FakeStore()
        self.account = {name: self.store.create_account(name) for name in ACCOUNTS}
        for name, versioning in buckets.items():
            self.store.create_bucket(name, owner=self.account["anna"], versioning=versioning)
            self.oracle.create(name, "anna", versioning, self.now)

    def teardown(self):
        if self.freezer is not None:
            self.freezer.stop()

    @property
    def now(self):
        return datetime.now(UTC)

    def send(self, who, method, bucket, key="", *, headers=(), body=b"", https=False, **query):
        fields = dict(headers)
        if who is not None:
            fields |= {
                "Date": http_date(self.now),
                "Authorization": f"SVC {self.account[who].access_key_id}:signature",
            }
        if method in ("PUT", "POST"):
            fields["Content-Length"] = str(len(body))
        url = self.store.url(bucket, key, **query)
        return self.store.handle(Request.to_url(method, url.replace("http:", "https:") if https else url, fields, body))

    def compare(self, reply, expected, method="GET"):
        """Compare status, code, headers and content. A stand-in for a new id is replaced by the id that was told."""
        headers = dict(expected.headers)
        for name, value in headers.items():
            if value is not None and value.startswith("?"):
                headers[name] = reply.headers[name]
                self.oracle.learn(value, headers[name])
        code = re.search(rb"<Code>(\w+)</Code>", reply.body) if reply.status >= 400 else None
        same((reply.status, {name: reply.headers.get(name) for name in headers}), (expected.status, headers))
        if method == "HEAD":
            same(reply.body, b"")
        else:
            same(code and code[1].decode(), expected.code)
            if expected.content is not None:
                same(reply.body, expected.content)

    def version_id(self, name, key, number):
        """Return an id for a number: the key's own, newest first, then null, one that is gone, one never issued.

        An id that no answer has told yet is left out, and so is one that a restore has made unknown again.
        """
        if number is None:
            return None
        ids = [entry.id for entry in reversed(self.oracle.entries(name, key))]
        told = [each for each in ids if not each.startswith("?")]
        unknown = {version_id for stand_in, version_id in self.oracle.learned if stand_in in ids}
        gone = sorted(self.oracle.issued - set(told) - unknown - {NULL})
        choices = [*told[:5], NULL, *gone[-1:], NEVER_ISSUED]
        return choices[number % len(choices)]

    def compare_state(self):
        """Compare everything that the buckets hold."""
        self.oracle.apply_lifecycle(self.now)
        for name, expected in self.oracle.buckets.items():
            bucket = self.store[name]
            entries = bucket.versions()
            noted = [
                (key, entry) for key in self.oracle.keys(name) for entry in reversed(self.oracle.entries(name, key))
            ]
            same([entry.key for entry in entries], [key for key, _ in noted])
            for entry, (_, note) in zip(entries, noted, strict=True):
                if note.id.startswith("?"):
                    self.oracle.learn(note.id, entry.version_id)
            same([shown(entry) for entry in entries], [shown_note(key, note) for key, note in noted])
            same((bucket.versioning, grants_of(bucket.acl)), (expected.versioning, expected.grants))
            same(list(bucket), self.oracle.current_keys(name))


# -- machine 1: versions


class Versions(StoreMachine):
    """The owner writes, copies and deletes versions in the three versioning states, with and without MFA Delete."""

    KEYS = ("k", "k/ü %2F+")
    keys = st.sampled_from([*["k"] * 7, KEYS[1]])

    @initialize(
        versioning=st.sampled_from(["never", *STATES]), layered=st.booleans(), mfa=st.sampled_from([False, False, True])
    )
    def start(self, versioning, layered, mfa):
        """A layered history begins with a null version that lies under a version with an id."""
        self.begin({"photos": "never" if layered else versioning})
        self.mfa, self.snapshots = False, []
        if layered:
            self.put("k", b"null", 1)
            self.put_versioning("Enabled")
            self.put("k", b"one", 1)
            self.put_versioning("Suspended" if versioning == "suspended" else "Enabled")
        if mfa and (layered or versioning != "never"):
            self.mfa = True
            self.store["photos"].set_versioning(self.oracle.buckets["photos"].versioning, mfa_device=MFA)

    @rule(key=keys, content=contents, times=st.sampled_from([1, 1, 2]))
    def put(self, key, content, times):
        for _ in range(times):
            expected = self.oracle.put("anna", "photos", key, content, self.now)
            self.compare(self.send("anna", "PUT", "photos", key, body=content), expected)
        self.compare_state()

    @rule(key=keys, source=keys, number=version_numbers)
    def copy(self, key, source, number):
        """Copy a version. The storage class is named, so that a copy of an object onto itself is a change."""
        version = self.version_id("photos", source, number)
        headers = {"x-svc-copy-source": copy_source("photos", source, version), "x-svc-storage-class": "STANDARD"}
        expected = self.oracle.copy("anna", ("photos", source, version), "photos", key, self.now, storage="STANDARD")
        expected.content = None
        self.compare(self.send("anna", "PUT", "photos", key, headers=headers), expected)
        self.compare_state()

    @rule(key=keys, method=st.sampled_from(["GET", "HEAD"]), number=version_numbers)
    def get(self, key, method, number):
        version = self.version_id("photos", key, number)
        query = {"versionId": version} if version else {}
        expected = self.oracle.get("anna", "photos", key, version)
        self.compare(self.send("anna", method, "photos", key, **query), expected, method)

    @rule(key=keys, mfa=st.sampled_from(["none", "none", "right", "right", "wrong", "over http"]))
    def delete(self, key, mfa):
        """Delete without a version. Under MFA Delete the null version stays, unless the device confirms it."""
        if not self.mfa:
            mfa = "none"
        keeps_null = self.mfa and mfa != "right"
        if mfa == "over http":
            expected = Answer(403, "AccessDenied")
        else:
            expected = self.oracle.delete("anna", "photos", key, self.now, keeps_null=keeps_null)
        https = mfa in ("right", "wrong")
        self.compare(self.send("anna", "DELETE", "photos", key, headers=mfa_headers(mfa), https=https), expected)
        self.compare_state()

    @rule(key=keys, number=st.integers(0, 7), mfa=st.sampled_from(["right", "right", "none", "wrong", "over http"]))
    def delete_version(self, key, number, mfa):
        version = self.version_id("photos", key, number)
        if not self.mfa:
            mfa = "none"
        expected = self.oracle.delete_version(
            "anna", "photos", key, version, mfa_is_right=mfa == "right" or not self.mfa
        )
        https = mfa in ("right", "wrong")
        self.compare(
            self.send("anna", "DELETE", "photos", key, headers=mfa_headers(mfa), https=https, versionId=version),
            expected,
        )
        self.compare_state()

    @rule(versioning=st.sampled_from(["Enabled", "Suspended"]))
    def put_versioning(self, versioning):
        headers = {"x-svc-mfa": "serial 123456"} if self.mfa else {}
        expected = self.oracle.put_versioning("anna", "photos", versioning.lower())
        body = f"<VersioningConfiguration><Status>{versioning}</Status></VersioningConfiguration>".encode()
        reply = self.send("anna", "PUT", "photos", headers=headers, body=body, https=self.mfa, versioning=None)
        self.compare(reply, expected)

    @rule()
    def list_versions(self):
        self.compare_versions("anna", "photos")

    def compare_versions(self, who, name):
        expected = self.oracle.list_versions(who, name)
        reply = self.send(who, "GET", name, versions=None)
        if isinstance(expected, Answer):
            self.compare(reply, expected)
            return
        same(reply.status, 200)
        entries = re.findall(
            r"<(Version|DeleteMarker)><Key>(.*?)</Key><VersionId>(.*?)</VersionId><IsLatest>(\w+)</IsLatest>",
            reply.body.decode(),
        )
        listed = [(key, version, latest == "true", tag == "DeleteMarker") for tag, key, version, latest in entries]
        same([key for key, *_ in listed], [key for key, *_ in expected])
        for (_, version, _, _), (_, noted, _, _) in zip(listed, expected, strict=True):
            if noted.startswith("?"):
                self.oracle.learn(noted, version)
        same(listed, self.oracle.list_versions(who, name))

    @rule()
    def snapshot(self):
        self.snapshots = [*self.snapshots[-1:], (self.store.snapshot(), self.oracle.snapshot())]

    @precondition(lambda self: self.snapshots)
    @rule(number=st.integers(0, 1))
    def restore(self, number):
        snapshot, note = self.snapshots[number % len(self.snapshots)]
        self.store.restore(snapshot)
        self.oracle.restore(note)
        self.compare_state()


# -- machine 2: access

GRANTEES = ("anna", "ben", "cleo", ALL_USERS, AUTHENTICATED_USERS, LOG_DELIVERY)
GRANT_HEADERS = {
    "FULL_CONTROL": "x-svc-grant-full-control",
    "READ": "x-svc-grant-read",
    "WRITE": "x-svc-grant-write",
    "READ_ACP": "x-svc-grant-read-acp",
    "WRITE_ACP": "x-svc-grant-write-acp",
}
#: A canned ACL by its name, or grants of one permission.
acls = st.sampled_from(list(CANNED)) | st.tuples(
    st.sampled_from(list(GRANT_HEADERS)), st.lists(st.sampled_from(GRANTEES), min_size=1, max_size=2, unique=True)
).map(lambda pair: [(grantee, pair[0]) for grantee in pair[1]])
object_acls = acls.filter(lambda acl: not (isinstance(acl, list) and acl[0][1] == "WRITE"))
STATEMENT_ACTIONS = (
    *("s3:*", "s3:Get*", "s3:Put*", "s3:DeleteObject", "s3:DeleteObjectVersion", "s3:GetObject", "s3:GetObjectVersion"),
    *("s3:GetObjectAcl", "s3:PutObject", "s3:PutObjectAcl", "s3:PutObjectAcl", "s3:ListBucket", "s3:GetBucketAcl"),
    *("s3:PutBucketVersioning", "s3:DeleteObjectVersion", "s3:DeleteObjectVersion", "s3:GetObject"),
)
OBJECT_ONLY = re.compile(r"s3:(Delete|Get|Put)Object")
statements = st.builds(
    Statement,
    st.sampled_from(["Allow", "Allow", "Deny"]),
    st.sampled_from([None, None, *ACCOUNTS]),
    st.sampled_from(STATEMENT_ACTIONS),
    st.sampled_from(["*", "*", "*", "photos/*", "photos/k", "photos"]),
)


#: Statements of any kind, or two that contradict each other in either order.
policies = st.lists(statements, max_size=3) | st.builds(
    lambda each, effects: [replace(each, effect=effect) for effect in effects],
    statements,
    st.permutations(["Allow", "Deny"]),
)


class Access(StoreMachine):
    """Three accounts and an unsigned client use a bucket while its ACLs and its policy change."""

    keys = st.sampled_from(["k", "k", "k", "l"])
    owners = st.sampled_from(["anna", "anna", "ben"])

    @initialize(
        versioning=st.sampled_from(["never", "enabled"]),
        acl=st.sampled_from([*CANNED, "public-read-write", [(AUTHENTICATED_USERS, "WRITE")]]),
        policy=policies,
    )
    def start(self, versioning, acl, policy):
        self.begin({"photos": versioning})
        self.set_bucket_acl("anna", acl)
        for who, key in (("anna", "k"), ("ben", "k"), ("anna", "l")):
            self.put(who, key, "private")
        self.set_policy("anna", policy, "k")

    @rule(who=owners, key=keys, acl=st.none() | object_acls)
    def put(self, who, key, acl):
        expected = self.oracle.put(who, "photos", key, who.encode(), self.now, acl=acl)
        reply = self.send(who, "PUT", "photos", key, headers=self.acl_headers(acl), body=who.encode())
        self.compare(reply, expected)
        self.everybody_reads(key)

    @rule(who=owners, key=keys, acl=object_acls)
    def set_object_acl(self, who, key, acl):
        expected = self.oracle.put_acl(who, "photos", key, None, acl)
        self.compare(self.send(who, "PUT", "photos", key, headers=self.acl_headers(acl), acl=None), expected)
        self.everybody_reads(key)

    @rule(who=owners, acl=acls)
    def set_bucket_acl(self, who, acl):
        expected = self.oracle.put_bucket_acl(who, "photos", acl)
        self.compare(self.send(who, "PUT", "photos", headers=self.acl_headers(acl), acl=None), expected)

    @rule(
        who=st.sampled_from([*["anna"] * 5, "ben"]),
        policy=policies,
        key=keys,
    )
    def set_policy(self, who, policy, key):
        policy = [each for each in policy if self.is_sound(each)]
        expected = self.oracle.put_policy(who, "photos", policy)
        if policy:
            body = json.dumps({"Statement": [self.statement(each) for each in policy]}).encode()
            self.compare(self.send(who, "PUT", "photos", body=body, policy=None), expected)
        else:
            self.compare(self.send(who, "DELETE", "photos", policy=None), expected)
        self.everybody_reads(key)
        self.everybody_copies("missing", key, None)
        self.everybody_writes(key, "private")
        self.everybody_deletes(key, "by id")
        self.everybody_deletes(key, "simple")

    @staticmethod
    def is_sound(statement):
        """Return whether the service takes it: an action on objects needs a resource that can be one, and so on."""
        if statement.action.endswith("*") or statement.resource == "*":
            return True
        return bool(OBJECT_ONLY.match(statement.action)) == (statement.resource != "photos")

    def statement(self, each):
        who = "*" if each.who is None else {"CanonicalUser": self.account[each.who].id}
        resource = "arn:aws:s3:::" + each.resource
        resources = [resource] if each.resource != "*" else ["arn:aws:s3:::photos", "arn:aws:s3:::photos/*"]
        return {"Effect": each.effect, "Principal": who, "Action": each.action, "Resource": resources}

    def acl_headers(self, acl):
        if acl is None or isinstance(acl, str):
            return {"x-svc-acl": acl} if acl else {}
        named = [
            f'id="{self.account[grantee].id}"' if grantee in self.account else f'uri="{grantee}"' for grantee, _ in acl
        ]
        return {GRANT_HEADERS[acl[0][1]]: ", ".join(named)}

    @rule(key=keys)
    def everybody_reads(self, key):
        """Every account and an unsigned client read the object, its latest version by id, its ACL and the bucket."""
        for who in (*ACCOUNTS, None):
            latest = self.oracle.find("photos", key)
            for version in (None, latest.id) if latest else (None,):
                query = {"versionId": version} if version else {}
                reply = self.send(who, "GET", "photos", key, **query)
                self.compare(reply, self.oracle.get(who, "photos", key, version))
                self.check_acl(who, key, query, self.oracle.get_acl(who, "photos", key, version))
            self.compare(self.send(who, "GET", "photos", acl=None), self.oracle.get_bucket_acl(who, "photos"))
            self.compare(self.send(who, "GET", "photos", versioning=None), self.oracle.get_versioning(who, "photos"))
            listed = self.oracle.list_objects(who, "photos")
            reply = self.send(who, "GET", "photos")
            if isinstance(listed, Answer):
                self.compare(reply, listed)
            else:
                same(re.findall("<Key>(.*?)</Key>", reply.body.decode()), listed[0])

    def check_acl(self, who, key, query, expected):
        reply = self.send(who, "GET", "photos", key, acl=None, **query)
        self.compare(reply, expected)
        if expected.status == 200:
            grants = re.findall(
                r"<Grantee[^>]*>.*?<(?:DisplayName|URI)>(.*?)</.*?<Permission>(\w+)</", reply.body.decode(), re.DOTALL
            )
            same(grants, self.oracle.find("photos", key, query.get("versionId")).grants)

    @rule(key=keys, which=st.sampled_from(["simple", "by id", "null"]))
    def everybody_deletes(self, key, which):
        """Accounts try in turn, those with the fewest rights first; the object is put back by its owner."""
        for who in (None, "cleo", "ben", "anna"):
            latest = self.oracle.find("photos", key)
            if which == "simple" or latest is None:
                expected = self.oracle.delete(who, "photos", key, self.now)
                self.compare(self.send(who, "DELETE", "photos", key), expected)
            else:
                version = NULL if which == "null" else latest.id
                expected = self.oracle.delete_version(who, "photos", key, version)
                self.compare(self.send(who, "DELETE", "photos", key, versionId=version), expected)
        self.compare_state()

    @rule(key=keys, acl=st.none() | st.sampled_from(list(CANNED)))
    def everybody_writes(self, key, acl):
        for who in (None, "cleo", "ben", "anna"):
            expected = self.oracle.put(who, "photos", key, b"x", self.now, acl=acl)
            reply = self.send(who, "PUT", "photos", key, headers=self.acl_headers(acl), body=b"x")
            self.compare(reply, expected)
        self.compare_state()

    @rule(source=st.sampled_from(["k", "k", "l", "missing"]), key=keys, number=st.none() | st.integers(0, 2))
    def everybody_copies(self, source, key, number):
        version = self.version_id("photos", source, number)
        for who in (None, "cleo", "ben", "anna"):
            headers = {"x-svc-copy-source": copy_source("photos", source, version), "x-svc-storage-class": "STANDARD"}
            expected = self.oracle.copy(who, ("photos", source, version), "photos", key, self.now, storage="STANDARD")
            expected.content = None
            self.compare(self.send(who, "PUT", "photos", key, headers=headers), expected)
        self.compare_state()

    @rule(who=st.sampled_from(["anna", "ben", "cleo"]), versioning=st.sampled_from(["Enabled", "Suspended"]))
    def put_versioning(self, who, versioning):
        expected = self.oracle.put_versioning(who, "photos", versioning.lower())
        body = f"<VersioningConfiguration><Status>{versioning}</Status></VersioningConfiguration>".encode()
        self.compare(self.send(who, "PUT", "photos", body=body, versioning=None), expected)


# -- machine 3: conditions and copies


class ConditionsAndCopies(StoreMachine):
    """Reads, writes and copies with conditions on entity tags and dates; what a copy takes from its source."""

    keys = st.sampled_from(["k", "k", "l"])
    tags = st.sampled_from(["right", "right", "other", "*"])

    @initialize(versioning=st.sampled_from(STATES))
    def start(self, versioning):
        self.begin({"photos": versioning, "copies": "never"})
        self.wait(60)
        self.put("k", b"one", {"x-svc-meta-colour": "red"}, "REDUCED_REDUNDANCY", "public-read", None, "right")

    @rule(seconds=st.sampled_from([1, 2, 3600]))
    def wait(self, seconds):
        self.clock.tick(timedelta(seconds=seconds))

    @rule(
        key=keys,
        content=contents,
        metadata=metadata,
        storage=storage_classes,
        acl=st.sampled_from([None, "public-read"]),
        condition=st.none() | st.tuples(st.just("if-match"), tags) | st.just(("if-none-match", "*")),
        md5=st.sampled_from([None, None, "right", "wrong"]),
    )
    def put(self, key, content, metadata, storage, acl, condition, md5):
        headers = {**metadata, **optional("x-svc-storage-class", storage), **optional("x-svc-acl", acl)}
        if md5:
            digest = hashlib.md5(content if md5 == "right" else b"another").digest()
            headers["Content-MD5"] = base64.b64encode(digest).decode()
        if condition and condition[0] == "if-match":
            # The service does not implement "If-Match: *" of a PUT.
            condition = ("if-match", self.tag("photos", key, None, "other" if condition[1] == "*" else condition[1]))
        expected = self.oracle.put(
            *("anna", "photos", key, content, self.now),
            **{"acl": acl, "metadata": metadata, "storage": storage, "condition": condition},
            md5_is_right=md5 != "wrong",
        )
        headers |= dict([condition]) if condition else {}
        self.compare(self.send("anna", "PUT", "photos", key, headers=headers, body=content), expected)
        self.compare_state()

    def tag(self, name, key, version, which):
        entry = self.oracle.find(name, key, version)
        return entry.etag if which == "right" and entry and not entry.is_marker else "*" if which == "*" else '"other"'

    def conditions(self, name, key, version, tag, date):
        """Return the conditions for the oracle, and their headers."""
        chosen = {}
        if tag:
            chosen[tag[0]] = self.tag(name, key, version, tag[1])
        entry = self.oracle.find(name, key, version)
        if date and entry:
            chosen[date[0]] = entry.at + timedelta(seconds=date[1])
        shown = {header: http_date(value) if isinstance(value, datetime) else value for header, value in chosen.items()}
        return chosen, shown

    tag_conditions = st.sampled_from(
        [None, *((name, tag) for name in ("if-match", "if-none-match") for tag in ("right", "right", "other", "*"))]
    )
    #: A header, and the seconds between its date and the modification of the object.
    date_conditions = st.sampled_from(
        [
            None,
            None,
            *((name, date) for name in ("if-modified-since", "if-unmodified-since") for date in (-1, -1, 0, 0, 1)),
        ]
    )

    @rule(
        method=st.sampled_from(["GET", "HEAD"]),
        key=keys,
        number=version_numbers,
        tag=tag_conditions,
        date=date_conditions,
    )
    def get(self, method, key, number, tag, date):
        version = self.version_id("photos", key, number)
        conditions, headers = self.conditions("photos", key, version, tag, date)
        query = {"versionId": version} if version else {}
        expected = self.oracle.get("anna", "photos", key, version, conditions=conditions, now=self.now)
        self.compare(self.send("anna", method, "photos", key, headers=headers, **query), expected, method)

    @rule(key=keys, which=st.sampled_from(["right", "other"]))
    def get_like_a_cache(self, key, which):
        """A cache sends an entity tag and the date on which it asked last; the tag decides."""
        conditions = {"if-none-match": self.tag("photos", key, None, which), "if-modified-since": self.now}
        headers = {**conditions, "if-modified-since": http_date(self.now)}
        expected = self.oracle.get("anna", "photos", key, conditions=conditions, now=self.now)
        self.compare(self.send("anna", "GET", "photos", key, headers=headers), expected)

    @rule(key=keys, seconds=st.sampled_from([1, 3600]))
    def get_if_modified_since_the_future(self, key, seconds):
        """A reader's date in the future is ignored."""
        conditions = {"if-modified-since": self.now + timedelta(seconds=seconds)}
        headers = {"If-Modified-Since": http_date(conditions["if-modified-since"])}
        expected = self.oracle.get("anna", "photos", key, conditions=conditions, now=self.now)
        self.compare(self.send("anna", "GET", "photos", key, headers=headers), expected)

    @rule(
        source=keys,
        number=version_numbers,
        to=st.tuples(st.sampled_from(["photos", "photos", "copies"]), keys),
        metadata=metadata,
        storage=storage_classes,
        acl=st.sampled_from([None, None, "public-read"]),
        directive=st.sampled_from([None, "COPY", "REPLACE", "REPLACE", "replace"]),
        conditional=st.booleans(),
        tag=tag_conditions,
        date=date_conditions,
    )
    def copy(self, source, number, to, metadata, storage, acl, directive, conditional, tag, date):
        version = self.version_id("photos", source, number)
        conditions, shown_conditions = {}, {}
        if conditional:
            conditions, shown_conditions = self.conditions("photos", source, version, tag, date)
        headers = {"x-svc-copy-source": copy_source("photos", source, version), **metadata}
        headers |= optional("x-svc-storage-class", storage) | optional("x-svc-acl", acl)
        headers |= optional("x-svc-metadata-directive", directive)
        headers |= {f"x-svc-copy-source-{name}": value for name, value in shown_conditions.items()}
        expected = self.oracle.copy(
            *("anna", ("photos", source, version), *to, self.now),
            **{"acl": acl, "metadata": metadata, "storage": storage, "directive": directive},
            conditions=conditions,
        )
        etag, expected.content = expected.content, None
        reply = self.send("anna", "PUT", *to, headers=headers)
        self.compare(reply, expected)
        if expected.status == 200:
            date = self.now.strftime("%Y-%m-%dT%H:%M:%S").encode()
            assert b"<LastModified>%s</LastModified>" % date in reply.body, reply.body
            assert etag in reply.body.replace(b"&quot;", b'"'), reply.body
        self.compare_state()

    @rule(key=keys)
    def delete(self, key):
        self.compare(self.send("anna", "DELETE", "photos", key), self.oracle.delete("anna", "photos", key, self.now))


# -- machine 4: lifecycle

DAY = 86400


class Lifecycle(StoreMachine):
    """Rules act while the clock moves on. The first look after it moved is a request, or one through the handle."""

    keys = st.sampled_from(["a", "a", "a", "a/b", "b"])

    lifecycle_rules = st.lists(
        st.tuples(
            st.sampled_from(["days", "days", "date", "marker", "marker", "noncurrent", "noncurrent"]),
            st.integers(1, 3),
            st.integers(0, 2),
        ),
        max_size=2,
    )
    prefixes = st.sampled_from(["", "", "a", "a/"])

    @initialize(
        versioning=st.sampled_from(["never", "enabled", "enabled", "enabled", "suspended"]),
        at_midnight=st.booleans(),
        prefix=prefixes,
        actions=lifecycle_rules,
    )
    def start(self, versioning, at_midnight, prefix, actions):
        self.begin({"photos": versioning})
        if at_midnight:
            self.wait("midnight")
        self.put_rules(prefix, actions)

    @invariant()
    def rules_have_acted_in_the_oracle(self):
        self.oracle.apply_lifecycle(self.now)

    @rule(prefix=prefixes, actions=lifecycle_rules)
    def put_rules(self, prefix, actions):
        rules = [lifecycle_rule(place, prefix, *action, self.now) for place, action in enumerate(actions)]
        expected = self.oracle.put_lifecycle("anna", "photos", rules)
        if rules:
            body = f"<LifecycleConfiguration>{''.join(map(rule_document, rules))}</LifecycleConfiguration>".encode()
            self.compare(self.send("anna", "PUT", "photos", body=body, lifecycle=None), expected)
        else:
            self.compare(self.send("anna", "DELETE", "photos", lifecycle=None), expected)

    @rule(
        key=keys,
        steps=st.lists(st.sampled_from(["put", "put", "delete", DAY]), min_size=1, max_size=6),
        look=st.booleans(),
    )
    def live(self, key, steps, look):
        """Write and delete one key while days pass."""
        for step in steps:
            self.oracle.apply_lifecycle(self.now)
            if step == "put":
                expected = self.oracle.put("anna", "photos", key, b"x", self.now)
                self.compare(self.send("anna", "PUT", "photos", key, body=b"x"), expected)
            elif step == "delete":
                self.delete(key)
            else:
                self.wait(step)
        if look:
            self.compare_state()

    @rule(seconds=st.sampled_from([1, 3600, DAY - 1, DAY, 2 * DAY, 5 * DAY, "midnight"]))
    def wait(self, seconds):
        if seconds == "midnight":
            seconds = (next_midnight(self.now) - self.now).total_seconds()
        self.clock.tick(timedelta(seconds=seconds))
        self.oracle.apply_lifecycle(self.now)

    @rule(key=keys, method=st.sampled_from(["GET", "HEAD"]))
    def get(self, key, method):
        entry = self.oracle.find("photos", key)
        if entry is not None and entry.is_marker and entry.id.startswith("?"):
            self.compare_state()  # This tells the id of a marker that a rule has made.
        self.compare(self.send("anna", method, "photos", key), self.oracle.get("anna", "photos", key), method)

    @rule(key=keys)
    def delete(self, key):
        self.compare(self.send("anna", "DELETE", "photos", key), self.oracle.delete("anna", "photos", key, self.now))

    @rule(key=keys, number=st.integers(0, 5))
    def delete_version(self, key, number):
        version = self.version_id("photos", key, number)
        expected = self.oracle.delete_version("anna", "photos", key, version)
        self.compare(self.send("anna", "DELETE", "photos", key, versionId=version), expected)

    @rule(prefix=st.sampled_from(["", "a", "a/", "z"]), delimiter=st.sampled_from(["", "/"]))
    def list_objects(self, prefix, delimiter):
        reply = self.send("anna", "GET", "photos", prefix=prefix, delimiter=delimiter)
        body = reply.body.decode()
        prefixes = re.findall("<CommonPrefixes><Prefix>(.*?)</Prefix>", body)
        same(
            (re.findall("<Key>(.*?)</Key>", body), prefixes),
            self.oracle.list_objects("anna", "photos", prefix, delimiter),
        )

    @rule(versioning=st.sampled_from(["Enabled", "Suspended"]))
    def put_versioning(self, versioning):
        expected = self.oracle.put_versioning("anna", "photos", versioning.lower())
        body = f"<VersioningConfiguration><Status>{versioning}</Status></VersioningConfiguration>".encode()
        self.compare(self.send("anna", "PUT", "photos", body=body, versioning=None), expected)

    @rule()
    def look(self):
        self.compare_state()


def lifecycle_rule(place, prefix, action, days, keep, now):
    rule_id = f"rule-{place}"
    if action == "days":
        return LifecycleRule(rule_id, prefix, days=days)
    if action == "date":
        return LifecycleRule(
            rule_id, prefix, date=datetime(now.year, now.month, now.day, tzinfo=UTC) + timedelta(days - 2)
        )
    if action == "marker":
        return LifecycleRule(rule_id, prefix, expired_marker=True)
    return LifecycleRule(rule_id, prefix, noncurrent=days, keep=keep or None)


def rule_document(each):
    if each.noncurrent is not None:
        keep = f"<NewerNoncurrentVersions>{each.keep}</NewerNoncurrentVersions>" if each.keep else ""
        days = f"<NoncurrentDays>{each.noncurrent}</NoncurrentDays>{keep}"
        action = f"<NoncurrentVersionExpiration>{days}</NoncurrentVersionExpiration>"
    elif each.days is not None:
        action = f"<Expiration><Days>{each.days}</Days></Expiration>"
    elif each.date is not None:
        action = f"<Expiration><Date>{each.date:%Y-%m-%dT00:00:00Z}</Date></Expiration>"
    else:
        action = "<Expiration><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration>"
    return f"<Rule><ID>{each.id}</ID><Prefix>{each.prefix}</Prefix><Status>Enabled</Status>{action}</Rule>"


# -- helpers


def same(actual, expected):
    """Compare by hand, because pytest explains only the asserts of test modules."""
    assert actual == expected, f"the store says\n  {actual}\nand the oracle\n  {expected}"


def optional(header, value):
    return {} if value is None else {header: value}


def mfa_headers(mfa):
    return {} if mfa == "none" else {"x-svc-mfa": "serial 654321" if mfa == "wrong" else "serial 123456"}


def copy_source(name, key, version):
    return f"/{name}/{quote(key, safe='')}" + (f"?versionId={version}" if version else "")


def shown(entry):
    """Return an entry of the store as a tuple like that of `shown_note`."""
    common = (entry.key, entry.version_id, entry.last_modified, entry.owner.display_name)
    if not hasattr(entry, "content"):
        return (*common, "marker")
    headers = {"x-svc-meta-" + name: value for name, value in entry.metadata.items()}
    if entry.content_type != "binary/octet-stream":
        headers["Content-Type"] = entry.content_type
    return (*common, entry.content, entry.etag, headers, entry.storage_class.value, grants_of(entry.acl))


def shown_note(key, note):
    common = (key, note.id, note.at, note.owner)
    return (
        (*common, "marker")
        if note.is_marker
        else (*common, note.content, note.etag, note.metadata, note.storage, note.grants)
    )


def grants_of(acl):
    return [
        (getattr(grant.grantee, "display_name", None) or grant.grantee.value, grant.permission.value)
        for grant in acl.grants
    ]


# -- running

#: Each machine, with how many histories of how many steps `make test` runs.
MACHINES = {
    "versions": (Versions, 200, 25),
    "access": (Access, 120, 10),
    "conditions": (ConditionsAndCopies, 180, 25),
    "lifecycle": (Lifecycle, 250, 20),
}


def run(name, *, number=None, examples=None, steps=None, shrink=True):
    """Run a machine with the budget of `make test`, or with another; the same number repeats the same histories."""
    machine, usual_examples, usual_steps = MACHINES[name]
    chosen = settings(
        max_examples=examples or usual_examples,
        stateful_step_count=steps or usual_steps,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink] if shrink else [Phase.generate],
        print_blob=shrink,
        report_multiple_bugs=False,
    )
    test = type(machine.__name__, (machine,), {})
    if number is not None:
        test = seed(number)(test)
    run_state_machine_as_test(test, settings=chosen)
