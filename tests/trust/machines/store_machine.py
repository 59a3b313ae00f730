"""What the machines share: a store and an oracle, how a request is sent to both, and how what they hold is compared."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from urllib.parse import quote, urlencode

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine

from fakestore import FakeStore, Limits
from fakestore.http import Request
from tests.support.access import open_bucket
from tests.support.wire import digest_header
from tests.trust.oracle import Oracle
from tests.trust.oracle.uploads import SMALLEST_PART
from tests.trust.oracle.values import ANONYMOUS, NULL, RECORDED, SPECIFIED, Meaning, Written, http_date

START = datetime(2026, 11, 21, 15, 30, tzinfo=UTC)
NEVER_ISSUED = "0123456789abcdefghijklmnopqrstuv"
ACCOUNTS = ("anna", "ben", "cleo")
STATES = ("never", "enabled", "suspended")
LIMITS = Limits(min_part_size=SMALLEST_PART)
GRANT_HEADERS = {
    "FULL_CONTROL": "x-svc-grant-full-control",
    "READ": "x-svc-grant-read",
    "WRITE": "x-svc-grant-write",
    "READ_ACP": "x-svc-grant-read-acp",
    "WRITE_ACP": "x-svc-grant-write-acp",
}


class Spoken(NamedTuple):
    """What a dialect names differently, and what it means. The machines write headers with `x-svc-`."""

    prefix: str
    scheme: str
    meaning: Meaning


DIALECTS = {"document": Spoken("x-svc-", "SVC", SPECIFIED), "s3": Spoken("x-amz-", "AWS", RECORDED)}

dialects = st.sampled_from(list(DIALECTS))
contents = st.sampled_from([b"", b"one", b"two", b"\x00\xff\r\n"])
tag_sets = st.sampled_from([{}, {"colour": "red"}, {"colour": "blue"}, {"colour": "red", "ü": "1 :+"}])
metadata = st.fixed_dictionaries(
    {},
    optional={
        "Content-Type": st.sampled_from(["text/plain", "image/jpeg"]),
        "x-svc-meta-colour": st.sampled_from(["red", "=?UTF-8?B?Y2Fmw6k=?="]),
    },
)
storage_classes = st.sampled_from([None, None, "STANDARD", "STANDARD_IA", *["REDUCED_REDUNDANCY"] * 3])
#: None for the current version, or a number that chooses among the ids of the key and a few wrong ones.
version_numbers = st.none() | st.integers(0, 7)
tags_of_conditions = ("right", "right", "other", "*")
tag_conditions = st.sampled_from(
    [None, *((name, tag) for name in ("if-match", "if-none-match") for tag in tags_of_conditions)]
)
#: A header, and the seconds between its date and the modification of the object.
DATE_CONDITIONS = [(name, date) for name in ("if-modified-since", "if-unmodified-since") for date in (-1, -1, 0, 0, 1)]
date_conditions = st.sampled_from([None, None, *DATE_CONDITIONS])
#: A condition on the object that a request replaces.
write_conditions = st.sampled_from(
    [None, None, None, ("if-none-match", "*"), ("if-match", "right"), ("if-match", "other")]
)


class StoreMachine(RuleBasedStateMachine):
    """A store and the oracle, and how a request is sent to both. The bucket is "photos", which belongs to anna."""

    #: The frozen clock, which `run` sets.
    clock = None

    def begin(self, dialect, versioning, *others):
        """Begin a history; `others` are buckets that were never versioned."""
        self.clock.move_to(START)
        self.dialect = DIALECTS[dialect]
        self.oracle = Oracle(self.dialect.meaning)
        self.store = FakeStore(dialect=dialect, base_url="http://objects.test", limits=LIMITS)
        self.account = {name: self.store.create_account(name) for name in ACCOUNTS}
        self.snapshots = []
        for name, state in (("photos", versioning), *((name, "never") for name in others)):
            self.store.create_bucket(name, owner=self.account["anna"], versioning=state)
            open_bucket(self.store, name)
            self.oracle.create(name, "anna", state)

    @property
    def now(self):
        return datetime.now(UTC)

    def tick(self, seconds):
        self.clock.tick(timedelta(seconds=seconds))

    # -- requests

    def in_dialect(self, header):
        return header.replace("x-svc-", self.dialect.prefix)

    def send(self, who, method, bucket, key="", *, headers=(), body=b"", https=False, **query):
        fields = {self.in_dialect(name): value for name, value in dict(headers).items()}
        if who != ANONYMOUS:
            fields |= {
                "Date": http_date(self.now),
                "Authorization": f"{self.dialect.scheme} {self.account[who].access_key_id}:signature",
            }
        if method in ("PUT", "POST"):
            fields["Content-Length"] = str(len(body))
        url = self.store.url(bucket, key, **query)
        fields |= digest_header(method, url, body)
        return self.store.handle(Request.to_url(method, url.replace("http:", "https:") if https else url, fields, body))

    def compare(self, reply, expected, method="GET"):
        """Compare status, code, headers and content. A stand-in for a new id is replaced by the id that was issued."""
        headers = dict(expected.headers)
        shown = {name: reply.headers.get(self.in_dialect(name)) for name in headers}
        for name, value in headers.items():
            if value is not None and value.startswith("?"):
                headers[name] = shown[name]
                self.oracle.learn(value, headers[name])
        code = re.search(rb"<Code>(\w+)</Code>", reply.body) if reply.status >= 400 else None
        same((reply.status, shown), (expected.status, headers))
        if method == "HEAD":
            same(reply.body, b"")
        else:
            same(code and code[1].decode(), expected.code)
            if expected.content is not None:
                same(reply.body, expected.content)

    def acl_headers(self, acl):
        if acl is None or isinstance(acl, str):
            return {"x-svc-acl": acl} if acl else {}
        named = [
            f'id="{self.account[grantee].id}"' if grantee in self.account else f'uri="{grantee}"' for grantee, _ in acl
        ]
        return {GRANT_HEADERS[acl[0][1]]: ", ".join(named)}

    def written_headers(self, written):
        """Return the headers that say what `written` says."""
        headers = {**written.metadata, **self.acl_headers(written.acl)}
        headers |= optional("x-svc-storage-class", written.storage)
        headers |= optional("x-svc-tagging", None if written.tags is None else urlencode(written.tags))
        headers |= optional("x-svc-metadata-directive", written.directive)
        if written.retention is not None:
            headers["x-svc-object-lock-mode"], until = written.retention
            headers["x-svc-object-lock-retain-until-date"] = iso_date(until)
        headers |= optional("x-svc-object-lock-legal-hold", {True: "ON", False: "OFF"}.get(written.hold))
        return headers | optional("x-svc-tagging-directive", written.tagging)

    def put_object(self, who, key, content, written=None, *, condition=None, md5=None):
        """Send a PUT. `md5` is None or a pair of the header's value and whether it is right."""
        written = written or Written()
        headers = self.written_headers(written) | dict([condition] if condition else [])
        headers |= optional("Content-MD5", md5 and md5[0])
        expected = self.oracle.put(
            *(who, "photos", key, content, written), md5_is_right=md5 is None or md5[1], condition=condition
        )
        self.compare(self.send(who, "PUT", "photos", key, headers=headers, body=content), expected)

    def copy_object(self, who, source, to, written=None, *, conditions=None, condition=None):
        """Send a copy. `source` is a key and a version id in "photos", `to` a bucket and a key.

        The storage class is named unless `written` is passed, so that a copy of an object onto itself is a change.
        """
        written = written or Written(storage="STANDARD")
        conditions = conditions or {}
        headers = {"x-svc-copy-source": copy_source("photos", *source), **self.written_headers(written)}
        headers |= {f"x-svc-copy-source-{name}": text_of(value) for name, value in conditions.items()}
        headers |= dict([condition] if condition else [])
        expected = self.oracle.copy(
            *(who, ("photos", *source), *to, written), conditions=conditions, condition=condition
        )
        reply = self.send(who, "PUT", *to, headers=headers)
        self.compare(reply, expected)
        if expected.status == 200:
            entry = self.oracle.find(*to)
            assert f"<LastModified>{self.now.strftime(self.dialect.meaning.date_of_copy)}".encode() in reply.body
            assert entry.etag.encode() in reply.body.replace(b"&quot;", b'"'), reply.body

    def change_versioning(self, who, versioning, mfa=(), *, mfa_is_right=True):
        """Send a PUT of the versioning, "Enabled" or "Suspended", with or without the header of MFA Delete."""
        expected = self.oracle.put_versioning(who, "photos", versioning.lower(), mfa_is_right=mfa_is_right)
        body = f"<VersioningConfiguration><Status>{versioning}</Status></VersioningConfiguration>".encode()
        reply = self.send(who, "PUT", "photos", headers=mfa, body=body, https=bool(mfa), versioning=None)
        self.compare(reply, expected)

    def delete_object(self, key):
        """Send the owner's DELETE without a version."""
        self.compare(self.send("anna", "DELETE", "photos", key), self.oracle.delete("anna", "photos", key))

    def use_tags(self, who, method, key, version=None, tags=None):
        """Send GET, PUT or DELETE of the tags."""
        query = {"tagging": None, **({"versionId": version} if version else {})}
        body = tagging_document(tags or {}) if method == "PUT" else b""
        expected = self.oracle.tags(who, method, "photos", key, version, tags)
        reply = self.send(who, method, "photos", key, body=body, **query)
        self.compare(reply, expected)
        if method == "GET" and expected.status == 200:
            listed = re.findall("<Key>(.*?)</Key><Value>(.*?)</Value>", reply.body.decode())
            noted = self.oracle.find("photos", key, version).tags
            same(dict(listed), noted)

    def set_policy_of(self, who, statements):
        """Send a PUT of the policy, or a DELETE if it has no statements."""
        expected = self.oracle.put_policy(who, "photos", statements)
        if statements:
            body = json.dumps({"Statement": [self._statement(each) for each in statements]}).encode()
            self.compare(self.send(who, "PUT", "photos", body=body, policy=None), expected)
        else:
            self.compare(self.send(who, "DELETE", "photos", policy=None), expected)

    def _statement(self, each):
        who = {"Principal": "*"} if each.who is None else {"Principal": {"CanonicalUser": self.account[each.who].id}}
        if each.others and each.effect == "Deny":
            who = {"NotPrincipal": who["Principal"]}
        elif each.others:  # an Allow names its principals
            condition = {"StringNotEquals": {"aws:userid": self.account[each.who].number}}
            who = {"Principal": "*", "Condition": condition}
        resource = "arn:aws:s3:::" + each.resource
        resources = [resource] if each.resource != "*" else ["arn:aws:s3:::photos", "arn:aws:s3:::photos/*"]
        return {"Effect": each.effect, **who, "Action": each.action, "Resource": resources}

    def set_acl_of_bucket(self, who, acl):
        expected = self.oracle.put_bucket_acl(who, "photos", acl)
        self.compare(self.send(who, "PUT", "photos", headers=self.acl_headers(acl), acl=None), expected)

    # -- what a history has

    def version_id(self, key, number):
        """Return an id for a number: the key's own, newest first, then null, one that is gone, one never issued.

        An id that no answer has contained yet is left out, and so is an id that a restore has made unknown again.
        """
        if number is None:
            return None
        ids = [entry.id for entry in reversed(self.oracle.entries("photos", key))]
        known = [each for each in ids if not each.startswith("?")]
        unknown = {version_id for stand_in, version_id in self.oracle.learned if stand_in in ids}
        gone = sorted(self.oracle.issued - set(known) - unknown - {NULL})
        choices = [*known[:5], NULL, *gone[-1:], NEVER_ISSUED]
        return choices[number % len(choices)]

    def entity_tag(self, key, version, which, name="photos"):
        """Return the right entity tag, a wrong one, or the star."""
        entry = self.oracle.find(name, key, version)
        return entry.etag if which == "right" and entry and not entry.is_marker else "*" if which == "*" else '"other"'

    def write_condition(self, key, condition, name="photos"):
        """Return the condition with the entity tag of the key in place of "right"."""
        if condition is None or condition[1] == "*":
            return condition
        return (condition[0], self.entity_tag(key, None, condition[1], name))

    def conditions(self, key, version, tag, date):
        """Return the conditions by their headers. A date is some seconds before or after the modification."""
        chosen = {tag[0]: self.entity_tag(key, version, tag[1])} if tag else {}
        entry = self.oracle.find("photos", key, version)
        if date and entry:
            chosen[date[0]] = entry.at + timedelta(seconds=date[1])
        return chosen

    def take_snapshot(self):
        self.snapshots = [*self.snapshots[-1:], (self.store.snapshot(), self.oracle.snapshot())]

    def restore_snapshot(self, number):
        snapshot, note = self.snapshots[number % len(self.snapshots)]
        self.store.restore(snapshot)
        self.oracle.restore(note)
        self.compare_state()

    def compare_state(self):
        """Compare everything that the buckets hold."""
        self.oracle.apply_lifecycle()
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
            uploads = sorted(expected.uploads, key=lambda upload: upload.key.encode())
            same([shown_upload(each) for each in bucket.uploads], [shown_upload_note(each) for each in uploads])


# -- helpers


def same(actual, expected):
    """Compare by hand, because pytest explains only the asserts of test modules."""
    assert actual == expected, f"the store says\n  {actual}\nand the oracle\n  {expected}"


def optional(header, value):
    return {} if value is None else {header: value}


def text_of(condition):
    return http_date(condition) if isinstance(condition, datetime) else condition


def copy_source(name, key, version):
    return f"/{name}/{quote(key, safe='')}" + (f"?versionId={version}" if version else "")


def iso_date(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def tagging_document(tags):
    listed = "".join(f"<Tag><Key>{name}</Key><Value>{value}</Value></Tag>" for name, value in tags.items())
    return f"<Tagging><TagSet>{listed}</TagSet></Tagging>".encode()


def shown(entry):
    """Return an entry of the store as a tuple like that of `shown_note`."""
    common = (entry.key, entry.version_id, entry.last_modified, entry.owner.display_name)
    if not hasattr(entry, "content"):
        return (*common, "marker")
    headers = {"x-svc-meta-" + name: value for name, value in entry.metadata.items()}
    headers |= optional("Expires", None if entry.expires is None else str(entry.expires))
    if entry.content_type != "binary/octet-stream":
        headers["Content-Type"] = entry.content_type
    content = bytes(entry.content), entry.etag, headers, entry.storage_class.value, dict(entry.tags)
    retention = entry.retention and (entry.retention.mode.value, entry.retention.until)
    lock = retention, entry.legal_hold and entry.legal_hold.value == "ON"
    return (*common, *content, grants_of(entry.acl), *lock)


def shown_note(key, note):
    common = (key, note.id, note.at, note.owner)
    if note.is_marker:
        return (*common, "marker")
    return (
        *common,
        note.content,
        note.etag,
        note.metadata,
        note.storage,
        note.tags,
        note.grants,
        note.retention,
        note.hold,
    )


def shown_upload(upload):
    """Return an upload of the store as a tuple like that of `shown_upload_note`."""
    parts = {part.number: (part.etag, bytes(part.content), part.last_modified) for part in upload.parts}
    return (upload.key, upload.upload_id, upload.initiated, upload.initiator.display_name, parts)


def shown_upload_note(upload):
    parts = {number: (part.etag, part.content, part.at) for number, part in upload.parts.items()}
    return (upload.key, upload.id, upload.at, upload.who, parts)


def grants_of(acl):
    return [
        (getattr(grant.grantee, "display_name", None) or grant.grantee.value, grant.permission.value)
        for grant in acl.grants
    ]
