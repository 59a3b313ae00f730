"""Multipart uploads: their parts, how they end, and what they leave in the three versioning states."""

from __future__ import annotations

import base64
import hashlib
import re

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from tests.support.documents import complete_document
from tests.trust.machines.store_machine import (
    NEVER_ISSUED,
    STATES,
    StoreMachine,
    copy_source,
    date_conditions,
    dialects,
    metadata,
    same,
    tag_conditions,
    tag_sets,
    text_of,
    version_numbers,
    write_conditions,
)
from tests.trust.oracle.values import ALL_USERS, ANONYMOUS, AUTHENTICATED_USERS, Statement, Written

#: How a request to complete an upload names its parts; most requests are right.
WAYS = [*["all"] * 6, "some", "some", "reversed", "doubled", "missing", "wrong tag", "no part", "no document"]
#: Other requests between the beginning and the end of an upload.
BETWEEN = [None, "put", *["put elsewhere"] * 3, "delete", "tag", "suspend", "enable", "other upload"]


class Uploads(StoreMachine):
    """Three requesters upload objects in parts, beside PUT, copy and DELETE of the same keys."""

    keys = st.sampled_from(["k", "k", "k", "a/b", "a/c"])
    writers = st.sampled_from([*["anna"] * 6, "ben", ANONYMOUS])
    #: A number that chooses among the unfinished uploads, an ended one and an unknown one.
    uploads = st.integers(0, 9)
    parts = st.integers(1, 3)
    #: Most have the smallest size of a part, or more.
    part_contents = st.sampled_from([b"1234", b"abcd", b"12345678", b"\0" * 5, b"4321", b"dcba", b"123", b""])
    headers = st.builds(
        Written,
        st.sampled_from([None, "public-read", "bucket-owner-read", [(ALL_USERS, "READ")]]),
        metadata,
        st.sampled_from([None, "REDUCED_REDUNDANCY"]),
        st.none() | tag_sets,
    )
    policies = st.sampled_from(
        [
            [],
            [],
            *(
                [Statement(effect, who, "s3:" + action, "*")]
                for effect, who in (("Deny", None), ("Deny", "ben"), ("Allow", "ben"), ("Allow", None))
                for action in ("AbortMultipartUpload", "ListMultipartUploadParts", "ListBucketMultipartUploads")
            ),
        ]
    )

    @initialize(
        dialect=dialects,
        versioning=st.sampled_from(STATES),
        acl=st.sampled_from(["public-read-write"] * 3 + ["private", "public-read", [(AUTHENTICATED_USERS, "WRITE")]]),
        policy=policies,
        layered=st.booleans(),
    )
    def start(self, dialect, versioning, acl, policy, layered):
        """A layered history begins with a null version that lies under a version with an id."""
        layered = layered and versioning != "never"
        self.begin(dialect, "never" if layered else versioning)
        self.set_acl_of_bucket("anna", acl)
        self.set_policy_of("anna", policy)
        self.put_object("anna", "k", b"0123456789", Written(tags={"colour": "red"}))
        if layered:
            self.change_versioning("anna", "Enabled")
            self.put_object("anna", "k", b"9876543210")
            self.change_versioning("anna", versioning.capitalize())
        self.begin_upload("anna", "k", Written(), [b"1234", b"5"])

    # -- uploads

    @rule(who=writers, key=keys, written=headers, contents=st.lists(part_contents, max_size=3))
    def begin_upload(self, who, key, written, contents):
        """Begin an upload, and upload its first parts."""
        expected = self.oracle.begin_upload(who, "photos", key, written)
        reply = self.send(who, "POST", "photos", key, headers=self.written_headers(written), uploads=None)
        self.compare(reply, expected)
        if expected.status == 200:
            self.oracle.learn_upload("photos", re.search("<UploadId>(.*?)<", reply.body.decode())[1])
            for number, content in enumerate(contents, 1):
                self.send_part("anna", key, self.oracle.begun[-1][0], number, content, "none")
        self.compare_state()

    @rule(
        who=st.sampled_from(["anna", "anna", "ben"]),
        key=keys,
        written=headers,
        contents=st.lists(part_contents, min_size=1, max_size=3),
        mistake=st.sampled_from(["reversed", "reversed", "doubled", "doubled", "wrong tag", "wrong tag", "missing"]),
        between=st.sampled_from(BETWEEN),
        way=st.sampled_from(WAYS),
        condition=st.sampled_from([None, *[("if-match", "right")] * 2, ("if-none-match", "*"), ("if-match", "other")]),
    )
    def upload(self, who, key, written, contents, mistake, between, way, condition):
        """Upload an object in parts, while something else happens to its key; then read it by parts, and copy it."""
        self.begin_upload(who, key, written, contents)
        key, upload_id = self.choose_upload(0)
        self.end_upload("anna", key, upload_id, mistake, None)
        if between in ("suspend", "enable"):
            self.put_versioning("Suspended" if between == "suspend" else "Enabled")
        elif between == "put":
            self.put_object("anna", key, b"12345")
        elif between == "put elsewhere":
            self.put_object("anna", "elsewhere", b"12345")
        elif between == "delete":
            self.delete_object(key)
        elif between == "tag":
            self.use_tags("anna", "PUT", key, None, {"colour": "blue"})
        elif between == "other upload":
            self.begin_upload("anna", key, Written(), [b"other"])
        self.tick(1)
        self.end_upload("anna", key, upload_id, way, condition)
        for part in (None, 1, 2):
            self.read("anna", "GET", key, None, part)
        self.copy_object("anna", (key, None), ("photos", "elsewhere"))
        self.end_upload("anna", key, upload_id, way, None)

    def choose_upload(self, number):
        """Return the key and the id of an upload: an unfinished one, newest first, or an ended or unknown one."""
        unfinished = [(each.key, each.id) for each in reversed(self.oracle.buckets["photos"].uploads)]
        ended = [(key, upload_id) for upload_id, key in self.oracle.begun if (key, upload_id) not in unfinished]
        wrong = [*ended[-1:], ("k", NEVER_ISSUED)]
        choices = [*unfinished[:3] * 3, *wrong, *((key + "x", upload_id) for key, upload_id in unfinished[:1])]
        return choices[number % len(choices)]

    @rule(
        who=writers,
        upload=uploads,
        number=parts,
        content=part_contents,
        md5=st.sampled_from(["none", "none", "right", "wrong"]),
    )
    def put_part(self, who, upload, number, content, md5):
        """Upload a part, which may replace another one."""
        self.send_part(who, *self.choose_upload(upload), number, content, md5)
        self.compare_state()

    def send_part(self, who, key, upload_id, number, content, md5):
        digest = base64.b64encode(hashlib.md5(content if md5 == "right" else b"another").digest()).decode()
        headers = {} if md5 == "none" else {"Content-MD5": digest}
        expected = self.oracle.put_part(
            who, "photos", key, upload_id, number, content, md5_is_right=md5 in ("none", "right")
        )
        query = {"uploadId": upload_id, "partNumber": number}
        self.compare(self.send(who, "PUT", "photos", key, headers=headers, body=content, **query), expected)

    @rule(
        who=writers,
        upload=uploads,
        number=parts,
        source=keys,
        version=st.none() | version_numbers,
        span=st.sampled_from([None, (0, 3), (1, 5), (2, 2), (6, 9), (5, 10), (0, 10), (0, 99), (99, 100)]),
        tag=tag_conditions,
        date=date_conditions,
        conditional=st.sampled_from([False, False, True]),
    )
    def copy_part(self, who, upload, number, source, version, span, tag, date, conditional):
        """Copy a part of the object that was just written, unless a version is named."""
        if version is None:
            self.put_object("anna", source, b"0123456789")
        key, upload_id = self.choose_upload(upload)
        version = self.version_id(source, version)
        conditions = self.conditions(source, version, tag, date) if conditional else {}
        headers = {"x-svc-copy-source": copy_source("photos", source, version)}
        headers |= {f"x-svc-copy-source-{name}": text_of(value) for name, value in conditions.items()}
        if span is not None:
            headers["x-svc-copy-source-range"] = f"bytes={span[0]}-{span[1]}"
        expected = self.oracle.copy_part(
            *(who, "photos", key, upload_id, number, ("photos", source, version)), span=span, conditions=conditions
        )
        query = {"uploadId": upload_id, "partNumber": number}
        self.compare(self.send(who, "PUT", "photos", key, headers=headers, **query), expected)
        self.compare_state()

    @rule(who=writers, upload=uploads, way=st.sampled_from(WAYS), condition=write_conditions)
    def complete(self, who, upload, way, condition):
        self.end_upload(who, *self.choose_upload(upload), way, condition)

    def end_upload(self, who, key, upload_id, way, condition):
        named = self.name_parts(key, upload_id, way)
        condition = self.write_condition(key, condition)
        headers = dict([condition]) if condition else {}
        expected = self.oracle.complete(who, "photos", key, upload_id, named, condition)
        body = b"" if named is None else complete_document(named)
        reply = self.send(who, "POST", "photos", key, headers=headers, body=body, uploadId=upload_id)
        self.compare(reply, expected)
        if expected.status == 200:
            etag = self.oracle.find("photos", key).etag
            assert etag.encode() in reply.body.replace(b"&quot;", b'"'), reply.body
        self.compare_state()

    def name_parts(self, key, upload_id, way):
        """Return pairs of number and entity tag; None stands for no document."""
        if way == "no document":
            return None
        upload = self.oracle.find_upload("photos", key, upload_id) or self.oracle.find_ended("photos", key, upload_id)
        named = [(number, part.etag) for number, part in sorted(upload.parts.items())] if upload else []
        if way == "no part" or not named:
            return [] if way == "no part" else [(1, '"other"')]
        return {
            "some": named[1:] or named,
            "reversed": named[::-1],
            "doubled": [*named, named[-1]],
            "missing": [*named, (9, named[0][1])],
            "wrong tag": [*named[:-1], (named[-1][0], '"other"')],
        }.get(way, named)

    @rule(who=writers, upload=uploads)
    def abort(self, who, upload):
        self.send_abort(who, *self.choose_upload(upload))
        self.compare_state()

    def send_abort(self, who, key, upload_id):
        expected = self.oracle.abort(who, "photos", key, upload_id)
        self.compare(self.send(who, "DELETE", "photos", key, uploadId=upload_id), expected)

    @rule(who=st.sampled_from(["anna", "ben", "ben"]), key=keys, last=st.permutations(["anna", "ben"]))
    def everybody_uses_an_upload(self, who, key, last):
        """Every requester adds a part to a new upload and lists its parts; then they try to abort it."""
        self.begin_upload(ANONYMOUS, key, Written(), [])
        self.begin_upload(who, key, Written(), [b"1234"])
        requesters, (key, upload_id) = (ANONYMOUS, "cleo", *last), self.choose_upload(0)
        for each in requesters:
            self.send_part(each, key, upload_id, 2, b"5678", "none")
            self.compare_parts(each, key, upload_id, 0, 1000)
        for each in requesters:
            self.send_abort(each, key, upload_id)
        self.compare_state()

    # -- listings

    @rule(who=writers, upload=uploads, after=st.sampled_from([0, 0, 1, 2]), size=st.sampled_from([1000, 1, 2]))
    def list_parts(self, who, upload, after, size):
        self.compare_parts(who, *self.choose_upload(upload), after, size)

    def compare_parts(self, who, key, upload_id, after, size):
        expected, listed = self.oracle.list_parts(who, "photos", key, upload_id, after=after, size=size)
        query = {"uploadId": upload_id, "part-number-marker": after, "max-parts": size}
        reply = self.send(who, "GET", "photos", key, **query)
        self.compare(reply, expected)
        if listed is not None:
            body = reply.body.decode().replace("&quot;", '"')
            parts = re.findall("<PartNumber>(.*?)</.*?<ETag>(.*?)</ETag><Size>(.*?)</Size>", body)
            same((parts, "<IsTruncated>true<" in body), listed)

    @rule(
        who=writers,
        prefix=st.sampled_from(["", "", "a", "a/"]),
        delimiter=st.sampled_from(["", "", "/"]),
        after=st.none() | st.tuples(uploads, st.booleans()),
        size=st.sampled_from([1000, 1, 2]),
    )
    def list_uploads(self, who, prefix, delimiter, after, size):
        query, marker = {"prefix": prefix, "delimiter": delimiter, "max-uploads": size}, None
        if after is not None:
            upload_id, key = self.oracle.begun[after[0] % len(self.oracle.begun)]
            marker = (key, upload_id if after[1] else None)
            query |= {"key-marker": key} | ({"upload-id-marker": upload_id} if after[1] else {})
        expected, listed = self.oracle.list_uploads(
            who, "photos", prefix=prefix, delimiter=delimiter, after=marker, size=size
        )
        reply = self.send(who, "GET", "photos", uploads=None, **query)
        self.compare(reply, expected)
        if listed is not None:
            body = reply.body.decode()
            uploads = re.findall("<Upload><Key>(.*?)</Key><UploadId>(.*?)<", body)
            prefixes = re.findall("<CommonPrefixes><Prefix>(.*?)<", body)
            same((uploads, prefixes, "<IsTruncated>true<" in body), listed)

    @rule(key=keys, size=st.sampled_from([1000, 1]))
    def list_later_uploads(self, key, size):
        """List the page after the first of two uploads of one key."""
        for _ in range(2):
            self.begin_upload("anna", key, Written(), [])
        self.list_uploads("anna", "", "", (len(self.oracle.begun) - 2, True), size)

    # -- what else happens to the keys

    @rule(source=keys, number=version_numbers, key=keys)
    def copy(self, source, number, key):
        """A copy of an object that was uploaded in parts is one piece."""
        self.copy_object("anna", (source, self.version_id(source, number)), ("photos", key))
        self.compare_state()

    @rule(
        who=writers, method=st.sampled_from(["GET", "HEAD"]), key=keys, number=version_numbers, part=st.none() | parts
    )
    def get(self, who, method, key, number, part):
        self.read(who, method, key, self.version_id(key, number), part)

    def read(self, who, method, key, version, part):
        query = ({"versionId": version} if version else {}) | ({"partNumber": part} if part else {})
        expected = self.oracle.get(who, "photos", key, version, part=part)
        self.compare(self.send(who, method, "photos", key, **query), expected, method)

    delete = rule(key=keys)(StoreMachine.delete_object)

    @rule(versioning=st.sampled_from(["Enabled", "Suspended"]))
    def put_versioning(self, versioning):
        self.change_versioning("anna", versioning)

    @rule(seconds=st.sampled_from([1, 60]))
    def wait(self, seconds):
        self.tick(seconds)

    snapshot = rule()(StoreMachine.take_snapshot)
    restore = precondition(lambda self: self.snapshots)(rule(number=st.integers(0, 1))(StoreMachine.restore_snapshot))
