"""PUT, copy, DELETE, DELETE of a version, and tags of versions in the three versioning states."""

from __future__ import annotations

import re

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from fakestore import MfaDevice
from tests.trust.machines.store_machine import STATES, StoreMachine, contents, dialects, same, tag_sets, version_numbers
from tests.trust.oracle.values import Answer, Written

MFA = MfaDevice("serial", "123456")


class Versions(StoreMachine):
    """The owner writes, copies, tags and deletes versions, with and without MFA Delete."""

    keys = st.sampled_from([*["k"] * 7, "k/ü %2F+"])

    @initialize(
        dialect=dialects, versioning=st.sampled_from(["never", *STATES]), layered=st.booleans(), mfa=st.booleans()
    )
    def start(self, dialect, versioning, layered, mfa):
        """A layered history begins with a null version that lies under a version with an id."""
        self.begin(dialect, "never" if layered else versioning)
        self.mfa = False
        if layered:
            self.put("k", b"null", {}, 1)
            self.put_versioning("Enabled")
            self.put("k", b"one", {}, 1)
            self.put_versioning("Suspended" if versioning == "suspended" else "Enabled")
        if mfa and (layered or versioning != "never"):
            self.mfa = True
            self.store["photos"].enable_mfa_delete(MFA)

    @rule(key=keys, content=contents, tags=st.just({}) | tag_sets, times=st.sampled_from([1, 1, 2]))
    def put(self, key, content, tags, times):
        for _ in range(times):
            self.put_object("anna", key, content, Written(tags=tags or None))
        self.compare_state()

    @rule(key=keys, source=keys, number=version_numbers)
    def copy(self, key, source, number):
        self.copy_object("anna", (source, self.version_id(source, number)), ("photos", key))
        self.compare_state()

    @rule(key=keys, method=st.sampled_from(["GET", "HEAD"]), number=version_numbers)
    def get(self, key, method, number):
        version = self.version_id(key, number)
        query = {"versionId": version} if version else {}
        expected = self.oracle.get("anna", "photos", key, version)
        self.compare(self.send("anna", method, "photos", key, **query), expected, method)

    @rule(key=keys, method=st.sampled_from(["GET", "PUT", "PUT", "DELETE"]), number=version_numbers, tags=tag_sets)
    def tags(self, key, method, number, tags):
        self.use_tags("anna", method, key, self.version_id(key, number), tags)
        self.compare_state()

    @rule(key=keys, mfa=st.sampled_from(["none", "none", "right", "right", "wrong", "over http"]))
    def delete(self, key, mfa):
        """Delete without a version. Under MFA Delete the null version stays, unless the device confirms it."""
        if not self.mfa:
            mfa = "none"
        keeps_null = self.mfa and mfa != "right"
        if mfa == "over http":
            expected = Answer(403, "AccessDenied")
        else:
            expected = self.oracle.delete("anna", "photos", key, keeps_null=keeps_null)
        https = mfa in ("right", "wrong")
        self.compare(self.send("anna", "DELETE", "photos", key, headers=mfa_headers(mfa), https=https), expected)
        self.compare_state()

    @rule(key=keys, number=st.integers(0, 7), mfa=st.sampled_from(["right", "right", "none", "wrong", "over http"]))
    def delete_version(self, key, number, mfa):
        version = self.version_id(key, number)
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

    @rule(
        versioning=st.sampled_from(["Enabled", "Suspended"]),
        mfa=st.sampled_from(["right", "right", "right", "none", "wrong"]),
    )
    def put_versioning(self, versioning, mfa="right"):
        if not self.mfa:
            mfa = "none"
        self.change_versioning("anna", versioning, mfa_headers(mfa), mfa_is_right=mfa == "right" or not self.mfa)

    @rule()
    def list_versions(self):
        expected = self.oracle.list_versions("photos")
        reply = self.send("anna", "GET", "photos", versions=None)
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
        same(listed, self.oracle.list_versions("photos"))

    snapshot = rule()(StoreMachine.take_snapshot)
    restore = precondition(lambda self: self.snapshots)(rule(number=st.integers(0, 1))(StoreMachine.restore_snapshot))


def mfa_headers(mfa):
    return {} if mfa == "none" else {"x-svc-mfa": "serial 654321" if mfa == "wrong" else "serial 123456"}
