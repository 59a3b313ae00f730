"""What the machines share: a store and an oracle, how a request is sent to both, and how what they hold is compared."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from urllib.parse import quote

from freezegun import freeze_time
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine

from fakestore import FakeStore
from fakestore.http import Request
from tests.trust.oracle import NULL, Oracle, http_date

START = datetime(2026, 11, 21, 15, 30, tzinfo=UTC)
NEVER_ISSUED = "0123456789abcdefghijklmnopqrstuv"
ACCOUNTS = ("anna", "ben", "cleo")
STATES = ("never", "enabled", "suspended")

contents = st.sampled_from([b"", b"one", b"two", b"\x00\xff\r\n"])
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

    def change_versioning(self, who, versioning, *, headers=(), https=False):
        """Send a PUT of the versioning of the bucket "photos": "Enabled" or "Suspended"."""
        expected = self.oracle.put_versioning(who, "photos", versioning.lower())
        body = f"<VersioningConfiguration><Status>{versioning}</Status></VersioningConfiguration>".encode()
        reply = self.send(who, "PUT", "photos", headers=headers, body=body, https=https, versioning=None)
        self.compare(reply, expected)

    def delete_object(self, key):
        """Send the owner's DELETE without a version."""
        self.compare(self.send("anna", "DELETE", "photos", key), self.oracle.delete("anna", "photos", key, self.now))

    def version_id(self, name, key, number):
        """Return an id for a number: the key's own, newest first, then null, one that is gone, one never issued.

        An id that no answer has contained yet is left out, and so is an id that a restore has made unknown again.
        """
        if number is None:
            return None
        ids = [entry.id for entry in reversed(self.oracle.entries(name, key))]
        known = [each for each in ids if not each.startswith("?")]
        unknown = {version_id for stand_in, version_id in self.oracle.learned if stand_in in ids}
        gone = sorted(self.oracle.issued - set(known) - unknown - {NULL})
        choices = [*known[:5], NULL, *gone[-1:], NEVER_ISSUED]
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


def same(actual, expected):
    """Compare by hand, because pytest explains only the asserts of test modules."""
    assert actual == expected, f"the store says\n  {actual}\nand the oracle\n  {expected}"


def optional(header, value):
    return {} if value is None else {header: value}


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
