"""Retentions and legal holds of versions while the clock moves on, and a lifecycle rule waits for their end."""

from __future__ import annotations

import base64
import hashlib
from datetime import timedelta

from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

from tests.support.documents import lifecycle
from tests.trust.machines.lifecycle import DAY, rule_document
from tests.trust.machines.store_machine import StoreMachine, dialects, iso_date, version_numbers
from tests.trust.oracle.values import LifecycleRule, Written

HOUR = 3600
modes = st.sampled_from(["GOVERNANCE", "COMPLIANCE"])
#: A mode, and in how many seconds the retention ends.
some_retentions = st.tuples(modes, st.sampled_from([HOUR, 2 * HOUR, DAY, 3 * DAY]))
retentions = st.none() | some_retentions | some_retentions
holds = st.sampled_from([None, None, True, False])
defaults = st.none() | st.tuples(modes, st.integers(1, 2))


class Locks(StoreMachine):
    """The owner of a bucket writes, locks and deletes versions."""

    keys = st.sampled_from(["k", "k", "k", "l"])

    @initialize(dialect=dialects, has_null=st.booleans(), default=defaults, noncurrent=st.booleans())
    def start(self, dialect, has_null, default, noncurrent):
        """A history may begin with a null version, which can be locked, too."""
        self.begin(dialect, "never" if has_null else "enabled")
        if has_null:
            self.put("k", None, None)
            self.lock_bucket(None)
            self.change_versioning("anna", "Enabled")
        self.lock_bucket(default)
        if noncurrent:
            rules = [LifecycleRule("r", noncurrent=1)]
            expected = self.oracle.put_lifecycle("photos", rules)
            body = lifecycle(rule_document(rules[0]))
            self.compare(self.send("anna", "PUT", "photos", body=body, lifecycle=None), expected)

    @invariant()
    def rules_have_acted_in_the_oracle(self):
        self.oracle.apply_lifecycle()

    @rule(default=defaults)
    def lock_bucket(self, default):
        expected = self.oracle.lock_bucket("photos", default)
        chosen = ""
        if default is not None:
            chosen = f"<DefaultRetention><Mode>{default[0]}</Mode><Days>{default[1]}</Days></DefaultRetention>"
        rule = f"<Rule>{chosen}</Rule>" if chosen else ""
        enabled = "<ObjectLockEnabled>Enabled</ObjectLockEnabled>"
        body = f"<ObjectLockConfiguration>{enabled}{rule}</ObjectLockConfiguration>".encode()
        self.compare(self.send("anna", "PUT", "photos", body=body, **{"object-lock": None}), expected)

    @rule(key=keys, retention=retentions, hold=holds)
    def put(self, key, retention, hold):
        md5 = base64.b64encode(hashlib.md5(b"x").digest()).decode()
        self.put_object("anna", key, b"x", Written(retention=self.until(retention), hold=hold), md5=(md5, True))

    def until(self, retention):
        return retention and (retention[0], self.now + timedelta(seconds=retention[1]))

    @rule(key=keys, number=version_numbers, retention=retentions, bypasses=st.booleans())
    def put_retention(self, key, number, retention, bypasses):
        version, retention = self.version_id(key, number), self.until(retention)
        expected = self.oracle.put_retention("photos", key, version, retention, bypasses=bypasses)
        inner = ""
        if retention is not None:
            inner = f"<Mode>{retention[0]}</Mode><RetainUntilDate>{iso_date(retention[1])}</RetainUntilDate>"
        self.configure(key, version, "retention", f"<Retention>{inner}</Retention>", expected, bypasses=bypasses)

    @rule(key=keys, number=version_numbers, hold=st.booleans())
    def put_hold(self, key, number, hold):
        version = self.version_id(key, number)
        expected = self.oracle.put_hold("photos", key, version, hold)
        status = "ON" if hold else "OFF"
        self.configure(key, version, "legal-hold", f"<LegalHold><Status>{status}</Status></LegalHold>", expected)

    @rule(
        key=keys,
        retention=retentions,
        hold=holds,
        later=retentions,
        bypasses=st.booleans(),
        seconds=st.sampled_from([0, 0, HOUR, DAY]),
    )
    def delete_locked_version(self, key, retention, hold, later, bypasses, seconds):
        """Write a version, change its retention, and try to delete it at once or later."""
        self.put(key, retention, hold)
        self.put_retention(key, 0, later, bypasses)
        self.wait(seconds)
        self.delete_version(key, 0, bypasses)

    def configure(self, key, version, subresource, document, expected, *, bypasses=False):
        query = {subresource: None, **({"versionId": version} if version else {})}
        headers = {"x-svc-bypass-governance-retention": "true"} if bypasses else {}
        reply = self.send("anna", "PUT", "photos", key, headers=headers, body=document.encode(), **query)
        self.compare(reply, expected)
        self.compare_state()

    @rule(key=keys, number=st.integers(0, 7), bypasses=st.booleans())
    def delete_version(self, key, number, bypasses):
        version = self.version_id(key, number)
        expected = self.oracle.delete_version("anna", "photos", key, version, bypasses=bypasses)
        headers = {"x-svc-bypass-governance-retention": str(bypasses).lower()}
        self.compare(self.send("anna", "DELETE", "photos", key, headers=headers, versionId=version), expected)
        self.compare_state()

    @rule(key=keys, number=version_numbers, to=keys)
    def copy(self, key, number, to):
        self.copy_object("anna", (key, self.version_id(key, number)), ("photos", to))
        self.compare_state()

    @rule(seconds=st.sampled_from([1, HOUR - 1, HOUR, DAY, 2 * DAY]))
    def wait(self, seconds):
        self.tick(seconds)
        self.oracle.apply_lifecycle()
        self.compare_state()

    @rule(key=keys, retention=st.tuples(modes, st.sampled_from([2 * DAY, 3 * DAY])))
    def outlive_the_rule(self, key, retention):
        """A lifecycle rule can be about a noncurrent version whose retention lasts longer."""
        self.put(key, retention, None)
        self.put(key, None, None)
        self.wait(2 * DAY - HOUR)

    delete = rule(key=keys)(StoreMachine.delete_object)

    @rule(versioning=st.sampled_from(["Enabled", "Suspended"]))
    def put_versioning(self, versioning):
        self.change_versioning("anna", versioning)

    snapshot = rule()(StoreMachine.take_snapshot)
    restore = precondition(lambda self: self.snapshots)(rule(number=st.integers(0, 1))(StoreMachine.restore_snapshot))
