"""Expiration, noncurrent versions, expired delete markers and abandoned uploads while the clock moves on."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule

from tests.support.documents import lifecycle
from tests.trust.machines.store_machine import StoreMachine, dialects, same
from tests.trust.oracle.values import LifecycleRule, Written, next_midnight

DAY = 86400
RED = {"colour": "red"}
#: A disabled rule, as `Lifecycle.lifecycle_rules` describes it.
DISABLED = ("days", 1, 0, False, False)


class Lifecycle(StoreMachine):
    """Rules act while the clock moves on. The first look after it moved is a request, or one through the handle."""

    keys = st.sampled_from(["a", "a", "a", "a/b", "b"])

    #: Kind, days, versions to keep, whether the rule is about red objects only, and whether it is enabled.
    lifecycle_rules = st.lists(
        st.tuples(
            st.sampled_from(["days", "days", "date", "marker", "marker", "noncurrent", "noncurrent", "abort", "abort"]),
            st.integers(1, 3),
            st.integers(0, 2),
            st.booleans(),
            st.sampled_from([True, True, True, False]),
        ),
        max_size=2,
    )
    prefixes = st.sampled_from(["", "a", "a/", "b"])

    @initialize(
        dialect=dialects,
        versioning=st.sampled_from(["never", "enabled", "enabled", "enabled", "suspended"]),
        at_midnight=st.booleans(),
        prefix=prefixes,
        actions=lifecycle_rules,
    )
    def start(self, dialect, versioning, at_midnight, prefix, actions):
        self.begin(dialect, versioning)
        if at_midnight:
            self.wait("midnight")
        self.put_rules(prefix, actions)

    @invariant()
    def rules_have_acted_in_the_oracle(self):
        self.oracle.apply_lifecycle()

    @rule(prefix=prefixes, actions=lifecycle_rules)
    def put_rules(self, prefix, actions):
        rules = [lifecycle_rule(self.now, f"rule-{place}", prefix, *each) for place, each in enumerate(actions)]
        expected = self.oracle.put_lifecycle("photos", rules)
        if rules:
            body = lifecycle(*map(rule_document, rules))
            self.compare(self.send("anna", "PUT", "photos", body=body, lifecycle=None), expected)
        else:
            self.compare(self.send("anna", "DELETE", "photos", lifecycle=None), expected)

    @rule(
        key=keys,
        steps=st.lists(st.sampled_from(["put", "put", "put red", "delete", DAY]), min_size=1, max_size=6),
        look=st.booleans(),
        action=st.sampled_from([None, None, ("noncurrent", 1), ("noncurrent", 2), ("marker", 1)]),
    )
    def live(self, key, steps, look, action):
        """Write and delete one key while days pass; a rule may remove its noncurrent versions or its delete marker."""
        if action is not None:
            self.put_rules("", [action])
        for step in steps:
            self.oracle.apply_lifecycle()
            if step == DAY:
                self.wait(step)
            elif step == "delete":
                self.delete_object(key)
            else:
                self.put_object("anna", key, b"x", Written(tags=RED if step == "put red" else None))
        if look:
            self.compare_state()

    @rule(
        key=keys,
        rules=st.sampled_from(
            [[("days", 3), ("days", 1)], [("days", 1), ("days", 3)], [("date", 1)], [("date", 2)], [DISABLED]]
        ),
        seconds=st.sampled_from([1, DAY, 2 * DAY]),
    )
    def expire(self, key, rules, seconds):
        """The rule that is due first acts. A date that has passed is due at the midnight after the write."""
        self.put_rules("", rules)
        self.oracle.apply_lifecycle()
        self.put_object("anna", key, b"x")
        self.wait(seconds)
        self.compare_state()

    @rule(seconds=st.sampled_from([1, 3600, DAY - 1, DAY, 2 * DAY, 5 * DAY, "midnight"]))
    def wait(self, seconds):
        if seconds == "midnight":
            seconds = (next_midnight(self.now) - self.now).total_seconds()
        self.tick(seconds)
        self.oracle.apply_lifecycle()

    @rule(key=keys, method=st.sampled_from(["GET", "HEAD"]))
    def get(self, key, method):
        self.learn_marker(key)
        self.compare(self.send("anna", method, "photos", key), self.oracle.get("anna", "photos", key), method)

    def learn_marker(self, key):
        """Look at the bucket if that is the only way to learn the id of a marker that a rule has made."""
        entry = self.oracle.find("photos", key)
        if entry is not None and entry.is_marker and entry.id.startswith("?"):
            self.compare_state()

    @rule(key=keys, tags=st.sampled_from([RED, {}]), late=st.booleans(), days=st.sampled_from([None, None, None, 1, 3]))
    def tag(self, key, tags, late, days):
        """A rule applies from now on, or no longer; late tags may make the object due at once."""
        if days is not None:
            self.put_rules("", [("days", days, 0, True)])
            self.oracle.apply_lifecycle()
        if late:
            self.put_object("anna", key, b"x", Written(tags={} if tags else RED))
            self.wait(4 * DAY)
        self.learn_marker(key)
        self.use_tags("anna", "PUT", key, tags=tags)
        self.compare_state()

    @rule(
        key=keys,
        seconds=st.sampled_from([0, 3600, DAY, DAY, 2 * DAY, "midnight"]),
        enabled=st.sampled_from([None, None, True, False]),
    )
    def begin_upload(self, key, seconds, enabled):
        if enabled is not None:
            self.put_rules("", [("abort", 1, 0, False, enabled)])
            self.oracle.apply_lifecycle()
        expected = self.oracle.begin_upload("anna", "photos", key, Written(tags=RED))
        reply = self.send("anna", "POST", "photos", key, headers={"x-svc-tagging": "colour=red"}, uploads=None)
        self.compare(reply, expected)
        self.oracle.learn_upload("photos", re.search("<UploadId>(.*?)<", reply.body.decode())[1])
        self.wait(seconds)
        self.list_uploads()

    @rule()
    def list_uploads(self):
        expected, (uploads, _, _) = self.oracle.list_uploads("anna", "photos")
        reply = self.send("anna", "GET", "photos", uploads=None)
        self.compare(reply, expected)
        same(re.findall("<Key>(.*?)</Key><UploadId>(.*?)<", reply.body.decode()), uploads)

    @rule(
        key=st.sampled_from(["a", "b", "a/deleted", "a/gone", "a/left"]),
        days=st.sampled_from([0, 1, 1, 1, 4]),
        expiry=st.sampled_from([None, None, None, 3]),
    )
    def delete(self, key, days, expiry):
        """A look may find a key that has nothing but a delete marker, before its days are over or after."""
        if expiry is not None:
            self.put_rules("", [("days", expiry)])
            self.oracle.apply_lifecycle()
        self.delete_object(key)
        if days:
            self.wait(days * DAY)
            self.compare_state()

    @rule(key=keys, number=st.integers(0, 5))
    def delete_version(self, key, number):
        version = self.version_id(key, number)
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

    look = rule()(StoreMachine.compare_state)


def lifecycle_rule(now, rule_id, prefix, action, days, keep=0, is_red=False, enabled=True):
    rule = LifecycleRule(rule_id, prefix, enabled=enabled)
    if is_red and action not in ("abort", "marker"):
        rule.tags = RED
    if action == "days":
        rule.days = days
    elif action == "date":
        rule.date = datetime(now.year, now.month, now.day, tzinfo=UTC) + timedelta(days - 2)
    elif action == "noncurrent":
        rule.noncurrent, rule.keep = days, keep or None
    elif action == "abort":
        rule.abort = days
    else:
        rule.expired_marker = True
    return rule


def rule_document(each):
    if each.noncurrent is not None:
        keep = f"<NewerNoncurrentVersions>{each.keep}</NewerNoncurrentVersions>" if each.keep else ""
        days = f"<NoncurrentDays>{each.noncurrent}</NoncurrentDays>{keep}"
        action = f"<NoncurrentVersionExpiration>{days}</NoncurrentVersionExpiration>"
    elif each.abort is not None:
        days = f"<DaysAfterInitiation>{each.abort}</DaysAfterInitiation>"
        action = f"<AbortIncompleteMultipartUpload>{days}</AbortIncompleteMultipartUpload>"
    elif each.days is not None:
        action = f"<Expiration><Days>{each.days}</Days></Expiration>"
    elif each.date is not None:
        action = f"<Expiration><Date>{each.date:%Y-%m-%dT00:00:00Z}</Date></Expiration>"
    else:
        action = "<Expiration><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration>"
    prefix = f"<Prefix>{each.prefix}</Prefix>"
    if each.tags:
        tag = "<Tag><Key>colour</Key><Value>red</Value></Tag>"
        prefix = f"<Filter><And>{prefix}{tag}</And></Filter>" if each.prefix else f"<Filter>{tag}</Filter>"
    status = "Enabled" if each.enabled else "Disabled"
    return f"<Rule><ID>{each.id}</ID>{prefix}<Status>{status}</Status>{action}</Rule>"
