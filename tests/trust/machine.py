"""A random machine: several accounts use a store through `requests`, and every answer is held against the oracle."""

from __future__ import annotations

import base64
import hashlib
from datetime import UTC, datetime, timedelta
from urllib.parse import quote

import requests
from freezegun import freeze_time
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from lxml import etree

from fakestore import FakeStore
from tests.trust.naive_oracle import CANNED, NULL, Answer, LifecycleRule, Oracle

#: When every history begins.
START = datetime(2026, 11, 21, 15, 30, tzinfo=UTC)
NEVER_ISSUED = "0123456789abcdefghijklmnopqrstuv"
BUCKETS = ("never", "enabled", "suspended")
KEYS = ("a", "a//b", "ü %2F+")

accounts = st.sampled_from([*["anna"] * 6, "ben", "ben", "cleo", None])
#: Of those that the history is about: in a narrow one everything happens to one key of one bucket.
buckets = st.runner().flatmap(lambda machine: st.sampled_from(machine.names))
keys = st.runner().flatmap(lambda machine: st.sampled_from(machine.keys))
contents = st.sampled_from([b"", b"one", b"two", b"\x00\xff\r\n"])
canned_acls = st.sampled_from([*CANNED, *CANNED, "public"])
#: Which version: ``None`` for the current one, else a number that chooses among the ids there are, gone and wrong.
versions = st.none() | st.integers(0, 11)
descriptions = st.fixed_dictionaries(
    {}, optional={"Content-Type": st.sampled_from(["text/plain", "image/jpeg"]), "x-svc-meta-colour": st.just("red")}
)
storage_classes = st.sampled_from([None, None, "STANDARD", "REDUCED_REDUNDANCY"])


class Machine(RuleBasedStateMachine):
    """One store, three buckets of anna's that begin in the three versioning states, three accounts and nobody.

    The clock is frozen for one history at a time: what hypothesis measures between them is not to stand still.

    Looking at a bucket by its handle makes its lifecycle rules act, as a request does. So nobody looks where a request
    is to find something due: in a history that is not ``watched``, but for the rule that looks, and in any other until
    the first request after the clock moved or a snapshot came back.
    """

    @initialize(first=st.sampled_from(["enabled", "suspended", None]), narrow=st.integers(0, 3), watched=st.booleans())
    def begin(self, first, narrow, watched):
        self.watched, self.untouched = watched, False
        self.names, self.keys = (
            (BUCKETS, KEYS) if narrow == 3 else (BUCKETS[narrow : narrow + 1], KEYS[: 1 + narrow % 2])
        )
        self.freezer = freeze_time(START)
        self.clock = self.freezer.start()
        self.oracle = Oracle()
        self.store = FakeStore()
        self.http = {None: requests.Session()}
        self.account = {}
        for name in ("anna", "ben", "cleo"):
            account = self.account[name] = self.store.create_account(name)
            self.http[name] = self.store.session(account)
        for session in self.http.values():
            session.mount("http://", self.store.adapter())
        for name in BUCKETS:
            versioning = first or name
            self.store.create_bucket(name, owner=self.account["anna"], versioning=versioning)
            self.oracle.create(name, "anna", versioning, self.now)
        self.kept = []

    @property
    def now(self):
        return datetime.now(UTC)

    # -- asking and comparing

    def ask(self, who, method, bucket, key="", *, headers=None, data=None, **query):
        self.untouched = False
        return self.http[who].request(method, self.store.url(bucket, key, **query), headers=headers or {}, data=data)

    def compare(self, reply, expected):
        """Status, error code, headers and content; a stand-in for a new id is learnt."""
        told = dict(expected.headers)
        for header, value in told.items():
            if value is not None and value.startswith("?"):
                told[header] = reply.headers[header]
                self.oracle.learn(value, told[header])
        method = reply.request.method
        code = None
        if reply.status_code >= 400 and method != "HEAD":
            code = etree.fromstring(reply.content).findtext("Code")
        answered = (reply.status_code, code, {header: reply.headers.get(header) for header in told})
        same(answered, (expected.status, None if method == "HEAD" else expected.code, told))
        if expected.content is not None and method != "HEAD":
            same(reply.content, expected.content)

    def version_of(self, name, key, number):
        """An id for a number: those of the key newest first, then one that is gone, and one never issued.

        None of a marker that lifecycle made and no answer has named yet, nor one that was named before a restore.
        """
        if number is None:
            return None
        ids = [entry.id for entry in reversed(self.oracle.entries(name, key))]
        there = [each for each in ids if not each.startswith("?")]
        named_before = {named for stand_in, named in self.oracle.learnt if stand_in in ids}
        gone = sorted(self.oracle.issued - set(there) - named_before - {NULL})
        choices = [*there[:6], NULL, *gone[-2:], NEVER_ISSUED]
        return choices[number % len(choices)]

    # -- what the accounts do

    @rule(
        who=accounts,
        name=buckets,
        key=keys,
        content=contents,
        canned=canned_acls,
        about=descriptions,
        storage=storage_classes,
        md5=st.sampled_from([None, None, None, None, "right", "wrong"]),
        if_absent=st.sampled_from([False, False, False, False, True]),
    )
    def put_object(self, who, name, key, content, canned, about, storage, md5, if_absent):
        headers = {**about, "x-svc-acl": canned}
        if storage is not None:
            headers["x-svc-storage-class"] = storage
        if md5 is not None:
            digest = hashlib.md5(content if md5 == "right" else b"other").digest()
            headers["Content-MD5"] = base64.b64encode(digest).decode()
        if if_absent:
            headers["If-None-Match"] = "*"
        reply = self.ask(who, "PUT", name, key, headers=headers, data=content or None)
        expected = self.oracle.put(
            who,
            name,
            key,
            content,
            self.now,
            canned=canned,
            about=about,
            storage=storage or "STANDARD",
            md5_right=md5 != "wrong",
            if_absent=if_absent,
        )
        self.compare(reply, expected)

    @rule(name=buckets, key=keys, times=st.integers(1, 3))
    def overwrite(self, name, key, times):
        """The owner writes, with nothing that could be refused: histories are to get long."""
        for _ in range(times):
            given = {"canned": "private", "about": {}, "storage": "STANDARD", "md5_right": True, "if_absent": False}
            expected = self.oracle.put("anna", name, key, b"again", self.now, **given)
            self.compare(self.ask("anna", "PUT", name, key, data=b"again"), expected)

    @rule(
        who=accounts,
        source_name=buckets,
        source_key=keys,
        number=versions,
        name=buckets,
        key=keys,
        canned=canned_acls,
        about=descriptions,
        storage=storage_classes,
        directive=st.sampled_from([None, "COPY", "REPLACE", "replace"]),
        condition=st.sampled_from([None, None, "holds", "fails"]),
    )
    def copy_object(
        self, who, source_name, source_key, number, name, key, canned, about, storage, directive, condition
    ):
        version = self.version_of(source_name, source_key, number)
        source = f"/{source_name}/{quote(source_key, safe='')}" + (f"?versionId={version}" if version else "")
        headers = {**about, "x-svc-acl": canned, "x-svc-copy-source": source}
        if storage is not None:
            headers["x-svc-storage-class"] = storage
        if directive is not None:
            headers["x-svc-metadata-directive"] = directive
        found = self.oracle.find(source_name, source_key, version)
        if_match = None
        if condition is not None:
            right = found.etag if found is not None and condition == "holds" else '"other"'
            if_match = headers["x-svc-copy-source-if-match"] = right
        expected = self.oracle.copy(
            who,
            (source_name, source_key, version),
            name,
            key,
            self.now,
            canned=canned,
            about=about,
            storage=storage,
            directive=directive,
            if_match=if_match,
        )
        reply = self.ask(who, "PUT", name, key, headers=headers)
        etag, expected.content = expected.content, None
        self.compare(reply, expected)
        if expected.status == 200:
            result = etree.fromstring(reply.content)
            written = self.now.strftime("%Y-%m-%dT%H:%M:%S")
            assert {child.tag: child.text for child in result} == {"LastModified": written, "ETag": etag.decode()}

    @rule(who=accounts, method=st.sampled_from(["GET", "HEAD"]), name=buckets, key=keys, number=versions)
    def get_object(self, who, method, name, key, number):
        version = self.version_of(name, key, number)
        query = {"versionId": version} if version else {}
        self.compare(self.ask(who, method, name, key, **query), self.oracle.get(who, name, key, version))

    @rule(who=accounts, name=buckets, key=keys)
    def delete_object(self, who, name, key):
        self.compare(self.ask(who, "DELETE", name, key), self.oracle.delete(who, name, key, self.now))

    @rule(who=accounts, name=buckets, key=keys, number=st.integers(0, 11))
    def delete_version(self, who, name, key, number):
        version = self.version_of(name, key, number)
        expected = self.oracle.delete_version(who, name, key, version, self.now)
        self.compare(self.ask(who, "DELETE", name, key, versionId=version), expected)

    @rule(who=accounts, name=buckets, key=keys, number=versions)
    def get_acl(self, who, name, key, number):
        version = self.version_of(name, key, number)
        query = {"versionId": version} if version else {}
        expected = self.oracle.get_acl(who, name, key, version)
        reply = self.ask(who, "GET", name, key, acl=None, **query)
        self.compare(reply, expected)
        if expected.status == 200:
            found = self.oracle.find(name, key, version)
            assert acl_document(reply.content) == (found.owner, found.grants)

    @rule(who=accounts, name=buckets, key=keys, number=versions, canned=canned_acls)
    def put_acl(self, who, name, key, number, canned):
        version = self.version_of(name, key, number)
        query = {"versionId": version} if version else {}
        expected = self.oracle.put_acl(who, name, key, version, canned, self.now)
        self.compare(self.ask(who, "PUT", name, key, headers={"x-svc-acl": canned}, acl=None, **query), expected)

    @rule(who=accounts, name=buckets, canned=canned_acls)
    def put_bucket_acl(self, who, name, canned):
        expected = self.oracle.put_bucket_acl(who, name, canned)
        self.compare(self.ask(who, "PUT", name, headers={"x-svc-acl": canned}, acl=None), expected)

    @rule(who=accounts, name=buckets, versioning=st.sampled_from(["Enabled", "Suspended"]))
    def put_versioning(self, who, name, versioning):
        expected = self.oracle.put_versioning(who, name, versioning.lower())
        body = f"<VersioningConfiguration><Status>{versioning}</Status></VersioningConfiguration>"
        self.compare(self.ask(who, "PUT", name, data=body, versioning=None), expected)

    # -- lifecycle and time

    @rule(
        who=accounts,
        name=buckets,
        prefix=st.sampled_from(["", "", "a", "a/"]),
        actions=st.lists(
            st.tuples(st.sampled_from(["days", "date", "marker", "noncurrent"]), st.integers(1, 3), st.integers(0, 2)),
            max_size=3,
        ),
    )
    def put_lifecycle(self, who, name, prefix, actions):
        rules = [rule_of(place, prefix, *action, self.now) for place, action in enumerate(actions)]
        expected = self.oracle.put_lifecycle(who, name, rules)
        if rules:
            body = f"<LifecycleConfiguration>{''.join(map(rule_document, rules))}</LifecycleConfiguration>"
            self.compare(self.ask(who, "PUT", name, data=body, lifecycle=None), expected)
        else:
            self.compare(self.ask(who, "DELETE", name, lifecycle=None), expected)

    @rule(delta=st.sampled_from([1, 60, 3600, 9 * 3600, 86400, 2 * 86400, 5 * 86400, 400 * 86400]))
    def wait(self, delta):
        self.clock.tick(timedelta(seconds=delta))
        self.oracle.look(self.now)
        self.untouched = True

    @rule(name=buckets, key=keys, days=st.integers(1, 4), times=st.integers(1, 2))
    def write_daily(self, name, key, days, times):
        """What was kept yesterday may be due today."""
        for _ in range(days):
            self.wait(86400)
            self.overwrite(name, key, times)
            self.oracle.look(self.now)

    # -- listings

    @rule(
        who=accounts, name=buckets, prefix=st.sampled_from(["", "a", "a/", "z"]), delimiter=st.sampled_from(["", "/"])
    )
    def list_objects(self, who, name, prefix, delimiter):
        expected = self.oracle.list_objects(who, name, prefix, delimiter)
        reply = self.ask(who, "GET", name, prefix=prefix, delimiter=delimiter)
        if isinstance(expected, Answer):
            self.compare(reply, expected)
        else:
            listed = etree.fromstring(reply.content)
            prefixes = [each.findtext("Prefix") for each in listed.iterfind("CommonPrefixes")]
            assert ([each.findtext("Key") for each in listed.iterfind("Contents")], prefixes) == expected

    @rule(who=accounts, name=buckets)
    def list_versions(self, who, name):
        expected = self.oracle.list_versions(who, name)
        reply = self.ask(who, "GET", name, versions=None)
        if isinstance(expected, Answer):
            self.compare(reply, expected)
        else:
            kinds = {"Version": "object", "DeleteMarker": "marker"}
            listed = [
                (each.findtext("Key"), each.findtext("VersionId"), each.findtext("IsLatest") == "true", kinds[each.tag])
                for each in etree.fromstring(reply.content)
                if each.tag in kinds
            ]
            for (_, version_id, _, _), (_, noted, _, _) in zip(listed, expected, strict=True):
                if noted.startswith("?"):
                    self.oracle.learn(noted, version_id)
            assert listed == self.oracle.list_versions(who, name)

    # -- snapshots

    @rule()
    def snapshot(self):
        self.kept = [*self.kept[-2:], (self.store.snapshot(), self.oracle.snapshot())]

    @precondition(lambda self: self.kept)
    @rule(number=st.integers(0, 2))
    def restore(self, number):
        snapshot, notes = self.kept[number % len(self.kept)]
        self.store.restore(snapshot)
        self.oracle.restore(notes)
        self.oracle.look(self.now)
        self.untouched = True

    # -- the whole state

    @invariant()
    def rules_have_acted_in_the_oracle(self):
        self.oracle.look(self.now)

    @invariant()
    def holds_what_the_oracle_holds(self):
        if self.watched and not self.untouched:
            self.look()

    @rule()
    def look(self):
        self.oracle.look(self.now)
        for name in BUCKETS:
            bucket = self.store[name]
            notes = self.oracle.buckets[name]
            held = bucket.versions()
            expected = [
                (key, entry) for key in self.oracle.keys(name) for entry in reversed(self.oracle.entries(name, key))
            ]
            assert [entry.key for entry in held] == [key for key, _ in expected]
            for entry, (_, noted) in zip(held, expected, strict=True):
                if noted.id.startswith("?"):
                    self.oracle.learn(noted.id, entry.version_id)
            assert [shown(entry) for entry in held] == [
                shown_note(key, entry)
                for key in self.oracle.keys(name)
                for entry in reversed(self.oracle.entries(name, key))
            ]
            assert (bucket.versioning, grants_of(bucket.acl)) == (notes.versioning, notes.grants)
            assert list(bucket) == self.oracle.current_keys(name)

    def teardown(self):
        if hasattr(self, "freezer"):
            self.freezer.stop()


def same(answered, expected):
    """Said by hand, as pytest explains only asserts of test modules."""
    assert answered == expected, f"the store says\n  {answered}\nand the oracle\n  {expected}"


def shown(entry):
    """An entry of the store as the oracle notes it."""
    told = (entry.key, entry.version_id, entry.last_modified, entry.owner.display_name)
    if not hasattr(entry, "content"):
        return (*told, "marker")
    about = {"x-svc-meta-" + name: value for name, value in entry.metadata.items()}
    if entry.content_type != "binary/octet-stream":
        about["Content-Type"] = entry.content_type
    return (*told, "object", entry.content, entry.etag, about, entry.storage_class.value, grants_of(entry.acl))


def shown_note(key, entry):
    told = (key, entry.id, entry.at, entry.owner, entry.what)
    if entry.what == "marker":
        return told
    return (*told, entry.content, entry.etag, entry.about, entry.storage, entry.grants)


def grants_of(acl):
    return [
        (getattr(grant.grantee, "display_name", None) or grant.grantee.value, grant.permission.value)
        for grant in acl.grants
    ]


def acl_document(body):
    policy = etree.fromstring(body)
    grants = [
        (grant.findtext("Grantee/DisplayName") or grant.findtext("Grantee/URI"), grant.findtext("Permission"))
        for grant in policy.iterfind("AccessControlList/Grant")
    ]
    return policy.findtext("Owner/DisplayName"), grants


def rule_of(place, prefix, action, days, keep, now):
    rule_id = f"rule-{place}"
    if action == "days":
        return LifecycleRule(rule_id, prefix, days=days)
    if action == "date":
        day = datetime(now.year, now.month, now.day, tzinfo=UTC)
        return LifecycleRule(rule_id, prefix, date=day + timedelta(days=days - 2))
    if action == "marker":
        return LifecycleRule(rule_id, prefix, expired_marker=True)
    return LifecycleRule(rule_id, prefix, noncurrent=days, keep=keep or None)


def rule_document(each):
    if each.noncurrent is not None:
        keep = f"<NewerNoncurrentVersions>{each.keep}</NewerNoncurrentVersions>" if each.keep else ""
        action = (
            f"<NoncurrentVersionExpiration><NoncurrentDays>{each.noncurrent}</NoncurrentDays>{keep}"
            "</NoncurrentVersionExpiration>"
        )
    elif each.days is not None:
        action = f"<Expiration><Days>{each.days}</Days></Expiration>"
    elif each.date is not None:
        action = f"<Expiration><Date>{each.date:%Y-%m-%dT00:00:00Z}</Date></Expiration>"
    else:
        action = "<Expiration><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration>"
    return f"<Rule><ID>{each.id}</ID><Prefix>{each.prefix}</Prefix><Status>Enabled</Status>{action}</Rule>"
