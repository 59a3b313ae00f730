"""Conditions on entity tags and dates, and what a copy takes from its source."""

from __future__ import annotations

import base64
import hashlib
from datetime import datetime, timedelta

from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from tests.trust.machines.store_machine import (
    STATES,
    StoreMachine,
    contents,
    copy_source,
    optional,
    version_numbers,
)
from tests.trust.oracle import http_date

metadata = st.fixed_dictionaries(
    {}, optional={"Content-Type": st.sampled_from(["text/plain", "image/jpeg"]), "x-svc-meta-colour": st.just("red")}
)
storage_classes = st.sampled_from([None, "STANDARD", "REDUCED_REDUNDANCY"])


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

    delete = rule(key=keys)(StoreMachine.delete_object)
