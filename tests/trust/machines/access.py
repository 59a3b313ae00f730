"""Who may do what: ACLs, grants and policies."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from tests.trust.machines.store_machine import ACCOUNTS, StoreMachine, copy_source, same
from tests.trust.oracle import ALL_USERS, AUTHENTICATED_USERS, CANNED, LOG_DELIVERY, NULL, Answer, Statement

GRANTEES = ("anna", "ben", "cleo", ALL_USERS, AUTHENTICATED_USERS, LOG_DELIVERY)
GRANT_HEADERS = {
    "FULL_CONTROL": "x-svc-grant-full-control",
    "READ": "x-svc-grant-read",
    "WRITE": "x-svc-grant-write",
    "READ_ACP": "x-svc-grant-read-acp",
    "WRITE_ACP": "x-svc-grant-write-acp",
}
#: A canned ACL by its name, or grants of one permission.
acls = st.sampled_from(list(CANNED)) | st.tuples(
    st.sampled_from(list(GRANT_HEADERS)), st.lists(st.sampled_from(GRANTEES), min_size=1, max_size=2, unique=True)
).map(lambda pair: [(grantee, pair[0]) for grantee in pair[1]])
object_acls = acls.filter(lambda acl: not (isinstance(acl, list) and acl[0][1] == "WRITE"))
STATEMENT_ACTIONS = (
    *("s3:*", "s3:Get*", "s3:Put*", "s3:DeleteObject", "s3:DeleteObjectVersion", "s3:GetObject", "s3:GetObjectVersion"),
    *("s3:GetObjectAcl", "s3:PutObject", "s3:PutObjectAcl", "s3:PutObjectAcl", "s3:ListBucket", "s3:GetBucketAcl"),
    *("s3:PutBucketVersioning", "s3:DeleteObjectVersion", "s3:DeleteObjectVersion", "s3:GetObject"),
)
OBJECT_ONLY = re.compile(r"s3:(Delete|Get|Put)Object")
statements = st.builds(
    Statement,
    st.sampled_from(["Allow", "Allow", "Deny"]),
    st.sampled_from([None, None, *ACCOUNTS]),
    st.sampled_from(STATEMENT_ACTIONS),
    st.sampled_from(["*", "*", "*", "photos/*", "photos/k", "photos"]),
)


#: Statements of any kind, or two that contradict each other in either order.
policies = st.lists(statements, max_size=3) | st.builds(
    lambda each, effects: [replace(each, effect=effect) for effect in effects],
    statements,
    st.permutations(["Allow", "Deny"]),
)


class Access(StoreMachine):
    """Three accounts and an unsigned client use a bucket while its ACLs and its policy change."""

    keys = st.sampled_from(["k", "k", "k", "l"])
    owners = st.sampled_from(["anna", "anna", "ben"])

    @initialize(
        versioning=st.sampled_from(["never", "enabled"]),
        acl=st.sampled_from([*CANNED, "public-read-write", [(AUTHENTICATED_USERS, "WRITE")]]),
        policy=policies,
    )
    def start(self, versioning, acl, policy):
        self.begin({"photos": versioning})
        self.set_bucket_acl("anna", acl)
        for who, key in (("anna", "k"), ("ben", "k"), ("anna", "l")):
            self.put(who, key, "private")
        self.set_policy("anna", policy, "k")

    @rule(who=owners, key=keys, acl=st.none() | object_acls)
    def put(self, who, key, acl):
        expected = self.oracle.put(who, "photos", key, who.encode(), self.now, acl=acl)
        reply = self.send(who, "PUT", "photos", key, headers=self.acl_headers(acl), body=who.encode())
        self.compare(reply, expected)
        self.everybody_reads(key)

    @rule(who=owners, key=keys, acl=object_acls)
    def set_object_acl(self, who, key, acl):
        expected = self.oracle.put_acl(who, "photos", key, None, acl)
        self.compare(self.send(who, "PUT", "photos", key, headers=self.acl_headers(acl), acl=None), expected)
        self.everybody_reads(key)

    @rule(who=owners, acl=acls)
    def set_bucket_acl(self, who, acl):
        expected = self.oracle.put_bucket_acl(who, "photos", acl)
        self.compare(self.send(who, "PUT", "photos", headers=self.acl_headers(acl), acl=None), expected)

    @rule(
        who=st.sampled_from([*["anna"] * 5, "ben"]),
        policy=policies,
        key=keys,
    )
    def set_policy(self, who, policy, key):
        policy = [each for each in policy if self.is_sound(each)]
        expected = self.oracle.put_policy(who, "photos", policy)
        if policy:
            body = json.dumps({"Statement": [self.statement(each) for each in policy]}).encode()
            self.compare(self.send(who, "PUT", "photos", body=body, policy=None), expected)
        else:
            self.compare(self.send(who, "DELETE", "photos", policy=None), expected)
        self.everybody_reads(key)
        self.everybody_copies("missing", key, None)
        self.everybody_writes(key, "private")
        self.everybody_deletes(key, "by id")
        self.everybody_deletes(key, "simple")

    @staticmethod
    def is_sound(statement):
        """Return whether the service takes it: an action on objects needs a resource that can be one, and so on."""
        if statement.action.endswith("*") or statement.resource == "*":
            return True
        return bool(OBJECT_ONLY.match(statement.action)) == (statement.resource != "photos")

    def statement(self, each):
        who = "*" if each.who is None else {"CanonicalUser": self.account[each.who].id}
        resource = "arn:aws:s3:::" + each.resource
        resources = [resource] if each.resource != "*" else ["arn:aws:s3:::photos", "arn:aws:s3:::photos/*"]
        return {"Effect": each.effect, "Principal": who, "Action": each.action, "Resource": resources}

    def acl_headers(self, acl):
        if acl is None or isinstance(acl, str):
            return {"x-svc-acl": acl} if acl else {}
        named = [
            f'id="{self.account[grantee].id}"' if grantee in self.account else f'uri="{grantee}"' for grantee, _ in acl
        ]
        return {GRANT_HEADERS[acl[0][1]]: ", ".join(named)}

    @rule(key=keys)
    def everybody_reads(self, key):
        """Every account and an unsigned client read the object, its latest version by id, its ACL and the bucket."""
        for who in (*ACCOUNTS, None):
            latest = self.oracle.find("photos", key)
            for version in (None, latest.id) if latest else (None,):
                query = {"versionId": version} if version else {}
                reply = self.send(who, "GET", "photos", key, **query)
                self.compare(reply, self.oracle.get(who, "photos", key, version))
                self.check_acl(who, key, query, self.oracle.get_acl(who, "photos", key, version))
            self.compare(self.send(who, "GET", "photos", acl=None), self.oracle.get_bucket_acl(who, "photos"))
            self.compare(self.send(who, "GET", "photos", versioning=None), self.oracle.get_versioning(who, "photos"))
            listed = self.oracle.list_objects(who, "photos")
            reply = self.send(who, "GET", "photos")
            if isinstance(listed, Answer):
                self.compare(reply, listed)
            else:
                same(re.findall("<Key>(.*?)</Key>", reply.body.decode()), listed[0])

    def check_acl(self, who, key, query, expected):
        reply = self.send(who, "GET", "photos", key, acl=None, **query)
        self.compare(reply, expected)
        if expected.status == 200:
            grants = re.findall(
                r"<Grantee[^>]*>.*?<(?:DisplayName|URI)>(.*?)</.*?<Permission>(\w+)</", reply.body.decode(), re.DOTALL
            )
            same(grants, self.oracle.find("photos", key, query.get("versionId")).grants)

    @rule(key=keys, which=st.sampled_from(["simple", "by id", "null"]))
    def everybody_deletes(self, key, which):
        """Accounts try in turn, those with the fewest rights first; the object is put back by its owner."""
        for who in (None, "cleo", "ben", "anna"):
            latest = self.oracle.find("photos", key)
            if which == "simple" or latest is None:
                expected = self.oracle.delete(who, "photos", key, self.now)
                self.compare(self.send(who, "DELETE", "photos", key), expected)
            else:
                version = NULL if which == "null" else latest.id
                expected = self.oracle.delete_version(who, "photos", key, version)
                self.compare(self.send(who, "DELETE", "photos", key, versionId=version), expected)
        self.compare_state()

    @rule(key=keys, acl=st.none() | st.sampled_from(list(CANNED)))
    def everybody_writes(self, key, acl):
        for who in (None, "cleo", "ben", "anna"):
            expected = self.oracle.put(who, "photos", key, b"x", self.now, acl=acl)
            reply = self.send(who, "PUT", "photos", key, headers=self.acl_headers(acl), body=b"x")
            self.compare(reply, expected)
        self.compare_state()

    @rule(source=st.sampled_from(["k", "k", "l", "missing"]), key=keys, number=st.none() | st.integers(0, 2))
    def everybody_copies(self, source, key, number):
        version = self.version_id("photos", source, number)
        for who in (None, "cleo", "ben", "anna"):
            headers = {"x-svc-copy-source": copy_source("photos", source, version), "x-svc-storage-class": "STANDARD"}
            expected = self.oracle.copy(who, ("photos", source, version), "photos", key, self.now, storage="STANDARD")
            expected.content = None
            self.compare(self.send(who, "PUT", "photos", key, headers=headers), expected)
        self.compare_state()

    @rule(who=st.sampled_from(["anna", "ben", "cleo"]), versioning=st.sampled_from(["Enabled", "Suspended"]))
    def put_versioning(self, who, versioning):
        self.change_versioning(who, versioning)
