"""Who may do what: ACLs, grants and policies."""

from __future__ import annotations

import re
from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from tests.trust.machines.store_machine import ACCOUNTS, GRANT_HEADERS, StoreMachine, dialects, same, tag_sets
from tests.trust.oracle.values import (
    ALL_USERS,
    ANONYMOUS,
    AUTHENTICATED_USERS,
    CANNED,
    LOG_DELIVERY,
    NULL,
    Answer,
    Statement,
    Written,
)

GRANTEES = ("anna", "ben", "cleo", ALL_USERS, AUTHENTICATED_USERS, LOG_DELIVERY)
#: A canned ACL by its name, or grants of one permission.
acls = st.sampled_from(list(CANNED)) | st.tuples(
    st.sampled_from(list(GRANT_HEADERS)), st.lists(st.sampled_from(GRANTEES), min_size=1, max_size=2, unique=True)
).map(lambda pair: [(grantee, pair[0]) for grantee in pair[1]])
object_acls = acls.filter(lambda acl: not (isinstance(acl, list) and acl[0][1] == "WRITE"))
STATEMENT_ACTIONS = (
    *["s3:*"] * 6,
    *("s3:Get*", "s3:Put*", "s3:DeleteObject", "s3:DeleteObjectVersion", "s3:GetObject", "s3:GetObjectVersion"),
    *("s3:GetObjectAcl", "s3:PutObject", "s3:ListBucket", "s3:GetBucketAcl", *["s3:PutObjectAcl"] * 5),
    *("s3:PutBucketVersioning", "s3:DeleteObjectVersion", "s3:DeleteObjectVersion", "s3:GetObject"),
    *("s3:GetObjectTagging", "s3:PutObjectTagging", "s3:PutObjectVersionTagging"),
)
#: Those who are refused most come first, so that what they leave is still there for the others.
FEWEST_RIGHTS_FIRST = (ANONYMOUS, "cleo", "ben", "anna")
#: The id of the owner of what anonymous requesters write.
ANONYMOUS_ID = "65a011a29cdf8ec533ec3d1ccaae921c"
OBJECT_ONLY = re.compile(r"s3:(Delete|Get|Put)Object")
statements = st.builds(
    Statement,
    st.sampled_from(["Allow", "Allow", "Deny"]),
    st.sampled_from([None, None, *ACCOUNTS]),
    st.sampled_from(STATEMENT_ACTIONS),
    st.sampled_from(["*", "*", "*", "photos/*", "photos/k", "photos"]),
    st.sampled_from([False, False, True]),
)


several = st.lists(statements, max_size=3)
#: The same statement as Allow and as Deny, in both orders.
contradictions = [
    st.builds(lambda each, effects=effects: [replace(each, effect=effect) for effect in effects], statements)
    for effects in (("Allow", "Deny"), ("Deny", "Allow"))
]
#: One statement about one account, or about all but one.
single = st.builds(
    lambda *fields: [Statement(*fields)],
    st.sampled_from(["Allow", "Allow", "Deny"]),
    st.sampled_from([*ACCOUNTS, "ben", "cleo"]),
    st.sampled_from(STATEMENT_ACTIONS),
    st.just("*"),
    st.sampled_from([False, True, True]),
)
policies = st.one_of(several, *contradictions, single)


class Access(StoreMachine):
    """Three accounts and an anonymous requester use a bucket while its ACLs and its policy change."""

    keys = st.sampled_from(["k", "k", "k", "l"])
    owners = st.sampled_from(["anna", "anna", "ben"])

    @initialize(
        dialect=dialects,
        versioning=st.sampled_from(["never", "enabled"]),
        acl=st.sampled_from(
            [*CANNED, "public-read-write", [(AUTHENTICATED_USERS, "WRITE")], [(LOG_DELIVERY, "WRITE")]]
        ),
        policy=policies,
        last_acl=st.sampled_from(["private", "private", "bucket-owner-read"]),
    )
    def start(self, dialect, versioning, acl, policy, last_acl):
        self.begin(dialect, versioning)
        self.set_bucket_acl("anna", acl)
        for who, key in (("anna", "l"), ("anna", "k"), ("ben", "k")):
            self.put_object(who, key, who.encode(), Written(acl="private" if who == "anna" else last_acl))
        self.begin_with_policy(policy)

    def begin_with_policy(self, policy):
        self.set_policy("anna", policy, "k")

    @rule(who=owners, key=keys, acl=st.none() | object_acls)
    def put(self, who, key, acl):
        self.put_object(who, key, who.encode(), Written(acl=acl))
        self.everybody_reads(key)

    @rule(who=owners, key=keys, acl=object_acls)
    def set_object_acl(self, who, key, acl):
        expected = self.oracle.put_acl(who, "photos", key, None, acl)
        self.compare(self.send(who, "PUT", "photos", key, headers=self.acl_headers(acl), acl=None), expected)
        self.everybody_reads(key)

    set_bucket_acl = rule(who=owners, acl=acls)(StoreMachine.set_acl_of_bucket)

    @rule(who=st.sampled_from([*["anna"] * 5, "ben"]), policy=policies, key=keys)
    def set_policy(self, who, policy, key):
        self.set_policy_of(who, [each for each in policy if is_sound(each)])
        self.everybody_reads(key)
        self.everybody_copies("missing", key, None)
        self.everybody_writes(key, "private", None)
        self.everybody_writes(key, None, {"state": "new"})
        self.everybody_tags(key, {})
        self.everybody_deletes(key, "by id")
        self.everybody_deletes(key, "simple")

    @rule(key=keys)
    def everybody_reads(self, key):
        """Every requester reads the object, its latest version by id, its ACL and the bucket."""
        for who in (*ACCOUNTS, ANONYMOUS):
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
            names = {account.id: name for name, account in self.account.items()} | {ANONYMOUS_ID: ANONYMOUS}
            grants = re.findall(
                r"<Grantee[^>]*>.*?<(?:ID|URI)>(.*?)</.*?<Permission>(\w+)</", reply.body.decode(), re.DOTALL
            )
            _, noted = self.oracle.current_acl("photos", self.oracle.find("photos", key, query.get("versionId")))
            same([(names.get(grantee, grantee), permission) for grantee, permission in grants], noted)

    @rule(key=keys, which=st.sampled_from(["simple", "by id", "null"]))
    def everybody_deletes(self, key, which):
        """Requesters try in turn, those with the fewest rights first."""
        for who in FEWEST_RIGHTS_FIRST:
            latest = self.oracle.find("photos", key)
            if which == "simple" or latest is None:
                expected = self.oracle.delete(who, "photos", key)
                self.compare(self.send(who, "DELETE", "photos", key), expected)
            else:
                version = NULL if which == "null" else latest.id
                expected = self.oracle.delete_version(who, "photos", key, version)
                self.compare(self.send(who, "DELETE", "photos", key, versionId=version), expected)
        self.compare_state()

    @rule(key=keys, acl=st.none() | st.sampled_from(list(CANNED)), tags=st.none() | tag_sets)
    def everybody_writes(self, key, acl, tags):
        for who in FEWEST_RIGHTS_FIRST:
            self.put_object(who, key, b"x", Written(acl=acl, tags=tags))
        self.compare_state()

    @rule(key=keys, tags=tag_sets)
    def everybody_tags(self, key, tags):
        """Every requester reads and replaces the tags of the object, and of its latest version by id."""
        latest = self.oracle.find("photos", key)
        for who in FEWEST_RIGHTS_FIRST:
            for version in (None, latest.id) if latest else (None,):
                self.use_tags(who, "PUT", key, version, tags)
                self.use_tags(who, "GET", key, version)

    @rule(source=st.sampled_from(["k", "k", "l", "missing"]), key=keys, number=st.none() | st.integers(0, 2))
    def everybody_copies(self, source, key, number):
        version = self.version_id(source, number)
        for who in FEWEST_RIGHTS_FIRST:
            self.copy_object(who, (source, version), ("photos", key))
        self.compare_state()

    @rule(who=st.sampled_from(["anna", "ben", "cleo"]), versioning=st.sampled_from(["Enabled", "Suspended"]))
    def put_versioning(self, who, versioning):
        self.change_versioning(who, versioning)


def is_sound(statement):
    """Return whether the service accepts it: an action on objects needs a resource that can be one, and so on."""
    if statement.others and statement.who is None:
        return False
    if statement.action.endswith("*") or statement.resource == "*":
        return True
    return bool(OBJECT_ONLY.match(statement.action)) == (statement.resource != "photos")
