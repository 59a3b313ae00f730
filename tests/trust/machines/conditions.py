"""Conditions on entity tags and dates, and what a copy takes from its source."""

from __future__ import annotations

import base64
import hashlib
from datetime import timedelta

from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from tests.trust.machines.store_machine import (
    DATE_CONDITIONS,
    STATES,
    StoreMachine,
    contents,
    date_conditions,
    dialects,
    metadata,
    storage_classes,
    tag_conditions,
    tag_sets,
    tags_of_conditions,
    text_of,
    version_numbers,
    write_conditions,
)
from tests.trust.oracle.values import Written

directives = st.sampled_from([None, "COPY", "REPLACE", "REPLACE", "replace"])


class ConditionsAndCopies(StoreMachine):
    """Reads, writes, copies and deletions with conditions on entity tags and dates; what a copy takes."""

    keys = st.sampled_from(["k", "k", "l"])
    acls = st.sampled_from([None, None, "public-read"])
    expires = st.sampled_from([None, None, None, "0", "soon"])

    @initialize(dialect=dialects, versioning=st.sampled_from(STATES))
    def start(self, dialect, versioning):
        self.begin(dialect, versioning, "copies")
        self.wait(60)
        written = Written("public-read", {"x-svc-meta-colour": "red"}, "REDUCED_REDUNDANCY", {"colour": "red"})
        self.put_object("anna", "k", b"one", written)

    @rule(seconds=st.sampled_from([1, 2, 3600]))
    def wait(self, seconds):
        self.tick(seconds)

    @rule(
        key=keys,
        content=contents,
        written=st.builds(Written, acls, metadata, storage_classes, st.none() | tag_sets),
        expires=expires,
        condition=write_conditions,
        md5=st.sampled_from([None, None, "right", "wrong"]),
    )
    def put(self, key, content, written, expires, condition, md5):
        if expires:
            written.metadata["Expires"] = expires
        digest = hashlib.md5(content if md5 == "right" else b"another").digest()
        header = md5 and (base64.b64encode(digest).decode(), md5 == "right")
        self.put_object("anna", key, content, written, condition=self.write_condition(key, condition), md5=header)
        self.compare_state()

    @rule(
        method=st.sampled_from(["GET", "HEAD"]),
        key=keys,
        number=version_numbers,
        tag=tag_conditions,
        date=date_conditions,
    )
    def get(self, method, key, number, tag, date):
        version = self.version_id(key, number)
        self.read(method, key, version, self.conditions(key, version, tag, date))

    def read(self, method, key, version, conditions):
        query = {"versionId": version} if version else {}
        expected = self.oracle.get("anna", "photos", key, version, conditions=conditions)
        headers = {name: text_of(value) for name, value in conditions.items()}
        self.compare(self.send("anna", method, "photos", key, headers=headers, **query), expected, method)

    @rule(key=keys, which=st.sampled_from(["right", "other"]))
    def get_like_a_cache(self, key, which):
        """A cache sends an entity tag and the date of its last request; the tag decides."""
        tag = self.entity_tag(key, None, which)
        self.read("GET", key, None, {"if-none-match": tag, "if-modified-since": self.now})

    @rule(key=keys, seconds=st.sampled_from([1, 3600]))
    def get_if_modified_since_the_future(self, key, seconds):
        """A reader's date in the future is ignored."""
        self.read("GET", key, None, {"if-modified-since": self.now + timedelta(seconds=seconds)})

    @rule(
        source=keys,
        number=version_numbers,
        to=st.tuples(st.sampled_from(["photos", "photos", "copies"]), keys),
        written=st.builds(
            Written,
            acls,
            metadata,
            storage_classes,
            st.none() | tag_sets,
            directives,
            st.sampled_from([None, "REPLACE", "COPY", "copy"]),
        ),
        condition=write_conditions,
    )
    def copy(self, source, number, to, written, condition):
        name, key = to
        condition = self.write_condition(key, condition, name)
        self.copy_object("anna", (source, self.version_id(source, number)), to, written, condition=condition)
        self.compare_state()

    @rule(number=version_numbers, directive=directives, storage=storage_classes, tags=tag_sets)
    def copy_onto_itself(self, number, directive, storage, tags):
        """New tags do not make such a copy a change, but a version that is named by its id may be the source."""
        self.put_object("anna", "k", b"one")
        written = Written(storage=storage, tags=tags, directive=directive, tagging="REPLACE")
        self.copy_object("anna", ("k", self.version_id("k", number)), ("photos", "k"), written)

    @rule(source=keys, number=version_numbers, tag=tag_conditions, date=date_conditions)
    def copy_if(self, source, number, tag, date):
        """Copy to another bucket under conditions on the source."""
        version = self.version_id(source, number)
        conditions = self.conditions(source, version, tag, date)
        self.copy_object("anna", (source, version), ("copies", "k"), conditions=conditions)
        self.compare_state()

    @rule(date=st.sampled_from([*DATE_CONDITIONS, ("if-modified-since", 1), ("if-modified-since", 1)]))
    def copy_if_date(self, date):
        """Copy what surely exists under one condition on its date."""
        self.put_object("anna", "k", b"one")
        self.copy_object("anna", ("k", None), ("copies", "k"), conditions=self.conditions("k", None, None, date))

    @rule(key=keys, number=version_numbers, tag=st.none() | st.sampled_from(tags_of_conditions))
    def delete(self, key, number, tag):
        """Delete an object if its entity tag is the right one; a deletion by a version id cannot have the condition."""
        self.delete_if(key, self.version_id(key, number), tag)

    @rule(content=contents, deletes=st.booleans())
    def create(self, content, deletes):
        """Write an object on condition that there is none. A delete marker is no object."""
        if deletes:
            self.delete_if("k", None, None)
        self.put_object("anna", "k", content, condition=("if-none-match", "*"))
        self.compare_state()

    @rule(tag=st.sampled_from(["right", "other"]))
    def delete_earlier_version(self, tag):
        """The condition is refused whether or not the named version has the entity tag."""
        for content in (b"one", b"two"):
            self.put_object("anna", "k", content)
        self.delete_if("k", self.version_id("k", 1), tag)

    def delete_if(self, key, version, tag):
        if_match = tag and self.entity_tag(key, version, tag)
        if version is None:
            expected, query = self.oracle.delete("anna", "photos", key, if_match=if_match), {}
        else:
            expected = self.oracle.delete_version("anna", "photos", key, version, if_match=if_match)
            query = {"versionId": version}
        headers = {"If-Match": if_match} if if_match else {}
        self.compare(self.send("anna", "DELETE", "photos", key, headers=headers, **query), expected)
        self.compare_state()
