"""Expiration, noncurrent versions and expired delete markers while the clock moves on."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule

from tests.trust.machines.store_machine import StoreMachine, same
from tests.trust.oracle import LifecycleRule, next_midnight

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
                self.delete_object(key)
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

    delete = rule(key=keys)(StoreMachine.delete_object)

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
        self.change_versioning("anna", versioning)

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
